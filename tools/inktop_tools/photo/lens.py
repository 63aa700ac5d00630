"""From a point of the panel to its point in the photo: perspective, a bent lens, a smooth remainder."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

Array = Any

#: Terms of the cubic field, per axis.
_TERMS = 10
#: How far the lens is from a straight one, by rule: its centre from the photo's middle, its bend.
_USUAL = np.array([1.0] * 8 + [0.06, 0.06, 0.08, 0.03])
#: The smooth remainder is held near this many panel pixels.
_SMALL = 3.0


@dataclass
class Lens:
    """Panel pixels to photo pixels.

    `values`: eight of the perspective (normalised units), centre of the lens x and y, two of its bend.
    """

    values: Array
    panel: Array  # width, height
    photo: Array  # width, height
    field: Array = field(default_factory=lambda: np.zeros((2, _TERMS)))  # panel pixels

    @classmethod
    def of_perspective(cls, matrix: Array, panel: Array, photo: Array) -> Lens:
        """A lens that does not bend; `matrix` takes panel pixels to photo pixels."""
        matrix = _to_photo_units(photo) @ matrix @ np.linalg.inv(_to_panel_units(panel))
        matrix = matrix / matrix[2, 2]
        return cls(np.concatenate([matrix.ravel()[:8], np.zeros(4)]), panel, photo)

    def __call__(self, points: Array) -> Array:
        """`points`: n x 2 panel pixels; returns n x 2 photo pixels."""
        return self.without_field(points + self.field_at(points))

    def field_at(self, points: Array) -> Array:
        """The smooth remainder there, panel pixels; beyond the panel that of its edge."""
        return _terms(np.clip(points, 0, self.panel), self.panel) @ self.field.T

    def without_field(self, points: Array) -> Array:
        """Perspective and lens alone."""
        half = np.hypot(*self.photo) / 2
        seen = _project(self.values, (points - self.panel / 2) / (self.panel[0] / 2))
        return seen * half + self.photo / 2

    def maps(self, width: int, height: int, step: float, margin: float = 0.0) -> Any:
        """Two float32 maps for cv2.remap: a straight picture of width x height, `step` panel pixels each,
        that begins `margin` panel pixels outside."""
        # The lens is smooth: every sixteenth point is computed, the rest interpolated.
        coarse = 16
        xs = (np.arange(0, width + coarse, coarse) + 0.5) * step - margin
        ys = (np.arange(0, height + coarse, coarse) + 0.5) * step - margin
        grid = np.stack(np.meshgrid(xs, ys), axis=-1)
        seen = self(grid.reshape(-1, 2)).reshape(grid.shape).astype(np.float32)
        u, v = np.meshgrid(
            np.arange(width, dtype=np.float32) / coarse, np.arange(height, dtype=np.float32) / coarse
        )
        fine = cv2.remap(seen, u, v, cv2.INTER_LINEAR)
        return fine[:, :, 0] - np.float32(0.5), fine[:, :, 1] - np.float32(0.5)

    def fitted(self, panel_points: Array, photo_points: Array, scale: float, bend: bool) -> Lens:
        """This lens moved until the pairs agree; robust. `scale`: photo pixels per panel pixel."""
        half = np.hypot(*self.photo) / 2
        ins = (panel_points - self.panel / 2) / (self.panel[0] / 2)
        outs = (photo_points - self.photo / 2) / half
        values = self.values.copy()
        free = np.arange(12 if bend else 8)
        unit = scale / half  # one panel pixel
        for _ in range(12):
            miss = _project(values, ins) - outs
            off = np.hypot(miss[:, 0], miss[:, 1]) / unit
            limit = max(1.0, 2.5 * float(np.median(off)))
            weight = np.sqrt(1 / (1 + (off / limit) ** 2) ** 2)
            slopes = np.empty((miss.size, len(free)))
            for column, index in enumerate(free):
                step = values.copy()
                step[index] += 1e-6
                slopes[:, column] = ((_project(step, ins) - outs - miss) / 1e-6 * weight[:, None]).ravel()
            normal = slopes.T @ slopes
            # Held near what lenses are: else they bend until they explain rows that a fault moved.
            hold = np.where(free >= 8, 0.05 * len(ins) * unit**2 / _USUAL[free] ** 2, 0.0)
            normal[np.diag_indices(len(free))] += hold + 1e-12
            pull = slopes.T @ (miss * weight[:, None]).ravel() + hold * values[free]
            change = np.linalg.solve(normal, pull)
            values[free] -= change
            if np.abs(change).max() < 1e-8:
                break
        return Lens(values, self.panel, self.photo)

    def bent_by(self, points: Array, offsets: Array) -> Lens:
        """With a cubic field that moves `points` by `offsets` (panel pixels) besides; robust."""
        terms = _terms(points, self.panel)
        found = np.zeros((2, _TERMS))
        for _ in range(6):
            off = np.linalg.norm(offsets - terms @ found.T, axis=1)
            limit = max(0.5, 2.5 * float(np.median(off)))
            weight = 1 / (1 + (off / limit) ** 2) ** 2
            heavy = terms * weight[:, None]
            normal = heavy.T @ terms + 0.05 * len(points) / _SMALL**2 * np.eye(_TERMS)
            found = np.linalg.solve(normal, heavy.T @ offsets).T
        return Lens(self.values, self.panel, self.photo, self.field + found)


def _terms(points: Array, panel: Array) -> Array:
    u = points[:, 0] / panel[0] * 2 - 1
    v = points[:, 1] / panel[1] * 2 - 1
    return np.stack([u**i * v**j for i in range(4) for j in range(4 - i)], axis=1)


def _project(values: Array, points: Array) -> Array:
    x, y = points[:, 0], points[:, 1]
    depth = values[6] * x + values[7] * y + 1
    seen = np.stack(
        [
            (values[0] * x + values[1] * y + values[2]) / depth,
            (values[3] * x + values[4] * y + values[5]) / depth,
        ],
        axis=1,
    )
    from_centre = seen - values[8:10]
    square = (from_centre**2).sum(axis=1, keepdims=True)
    return values[8:10] + from_centre * (1 + values[10] * square + values[11] * square**2)


def _to_photo_units(photo: Array) -> Array:
    half = np.hypot(*photo) / 2
    return np.array([[1 / half, 0, -photo[0] / 2 / half], [0, 1 / half, -photo[1] / 2 / half], [0, 0, 1]])


def _to_panel_units(panel: Array) -> Array:
    half = panel[0] / 2
    return np.array([[1 / half, 0, -1], [0, 1 / half, -panel[1] / 2 / half], [0, 0, 1]])
