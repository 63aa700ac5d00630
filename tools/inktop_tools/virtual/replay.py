"""A server that plays recorded lines: each data line is one second of the clock that it is given."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Callable, FrozenSet, List, Optional

from inktop_protocol import Event, LineError, Snapshot, decode

from inktop_tools.errors import InktopError
from inktop_tools.virtual.virtual_board import Clock

_INFO = b"info="
_SECOND_MS = 1000
#: What the last line says is on the panel by then, the wash that an alarm brings included.
_SHOWN_AFTER_MS = 5_000
#: Events as people say them; others are told by their words.
_IN_WORDS = {
    ("mem", "oom"): "out of memory, a process was killed",
    ("sys", "boot"): "the server started",
}


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
    try:
        decode(line)
    except LineError:
        return False
    return True


def takes_a_second(line: bytes) -> bool:
    """A data line takes a second, as do an empty and a broken one; info and settings come between them."""
    return not line.startswith((_INFO, b"settings="))


class Story:
    """Says what happens in a recording: events that begin, seconds without a line, lines that are damaged."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._events: FrozenSet[Event] = frozenset()
        self._trouble = ""

    def line(self, line: bytes) -> None:
        """That line is sent now; none when it is empty."""
        try:
            decoded = decode(line) if line else None
        except LineError as error:
            self._in_trouble(f"a line is damaged ({error.kind})")
            return
        self._in_trouble("" if line else "no line")
        if isinstance(decoded, Snapshot):
            for event in decoded.events:
                if event not in self._events:
                    self._say(f"recording: {event_in_words(event)}, {event.time}")
            self._events = frozenset(decoded.events)

    def _in_trouble(self, trouble: str) -> None:
        if trouble and trouble != self._trouble:
            self._say(f"recording: {trouble}")
        self._trouble = trouble


def event_in_words(event: Event) -> str:
    """``GPU 1 lost`` for ``gpu1:lost``."""
    if event.subject.startswith("gpu"):
        return f"GPU {event.subject[3:]} {event.what}"
    return _IN_WORDS.get((event.subject, event.what), f"{event.subject} {event.what}")


class ReplayServer:
    """Serves a recording over TCP on the loopback, once or again and again; `step` does all the work."""

    def __init__(
        self,
        lines: List[bytes],
        clock: Clock,
        port: int = 0,
        loop: bool = True,
        say: Optional[Callable[[str], None]] = None,
    ) -> None:
        """Port 0 takes a free one; `say` is told what happens. Raises InktopError when the port is taken."""
        self._lines = lines
        self._clock = clock
        self._loop = loop
        self._story = Story(say) if say is not None else None
        self._ended_ms: Optional[int] = None
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
        while self._client is not None and now_ms >= self._due_ms and self._ended_ms is None:
            self._play()
        if self._client is not None:
            try:
                if not self._client.recv(4096):
                    self._drop()
            except BlockingIOError:
                pass
            except OSError:
                self._drop()

    def finished(self) -> bool:
        """Whether all of it was played, and the board has had the time to show it."""
        return self._ended_ms is not None and self._clock.now_ms() >= self._ended_ms + _SHOWN_AFTER_MS

    def close(self) -> None:
        """Ends the connection and the port."""
        self._drop()
        self._listener.close()

    def _greet(self) -> None:
        """The server speaks first: the newest info line so far in the recording."""
        for line in reversed(self._lines[: self._next + 1] or self._lines[:1]):
            if line.startswith(_INFO):
                self._send(line)
                return
        first = next((line for line in self._lines if line.startswith(_INFO)), None)
        self._send(first if first is not None else _bare_info())

    def _play(self) -> None:
        line = self._lines[self._next]
        if self._story is not None:
            self._story.line(line)
        self._send(line)
        if takes_a_second(line):
            self._due_ms += _SECOND_MS
        self._next += 1
        if self._next == len(self._lines):
            self._next = 0
            self.rounds += 1
            if not self._loop:
                self._ended_ms = self._due_ms

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
