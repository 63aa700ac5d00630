"""A server that plays recorded lines: each data line is one second of the clock that it is given."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import List, Optional

from inktop_tools.errors import InktopError
from inktop_tools.virtual.virtual_board import Clock

_SECOND_MS = 1000


def read_lines(path: Path) -> List[bytes]:
    """The lines of a recording, each with its newline. Raises InktopError when none of them is whole.

    An empty line is a second in which nothing was sent: it is b"" here.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InktopError(
            f"cannot read {path}: {error.strerror}. Name a file of lines, such as those in protocol/samples."
        ) from error
    lines = [line + b"\n" if line.strip() else b"" for line in data.rstrip().split(b"\n")]
    if not any(lines):
        raise InktopError(f"{path} holds no line. Name a file of lines, such as those in protocol/samples.")
    if not any(map(_readable, lines)):
        raise InktopError(
            f"no line of {path} can be read: `inktop decode < {path}` tells why. "
            "Name a file of lines, such as those in protocol/samples."
        )
    return lines


def _readable(line: bytes) -> bool:
    from inktop_protocol import LineError, decode

    try:
        decode(line)
    except LineError:
        return False
    return True


def takes_a_second(line: bytes) -> bool:
    """A data line stands for a second, and so do silence and what is broken; info lines come between them."""
    return not line.startswith(b"info=")


class ReplayServer:
    """Serves a recording over TCP on the loopback, again and again; `step` does all the work."""

    def __init__(self, lines: List[bytes], clock: Clock, port: int = 0) -> None:
        """Port 0 takes a free one. Raises InktopError when the port is taken."""
        self._lines = lines
        self._clock = clock
        self._next = 0
        self._due_ms = clock.now_ms()
        self._client: Optional[socket.socket] = None
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._listener.bind(("127.0.0.1", port))
        except OSError as error:
            self._listener.close()
            raise InktopError(
                f"cannot serve on 127.0.0.1:{port}: {error.strerror}. Choose another --port."
            ) from error
        self._listener.listen(4)
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        #: How many times the recording has been played to its end.
        self.rounds = 0

    def step(self) -> None:
        """Accepts, sends what is due, reads and forgets what the board says."""
        now_ms = self._clock.now_ms()
        try:
            client, _ = self._listener.accept()
        except BlockingIOError:
            pass
        else:
            if self._client is not None:
                self._client.close()
            client.setblocking(False)
            self._client = client
            self._due_ms = now_ms
            self._greet()
        while self._client is not None and now_ms >= self._due_ms:
            self._play()
        if self._client is not None:
            try:
                if not self._client.recv(4096):
                    self._drop()
            except BlockingIOError:
                pass
            except OSError:
                self._drop()

    def close(self) -> None:
        """Ends the connection and the port."""
        self._drop()
        self._listener.close()

    def _greet(self) -> None:
        """The server speaks first: the newest info line before the place where the recording stands."""
        for line in reversed(self._lines[: self._next + 1] or self._lines[:1]):
            if not takes_a_second(line):
                self._send(line)
                return
        first = next((line for line in self._lines if not takes_a_second(line)), None)
        self._send(first if first is not None else _bare_info())

    def _play(self) -> None:
        line = self._lines[self._next]
        self._send(line)
        if takes_a_second(line):
            self._due_ms += _SECOND_MS
        self._next += 1
        if self._next == len(self._lines):
            self._next = 0
            self.rounds += 1

    def _send(self, line: bytes) -> None:
        if self._client is None or not line:
            return
        try:
            if self._client.send(line) != len(line):
                self._drop()
        except OSError:
            self._drop()

    def _drop(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None


def _bare_info() -> bytes:
    from inktop_protocol import InfoLine, encode_info

    return encode_info(InfoLine(collector="replay"))
