"""The virtual board against a server that behaves, cuts, stalls, talks nonsense, refuses or is not there.

Time is simulated: a second passes in a few milliseconds, and never more than 100 ms at once.
"""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Optional

import pytest
from inktop_protocol import (
    Hello,
    InfoLine,
    KeyedStream,
    SettingsLine,
    Snapshot,
    close_line,
    decode,
    encode_info,
    verify_hello,
)
from inktop_tools.errors import InktopError
from inktop_tools.virtual import host
from inktop_tools.virtual.demo import named
from inktop_tools.virtual.replay import ReplayServer, read_lines
from inktop_tools.virtual.virtual_board import SimulatedClock, VirtualBoard

ROOT = Path(__file__).resolve().parents[3]
LINES = [
    line + b"\n"
    for line in (ROOT / "protocol/samples/small.lines").read_bytes().split(b"\n")
    if line.startswith(b"h=")
]
INFO = encode_info(InfoLine(collector="0.1.0"))
SETTINGS = host.BoardSettings(width=960, height=544, id="desk", health_interval_ms=5000)
KEY = "a key of sixteen characters or so"


class FakeServer:
    """Does what the test says, when it says so; keeps what boards send."""

    def __init__(self, port: int = 0) -> None:
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", port))
        self.listener.listen()
        self.listener.setblocking(False)
        self.port: int = self.listener.getsockname()[1]
        self.client: Optional[socket.socket] = None
        self.connections = 0
        self.heard = b""
        self.lines = iter(LINES)
        #: Called for each new connection.
        self.greet: Callable[[], None] = lambda: self.send(INFO)
        #: A data line each second, while set.
        self.lively = True
        self.due_ms = 0

    def step(self, now_ms: int) -> None:
        try:
            accepted, _ = self.listener.accept()
        except BlockingIOError:
            pass
        else:
            if self.client is not None:
                self.client.close()
            accepted.setblocking(False)
            self.client = accepted
            self.connections += 1
            self.due_ms = now_ms + 500
            self.greet()
        if self.client is None:
            return
        try:
            data = self.client.recv(4096)
        except BlockingIOError:
            data = b"-"
        except OSError:
            data = b""
        if not data:
            self.cut()
            return
        self.heard += data if data != b"-" else b""
        if self.lively and now_ms >= self.due_ms:
            self.due_ms += 1000
            self.send(next(self.lines))

    def send(self, data: bytes) -> None:
        if self.client is not None:
            self.client.send(data)

    def cut(self) -> None:
        if self.client is not None:
            self.client.close()
            self.client = None

    def close(self) -> None:
        self.cut()
        self.listener.close()


def uptime_s(line: bytes) -> int:
    data = decode(line)
    assert isinstance(data, Snapshot)
    assert data.uptime_s is not None
    return data.uptime_s


class Rig:
    """A server and a board in one loop."""

    def __init__(self) -> None:
        self.clock = SimulatedClock(speed=40, step_ms=100)
        self.server = FakeServer()
        self.refreshes: List[host.Refresh] = []
        self.board: VirtualBoard

    def connect(self, servers: str = "", key: Optional[str] = None) -> None:
        self.board = VirtualBoard(
            servers or f"127.0.0.1:{self.server.port}",
            SETTINGS,
            self.clock,
            key,
            self.refreshes.append,
        )

    def run(self, duration_ms: int) -> None:
        end_ms = self.clock.now_ms() + duration_ms
        while self.clock.now_ms() < end_ms:
            self.turn()

    def until(self, condition: Callable[[], bool], within_ms: int) -> int:
        """How long it took; fails when it takes longer."""
        start_ms = self.clock.now_ms()
        while not condition():
            assert self.clock.now_ms() - start_ms < within_ms, self.state()
            self.turn()
        return self.clock.now_ms() - start_ms

    def turn(self) -> None:
        self.server.step(self.clock.now_ms())
        self.board.step()

    def state(self) -> str:
        return f"{self.board.link.phase} {self.board.app.state()}"

    @property
    def screen(self) -> str:
        return str(self.board.app.state()["screen"])

    @property
    def newest_s(self) -> int:
        return int(self.board.app.state()["newest_s"])

    @property
    def freshness(self) -> str:
        return str(self.board.app.state()["freshness"])

    def shows_its_frame(self) -> bool:
        return self.board.app.panel_bits() == self.board.app.frame_bits()


