"""What a family of faults gets to see, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from inktop_tools.photo import light
from inktop_tools.photo.compare import CELL, Seen, cells_of, pixels_of

Array = Any
Box = Tuple[int, int, int, int]


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
        self.energy = float((self.off**2).sum())
        # The part of it that noise and the edges of a healthy picture make.
        cell = cells_of(self.off**2)
        self.floor = (
            float(np.median(cell[self.seen.visible])) * self.off.size if self.seen.visible.any() else 0.0
        )
        self.wrong = self.seen.wrong(self.seen.blurred)
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

    def strength(self, change: Array, where: Any = None) -> float:
        """How much of `change` (blurred) is in the difference: 0 none, 1 all of it."""
        mask = self.mask if where is None else self.mask & where
        square = float((change[mask] ** 2).sum())
        return float((self.off[mask] * change[mask]).sum()) / square if square > 1 else 0.0

    def share(self, gained: float) -> float:
        """Of the difference beyond the floor."""
        return min(1.0, gained / max(self.energy - min(self.floor, 0.5 * self.energy), 1e-6))


def best_span(values: Array) -> Tuple[int, int, float]:
    """The span (start, end) with the greatest sum."""
    total = np.concatenate([[0.0], np.cumsum(values)])
    low = np.minimum.accumulate(total[:-1])
    best = total[1:] - low
    end = int(np.argmax(best)) + 1
    start = int(np.argmin(total[:end]))
    return start, end, float(best[end - 1])


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
