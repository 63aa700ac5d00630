"""What a camera does to grey: its tone curve, and how far a photo may be off beside edges.

Levels are 0 (ink) to 1 (paper). Blur adds up in light, a phone bends the sum: thin lines come out paler, or
darker, than the blur alone would have them.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

Array = Any

_BINS = 16
#: Pixels that a bin needs, and how far off they may be to count: what is farther is a fault.
_FEWEST, _FAR = 400, 0.35
#: A curve bends no more than this.
_MOST_BENT = 0.2
#: Of what blur changed there, so much may be off; the fit is off by at least and at most so many pixels.
_OF_BLUR, _FIT = 0.12, (0.2, 1.5)
_MOST_SLACK = 0.25


def curve(shown: Array, blurred: Array, visible: Array) -> Array:
    """256 levels: how much lighter 0 … 1 in `blurred` is in `shown`, where the two about agree. Monotone."""
    points = np.linspace(0, 1, _BINS + 1)
    off = shown[::2, ::2] - blurred[::2, ::2]
    near = visible[::2, ::2] & (abs(off) < _FAR)
    level, off = blurred[::2, ::2][near], off[near]
    bins = np.clip((level * _BINS + 0.5).astype(int), 0, _BINS)
    bent = np.zeros(_BINS + 1)
    order = np.argsort(bins, kind="stable")
    ends = np.searchsorted(bins[order], np.arange(_BINS + 2))
    told = [0]
    for index in range(1, _BINS):
        part = off[order[ends[index] : ends[index + 1]]]
        if len(part) >= _FEWEST:
            bent[index] = np.median(part)
            told.append(index)
    told.append(_BINS)
    rising = np.maximum.accumulate(points[told] + np.clip(bent[told], -_MOST_BENT, _MOST_BENT))
    fine = np.linspace(0, 1, 256)
    return (np.interp(fine, points[told], np.minimum(rising, 1.0)) - fine).astype(np.float32)


def bend(blurred: Array, bent: Array) -> Array:
    """`blurred` as the camera's curve has it."""
    at = cv2.convertScaleAbs(np.clip(blurred, 0, 1), alpha=255)
    return blurred + bent[at]


def slack(expected: Array, blurred: Array, residual_px: float) -> Array:
    """How far each pixel may be off without telling anything: by the fit's error across an edge, and by blur
    that differs from the measured one."""
    fit = float(np.clip(residual_px, *_FIT))
    across = abs(cv2.Sobel(blurred, cv2.CV_32F, 1, 0, scale=0.125))
    down = abs(cv2.Sobel(blurred, cv2.CV_32F, 0, 1, scale=0.125))
    return np.minimum(fit * np.maximum(across, down) + _OF_BLUR * abs(expected - blurred), _MOST_SLACK)