@pytest.fixture
def rig() -> Iterator[Rig]:
    made = Rig()
    yield made
    made.board.close()
    made.server.close()


def test_lines_become_a_picture_on_the_panel(rig: Rig) -> None:
    rig.connect()
    rig.until(lambda: rig.screen == "live" and len(rig.refreshes) >= 2, 15_000)
    assert rig.board.link.phase == "connected"
    assert rig.refreshes[0].kind == "clear_and_wash"
    assert rig.refreshes[0].why == "first_frame"
    assert rig.shows_its_frame()
    assert rig.board.last_line.startswith("h=")
    hello = decode(rig.server.heard.split(b"\n")[0])
    assert isinstance(hello, Hello)
    assert (hello.board, hello.panel) == ("desk", "960x544")


def test_no_line_is_lost_while_the_first_wash_keeps_the_panel_busy(rig: Rig) -> None:
    rig.connect()
    rig.until(lambda: len(rig.refreshes) == 1, 15_000)
    assert rig.refreshes[0].duration_ms == 2970
    sent = len(LINES) - len(list(rig.server.lines))
    assert sent >= 2, "lines came while the panel was busy"
    rig.server.lively = False
    rig.run(300)
    assert rig.newest_s == uptime_s(LINES[sent - 1])


def test_a_connection_that_is_cut_in_mid_line_is_made_again_and_only_that_line_is_lost(rig: Rig) -> None:
    rig.connect()
    rig.until(lambda: rig.screen == "live", 10_000)
    rig.server.lively = False
    rig.run(200)
    rig.server.send(LINES[5][:50])
    rig.run(200)
    rig.server.cut()
    took_ms = rig.until(lambda: rig.server.connections == 2, 6_000)
    assert took_ms < 3_000
    # The rest of the line must not complete the half of the connection before.
    rig.server.send(LINES[5][50:])
    rig.server.lively = True
    rig.until(lambda: rig.board.link.phase == "connected" and rig.freshness == "fresh", 8_000)
    bad = rig.board.app.state()["bad_lines"]
    assert bad["cut"] == 1
    assert sum(bad.values()) == 2, bad


def test_a_server_that_falls_silent_makes_the_data_old_then_lost_and_is_left_after_12_s(rig: Rig) -> None:
    rig.connect()
    rig.until(lambda: rig.screen == "live", 10_000)
    rig.server.lively = False
    rig.server.greet = lambda: None
    rig.until(lambda: rig.freshness == "old", 6_000)
    assert rig.server.connections == 1
    took_ms = rig.until(lambda: rig.server.connections == 2, 16_000)
    assert took_ms > 7_000, "12 s of patience, 3 s of them are over"
    rig.until(lambda: rig.freshness == "lost", 4_000)
    assert rig.screen == "live", "the last dashboard stays, marked"
    rig.server.greet = lambda: rig.server.send(INFO)
    rig.server.lively = True
    rig.until(lambda: rig.freshness == "fresh", 16_000)


def test_garbage_and_half_lines_are_counted_and_the_next_line_is_whole(rig: Rig) -> None:
    rig.connect()
    rig.until(lambda: rig.screen == "live", 10_000)
    rig.server.lively = False
    rig.run(200)
    rig.server.send(b"\xff\xfe\x00garbage\nh=broken|c=1*0000\n" + b"z" * 5000 + b"\n" + LINES[9][:30] + b"\n")
    rig.server.send(LINES[9])
    rig.until(lambda: rig.newest_s == uptime_s(LINES[9]), 5_000)
    assert rig.board.last_line.encode() == LINES[9].rstrip()
    bad = rig.board.app.state()["bad_lines"]
    assert bad["overlong"] == 1
    assert bad["charset"] == 1
    assert bad["checksum"] == 2
    assert rig.board.link.phase == "connected", "nonsense is no reason to leave"


