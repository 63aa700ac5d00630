"""One server of a virtual board: the core's link to it, on a socket that never blocks."""

from __future__ import annotations

import errno
import os
import select
import socket
import threading
import time
from collections import deque
from typing import Any, Deque, List, Optional, Sequence, Tuple

from inktop_tools.virtual import host
from inktop_tools.virtual.library import library

#: As many as the core has places for.
MOST_SERVERS = 8
_CHUNK_BYTES = 16384
_LINE_BYTES = 1024


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

    def waits_for(self) -> Tuple[List[socket.socket], List[socket.socket]]:
        """The sockets to be waited for: to read and to write."""
        if self._socket is None:
            return [], []
        return ([], [self._socket]) if self._connecting else ([self._socket], [])

    @property
    def has_news(self) -> bool:
        """A look-up has ended."""
        return bool(self._found)


def wait(connections: Sequence[Connection], timeout_s: float) -> None:
    """Waits until something has happened on one of them, or for that long."""
    if any(connection.has_news for connection in connections):
        return
    readable = [one for connection in connections for one in connection.waits_for()[0]]
    writable = [one for connection in connections for one in connection.waits_for()[1]]
    if readable or writable:
        select.select(readable, writable, [], timeout_s)
    else:
        time.sleep(timeout_s)


class Wire:
    """The link to one server and its connection, driven as the firmware drives them."""

    def __init__(
        self, server: str, settings: host.BoardSettings, app: host.App, key: Optional[str], place: int
    ) -> None:
        """Raises InktopError."""
        seed = int.from_bytes(os.urandom(4), "little") | 1
        self.link = host.Link(server, settings, app, key, seed, place)
        self.connection = Connection()
        #: When its newest line arrived; None before the first.
        self.line_ms: Optional[int] = None
        self._open = False
        self._tail = b""

    @property
    def state(self) -> str:
        """What the link does, in a word or two."""
        link = self.link
        return "not proven" if link.unproven else "refused" if link.denied else link.phase.replace("_", " ")

    @property
    def trouble(self) -> str:
        """Why there is no connection, in words; empty while there is one."""
        return "" if self._open else self.connection.trouble

    def send(self, line: bytes, now_ms: int) -> None:
        """Sends a line, sealed where a key is set."""
        if not self.connection.send(self.link.seal(line)):
            self.link.send_failed(now_ms)

    def turn(self, now_ms: int) -> Optional[str]:
        """Tells the link what has happened and does what it then wants; the newest whole line, if any."""
        newest: Optional[str] = None
        happened = self.connection.poll(0)
        for kind, value in happened:
            newest = self._tell(kind, value, now_ms) or newest
        if newest is not None:
            self.line_ms = now_ms
        if happened:
            self.ask(now_ms)
        return newest

    def ask(self, now_ms: int) -> None:
        """Does what the link wants now."""
        while True:
            action = self.link.next(now_ms)
            if action.kind == "none":
                return
            if action.kind == "resolve":
                self.connection.resolve(action.host, action.port)
            elif action.kind == "connect":
                if not self.connection.connect(action.address, action.port):
                    self.link.connect_failed(now_ms)
            elif action.kind == "close":
                self.connection.abandon(library().close_reasons[action.why])
                self.link.closed(action.why, now_ms)
                self._open = False
                self._tail = b""
            elif action.kind == "send" and not self.connection.send(action.data):
                self.link.send_failed(now_ms)

    def _tell(self, kind: str, value: Any, now_ms: int) -> Optional[str]:
        if kind == "resolved":
            self.link.resolved(value, now_ms)
        elif kind == "connected":
            self.link.connected(now_ms)
            self._open = True
        elif kind == "failed":
            self.link.connect_failed(now_ms)
        elif kind == "ended":
            self.connection.close()
            self.link.closed_by_peer(now_ms)
        elif kind == "bytes":
            self.link.received(value, now_ms)
            *lines, tail = (self._tail + value).split(b"\n")
            self._tail = tail[-_LINE_BYTES:]
            if lines:
                newest: str = lines[-1].decode("ascii", "replace")
                return newest
        return None
