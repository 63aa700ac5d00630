"""QR codes of the core, read back by another program: zbar's."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import List

import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("INKTOP_PICTURES", str(ROOT / "build/native/inktop_pictures")))
JOIN = "WIFI:T:WPA;S:inktop-a1b2;P:kx7m4pw9tq;;"
#: Shortest and longest text of each version, and some between.
LENGTHS = [1, 7, 14, 15, 26, 27, 42, 43, 62, 63, 84]
MODULE_PX = 4


def draw(path: Path, *arguments: str) -> Path:
    path.write_bytes(subprocess.run([PROGRAM, *arguments], capture_output=True, check=True).stdout)
    return path


def scan(picture: Path) -> List[str]:
    done = subprocess.run(["zbarimg", "--raw", "-q", str(picture)], capture_output=True, text=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("length", LENGTHS)
def test_a_reader_reads_what_was_written(length: int, tmp_path: Path) -> None:
    text = (JOIN * 3)[:length]
    assert scan(draw(tmp_path / "code.pbm", "--code", text)) == [text]


def test_a_text_that_is_too_long_has_no_code(tmp_path: Path) -> None:
    assert subprocess.run([PROGRAM, "--code", "x" * 85], capture_output=True).returncode == 1


def test_a_damaged_code_is_still_read(tmp_path: Path) -> None:
    """Five modules of different codewords, in the middle of the code: what its correction is for."""
    path = draw(tmp_path / "code.pbm", "--code", JOIN)
    picture = Image.open(path).convert("L")
    side = picture.width // MODULE_PX
    for i in range(5):
        x, y = side // 2 - 6 + 3 * i, side // 2 + (i % 3)
        box = (x * MODULE_PX, y * MODULE_PX, (x + 1) * MODULE_PX, (y + 1) * MODULE_PX)
        was = int(str(picture.getpixel((box[0] + 1, box[1] + 1))))
        picture.paste(255 - was, box)
    picture.save(tmp_path / "damaged.png")
    assert scan(tmp_path / "damaged.png") == [JOIN]


def test_the_set_up_screen_carries_the_joining_code_and_the_forms_address(tmp_path: Path) -> None:
    path = draw(tmp_path / "screen.pbm", str(ROOT / "protocol/samples"), "wifi-setup")
    assert sorted(scan(path)) == [JOIN, "http://192.168.4.1/"]
