"""The camera's tone curve, and what beside an edge claims nothing."""

from __future__ import annotations

import cv2
import numpy as np
from inktop_tools.photo import tone


def test_a_curve_that_a_camera_bent_is_found_again() -> None:
    dice = np.random.default_rng(1)
    blurred = dice.random((400, 400)).astype(np.float32)
    shown = blurred + 0.1 * np.sin(np.pi * blurred) + dice.normal(0, 0.02, blurred.shape).astype(np.float32)
    shown[:60] = 0.9  # a fault does not bend it
    bent = tone.curve(shown, blurred, np.ones(blurred.shape, bool))
    levels = np.linspace(0, 1, 256)
    assert abs(bent - 0.1 * np.sin(np.pi * levels)).max() < 0.03
    assert (np.diff(levels + bent) >= -1e-6).all()
    assert abs(tone.bend(blurred, bent) - shown)[60:].mean() < 0.03


def test_only_beside_edges_a_difference_claims_nothing() -> None:
    expected = np.zeros((80, 80), np.float32)
    expected[:, 40:] = 1
    blurred = cv2.GaussianBlur(expected, (0, 0), 1.5)
    close, far = (tone.slack(expected, blurred, residual) for residual in (0.2, 1.5))
    assert close[:, :25].max() == 0
    assert close[40, 39] > 0.05
    assert far[40, 39] > close[40, 39]
