"""`inktop demo`, `board` and `tail` as a person starts them: processes, ports, Ctrl-C."""

from __future__ import annotations

import contextlib
import io
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Dict, Iterator, List

import pytest
from inktop_protocol import Event, Fleet, Snapshot, UpOf, close_line, encode_fleet, encode_snapshot
from inktop_tools.lines.record import Recording
from inktop_tools.lines.tail import in_words
from inktop_tools.virtual.replay import ReplayServer, Story, event_in_words, read_lines
from inktop_tools.virtual.virtual_board import SimulatedClock
from PIL import Image

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "protocol" / "samples"
INKTOP = [sys.executable, "-m", "inktop_tools.cli"]
ENVIRONMENT: Dict[str, str] = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(ROOT / "tools"), str(ROOT / "protocol")]),
}


def start(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*INKTOP, *[str(argument) for argument in arguments]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )


def finish(process: subprocess.Popen[str], within_s: float = 60) -> List[str]:
    """Waits for status 0; what it printed."""
    out, err = process.communicate(timeout=within_s)
    assert process.returncode == 0, out + err
    assert err.strip() == "", err
    return out.splitlines()


def is_pure(picture: Path) -> bool:
    opened = Image.open(picture)
    return opened.mode == "1" and opened.size == (1920, 1080)


