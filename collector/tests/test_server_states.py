"""Whatever clients do, in any order: the server goes on, and a good board has its lines.

The server is stepped by hand on a simulated clock; the sockets are real.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, List, Optional, Tuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule
from inktop_collector.server import listener as listener_module
from inktop_collector.server import loop as loop_module
from inktop_collector.server.connection import MAX_INPUT_BYTES_S, MAX_QUEUE
from inktop_collector.server.loop import Server
from inktop_collector.server.places import MAX_BOARDS, MAX_STRANGERS
from inktop_protocol import (
    Ack,
    Count,
    Event,
    Health,
    Hello,
    InfoLine,
    KeyedStream,
    SettingsLine,
    Snapshot,
    decode,
    encode_ack,
    encode_health,
    encode_hello,
    encode_settings,
    sign_hello,
)
from testkit.recorded import Machine

KEY = "correct horse battery staple"
NAMES = ("desk", "wall", "lab")
LINES = (
    encode_health(Health("desk", uptime_s=7, refresh_errors=(Count("power", 3),))),
    encode_settings(SettingsLine("desk")),
    encode_ack(Ack("desk", (Event("gpu0", "lost", "12:13:14"),))),
)


class Steps:
    """Epoll that does not wait: the clock is the test's."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def poll(self, _: float) -> List[Tuple[int, int]]:
        found: List[Tuple[int, int]] = self._real.poll(0)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class Client:
    """A connection that never waits."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        # Else a second message waits for the acknowledgement of the first.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.got = b""
        self.stream: Optional[KeyedStream] = None
        self.ended = False

    def send(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            self.socket.send(data)

    def read(self) -> List[bytes]:
        """The whole lines that have come since."""
        try:
            while True:
                data = self.socket.recv(65536)
                if not data:
                    self.ended = True
                    break
                self.got += data
        except BlockingIOError:
            pass
        except OSError:
            self.ended = True
        *lines, self.got = self.got.split(b"\n")
        return lines

    def hello(self, name: str, key: str, first: List[bytes]) -> None:
        """Says hello; with a key, in answer to the info line among what was read first."""
        if not key:
            self.send(encode_hello(Hello(name, "0.1.0")))
            return
        for line in first:
            info = decode(line)
            if isinstance(info, InfoLine) and info.nonce:
                own = "0123456789abcdef" * 2
                self.stream = KeyedStream(key, info.nonce, own)
                self.send(sign_hello(Hello(name, "0.1.0", nonce=own), key, info.nonce))


class Clients(RuleBasedStateMachine):
    """Clients of a server without a key."""

    key = ""
    clients = Bundle("clients")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = 1000.0
        self.patch = pytest.MonkeyPatch()
        for module in (loop_module, listener_module):
            self.patch.setattr(module, "time", SimpleNamespace(monotonic=lambda: self.clock))
        machine = Machine(Path(self.folder.name))
        config = machine.config(bind="127.0.0.1", port=0, interval=1.0, announce=False)
        config.key = self.key
        self.log: List[str] = []
        self.server = Server(config, self.log.append)
        self.server._epoll = Steps(self.server._epoll)  # type: ignore[assignment]
        self.all: List[Client] = []
        self.watcher = self.new_client()
        self.turns()
        self.watcher.hello("watcher", self.key, self.watcher.read())
        self.turns()

    def new_client(self) -> Client:
        client = Client(self.server.port)
        self.all.append(client)
        return client

    def turns(self, count: int = 4) -> None:
        for _ in range(count):
            self.server._turn()

    @rule(target=clients)
    def connect(self) -> Client:
        client = self.new_client()
        self.turns()
        return client

    @rule(client=clients, name=st.sampled_from(NAMES), right=st.booleans())
    def hello(self, client: Client, name: str, right: bool) -> None:
        first = client.read()
        client.hello(name, self.key if right else self.key and "another key that is wrong", first)
        self.turns()

    @rule(client=clients, data=st.binary(max_size=300))
    def anything(self, client: Client, data: bytes) -> None:
        client.send(data)
        self.turns()

    @rule(client=clients, line=st.sampled_from(LINES), cut=st.integers(0, 40), sealed=st.booleans())
    def board_line(self, client: Client, line: bytes, cut: int, sealed: bool) -> None:
        if sealed and client.stream is not None:
            line = client.stream.seal(line)
        client.send(line[:-cut] if cut > 20 else line)
        self.turns()

    @rule(client=clients)
    def flood(self, client: Client) -> None:
        client.send(b"x" * (2 * MAX_INPUT_BYTES_S))
        self.turns()
        client.read()
        assert client.ended, "nobody may send that much"

    @rule(client=clients)
    def read(self, client: Client) -> None:
        for line in client.read():
            said = decode(line)
            assert isinstance(said, (Snapshot, InfoLine, SettingsLine))
            if self.key and client.stream is None:
                assert isinstance(said, InfoLine)
                assert said == InfoLine(nonce=said.nonce), "nobody learns anything before the hello"

    @rule(client=consumes(clients), hard=st.booleans())
    def leave(self, client: Client, hard: bool) -> None:
        if hard:
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.socket.close()
        self.turns()

    @rule(seconds=st.sampled_from((0.01, 0.3, 1.0, 5.0, 61.0, 3600.0)))
    def time_passes(self, seconds: float) -> None:
        self.watcher.read()
        self.clock += seconds
        self.turns()
        # A line a second, and the patience with slow sources.
        for _ in range(3):
            self.clock += 1.0
            self.turns()
        lines = [line for line in self.watcher.read() if line.startswith(b"h=")]
        assert lines, "a good board has its lines"
        assert not self.watcher.ended

    @invariant()
    def nothing_grows(self) -> None:
        boards = list(self.server.boards.values())
        assert sum(board.greeted for board in boards) <= MAX_BOARDS
        assert sum(not board.greeted for board in boards) <= MAX_STRANGERS
        for board in boards:
            assert len(board.queue) <= MAX_QUEUE
            assert len(board.acked) == 0
            assert board.fd == board.socket.fileno(), "a connection that has ended is forgotten"

    def teardown(self) -> None:
        for client in self.all:
            client.socket.close()
        self.server.close()
        self.patch.undo()
        self.folder.cleanup()


class KeyedClients(Clients):
    """The same with a key."""

    key = KEY


TestClients = Clients.TestCase
TestKeyedClients = KeyedClients.TestCase
# A step takes milliseconds.
TestClients.settings = TestKeyedClients.settings = settings(
    max_examples=max(20, settings().max_examples // 15), stateful_step_count=30, deadline=None
)
