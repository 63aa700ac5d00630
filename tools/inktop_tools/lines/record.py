"""`inktop record`: a collector's lines into a file, for `render`, `demo --replay` and `diagnose`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import BinaryIO, Callable, Optional, Tuple

from inktop_tools import arguments
from inktop_tools.addresses import parse_server
from inktop_tools.errors import InktopError
from inktop_tools.keys import read_key
from inktop_tools.lines.tail import Tail, is_bad

#: What comes once a second: a line of a machine, or of a fleet.
A_SECOND = (b"h=", b"fleet=")
#: More silence than this is not worth waiting for when the recording is played.
MAX_SILENCE_S = 600


class Recording:
    """A file of lines: each data line is one second, an empty line a second without one."""

    def __init__(self, file: BinaryIO, now: Callable[[], float] = time.monotonic) -> None:
        self._file = file
        self._now = now
        self._last_s: Optional[float] = None
        #: Data lines so far, seconds of silence between them, and bad lines, which are left out.
        self.lines = self.silent_s = self.bad = 0

    def take(self, line: bytes) -> None:
        """A line has come."""
        if is_bad(line):
            self.bad += 1
            return
        if line.startswith(A_SECOND):
            now_s = self._now()
            silent_s = 0 if self._last_s is None else max(0, round(now_s - self._last_s) - 1)
            self._last_s = now_s
            self._file.write(b"\n" * min(silent_s, MAX_SILENCE_S))
            self.silent_s += silent_s
            self.lines += 1
        self._file.write(line.rstrip(b"\r\n") + b"\n")
        self._file.flush()  # what has come is kept, even if the next moment ends it


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("server", metavar="HOST[:PORT]", help="the collector (port 7910)")
    parser.add_argument("-o", "--output", type=Path, help="the file (HOST.lines); - is stdout")
    parser.add_argument("--key-file", type=Path, help="the stream's key, when the collector has one")
    parser.add_argument("--seconds", type=arguments.seconds, help="end after that long")


def run(args: argparse.Namespace) -> int:
    """Records until the time is over or Ctrl-C; status 0 when a line came, else 1."""
    address = parse_server(args.server)
    key = read_key(args.key_file)
    path: Path = args.output or Path(f"{address[0].replace(':', '_')}.lines")

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    if str(path) == "-":
        recording = _record(sys.stdout.buffer, address, key, args.seconds, say)
    else:
        with _create(path) as file:
            recording = _record(file, address, key, args.seconds, say)
        if not recording.lines:
            path.unlink()
    if not recording.lines:
        raise InktopError("no line came. On the server: inktop-collector doctor")
    left_out = f", {recording.bad} bad ones left out" if recording.bad else ""
    say(f"{path}: {recording.lines} lines, {recording.silent_s} s without one{left_out}")
    if str(path) != "-":
        say(f"See it: inktop demo --replay {path}; its last screen: inktop render {path} -o screen.png")
        say(f"Compare a photo of your board with it: inktop diagnose PHOTO --lines {path}")
    return 0


def _record(
    file: BinaryIO,
    address: Tuple[str, int],
    key: Optional[str],
    seconds: Optional[float],
    say: Callable[[str], None],
) -> Recording:
    recording = Recording(file)
    try:
        Tail(address, key, say, recording.take).follow(seconds)
    except KeyboardInterrupt:
        say("")
    return recording


def _create(path: Path) -> BinaryIO:
    """A new file. Raises InktopError: an older recording is not written over."""
    try:
        return path.open("xb")
    except FileExistsError:
        raise InktopError(f"{path} is there already: name another file with -o, or remove it.") from None
    except OSError as error:
        raise InktopError(f"cannot write {path}: {error.strerror}. Name another place with -o.") from error
