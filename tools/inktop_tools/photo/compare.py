"""The straight picture without its light against the expected one, as blurred as the photo.

Levels are 0 (ink) to 1 (paper). Cells are squares of CELL panel pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from inktop_tools.photo import tone

Array = Any

CELL = 8
#: The photo's blur is measured as a kernel of this side, panel pixels.
_KERNEL = 11
_USUAL_KERNEL = cv2.getGaussianKernel(_KERNEL, 1.2) @ cv2.getGaussianKernel(_KERNEL, 1.2).T
#: Levels are taken where all of this is alike.
_INNER = np.ones((7, 7), np.uint8)
#: A cell is wrong from this mean difference on, or when its pixels differ by that much.
WRONG_MEAN = 0.22
WRONG_RMS = 0.30
#: Contrast below this share of the median cannot be judged; colour this far from the paper's is no panel.
_LEAST_CONTRAST = 0.4
_FOREIGN_COLOUR = 0.1
#: How much less the colour of what is dark tells; below this level it tells nothing.
_OF_DARK, _NEARLY_BLACK = 0.4, 12.0
#: Of a dark region.
_OF_FINGER = 0.3
#: A level that says no more; of the panel's cells; ink so bright beside burnt paper is under a reflection.
_BURNT, _MUCH_BURNT, _NO_INK = 251, 0.1, 0.85


@dataclass
class Seen:
    """What the photo shows of the panel."""

    shown: Array  # rows x columns, 0 … 1
    expected: Array  # the picture, 0 … 1, sharp
    blurred: Array  # as the photo would show it
    kernel: Array
    noise: float  # of a pixel in even areas
    visible: Array  # cells, bool
    outside: Array  # cells that the photo does not reach, bool
    glare: Array  # cells too bright or too pale to be judged
    foreign: Array  # cells of something else than the panel: a finger
    brighter: Array  # cells: the paper, of what the light of the whole panel makes it
    contrast: float  # (paper - ink) / paper, the median
    bent: Array  # the camera's tone curve, see tone.curve
    slack: Array  # of each pixel: a difference within it claims nothing

    @property
    def blur_px(self) -> float:
        """Standard deviation of the photo's blur, panel pixels."""
        weight = np.clip(self.kernel, 0, None)
        weight = weight / weight.sum()
        at = np.arange(_KERNEL) - _KERNEL // 2
        across, down = weight.sum(axis=0), weight.sum(axis=1)
        spread = [(one * (at - (one * at).sum()) ** 2).sum() for one in (across, down)]
        return float(np.sqrt(max(0.0, sum(spread) / 2)))

    def blur(self, picture: Array) -> Array:
        """`picture` (0 … 1) as this photo would show it."""
        return tone.bend(_filtered(picture.astype(np.float32), self.kernel), self.bent)

    @property
    def difference(self) -> Array:
        """Shown less expected; 0 where nothing is seen."""
        off = self.shown - self.blurred
        off[~pixels_of(self.visible, off.shape)] = 0
        return off

    def wrong(self, picture: Array) -> Array:
        """Cells where the photo does not show `picture` (already blurred)."""
        off = self.shown - picture
        off -= np.clip(off, -self.slack, self.slack)
        mean = cells_of(off)
        rms = np.sqrt(cells_of(off * off))
        return ((abs(mean) > WRONG_MEAN) | (rms > max(WRONG_RMS, 4 * self.noise))) & self.visible


def cells_of(picture: Array) -> Array:
    """The mean of each cell."""
    rows, columns = picture.shape[0] // CELL, picture.shape[1] // CELL
    cut = np.ascontiguousarray(picture[: rows * CELL, : columns * CELL], np.float32)
    return cv2.resize(cut, (columns, rows), interpolation=cv2.INTER_AREA)


def pixels_of(cells: Array, shape: Any) -> Array:
    """Cells to pixels."""
    out = np.repeat(np.repeat(cells, CELL, axis=0), CELL, axis=1)
    if out.shape != tuple(shape):
        out = np.pad(out, [(0, shape[i] - out.shape[i]) for i in (0, 1)], mode="edge")
    return out


