"""One picture that explains a verdict: what is said, photo, straightened, expected, difference, runs."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any, List, Optional, Tuple

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from inktop_tools import pictures
from inktop_tools.photo import compare, runs
from inktop_tools.photo.compare import Seen
from inktop_tools.photo.expected import Wanted
from inktop_tools.photo.scene import Box
from inktop_tools.photo.verdict import Verdict

Array = Any

_WIDE, _TALL, _GAP, _TITLE, _HEAD, _FOOT = 760, 428, 20, 30, 110, 330
_COLOURS = {"clean": (20, 120, 60), "unusable": (120, 120, 120)}
_FAULTY = (190, 30, 30)


def write(path: Path, photo: Array, wanted: Wanted, verdict: Verdict) -> None:
    """Writes the report. Raises InktopError when it cannot."""
    seen = verdict.seen
    shows = verdict.shows or next(iter(wanted.pictures))
    expected = cv2.cvtColor(wanted.pictures[shows], cv2.COLOR_GRAY2RGB)
    tiles = [("the photo, and the panel's outline as it was fitted", _outlined(photo, verdict))]
    if seen is not None:
        where = ", the fault framed" if verdict.box is not None else ""
        tiles.append((f"straightened, light taken out{where}", _framed(_shown(seen), verdict.box)))
    tiles.append((f"expected: {shows}", _framed(expected, verdict.box)))
    if seen is not None:
        tiles.append(("difference: red is too dark, blue too light, hatched is not seen", _difference(seen)))
    page = Image.new("RGB", (2 * _WIDE + 3 * _GAP, _HEAD + 2 * (_TALL + _TITLE + _GAP) + _FOOT), "white")
    draw = ImageDraw.Draw(page)
    _head(draw, page.width, verdict)
    small = ImageFont.load_default(size=17)
    for index, (title, tile) in enumerate(tiles):
        x = _GAP + index % 2 * (_WIDE + _GAP)
        y = _HEAD + index // 2 * (_TALL + _TITLE + _GAP)
        draw.text((x, y + 4), title, "black", font=small)
        page.paste(_fit(tile), (x, y + _TITLE))
    top = _HEAD + 2 * (_TALL + _TITLE + _GAP)
    wrapped = [part for line in _lines(verdict) for part in textwrap.wrap(line, 90, subsequent_indent="   ")]
    draw.multiline_text((_GAP, top), "\n".join(wrapped), "black", font=small, spacing=7)
    if seen is not None and verdict.is_fault:
        _histograms(draw, seen, (2 * _GAP + _WIDE, top))
    pictures.save(path, page)


def _head(draw: Any, width: int, verdict: Verdict) -> None:
    draw.rectangle((0, 0, width, _HEAD - 16), fill=_COLOURS.get(verdict.layer, _FAULTY))
    draw.text((_GAP, 8), verdict.layer.upper(), "white", font=ImageFont.load_default(size=40))
    text = textwrap.shorten(verdict.text, 120, placeholder=" …")
    draw.text((_GAP, 56), text, "white", font=ImageFont.load_default(size=24))


def _lines(verdict: Verdict) -> List[str]:
    lines = [f"Next: {verdict.next_step}", ""]
    if verdict.is_fault:
        lines.append(f"Confidence: {verdict.confidence * 100:.0f} %")
    if verdict.runner_up is not None:
        lines.append(f"Or else: {verdict.runner_up.text} ({verdict.runner_up.layer})")
    return lines + verdict.evidence


def _fit(tile: Array) -> Image.Image:
    share = min(_WIDE / tile.shape[1], _TALL / tile.shape[0])
    size = (max(1, int(tile.shape[1] * share)), max(1, int(tile.shape[0] * share)))
    return Image.fromarray(cv2.resize(tile, size, interpolation=cv2.INTER_AREA))


def _outlined(photo: Array, verdict: Verdict) -> Array:
    out = photo[:, :, ::-1].copy()
    if verdict.fit is not None:
        lens = verdict.fit.lens
        corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * lens.panel
        ends = np.roll(corners, -1, axis=0)
        along = np.linspace(0, 1, 20)[:, None]
        points = np.concatenate([a + (b - a) * along for a, b in zip(corners, ends)])
        cv2.polylines(out, [lens(points).astype(np.int32)], True, (0, 200, 80), max(2, max(out.shape) // 300))
    return out


def _shown(seen: Seen) -> Array:
    return cv2.cvtColor(np.clip(seen.shown * 255, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2RGB)


def _framed(picture: Array, box: Optional[Box]) -> Array:
    if box is not None:
        left, top, right, bottom = (int(value) for value in box)
        cv2.rectangle(picture, (left - 4, top - 4), (right + 3, bottom + 3), (230, 0, 0), 6)
    return picture


def _difference(seen: Seen) -> Array:
    off = seen.difference
    out = np.full((*off.shape, 3), 255.0)
    out[:, :, 1] -= 255 * np.clip(abs(off), 0, 1)
    out[:, :, 2] -= 255 * np.clip(-off, 0, 1)
    out[:, :, 0] -= 255 * np.clip(off, 0, 1)
    hidden = ~compare.pixels_of(seen.visible, off.shape)
    ys, xs = np.mgrid[: off.shape[0], : off.shape[1]]
    out[hidden & ((xs + ys) % 24 < 8)] = 190
    return out.astype(np.uint8)


def _histograms(draw: Any, seen: Seen, at: Tuple[int, int]) -> None:
    """How long wrong stretches are, and on which grid they begin and end."""
    x, y = at
    font = ImageFont.load_default(size=15)
    wrong = seen.wrong(seen.blurred)
    for side, (name, edges, lengths) in enumerate(
        zip(("across", "down"), runs.edges_of(wrong, compare.CELL), runs.lengths_of(wrong, compare.CELL))
    ):
        left = x + side * 390
        draw.text((left, y), f"wrong stretches {name}: length, px", "black", font=font)
        most = max(lengths.values(), default=1)
        for index, (length, count) in enumerate(sorted(lengths.items(), key=lambda one: -one[1])[:6]):
            top = y + 24 + index * 19
            draw.text((left, top), f"{length:>4}", "black", font=font)
            draw.rectangle((left + 46, top + 3, left + 46 + 200 * count / most, top + 15), fill=(60, 60, 60))
            draw.text((left + 252, top), f"{count} x", "black", font=font)
        below = y + 146
        draw.text(
            (left, below), f"their {len(edges)} edges on a grid of (pale: by chance)", "black", font=font
        )
        for index, (grid, (share, chance)) in enumerate(list(runs.on_grids(edges).items())[1:]):
            top = below + 24 + index * 24
            draw.text((left, top), f"{grid} px", "black", font=font)
            draw.rectangle((left + 46, top, left + 46 + 200 * chance, top + 17), fill=(205, 205, 205))
            draw.rectangle((left + 46, top + 4, left + 46 + 200 * share, top + 13), fill=(60, 60, 60))
            draw.text((left + 252, top), f"{share * 100:.0f} %", "black", font=font)
