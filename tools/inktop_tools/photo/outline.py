"""The panel by its outline, for a picture with nothing on it."""

from __future__ import annotations

from typing import Any, Iterator, Optional, Tuple

import cv2
import numpy as np

from inktop_tools.photo.lens import Lens

Array = Any

_SIDE = 800
_SMALLEST = 0.06


def from_corners(corners: Array, panel: Array, size: Array) -> Lens:
    """`corners`: upper left, upper right, lower right, lower left in the photo."""
    square = np.array([[0, 0], [panel[0], 0], [panel[0], panel[1]], [0, panel[1]]], np.float32)
    return Lens.of_perspective(
        cv2.getPerspectiveTransform(square, np.asarray(corners, np.float32)), panel, size
    )


def find(grey: Array, panel: Array) -> Optional[Tuple[Lens, bool, bool]]:
    """The lens of a sheet of the panel's shape, whether it is even, whether bright; None: there is none."""
    shrink = _SIDE / max(grey.shape)
    small = cv2.GaussianBlur(
        cv2.resize(grey, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), (0, 0), 1
    )
    best: Any = None
    for contour in _contours(small):
        hull = cv2.convexHull(contour)
        area = cv2.contourArea(hull)
        if area < _SMALLEST * small.size:
            continue
        four = _four(hull)
        if four is None or not 0.93 * area < cv2.contourArea(four) < 1.07 * area:
            continue
        corners = _ordered(four.astype(float), panel)
        if corners is None or not _framed(small, corners):
            continue
        inner = (corners - corners.mean(axis=0)) * 0.9 + corners.mean(axis=0)
        mask = np.zeros_like(small)
        cv2.fillConvexPoly(mask, inner.astype(np.int32), 1)
        values = cv2.Laplacian(small, cv2.CV_32F)[mask > 0]
        rough = float(np.quantile(abs(values), 0.995))
        if best is None or (rough, -area) < best[0]:
            best = ((rough, -area), corners, float(np.median(small[mask > 0])), rough)
    if best is None:
        return None
    outside = float(np.quantile(small, 0.5))
    size = np.array([grey.shape[1], grey.shape[0]], float)
    bright = best[2] > max(outside * 0.9, 70)
    return from_corners(best[1] / shrink, panel, size), best[3] < 14, bright


def _contours(small: Array) -> Iterator[Array]:
    """Outlines of what may be a sheet: closed edges, and what is as even as the middle of the photo."""
    for low in (15, 30, 60):
        edges = cv2.dilate(cv2.Canny(small, low, 2 * low), np.ones((3, 3), np.uint8))
        yield from cv2.findContours(edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]
    rows, columns = small.shape
    smooth = cv2.medianBlur(small, 5)
    for slack in (1, 2, 4):
        for u, v in ((0.5, 0.5), (0.4, 0.4), (0.6, 0.6), (0.4, 0.6), (0.6, 0.4)):
            mask = np.zeros((rows + 2, columns + 2), np.uint8)
            flags = 4 | 255 << 8 | cv2.FLOODFILL_MASK_ONLY
            cv2.floodFill(smooth, mask, (int(u * columns), int(v * rows)), (255,), (slack,), (slack,), flags)
            mask = cv2.morphologyEx(mask[1:-1, 1:-1], cv2.MORPH_OPEN, np.ones((7, 7), np.uint8))
            yield from cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]


def _four(hull: Array) -> Any:
    """The hull's four corners; None: it has not four."""
    length = cv2.arcLength(hull, True)
    for share in (0.02, 0.03, 0.045, 0.06):
        four = cv2.approxPolyDP(hull, share * length, True).reshape(-1, 2)
        if len(four) == 4:
            return four
    return None


def _framed(small: Array, corners: Array) -> bool:
    """Whether along at least three sides what is inside differs from what is outside."""
    middle = corners.mean(axis=0)
    clear = 0
    for a, b in zip(corners, np.roll(corners, -1, axis=0)):
        along = a + (b - a) * np.linspace(0.05, 0.95, 60)[:, None]
        inward = (middle - (a + b) / 2) / max(float(np.linalg.norm(middle - (a + b) / 2)), 1e-6)
        sides = []
        for way in (4, 6, -4, -6):
            at = (along + inward * way).astype(np.float32)
            sides.append(
                cv2.remap(small, at[:, :1], at[:, 1:], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)[
                    :, 0
                ].astype(float)
            )
        step = (sides[0] + sides[1] - sides[2] - sides[3]) / 2
        clear += abs(float(np.median(step))) > max(8.0, 1.5 * float(np.median(abs(step - np.median(step)))))
    return clear >= 3


def _ordered(four: Array, panel: Array) -> Any:
    """Clockwise from the upper left, the long sides across; None: not the panel's shape."""
    centre = four.mean(axis=0)
    four = four[np.argsort(np.arctan2(*(four - centre).T[::-1]))]
    sides = np.linalg.norm(four - np.roll(four, -1, axis=0), axis=1)
    if sides[1] + sides[3] > sides[0] + sides[2]:
        four, sides = np.roll(four, -1, axis=0), np.roll(sides, -1)
    aspect = (sides[0] + sides[2]) / max(sides[1] + sides[3], 1.0)
    return four if 0.72 < aspect / (panel[0] / panel[1]) < 1.35 else None
