"""`inktop selftest`: the board's self-test stages on this machine, and a board's log compared with them."""

from __future__ import annotations

import argparse
import ctypes
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Tuple

from inktop_tools import pictures
from inktop_tools.errors import InktopError
from inktop_tools.virtual.library import ROOT, library

WIDTH = 1920
HEIGHT = 1080
STAGES = ("ST1", "ST2", "ST3", "ST4", "ST5")

#: The checksums and pictures that the tests hold the stages to; selftest/README.md shows the pictures.
FOLDER = ROOT / "selftest"
EXPECTED = FOLDER / "expected.txt"
PICTURES = FOLDER / "pictures"

_HELD = re.compile(r"selftest (ST[1-5]) held crc=([0-9A-F]{8}) refreshes=\d+ errors=([a-z+]+)", re.ASCII)


@dataclass(frozen=True)
class Held:
    """A stage that a log says was held: the checksum of its picture, and the panel's errors ("ok": none)."""

    stage: str
    crc: int
    errors: str


class SelfTest:
    """The self-test on a modelled panel, from the firmware's own code."""

    def __init__(self, width: int = WIDTH, height: int = HEIGHT) -> None:
        """Raises InktopError when the host library is missing or the size cannot be."""
        self.size = (width, height)
        self._library = library()
        self._handle = self._library.inktop_selftest_new(width, height)
        if not self._handle:
            raise InktopError(
                f"a self-test of {width}x{height} is not possible.\n"
                "The width must be a multiple of 8, the size at least 640x400."
            )

    def close(self) -> None:
        """Gives the memory back; nothing may be called afterwards."""
        if self._handle:
            self._library.inktop_selftest_free(self._handle)
            self._handle = None

    def run(self, stage: str) -> int:
        """Goes on until `stage` is held; returns the panel's errors during it, as the core's bits.

        Raises InktopError when the stage has passed already.
        """
        errors = int(self._library.inktop_selftest_run(self._handle, STAGES.index(stage) + 1))
        if errors < 0:
            raise InktopError(f"{stage} has passed already.\nStart again: the stages only go forward.")
        return errors

    def fail(self, drives: int, error: str, phase: int) -> None:
        """After `drives` more drives of the panel, one breaks off in `phase` with that error."""
        self._library.inktop_selftest_fail(self._handle, drives, self._library.draw_errors[error], phase)

    @property
    def crc(self) -> int:
        """CRC-32 of the framebuffer of the stage that is held."""
        return int(self._library.inktop_selftest_crc(self._handle))

    @property
    def log(self) -> List[str]:
        """What a board logs up to here."""
        text: bytes = self._library.inktop_selftest_log(self._handle)
        return text.decode("ascii").splitlines()

    def frame_bits(self) -> bytes:
        """What was drawn: one bit a pixel (1 white), the left one highest, rows of whole bytes."""
        return self._bits(self._library.inktop_selftest_frame_bits)

    def panel_bits(self) -> bytes:
        """What the modelled panel shows, in the same form."""
        return self._bits(self._library.inktop_selftest_panel_bits)

    def _bits(self, call: Any) -> bytes:
        width, height = self.size
        bits = ctypes.create_string_buffer(width // 8 * height)
        call(self._handle, bits)
        return bits.raw


def stage_summary(stage: str) -> str:
    """One line on what a stage does, the firmware's own words."""
    text: bytes = library().inktop_selftest_summary(STAGES.index(stage) + 1)
    return text.decode("ascii")


def held_stages(lines: Iterable[str]) -> List[Held]:
    """The stages that a log holds, in its order; what stands around the self-test's own words is ignored."""
    found = []
    for line in lines:
        match = _HELD.search(line)
        if match:
            found.append(Held(match.group(1), int(match.group(2), 16), match.group(3)))
    return found


def expected_crcs() -> Dict[str, int]:
    """The checksum of each stage's picture, drawn now by the firmware's own code."""
    selftest = SelfTest()
    try:
        crcs = {}
        for stage in STAGES:
            selftest.run(stage)
            crcs[stage] = selftest.crc
        return crcs
    finally:
        selftest.close()


def accept() -> List[Path]:
    """Writes what the stages draw now as what they should draw; returns the files."""
    selftest = SelfTest()
    written = []
    crcs = []
    try:
        for stage in STAGES:
            selftest.run(stage)
            crcs.append(f"{stage} {selftest.crc:08X}\n")
            path = PICTURES / f"{stage.lower()}.png"
            pictures.write_bits(path, selftest.panel_bits(), selftest.size)
            written.append(path)
    finally:
        selftest.close()
    EXPECTED.write_text("".join(crcs), encoding="ascii")
    return [EXPECTED, *written]


def accepted_crcs() -> Dict[str, int]:
    """The checksums that were accepted last. Raises InktopError when the file is missing or broken."""
    try:
        pairs = [line.split() for line in EXPECTED.read_text(encoding="ascii").splitlines()]
        return {stage: int(crc, 16) for stage, crc in pairs}
    except (OSError, ValueError) as error:
        raise InktopError(
            f"{EXPECTED} cannot be read: {error}.\nWrite it again: inktop selftest --accept"
        ) from error


def compare(held: List[Held], expected: Dict[str, int]) -> Tuple[List[str], bool]:
    """What to tell about a log, a line each, and whether the board did all that it should."""
    if not held:
        return (
            [
                "this log holds no stage of the self-test.",
                "Build the self-test (inktop flash --env v7_selftest), keep its log (inktop monitor "
                "--log FILE) and let "
                "at least ST1 be held.",
            ],
            False,
        )
    lines = []
    good = True
    for one in held:
        drawn = one.crc == expected[one.stage]
        if drawn and one.errors == "ok":
            lines.append(
                f"{one.stage}: drawn and driven as it should be. If the screen shows something else, the "
                f"panel or "
                "its waveform is at fault."
            )
            continue
        good = False
        if not drawn:
            lines.append(
                f"{one.stage}: the board drew another picture (crc {one.crc:08X}, here "
                f"{expected[one.stage]:08X}). "
                "Is the board's firmware built from this checkout? If it is, its memory is at fault (PSRAM)."
            )
        if one.errors != "ok":
            lines.append(
                f"{one.stage}: the panel answered {one.errors}. "
                + {
                    "lines": "The feed fell behind: lower the pixel clock (inktop configure set speed 5).",
                    "power": "Its supply did not come up: 5 V supply, cable, or the environment v7_nopmic.",
                }.get(one.errors, "selftest/README.md has a line on each error.")
            )
    missing = [stage for stage in STAGES if stage not in {one.stage for one in held}]
    if missing:
        lines.append(f"not in this log: {', '.join(missing)}")
    return lines, good


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "stage", nargs="?", metavar="STAGE", help="ST1 ... ST5; without one: all, with their checksums"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="PNG", help="write the stage's picture")
    parser.add_argument("--log", action="store_true", help="print the log that a board prints up to there")
    parser.add_argument(
        "--compare",
        metavar="LOG",
        help="compare a board's log (a file, - for standard input) with this machine",
    )
    parser.add_argument(
        "--accept", action="store_true", help="take what is drawn now as what the tests expect (developers)"
    )


