"""The panel by its outline, for a picture with nothing on it."""

from __future__ import annotations

from typing import Any, Optional, Tuple

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
    for low in (15, 30, 60):
        edges = cv2.dilate(cv2.Canny(small, low, 2 * low), np.ones((3, 3), np.uint8))
        contours, _ = cv2.findContours(edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            hull = cv2.convexHull(contour)
            four = cv2.approxPolyDP(hull, 0.03 * cv2.arcLength(hull, True), True).reshape(-1, 2)
            area = cv2.contourArea(hull)
            if len(four) != 4 or area < _SMALLEST * small.size:
                continue
            corners = _ordered(four.astype(float), panel)
            if corners is None or cv2.contourArea(four) < 0.93 * area:
                continue
            if not _framed(small, corners):
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
            sides.append(cv2.remap(small, at[:, :1], at[:, 1:], cv2.INTER_LINEAR)[:, 0].astype(float))
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
