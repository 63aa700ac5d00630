"""One connection: what a client sends is bounded, what it does not take is dropped oldest first.

Nothing that a client does reaches beyond its own connection. ``EndError`` says that it is over, and why.
"""

from __future__ import annotations

import socket
from collections import deque
from typing import Deque, Optional, Tuple

from inktop_protocol.auth import KeyedStream, new_nonce, verify_hello
from inktop_protocol.decode import LineError, decode
from inktop_protocol.encode import encode_settings
from inktop_protocol.framer import Framer
from inktop_protocol.model import (
    MAX_HELLO_BYTES,
    MAX_LINE_BYTES,
    Ack,
    Event,
    Health,
    Hello,
    OtherVersion,
    SettingsLine,
)

from ..address import origin, plain
from ..board_settings import REFUSALS, BoardSettings, settings_line
from ..log import LogLimit

#: Lines kept for a board that does not take them now.
MAX_QUEUE = 120
HELLO_WITHIN_S = 5.0
#: What a client may send: bytes a second, and as many at once.
MAX_INPUT_BYTES_S = 4096
#: The kernel's own buffer for a connection: some 60 lines more, instead of megabytes of old ones.
SEND_BUFFER_BYTES = 16384
#: Two minutes, as the queue: a board may be that busy. A dead one that reconnects takes
#: its old place at once.
USER_TIMEOUT_MS = 120_000
KEEPALIVE_IDLE_S, KEEPALIVE_EVERY_S, KEEPALIVE_COUNT = 10, 5, 3


class EndError(Exception):
    """The connection is over; the text says why."""


