"""`inktop diagnose`: from photos of the panel to the layer at fault."""

from __future__ import annotations

import argparse
import json
import re
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, List, Optional, Tuple

from inktop_tools import pictures
from inktop_tools.errors import InktopError

if TYPE_CHECKING:
    from inktop_tools.photo.expected import Wanted
    from inktop_tools.photo.verdict import Verdict

CLEAN, FAULT, UNUSABLE = 0, 1, 2
#: Who waits longer than this is told what is being done.
_PATIENCE_S = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("photos", nargs="+", type=Path, metavar="PHOTO", help="a photo of the whole panel")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--expected", type=Path, metavar="PNG", help="the picture that should be there")
    what.add_argument("--lines", type=Path, metavar="FILE", help="the board's picture after these lines")
    what.add_argument("--server", metavar="HOST[:PORT]", help="the board's picture of what it sends now")
    what.add_argument("--selftest", metavar="STAGE", help="a stage of the self-test: ST1 … ST5")
    parser.add_argument("--key-file", type=Path, help="the stream's key, for --server")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("-o", "--report", type=Path, metavar="PNG", help="a picture that explains it")
    parser.add_argument(
        "--corners", metavar="X,Y,…", help="the panel's corners in the photo, clockwise from the upper left"
    )
    parser.add_argument("--tile", type=int, default=64, help="side of the tiles that are redrawn (64)")
    parser.add_argument("--rle", metavar="ROWS", help="print these rows as runs: 100 or 100-120")


def run(args: argparse.Namespace) -> int:
    """0: clean, 1: a fault, 2: the photo cannot be used, or an argument is wrong."""
    try:
        return _run(args)
    except InktopError as error:
        print(f"inktop diagnose: {error}", file=sys.stderr)
        return UNUSABLE


def _run(args: argparse.Namespace) -> int:
    try:
        import cv2  # noqa: F401
        import numpy  # noqa: F401

        from inktop_tools.photo import answer, reading, report, verdict
    except ImportError as error:
        raise InktopError(
            f"OpenCV and NumPy are missing ({error}).\nRun `make photo-tools` or pip install 'inktop[photo]'."
        ) from error
    if not 4 <= args.tile <= 512:
        raise InktopError(f"a tile of {args.tile} px cannot be.\nGive 4 to 512.")
    rows, corners = _rows(args.rle), _corners(args.corners)
    if args.report is not None:
        if len(args.photos) > 1:
            raise InktopError("a report is of one photo.\nName one, or leave --report out.")
        pictures.check(args.report)
    with _Patience("drawing what the panel should show") as patience:
        wanted = _wanted(args)
        found: List[Tuple[Path, Verdict]] = []
        for path in args.photos:
            patience.now(f"{path}: reading")
            photo = reading.read(path)
            patience.now(
                f"{path}: {photo.shape[1]}x{photo.shape[0]} pixels, looking for the panel and for faults"
            )
            one = verdict.diagnose(photo, wanted, args.tile, corners)
            found.append((path, one))
            if args.report is not None:
                patience.now(f"drawing {args.report}")
                report.write(args.report, photo, wanted, one)
    if args.json:
        print(json.dumps(answer.as_json(found), indent=2))
    else:
        print("\n".join(answer.in_words(found, rows)))
        if args.report is not None:
            print(f"report: {args.report}")
    return answer.exit_status([one for _, one in found])


def _wanted(args: argparse.Namespace) -> Wanted:
    from inktop_tools.photo import expected

    if args.expected is not None:
        return expected.from_file(args.expected)
    if args.lines is not None:
        return expected.after_lines(args.lines)
    if args.server is not None:
        return expected.of_server(args.server, args.key_file)
    if args.selftest is not None:
        return expected.stages(args.selftest)
    return expected.any_screen()


def _rows(text: Optional[str]) -> Optional[range]:
    if text is None:
        return None
    first, _, last = text.partition("-")
    last = last or first
    if not re.fullmatch(r"[0-9]{1,5}-[0-9]{1,5}", f"{first}-{last}") or int(last) < int(first):
        raise InktopError(f"{text!r} are no rows.\nGive --rle 100 or --rle 100-120.")
    return range(int(first), int(last) + 1)


def _corners(text: Optional[str]) -> Any:
    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.replace(" ", ",").split(",") if part]
    except ValueError:
        numbers = []
    if len(numbers) != 8 or not all(abs(number) < 1e6 for number in numbers):
        raise InktopError(
            f"{text!r} are not four corners.\nGive eight numbers: x,y clockwise from the upper left."
        )
    return [numbers[index : index + 2] for index in range(0, 8, 2)]


class _Patience:
    """Tells who waits at a terminal what is being done, once it takes longer than a second."""

    def __init__(self, first: str) -> None:
        self._what = first
        self._told = ""
        self._timer: Optional[threading.Timer] = None

    def __enter__(self) -> _Patience:
        if sys.stderr.isatty():
            self._start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._told:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def now(self, what: str) -> None:
        """This is done from now on."""
        self._what = what
        if self._told:
            self._tell()

    def _start(self) -> None:
        self._timer = threading.Timer(_PATIENCE_S, self._tell)
        self._timer.daemon = True
        self._timer.start()

    def _tell(self) -> None:
        self._told = self._what
        print(f"\r\x1b[K{self._what} …", end="", file=sys.stderr, flush=True)