def test_without_a_server_it_searches_and_finds_one_that_appears(rig: Rig) -> None:
    port = rig.server.port
    rig.server.close()
    rig.connect(f"127.0.0.1:{port}")
    end_ms = rig.clock.now_ms() + 15_000
    while rig.clock.now_ms() < end_ms:
        rig.board.step()
    assert rig.screen == "searching"
    assert rig.shows_its_frame()
    rig.server = FakeServer(port)
    took_ms = rig.until(lambda: rig.board.link.phase == "connected", 10_000)
    assert took_ms <= 7_000, "4 s of pause at most, then a connection"


def test_the_second_server_of_the_list_is_tried_when_the_first_refuses(rig: Rig) -> None:
    refusing = FakeServer()
    port = refusing.port
    refusing.close()
    rig.connect(f"127.0.0.1:{port} 127.0.0.1:{rig.server.port}")
    rig.until(lambda: rig.board.link.phase == "connected", 5_000)


def test_a_name_is_looked_up(rig: Rig) -> None:
    rig.connect(f"localhost:{rig.server.port}")
    rig.until(lambda: rig.board.link.phase == "connected", 20_000)


def test_with_a_key_the_hello_is_signed_for_this_connection(rig: Rig) -> None:
    nonce = "00112233445566778899aabbccddeeff"
    rig.server.greet = lambda: rig.server.send(encode_info(InfoLine(collector="0.1.0", nonce=nonce)))
    rig.connect(key=KEY)
    rig.until(lambda: b"\n" in rig.server.heard, 5_000)
    hello = rig.server.heard.split(b"\n")[0]
    assert verify_hello(hello, KEY, nonce)
    assert not verify_hello(hello, KEY, nonce[::-1])
    assert not verify_hello(hello, "another key of many characters", nonce)


def test_a_server_that_ends_the_connection_after_each_hello_is_said_to_refuse(rig: Rig) -> None:
    rig.server.lively = False
    rig.connect()

    def refuse() -> None:
        rig.turn()
        if b"\n" in rig.server.heard:
            rig.server.heard = b""
            rig.server.cut()

    while rig.clock.now_ms() < 15_000:
        refuse()
    assert rig.board.link.denied
    assert rig.screen == "denied"


def test_the_board_says_how_it_is(rig: Rig) -> None:
    rig.connect()
    rig.until(lambda: rig.server.heard.count(b"health=1|id=desk") >= 2, 20_000)


def test_the_board_takes_what_its_server_holds_for_it_and_answers(rig: Rig) -> None:
    rig.connect()
    rig.until(lambda: rig.screen == "live", 15_000)
    held = "settings=1|set=wash:3,colour:red,full_memory:50"
    rig.server.send(close_line(held))
    rig.until(lambda: b"settings=1|id=desk|" in rig.server.heard, 5_000)
    answer = decode(next(line for line in rig.server.heard.split(b"\n") if line.startswith(b"settings=")))
    assert isinstance(answer, SettingsLine)
    assert {item.name: item.value for item in answer.values}["wash"] == "3"
    assert answer.origins is not None
    assert answer.origins[0] == "s"
    assert [(one.name, one.why) for one in answer.refusals] == [("colour", "unknown")]
    washes = int(rig.board.app.state()["washes"])
    rig.until(lambda: int(rig.board.app.state()["washes"]) > washes + 2, 120_000)


