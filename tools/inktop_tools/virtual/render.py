"""`inktop render`: recorded lines through the board's own core into a picture, on simulated time."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import List, Sequence, Tuple

from inktop_tools import arguments, pictures
from inktop_tools.errors import InktopError
from inktop_tools.virtual import host
from inktop_tools.virtual.replay import read_lines, takes_a_second
from inktop_tools.virtual.wire import MOST_SERVERS

_TICK_MS = 250
#: After the last line: an update is due by then, and the data not yet marked as old.
_SETTLE_MS = 3_000
_ADDRESS = "192.0.2.17"
#: A wash shows what these are about.
_SHOWN_BY_A_WASH = ("wash-skips-rows", "black-ghosts")


def parse_size(text: str) -> Tuple[int, int]:
    """WxH in pixels. Raises InktopError."""
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if match is None:
        raise InktopError(f"{text!r} is no size: give WIDTHxHEIGHT, as 1920x1080.")
    return int(match[1]), int(match[2])


class Playback:
    """A board whose lines come one a second, with the link always connected."""

    def __init__(self, settings: host.BoardSettings, servers: int = 1) -> None:
        if servers > 1:
            settings = replace(settings, servers=servers)
        self.app = host.App(settings)
        self._links = [
            host.Link(_ADDRESS, settings, self.app, seed=place + 1, place=place) for place in range(servers)
        ]
        self.now_ms = 0
        self._busy_until_ms = 0
        #: Reasons of the refreshes so far, in order.
        self.reasons: List[str] = []
        for link in self._links:
            assert link.next(0).kind == "connect", "by number: there is nothing to look up"
            link.connected(0)

    def line(self, line: bytes, place: int = 0) -> None:
        """A line of that server arrives now; none of it when it is empty."""
        if line:
            self._links[place].received(line, self.now_ms)
            self._links[place].next(self.now_ms)  # its hello

    def pass_time(self, duration_ms: int) -> None:
        """Lets time pass; a refresh takes its time, and what arrives meanwhile waits."""
        end_ms = self.now_ms + duration_ms
        while self.now_ms < end_ms:
            if self.now_ms >= self._busy_until_ms:
                self._turn()
            self.now_ms += _TICK_MS

    def settle(self) -> None:
        """Lets everything that has arrived be shown; from here on a refresh takes no time."""
        end_ms = self.now_ms + _SETTLE_MS
        while self.now_ms < end_ms:
            self._busy_until_ms = 0
            if self._turn() in ("nothing_changed", "panel_stopped"):
                return
            if self._busy_until_ms == 0:
                self.now_ms += _TICK_MS

    def press_wash(self) -> None:
        """The button."""
        self.app.press_wash(self.now_ms)

    def _turn(self) -> str:
        self.app.receive()
        refresh = self.app.refresh(self.now_ms)
        if refresh.kind != "nothing":
            self.reasons.append(refresh.why)
            self._busy_until_ms = self.now_ms + refresh.duration_ms
        return refresh.why


def play(playback: Playback, files: Sequence[Sequence[bytes]]) -> None:
    """Second by second, from the files together: all end with the same second, the shorter begin later."""
    seconds = [_by_second(lines) for lines in files]
    longest = max(map(len, seconds))
    for second in range(longest):
        for place, of_one in enumerate(seconds):
            at = second - (longest - len(of_one))
            for line in of_one[at] if at >= 0 else ():
                playback.line(line, place)
        if any(
            at >= 0 and of_one[at] and takes_a_second(of_one[at][-1])
            for of_one in seconds
            for at in (second - (longest - len(of_one)),)
        ):
            playback.pass_time(1000)


def _by_second(lines: Sequence[bytes]) -> List[List[bytes]]:
    """The lines up to each one that takes a second."""
    seconds: List[List[bytes]] = [[]]
    for line in lines:
        seconds[-1].append(line)
        if takes_a_second(line):
            seconds.append([])
    return seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "lines",
        type=Path,
        nargs="+",
        help="a file of lines; each data line is one second. Several files: so many servers on one board",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("board.png"),
        help="the picture (board.png): PNG, JPEG, BMP, TIFF; - is stdout",
    )
    parser.add_argument(
        "--frame", action="store_true", help="the framebuffer instead of what the panel shows"
    )
    parser.add_argument("--size", default="1920x1080", help="WIDTHxHEIGHT of the panel, pixels")
    arguments.add_settings(parser)
    parser.add_argument(
        "--defect", metavar="NAME", help="what goes wrong between picture and panel; `list` tells the names"
    )


def run(args: argparse.Namespace) -> int:
    """Writes the picture: black and white, or grey with its ghosts for a panel with a defect."""
    if args.defect == "list":
        for name, text in host.defects().items():
            print(f"{name:<16} {text}")
        return 0
    pictures.check(args.output)
    files = [read_lines(path) for path in args.lines]
    if len(files) > MOST_SERVERS:
        raise InktopError(f"a board shows {MOST_SERVERS} servers at most. Name fewer files.")
    width, height = parse_size(args.size)
    others = tuple(map(arguments.setting, args.set))
    playback = Playback(host.BoardSettings(width=width, height=height, others=others), len(files))
    if args.defect is not None:
        playback.app.defect(args.defect)
    play(playback, files)
    playback.settle()
    if args.defect in _SHOWN_BY_A_WASH:
        playback.press_wash()
        playback.settle()
    app = playback.app
    if args.frame:
        pictures.write_bits(args.output, app.frame_bits(), (width, height))
    elif args.defect is not None:
        pictures.write_levels(args.output, app.panel_levels(), (width, height))
    else:
        pictures.write_bits(args.output, app.panel_bits(), (width, height))
    state = app.state()
    bad = sum(state["bad_lines"].values())
    received = sum(bool(line) for lines in files for line in lines)
    print(
        f"{args.output}: {width}x{height}, {received} lines ({bad} bad), screen {state['screen']}, "
        f"{state['updates']} updates, {state['washes']} washes",
        file=sys.stderr if str(args.output) == "-" else sys.stdout,
    )
    return 0
