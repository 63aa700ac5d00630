"""Pulses too weak or too few: ghosts of what was shown before, pixels half driven."""

from __future__ import annotations

from typing import Any, List

import cv2
import numpy as np

from inktop_tools.photo.compare import CELL, cells_of
from inktop_tools.photo.scene import Explanation, Scene, box_of, opened

Array = Any

_FAINTEST = 0.025
_HALF = (0.15, 0.75)
_WINDOWS = 6


def propose(scene: Scene) -> List[Explanation]:
    """Mixtures of the expected picture with one that may have been there before."""
    found = []
    for name, picture in scene.blurred_before().items():
        found += _ghost(scene, name, picture)
        if scene.wrong.any():
            found += _half(scene, name, picture)
    return found


def _detail(picture: Array) -> Array:
    return picture - cv2.blur(picture, (33, 33))


def _ghost(scene: Scene, name: str, picture: Array) -> List[Explanation]:
    if name == "the inverted picture" or scene.wrong.mean() > 0.3:
        return []
    old, now, off = (_detail(one) for one in (picture, scene.seen.blurred, scene.off))
    # Only where the expected picture is even: its own edges are never quite as sharp as they should be.
    level = cv2.blur(abs(now), (5, 5))
    mask = scene.mask & (level < 0.03) & (abs(scene.off) < 0.3)
    if mask.sum() < 20000:
        return []
    # It lies over all of the panel alike: an old part of the picture does not.
    product = cells_of(np.where(mask, off * old, 0))
    square = cells_of(np.where(mask, old * old, 0))
    parts = []
    for rows in np.array_split(np.arange(product.shape[0]), _WINDOWS):
        for columns in np.array_split(np.arange(product.shape[1]), _WINDOWS):
            part = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            total = float(square[part].sum()) * CELL * CELL
            if total > 60:
                parts.append(float(product[part].sum()) * CELL * CELL / total)
    if len(parts) < 8:
        return []
    low, strength, high = (float(value) for value in np.quantile(parts, (0.25, 0.5, 0.75)))
    if not _FAINTEST < strength < 0.55 or low < 0.4 * strength or high > 2 * strength:
        return []
    text = f"a ghost of {name} shines through, {strength * 100:.0f} % strong"
    return [Explanation("waveform", "ghost", text, 0.3 + strength, None, {"strength": round(strength, 3)})]


def _half(scene: Scene, name: str, picture: Array) -> List[Explanation]:
    change = picture - scene.seen.blurred
    square = cells_of(change**2)
    share = cells_of(scene.off * change) / np.maximum(square, 1e-3)
    usable = (square > 0.05) & scene.seen.visible
    hit = usable & (share > _HALF[0]) & (share < _HALF[1])
    hit = opened(hit)
    if hit.sum() < 12:
        return []
    strength = float(np.median(share[hit]))
    darker = usable & (cells_of(change) < -0.2)
    box = box_of(hit) or (0, 0, 0, 0)
    near = np.zeros_like(hit)
    near[box[1] // CELL : box[3] // CELL, box[0] // CELL : box[2] // CELL] = True
    # Ink that is grey while the paper beside it is white has faded: nothing of an old picture is there.
    both = (darker & near).sum() > 6 and float(np.median(share[darker & near])) > 0.1
    rest = cells_of((scene.off - strength * change) ** 2)
    hit &= rest < 0.5 * cells_of(scene.off**2)
    if hit.sum() < 12:
        return []
    box = box_of(hit) or box
    inside = np.s_[box[1] // CELL : box[3] // CELL, box[0] // CELL : box[2] // CELL]
    if hit[inside].sum() < 0.3 * usable[inside].sum():
        return []
    gained = float(((cells_of(scene.off**2) - rest) * hit).sum()) * CELL * CELL
    text = f"an area is half driven: {strength * 100:.0f} % of {name} is left"
    share = scene.share(gained) * (1.0 if both else 0.7)
    return [Explanation("waveform", "half-driven", text, share, box, {"strength": round(strength, 2)})]
