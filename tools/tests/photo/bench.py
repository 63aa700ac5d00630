"""`make diagnose-bench`: how well `inktop diagnose` does, by fault and grade, on photos made from seeds."""

from __future__ import annotations

import argparse
import io
import multiprocessing
import os
import random
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each job has one core

import numpy as np
from inktop_tools.photo import expected, verdict
from PIL import Image, ImageOps
from tests.photo import damage, maker

Array = Any

HEALTHY = "healthy"
PICTURES = Path(__file__).resolve().parents[3] / "firmware" / "test" / "golden"
#: Faults may move marks, so what they say of the place is asked of these only.
_PLACED = (
    "rows-shifted", "rows-missing", "rows-doubled", "bands-swapped", "old-rectangle", "old-band", "half-old",
    "half-driven", "faded-area", "dead-column", "dead-row", "dead-block", "smaller",
)  # fmt: skip
#: What these show must be another picture, not the same inverted.
_OF_ANOTHER = ("ghost", "ghost-5", "other-content")


@dataclass(frozen=True)
class Shot:
    """One photo to be judged."""

    fault: str
    grade: str
    seed: int
    megapixels: float


@dataclass(frozen=True)
class Result:
    """What came of it. `off_px`: how far the worst edge of the box is from the fault's; None: not asked."""

    shot: Shot
    layer: str
    family: str
    text: str
    off_px: Optional[float]
    seconds: float
    picture: str

    @property
    def found(self) -> bool:
        """Whether something is said to be wrong."""
        return self.layer not in ("clean", "unusable")

    @property
    def right(self) -> bool:
        """Whether the layer is the fault's."""
        wanted = "clean" if self.shot.fault == HEALTHY else damage.FAULTS[self.shot.fault].layer
        return self.layer == wanted


_known: Dict[str, Array] = {}
_templates: Dict[str, Any] = {}


def pictures() -> Dict[str, Array]:
    """The stages of the self-test and pictures of the board, each 0 or 255."""
    if not _known:
        _known.update(expected.stages().pictures)
        for name in ("two-gpus-loaded", "eight-gpus", "two-gpus-idle", "no-gpu", "gpu-lost"):
            _known[name] = expected.from_file(PICTURES / f"{name}.png").pictures[f"{name}.png"]
    return _known


def shown(shot: Shot) -> Tuple[str, str, damage.Case]:
    """The names of the expected and the previous picture, and what the panel shows."""
    known = pictures()
    dice = np.random.default_rng([shot.seed, 77])
    names = list(known)
    name = str(dice.choice(names))
    old = str(dice.choice([one for one in names if one != name and one[:2] == name[:2]] or names))
    if name.startswith("ST"):
        # Of a stage that is the inverse of the one before, nobody could tell a ghost from fading.
        stage = int(dice.integers(3 if shot.fault in _OF_ANOTHER else 1, 5))
        name, old = f"ST{stage + 1}", f"ST{stage}"
    elif old == name:
        old = "two-gpus-loaded" if name != "two-gpus-loaded" else "eight-gpus"
    if shot.fault == HEALTHY:
        return name, old, damage.Case(known[name])
    return name, old, damage.FAULTS[shot.fault].make(known[name], known[old], dice)


def _off(box: Array, picture: Array, case: damage.Case) -> float:
    """How far the worst edge is from where the fault ends: between what was damaged and what shows it, nobody
    could tell."""
    rows, columns = np.nonzero(case.shown != picture)
    shows = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])
    damaged = shows if case.box is None else np.array(case.box)
    low, high = np.minimum(shows, damaged), np.maximum(shows, damaged)
    return float(np.maximum(np.maximum(low - box, box - high), 0).max())


def photo_of(jpeg: bytes) -> Array:
    """As BGR bytes, turned as the camera says."""
    with Image.open(io.BytesIO(jpeg)) as image:
        return np.ascontiguousarray(np.asarray(ImageOps.exif_transpose(image).convert("RGB"))[:, :, ::-1])