def test_a_board_with_a_key_takes_only_what_its_server_has_sealed(rig: Rig) -> None:
    key, nonce = "correct horse battery staple", "000102030405060708090a0b0c0d0e0f"
    rig.server.lively = False
    rig.server.greet = lambda: rig.server.send(close_line(f"info=1|nonce={nonce}"))
    rig.connect(key=key)
    rig.until(lambda: b"|mac=" in rig.server.heard, 5_000)
    hello = decode(rig.server.heard.split(b"\n")[0])
    assert isinstance(hello, Hello)
    stream = KeyedStream(key, nonce, hello.nonce or "")
    rig.server.send(stream.seal(close_line("h=t7910|u=5")))
    rig.until(lambda: rig.screen == "live", 15_000)
    rig.server.send(stream.seal(close_line("settings=1|set=wash:3")))
    rig.until(lambda: b"set=wash:3," in rig.server.heard, 5_000)
    sent = [line for line in rig.server.heard.split(b"\n")[1:] if line]
    assert all(stream.opens(line) for line in sent), "what the board sends is sealed, too"
    rig.server.send(close_line("settings=1|set=wash:9"))
    rig.until(lambda: rig.board.link.unproven, 5_000)
    assert b"set=wash:9," not in rig.server.heard


def test_a_refresh_that_fails_is_repaired_by_a_clear_and_a_wash(rig: Rig) -> None:
    rig.connect()
    rig.until(lambda: len(rig.refreshes) >= 2, 15_000)
    rig.board.app.fail(0, "lines", 2)
    rig.until(lambda: any(refresh.errors for refresh in rig.refreshes), 15_000)
    assert not rig.shows_its_frame(), "the panel took half a refresh"
    rig.until(lambda: rig.refreshes[-1].why == "after_fault", 20_000)
    assert rig.refreshes[-1].kind == "clear_and_wash"
    rig.server.lively = False
    rig.run(3_000)
    assert rig.shows_its_frame()


@pytest.mark.parametrize("server", ["bad!host", "host:0", "host:99999", "[::1", "a b c d e f g h i"])
def test_a_server_that_cannot_be_one_is_refused_with_what_is_right(server: str) -> None:
    with pytest.raises(InktopError, match="HOST:PORT"):
        host.Link(server, SETTINGS, host.App(SETTINGS))


@pytest.mark.parametrize(("width", "height"), [(0, 0), (1921, 1080), (1920, 3000), (-8, 8), (80000, 80)])
def test_a_panel_that_cannot_be_is_refused_with_what_can_be(width: int, height: int) -> None:
    with pytest.raises(InktopError, match="multiple of 8"):
        host.App(host.BoardSettings(width=width, height=height))


def test_two_servers_are_both_shown_and_one_that_ends_is_marked() -> None:
    lines = read_lines(ROOT / "protocol" / "samples" / "small.lines")
    clock = SimulatedClock(20, 250)
    servers = [ReplayServer(named(lines, name), clock, 0, loop=True, say=lambda _: None) for name in "ab"]
    board = VirtualBoard([f"127.0.0.1:{server.port}" for server in servers], host.BoardSettings(), clock)
    try:

        def run(until: Callable[[], bool]) -> bool:
            end_s = time.monotonic() + 60
            while not until() and time.monotonic() < end_s:
                for server in servers:
                    server.step()
                board.step()
            return until()

        def there() -> Dict[str, bool]:
            return {each["name"]: each["there"] for each in board.app.state()["servers"]}

        assert run(lambda: there() == {"a": True, "b": True})
        servers.pop().close()
        assert run(lambda: there() == {"a": True, "b": False})
        assert board.app.state()["freshness"] == "fresh"
    finally:
        board.close()
        for server in servers:
            server.close()


def test_more_servers_than_a_board_has_places_for_are_refused() -> None:
    with pytest.raises(InktopError, match="8 servers at most"):
        VirtualBoard(["127.0.0.1"] * 9, host.BoardSettings(), SimulatedClock())
