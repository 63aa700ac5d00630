"""The virtual board: the core's link and app on a socket, driven as the firmware drives them.

A refresh takes the panel's time; meanwhile the network is read on, and what arrives waits for the app.
All in one thread, on a clock that is handed in: a day can pass in seconds.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace
from typing import Callable, Deque, Optional, Protocol, Sequence, Tuple, Union

from inktop_tools.errors import InktopError
from inktop_tools.virtual import host
from inktop_tools.virtual.wire import MOST_SERVERS, Wire, wait

#: The longest that the loop waits for the network: the app and the link want to be asked this often.
TICK_MS = 50


class Clock(Protocol):
    """Time as the board sees it."""

    def now_ms(self) -> int:
        """Milliseconds, never going back."""

    def advance(self) -> int:
        """Called once in each turn of the loop; returns now_ms()."""

    def real_s(self, duration_ms: int) -> float:
        """How long that is on the wall, seconds."""


class SimulatedClock:
    """Passes `speed` times as fast as the wall; at most `step_ms` at once.

    A stall of this machine therefore stalls the clock too: it does not count as silence of the server.
    """

    def __init__(self, speed: float = 1.0, step_ms: int = 1000) -> None:
        self._speed = speed
        self._step_ms = float(step_ms)
        self._now_ms = 0.0
        self._seen_s = time.monotonic()

    def now_ms(self) -> int:
        """Milliseconds since the start."""
        return int(self._now_ms)

    def advance(self) -> int:
        """Lets the time pass that has passed on the wall; returns now_ms()."""
        seen_s = time.monotonic()
        self._now_ms += min((seen_s - self._seen_s) * 1000 * self._speed, self._step_ms)
        self._seen_s = seen_s
        return self.now_ms()

    def real_s(self, duration_ms: int) -> float:
        """How long that is on the wall, seconds."""
        return duration_ms / 1000 / self._speed


class VirtualBoard:
    """A board that connects to a server and shows what it sends."""

    def __init__(
        self,
        servers: Union[str, Sequence[str]],
        settings: host.BoardSettings,
        clock: Clock,
        key: Optional[str] = None,
        on_refresh: Optional[Callable[[host.Refresh], None]] = None,
        on_begin: Optional[Callable[[host.Refresh], None]] = None,
    ) -> None:
        """`servers`: one, or several that are followed at the same time, each as `host.Link` takes it.

        `on_begin` is told of a refresh when it begins, `on_refresh` when its time is over.

        Raises InktopError.
        """
        #: As they were given, in the order of their places.
        self.servers = (servers,) if isinstance(servers, str) else tuple(servers)
        if len(self.servers) > MOST_SERVERS:
            raise InktopError(f"a board follows {MOST_SERVERS} servers at most. Name fewer of them.")
        if len(self.servers) > 1:
            settings = replace(settings, servers=len(self.servers))
        self._settings = settings
        self._key = key
        self._start()
        self._clock = clock
        self._on_refresh = on_refresh
        self._on_begin = on_begin
        self._refreshing: Optional[Tuple[int, host.Refresh]] = None
        #: When each of the last refreshes began, and what it was; the newest is the first.
        self.refreshes: Deque[Tuple[int, host.Refresh]] = deque(maxlen=12)
        #: When the newest line arrived; None before the first.
        self.line_ms: Optional[int] = None
        #: What the server sent last, without its newline.
        self.last_line = ""

    def _start(self) -> None:
        self.app = host.App(self._settings)
        self.wires = [
            Wire(server, self._settings, self.app, self._key, place)
            for place, server in enumerate(self.servers)
        ]

    @property
    def link(self) -> host.Link:
        """The way to the first server."""
        return self.wires[0].link

    def set(self, name: str, value: str) -> None:
        """A setting as the board's console takes it. What acts from the next start on starts the board again.

        Raises InktopError for a wrong name or value, and where a server's value stays in force.
        """
        self.app.set(name, value)
        others = {**dict(self._settings.others), name: value}
        self._settings = replace(self._settings, others=tuple(others.items()))
        if self.app.settings().get(name) not in (value, None):
            raise InktopError(f"the server holds {name} for this board: its value stays in force")
        if name == "rotate":
            self.close()
            self._refreshing = None
            self._start()

    @property
    def size(self) -> Tuple[int, int]:
        """Width and height, pixels."""
        return self.app.width, self.app.height

    @property
    def trouble(self) -> str:
        """Why there is no connection, in words; empty while there is one."""
        return ", ".join(filter(None, (wire.trouble for wire in self.wires)))

    def age_ms(self, wire: Optional[Wire] = None) -> Optional[int]:
        """How old the newest line is, of all or on that wire; None before the first."""
        line_ms = self.line_ms if wire is None else wire.line_ms
        return None if line_ms is None else self._clock.now_ms() - line_ms

    def next_server(self) -> None:
        """The button that goes on to the next server."""
        self.app.press_next(self._clock.now_ms())

    def step(self) -> None:
        """One turn: waits for the network a little, then lets link and app do what is due."""
        now_ms = self._clock.advance()
        for wire in self.wires:
            wire.ask(now_ms)
        wait_s = self._clock.real_s(TICK_MS)
        if self._refreshing is not None:
            started_ms, refresh = self._refreshing
            left_ms = started_ms + refresh.duration_ms - now_ms
            wait_s = min(wait_s, max(0.0, self._clock.real_s(left_ms)))
        wait([wire.connection for wire in self.wires], wait_s)
        now_ms = self._clock.advance()
        for wire in self.wires:
            line = wire.turn(now_ms)
            if line is not None:
                self.line_ms = now_ms
                self.last_line = line
        self._run_app(now_ms)

    def close(self) -> None:
        """Ends the connections."""
        for wire in self.wires:
            wire.connection.close()

    def _run_app(self, now_ms: int) -> None:
        if self._refreshing is not None:
            started_ms, refresh = self._refreshing
            if now_ms < started_ms + refresh.duration_ms:
                return
            self._refreshing = None
            self.refreshes.appendleft((started_ms, refresh))
            if self._on_refresh is not None:
                self._on_refresh(refresh)
        self.app.receive()
        while True:
            place, line = self.app.outbox(now_ms)
            if not line:
                break
            self.wires[place].send(line, now_ms)
        refresh = self.app.refresh(now_ms)
        if refresh.kind == "nothing":
            return
        if self._on_begin is not None:
            self._on_begin(refresh)
        self._refreshing = (now_ms, refresh)
