"""The virtual board: the core's link and app on a socket, driven as the firmware drives them.

A refresh takes the panel's time; meanwhile the network is read on, and what arrives waits for the app.
All in one thread, on a clock that is handed in: a day can pass in seconds.
"""

from __future__ import annotations

import errno
import os
import select
import socket
import threading
import time
from collections import deque
from dataclasses import replace
from typing import Any, Callable, Deque, List, Optional, Protocol, Tuple

from inktop_tools.errors import InktopError
from inktop_tools.virtual import host
from inktop_tools.virtual.library import library

_CHUNK_BYTES = 16384
_LINE_BYTES = 1024
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


class Connection:
    """One connection at a time, never blocking; also looks names up, in a thread of its own."""

    def __init__(self) -> None:
        self._socket: Optional[socket.socket] = None
        self._connecting = False
        self._where = ""
        self._found: Deque[Tuple[int, Optional[str]]] = deque()
        self._lookups = 0
        #: Why there is no connection, in words; empty before anything went wrong.
        self.trouble = ""

    def resolve(self, name: str, port: int) -> None:
        """Begins to look a name up; `poll` reports."""
        self._lookups += 1
        number = self._lookups

        def look_up() -> None:
            try:
                found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
                # IPv4 first: that is what the board on the wall speaks.
                found.sort(key=lambda entry: entry[0] != socket.AF_INET)
                self._found.append((number, str(found[0][4][0])))
            except OSError:
                self.trouble = f"no address is known for {name}"
                self._found.append((number, None))

        threading.Thread(target=look_up, daemon=True).start()

    def connect(self, address: str, port: int) -> bool:
        """Begins to connect to a numeric address; False when that failed at once."""
        self.close()
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.setblocking(False)
        try:
            result = self._socket.connect_ex((address, port))
        except OSError:  # what is no address
            result = errno.EINVAL
        self._connecting = result in (errno.EINPROGRESS, errno.EWOULDBLOCK, 0)
        self._where = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        if not self._connecting:
            self.trouble = f"cannot reach {self._where}: {os.strerror(result)}"
            self.close()
        return self._connecting

    def send(self, data: bytes) -> bool:
        """All or nothing."""
        if self._socket is None or self._connecting:
            return False
        try:
            return self._socket.send(data) == len(data)
        except OSError:
            return False

    def close(self) -> None:
        """Ends the connection, if there is one."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        self._connecting = False

    def abandon(self, why: str) -> None:
        """Ends the connection or the attempt, because the link wants so; `why` is a name of CloseReason."""
        if self._connecting:
            self.trouble = f"{self._where} does not answer"
        elif self._socket is not None:
            self.trouble = f"gave {self._where} up: {why.replace('_', ' ')}"
        self.close()

    def poll(self, timeout_s: float) -> List[Tuple[str, Any]]:
        """What happened, each with its value: "resolved" an address or None, "bytes" the data, "connected",
        "failed" and "ended" None."""
        happened: List[Tuple[str, Any]] = []
        while self._found:
            number, address = self._found.popleft()
            if number == self._lookups:
                happened.append(("resolved", address))
        if self._socket is None:
            if not happened:
                time.sleep(timeout_s)
            return happened
        waiting = [] if self._connecting else [self._socket]
        writing = [self._socket] if self._connecting else []
        readable, writable, _ = select.select(waiting, writing, [], 0 if happened else timeout_s)
        if writable:
            failed = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            self._connecting = False
            if failed:
                self.trouble = f"cannot reach {self._where}: {os.strerror(failed)}"
                self.close()
            happened.append(("failed" if failed else "connected", None))
        if readable:
            try:
                data = self._socket.recv(_CHUNK_BYTES)
            except BlockingIOError:
                return happened
            except OSError:
                data = b""
            if not data:
                self.trouble = f"{self._where} ended the connection"
            happened.append(("bytes", data) if data else ("ended", None))
        return happened


class VirtualBoard:
    """A board that connects to a server and shows what it sends."""

    def __init__(
        self,
        servers: str,
        settings: host.BoardSettings,
        clock: Clock,
        key: Optional[str] = None,
        on_refresh: Optional[Callable[[host.Refresh], None]] = None,
        on_begin: Optional[Callable[[host.Refresh], None]] = None,
    ) -> None:
        """`on_begin` is told of a refresh when it begins, `on_refresh` when its time is over.

        Raises InktopError.
        """
        self._servers = servers
        self._settings = settings
        self._key = key
        self._start()
        self._clock = clock
        self._connection = Connection()
        self._on_refresh = on_refresh
        self._on_begin = on_begin
        self._open = False
        self._refreshing: Optional[Tuple[int, host.Refresh]] = None
        #: When each of the last refreshes began, and what it was; the newest is the first.
        self.refreshes: Deque[Tuple[int, host.Refresh]] = deque(maxlen=12)
        #: When the newest line arrived; None before the first.
        self.line_ms: Optional[int] = None
        #: What the server sent last, without its newline.
        self.last_line = ""
        self._tail = b""

    def _start(self) -> None:
        self.app = host.App(self._settings)
        seed = int.from_bytes(os.urandom(4), "little") | 1
        self.link = host.Link(self._servers, self._settings, self.app, self._key, seed)

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
            self._connection.close()
            self._open = False
            self._tail = b""
            self._refreshing = None
            self._start()

    @property
    def size(self) -> Tuple[int, int]:
        """Width and height, pixels."""
        return self.app.width, self.app.height

    @property
    def trouble(self) -> str:
        """Why there is no connection, in words; empty while there is one."""
        return "" if self._open else self._connection.trouble

    def age_ms(self) -> Optional[int]:
        """How old the newest line is; None before the first."""
        return None if self.line_ms is None else self._clock.now_ms() - self.line_ms

    def step(self) -> None:
        """One turn: waits for the network a little, then lets link and app do what is due."""
        now_ms = self._clock.advance()
        self._ask_link(now_ms)
        wait_s = self._clock.real_s(TICK_MS)
        if self._refreshing is not None:
            started_ms, refresh = self._refreshing
            left_ms = started_ms + refresh.duration_ms - now_ms
            wait_s = min(wait_s, max(0.0, self._clock.real_s(left_ms)))
        happened = self._connection.poll(wait_s)
        now_ms = self._clock.advance()
        for kind, value in happened:
            self._tell_link(kind, value, now_ms)
        if happened:
            self._ask_link(now_ms)
        self._run_app(now_ms)

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()

    def _ask_link(self, now_ms: int) -> None:
        while True:
            action = self.link.next(now_ms)
            if action.kind == "none":
                return
            if action.kind == "resolve":
                self._connection.resolve(action.host, action.port)
            elif action.kind == "connect":
                if not self._connection.connect(action.address, action.port):
                    self.link.connect_failed(now_ms)
            elif action.kind == "close":
                self._connection.abandon(library().close_reasons[action.why])
                self.link.closed(action.why, now_ms)
                self._open = False
                self._tail = b""
            elif action.kind == "send" and not self._connection.send(action.data):
                self.link.send_failed(now_ms)

    def _tell_link(self, kind: str, value: Any, now_ms: int) -> None:
        if kind == "resolved":
            self.link.resolved(value, now_ms)
        elif kind == "connected":
            self.link.connected(now_ms)
            self._open = True
        elif kind == "failed":
            self.link.connect_failed(now_ms)
        elif kind == "ended":
            self._connection.close()
            self.link.closed_by_peer(now_ms)
        elif kind == "bytes":
            self.link.received(value, now_ms)
            *lines, tail = (self._tail + value).split(b"\n")
            self._tail = tail[-_LINE_BYTES:]
            if lines:
                self.line_ms = now_ms
                self.last_line = lines[-1].decode("ascii", "replace")

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
        health = self.app.outbox(now_ms)
        if health and not self._connection.send(self.link.seal(health)):
            self.link.send_failed(now_ms)
        refresh = self.app.refresh(now_ms)
        if refresh.kind == "nothing":
            return
        if self._on_begin is not None:
            self._on_begin(refresh)
        self._refreshing = (now_ms, refresh)