def look(straight: Array, picture: Array, colour: Any = None, residual_px: float = 0.0) -> Seen:
    """`straight`: 0 … 255, NaN where the photo ends; `picture`: 0 or 255; `colour`: of cells, BGR;
    `residual_px`: how far the fit may be off."""
    missing = np.isnan(straight)
    level = np.nan_to_num(straight, nan=0.0)
    expected = (picture > 127).astype(np.float32)
    outside = cells_of(missing.astype(np.float32)) > 0
    paper, ink, brighter = _light(level, expected, outside)
    size = (straight.shape[1], straight.shape[0])
    wide_paper = cv2.resize(paper, size, interpolation=cv2.INTER_LINEAR)
    wide_ink = cv2.resize(ink, size, interpolation=cv2.INTER_LINEAR)
    shown = np.clip((level - wide_ink) / np.maximum(wide_paper - wide_ink, 4.0), -0.5, 1.5)
    kernel, blurred = _kernel(shown, expected, outside)
    contrast = paper - ink
    usual = float(np.median(contrast[~outside])) if not outside.all() else 0.0
    glare = (contrast <= _LEAST_CONTRAST * usual) | _burnt(level, expected, outside)
    glare &= ~outside
    visible = ~outside & ~glare
    foreign = (
        np.zeros_like(visible) if colour is None else _foreign(colour, visible, paper, cells_of(expected))
    )
    visible &= ~foreign
    even = cv2.dilate(expected, np.ones((9, 9))) == cv2.erode(expected, np.ones((9, 9)))
    # Against its neighbours: most of the picture may be wrong.
    rough = shown - cv2.blur(shown, (7, 7))
    noise = 1.4826 * float(np.median(abs(rough[even]))) if even.any() else 0.1
    share = float(np.median((contrast / np.maximum(paper, 1))[visible])) if visible.any() else 0.0
    # The blur makes even the middle of a stroke pale.
    ink_there = cv2.erode(1 - expected, _INNER) > 0
    share = min(1.0, share / max(0.5, 1 - float(blurred[ink_there].mean()))) if ink_there.any() else share
    bent = tone.curve(shown, blurred, pixels_of(visible, shown.shape))
    blurred = tone.bend(blurred, bent)
    slack = tone.slack(expected, blurred, residual_px)
    return Seen(
        shown,
        expected,
        blurred,
        kernel,
        noise,
        visible,
        outside,
        glare,
        foreign,
        brighter,
        share,
        bent,
        slack,
    )


def _burnt(level: Array, expected: Array, outside: Array) -> Array:
    """Cells too bright to be judged. Where much of the paper is burnt, only those without any ink left."""
    burnt = cells_of((level > _BURNT).astype(np.float32)) >= 0.3
    if outside.all() or burnt[~outside].mean() < _MUCH_BURNT:
        return burnt
    ink = 1 - expected
    there = cells_of(ink)
    return burnt & (there > 0.1) & (cells_of(level * ink) > _NO_INK * _BURNT * there)


def _foreign(colour: Array, visible: Array, paper: Array, expected: Array) -> Array:
    """Cells of another colour than the paper's light: a finger."""
    blue, green, red = colour[:, :, 0], colour[:, :, 1], colour[:, :, 2]
    bright = visible & (green > 0.6 * paper)
    if not bright.any():
        return np.zeros_like(visible)
    far = np.zeros(visible.shape, np.float32)
    # A finger in the shade is dark; of its own light it is as red as ever.
    dark = (expected > 0.4) & (green < 0.5 * paper * expected)
    for one in (blue, red):
        usual = float(np.median(one[bright] / green[bright]))
        off = abs(one - usual * green)
        far = np.maximum(far, off / np.maximum(paper, 1))
        far = np.maximum(far, np.where(dark, off / np.maximum(green, _NEARLY_BLACK), 0) * _OF_DARK)
    mask = cv2.morphologyEx(
        (far > _FOREIGN_COLOUR).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)
    )
    # What is as dark, beside what has a finger's colour, is more of it.
    count, labels = cv2.connectedComponents((dark & visible | (mask > 0)).astype(np.uint8), connectivity=8)
    coloured = np.bincount(labels[mask > 0], minlength=count)
    whole = coloured > _OF_FINGER * np.bincount(labels.ravel(), minlength=count)
    whole[0] = False
    mask = (whole[labels] | (mask > 0)).astype(np.uint8)
    return cv2.dilate(mask, np.ones((5, 5), np.uint8)) > 0


def _light(level: Array, expected: Array, outside: Array) -> Any:
    white = cv2.erode(expected, _INNER)
    black = 1 - cv2.dilate(expected, _INNER)
    values, weights = [], []
    for mask in (white, black):
        count = cells_of(mask)
        count[outside | (count < 0.1)] = 0
        values.append(cells_of(level * mask) / np.maximum(count, 1e-3))
        weights.append(count)
    rows, columns = outside.shape
    v, u = np.mgrid[-1 : 1 : rows * 1j, -1 : 1 : columns * 1j]
    terms = np.stack([u**i * v**j for i in range(4) for j in range(4 - i)], axis=-1)
    # One smooth light for both, and ink darker than paper by one factor.
    is_white, is_black = weights[0] > 0, weights[1] > 0
    rows_in = np.concatenate([terms[is_white], terms[is_black]])
    dark = np.concatenate([np.zeros(is_white.sum()), np.ones(is_black.sum())])
    rows_in = np.concatenate([rows_in, dark[:, None]], axis=1)
    target = np.log(np.maximum(np.concatenate([values[0][is_white], values[1][is_black]]), 2.0))
    # Light that climbs where much is white instead of black would explain it away.
    order = np.array([i + j for i in range(4) for j in range(4 - i)])
    ridge = np.diag([*np.take((1e-6, 5e-3, 2e-2, 1e-1), order) * len(target), 1e-6])
    # Where a large part is wrong, the rest must lead from the start.
    white_now = float(np.quantile(target[dark == 0], 0.8)) if is_white.any() else float(target.max())
    black_now = float(np.quantile(target[dark == 1], 0.2)) if is_black.any() else white_now - 1.2
    off = abs(target - np.where(dark == 1, black_now, white_now))
    weight = 1 / (1 + (off / 0.4) ** 2) ** 2
    found = np.zeros(rows_in.shape[1])
    for _ in range(8):
        heavy = rows_in * weight[:, None]
        found = np.linalg.solve(heavy.T @ rows_in + ridge, heavy.T @ target)
        off = abs(target - rows_in @ found)
        limit = float(np.clip(2.5 * np.median(off), 0.05, 0.3))
        weight = 1 / (1 + (off / limit) ** 2) ** 2
    paper = np.exp(terms @ found[:-1]).astype(np.float32)
    ratio = float(np.exp(found[-1]))
    # Then what agrees with its surroundings leads on: shadows and glare are soft, faults have edges.
    base = paper.copy()
    for turn in range(5):
        near = is_white & (abs(values[0] / paper - 1) < 0.2)
        paper = _spread(values[0] / base, near * weights[0], 3.5 if turn else 7.0, 1.0) * base
    # A reflection lies over paper and ink alike, a shadow takes the same share of both.
    dark = ratio * np.minimum(paper, base) + np.maximum(paper - base, 0)
    usual = np.ones_like(dark)
    for _ in range(3):
        share = values[1] / dark
        near = is_black & (abs(values[1] - dark * usual) < 0.12 * paper)
        usual = _spread(share, near * weights[1], 6.0, 1.0)
    ink = np.clip(dark * usual, 0.02 * paper, 0.95 * paper)
    return paper, ink.astype(np.float32), paper / base


