"""What is around the panel in a made photo: a desk, a wall or a shelf, things on it, a bezel, a finger.

Colours are BGR, linear, 0 … 1.
"""

from __future__ import annotations

from typing import Any, Tuple

import cv2
import numpy as np

Array = Any

#: The surroundings are drawn this much smaller.
_SMALLER = 3
_SENTENCE = "the quick brown fox jumps over a lazy dog 0123456789 mem cpu load GiB "


def around(dice: Any, width: int, height: int, px: Array, py: Array) -> Array:
    """Everything but the panel; px, py: each photo pixel's place on the panel."""
    small = (width // _SMALLER, height // _SMALLER)
    kind = str(dice.choice(["desk", "wood", "wall", "keyboard", "paper", "shelf"]))
    ground = (255 * _ground(dice, kind, *small)).astype(np.uint8)
    if kind == "keyboard":
        _keys(dice, ground)
    elif kind == "paper":
        _text(dice, ground, (0, 0, *small))
    for _ in range(int(dice.integers(0, 7))):
        _thing(dice, ground)
    fine = dice.normal(0, dice.uniform(0, 0.06), (small[1], small[0], 1)).astype(np.float32)
    ground = np.clip(ground * (1 + fine) / 255, 0, 1).astype(np.float32)
    scene = cv2.resize(ground, (width, height), interpolation=cv2.INTER_LINEAR)
    border = dice.uniform(15, 90, 2)
    bezel = dice.choice([dice.uniform(0.02, 0.08), dice.uniform(0.3, 0.45), dice.uniform(0.75, 0.9)])
    panel = (1920, 1080)
    outside = np.maximum(abs(px - panel[0] / 2) - panel[0] / 2 - border[0],
                         abs(py - panel[1] / 2) - panel[1] / 2 - border[1])  # fmt: skip
    scene[outside < 0] = bezel * np.array(dice.uniform(0.93, 1.07, 3), np.float32)
    if dice.random() < 0.4:  # the frame throws a shadow on what is behind it
        scene[(outside >= 0) & (outside < dice.uniform(10, 50))] *= np.float32(dice.uniform(0.4, 0.8))
    return scene


def _ground(dice: Any, kind: str, width: int, height: int) -> Array:
    tone = np.array(dice.uniform(0.6, 1.0, 3), np.float32) * dice.uniform(0.06, 0.75)
    if kind == "wood":
        tone = np.array([0.25, 0.42, 0.62], np.float32) * dice.uniform(0.5, 1.2)
    out = np.ones((height, width, 3), np.float32) * tone
    blotches = dice.normal(0, 0.12, (12, 16)).astype(np.float32)
    out *= 1 + cv2.resize(blotches, (width, height), interpolation=cv2.INTER_CUBIC)[:, :, None]
    if kind == "wood":
        grain = dice.normal(0, 0.12, (height // 2, 6)).astype(np.float32)
        out *= 1 + cv2.resize(grain, (width, height), interpolation=cv2.INTER_CUBIC)[:, :, None]
    elif kind == "shelf":
        x = 0
        while x < width:
            wide = int(dice.integers(8, 60))
            out[:, x : x + wide] = np.array(dice.uniform(0.03, 0.8, 3), np.float32)
            x += wide
    return np.clip(out, 0, 1)


def _keys(dice: Any, out: Array) -> None:
    height, width = out.shape[:2]
    side = int(dice.integers(18, 45))
    cap = dice.uniform(5, 200)
    for row, top in enumerate(range(0, height, side)):
        for left in range(-row * side // 3 % side, width, side):
            cv2.rectangle(out, (left + 2, top + 2), (left + side - 3, top + side - 3), (cap, cap, cap), -1)
            letter = chr(int(dice.integers(65, 91)))
            ink = 230 - cap
            cv2.putText(out, letter, (left + side // 4, top + 2 * side // 3), cv2.FONT_HERSHEY_SIMPLEX,
                        side / 60, (ink, ink, ink), 1, cv2.LINE_AA)  # fmt: skip


def _text(dice: Any, out: Array, box: Tuple[int, int, int, int]) -> None:
    left, top, right, bottom = box
    paper = dice.uniform(150, 230)
    cv2.rectangle(out, (left, top), (right, bottom), (paper, paper, paper), -1)
    size = dice.uniform(0.25, 0.7)
    for y in range(top + 12, bottom, int(size * 40) + 4):
        line = (2 * _SENTENCE)[int(dice.integers(len(_SENTENCE))) :]
        cv2.putText(out, line[: max(1, int((right - left) / (size * 19)))], (left + 4, y),
                    cv2.FONT_HERSHEY_SIMPLEX, size, (20, 20, 20), 1, cv2.LINE_AA)  # fmt: skip


def _thing(dice: Any, out: Array) -> None:
    """A box, a mug, a note, another screen."""
    height, width = out.shape[:2]
    x, y = int(dice.integers(0, width)), int(dice.integers(0, height))
    wide, tall = (int(value) for value in dice.integers(10, max(20, width // 4), 2))
    colour = tuple(float(value) for value in dice.uniform(5, 217, 3))
    kind = dice.random()
    if kind < 0.4:
        cv2.rectangle(out, (x, y), (x + wide, y + tall), colour, -1)
    elif kind < 0.6:
        cv2.ellipse(out, (x, y), (wide, tall), float(dice.uniform(0, 180)), 0, 360, colour, -1, cv2.LINE_AA)
    elif kind < 0.8:
        _text(dice, out, (x, y, min(width, x + 2 * wide), min(height, y + 2 * tall)))
    else:  # a cable
        points = np.array(dice.uniform(0, 1, (4, 2)) * (width, height), np.int32)
        cv2.polylines(out, [points], False, colour, int(dice.integers(1, 6)), cv2.LINE_AA)


def with_finger(dice: Any, scene: Array, px: Array, py: Array, panel: Tuple[int, int]) -> Array:
    """The scene with a finger over a corner of the panel, or over an edge."""
    corner = np.array([dice.choice([0, panel[0]]), dice.choice([0, panel[1]])], float)
    inward = np.where(corner > 0, -1, 1) / np.sqrt(2)
    if dice.random() < 0.4:
        corner[0], inward = dice.uniform(0.1, 0.9) * panel[0], np.array([0.0, inward[1] * np.sqrt(2)])
    reach, wide = dice.uniform(60, 200), dice.uniform(35, 70)
    along = (px - corner[0]) * inward[0] + (py - corner[1]) * inward[1]
    beside = (px - corner[0]) * inward[1] - (py - corner[1]) * inward[0]
    over = np.where(along < reach - wide, abs(beside), np.hypot(along - reach + wide, beside)) < wide
    over &= along > -500
    shade = (1 - 0.4 * (np.clip(beside, -wide, wide) / wide) ** 2)[over][:, None]
    skin = np.array([0.38, 0.45, 0.65]) * dice.uniform(0.3, 1.1)
    scene[over] = shade * skin
    return scene
