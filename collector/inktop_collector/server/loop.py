"""The server's loop: one thread that never blocks and sends every board a line a second.

The lines are on a grid of the monotonic clock that does not drift: a late one is left out.
"""

from __future__ import annotations

import os
import select
import time
from typing import TYPE_CHECKING, Dict, Optional

from inktop_protocol.encode import encode_snapshot
from inktop_protocol.model import Snapshot

from ..announce import Announcer
from ..config import Config
from ..log import Log, LogLimit, log_to_stderr
from ..notify import Notifier
from ..sampler import Sampler
from ..sources.source import Values
from ..state import KnownGpus
from ..status import StatusFile
from ..wake import ACKNOWLEDGE, READY, STOP, Wake
from .connection import Connection
from .port import Port

if TYPE_CHECKING:
    from ..metrics.web import Web

#: How long the start waits for the first answers.
FIRST_LOOK_S = 1.0
#: How long a line waits for slow sources: a quarter of the interval, at most this.
PATIENCE_S = 0.25


class Server:
    """Listens, samples, sends. ``run`` returns after SIGTERM, SIGINT or ``stop``."""

    def __init__(self, config: Config, log: Log = log_to_stderr) -> None:
        self.config = config
        self._log = log
        self._limit = LogLimit(log)
        self._epoll = select.epoll()
        self.wake = Wake(self._epoll)
        known = KnownGpus(config.state_dir, log) if config.state_dir else None
        self.sampler = Sampler(config, self._complete, known, log)
        self._status = StatusFile(config.runtime_dir, log)
        self.clients = Port(
            config,
            self._epoll,
            log,
            self._limit,
            self.sampler.info,
            self.sampler.acknowledge,
            self._status,
        )
        self.port = self.clients.port
        self.web: Optional[Web] = self._open_web() if config.metrics[0] else None
        self._notifier = Notifier(os.environ)
        self._announcer = Announcer(config, self.port, log)
        self._stopping = False
        self._sampling = False
        #: No line yet: rates need two looks at the counters.
        self._baseline = True
        self._started = time.monotonic()
        self._tick = 0
        self._due = self._started
        self._deadline = 0.0
        #: What the newest line says, and how many there were.
        self._values: Values = {}
        self._lines = 0

    @property
    def boards(self) -> Dict[int, Connection]:
        """Every connection, the oldest first."""
        return self.clients.boards

    def _open_web(self) -> Web:
        # Here, because a collector without metrics need not spend memory on them.
        from ..metrics.rows import write_page
        from ..metrics.web import Web

        def page(openmetrics: bool) -> bytes:
            boards, now = self.boards.values(), time.monotonic()
            return write_page(openmetrics, self._values, self.sampler.info(), boards, self._lines, now)

        return Web(self.config, self._epoll, self._log, self._limit, page)

    # -- the schedule --

    def run(self) -> None:
        """Serves until it is told to stop."""
        shown = self.config.bind if ":" not in self.config.bind else f"[{self.config.bind}]"
        self._log(f"listening on {shown}:{self.port}, a line every {self.config.interval:g} s")
        self._notifier.ready(self.port)
        self._started = self._due = time.monotonic()
        try:
            self._first_look()
            while not self._stopping:
                self._turn()
        finally:
            self.close()

    def _first_look(self) -> None:
        """Takes the baseline before a client is let in: the first info line is then complete."""
        self._begin(time.monotonic())
        deadline = time.monotonic() + FIRST_LOOK_S
        while self._sampling and not self._stopping and time.monotonic() < deadline:
            # The deadline may pass between two looks at the clock: a negative wait is an error.
            if select.select([self.wake.fd], [], [], max(0.0, deadline - time.monotonic()))[0]:
                self._woken()

    def _turn(self) -> None:
        wait_s = max(0.0, self._wanted_at() - time.monotonic())
        for fd, events in self._epoll.poll(wait_s):
            if fd == self.wake.fd:
                self._woken()
            elif self.web is not None and self.web.mine(fd):
                self.web.ready(fd, events)
            else:
                self.clients.ready(fd, events)
        now = time.monotonic()
        if self._sampling and now >= self._deadline:
            self._publish(now)
        if now >= self._due:
            self._begin(now)
        if now >= self._announcer.due_at:
            self._announcer.send(now, self.sampler.host)
        self.clients.tick(now)
        if self.web is not None:
            self.web.tick(now)

    def _wanted_at(self) -> float:
        """When the next timed step is due."""
        moments = [self._due, self._announcer.due_at, *self.clients.moments()]
        if self._sampling:
            moments.append(self._deadline)
        if self.web is not None:
            moments += self.web.moments()
        return min(moments)

    def _begin(self, now: float) -> None:
        """Starts a round of reads and sets the next one on the grid."""
        if self._sampling:
            self._publish(now)
        interval = self.config.interval
        self._tick = max(self._tick + 1, int((now - self._started) / interval) + 1)
        self._due = self._started + self._tick * interval
        if self._baseline:
            # The first line needs two looks at the counters: do not let a long interval delay it.
            self._due = self._started + min(interval, 1.0)
            self._started, self._tick = self._due, 0
        self._sampling = True
        self._deadline = now + min(PATIENCE_S, interval / 4)
        self.sampler.begin()

    # -- what wakes the loop --

    def _complete(self) -> None:
        self.wake.poke(READY)

    def stop(self) -> None:
        """Ends ``run``; may be called from another thread or a signal handler."""
        self.wake.poke(STOP)

    def _woken(self) -> None:
        said = self.wake.letters()
        if STOP in said:
            self._stopping = True
        if ACKNOWLEDGE in said:
            count = self.sampler.acknowledge()
            self._log(f"acknowledged: {count} events")
            self._status.acknowledged(count)
        if READY in said and self._sampling:
            self._publish(time.monotonic())

    # -- what goes out --

    def _publish(self, now: float) -> None:
        self._sampling = False
        values = self.sampler.values()
        self._notifier.alive()
        self._values = values
        if self.web is not None:
            self.web.renew()
        if self._baseline:
            self._baseline = False
            return
        self._lines += 1
        keyed = bool(self.config.key)
        self.clients.publish(
            now, lambda address: encode_snapshot(Snapshot(address=address, **values), sealed=keyed)
        )
        self._limit.tick(now)
        self._status.write(self.port, [b for b in self.boards.values() if b.greeted], now)

    def close(self) -> None:
        """Closes every socket: a thread that hangs in the kernel may keep the process for long."""
        self._notifier.stopping()
        self._notifier.close()
        self.clients.close()
        if self.web is not None:
            self.web.close()
        self._announcer.close()
        self._status.remove()
        self.sampler.close()
        self._epoll.close()
        self.wake.close()
