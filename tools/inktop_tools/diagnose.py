"""`inktop diagnose`: from a photograph of the panel to the layer that is at fault.

The photo is straightened by the marks and compared with the picture that should be there. What is wrong is
looked at: how hard it is and where its edges lie. A difference or merge fault (software) puts hard black and
white into whole rows or tiles; a waveform or panel fault leaves greys, or edges that follow no software.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import List, Optional, Tuple

from PIL import Image, UnidentifiedImageError

from inktop_tools import photo
from inktop_tools.errors import InktopError
from inktop_tools.photo import PANEL_HEIGHT, PANEL_WIDTH

#: The comparison is made on cells of this many pixels: finer than that a photo blurs.
CELL = 8
COLUMNS = PANEL_WIDTH // CELL
ROWS = PANEL_HEIGHT // CELL
#: The tile in which the self-test draws and many drivers push pixels.
TILE = 64
#: First row of the panel's second batch (10-bit line register).
BATCH_ROW = 1000
#: A cell is wrong when its brightness is off by this share of black to white; sharper photos allow no
#: less, since the
#: edges of fine patterns move by a pixel.
WRONG_FROM = 0.3
#: A wrong cell that reaches this share of the other colour is a hard fault: a grey does not.
HARD_FROM = 0.75
#: Of the wrong solid cells, when the fault is a hard one.
HARD_FAULT_FROM = 0.3
#: Of the picture, when the paper around the marks is not as white as the panel can.
BRIGHTER_FROM = 0.002
#: Fewer wrong cells than this are dirt, reflections and the edges of letters.
FEW = 0.002


@dataclass
class Finding:
    """What the comparison found."""

    layer: str
    summary: str
    next_step: str
    evidence: List[str] = field(default_factory=list)


@dataclass
class Wrong:
    """The wrong cells, and how wrong they are."""

    #: For each cell of the panel, row by row, whether it is wrong.
    cells: List[List[bool]]
    #: Of all cells.
    share: float
    #: Of the wrong cells where one colour is expected: those that hold the full other colour.
    hard_share: float

    def runs_across(self) -> List[Tuple[int, int]]:
        """(start, end) in pixels of every run of wrong cells along a row."""
        return [run for row in self.cells for run in _runs(row)]

    def rows_touched(self) -> List[float]:
        """For each row of cells the share of it that is wrong."""
        return [sum(row) / len(row) for row in self.cells]


def _runs(cells: List[bool]) -> List[Tuple[int, int]]:
    runs = []
    start: Optional[int] = None
    for index, cell in enumerate([*cells, False]):
        if cell and start is None:
            start = index
        elif not cell and start is not None:
            runs.append((start * CELL, index * CELL))
            start = None
    return runs


def cells_of(image: Image.Image, cell: int = CELL) -> bytes:
    """The mean brightness of each cell, row by row."""
    size = (PANEL_WIDTH // cell, PANEL_HEIGHT // cell)
    return image.convert("L").resize(size, Image.Resampling.BOX).tobytes()


def compare(seen: Image.Image, expected: Image.Image) -> Wrong:
    """Where `seen` (straight and flat) differs from `expected`, both of the size of the panel."""
    got, want = cells_of(seen), cells_of(expected)
    # A wrong cell at the edge of a hard fault is grey as a whole, but some quarter of it is not.
    quarters = cells_of(seen, CELL // 2)
    limit = WRONG_FROM * 255
    cells = []
    wrong = hard = wrong_solid = 0
    for row in range(ROWS):
        line = []
        for column in range(COLUMNS):
            a, b = got[row * COLUMNS + column], want[row * COLUMNS + column]
            off = abs(a - b) > limit
            line.append(off)
            wrong += off
            if off and b in (0, 255):  # only where one colour is expected can a grey be told from a pattern
                wrong_solid += 1
                at = 4 * row * COLUMNS + 2 * column
                corner = (at, at + 1, at + 2 * COLUMNS, at + 2 * COLUMNS + 1)
                hard += max(abs(quarters[index] - b) for index in corner) >= HARD_FROM * 255
        cells.append(line)
    return Wrong(
        cells,
        wrong / (ROWS * COLUMNS),
        hard / wrong_solid if wrong_solid else 1.0,
    )


def aligned_share(runs: List[Tuple[int, int]]) -> float:
    """The share of runs, weighted by length, that begin and end on tiles; by chance it is about a tenth."""
    total = sum(end - start for start, end in runs)
    if not total:
        return 0.0
    on = sum(
        end - start
        for start, end in runs
        if _off_tile(start) <= CELL and (_off_tile(end) <= CELL or end == PANEL_WIDTH)
    )
    return on / total


def _off_tile(x: int) -> int:
    return min(x % TILE, TILE - x % TILE)


WEAK_DRIVE = (
    "A refresh that was cut off (the log says `lines`): lower the pixel clock (inktop configure set "
    "speed 5). Ghosts of old pictures: "
    "wash more often "
    "(inktop configure set wash 600). Everything grey: VCOM and the supply."
)


def judge(wrong: Wrong, flat: photo.Flat, expected: Image.Image) -> Finding:
    """Which layer is at fault, from the wrong cells."""
    evidence = [f"{wrong.share * 100:.1f} % of the picture is wrong"]
    if flat.brighter > BRIGHTER_FROM:
        evidence.append(f"{flat.brighter * 100:.1f} % of it is much brighter than the paper around the marks")
        return Finding(
            "waveform or panel",
            "the paper itself is grey: a refresh of the whole panel was cut off, or drove too weakly.",
            WEAK_DRIVE,
            evidence,
        )
    if wrong.share < FEW:
        return Finding(
            "none",
            "the panel shows what it should.",
            "If the content is still not what you expect, the fault is before the drawing: look at the lines "
            "(inktop tail HOST).",
            evidence,
        )
    rows = wrong.rows_touched()
    below = sum(rows[BATCH_ROW // CELL :]) / sum(rows)
    if below > 0.9:
        evidence.append(f"{below * 100:.0f} % of it lies below row {BATCH_ROW}")
        return Finding(
            "panel: second batch",
            f"only the rows from {BATCH_ROW} on are wrong: the panel takes its rows as two batches, and "
            f"the second "
            "one is out of step.",
            "Lower the pixel clock (inktop configure set speed 5) and look at the flat cable of the panel.",
            evidence,
        )
    shifted = _shift(flat.image, expected)
    if shifted is not None:
        evidence.append(f"the picture fits when it is moved by {shifted[0]}, {shifted[1]} px")
        return Finding(
            "panel definition",
            "the whole picture is there, but in the wrong place.",
            "Compare width, height and bus width of the panel definition (ES108FC1: 1920x1080, 16 bit) "
            "with the "
            "panel.",
            evidence,
        )
    evidence.append(f"{wrong.hard_share * 100:.0f} % of the wrong solid areas reach full black or white")
    if wrong.hard_share < HARD_FAULT_FROM:
        return Finding(
            "waveform or panel",
            "greys where there should be black or white: pixels were driven too weakly, in part, or not "
            "for long.",
            WEAK_DRIVE,
            evidence,
        )
    aligned = aligned_share(wrong.runs_across())
    evidence.append(
        f"{aligned * 100:.0f} % of the wrong runs begin and end on multiples of {TILE} px (chance: about "
        f"10 %)"
    )
    touched = [share for share in rows if share > 0.0]
    whole_rows = sum(share > 0.3 for share in rows) / len(touched)
    evidence.append(
        f"{whole_rows * 100:.0f} % of the rows touched are wrong for a third or more of their width"
    )
    if aligned > 0.4 or whole_rows > 0.5:
        return Finding(
            "difference or merge",
            "hard black and white, in tiles or whole bands of rows: the software drove an old difference, or "
            "believed to have shown what it had not.",
            "Run the self-test (selftest/README.md): ST3 and ST4 isolate this layer. Keep the log.",
            evidence,
        )
    return Finding(
        "difference or merge",
        "old content stands where new content should be, with hard edges: these pixels were not driven "
        "although "
        "they changed.",
        "Run the self-test and compare its log (inktop selftest --compare LOG): a right checksum with a "
        "wrong picture "
        "means that driving is at fault, a wrong checksum that drawing is.",
        evidence,
    )


def _shift(seen: Image.Image, expected: Image.Image) -> Optional[Tuple[int, int]]:
    """The offset in pixels by which `seen` is moved as a whole, None when it is not."""
    got, want = cells_of(seen), cells_of(expected)

    def error(dx: int, dy: int) -> float:
        total = count = 0
        for row in range(8, ROWS - 8, 3):
            for column in range(8, COLUMNS - 8, 3):
                a = got[(row + dy) * COLUMNS + column + dx]
                total += abs(a - want[row * COLUMNS + column])
                count += 1
        return total / count

    here = error(0, 0)
    best = min(
        ((error(dx, dy), dx, dy) for dx in range(-8, 9) for dy in range(-8, 9) if (dx, dy) != (0, 0)),
    )
    if here > 12 and best[0] < 0.35 * here:
        return best[1] * CELL, best[2] * CELL
    return None


def overlay(seen: Image.Image, wrong: Wrong) -> Image.Image:
    """The straightened photo with the wrong cells in red."""
    mask = Image.new("L", (COLUMNS, ROWS))
    mask.putdata([160 if cell else 0 for row in wrong.cells for cell in row])
    red = Image.new("RGB", seen.size, (220, 0, 0))
    return Image.composite(red, seen.convert("RGB"), mask.resize(seen.size, Image.Resampling.NEAREST))


def open_picture(path: Path) -> Image.Image:
    """The picture in `path`, turned as the camera meant it; an InktopError names what is wrong with it."""
    from PIL import ImageOps

    try:
        with Image.open(path) as image:
            image.load()
            return ImageOps.exif_transpose(image)
    except FileNotFoundError:
        raise InktopError(f"no file {path}.\nName the photo: inktop diagnose photo.jpg") from None
    except (OSError, UnidentifiedImageError) as error:
        raise InktopError(
            f"{path} is not a picture that can be read: {error}.\nSave it as JPEG or PNG."
        ) from error


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("photo", type=Path, help="a photo of the whole panel, from the front")
    parser.add_argument(
        "--expected", type=Path, metavar="PNG", required=True,
        help="the picture that should be there: from inktop selftest ST1 -o, or inktop render --frame",
    )  # fmt: skip
    parser.add_argument("-o", "--output", type=Path, help="write the straight photo, wrong areas in red")


def run(args: argparse.Namespace) -> int:
    expected = open_picture(args.expected).convert("L")
    if expected.size != (PANEL_WIDTH, PANEL_HEIGHT):
        raise InktopError(
            f"{args.expected} is {expected.width}x{expected.height}, the panel "
            f"{PANEL_WIDTH}x{PANEL_HEIGHT}.\n"
            "Make it with inktop selftest or inktop render."
        )
    straight = photo.straighten(open_picture(args.photo))
    seen = photo.flatten(straight)
    wrong = compare(seen.image, expected)
    finding = judge(wrong, seen, expected)
    print(f"layer at fault: {finding.layer}")
    print(finding.summary)
    for line in finding.evidence:
        print(f"  - {line}")
    if len(straight.seen) < len(photo.all_marks()):
        print("  - one of the six marks is not where it should be: covered, or moved with its rows")
    elif straight.residual is not None and straight.residual > photo.TRUSTED_RESIDUAL:
        print(f"  - marks are {straight.residual:.0f} px off: rows were moved, or the panel is bent")
    print(f"next: {finding.next_step}")
    if args.output is not None:
        overlay(straight.image, wrong).save(args.output)
        print(f"{args.output}: the straight photo, wrong areas in red")
    return 0
