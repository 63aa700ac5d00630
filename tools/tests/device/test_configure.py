"""Settings over the serial port: the command against the firmware's own console, on a pseudo-terminal."""

from __future__ import annotations

import io
import os
import subprocess
from pathlib import Path
from typing import Iterator, List

import pytest
from inktop_tools import cli
from inktop_tools.device import serial_ports
from inktop_tools.device.configure import Console
from inktop_tools.errors import InktopError

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("console") / "console_board"
    core = ROOT / "build/native/libinktop_core.a"
    assert core.exists(), f"{core} is missing: run `make build`"
    command = ["c++", "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/firmware/core"]
    command += [
        f"-I{ROOT}/protocol/cpp",
        f"-I{ROOT}",
        str(ROOT / "tools/tests/device/console_board.cpp"),
        str(core),
    ]
    subprocess.run([*command, "-o", str(path)], check=True)
    return path


class Board:
    """The console behind a pseudo-terminal; it resets never."""

    def __init__(self, program: Path) -> None:
        self.leader, self.follower = os.openpty()
        self.device = os.ttyname(self.follower)
        # Raw from the start: what is written before the port is opened must not be echoed.
        import tty

        tty.setraw(self.follower)
        self.process = subprocess.Popen([str(program)], stdin=self.leader, stdout=self.leader)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.follower)
        os.close(self.leader)


@pytest.fixture
def board(program: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Board]:
    found = Board(program)
    monkeypatch.setattr(serial_ports, "list_ports", lambda: [])
    yield found
    found.close()


def run(board: Board, *arguments: str) -> int:
    return cli.main(["configure", "--port", board.device, "--timeout", "5", *arguments])


def test_list_is_what_it_does_when_nothing_is_named(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(board) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "ok"
    assert any(line.startswith("vcom=1600 ") and "1000 to 4000 mV" in line for line in lines)
    assert not any(line.startswith(("#", "inktop:")) for line in lines)


def test_a_setting_is_set_told_and_reset(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(board, "set", "wash", "8") == 0
    assert capsys.readouterr().out == "ok\n"
    assert run(board, "get", "wash") == 0
    assert capsys.readouterr().out.startswith("wash=8 ")
    assert run(board, "reset", "wash") == 0
    assert run(board, "get", "wash") == 0
    assert "wash=1800 " in capsys.readouterr().out


def test_a_setting_is_held_against_the_server_and_released(
    board: Board, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(board, "hold", "wash") == 0
    assert run(board, "get", "wash") == 0
    assert capsys.readouterr().out.endswith("; held against the server's\nok\n")
    assert run(board, "release", "wash") == 0
    assert run(board, "hold", "key") == 1
    assert "no server sets this one" in capsys.readouterr().err


def test_a_setting_of_the_next_start_names_the_restart(
    board: Board, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(board, "set", "servers", "t7910.example,192.0.2.17:7911") == 0
    assert "inktop configure restart" in capsys.readouterr().out
    assert run(board, "get", "servers") == 0
    assert "servers=t7910.example:7910,192.0.2.17:7911 " in capsys.readouterr().out
    assert run(board, "set", "rotate", "180", "--restart") == 0
    assert capsys.readouterr().out == "ok, restarting\n"


def test_a_bad_value_is_refused_with_its_range(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(board, "set", "update", "5") == 1
    assert "update must be 1000 to 60000 ms; it is unchanged" in capsys.readouterr().err
    assert run(board, "set", "colour", "red") == 1
    assert "no such setting; list shows them all" in capsys.readouterr().err


def test_a_value_with_spaces_arrives_whole(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(board, "set", "ssid", " my caf\u00e9 ") == 0
    capsys.readouterr()
    assert run(board, "get", "ssid") == 0
    assert capsys.readouterr().out.startswith("ssid= my caf\u00e9   ; ")


def test_wifi_asks_for_the_network_and_never_shows_its_password(
    board: Board, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("home\ncorrect horse\n"))
    assert run(board, "wifi") == 0
    assert capsys.readouterr().out == "ok, restarting\n"
    assert run(board, "list") == 0
    said = capsys.readouterr()
    assert "ssid=home " in said.out
    assert "password=(set) " in said.out
    assert "correct horse" not in said.out + said.err


def test_a_wifi_password_that_cannot_be_right_is_refused_before_anything_is_set(
    board: Board, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("home\nshort\n"))
    assert run(board, "wifi") == 1
    assert "8 to 63" in capsys.readouterr().err
    assert run(board, "get", "ssid") == 0
    assert capsys.readouterr().out.startswith("ssid=  ; ")


def test_a_secret_without_a_value_is_read_from_the_pipe(
    board: Board, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("0123456789abcdef\n"))
    assert run(board, "set", "key") == 0
    assert run(board, "get", "key") == 0
    assert "key=(set) " in capsys.readouterr().out


def test_buttons_and_self_test_are_passed_on(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(board, "buttons") == 0
    assert capsys.readouterr().out == "buttons reading 1234\nok\n"
    assert run(board, "selftest") == 1
    assert "flash v7_selftest" in capsys.readouterr().err


def test_the_log_is_shown_only_when_asked_for(board: Board, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(board, "get", "wash") == 0
    assert "refresh:" not in capsys.readouterr().err
    assert run(board, "--log", "get", "wash") == 0
    assert "refresh: update" in capsys.readouterr().err


class FakePort:
    """A port that says what it is given, a piece a read; the clock moves with each read."""

    def __init__(self, pieces: List[bytes], error: bool = False) -> None:
        self.pieces = pieces
        self.error = error
        self.written = b""
        self.now = 0.0
        self.in_waiting = 0

    def write(self, data: bytes) -> None:
        self.written += data

    def flush(self) -> None:
        pass

    def read(self, size: int) -> bytes:
        if size == 0:
            return b""
        if self.error:
            raise OSError("device reports readiness to read but returned no data")
        self.now += 0.2
        return self.pieces.pop(0) if self.pieces else b""

    def console(self) -> Console:
        return Console(self, 2.0, clock=lambda: self.now)


def test_a_reply_in_pieces_between_log_lines_is_put_together() -> None:
    port = FakePort([b"half a log li", b"ne\r\n# wash=8  ; 1 to", b" 20000\r\ninktop: x\r\n# o", b"k\r\n"])
    assert port.console().command("get wash") == ["wash=8  ; 1 to 20000", "ok"]
    assert port.written == b"\nget wash\n"


@pytest.mark.parametrize(
    ("pieces", "reason"),
    [
        ([], "not a byte"),
        ([b"inktop: refresh\r\n"], "it is busy"),
        ([b"waiting for download\r\n"], "press RST"),
    ],
)
def test_a_board_that_does_not_answer_is_told_apart(pieces: List[bytes], reason: str) -> None:
    with pytest.raises(InktopError, match=reason):
        FakePort(pieces).console().command("list")


def test_a_port_that_goes_away_names_the_supply() -> None:
    with pytest.raises(InktopError, match="5 V / 2 A"):
        FakePort([], error=True).console().command("list")


@pytest.mark.parametrize(
    ("text", "reason"), [("set id a\nreset all", "control"), ("set id " + "x" * 400, "too long")]
)
def test_a_line_end_or_too_long_a_value_is_never_sent(text: str, reason: str) -> None:
    port = FakePort([])
    with pytest.raises(InktopError, match=reason):
        port.console().command(text)
    assert port.written == b""
