"""What was not driven, or driven with old differences: old bands, rectangles, halves, tiles."""

from __future__ import annotations

from typing import Any, Dict, List

import cv2
import numpy as np

from inktop_tools.photo.compare import CELL, cells_of
from inktop_tools.photo.scene import Box, Explanation, Scene, best_span, box_of

Array = Any

_LEAST_CELLS = 6


def propose(scene: Scene) -> List[Explanation]:
    """Regions that show the picture before, the inverse, or hard black and white of neither."""
    found: List[Explanation] = []
    if scene.wrong.sum() < _LEAST_CELLS:
        return found
    for name, picture in scene.blurred_before().items():
        one = _old(scene, name, picture)
        if one is not None:
            found.append(one)
    unknown = _unknown(scene)
    return [*found, *([unknown] if unknown is not None else [])]


def _old(scene: Scene, name: str, picture: Array) -> Any:
    change = picture - scene.seen.blurred
    gain = scene.gain_of(picture)
    cells = cells_of(gain)
    top, end, total = best_span(cells.sum(axis=1))
    left, right, total = best_span(cells[top:end].sum(axis=0))
    if total <= 0:
        return None
    hit = (cells > 0.02) & scene.seen.visible
    hit = cv2.morphologyEx(hit.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)) > 0
    differs = (cells_of(change**2) > 0.03) & scene.seen.visible
    if hit.sum() < _LEAST_CELLS:
        return None
    strength = scene.strength(change, np.repeat(np.repeat(hit, CELL, 0), CELL, 1)[: change.shape[0]])
    box = box_of(hit) or (0, 0, 0, 0)
    inside = np.s_[box[1] // CELL : box[3] // CELL, box[0] // CELL : box[2] // CELL]
    filled = hit[inside].sum() / max(1, differs[inside].sum())
    gained = float(cells[hit].sum()) * CELL * CELL
    wide = box[2] - box[0] > 0.9 * change.shape[1]
    facts: Dict[str, Any] = {"of": name, "strength": round(strength, 2), "filled": round(filled, 2)}
    if strength < 0.75:
        return None  # partly driven: the waveform's
    if filled > 0.6 and hit.sum() > 0.9 * differs.sum():
        return Explanation("content", "other-content", f"it shows {name}", scene.share(gained), None, facts)
    if filled > 0.6:
        shape = f"rows {box[1]} to {box[3]}" if wide else f"an area of {box[2] - box[0]}x{box[3] - box[1]} px"
        text = f"{shape} at {box[0]}, {box[1]} still show {name}"
        return Explanation(
            "refresh", "old-band" if wide else "old-area", text, scene.share(gained), box, facts
        )
    text = f"tiles here and there show {name}"
    return Explanation("refresh", "tiles", text, scene.share(gained) - 0.05, box, facts)


def on_grid(box: Box, tile: int, edge: int) -> bool:
    """Whether the edges of `box` lie on a grid of `tile` (or of its half), within a cell."""
    return all(min(at % tile, -at % tile) <= edge for at in box)


def _unknown(scene: Scene) -> Any:
    wrong = cv2.morphologyEx(scene.wrong.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)) > 0
    if wrong.sum() < _LEAST_CELLS:
        return None
    box = box_of(wrong) or (0, 0, 0, 0)
    energy = float((cells_of(scene.off**2) * wrong).sum()) * CELL * CELL
    even = np.s_[box[1] : box[3], box[0] : box[2]]
    shown = scene.seen.shown[even][np.repeat(np.repeat(wrong, CELL, 0), CELL, 1)[even]]
    grey = float(((shown > 0.25) & (shown < 0.75)).mean())
    facts = {"grey": round(grey, 2)}
    share = 0.6 * scene.share(energy)
    if grey > 0.65:
        text = "an area is grey where black or white should be"
        return Explanation("waveform", "grey-area", text, share, box, facts)
    if on_grid(box, scene.tile, CELL):
        text = f"hard black and white that does not belong there, with edges on the grid of {scene.tile} px"
        return Explanation("refresh", "foreign-area", text, share, box, facts)
    return Explanation(
        "unknown", "unknown", "an area shows something else, and no fault that is known explains it",
        0.5 * share, box, facts,
    )  # fmt: skip
