"""`inktop demo`: this machine, or a recording, live on the virtual board, with one command."""

from __future__ import annotations

import argparse
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, List, Optional, Sequence

from inktop_protocol import close_line

from inktop_tools import arguments, pictures
from inktop_tools.errors import InktopError
from inktop_tools.virtual import board, host
from inktop_tools.virtual.library import ROOT, library
from inktop_tools.virtual.replay import ReplayServer, read_lines
from inktop_tools.virtual.virtual_board import SimulatedClock

_START_S = 15.0
#: At a high speed one turn of the loop passes at most this much.
_STEP_MS = 250


class Collector:
    """A collector of this machine, as a process of its own on the loopback."""

    def __init__(self, port: int) -> None:
        """Waits until it listens. Port 0 takes a free one. Raises InktopError when it does not start."""
        self._folder = tempfile.TemporaryDirectory(prefix="inktop-demo-")
        command = [
            *(sys.executable, "-m", "inktop_collector", "serve"),
            *("--bind", "127.0.0.1", "--port", str(port), "--no-announce"),
            *("--state-dir", self._folder.name, "--runtime-dir", self._folder.name),
            *("--config", os.devnull),
        ]
        # What is set for a collector that runs as a service here is not for this one.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("INKTOP_")}
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
            start_new_session=True,  # Ctrl-C is for the board, which then ends this one
        )
        self._lines: queue.Queue[str] = queue.Queue()
        assert self._process.stdout is not None
        threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True).start()
        try:
            self.port = self._wait_for_port()
        except BaseException:
            self.stop()
            raise

    def say(self) -> None:
        """Passes on what it has logged. Raises InktopError when it has ended."""
        while not self._lines.empty():
            board.say_now(f"collector: {self._lines.get_nowait()}")
        if self._process.poll() is not None:
            raise InktopError("the collector has ended. Try `inktop-collector doctor`.")

    def stop(self) -> None:
        """Ends it and waits for the end."""
        self._process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def _read(self, output: IO[str]) -> None:
        for line in output:
            self._lines.put(line.rstrip())

    def _wait_for_port(self) -> int:
        said: List[str] = []
        end_s = time.monotonic() + _START_S
        while time.monotonic() < end_s:
            try:
                said.append(self._lines.get(timeout=0.05))
            except queue.Empty:
                if self._process.poll() is not None:
                    break
                continue
            match = re.search(r"listening on \S*:(\d+)", said[-1])
            if match is not None:
                return int(match[1])
        why = said[-1] if said else "it said nothing"
        raise InktopError(
            f"the collector did not start: {why}. Try `inktop-collector doctor`, or another --port."
        )


#: Recordings of other machines, beside this one (`--servers`), and the names that they get.
OTHERS = (
    ("inference", "workshop"),
    ("small", "nas"),
    ("eight-gpus", "rack3-node07"),
    ("trouble", "bench"),
    ("idle", "spare"),
    ("eight-gpus", "rack3-node08"),
    ("inference", "studio"),
)

