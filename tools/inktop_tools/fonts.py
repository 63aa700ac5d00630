"""The font tables of the board: renders them from the npm packages into firmware/core/picture/fonts/.

Glyphs are hinted for one bit a pixel (FreeType's monochrome target, which is what Pillow does in
mode "1"): stems come out equally thick and letters of one word do not touch, which a threshold over
grey glyphs cannot promise.
Digits are the tabular ones, so that a number keeps its place when it changes.
"""

from __future__ import annotations

import argparse
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Tuple

from inktop_tools.errors import InktopError

ROOT = Path(__file__).resolve().parents[2]
FONTS_DIR = ROOT / "firmware" / "core" / "picture" / "fonts"

#: npm package -> version; pinned, because the tables are compared byte for byte.
PACKAGES = {"fira-sans": "5.3.0", "open-sans": "5.3.0"}
#: The FreeType inside Pillow is part of the result; the `fonts` extra pins the same version.
PILLOW = "13.0.0"

ASCII = "".join(chr(code) for code in range(0x20, 0x7F))
NUMERALS = " %-.0123456789:"
#: The board's own texts write it as byte 0xB0; a line carries ASCII only.
DEGREE = "\u00b0"


@dataclass(frozen=True)
class Cut:
    """One table: ``size_px`` is the em in pixels (25 = 12 pt, 42 = 20 pt at 150 dpi)."""

    name: str
    package: str
    weight: int
    size_px: int
    characters: str


CUTS = (
    Cut("caption_13", "open-sans", 700, 13, ASCII + DEGREE),
    # Finer than anything on the board: for the self-test's card.
    Cut("caption_17", "open-sans", 700, 17, ASCII),
    Cut("caption_21", "fira-sans", 600, 21, ASCII + DEGREE),
    Cut("body_18", "fira-sans", 600, 18, ASCII + DEGREE),
    Cut("body_25", "fira-sans", 600, 25, ASCII + DEGREE),
    Cut("value_28", "fira-sans", 600, 28, ASCII + DEGREE),
    Cut("value_34", "fira-sans", 600, 34, ASCII + DEGREE),
    Cut("value_42", "fira-sans", 600, 42, ASCII + DEGREE),
    Cut("title_64", "fira-sans", 600, 64, ASCII + DEGREE),
    Cut("numeral_84", "fira-sans", 600, 84, NUMERALS),
    Cut("numeral_128", "fira-sans", 600, 128, NUMERALS),
)


