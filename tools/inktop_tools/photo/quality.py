"""Whether a photo is good enough, and in a person's words why not."""

from __future__ import annotations

from typing import Any, List, Optional

import cv2
import numpy as np

from inktop_tools.photo.compare import Seen
from inktop_tools.photo.geometry import Fit

Array = Any

#: A photo whose blocks agree within this can be judged, panel pixels; and so many pixels a panel pixel.
_LARGEST_RESIDUAL = 4.0
_LEAST_SCALE = 0.3
_LARGEST_BLUR = 3.2
_LEAST_VISIBLE = 0.4
_FEWEST_BLOCKS = 12
#: The farther side is shown at this share of the nearer one's size, or less: oblique.
_OBLIQUE = 0.55
#: Sides of the panel as the photo shows them, short to long, when it is seen from the front: 0.56.
_FLATTENED = 0.3
_TOLD_FROM = 0.01
_NOISY = 0.25


def unusable(fit: Fit, seen: Seen) -> Optional[str]:
    """Why this photo cannot be judged; None: it can."""
    if fit.scale < _LEAST_SCALE:
        return f"too far away: {fit.scale:.2f} photo pixels a panel pixel. Go closer"
    if seen.blur_px > _LARGEST_BLUR:
        return "out of focus: text of 25 px is not resolved"
    if fit.blocks < _FEWEST_BLOCKS or fit.residual_px > _LARGEST_RESIDUAL:
        slant = oblique(fit)
        return slant or "the panel is found, but only roughly: not sharp, bent or too far away"
    if seen.visible.mean() < _LEAST_VISIBLE:
        why = "; ".join(hidden(seen)) or "cut off, covered or reflecting"
        return f"only {seen.visible.mean() * 100:.0f} % of the panel can be judged: {why}"
    if seen.noise > _NOISY:
        return "too dark: the noise hides the picture. Take it in more light"
    return None


def oblique(fit: Fit) -> Optional[str]:
    """Why the panel is seen too much from the side; None: it is not."""
    corners = fit.corners
    sides = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1)
    if min(sides[0] / sides[2], sides[2] / sides[0], sides[1] / sides[3], sides[3] / sides[1]) < _OBLIQUE:
        return "too oblique: one side is much nearer than the other. Stand in front of the panel"
    across, down = sides[0] + sides[2], sides[1] + sides[3]
    if down / across < _FLATTENED or across / down < 1.0:
        return "too oblique: seen from far above or from the side. Stand in front of the panel"
    return None


def hidden(seen: Seen) -> List[str]:
    """What hides parts of the panel, each with its place."""
    found = []
    for cells, text in (
        (seen.outside, "the photo ends before the panel does at the {}: get all of it in"),
        (seen.glare, "a lamp or a window is reflected at the {}: turn the panel"),
        (seen.foreign, "something covers the {}: keep fingers off"),
    ):
        if cells.mean() > _TOLD_FROM:
            found.append(text.format(place(cells)))
    return found


def place(cells: Array) -> str:
    """Where the set cells are, in words."""
    rows, columns = np.nonzero(cells)
    v, u = rows.mean() / cells.shape[0], columns.mean() / cells.shape[1]
    down = "upper" if v < 0.36 else "lower" if v > 0.64 else ""
    across = "left" if u < 0.36 else "right" if u > 0.64 else ""
    if down and across:
        return f"{down} {across}"
    return {"upper": "top", "lower": "bottom"}.get(down) or across or "middle"


def not_found(grey: Array) -> str:
    """Why no panel is found in this photo, as far as the photo tells."""
    shrink = min(1.0, 1200 / max(grey.shape))
    small = cv2.resize(grey, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    low, high = (float(value) for value in np.quantile(small, (0.05, 0.95)))
    if high < 60:
        return "too dark: no panel is found. Take it in more light"
    if low > 215:
        return "too bright: no panel is found. Take it in less light"
    edges = abs(cv2.Laplacian(cv2.GaussianBlur(small, (0, 0), 0.8), cv2.CV_32F))
    if float(np.quantile(edges, 0.99)) < 0.08 * max(high - low, 1):
        return "out of focus: no panel is found. Hold the phone still, and tap on the panel"
    return "no panel is found: nothing in the photo agrees with what the panel may show"
