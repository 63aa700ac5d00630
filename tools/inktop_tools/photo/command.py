"""`inktop diagnose`: from photos of the panel to the layer at fault."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional

from inktop_tools.errors import InktopError

#: Of the JSON object.
VERSION = 1
STAGES = ("ST1", "ST2", "ST3", "ST4", "ST5")
CLEAN, FAULT, UNUSABLE = 0, 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("photos", nargs="+", type=Path, metavar="PHOTO", help="a photo of the whole panel")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--expected", type=Path, metavar="PNG", help="the picture that should be there")
    what.add_argument("--lines", type=Path, metavar="FILE", help="the board's picture after these lines")
    what.add_argument("--selftest", metavar="STAGE", help="a stage of the self-test: ST1 … ST5")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("-o", "--report", type=Path, metavar="PNG", help="write a picture that explains it")
    parser.add_argument(
        "--corners", metavar="X,Y,…", help="the panel's corners in the photo, clockwise from the upper left"
    )
    parser.add_argument("--tile", type=int, default=64, help="side of the tiles that are redrawn, pixels (64)")
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

        from inktop_tools.photo import reading, report, verdict
    except ImportError as error:
        raise InktopError(f"OpenCV and NumPy are needed ({error}). Run `make photo-tools`.") from error
    if not 4 <= args.tile <= 512:
        raise InktopError(f"a tile of {args.tile} px cannot be.\nGive 4 to 512.")
    rows = _rows(args.rle)
    if args.report is not None:
        if len(args.photos) > 1:
            raise InktopError("a report is of one photo.\nName one, or leave --report out.")
        report.check(args.report)
    candidates, before = _expected(args)
    found = []
    for path in args.photos:
        photo = reading.read(path)
        if sys.stderr.isatty():
            print(f"{path}: {photo.shape[1]}x{photo.shape[0]} pixels …", file=sys.stderr)
        one = verdict.diagnose(photo, candidates, before, args.tile, _corners(args.corners))
        found.append((path, one))
        if args.report is not None:
            shown = candidates.get(one.stage, next(iter(candidates.values())))
            report.write(args.report, photo, shown, one)
    if args.json:
        print(json.dumps({"version": VERSION, "photos": [_as_json(path, one) for path, one in found]}, indent=2))
    else:
        for path, one in found:
            _tell(path, one, rows)
        if len(found) > 1:
            print(_together(found))
    if args.report is not None and not args.json:
        print(f"report: {args.report}")
    return _status([one.exit_status for _, one in found])


def _status(each: List[int]) -> int:
    if FAULT in each:
        return FAULT
    return max(each)


def _expected(args: argparse.Namespace) -> Any:
    from inktop_tools.photo import expected

    before: Dict[str, Any] = {}
    if args.expected is not None:
        candidates = {str(args.expected.name): expected.picture(args.expected)}
    elif args.lines is not None:
        now, before = expected.board(args.lines)
        candidates = {"the board": now}
    else:
        stages = expected.stages()
        wanted = (args.selftest or "").upper()
        if wanted and wanted not in STAGES:
            raise InktopError(f"there is no stage {args.selftest}.\nThere are: {', '.join(STAGES)}")
        candidates = {wanted: stages[wanted]} if wanted else stages
        before = stages
    size = next(iter(candidates.values())).shape
    old = {
        name: (one > 127).astype("float32")
        for name, one in before.items()
        if one.shape == size and not (len(candidates) == 1 and name in candidates)
    }
    return candidates, old


def _rows(text: Optional[str]) -> Optional[range]:
    if text is None:
        return None
    first, _, last = text.partition("-")
    if not first.isdigit() or not (last or first).isdigit() or int(last or first) < int(first):
        raise InktopError(f"{text!r} are no rows.\nGive --rle 100 or --rle 100-120.")
    return range(int(first), int(last or first) + 1)


def _corners(text: Optional[str]) -> Any:
    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.replace(" ", ",").split(",") if part]
    except ValueError:
        numbers = []
    if len(numbers) != 8:
        raise InktopError(f"{text!r} are not four corners.\nGive eight numbers: x,y clockwise from the upper left.")
    return [numbers[index : index + 2] for index in range(0, 8, 2)]


def _tell(path: Path, one: Any, rows: Optional[range]) -> None:
    print(f"{path}: {one.layer}" + (f" ({one.stage})" if one.stage else ""))
    print(f"  {one.text}")
    for line in one.evidence:
        print(f"  - {line}")
    if one.layer not in ("clean", "unusable"):
        print(f"  - explains {one.score * 100:.0f} % of the difference")
    if one.runner_up is not None:
        print(f"  - else: {one.runner_up.text} ({one.runner_up.layer})")
    print(f"  next: {one.next_step}")
    if rows is not None and one.seen is not None:
        from inktop_tools.photo import runs

        print("\n".join(runs.text(one.seen.shown, rows.start, rows.stop - 1)))


def _together(found: List[Any]) -> str:
    """The first stage that is wrong names the layer."""
    staged = sorted((one.stage, one) for _, one in found if one.stage in STAGES and one.layer != "unusable")
    wrong = [(stage, one) for stage, one in staged if one.layer != "clean"]
    if not staged:
        return "together: no stage of the self-test was recognised"
    if not wrong:
        return f"together: {', '.join(stage for stage, _ in staged)} are as they should be"
    stage, one = wrong[0]
    return f"together: {stage} is the first that is wrong: {one.layer}. {one.next_step}"


def _as_json(path: Path, one: Any) -> Dict[str, Any]:
    other = one.runner_up
    fit, seen = one.fit, one.seen
    return {
        "photo": str(path),
        "layer": one.layer,
        "family": one.family,
        "text": one.text,
        "confidence": round(one.score, 3),
        "box": None if one.box is None else [int(value) for value in one.box],
        "parameters": one.parameters,
        "stage": one.stage or None,
        "runner_up": other and {"layer": other.layer, "family": other.family, "text": other.text},
        "evidence": one.evidence,
        "next": one.next_step,
        "residual_px": fit and round(fit.residual_px, 2),
        "scale": fit and round(fit.scale, 3),
        "blur_px": seen and round(seen.blur_px, 2),
        "visible": seen and round(float(seen.visible.mean()), 4),
    }