@dataclass(frozen=True)
class Glyph:
    """A picture of one character: ``left`` and ``top`` place it from the pen position on the baseline, px."""

    left: int
    top: int
    width: int
    height: int
    advance: int
    bits: bytes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of ``inktop fonts``."""
    parser.add_argument(
        "--check", action="store_true", help="only compare: fail when a committed table differs"
    )
    parser.add_argument(
        "--packages",
        type=Path,
        metavar="DIR",
        help="a folder with the packages' .tgz files (default: npm brings them)",
    )


def run(args: argparse.Namespace) -> int:
    """Writes the tables, or compares them; 0 when they are (now) as generated."""
    files = generate(args.packages)
    different = [name for name, data in files.items() if not _same(FONTS_DIR / name, data)]
    if args.check:
        for name in different:
            print(f"differs: firmware/core/picture/fonts/{name}", file=sys.stderr)
        if different:
            raise InktopError("the font tables are not what the generator makes: run `inktop fonts`")
        print(f"{len(files)} font files are as generated")
        return 0
    FONTS_DIR.mkdir(parents=True, exist_ok=True)
    for name in different:
        (FONTS_DIR / name).write_bytes(files[name])
        print(f"wrote firmware/core/picture/fonts/{name}")
    return 0


def _same(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data


def generate(packages: Optional[Path] = None) -> Dict[str, bytes]:
    """All generated files by name: the tables and the licences beside them.

    Raises InktopError where Pillow or the packages are not the pinned ones.
    """
    import PIL
    from PIL import features

    if PIL.__version__ != PILLOW or not features.check("raqm"):
        raise InktopError(
            f"the tables need Pillow {PILLOW} with raqm, this is {PIL.__version__}: "
            "run `.venv/bin/pip install -e '.[fonts]'`"
        )
    archives = {name: _package(name, packages) for name in PACKAGES}
    files: Dict[str, bytes] = {}
    for name in PACKAGES:
        files[f"LICENSE-{name}"] = archives[name]["package/LICENSE"]
    for cut in CUTS:
        woff = archives[cut.package][f"package/files/{cut.package}-latin-{cut.weight}-normal.woff"]
        files[f"{cut.name}.cpp"] = _table(cut, woff).encode("ascii")
    return files


def _package(name: str, folder: Optional[Path]) -> Dict[str, bytes]:
    """The files of one npm package (name in the archive -> content)."""
    archive_name = f"fontsource-{name}-{PACKAGES[name]}.tgz"
    if folder is not None:
        path = folder / archive_name
        if not path.is_file():
            raise InktopError(f"{path} is missing: run `npm pack @fontsource/{name}` there")
        data = path.read_bytes()
    else:
        npm = shutil.which("npm")
        if npm is None:
            raise InktopError("npm is needed to bring the fonts: install it, or give --packages")
        with tempfile.TemporaryDirectory() as scratch:
            command = [npm, "pack", "--silent", f"@fontsource/{name}@{PACKAGES[name]}"]
            done = subprocess.run(command, cwd=scratch, capture_output=True, text=True)
            if done.returncode != 0:
                raise InktopError(f"npm could not bring @fontsource/{name}: {done.stderr.strip()}")
            data = (Path(scratch) / archive_name).read_bytes()
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        files = {}
        for member in archive.getmembers():
            stream = archive.extractfile(member)
            if stream is not None:
                files[member.name] = stream.read()
        return files


def _glyphs(cut: Cut, woff: bytes) -> Tuple[List[Glyph], int, int]:
    """The glyphs of a cut, the box for unknown bytes last; ascent and descent in px."""
    from PIL import ImageFont

    font = ImageFont.truetype(io.BytesIO(woff), cut.size_px, layout_engine=ImageFont.Layout.RAQM)
    glyphs = []
    for character in cut.characters:
        features = ["tnum"] if character.isdigit() else None
        advance = int(font.getlength(character, mode="1", features=features) + 0.5)
        mask = font.getmask(character, mode="1", features=features)
        left, top, right, bottom = font.getbbox(character, mode="1", features=features, anchor="ls")
        glyphs.append(_cropped(mask, int(left), int(top), advance))
    capital = -int(font.getbbox("H", mode="1", anchor="ls")[1])
    glyphs.append(_box(capital, cut.size_px))
    tallest = max(-glyph.top for glyph in glyphs)
    deepest = max(glyph.top + glyph.height for glyph in glyphs)
    return glyphs, tallest, deepest


def _cropped(mask: object, left: int, top: int, advance: int) -> Glyph:
    """A glyph without the empty rows and columns around it."""
    width, height = mask.size  # type: ignore[attr-defined]
    rows = [
        [mask.getpixel((x, y)) != 0 for x in range(width)]  # type: ignore[attr-defined]
        for y in range(height)
    ]
    inked = [y for y, row in enumerate(rows) if any(row)]
    if not inked:
        return Glyph(0, 0, 0, 0, advance, b"")
    columns = [x for x in range(width) if any(row[x] for row in rows)]
    first_row, last_row, first, last = inked[0], inked[-1], columns[0], columns[-1]
    bits = b"".join(_packed(row[first : last + 1]) for row in rows[first_row : last_row + 1])
    return Glyph(left + first, top + first_row, last - first + 1, last_row - first_row + 1, advance, bits)


def _packed(row: List[bool]) -> bytes:
    """One row of a glyph: eight pixels a byte, the left one in the lowest bit."""
    data = bytearray((len(row) + 7) // 8)
    for x, ink in enumerate(row):
        if ink:
            data[x >> 3] |= 1 << (x & 7)
    return bytes(data)


def _box(capital: int, size: int) -> Glyph:
    """The visible box for a byte that the font does not have: as tall as a capital letter."""
    stroke = max(1, size // 12)
    width = capital * 2 // 3
    rows = []
    for y in range(capital):
        edge = y < stroke or y >= capital - stroke
        rows.append([edge or x < stroke or x >= width - stroke for x in range(width)])
    return Glyph(stroke, -capital, width, capital, width + 2 * stroke, b"".join(_packed(row) for row in rows))


def _table(cut: Cut, woff: bytes) -> str:
    """The C++ file of one cut."""
    glyphs, ascent, descent = _glyphs(cut, woff)
    capital = glyphs[-1].height
    index = {character: number for number, character in enumerate(cut.characters)}
    box = len(glyphs) - 1
    lines = [
        f"// Generated by `inktop fonts`: {cut.package} {PACKAGES[cut.package]}, weight {cut.weight}, "
        f"{cut.size_px} px; do not edit. Licence: LICENSE-{cut.package}.",
        '#include "fonts.h"',
        "",
        "namespace inktop {",
        "namespace {",
        "",
        "const uint8_t kBits[] = {",
    ]
    bits = b"".join(glyph.bits for glyph in glyphs)
    lines += _numbers(list(bits))
    lines += ["};", "", "const Glyph kGlyphs[] = {"]
    offset = 0
    for glyph in glyphs:
        lines.append(
            f"    {{{offset}, {glyph.advance}, {glyph.left}, {glyph.top}, {glyph.width}, {glyph.height}}},"
        )
        offset += len(glyph.bits)
    lines += ["};", "", "const uint8_t kIndex[95] = {"]
    lines += _numbers([index.get(character, box) for character in ASCII])
    lines += [
        "};",
        "",
        "}  // namespace",
        "",
        f"const Font k{_camel(cut.name)} = {{kBits, kGlyphs, kIndex, {box}, {index.get(DEGREE, box)}, "
        f"{ascent}, {descent}, {capital}}};",
        "",
        "}  // namespace inktop",
        "",
    ]
    return "\n".join(lines)


def _numbers(values: List[int]) -> List[str]:
    return [
        "    " + " ".join(f"{value}," for value in values[start : start + 32])
        for start in range(0, len(values), 32)
    ]


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))
