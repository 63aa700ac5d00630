"""What a family of faults gets to see, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

import cv2
import numpy as np

from inktop_tools.photo import light
from inktop_tools.photo.compare import CELL, Seen, cells_of, pixels_of

Array = Any
Box = Tuple[int, int, int, int]
_FEW_CELLS = 8
#: Pixels around a box of cells that may belong to it; how far off a pixel clearly is.
_NEXT_TO, _CLEARLY = 10, 0.2
#: A cell is a little off from this on, in the mean square's root.
_LITTLE = 0.12


@dataclass
class Explanation:
    """One way to make the photo from the expected picture. `score`: share of the difference it explains."""

    layer: str
    family: str
    text: str
    score: float
    box: Optional[Box] = None  # left, top, right, bottom, panel pixels
    parameters: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Scene:
    """The compared photo, the pictures that may have been there before, the tile of the redraw."""

    seen: Seen
    before: Dict[str, Array]  # name -> picture 0 … 1
    tile: int = 64
    bands: List[Tuple[int, int]] = field(default_factory=list)  # rows that one update redraws

    def __post_init__(self) -> None:
        self._before: Dict[str, Array] = {}
        self.off = self.seen.difference
        self.mask = pixels_of(self.seen.visible, self.off.shape)
        self.wrong = self.seen.wrong(self.seen.blurred)
        cell = cells_of(self.off**2)
        usual = float(np.median(cell[self.seen.visible])) if self.seen.visible.any() else 0.0
        near = cv2.dilate(self.wrong.astype(np.uint8), np.ones((3, 3))) > 0
        where = near if self.wrong.sum() >= _FEW_CELLS else self.seen.visible
        self._beyond_noise, self._near = cell - usual, where
        self._to_explain = float(np.maximum(self._beyond_noise, 0)[where].sum()) * CELL * CELL
        # For what is thin: the light may change within a few centimetres.
        self.fine = np.where(self.mask, light.steady(self.seen) - self.seen.blurred, 0).astype(np.float32)

    def blurred_before(self) -> Dict[str, Array]:
        """The pictures before and the inverted one, as the photo would show them."""
        if not self._before:
            self._before = {name: self.seen.blur(one) for name, one in self.before.items()}
            self._before["the inverted picture"] = 1 - self.seen.blurred
        return self._before

    def gain(self, picture: Array) -> Array:
        """Per pixel, how much nearer `picture` (0 … 1, sharp) is to the photo than the expected one."""
        return self.gain_of(self.seen.blur(picture))

    def gain_of(self, blurred: Array) -> Array:
        """The same for a picture that is blurred already."""
        gain = self.off**2 - (self.seen.shown - blurred) ** 2
        gain[~self.mask] = 0
        return gain

    def energy(self, box: Box) -> float:
        """The share of the difference that is in and next to this box."""
        left, top, right, bottom = (side // CELL for side in box)
        near = self._beyond_noise[max(0, top - 1) : bottom + 2, max(0, left - 1) : right + 2]
        where = self._near[max(0, top - 1) : bottom + 2, max(0, left - 1) : right + 2]
        return self.share(float(np.maximum(near, 0)[where].sum()) * CELL * CELL)

    def around(self, cells: Array) -> Optional[Box]:
        """The box of these cells and of what is a little off beside them: grey, or thin."""
        seen = self.seen
        rms = np.sqrt(cells_of(self.off**2))
        usual = float(np.median(rms[seen.visible])) if seen.visible.any() else 1.0
        # Edges and hatching are never quite as the blur says.
        busy = np.sqrt(cells_of((seen.expected - seen.blurred) ** 2))
        little = opened((rms > max(_LITTLE, 3 * usual) + 0.5 * busy) & seen.visible) | cells
        _, labels = cv2.connectedComponents(cv2.dilate(little.astype(np.uint8), np.ones((9, 9))))
        touched = np.isin(labels, np.unique(labels[cells])) & little & (labels > 0)
        box = box_of(touched)
        return None if box is None else tight(self, box)

    def strength(self, change: Array, where: Any = None) -> float:
        """How much of `change` (blurred) is in the difference: 0 none, 1 all of it."""
        mask = self.mask if where is None else self.mask & where
        square = float((change[mask] ** 2).sum())
        return float((self.off[mask] * change[mask]).sum()) / square if square > 1 else 0.0

    def share(self, gained: float) -> float:
        """Of the difference where cells are wrong; where none is, of all beyond what noise makes."""
        return min(1.0, gained / max(self._to_explain, 1e-6))


def tight(scene: Scene, box: Box, off: Any = None) -> Box:
    """The box around the pixels that are wrong in or next to `box`: cells know it only roughly."""
    rows, columns = scene.off.shape
    left, top, right, bottom = box
    left, top = max(0, left - _NEXT_TO), max(0, top - _NEXT_TO)
    right, bottom = min(columns, right + _NEXT_TO), min(rows, bottom + _NEXT_TO)
    part = (scene.off if off is None else off)[top:bottom, left:right]
    wrong = abs(cv2.blur(np.ascontiguousarray(part), (3, 3))) > max(_CLEARLY, 2 * scene.seen.noise)
    found = cv2.morphologyEx(wrong.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    ys, xs = np.nonzero(found)
    if not len(ys):
        return box
    return left + int(xs.min()), top + int(ys.min()), left + int(xs.max()) + 1, top + int(ys.max()) + 1


def best_span(values: Array) -> Tuple[int, int, float]:
    """The span (start, end) with the greatest sum."""
    total = np.concatenate([[0.0], np.cumsum(values)])
    low = np.minimum.accumulate(total[:-1])
    best = total[1:] - low
    end = int(np.argmax(best)) + 1
    start = int(np.argmin(total[:end]))
    return start, end, float(best[end - 1])


def opened(cells: Array) -> Array:
    """Without cells that are part of no square of two by two."""
    two = np.ones((2, 2), np.uint8)
    # The anchors differ, or a kernel of even size would move everything by a cell.
    kept = cv2.erode(cells.astype(np.uint8), two, anchor=(0, 0))
    return cv2.dilate(kept, two, anchor=(1, 1)) > 0


def box_of(cells: Array) -> Optional[Box]:
    """Around all set cells, panel pixels."""
    rows, columns = np.nonzero(cells)
    if not len(rows):
        return None
    return (
        int(columns.min()) * CELL,
        int(rows.min()) * CELL,
        int(columns.max() + 1) * CELL,
        int(rows.max() + 1) * CELL,
    )
