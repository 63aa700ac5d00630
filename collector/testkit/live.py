"""A server in a thread of the test, and clients that speak to it over the loopback."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path
from typing import Callable, List, Optional

from inktop_collector.server.loop import Server
from inktop_protocol import Hello, InfoLine, KeyedStream, Snapshot, encode_hello, sign_hello
from inktop_protocol.decode import decode

from testkit.recorded import Machine

#: So often a line, to keep tests short.
INTERVAL_S = 0.1


class LiveServer:
    """A collector on the loopback, sampling a machine of recorded files."""

    def __init__(
        self, machine: Machine, interval: float = INTERVAL_S, key: str = "", **settings: object
    ) -> None:
        usual = {"bind": "127.0.0.1", "port": 0, "interval": interval, "key": key, "announce": False}
        config = machine.config(**{**usual, **settings})
        self.log: List[str] = []
        self.server = Server(config, self.log.append)
        self.port = self.server.port
        self._thread = threading.Thread(target=self.server.run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends it and waits for the end."""
        self.server.stop()
        self._thread.join(5)
        assert not self._thread.is_alive()

    def board(self, name: str = "desk", hello: bool = True, key: str = "", receive_bytes: int = 0) -> Client:
        """A board that has connected."""
        client = Client(self.port, receive_bytes)
        if hello:
            client.hello(name, key)
        return client

    def logged(self, part: str) -> List[str]:
        """Log lines that hold that text."""
        return [text for text in self.log if part in text]

    def wait(self, condition: Callable[[], bool], seconds: float = 5.0) -> None:
        """Waits until something is so."""
        wait(condition, seconds)


def wait(condition: Callable[[], bool], seconds: float = 5.0) -> None:
    """Waits until something is so; fails the test if it does not become so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


class Client:
    """One connection to a collector."""

    def __init__(
        self, port: int, receive_bytes: int = 0, address: str = "127.0.0.1", source: str = ""
    ) -> None:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(5)
        if source:
            self.socket.bind((source, 0))
        self.socket.connect((address, port))
        self._rest = b""
        self.stream: Optional[KeyedStream] = None

    def line(self) -> Optional[bytes]:
        """The next line with its newline, ``None`` at the end of the connection."""
        while b"\n" not in self._rest:
            try:
                data = self.socket.recv(65536)
            except ConnectionError:
                return None
            if not data:
                return None
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line + b"\n"

    def info(self) -> InfoLine:
        """The next line, which must be an info line."""
        line = decode(self.line() or b"")
        assert isinstance(line, InfoLine)
        return line

    def snapshot(self) -> Snapshot:
        """The next data line."""
        while True:
            line = decode(self.line() or b"")
            if isinstance(line, Snapshot):
                return line

    def hello(self, name: str = "desk", key: str = "", nonce: str = "", board_nonce: str = "") -> None:
        """Says hello, with a key after the info line was read; with a nonce of its own it can check lines."""
        hello = Hello(name, "0.1.0", "1920x1080", 17, "poweron", board_nonce or None)
        if key:
            nonce = nonce or self.info().nonce or ""
            self.stream = KeyedStream(key, board_nonce, nonce)
            self.socket.sendall(sign_hello(hello, key, nonce))
        else:
            self.socket.sendall(encode_hello(hello))

    def ended(self) -> bool:
        """Reads on until the other side ends the connection; ``False`` if it does not."""
        try:
            while self.line() is not None:
                pass
        except socket.timeout:
            return False
        return True

    def close(self) -> None:
        """Ends it."""
        self.socket.close()


def threads() -> int:
    """Threads of this process."""
    return len(list(Path("/proc/self/task").iterdir()))


def open_files() -> int:
    """Open descriptors of this process."""
    return len(list(Path("/proc/self/fd").iterdir()))


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        return int(asking.getsockname()[1])