@pytest.fixture
def collector(tmp_path: Path) -> Iterator[int]:
    """A collector of this machine on a free port."""
    process = subprocess.Popen(
        [
            sys.executable,
            str(ROOT / "collector"),
            "serve",
            *("--bind", "127.0.0.1", "--port", "0", "--no-announce", "--config", os.devnull),
            *("--state-dir", str(tmp_path), "--runtime-dir", str(tmp_path)),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    match = re.search(r":(\d+)", process.stdout.readline())
    assert match is not None
    yield int(match[1])
    process.terminate()
    process.communicate(timeout=10)


def test_the_demo_shows_this_machine_and_ends_by_itself(tmp_path: Path) -> None:
    said = finish(start("demo", "--seconds", 5, "--no-http", "--out", tmp_path))
    assert is_pure(tmp_path / "board.png")
    assert [path.name for path in tmp_path.iterdir()] == ["board.png"], "nothing half-written is left"
    text = "\n".join(said)
    assert re.search(r"connected +line \d+\.\d s old", text)
    assert "clear and wash (first frame)" in text
    assert "update (content changed)" in text
    assert "collector: hello: virtual" in text


def test_the_demo_shows_this_machine_beside_recordings(tmp_path: Path) -> None:
    process = start("demo", "--servers", 4, "--no-http", "--out", tmp_path, "--seconds", 60)
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if "4 of 4 up" in line and "rows" in line:  # a refresh of all four
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 0, out + err
    assert "Traceback" not in err
    assert "4 of 4 up" in said[-1], said
    assert re.search(r"collector of this machine and 3 recordings on (127\.0\.0\.1:\d+(, |;)){4}", said[0])
    assert is_pure(tmp_path / "board.png")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_ctrl_c_and_kill_end_the_demo_and_its_collector(number: int, status: int, tmp_path: Path) -> None:
    process = start("demo", "--no-http", "--out", tmp_path)
    assert process.stdout is not None
    port = 0
    for line in process.stdout:
        match = re.search(r"127\.0\.0\.1:(\d+); picture", line)
        if match is not None:
            port = int(match[1])
        if "greeting" in line or "connected" in line:
            break
    assert port
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert process.returncode == status, out + err
    assert "Traceback" not in err
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0, "the collector is gone"


@pytest.mark.parametrize("sample", ["inference", "eight-gpus", "small", "trouble"])
def test_a_recording_plays_faster_than_it_was(sample: str, tmp_path: Path) -> None:
    said = finish(
        start(
            *("demo", "--replay", SAMPLES / f"{sample}.lines", "--speed", 60, "--seconds", 3),
            *("--no-http", "--out", tmp_path),
        )
    )
    assert is_pure(tmp_path / "board.png")
    minutes, seconds = map(int, said[-1].split()[0].split(":"))
    # 180 at best; a busy machine may not keep up, and then time goes slower instead of lines being lost.
    assert minutes * 60 + seconds > 3
    assert sum("update (content changed)" in line for line in said) > 5
    assert not any("searching" in line for line in said)


def test_a_taken_default_port_of_the_page_is_said_and_the_demo_goes_on(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 7911))
            taken.listen()
        except OSError:
            pass  # somebody else has it: just as well
        said = finish(
            start(
                "demo", "--replay", SAMPLES / "small.lines", "--speed", 20, "--seconds", 1, "--out", tmp_path
            )
        )
    assert any(line.startswith("no live page") and "--http PORT" in line for line in said)
    assert (tmp_path / "board.png").exists()


def test_a_board_follows_a_collector(collector: int, tmp_path: Path) -> None:
    said = finish(
        start(
            *(
                "board",
                "--connect",
                f"127.0.0.1:{collector}",
                "--out",
                tmp_path,
                "--seconds",
                4.5,
                "--id",
                "kitchen",
            )
        )
    )
    assert is_pure(tmp_path / "board.png")
    assert any("connected" in line for line in said)


def test_a_board_without_a_server_says_so_and_draws_what_to_do(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = start(
        *("board", "--connect", f"127.0.0.1:{port}", "--out", tmp_path, "--seconds", 3.6),
        *("--size", "960x544"),
    )
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err == f"inktop board: no line came. cannot reach 127.0.0.1:{port}: Connection refused\n"
    said = out.splitlines()
    assert any("searching" in line and "no line yet" in line for line in said)
    assert any("Connection refused" in line for line in said)
    histogram = Image.open(tmp_path / "board.png").convert("L").histogram()
    assert histogram[0] > 1_000, "a screen with words on it"


def test_tail_says_each_line_in_words_and_ends(collector: int) -> None:
    said = finish(start("tail", f"127.0.0.1:{collector}", "--seconds", 3.5))
    assert said[0].startswith("-- collector ")
    assert sum(" cpu " in line and " mem " in line for line in said) >= 3


def test_tail_connects_again_when_the_server_comes_back(collector: int) -> None:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        process = start("tail", f"127.0.0.1:{listener.getsockname()[1]}", "--seconds", 4)
        for part in (1, 2):
            connection, _ = listener.accept()
            line = read_lines(SAMPLES / "inference.lines")[part]
            connection.sendall(line[:30])
            time.sleep(0.1)
            connection.sendall(line[30:] + b"half a line of the first conn")
            connection.close()
        said = finish(process)
    assert sum(line.startswith("12:10 t7910  cpu ") for line in said) == 2
    assert any("ended the connection; trying again" in line for line in said)


def test_settings_that_a_server_holds_are_said_in_words() -> None:
    assert in_words(close_line("settings=1|set=wash:900,quiet:22:00-07:00")) == (
        "-- settings held for this board: wash 900, quiet 22:00-07:00"
    )
    assert in_words(close_line("settings=1")) == "-- settings held for this board: none"


def test_lines_in_words_say_what_is_wrong() -> None:
    lines = [line.rstrip(b"\n") for line in read_lines(SAMPLES / "trouble.lines")]
    lost = next(line for line in lines if b"lost" in line)
    assert "GPU1 LOST" in in_words(lost)
    assert "! gpu1 lost since" in in_words(lost)
    assert in_words(b"h=x*0000") == "bad line (checksum): h=x*0000"
    assert "--" in in_words(close_line("h=t|u=5|c=-"))


def test_a_recording_is_played_a_line_a_second_and_again_from_its_start() -> None:
    lines = read_lines(SAMPLES / "inference.lines")[:3]
    clock = SimulatedClock(speed=50, step_ms=100)
    server = ReplayServer(lines, clock)
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        heard = b""
        client.setblocking(False)
        while server.rounds < 2:
            clock.advance()
            server.step()
            with contextlib.suppress(BlockingIOError):
                heard += client.recv(65536)
    server.close()
    # The greeting, then the recording twice, with its info line between.
    assert heard == lines[0] + b"".join(lines) * 2
    assert clock.now_ms() >= 3_000


def test_a_recording_that_is_over_ends_the_demo_and_says_what_happened(tmp_path: Path) -> None:
    """Without --seconds: it does not begin again, where a loss would look like a recovery."""
    lines = read_lines(SAMPLES / "trouble.lines")
    first = next(number for number, line in enumerate(lines) if b":lost:" in line)
    part = tmp_path / "part.lines"
    part.write_bytes(
        lines[0] + b"".join(lines[first - 3 : first + 3]) + b"h=t|c=1*0000\n\n\n" + lines[first + 3]
    )
    said = finish(start("demo", "--replay", part, "--speed", 20, "--no-http", "--out", tmp_path))
    told = [line for line in said if line.startswith("recording: ")]
    assert re.fullmatch(r"recording: GPU 1 lost, \d\d:\d\d:\d\d", told[0])
    assert told[1:] == ["recording: a line is damaged (checksum)", "recording: no line"]
    assert said[-1].startswith("the recording is over")
    assert is_pure(tmp_path / "board.png")


def test_a_recording_in_a_loop_begins_again(tmp_path: Path) -> None:
    part = tmp_path / "part.lines"
    part.write_bytes(b"".join(read_lines(SAMPLES / "inference.lines")[:4]))
    process = start("demo", "--replay", part, "--loop", "--speed", 50, "--no-http", "--out", tmp_path)
    assert process.stdout
    # Three seconds of lines: whoever still refreshes after twenty plays them again and again.
    for line in process.stdout:
        assert "is over" not in line
        at = re.match(r"(\d\d):(\d\d) ", line)
        if at and int(at[1]) * 60 + int(at[2]) > 20:
            break
    process.send_signal(signal.SIGINT)
    finish(process)


@pytest.mark.parametrize(
    ("subject", "what", "words"),
    [
        ("gpu11", "reset", "GPU 11 reset"),
        ("mem", "oom", "out of memory, a process was killed"),
        ("sys", "boot", "the server started"),
        ("disk", "full", "disk full"),
    ],
)
def test_events_are_said_as_people_say_them(subject: str, what: str, words: str) -> None:
    assert event_in_words(Event(subject, what, "12:00:00")) == words


def test_an_event_is_said_once_and_again_when_it_is_another(tmp_path: Path) -> None:
    told: List[str] = []
    story = Story(told.append)
    for times in (("1",), ("1",), (), ("1",), ("1", "2")):
        events = tuple(Event("gpu0", "reset", f"12:00:0{time}") for time in times)
        story.line(encode_snapshot(Snapshot("a", events=events)))
    assert told == [f"recording: GPU 0 reset, 12:00:0{n}" for n in (1, 1, 2)]


def test_the_help_of_the_demo_explains_the_graphs() -> None:
    text = "\n".join(finish(start("demo", "--help")))
    assert "not scrolled" in text


def test_a_recorded_stream_is_rendered_and_replayed(collector: int, tmp_path: Path) -> None:
    path = tmp_path / "mine.lines"
    process = start("record", f"127.0.0.1:{collector}", "--seconds", 3.5, "-o", path)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, ""), err
    lines = read_lines(path)
    assert lines[0].startswith(b"info=1")
    assert sum(line.startswith(b"h=") for line in lines) >= 3
    assert "inktop render" in err
    screen = tmp_path / "screen.png"
    assert "(0 bad)" in finish(start("render", path, "-o", screen))[0]
    assert is_pure(screen)


def test_silence_is_recorded_as_it_is_replayed() -> None:
    file = io.BytesIO()
    now = [100.0]
    recording = Recording(file, lambda: now[0])
    info, *data = read_lines(SAMPLES / "inference.lines")[:4]
    for after_s, line in (
        (0, info),
        (0.2, data[0]),
        (1.4, data[1]),
        (0.1, b"h=x|c=1*0000\n"),
        (4.9, data[2]),
    ):
        now[0] += after_s
        recording.take(line)
    assert file.getvalue() == info + data[0] + data[1] + b"\n" * 4 + data[2]
    assert (recording.lines, recording.silent_s, recording.bad) == (3, 4, 1)


def test_a_fleet_is_recorded_and_shown(tmp_path: Path) -> None:
    file = io.BytesIO()
    now = [100.0]
    recording = Recording(file, lambda: now[0])
    for second in range(20):
        recording.take(encode_fleet(Fleet("rack7", time="12:14", uptime_s=second, machines=UpOf(3, 4))))
        now[0] += 1.0
    assert recording.lines == 20
    path, screen = tmp_path / "fleet.lines", tmp_path / "fleet.png"
    path.write_bytes(file.getvalue())
    assert len(read_lines(path)) == 20
    said = finish(start("render", path, "-o", screen))[0]
    assert "screen live" in said
    assert "(0 bad)" in said
    assert is_pure(screen)


def test_an_older_recording_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "old.lines"
    path.write_text("precious")
    process = start("record", "127.0.0.1:1", "--seconds", 1, "-o", path)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, path.read_text()) == (1, "precious")
    assert "is there already: name another file with -o" in err


