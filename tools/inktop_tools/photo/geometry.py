"""Where the panel is in the photo: features of the expected picture, then blocks that agree with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Tuple

import cv2
import numpy as np

from inktop_tools.photo.lens import Lens

Array = Any

#: Longest side, pixels, of the photo in which features are looked for: first, and when too few agree.
SEARCH_SIDES = (900, 1280)
#: The expected picture is searched at these shares of its size.
_TEMPLATE_SCALE = 0.5
FEWEST_MATCHES = 14
#: Side of a block in panel pixels, and how far it may be off.
_BLOCK = 80
_REACH = 10
_ALIKE_FROM = 0.55
#: A corner with its mark, how far an outline may have it off, and how alike it must be.
_MARK, _MARK_OFF, _MARK_ALIKE = 56, 24, 0.7


@dataclass(frozen=True)
class Features:
    """Points (n x 2, pixels of the whole picture) and their descriptors."""

    points: Array
    descriptors: Any
    strengths: Array

    def strongest(self, most: int) -> Features:
        """The clearest of them."""
        if len(self.points) <= most:
            return self
        keep = np.argsort(-self.strengths)[:most]
        return Features(self.points[keep], self.descriptors[keep], self.strengths[keep])


@dataclass(frozen=True)
class Fit:
    """The panel found: the lens, and how well blocks agree with it, panel pixels."""

    lens: Lens
    residual_px: float  # 95 of 100 agreeing blocks are nearer
    blocks: int  # that agree
    share: float  # of the blocks that have something to compare
    by: str  # features, outline, corners

    @property
    def corners(self) -> Array:
        """Of the panel in the photo, clockwise from the upper left."""
        return self.lens(np.array([[0.0, 0.0], [1, 0], [1, 1], [0, 1]]) * self.lens.panel)

    @property
    def scale(self) -> float:
        """Photo pixels per panel pixel, across the middle."""
        size = self.lens.panel
        ends = self.lens(np.array([[0.0, size[1] / 2], [size[0], size[1] / 2]]))
        return float(np.linalg.norm(ends[1] - ends[0]) / size[0])


def features_of(grey: Array, scale: float, most: int = 3000) -> Features:
    """SIFT features of `grey` made smaller by `scale`."""
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    keys, descriptors = cv2.SIFT.create(nfeatures=most, contrastThreshold=0.02).detectAndCompute(small, None)
    points = np.array([key.pt for key in keys], np.float64).reshape(-1, 2)
    if descriptors is not None:  # RootSIFT
        descriptors = np.sqrt(descriptors / (descriptors.sum(axis=1, keepdims=True) + 1e-6))
    strengths = np.array([key.response for key in keys])
    return Features((points + 0.5) / scale, descriptors, strengths)


def photo_features(grey: Array, side: int = SEARCH_SIDES[0]) -> Features:
    """Those of a photo, whatever its size, in which its longest side is `side`."""
    return features_of(grey, min(1.0, side / max(grey.shape)))


def template_features(picture: Array, most: int = 3000) -> Features:
    """Those of a picture of the panel."""
    return features_of(cv2.GaussianBlur(picture, (0, 0), 1.0), _TEMPLATE_SCALE, most)


def coarse(template: Features, photo: Features, panel: Array, size: Array) -> Optional[Tuple[Lens, int]]:
    """The lens from matched features and how many agree; None: the picture is not there."""
    if template.descriptors is None or photo.descriptors is None or len(photo.points) < FEWEST_MATCHES:
        return None
    of_template, of_photo = _matched(template.descriptors, photo.descriptors)
    if len(of_template) < FEWEST_MATCHES:
        return None
    ins, outs = template.points[of_template], photo.points[of_photo]
    below = ins[:, 1] > panel[1] / 2
    found = []
    for reach, part in ((1.0, None), (3.0, None), (8.0, None), (2.0, below), (2.0, ~below)):
        found.append(_of_pairs(ins, outs, part, panel, size, reach * max(size) / 1600))
    # Those that agree closely tell more than many that nearly do: rows that a fault moved nearly do.
    best = max((one for one in found if one is not None), key=lambda one: one[2], default=None)
    return None if best is None else best[:2]


def _of_pairs(
    ins: Array, outs: Array, part: Any, panel: Array, size: Array, reach: float
) -> Optional[Tuple[Lens, int, float]]:
    """The lens that most pairs (first of `part`) agree with, how many, and how closely.

    They may be `reach` photo pixels off a perspective.
    """
    first, second = (ins, outs) if part is None else (ins[part], outs[part])
    if len(first) < FEWEST_MATCHES:
        return None
    cv2.setRNGSeed(7)
    method = cv2.USAC_MAGSAC
    matrix, inliers = cv2.findHomography(first, second, method, reach, maxIters=3000, confidence=0.999)
    if matrix is None or inliers.sum() < FEWEST_MATCHES or not plausible(matrix, panel, size):
        return None
    lens = Lens.of_perspective(matrix, panel, size)
    scale = np.sqrt(abs(np.linalg.det(matrix[:2, :2])))
    # The lens bends what the perspective alone calls wrong; rows that a fault moved must not bend it.
    for wide in (12.0, 8.0, 5.0):
        off = np.linalg.norm(lens.without_field(ins) - outs, axis=1) / scale
        near = off < wide
        if near.sum() < FEWEST_MATCHES:
            return None
        lens = lens.fitted(ins[near], outs[near], scale, bend=near.sum() > 40)
    off = np.linalg.norm(lens.without_field(ins) - outs, axis=1) / scale
    return lens, int((off < 3).sum()), float(np.maximum(1 - (off / 2) ** 2, 0).sum())


def _matched(template: Array, photo: Array) -> Tuple[Array, Array]:
    """Indices of descriptors that are clearly nearer to each other than to the second nearest."""
    # Of unit length, so that a product of matrices gives the distances.
    alike = template @ photo.T
    every = np.arange(len(template))
    best = alike.argmax(axis=1)
    nearest = alike[every, best]
    alike[every, best] = -1
    second = alike.max(axis=1)
    near, next_near = (np.sqrt(np.maximum(2 - 2 * one, 0)) for one in (nearest, second))
    good = near < 0.85 * next_near
    return every[good], best[good]


def plausible(matrix: Array, panel: Array, size: Array) -> bool:
    """Whether a camera can see the panel so: convex, not mirrored, not tiny, not far out."""
    corners = np.array([[0, 0], [panel[0], 0], [panel[0], panel[1]], [0, panel[1]]], float)
    depth = corners @ matrix[2, :2] + matrix[2, 2]
    if (depth * depth[0] <= 0).any():
        return False
    seen = cv2.perspectiveTransform(corners[None], matrix)[0].astype(np.float32)
    area = cv2.contourArea(seen, oriented=True)
    convex = cv2.isContourConvex(seen.reshape(-1, 1, 2))
    return bool(convex and area > 0.02 * size[0] * size[1] and area < 6 * size[0] * size[1])


def straight(photo: Array, lens: Lens, step: float = 1.0, margin: float = 0.0) -> Array:
    """The panel as seen from the front, `step` panel pixels a pixel, with `margin` panel pixels around it;
    NaN where the photo does not reach."""
    width, height = (int((side + 2 * margin) / step) for side in lens.panel)
    mx, my = lens.maps(width, height, step, margin)
    shrink = (
        float(np.hypot(*(lens(lens.panel[None] / 2 + [[1.0, 0.0]]) - lens(lens.panel[None] / 2))[0])) * step
    )
    rows, columns = photo.shape[:2]
    missing = (mx < 0) | (my < 0) | (mx > columns - 1) | (my > rows - 1)
    while shrink >= 2:
        photo = photo[: photo.shape[0] // 2 * 2, : photo.shape[1] // 2 * 2]
        photo = cv2.resize(photo, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        mx, my, shrink = (mx - 0.5) / 2, (my - 0.5) / 2, shrink / 2
    if shrink > 1.3:
        photo = cv2.GaussianBlur(photo, (0, 0), 0.35 * shrink)
    # Linear weights would blur each pixel by where it lies between the photo's.
    way = cv2.INTER_CUBIC if step == 1.0 else cv2.INTER_LINEAR
    out = cv2.remap(photo, mx, my, way, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    out[missing] = np.nan
    return out


def block_offsets(seen: Array, picture: Array, reach: int, block: int) -> Tuple[Array, Array, Array, int]:
    """Blocks of `picture` looked for in `seen` (same size): centres, offsets, likeness, how many could be."""
    rows, columns = picture.shape
    seen = cv2.GaussianBlur(np.nan_to_num(seen, nan=0.0), (0, 0), 0.8)
    picture = cv2.GaussianBlur(picture.astype(np.float32), (0, 0), 1.2)
    centres, offsets, likeness, possible = [], [], [], 0
    for top in range(reach, rows - block - reach + 1, block):
        for left in range(reach, columns - block - reach + 1, block):
            part = picture[top : top + block, left : left + block]
            if part.std() < 12:
                continue
            possible += 1
            area = seen[top - reach : top + block + reach, left - reach : left + block + reach]
            score = cv2.matchTemplate(area, part, cv2.TM_CCOEFF_NORMED)
            _, best, _, (x, y) = cv2.minMaxLoc(score)
            if best < _ALIKE_FROM or not (0 < x < 2 * reach and 0 < y < 2 * reach):
                continue
            here = score[y - 1 : y + 2, x - 1 : x + 2]
            bend_x = here[1, 0] - 2 * here[1, 1] + here[1, 2]
            bend_y = here[0, 1] - 2 * here[1, 1] + here[2, 1]
            # A pattern that repeats, or a line along one way, does not tell the place.
            if bend_x > -2e-3 or bend_y > -2e-3:
                continue
            around = score.copy()
            around[max(0, y - 3) : y + 4, max(0, x - 3) : x + 4] = -1
            if around.max() > best - 0.03:
                continue
            dx = x - reach + (here[1, 0] - here[1, 2]) / (2 * bend_x)
            dy = y - reach + (here[0, 1] - here[2, 1]) / (2 * bend_y)
            centres.append((left + block / 2, top + block / 2))
            offsets.append((dx, dy))
            likeness.append(best)
    return np.array(centres).reshape(-1, 2), np.array(offsets).reshape(-1, 2), np.array(likeness), possible


def marks_of(seen: Array, picture: Array) -> int:
    """How many corners of `picture` are in `seen` (same size) about where they belong."""
    rows, columns = picture.shape
    found = 0
    seen = cv2.GaussianBlur(np.nan_to_num(seen, nan=0.0), (0, 0), 1.5)
    wanted = cv2.GaussianBlur(picture.astype(np.float32), (0, 0), 2.0)
    for top in (0, rows - _MARK):
        for left in (0, columns - _MARK):
            part = wanted[top : top + _MARK, left : left + _MARK]
            area = np.s_[
                max(0, top - _MARK_OFF) : top + _MARK + _MARK_OFF,
                max(0, left - _MARK_OFF) : left + _MARK + _MARK_OFF,
            ]
            found += float(cv2.matchTemplate(seen[area], part, cv2.TM_CCOEFF_NORMED).max()) > _MARK_ALIKE
    return found


def refine(photo: Array, picture: Array, lens: Lens, by: str) -> Fit:
    """The lens fitted again to blocks that agree with `picture`; a fault's blocks do not."""
    residual, agreeing, share = 99.0, 0, 0.0
    for step, reach in ((2.0, _REACH), (2.0, 5), (1.0, 4)):
        seen = straight(photo, lens, step)
        small = picture
        if step != 1.0:
            small = cv2.resize(picture, (seen.shape[1], seen.shape[0]), interpolation=cv2.INTER_AREA)
        block = int(_BLOCK / step)
        centres, offsets, _, possible = block_offsets(seen, small, reach, block)
        if len(centres) < 12:
            break
        offsets, centres = offsets * step, centres * step
        before = lens
        lens = lens.bent_by(centres, offsets)
        moved = lens.field_at(centres) - before.field_at(centres)
        left = np.linalg.norm(offsets - moved, axis=1)
        near = left < max(1.5, 3 * float(np.median(left)))
        residual = float(np.quantile(left[near], 0.95))
        agreeing, share = int(near.sum()), float(near.sum() / max(1, possible))
    return Fit(lens, residual, agreeing, share, by)
