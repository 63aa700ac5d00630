"""What was not driven, or driven with old differences: old bands, rectangles, halves, tiles."""

from __future__ import annotations

from typing import Any, Dict, List

import cv2
import numpy as np

from inktop_tools.photo.compare import CELL, cells_of, pixels_of
from inktop_tools.photo.runs import edges_of
from inktop_tools.photo.scene import Explanation, Scene, best_span, box_of, opened, tight

Array = Any

_LEAST_CELLS = 6
#: Of the difference that has no name, so much counts as explained by where it is.
_UNNAMED = 0.55
#: Of wrong pixels; a pixel off by less than the second is grey.
_GREY, _HARD = 0.7, 0.68
_ON_TILES, _FEWEST_EDGES = 0.6, 8
#: Of the panel's width and height.
_SPREAD, _MOST = 0.6, (0.03, 0.97)


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
    hit = opened(hit)
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
        box = tight(scene, box)
        shape = f"rows {box[1]} to {box[3]}" if wide else f"an area of {box[2] - box[0]}x{box[3] - box[1]} px"
        text = f"{shape} at {box[0]}, {box[1]} still show {name}"
        return Explanation(
            "refresh", "old-band" if wide else "old-area", text, scene.share(gained), box, facts
        )
    text = f"tiles here and there show {name}"
    return Explanation("refresh", "tiles", text, scene.share(gained) - 0.05, box, facts)


def _unknown(scene: Scene) -> Any:
    """What is there belongs to no known picture: told by how hard it is, where it lies, and on which grid."""
    wrong = opened(scene.wrong)
    if wrong.sum() < _LEAST_CELLS:
        return None
    box = scene.around(wrong) or (0, 0, 0, 0)
    # A picture that is known and explains it says more.
    share = _UNNAMED * scene.energy(box)
    grey = _greyness(scene, wrong)
    rows, columns = scene.off.shape
    ys, xs = np.nonzero(wrong)
    wide, tall = (float(np.ptp(np.quantile(at, _MOST)) * CELL) for at in (xs, ys))
    wide, tall = wide / columns, tall / rows
    tiled = _tiled(wrong, scene.tile)
    facts: Dict[str, Any] = {"grey": round(grey, 2), "on_tiles": round(tiled, 2)}
    if grey > _GREY:
        text = "an area is grey where black or white should be"
        return Explanation("waveform", "grey-area", text, share, box, facts)
    if tiled > _ON_TILES:
        text = f"hard black and white that does not belong there, with edges on the grid of {scene.tile} px"
        return Explanation("refresh", "tiles", text, share, box, facts)
    if max(wide, tall) > _SPREAD and min(wide, tall) > _SPREAD:
        text = "all over the panel it shows something else, drawn well: other data, or another version"
        return Explanation("content", "other-content", text, share, None, facts)
    wide = (box[2] - box[0]) / columns
    what = f"rows {box[1]} to {box[3]} show" if wide > 0.85 else "an area shows"
    text = f"{what} something else, drawn well: what was there before, not redrawn"
    return Explanation("refresh", "old-band" if wide > 0.85 else "old-area", text, share, box, facts)


def _greyness(scene: Scene, wrong: Array) -> float:
    """The share of grey among wrong pixels where all is even: edges are grey anyway.

    Ink and paper apart, and the lesser of both: a hatched area that belongs elsewhere is grey too, but it
    leaves nothing of the ink that should be there.
    """
    picture = scene.seen.expected
    even = cv2.dilate(picture, np.ones((5, 5))) == cv2.erode(picture, np.ones((5, 5)))
    smooth = cv2.blur(scene.seen.shown, (3, 3))
    flat = cv2.dilate(smooth, np.ones((3, 3))) - cv2.erode(smooth, np.ones((3, 3))) < max(
        0.15, 3 * scene.seen.noise
    )
    inside = even & flat & pixels_of(wrong, even.shape) & (abs(scene.off) > 0.2)
    both = [abs(scene.off[inside & (picture == level)]) for level in (0, 1)]
    enough = max(200, 0.1 * max(len(one) for one in both))
    return min((float((one < _HARD).mean()) for one in both if len(one) >= enough), default=0.0)


def _tiled(wrong: Array, tile: int) -> float:
    """How much more often than by chance the edges of wrong areas lie on the grid of tiles: 0 … 1."""
    across, down = edges_of(wrong, CELL)
    edges = across + down
    if len(edges) < _FEWEST_EDGES:
        return 0.0
    share = sum(min(edge % tile, -edge % tile) < CELL for edge in edges) / len(edges)
    chance = CELL / tile
    return max(0.0, (share - chance) / max(1e-6, 1 - chance))
