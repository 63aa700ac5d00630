"""The server's loop: one thread that never blocks and sends every board a line a second.

The lines are on a grid of the monotonic clock that does not drift: a late one is left out.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import socket
import time
from typing import Dict, Tuple

from inktop_protocol.encode import encode_info, encode_snapshot
from inktop_protocol.model import InfoLine, Snapshot

from ..announce import Announcer
from ..config import Config
from ..log import Log, LogLimit, log_to_stderr
from ..notify import Notifier
from ..sampler import Sampler
from ..state import KnownGpus
from ..status import StatusFile
from .connection import HELLO_WITHIN_S, Connection, EndError
from .listener import Listener
from .places import MAX_BOARDS, longest_stuck, strangers_over

INFO_EVERY_S = 60.0
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
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._epoll.register(self._wake_read, select.EPOLLIN)
        self.listener = Listener(config, self._epoll, log, self._limit)
        self.port = self.listener.port
        known = KnownGpus(config.state_dir, log) if config.state_dir else None
        self.sampler = Sampler(config, self._complete, known, log)
        #: Every connection, the oldest first: boards, and clients that have not said hello yet.
        self.boards: Dict[int, Connection] = {}
        self._notifier = Notifier(os.environ)
        self._status = StatusFile(config.runtime_dir, log)
        self._announcer = Announcer(config, self.port, log)
        self._stopping = False
        self._sampling = False
        #: No line yet: rates need two looks at the counters.
        self._baseline = True
        self._info_at = 0.0
        self._started = time.monotonic()
        self._tick = 0
        self._due = self._started
        self._deadline = 0.0

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
            if select.select([self._wake_read], [], [], max(0.0, deadline - time.monotonic()))[0]:
                self._woken()

    def _turn(self) -> None:
        wait_s = max(0.0, self._wanted_at() - time.monotonic())
        for fd, events in self._epoll.poll(wait_s):
            if fd == self._wake_read:
                self._woken()
            elif fd == self.listener.fd:
                for connection, where in self.listener.accept():
                    self._welcome(connection, where)
            elif fd in self.boards:
                self._ready(self.boards[fd], events)
        now = time.monotonic()
        self._end_silent(now)
        if self._sampling and now >= self._deadline:
            self._publish(now)
        if now >= self._due:
            self._begin(now)
        if now >= self._announcer.due_at:
            self._announcer.send(now, self.sampler.host)
        self.listener.tick(now)

    def _wanted_at(self) -> float:
        """When the next timed step is due."""
        moments = [self._due, self._announcer.due_at, self.listener.due_at]
        if self._sampling:
            moments.append(self._deadline)
        moments += [b.connected_at + HELLO_WITHIN_S for b in self.boards.values() if not b.greeted]
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
        self._poke(b"c")

    def _poke(self, what: bytes) -> None:
        try:
            os.write(self._wake_write, what)
        except OSError as problem:
            if problem.errno not in (errno.EAGAIN, errno.EBADF):
                raise

    def stop(self) -> None:
        """Ends ``run``; may be called from another thread or a signal handler."""
        self._poke(b"s")

    def catch_signals(self) -> None:
        """Sets up the signals: SIGTERM and SIGINT stop, SIGUSR1 acknowledges."""
        signal.signal(signal.SIGTERM, lambda _number, _frame: self._poke(b"s"))
        signal.signal(signal.SIGINT, lambda _number, _frame: self._poke(b"s"))
        signal.signal(signal.SIGUSR1, lambda _number, _frame: self._poke(b"a"))

    def _woken(self) -> None:
        try:
            said = os.read(self._wake_read, 4096)
        except BlockingIOError:
            return
        if b"s" in said:
            self._stopping = True
        if b"a" in said:
            count = self.sampler.acknowledge()
            self._log(f"acknowledged: {count} events")
            self._status.acknowledged(count)
        if b"c" in said and self._sampling:
            self._publish(time.monotonic())

    # -- what goes out --

    def _publish(self, now: float) -> None:
        self._sampling = False
        values = self.sampler.values()
        self._notifier.alive()
        if self._baseline:
            self._baseline = False
            return
        lines: Dict[str, bytes] = {}
        keyed = bool(self.config.key)
        info_due = now - self._info_at >= INFO_EVERY_S
        if info_due:
            self._info_at = now
        for board in list(self.boards.values()):
            if board.greeted or not keyed:
                if info_due:
                    board.put(self._info())
                    board.put_settings(self.config.boards)
                line = lines.get(board.address)
                if line is None:
                    line = encode_snapshot(Snapshot(address=board.address, **values), sealed=keyed)
                    lines[board.address] = line
                board.put(line)
            self._flush(board, now)
        self._limit.tick(now)
        self._status.write(self.port, [b for b in self.boards.values() if b.greeted], now)

    def _flush(self, board: Connection, now: float) -> None:
        try:
            left = board.flush(now)
        except EndError as why:
            self._lose(board, str(why))
            return
        if left != board.writing:
            board.writing = left
            self._epoll.modify(board.fd, select.EPOLLIN | (select.EPOLLOUT if left else 0))

    # -- who comes and goes --

    def _welcome(self, connection: socket.socket, where: Tuple[str, int]) -> None:
        now = time.monotonic()
        try:
            board = Connection(connection, where, self.config.key, self._limit, now)
        except OSError:
            connection.close()  # it is gone already
            return
        for other in strangers_over(self.boards.values(), board):
            self._ready(other, select.EPOLLIN)  # its hello may be here already
            if other.fd in self.boards and not other.greeted:
                self._lose(other, "no hello yet, and a newer connection needed the room")
        self.boards[board.fd] = board
        self._epoll.register(board.fd, select.EPOLLIN)
        self._status.changed = True
        self._limit(f"connected: {board.peer}", now, client=board.origin)
        # With a key, nobody learns anything before the hello.
        board.put(encode_info(InfoLine(nonce=board.nonce)) if board.nonce else self._info())
        self._flush(board, now)

    def _info(self) -> bytes:
        return encode_info(self.sampler.info(), sealed=bool(self.config.key))

    def _greeted(self, board: Connection, now: float) -> None:
        """Gives a board that has said hello its place: its own old one, a free one, that of a stuck one."""
        for other in [b for b in self.boards.values() if board.replaces(b)]:
            self._lose(other, "the board has connected again")
        greeted = [b for b in self.boards.values() if b.greeted and b is not board]
        if len(greeted) < MAX_BOARDS:
            return
        stuck = longest_stuck(greeted, now)
        if stuck is None:
            self._lose(board, f"{MAX_BOARDS} boards are connected already")
        else:
            self._lose(stuck, "took nothing, and its place was needed")

    def _ready(self, board: Connection, events: int) -> None:
        now = time.monotonic()
        if events & (select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR):
            told = (board.health, board.settings)
            try:
                greeted = board.receive(now)
            except EndError as why:
                self._lose(board, str(why))
                return
            if greeted:
                self._greeted(board, now)
            if greeted and board.fd in self.boards:
                if self.config.key:
                    board.put(self._info())
                board.put_settings(self.config.boards)
                self._flush(board, now)
            if greeted or told != (board.health, board.settings):
                self._status.changed = True
            if board.acked and board.fd in self.boards:
                self._take_ack(board, now)
        if events & select.EPOLLOUT and board.fd in self.boards:
            self._flush(board, now)

    def _take_ack(self, board: Connection, now: float) -> None:
        """Acknowledges what a person has seen on a board, if boards may."""
        seen, board.acked = frozenset(board.acked), ()
        # With a key, a board that has said hello knows it.
        if not (self.config.key or self.config.board_ack):
            said = f"ack of {board.name} is ignored: set a key, or board_ack = yes"
        else:
            count = self.sampler.acknowledge(seen)
            said = f"acknowledged on {board.name}: {count} events"
            self._status.acknowledged(count)
        self._limit(said, now, "acks", board.origin)

    def _end_silent(self, now: float) -> None:
        """Ends connections that have not said hello in time."""
        for board in list(self.boards.values()):
            if not board.greeted and now - board.connected_at >= HELLO_WITHIN_S:
                self._lose(board, f"no hello within {HELLO_WITHIN_S:g} s")

    def _lose(self, board: Connection, why: str) -> None:
        if self.boards.pop(board.fd, None) is None:
            return
        self._status.changed = True
        self._epoll.unregister(board.fd)
        board.socket.close()
        text = f"lost: {board.name}: {why}; {board.sent} lines sent, {board.dropped} dropped"
        kind = "lost boards" if board.greeted else "lost connections"
        self._limit(text, time.monotonic(), kind, board.origin)

    def close(self) -> None:
        """Closes every socket: a thread that hangs in the kernel may keep the process for long."""
        self._notifier.stopping()
        self._notifier.close()
        self.listener.close()
        for board in list(self.boards.values()):
            self._lose(board, "the collector stops")
        self._announcer.close()
        self._status.remove()
        self.sampler.close()
        self._epoll.close()
        os.close(self._wake_read)
        os.close(self._wake_write)