#: What a person may wonder about first.
SWEEP = """\
Graphs are not scrolled: a bar moves from left to right over a graph that does not move. Left of it are the
newest values, right of it those of the turn before, up to five minutes old; at the right edge it begins
again. So an update drives a few columns of the panel and not every pixel of the line."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.epilog = SWEEP
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--seconds", type=arguments.seconds, help="end after that long")
    page = parser.add_mutually_exclusive_group()
    page.add_argument("--http", type=arguments.port, metavar="PORT", help="port of the live page (7911)")
    page.add_argument("--no-http", action="store_true", help="no live page, only the picture")
    board.add_bind_argument(parser)
    parser.add_argument("--out", type=Path, default=Path("build"), help="folder for board.png (build)")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="recorded lines instead of this machine")
    parser.add_argument("--loop", action="store_true", help="play the recording again and again, not once")
    parser.add_argument("--speed", type=float, default=1.0, help="of a recording: so many seconds in one (1)")
    parser.add_argument(
        "--servers",
        type=_count,
        default=1,
        metavar="N",
        help="this machine and N - 1 recordings on one board",
    )
    arguments.add_settings(parser)
    parser.add_argument("--port", type=arguments.port, default=0, help="of the collector (a free one)")


def _count(text: str) -> int:
    if not re.fullmatch(r"[1-8]", text):
        raise InktopError(f"{text!r} servers cannot be shown: 1 to {1 + len(OTHERS)}.")
    return int(text)


def _terminated(_number: int, _frame: object) -> None:
    sys.exit(128 + signal.SIGTERM)


def run(args: argparse.Namespace) -> int:
    """Shows until the time is over, the recording is, or Ctrl-C; each ends with status 0."""
    # The collector must not outlive the demo, however it ends.
    signal.signal(signal.SIGTERM, _terminated)
    signal.signal(signal.SIGHUP, _terminated)
    if args.speed != 1.0 and args.replay is None:
        raise InktopError("this machine cannot run faster: --speed is for --replay FILE.")
    if args.loop and args.replay is None:
        raise InktopError("this machine is shown until Ctrl-C: --loop is for --replay FILE.")
    if not 0.01 <= args.speed <= 1000:
        raise InktopError(f"a speed of {args.speed:g} is not possible: 0.01 to 1000.")
    if args.servers > 1 and args.replay is not None:
        raise InktopError("--servers shows this machine beside recordings: without --replay.")
    library()  # an error here is best told before anything starts
    pictures.check(args.out / "board.png")
    clock = SimulatedClock(args.speed, _STEP_MS if args.speed > 1 else 1000)
    recordings: List[ReplayServer] = []
    collector: Optional[Collector] = None
    page = None
    try:
        if args.replay is not None:
            lines = read_lines(args.replay)
            recordings.append(ReplayServer(lines, clock, args.port, loop=args.loop, say=board.say_now))
        else:
            for recorded, name in OTHERS[: args.servers - 1]:
                lines = named(read_lines(ROOT / "protocol" / "samples" / f"{recorded}.lines"), name)
                recordings.append(ReplayServer(lines, clock, 0, loop=True, say=_nothing))
            collector = Collector(args.port)
        page = None if args.no_http else board.open_page(args.http, args.http_bind, board.say_now)
        ports = [collector.port] if collector is not None else []
        ports += [recording.port for recording in recordings]
        source = f"replaying {args.replay}" if collector is None else "collector of this machine"
        if collector is not None and recordings:
            source += f" and {len(recordings)} recordings"
        where = ", ".join(f"127.0.0.1:{port}" for port in ports)
        board.say_now(f"{source} on {where}; picture: {args.out / 'board.png'}")
        show = board.Show(
            [f"127.0.0.1:{port}" for port in ports],
            host.BoardSettings(others=tuple(map(arguments.setting, args.set))),
            clock,
            args.out,
            page=page,
            say=board.say_now,
        )

        def also() -> None:
            if collector is not None:
                collector.say()
            for recording in recordings:
                recording.step()

        played = recordings[0].finished if collector is None else _never
        show.run(args.seconds, also, played)
        if played():
            board.say_now(f"the recording is over; its last picture is in {args.out / 'board.png'}")
    except KeyboardInterrupt:
        print(file=sys.stderr)
    finally:
        if page is not None:
            page.close()
        if collector is not None:
            collector.stop()
        for recording in recordings:
            recording.close()
    return 0


def named(lines: Sequence[bytes], name: str) -> List[bytes]:
    """The same lines of a machine with that name."""
    return [
        close_line(re.sub(rb"^h=[^|]*", b"h=" + name.encode(), line[: line.rindex(b"*")]).decode("ascii"))
        if line.startswith(b"h=") and b"*" in line
        else line
        for line in lines
    ]


def _never() -> bool:
    return False


def _nothing(_text: str) -> None:
    """What happens in the recordings beside this machine is not worth a line."""
