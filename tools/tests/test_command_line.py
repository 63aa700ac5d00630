"""The `inktop` command as scripts meet it: exit statuses, odd streams, and no traceback."""

from __future__ import annotations

import io
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any, List

import pytest
from inktop_tools import cli, pictures
from inktop_tools.errors import InktopError
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
SMALL = ROOT / "protocol" / "samples" / "small.lines"
INKTOP = [sys.executable, "-m", "inktop_tools.cli"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "tools"), str(ROOT / "protocol")])}


def run(*arguments: object, **more: Any) -> subprocess.CompletedProcess[bytes]:
    more.setdefault("env", ENVIRONMENT)
    more.setdefault("stdin", subprocess.DEVNULL)
    more.setdefault("stdout", subprocess.PIPE)
    command = [*INKTOP, *map(str, arguments)]
    return subprocess.run(command, stderr=subprocess.PIPE, timeout=60, **more)


def test_bare_inktop_shows_its_help_with_the_exit_statuses(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    said = capsys.readouterr().out
    assert all(command in said for command in cli.COMMANDS)
    assert "Exit status" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["board", "--connect", "h", "--http", "65536"], "is no port"),
        (["demo", "--port", "65536"], "is no port"),
        (["demo", "--http", "-1"], "is no port"),
        (["board", "--connect", "h:65536"], "65535"),
        (["board", "--connect", ""], "is no server"),
        (["board", "--connect", " "], "is no server"),
        (["tail", "h:\u00b2"], "65535"),
        (["tail", "h", "--seconds", "-1"], "is no duration"),
        (["demo", "--seconds", "nan"], "is no duration"),
        (["board", "--connect", "h", "--id", "a b"], "is no name"),
        (["board", "--connect", "h", "--out", "/proc/none"], "cannot write"),
        (["demo", "--out", "/proc/none"], "cannot write"),
        (["render", "/nowhere"], "cannot read"),
        (["selftest", "ST1", "-o", "/proc/none/x.png"], "cannot write"),
    ],
)
def test_what_cannot_be_is_one_clear_sentence(
    arguments: List[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 1
    out, err = capsys.readouterr()
    assert len(err.splitlines()) == 1
    assert err.startswith(f"inktop {arguments[0]}: ")
    assert said in err


def test_make_demo_under_an_old_python_says_which_one_to_name(tmp_path: Path) -> None:
    old = tmp_path / "python3.8"
    old.write_text("#!/bin/sh\nexit 1\n")  # what the question for the version comes to
    old.chmod(0o755)
    done = subprocess.run(
        ["sh", str(ROOT / ".ci/venv.sh"), str(old)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "make demo PYTHON=python3.11" in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_a_full_disk_is_a_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        for arguments in (["decode"], []):
            with SMALL.open("rb") as lines:
                done = run(*arguments, stdin=lines, stdout=full)
            assert done.returncode == 1
            assert done.stderr.endswith(b": No space left on device.\n")
            assert done.stderr.count(b"\n") == 1


def test_a_reader_that_has_read_enough_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with SMALL.open("rb") as lines:
        done = run("decode", stdin=lines, stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_closed_streams_are_no_traceback() -> None:
    shell = f'exec "{sys.executable}" -m inktop_tools.cli decode <&- >&- 2>&-'
    assert subprocess.run(["sh", "-c", shell], env=ENVIRONMENT, timeout=60).returncode == 0


def test_text_that_the_terminal_cannot_show_is_escaped() -> None:
    ascii_only = {**ENVIRONMENT, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = run("render", "/nowhere/caf\u00e9.lines", env=ascii_only)
    assert done.returncode == 1
    assert done.stderr.startswith(b"inktop render: cannot read /nowhere/caf")
    assert b"Traceback" not in done.stderr


def test_ctrl_c_ends_a_command_that_waits() -> None:
    process = subprocess.Popen(
        [*INKTOP, "decode"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(SMALL.read_bytes())
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, b"")


def test_tail_without_a_line_fails_and_says_that_nothing_comes() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        done = run("tail", f"127.0.0.1:{silent.getsockname()[1]}", "--seconds", 4.5)
    assert done.returncode == 1
    assert b"sends nothing" in done.stdout
    assert done.stderr.startswith(b"inktop tail: no line came.")


def test_a_key_that_everybody_can_read_is_warned_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from inktop_tools.keys import read_key

    path = tmp_path / "key"
    path.write_text("0123456789abcdef\n")
    path.chmod(0o644)
    assert read_key(path) == "0123456789abcdef"
    assert f"chmod 600 {path}" in capsys.readouterr().err
    path.chmod(0o600)
    read_key(path)
    assert capsys.readouterr().err == ""


PICTURE = Image.new("1", (16, 8), 1)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.png", "PNG"), ("a.jpg", "JPEG"), ("a.JPEG", "JPEG"), ("a.bmp", "BMP"), ("a.tif", "TIFF")],
)
def test_a_picture_has_the_format_of_its_name(tmp_path: Path, name: str, kind: str) -> None:
    pictures.save(tmp_path / name, PICTURE)
    assert Image.open(tmp_path / name).format == kind
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["a.gif", "a", "a.pngg"])
def test_a_name_without_a_known_format_is_refused_with_the_list(tmp_path: Path, name: str) -> None:
    with pytest.raises(InktopError, match=r"\.png, \.jpg"):
        pictures.save(tmp_path / name, PICTURE)
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_a_regular_file_is_left_alone(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.png"
    os.mkfifo(pipe)
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "link.png").symlink_to("/dev/null")
    for path in (pipe, tmp_path / "folder.png", tmp_path / "link.png", Path("/dev/null")):
        with pytest.raises(InktopError, match="not a regular file"):
            pictures.save(path, PICTURE)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_link_stays_and_what_it_points_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "link.png").symlink_to(tmp_path / "real.png")
    pictures.save(tmp_path / "link.png", PICTURE)
    assert (tmp_path / "link.png").is_symlink()
    assert Image.open(tmp_path / "real.png").size == (16, 8)


@pytest.mark.parametrize("arguments", [["render", SMALL], ["selftest", "ST1"]])
def test_a_hyphen_writes_the_picture_alone_to_the_standard_output(arguments: List[object]) -> None:
    done = run(*arguments, "-o", "-")
    assert done.returncode == 0
    assert Image.open(io.BytesIO(done.stdout)).size == (1920, 1080)
    assert b"what the panel shows" in done.stderr or b"1920x1080" in done.stderr
