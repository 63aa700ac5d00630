"""What a key on the collector keeps from whom (protocol, "What the key protects")."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import Iterator, List

import pytest
from inktop_collector import __version__
from inktop_collector.announce import Announcer
from inktop_protocol import Announcement, Health, InfoLine, KeyedStream, Snapshot, decode, encode_health
from testkit.live import Client, LiveServer
from testkit.recorded import Machine

KEY = "correct horse battery staple"
BOARD_NONCE = "f0e0d0c0b0a090807060504030201000"


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LiveServer]:
    machine = Machine(tmp_path)
    files = {"vendor": "0x1002\n", "device": "0x7551\n", "mem_info_vram_total": "34208743424\n"}
    machine.gpu("card0", "0000:03:00.0", files, {"name": "amdgpu\n", "temp1_input": "50000\n"})
    server = LiveServer(machine, key=KEY)
    yield server
    server.stop()


def keyed_board(live: LiveServer, name: str = "desk") -> Client:
    board = live.board(hello=False)
    board.hello(name, KEY, board_nonce=BOARD_NONCE)
    return board


def opened(board: Client) -> bytes:
    """The next line, which must be sealed."""
    line = board.line() or b""
    assert board.stream is not None
    assert board.stream.opens(line), line
    return line


def test_with_a_key_a_stranger_learns_a_nonce_and_nothing_else(live: LiveServer) -> None:
    stranger = live.board(hello=False)
    said = stranger.info()
    assert said == InfoLine(nonce=said.nonce)
    assert said.nonce
    stranger.socket.settimeout(0.3)
    with pytest.raises(socket.timeout):
        stranger.line()


def test_with_a_key_whoever_is_not_allowed_learns_no_version_either(tmp_path: Path) -> None:
    for key, version in ((KEY, None), ("", __version__)):
        live = LiveServer(Machine(tmp_path / (key or "none")), key=key, allow=("10.0.0.0/8",))
        assert Client(live.port).info() == InfoLine(collector=version)
        live.stop()


def test_every_line_after_a_keyed_hello_is_sealed_and_the_first_one_has_the_facts(live: LiveServer) -> None:
    board = keyed_board(live)
    first = decode(opened(board))
    assert isinstance(first, InfoLine)
    assert first.collector == __version__
    assert first.nonce is None
    assert [gpu.pci for gpu in first.gpus] == ["0000:03:00.0"]
    rest = [decode(opened(board)) for _ in range(5)]
    assert isinstance(rest[-1], Snapshot)


def test_each_board_has_a_stream_of_its_own(live: LiveServer) -> None:
    first, second = keyed_board(live, "one"), keyed_board(live, "two")
    line = first.line() or b""
    assert second.stream is not None
    assert not second.stream.opens(line)
    opened(second)


def test_a_line_that_its_board_has_not_sealed_ends_the_connection(live: LiveServer) -> None:
    board = keyed_board(live)
    assert board.stream is not None
    health = encode_health(Health("desk", 5))
    board.socket.sendall(board.stream.seal(health))
    live.wait(lambda: bool(live.logged("health: desk")))
    board.socket.sendall(health)
    assert board.ended()
    live.wait(lambda: bool(live.logged("a line that its board has not sealed")))


def test_a_board_too_old_for_a_nonce_gets_its_lines_unsealed_and_the_log_says_so(live: LiveServer) -> None:
    board = live.board(key=KEY)
    info = board.line() or b""
    assert b"|q=" not in info
    assert isinstance(decode(info), InfoLine)
    assert b"|q=" not in (board.line() or b"")
    live.wait(lambda: bool(live.logged("too old to check this server")))


def test_a_relay_reads_every_line_and_can_change_none(live: LiveServer) -> None:
    """Somebody sits between board and server, passes nonce and hello on, and then alters a line."""
    listening = socket.create_server(("127.0.0.1", 0))
    seen: List[bytes] = []
    server = socket.create_connection(("127.0.0.1", live.port))

    def pump(source: socket.socket, to: socket.socket, alter: bool) -> None:
        with source, to:
            while True:
                try:
                    data = source.recv(65536)
                except OSError:
                    return
                if not data:
                    return
                seen.append(data)
                to.sendall(data.replace(b"|c=", b"|d=") if alter and len(seen) > 6 else data)

    board = Client(listening.getsockname()[1])
    relayed, _ = listening.accept()
    for source, to, alter in ((server, relayed, True), (relayed, server, False)):
        threading.Thread(target=pump, args=(source, to, alter), daemon=True).start()
    board.hello("desk", KEY, board_nonce=BOARD_NONCE)
    assert b"Radeon" in opened(board)
    assert any(b"Radeon" in data for data in seen)
    assert board.stream is not None
    line = board.line() or b""
    while b"|d=" not in line:
        assert board.stream.opens(line)
        line = board.line() or b""
    assert not board.stream.opens(line)
    board.close()
    listening.close()


def test_with_a_key_an_announcement_says_where_and_when_and_each_one_is_later(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as hearing:
        hearing.bind(("127.0.0.1", 0))
        hearing.settimeout(5)
        config = Machine(tmp_path).config(bind="0.0.0.0", key=KEY)
        announcer = Announcer(
            config, 7911, print, lambda: [("192.0.2.17", "127.0.0.1")], hearing.getsockname()[1]
        )
        heard = []
        for _ in range(3):
            announcer.send(0.0, "t7910")
            said = decode(hearing.recv(2048))
            assert isinstance(said, Announcement)
            assert said == Announcement("t7910", "192.0.2.17", 7911, said.time_s, said.mac)
            heard.append(said.time_s or 0)
        announcer.close()
    assert heard[0] < heard[1] < heard[2]


def test_a_key_can_be_tried_against_a_recorded_hello(live: LiveServer) -> None:
    """Why a key has at least 16 characters: nobody notices the one who guesses at home."""
    from inktop_protocol import Hello, sign_hello, verify_hello

    recorded = sign_hello(Hello("desk", "0.1.0"), KEY, "0" * 32)
    guesses = ["password", "correct horse", KEY]
    assert [guess for guess in guesses if verify_hello(recorded, guess, "0" * 32)] == [KEY]


def test_a_stream_sealed_with_another_key_is_not_believed(live: LiveServer) -> None:
    board = keyed_board(live)
    board.stream = KeyedStream(KEY + "!", BOARD_NONCE, "0" * 32)
    assert not board.stream.opens(board.line() or b"")