class Connection:
    """One client, a board once it has said hello."""

    def __init__(
        self, connection: socket.socket, where: Tuple[str, int], key: str, log: LogLimit, now: float
    ) -> None:
        set_options(connection)
        self.socket = connection
        self.fd = connection.fileno()
        host = plain(where[0])
        #: The host of the client as far as one person has it: of IPv6, the network of its address.
        self.origin = origin(host)
        #: Address and port of the client.
        self.peer = f"[{host}]:{where[1]}" if ":" in host else f"{host}:{where[1]}"
        #: The address on which it reached this server.
        self.address = plain(connection.getsockname()[0])
        self.nonce = new_nonce() if key else None
        #: With a key, from the hello of a board on that can check it.
        self.stream: Optional[KeyedStream] = None
        self.connected_at = now
        self.hello: Optional[Hello] = None
        self.greeted = False
        self.health: Optional[Health] = None
        self.health_at = 0.0
        #: The board's answer to the newest settings line.
        self.settings: Optional[SettingsLine] = None
        #: What was acknowledged on it, until the loop takes it.
        self.acked: Tuple[Event, ...] = ()
        #: When it last took bytes.
        self.progress_at = now
        self.queue: Deque[bytes] = deque()
        #: The part of a line that was begun and is not sent yet.
        self.rest = b""
        self.dropped = 0
        self.sent = 0
        self.bad = 0
        #: Whether the loop waits for it to take more.
        self.writing = False
        self._key = key
        self._log = log
        self._framer = Framer(MAX_HELLO_BYTES)
        self._allowance = float(MAX_INPUT_BYTES_S)
        self._allowance_at = now

    @property
    def name(self) -> str:
        """The board's id and where it is; before its hello only where."""
        return f"{self.hello.board} ({self.peer})" if self.hello else self.peer

    def replaces(self, other: Connection) -> bool:
        """Whether this is the board of the other connection, connected again from the same host."""
        return (
            self is not other
            and self.hello is not None
            and other.hello is not None
            and self.hello.board == other.hello.board
            and self.peer.rpartition(":")[0] == other.peer.rpartition(":")[0]
        )

    # -- what goes out --

    def put(self, line: bytes) -> None:
        """Queues a line, sealed where there is a key; the oldest one goes when there are too many."""
        self.queue.append(self.stream.seal(line) if self.stream else line)
        while len(self.queue) > MAX_QUEUE:
            self.queue.popleft()
            self.dropped += 1

    def put_settings(self, boards: BoardSettings) -> None:
        """Queues what is held for this board, once it has said who it is."""
        if self.hello is None or (self._key and not self.stream):  # it could not check whose they are
            return
        self.put(encode_settings(settings_line(boards, self.hello.board)))

    def flush(self, now: float) -> bool:
        """Sends what the kernel takes; whether something is left. Raises EndError."""
        while self.rest or self.queue:
            if not self.rest:
                self.rest = self.queue.popleft()
            try:
                count = self.socket.send(self.rest)
            except BlockingIOError:
                return True
            except OSError as problem:
                raise EndError(problem.strerror or str(problem)) from None
            self.progress_at = now
            self.rest = self.rest[count:]
            if not self.rest:
                self.sent += 1
        return False

    # -- what comes in --

    def receive(self, now: float) -> bool:
        """Takes in what the client sent; whether the hello was in it. Raises EndError."""
        try:
            data = self.socket.recv(MAX_INPUT_BYTES_S)
        except BlockingIOError:
            return False
        except OSError as problem:
            raise EndError(problem.strerror or str(problem)) from None
        if not data:
            raise EndError("closed by the board")
        self._spend(len(data), now)
        was_greeted = self.greeted
        while data:
            # What follows the hello in the same segment has the room of any other line.
            end = len(data) if self.greeted else data.find(b"\n") + 1 or len(data)
            self._take_in(data[:end], now)
            data = data[end:]
        return self.greeted and not was_greeted

    def _take_in(self, data: bytes, now: float) -> None:
        for item in self._framer.feed(data):
            if not isinstance(item, str):
                self._take(item, now)
            elif self.greeted:
                self.bad += 1
            else:
                raise EndError(f"a hello has at most {MAX_HELLO_BYTES} bytes")

    def _spend(self, count: int, now: float) -> None:
        gained = (now - self._allowance_at) * MAX_INPUT_BYTES_S
        self._allowance = min(float(MAX_INPUT_BYTES_S), self._allowance + gained) - count
        self._allowance_at = now
        if self._allowance < 0:
            raise EndError(f"sent more than {MAX_INPUT_BYTES_S} bytes a second")

    def _take(self, text: bytes, now: float) -> None:
        try:
            line = decode(text)
        except LineError as problem:
            if not self.greeted:
                raise EndError(f"no hello but a bad line ({problem.kind})") from None
            self.bad += 1
            return
        if isinstance(line, Hello) or (isinstance(line, OtherVersion) and line.kind == "hello"):
            self._greet(text, line if isinstance(line, Hello) else None, now)
        elif not self.greeted:
            raise EndError("spoke before its hello")
        elif self.stream and not self.stream.opens(text):
            raise EndError("a line that its board has not sealed")
        elif isinstance(line, Health):
            self._take_health(line, now)
        elif isinstance(line, SettingsLine):
            self._take_settings(line, now)
        elif isinstance(line, Ack):
            self.acked += line.events

    def _greet(self, text: bytes, hello: Optional[Hello], now: float) -> None:
        """Takes a hello; ``None``: one of a newer protocol."""
        if self.greeted:
            return
        if self._key and not verify_hello(text, self._key, self.nonce or ""):
            raise EndError("wrong key: set the same key on the board and here")
        self.greeted = True
        self.hello = hello
        if self._key and hello is not None and hello.nonce:
            self.stream = KeyedStream(self._key, self.nonce or "", hello.nonce)
        self._framer.limit = MAX_LINE_BYTES
        if hello is None:
            said = f"hello: {self.peer} has a newer protocol: update this collector"
            self._log(said, now, "hellos", self.origin)
            return
        self._log(
            f"hello: {self.name}, firmware {hello.firmware}"
            + (f", panel {hello.panel}" if hello.panel else "")
            + (f", start {hello.boots} ({hello.reset or '?'})" if hello.boots is not None else "")
            + ("; it is too old to check this server" if self._key and not self.stream else ""),
            now,
            "hellos",
            self.origin,
        )

    def _take_health(self, health: Health, now: float) -> None:
        before, self.health, self.health_at = self.health, health, now
        trouble = (health.refresh_errors, health.bad_lines)
        if before is None or (before.refresh_errors, before.bad_lines) != trouble:
            errors, bad = (", ".join(f"{c.kind} {c.count}" for c in counts) or "none" for counts in trouble)
            said = f"health: {self.name}: refresh errors {errors}, dropped lines {bad}"
            self._log(said, now, "health", self.peer)

    def _take_settings(self, answer: SettingsLine, now: float) -> None:
        before, self.settings = self.settings, answer
        if answer.refusals and (before is None or before.refusals != answer.refusals):
            why = ", ".join(f"{one.name} ({REFUSALS.get(one.why, one.why)})" for one in answer.refusals)
            self._log(f"settings: {self.name} did not take {why}", now, "settings", self.peer)


def set_options(connection: socket.socket) -> None:
    """What a connection needs so that it never blocks and a dead board is noticed. May raise OSError."""
    connection.setblocking(False)
    option = connection.setsockopt
    option(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    option(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    option(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_IDLE_S)
    option(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, KEEPALIVE_EVERY_S)
    option(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, KEEPALIVE_COUNT)
    option(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, USER_TIMEOUT_MS)
    option(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