def _spread(values: Array, weights: Array, sigma: float, default: float) -> Array:
    """Each cell the mean of those around it; far from all of them the default."""
    weights = weights.astype(np.float32)
    total = cv2.GaussianBlur((values * weights).astype(np.float32), (0, 0), sigma)
    count = cv2.GaussianBlur(weights, (0, 0), sigma)
    wide_total = cv2.GaussianBlur((values * weights).astype(np.float32), (0, 0), 4 * sigma)
    wide_count = cv2.GaussianBlur(weights, (0, 0), 4 * sigma)
    far = (wide_total + 1e-3 * default) / (wide_count + 1e-3)
    return (total + 2e-2 * far) / (count + 2e-2)


def _kernel(shown: Array, expected: Array, outside: Array) -> Any:
    """The kernel by which the expected picture comes nearest to the shown one, and that picture."""
    blurred = cv2.GaussianBlur(expected, (0, 0), 1.2)
    off = cells_of(abs(shown - blurred))
    good = pixels_of((off < 0.25) & ~outside, shown.shape)
    kernel = _USUAL_KERNEL
    where = edge_points(expected, good, 12000)
    if len(where[0]) > 3000:
        kernel, _ = fitted_kernel(shown, expected, where)
    kernel = kernel.astype(np.float32)
    return kernel, _filtered(expected, kernel)


def edge_points(picture: Array, where: Array, most: int) -> Any:
    """Rows and columns of pixels near edges of `picture`, at most so many."""
    edge = cv2.dilate(picture, np.ones((5, 5))) != cv2.erode(picture, np.ones((5, 5)))
    inside = np.zeros_like(where)
    half = _KERNEL // 2
    inside[half:-half, half:-half] = True
    ys, xs = np.nonzero(where & edge & inside)
    if len(ys) > most:
        pick = np.random.default_rng(1).choice(len(ys), most, replace=False)
        ys, xs = ys[pick], xs[pick]
    return ys, xs


def fitted_kernel(shown: Array, picture: Array, where: Any, side: int = _KERNEL) -> Any:
    """The blur (a kernel of `side`) that takes `picture` nearest to `shown` at these points, and the mean
    square left."""
    ys, xs = where
    half = side // 2
    windows = np.lib.stride_tricks.sliding_window_view(picture, (side, side))
    around = np.ones((len(ys), side * side + 1), np.float32)
    around[:, :-1] = windows[ys - half, xs - half].reshape(len(ys), -1)
    target = shown[ys, xs].astype(np.float32)
    usual = cv2.getGaussianKernel(side, 1.2)
    start = np.append((usual @ usual.T).ravel(), 0)
    hold = 1e-3 * len(ys)
    normal = (around.T @ around).astype(np.float64) + hold * np.eye(len(start))
    found = np.linalg.solve(normal, (around.T @ target) + hold * start)
    left = float(((around @ found.astype(np.float32) - target) ** 2).mean())
    kernel = found[:-1].reshape(side, side)
    return kernel / max(float(kernel.sum()), 0.2), left


def _filtered(picture: Array, kernel: Array) -> Array:
    """As cv2.filter2D, several times faster: the kernel is nearly a sum of three separable ones."""
    left, strength, right = np.linalg.svd(kernel.astype(np.float64))
    out = np.zeros_like(picture)
    for index in range(3):
        if strength[index] > 0.02 * strength[0]:
            across = (right[index] * strength[index]).astype(np.float32)
            out += cv2.sepFilter2D(
                picture, -1, across, left[:, index].astype(np.float32), borderType=cv2.BORDER_REPLICATE
            )
    return out
