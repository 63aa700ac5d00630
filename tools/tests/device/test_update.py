"""Updates over the air, to a board that does what ArduinoOTA of the Arduino core 2.0.14 does."""

from __future__ import annotations

import hashlib
import socket
import threading
from pathlib import Path
from typing import List, Tuple

import pytest
from inktop_tools import cli
from inktop_tools.device import build, update
from inktop_tools.device.update import Update, read_password, read_program
from inktop_tools.errors import InktopError

PASSWORD = "correct horse"
PROGRAM = bytes(range(256)) * 40 + b"end"


def md5(data: bytes) -> str:
    return hashlib.md5(data).hexdigest()


class Board:
    """Libraries/ArduinoOTA/src/ArduinoOTA.cpp of the core 2.0.14, its words and its order."""

    def __init__(self, password: str = PASSWORD, ending: bytes = b"OK", stop_after: int = 1 << 30) -> None:
        self.socket = socket.socket(type=socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port: int = self.socket.getsockname()[1]
        self.got = b""
        self.heard: List[str] = []
        self._password, self._ending, self._stop_after = password, ending, stop_after
        self._deaf = 0
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self, deaf: int = 0) -> None:
        self._deaf = deaf
        self._thread.start()

    def stop(self) -> None:
        self._thread.join(10)
        self.socket.close()

    def _run(self) -> None:
        self.socket.settimeout(5)
        for _ in range(self._deaf):
            self.socket.recvfrom(256)
        invitation, peer = self._hear()
        command, port, size, digest = invitation.split()
        assert command == "0"
        assert len(digest) == 32
        if self._password:
            nonce = md5(b"1234567")
            self.socket.sendto(f"AUTH {nonce}".encode(), peer)
            answer, peer = self._hear()
            number, own, response = answer.split()
            assert number == "200"
            assert len(own) == len(response) == 32
            if response != md5(f"{md5(self._password.encode())}:{nonce}:{own}".encode()):
                self.socket.sendto(b"Authentication Failed", peer)
                return
        self.socket.sendto(b"OK", peer)
        with socket.create_connection((peer[0], int(port)), 5) as connection:
            connection.settimeout(5)
            while len(self.got) < min(int(size), self._stop_after):
                data = connection.recv(700)  # never what was sent at once
                self.got += data
                connection.sendall(str(len(data)).encode())
            if len(self.got) == int(size):
                assert md5(self.got) == digest
                connection.sendall(self._ending)

    def _hear(self) -> Tuple[str, Tuple[str, int]]:
        data, peer = self.socket.recvfrom(256)
        self.heard.append(data.decode())
        return data.decode(), peer


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "_ANSWER_S", 0.3)
    monkeypatch.setattr(update, "_END_S", 3.0)


def send(board: Board, password: str = PASSWORD) -> List[str]:
    said: List[str] = []
    Update("127.0.0.1", PROGRAM, password, said.append).send(board.port)
    board.stop()
    return said


@pytest.mark.parametrize("deaf", [0, 2])
def test_a_board_gets_the_whole_program(deaf: int) -> None:
    board = Board()
    board.start(deaf)
    said = send(board)
    assert board.got == PROGRAM
    assert said[-1] == "100 %"
    assert all(PASSWORD not in heard for heard in board.heard)


def test_a_board_without_a_password_takes_it_as_well() -> None:
    board = Board(password="")
    board.start()
    send(board)
    assert board.got == PROGRAM


def test_a_wrong_password_is_said_and_nothing_is_sent() -> None:
    board = Board()
    board.start()
    with pytest.raises(InktopError, match="refused the password"):
        send(board, "wrong")
    board.stop()
    assert board.got == b""


@pytest.mark.parametrize(("ending", "why"), [(b"MD5 Check Failed", "MD5 Check Failed"), (b"", "no reason")])
def test_a_program_that_did_not_arrive_whole_is_an_error(ending: bytes, why: str) -> None:
    board = Board(ending=ending)
    board.start()
    with pytest.raises(InktopError, match=f"broke off .{why}.: the firmware that 127.0.0.1 has goes on"):
        send(board)
    board.stop()


def test_an_update_that_breaks_off_in_the_middle_is_an_error() -> None:
    board = Board(stop_after=3000)
    board.start()
    with pytest.raises(InktopError, match="broke off"):
        send(board)
    board.stop()


def test_nobody_there_names_what_to_look_at() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        with pytest.raises(InktopError, match="does not answer.*password"):
            Update("127.0.0.1", PROGRAM, PASSWORD, print).send(silent.getsockname()[1])


def write_program(path: Path, whole: bool = False) -> Path:
    data = bytearray(0x9000)
    data[0] = build.IMAGE_MAGIC
    data[12:14] = build.CHIP_ESP32S3.to_bytes(2, "little")
    if whole:
        data[0x8000:0x8002] = build.PARTITION_MAGIC
    path.write_bytes(bytes(data))
    return path


def test_the_command_sends_an_image_with_the_password_of_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = Board()
    board.start()
    secret = tmp_path / "password"
    secret.write_text(PASSWORD + "\n")
    secret.chmod(0o600)
    image = write_program(tmp_path / "firmware.bin")
    words = ["update", "127.0.0.1", "--image", str(image), "--password-file", str(secret)]
    assert cli.main([*words, "--port", str(board.port)]) == 0
    board.stop()
    assert board.got == image.read_bytes()
    out = capsys.readouterr()
    assert "restarts by itself" in out.out
    assert out.err == ""


def test_a_whole_flash_image_does_not_go_over_the_air(tmp_path: Path) -> None:
    with pytest.raises(InktopError, match="the program alone"):
        read_program(write_program(tmp_path / "whole.bin", whole=True))


def test_a_password_everybody_can_read_is_warned_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "password"
    path.write_text(PASSWORD)
    path.chmod(0o644)
    assert read_password(path) == PASSWORD
    assert "chmod 600" in capsys.readouterr().err
    path.write_text("")
    with pytest.raises(InktopError, match="no password"):
        read_password(path)
