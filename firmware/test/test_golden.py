"""The golden pictures: machines and states as they must look, pixel for pixel.

``make golden`` (this file run as a program) takes the present pictures as the new ones; look at them first.
A difference leaves golden, new and changed pixels side by side in build/golden-diff/.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import List, Optional

import pytest
from PIL import Image, ImageChops

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "firmware" / "test" / "golden"
SAMPLES = ROOT / "protocol" / "samples"
DIFFERENCES = ROOT / "build" / "golden-diff"
PROGRAM = Path(os.environ.get("INKTOP_PICTURES", str(ROOT / "build/native/inktop_pictures")))


def _run(*arguments: str) -> bytes:
    return subprocess.run([str(PROGRAM), str(SAMPLES), *arguments], check=True, stdout=subprocess.PIPE).stdout


def names() -> List[str]:
    """The pictures that the program knows; none while it is not built."""
    return _run().decode("ascii").split() if PROGRAM.exists() else []


def picture(name: str) -> Image.Image:
    """Draws one picture, mode "1"."""
    return Image.open(io.BytesIO(_run(name))).convert("1")


def side_by_side(golden: Optional[Image.Image], new: Image.Image) -> Image.Image:
    """Golden above, new in the middle, below what changed (black)."""
    before = golden if golden is not None else Image.new("1", new.size, 1)
    height = max(before.height, new.height)
    sheet = Image.new("1", (max(before.width, new.width), 3 * height + 40), 1)
    sheet.paste(before, (0, 0))
    sheet.paste(new, (0, height + 20))
    if before.size == new.size:
        changed = ImageChops.logical_xor(before, new)
        sheet.paste(ImageChops.invert(changed.convert("L")).convert("1"), (0, 2 * height + 40))
    return sheet


def test_the_picture_program_has_been_built() -> None:
    assert len(names()) >= 16, f"{PROGRAM} is missing or knows too few pictures: run `make test`"


def test_every_golden_picture_is_still_drawn() -> None:
    kept = sorted(path.stem for path in GOLDEN.glob("*.png"))
    assert kept == sorted(names()), "run `make golden` after adding or removing a picture"


@pytest.mark.parametrize("name", names())
def test_picture(name: str) -> None:
    new = picture(name)
    path = GOLDEN / f"{name}.png"
    golden = Image.open(path).convert("1") if path.exists() else None
    if golden is not None and golden.size == new.size and golden.tobytes() == new.tobytes():
        return
    DIFFERENCES.mkdir(parents=True, exist_ok=True)
    sheet = DIFFERENCES / f"{name}.png"
    side_by_side(golden, new).save(sheet)
    pytest.fail(f"{name} looks different: see {sheet.relative_to(ROOT)}; if it is right, run `make golden`")


@pytest.mark.parametrize("name", [name for name in names() if name.startswith("portrait")])
def test_on_a_panel_that_hangs_turned_a_tall_picture_is_the_golden_one(name: str) -> None:
    """By 90 degrees clockwise: the panel's left edge is up."""
    frame = Image.open(io.BytesIO(_run(name, "--on-its-side"))).convert("1")
    assert frame.size == (1920, 1080)
    golden = Image.open(GOLDEN / f"{name}.png").convert("1")
    assert frame.transpose(Image.Transpose.ROTATE_270).tobytes() == golden.tobytes()


def test_a_changed_pixel_is_found_and_shown(tmp_path: Path) -> None:
    new = picture("boot")
    before = new.copy()
    before.putpixel((700, 500), 0 if before.getpixel((700, 500)) else 255)
    assert before.tobytes() != new.tobytes()
    sheet = side_by_side(before, new)
    changed = sheet.crop((0, 2 * new.height + 40, new.width, 3 * new.height + 40)).convert("L")
    assert changed.histogram()[0] == 1
    assert changed.getpixel((700, 500)) == 0


def accept() -> int:
    """Takes the present pictures as the golden ones."""
    if not names():
        print(f"{PROGRAM} is missing: run `make golden`", file=sys.stderr)
        return 1
    GOLDEN.mkdir(exist_ok=True)
    for path in GOLDEN.glob("*.png"):
        if path.stem not in names():
            path.unlink()
            print(f"removed {path.name}")
    for name in names():
        path = GOLDEN / f"{name}.png"
        new = picture(name)
        if path.exists() and Image.open(path).convert("1").tobytes() == new.tobytes():
            continue
        new.save(path, optimize=True)
        print(f"accepted {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(accept())