def _read(name: str) -> List[str]:
    if name == "-":
        return sys.stdin.read().splitlines()
    try:
        return Path(name).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise InktopError(
            f"{name} cannot be read: {error.strerror}.\nKeep a board's log with: inktop monitor --log {name}"
        ) from error


def run(args: argparse.Namespace) -> int:
    if args.compare is not None:
        lines, good = compare(held_stages(_read(args.compare)), expected_crcs())
        print("\n".join(lines))
        return 0 if good else 1
    if args.accept:
        for path in accept():
            print(path)
        return 0
    stage: Optional[str] = args.stage.upper() if args.stage else None
    if stage is not None and stage not in STAGES:
        raise InktopError(f"there is no stage {args.stage}.\nThere are: {', '.join(STAGES)}")
    if stage is None and args.output is not None:
        raise InktopError("a picture is of one stage.\nName it: inktop selftest ST1 -o st1.png")
    if args.output is not None:
        pictures.check(args.output)
    # The picture alone goes to the standard output, when it is asked for.
    told = sys.stderr if str(args.output) == "-" else sys.stdout
    selftest = SelfTest()
    try:
        for each in STAGES:
            selftest.run(each)
            if stage is None or stage == each:
                print(f"{each}  crc={selftest.crc:08X}  {stage_summary(each)}", file=told)
            if stage == each:
                break
        if args.log:
            print("\n".join(selftest.log), file=told)
        if args.output is not None:
            pictures.write_bits(args.output, selftest.panel_bits(), selftest.size)
            print(f"{args.output}: what the panel shows", file=told)
    finally:
        selftest.close()
    return 0