def judge(shot: Shot) -> Result:
    """Makes the photo and diagnoses it."""
    name, old, case = shown(shot)
    photo = photo_of(maker.take(case.shown, shot.seed, shot.grade, shot.megapixels).jpeg)
    known = pictures()
    begun = time.perf_counter()
    wanted = expected.Wanted({name: known[name]}, {old: known[old]} if shot.seed % 2 else {}, _templates)
    one = verdict.diagnose(photo, wanted)
    took = time.perf_counter() - begun
    off = None
    if shot.fault in _PLACED and one.box is not None:
        off = _off(np.array(one.box), known[name], case)
    return Result(shot, one.layer, one.family, one.text, off, took, name)


def tables(results: List[Result]) -> List[str]:
    """Markdown: a row a fault, three columns a grade."""
    lines = [
        "| fault | layer | " + " | ".join(f"{grade}: found / layer / place" for grade in maker.GRADES) + " |",
        "|---|---|" + "---|" * len(maker.GRADES),
    ]
    for fault in [HEALTHY, *damage.FAULTS]:
        cells = []
        for grade in maker.GRADES:
            mine = [one for one in results if one.shot.fault == fault and one.shot.grade == grade]
            cells.append(_cell(mine, fault == HEALTHY))
        layer = "clean" if fault == HEALTHY else damage.FAULTS[fault].layer
        lines.append(f"| {fault} | {layer} | " + " | ".join(cells) + " |")
    clear = {name for name, fault in damage.FAULTS.items() if not fault.faint}
    for title, names in (("all clear faults", clear), ("faint faults", set(damage.FAULTS) - clear)):
        cells = []
        for grade in maker.GRADES:
            cells.append(
                _cell([r for r in results if r.shot.fault in names and r.shot.grade == grade], False)
            )
        lines.append(f"| {title} | | " + " | ".join(cells) + " |")
    return lines


def _cell(mine: List[Result], healthy: bool) -> str:
    if not mine:
        return ""
    if healthy:
        alarms = sum(one.found for one in mine)
        unusable = sum(one.layer == "unusable" for one in mine)
        share = 100 / len(mine)
        return f"{share * alarms:.1f} % false, {share * unusable:.1f} % unusable ({len(mine)})"
    found = [one for one in mine if one.found]
    right = sum(one.right for one in found)
    places = [one.off_px for one in found if one.off_px is not None]
    text = f"{100 * len(found) / len(mine):.0f} / {100 * right / max(1, len(found)):.0f}"
    return text + (f" / {np.median(places):.0f} px" if places else "")


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=12, help="photos of each fault and grade")
    parser.add_argument("--healthy", type=int, default=0, help="of healthy panels (ten times as many)")
    parser.add_argument("--first", type=int, default=100_000, help="the first seed")
    parser.add_argument(
        "--megapixels", type=float, default=3.0, help="size of the photos; 0: as phones make them"
    )
    parser.add_argument("--only", default="", help="faults, separated by commas")
    parser.add_argument("--grades", default=",".join(maker.GRADES))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--tell", action="store_true", help="each photo that is judged wrongly")
    args = parser.parse_args()
    faults = args.only.split(",") if args.only else [HEALTHY, *damage.FAULTS]
    shots = []
    for fault in faults:
        count = (args.healthy or 10 * args.seeds) if fault == HEALTHY else args.seeds
        for grade in args.grades.split(","):
            for index in range(count):
                seed = args.first + 1000 * [HEALTHY, *damage.FAULTS].index(fault) + index
                shots.append(Shot(fault, grade, seed, args.megapixels))
    # In no order, so that what came before Ctrl-C is a fair sample.
    random.Random(args.first).shuffle(shots)
    results: List[Result] = []
    with multiprocessing.Pool(args.jobs, _leave_interrupts_to_the_parent) as pool:
        try:
            for one in pool.imap_unordered(judge, shots):
                results.append(one)
                if args.tell and not one.right:
                    print(one.shot.fault, one.shot.grade, one.shot.seed, one.picture, "->", one.layer,
                          one.family, one.text, file=sys.stderr, flush=True)  # fmt: skip
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # one is enough
    if not results:
        return 1
    print("\n".join(tables(results)))
    seconds = sorted(one.seconds for one in results)
    middle = seconds[len(seconds) // 2]
    print(f"\n{len(results)} photos, {middle:.2f} s each (median), {seconds[-1]:.2f} s the slowest")
    return 0


if __name__ == "__main__":
    sys.exit(main())
