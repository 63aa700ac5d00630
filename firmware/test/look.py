"""Lays each golden picture at 100 % beside itself as it is seen from two metres: ``make look``.

A person at a desk, 50 cm away, sees a pixel of 204 ppi under about one minute of arc. From two metres four
pixels are as small as one is there, so the right half is the picture shrunk to a quarter and enlarged
again: what cannot be read in it cannot be read from there.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import List

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "firmware" / "test" / "golden"
OUT = ROOT / "build" / "look"
#: 2 m against the 50 cm at which every pixel can be told apart.
FARTHER = 4


def from_two_metres(picture: Image.Image) -> Image.Image:
    """What is left of it from there, at its own size."""
    small = picture.convert("L").resize(
        (picture.width // FARTHER, picture.height // FARTHER), Image.Resampling.BOX
    )
    return small.resize(picture.size, Image.Resampling.BICUBIC)


def sheet(picture: Image.Image) -> Image.Image:
    """The picture and, to the right of it, what is left of it."""
    both = Image.new("L", (2 * picture.width + 40, picture.height), 128)
    both.paste(picture.convert("L"), (0, 0))
    both.paste(from_two_metres(picture), (picture.width + 40, 0))
    return both


def main(names: List[str]) -> int:
    """Writes the sheets of the named pictures, of all without a name; 1 for one that there is not."""
    OUT.mkdir(parents=True, exist_ok=True)
    paths = [GOLDEN / f"{name}.png" for name in names] or sorted(GOLDEN.glob("*.png"))
    missing = [path.stem for path in paths if not path.exists()]
    if missing:
        print(f"no golden picture: {', '.join(missing)}; make golden draws them", file=sys.stderr)
        return 1
    for path in paths:
        sheet(Image.open(path)).save(OUT / path.name)
    print(f"{len(paths)} pictures in {OUT.relative_to(ROOT)}: left as they are, right from two metres")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
