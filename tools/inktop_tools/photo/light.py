"""Light that the smooth model of the whole panel misses: small reflections, the soft edge of a shadow.

Light changes slowly across the panel, faults have edges. What a slowly changing light explains is no fault.
"""

from __future__ import annotations

from typing import Any, Tuple

import cv2
import numpy as np

from inktop_tools.photo.compare import Seen, cells_of

Array = Any

#: Over this many cells the light of a reflection hardly changes.
_SIGMA = 4.0
#: How firmly the contrast is held where the picture is even and tells nothing of it.
_HOLD = 0.01
_CONTRAST = (0.3, 1.4)
#: A region is light when less than this share of its edge stays wrong under such a light.
_STAYS = 0.5
#: Paper brighter than this is no panel's doing: a reflection, as far as it is brighter than the second.
_BRIGHT, _BRIGHTER = 1.2, 1.07
_PALE = 0.8
#: Of the panel.
_FOOT = 0.08


def steady(seen: Seen) -> Array:
    """`seen.shown` under a light fitted in small windows: for what is thinner than they are."""
    lift, contrast = _fields(seen)
    return (seen.shown - lift) / contrast


def settle(seen: Seen) -> None:
    """Corrects `seen` where a slowly changing light explains it; the core of a reflection is not seen."""
    wrong = seen.wrong(seen.blurred)
    if not wrong.any():
        return
    lift, contrast = _fields(seen)
    even = (seen.shown - lift) / contrast
    stays = _wrong(seen, even)
    glare = _reflection(_paper(seen) * np.maximum(seen.brighter, 1.0) * seen.visible)
    near = cv2.dilate(wrong.astype(np.uint8), np.ones((3, 3)))
    count, labels = cv2.connectedComponents(near, connectivity=8)
    total = np.bincount(labels[wrong], minlength=count)
    # A fault has an edge, which no slowly changing light can follow.
    edge = wrong & ~(cv2.erode(wrong.astype(np.uint8), np.ones((3, 3))) > 0)
    left = np.bincount(labels[stays], minlength=count)
    light = (total > 0) & (left <= _STAYS * np.bincount(labels[edge], minlength=count))
    # Ink that is pale on paper that is as it should be has faded: no light does that.
    paper = cells_of(lift + contrast)
    pale = (paper > 0.9) & (cells_of(contrast) < _PALE) & (seen.brighter < _BRIGHTER)
    light &= np.bincount(labels[wrong & pale], minlength=count) < 0.5 * total
    light[0] = False
    corrected = light[labels] | glare
    if corrected.any():
        soft = cv2.GaussianBlur(corrected.astype(np.float32), (0, 0), 1.0)
        wide = cv2.resize(soft, (seen.shown.shape[1], seen.shown.shape[0]), interpolation=cv2.INTER_LINEAR)
        wide = np.clip(2 * wide, 0, 1)
        seen.shown = (seen.shown * (1 - wide) + even * wide).astype(np.float32)
    lost = cv2.dilate((glare & (stays | seen.wrong(seen.blurred))).astype(np.uint8), np.ones((5, 5))) > 0
    lost |= _beside(seen, seen.glare | lost)
    seen.glare |= lost
    seen.visible &= ~lost


def _beside(seen: Seen, glare: Array) -> Array:
    """Cells next to a reflection that are too light: the foot of it, over ink."""
    wrong = seen.wrong(seen.blurred)
    count, labels = cv2.connectedComponents(cv2.dilate(wrong.astype(np.uint8), np.ones((3, 3))))
    lighter = wrong & (cells_of(seen.shown - seen.blurred) > 0)
    total = np.bincount(labels[wrong], minlength=count)
    light = np.bincount(labels[lighter], minlength=count)
    touches = np.zeros(count, bool)
    touches[np.unique(labels[cv2.dilate(glare.astype(np.uint8), np.ones((5, 5))) > 0])] = True
    foot = touches & (light > 0.9 * total) & (total > 0) & (total < _FOOT * wrong.size)
    foot[0] = False
    return (foot[labels] & (labels > 0)) | np.zeros_like(wrong)


def _paper(seen: Seen) -> Array:
    """Cells: how bright what should be white is; where nothing should be, how bright it is at all."""
    white = (seen.blurred > 0.75).astype(np.float32)
    count = cells_of(white)
    bright = np.where(
        count > 0.1, cells_of(seen.shown * white) / np.maximum(count, 1e-3), cells_of(seen.shown)
    )
    return cv2.GaussianBlur(bright.astype(np.float32), (0, 0), 1.0)


def _reflection(paper: Array) -> Array:
    """Cells of regions where paper is brighter than paper can be."""
    count, labels = cv2.connectedComponents((paper > _BRIGHTER).astype(np.uint8), connectivity=8)
    reflects = np.zeros(count, bool)
    reflects[np.unique(labels[paper > _BRIGHT])] = True
    reflects[0] = False
    return cv2.dilate(reflects[labels].astype(np.uint8), np.ones((5, 5))) > 0


def _wrong(seen: Seen, shown: Array) -> Array:
    before = seen.shown
    seen.shown = shown
    wrong = seen.wrong(seen.blurred)
    seen.shown = before
    return wrong


def _fields(seen: Seen) -> Tuple[Array, Array]:
    """What light adds to each pixel, and by what it multiplies black to white, both smooth."""
    shown, picture = seen.shown, seen.blurred
    weight = seen.visible.astype(np.float32)
    parts = [one * weight for one in map(cells_of, (shown, picture, shown * picture, picture * picture))]
    count = cv2.GaussianBlur(weight, (0, 0), _SIGMA) + 1e-3
    mean, dark, product, square = (cv2.GaussianBlur(one, (0, 0), _SIGMA) / count for one in parts)
    contrast = (product - mean * dark + _HOLD) / (square - dark * dark + _HOLD)
    contrast = np.clip(cv2.GaussianBlur(contrast, (0, 0), 1.0), *_CONTRAST)
    lift = mean - contrast * dark
    size = (shown.shape[1], shown.shape[0])
    wide = [cv2.resize(one, size, interpolation=cv2.INTER_LINEAR) for one in (lift, contrast)]
    return wide[0], wide[1]
