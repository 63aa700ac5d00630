"""One picture that explains a verdict: photo, straightened, expected, difference, runs, words."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any, List, Optional

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

_WIDE, _TALL, _GAP, _HEAD = 760, 428, 20, 30


def write(path: Path, photo: Array, wanted: Wanted, verdict: Verdict) -> None:
    """Writes the report. Raises InktopError when it cannot."""
    shows = verdict.shows or next(iter(wanted.pictures))
    tiles = [
        ("photo, and the outline that was fitted", _outlined(photo, verdict)),
        (f"expected: {shows}", cv2.cvtColor(wanted.pictures[shows], cv2.COLOR_GRAY2RGB)),
    ]
    if verdict.seen is not None:
        tiles[1:1] = [("straightened, light removed", _shown(verdict.seen, verdict.box))]
        tiles.append(
            ("difference: red is too dark, blue too light, hatched not seen", _difference(verdict.seen))
        )
    page = Image.new("RGB", (2 * _WIDE + 3 * _GAP, 2 * (_TALL + _HEAD) + 3 * _GAP + 330), "white")
    draw = ImageDraw.Draw(page)
    small, big = ImageFont.load_default(size=17), ImageFont.load_default(size=30)
    for index, (title, tile) in enumerate(tiles):
        x = _GAP + index % 2 * (_WIDE + _GAP)
        y = _GAP + index // 2 * (_TALL + _HEAD + _GAP)
        draw.text((x, y), title, "black", font=small)
        page.paste(_fit(tile), (x, y + _HEAD))
    top = 2 * (_TALL + _HEAD + _GAP) + _GAP
    draw.text((_GAP, top), f"{verdict.layer}: {verdict.text}"[:100], "black", font=big)
    lines: List[str] = [*verdict.evidence]
    if verdict.runner_up is not None:
        lines.append(f"else: {verdict.runner_up.text} ({verdict.runner_up.layer})")
    if verdict.is_fault:
        lines.append(f"confidence {verdict.confidence * 100:.0f} %")
    lines.append(f"next: {verdict.next_step}")
    wrapped = [part for line in lines for part in textwrap.wrap(line, 92, subsequent_indent="    ")]
    draw.multiline_text((_GAP, top + 48), "\n".join(wrapped), "black", font=small, spacing=7)
    if verdict.seen is not None:
        _histogram(draw, verdict.seen, (_GAP * 2 + _WIDE + 120, top + 50), small)
    pictures.save(path, page)


def _fit(tile: Array) -> Image.Image:
    share = min(_WIDE / tile.shape[1], _TALL / tile.shape[0])
    size = (int(tile.shape[1] * share), int(tile.shape[0] * share))
    return Image.fromarray(cv2.resize(tile, size, interpolation=cv2.INTER_AREA))


def _outlined(photo: Array, verdict: Verdict) -> Array:
    out = photo[:, :, ::-1].copy()
    if verdict.fit is not None:
        lens = verdict.fit.lens
        corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * lens.panel
        ends = np.roll(corners, -1, axis=0)
        points = np.concatenate([a + (b - a) * np.linspace(0, 1, 20)[:, None] for a, b in zip(corners, ends)])
        thick = max(2, max(out.shape) // 400)
        cv2.polylines(out, [lens(points).astype(np.int32)], True, (0, 170, 60), thick)
    return out


def _shown(seen: Seen, box: Optional[Box]) -> Array:
    grey = np.clip(seen.shown * 255, 0, 255).astype(np.uint8)
    out = cv2.cvtColor(grey, cv2.COLOR_GRAY2RGB)
    if box is not None:
        left, top, right, bottom = (int(value) for value in box)
        cv2.rectangle(out, (left, top), (right - 1, bottom - 1), (220, 0, 0), 6)
    return out


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


def _histogram(draw: Any, seen: Seen, at: Any, font: Any) -> None:
    x, y = at
    draw.text((x, y - 26), "edges of wrong areas on a grid (grey: by chance)", "black", font=font)
    for side, edges in enumerate(runs.edges_of(seen.wrong(seen.blurred), compare.CELL)):
        draw.text((x + side * 290, y + 4), "across" if side == 0 else "down", "black", font=font)
        for index, (grid, (share, chance)) in enumerate(runs.on_grids(edges).items()):
            top = y + 34 + index * 34
            left = x + side * 290 + 50
            draw.text((left - 50, top), f"{grid} px", "black", font=font)
            draw.rectangle((left, top, left + 180 * chance, top + 24), fill=(205, 205, 205))
            draw.rectangle((left, top + 5, left + 180 * share, top + 19), fill=(40, 40, 40))
        draw.text((x + side * 290, y + 174), f"{len(edges)} edges", "black", font=font)