def test_a_recording_without_a_line_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "none.lines"
    process = start("record", "127.0.0.1:1", "--seconds", 0.5, "-o", path)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, path.exists()) == (1, False)
    assert "no line came" in err


def test_an_empty_line_of_a_recording_is_a_second_of_silence(tmp_path: Path) -> None:
    recording = tmp_path / "gap.lines"
    one, two = read_lines(SAMPLES / "inference.lines")[1:3]
    recording.write_bytes(one + b"\n" * 5 + two)
    lines = read_lines(recording)
    assert lines == [one, b"", b"", b"", b"", b"", two]
    clock = SimulatedClock(speed=50, step_ms=100)
    server = ReplayServer(lines, clock)
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        while server.rounds < 1:
            clock.advance()
            server.step()
        client.settimeout(5)
        heard = client.recv(65536)
    server.close()
    assert heard.count(b"\n") == 3, "the greeting and two lines"
    assert clock.now_ms() >= 6_000


@pytest.mark.parametrize(
    ("arguments", "next_step"),
    [
        (["demo", "--speed", "5"], "--replay FILE"),
        (["demo", "--replay", "/nowhere"], "protocol/samples"),
        (["demo", "--replay", "SAMPLE", "--speed", "0"], "0.01 to 1000"),
        (["demo", "--port", "PORT", "--no-http"], "--port"),
        (["demo", "--replay", "SAMPLE", "--port", "PORT", "--no-http"], "--port"),
        (["demo", "--replay", "SAMPLE", "--http", "PORT"], "--http PORT"),
        (["board", "--connect", "no:such:server:[", "--seconds", "1"], "HOST:PORT"),
        (["board", "--connect", "127.0.0.1", "--key-file", "/nowhere"], "--key-file"),
        (["board", "--connect", "127.0.0.1", "--http", "PORT"], "--http PORT"),
        (["tail", "host:"], "HOST:PORT"),
        (["tail", "host", "--key-file", "/nowhere"], "--key-file"),
    ],
)
def test_an_error_is_one_line_that_names_the_next_step(
    arguments: List[str], next_step: str, tmp_path: Path
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        names = {"PORT": str(taken.getsockname()[1]), "SAMPLE": str(SAMPLES / "small.lines")}
        run = subprocess.run(
            [*INKTOP, *[names.get(argument, argument) for argument in arguments]],
            capture_output=True,
            text=True,
            env=ENVIRONMENT,
            cwd=tmp_path,
            timeout=30,
        )
    assert run.returncode == 1, run.stdout + run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert next_step in run.stderr
