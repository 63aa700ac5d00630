"""Faults of the panel, each with the layer it belongs to; shares no code with the diagnosis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Tuple

import numpy as np

Array = Any
Box = Tuple[int, int, int, int]


@dataclass(frozen=True)
class Case:
    """What the panel shows now, and the box (left, top, right, bottom) of what changed; None: everything."""

    shown: Array
    box: Any = None


@dataclass(frozen=True)
class Fault:
    """How to damage a picture: (expected, previous, dice) to what is shown."""

    layer: str
    make: Callable[[Array, Array, Any], Case]
    faint: bool = False


def _rows_shifted(now: Array, _old: Array, dice: Any) -> Case:
    row = int(dice.choice([1000, dice.integers(100, 800)]))
    out = now.copy()
    out[row:] = np.roll(now[row:], int(dice.choice([-1, 1]) * dice.integers(8, 120)), axis=1)
    return Case(out, (0, row, 1920, 1080))


def _rows_missing(now: Array, _old: Array, dice: Any) -> Case:
    row, lost = int(dice.integers(100, 800)), int(dice.integers(8, 64))
    out = np.full_like(now, 255)
    out[:row] = now[:row]
    out[row : 1080 - lost] = now[row + lost :]
    return Case(out, (0, row, 1920, 1080))


def _rows_doubled(now: Array, _old: Array, dice: Any) -> Case:
    row, more = int(dice.integers(100, 800)), int(dice.integers(8, 64))
    out = now.copy()
    out[row + more :] = now[row : 1080 - more]
    return Case(out, (0, row + more, 1920, 1080))


def _bands_swapped(now: Array, _old: Array, dice: Any) -> Case:
    tall = int(dice.choice([32, 64, 128]))
    first, second = sorted(int(value) for value in dice.choice(1080 // tall, 2, replace=False) * tall)
    out = now.copy()
    out[first : first + tall] = now[second : second + tall]
    out[second : second + tall] = now[first : first + tall]
    return Case(out, (0, first, 1920, second + tall))


def _swapped(mask: int) -> Callable[[Array, Array, Any], Case]:
    def make(now: Array, _old: Array, _dice: Any) -> Case:
        return Case(now[:, np.arange(1920) ^ mask])

    return make


def _stride(now: Array, _old: Array, dice: Any) -> Case:
    wide = 1920 + int(dice.choice([-64, -16, -8, 8, 16, 64, 128]))
    flat = now.reshape(-1)
    at = np.arange(1080)[:, None] * wide + np.arange(1920)[None, :]
    return Case(np.where(at < flat.size, flat[np.minimum(at, flat.size - 1)], 255).astype(np.uint8))


def _moved(now: Array, _old: Array, dice: Any) -> Case:
    by = (int(dice.integers(-48, 48)), int(dice.integers(30, 160)))
    return Case(np.roll(now, by, axis=(0, 1)))


def _smaller(now: Array, _old: Array, _dice: Any) -> Case:
    out = np.full_like(now, 255)
    out[:810, :1440] = now[:810, :1440]
    return Case(out, (0, 0, 1920, 1080))


def _dead_line(down: bool) -> Callable[[Array, Array, Any], Case]:
    def make(now: Array, _old: Array, dice: Any) -> Case:
        out = now.copy()
        dark = 0 if now.mean() > 128 else 255
        at = int(dice.integers(40, (1920 if down else 1080) - 40))
        if down:
            out[:, at] = dark
            return Case(out, (at, 0, at + 1, 1080))
        out[at] = dark
        return Case(out, (0, at, 1920, at + 1))

    return make


def _dead_block(now: Array, _old: Array, dice: Any) -> Case:
    out = now.copy()
    at, wide = int(dice.integers(100, 1700)), int(dice.integers(12, 100))
    out[:, at : at + wide] = 255 if now.mean() < 128 else 0
    return Case(out, (at, 0, at + wide, 1080))


def _data_line(now: Array, _old: Array, dice: Any) -> Case:
    out = now.copy()
    out[:, int(dice.integers(0, 8)) :: 8] = 255 if now.mean() < 128 else 0
    return Case(out)


def _cache_lines(now: Array, old: Array, dice: Any) -> Case:
    out = now.copy()
    for _ in range(600):
        row, column = int(dice.integers(0, 1080)), int(dice.integers(0, 30)) * 64
        out[row, column : column + 64] = 255 - now[row, column : column + 64]
    return Case(out)


def _old_rectangle(now: Array, old: Array, dice: Any) -> Case:
    out = now.copy()
    for _ in range(50):
        left, top = int(dice.integers(0, 20)) * 64, int(dice.integers(1, 10)) * 64
        box = (left, top, left + 64 * int(dice.integers(3, 10)), top + 64 * int(dice.integers(2, 6)))
        part = np.s_[box[1] : box[3], box[0] : box[2]]
        if (now[part] != old[part]).mean() > 0.05:
            break
    out[part] = old[part]
    return Case(out, box)


def _old_band(now: Array, old: Array, dice: Any) -> Case:
    out = now.copy()
    top = int(dice.integers(1, 12)) * 64
    end = top + 64 * int(dice.integers(1, 4))
    out[top:end] = old[top:end]
    return Case(out, (0, top, 1920, end))


def _half_old(now: Array, old: Array, dice: Any) -> Case:
    out = now.copy()
    if dice.random() < 0.5:
        out[540:] = old[540:]
        return Case(out, (0, 540, 1920, 1080))
    out[:, :960] = old[:, :960]
    return Case(out, (0, 0, 960, 1080))


def _zebra(now: Array, _old: Array, dice: Any) -> Case:
    out = now.copy()
    for row in range(1, 16):
        for column in range(1, 29):
            if dice.random() < 0.2:
                part = np.s_[row * 64 : row * 64 + 64, column * 64 : column * 64 + 64]
                out[part] = 255 - out[part]
    return Case(out)


def _ghost(strength: float) -> Callable[[Array, Array, Any], Case]:
    def make(now: Array, old: Array, _dice: Any) -> Case:
        return Case((now * (1 - strength) + old * strength).astype(np.uint8))

    return make


def _half_driven(now: Array, old: Array, dice: Any) -> Case:
    out = now.astype(np.float32)
    box = (int(dice.integers(50, 500)), int(dice.integers(80, 300)), 1500, 900)
    part = np.s_[box[1] : box[3], box[0] : box[2]]
    share = dice.uniform(0.3, 0.6)
    out[part] = out[part] * (1 - share) + share * old[part]
    return Case(out.astype(np.uint8), box)


def _faded(now: Array, _old: Array, dice: Any) -> Case:
    share = dice.uniform(0.35, 0.7)
    return Case((255 - (255 - now.astype(np.float32)) * (1 - share)).astype(np.uint8))


def _faded_area(now: Array, _old: Array, dice: Any) -> Case:
    out = now.astype(np.float32)
    left = int(dice.integers(100, 900))
    part = np.s_[:, left : left + 500]
    out[part] = 255 - (255 - out[part]) * dice.uniform(0.4, 0.6)
    return Case(out.astype(np.uint8), (left, 0, left + 500, 1080))


def _blank(level: int) -> Callable[[Array, Array, Any], Case]:
    return lambda now, _old, _dice: Case(np.full_like(now, level))


FAULTS: Dict[str, Fault] = {
    "rows-shifted": Fault("feed", _rows_shifted),
    "rows-missing": Fault("feed", _rows_missing),
    "rows-doubled": Fault("feed", _rows_doubled),
    "bands-swapped": Fault("feed", _bands_swapped),
    "cache-lines": Fault("feed", _cache_lines),
    "nibbles-swapped": Fault("framebuffer", _swapped(1)),
    "bytes-swapped": Fault("framebuffer", _swapped(2)),
    "words-swapped": Fault("framebuffer", _swapped(4)),
    "words-reversed": Fault("framebuffer", _swapped(7)),
    "mirrored": Fault("framebuffer", lambda now, _old, _dice: Case(now[:, ::-1].copy())),
    "inverted": Fault("framebuffer", lambda now, _old, _dice: Case(255 - now)),
    "stride": Fault("framebuffer", _stride),
    "moved": Fault("framebuffer", _moved),
    "smaller": Fault("framebuffer", _smaller),
    "dead-column": Fault("panel", _dead_line(True), faint=True),
    "dead-row": Fault("panel", _dead_line(False), faint=True),
    "dead-block": Fault("panel", _dead_block),
    "data-line": Fault("panel", _data_line),
    "faded": Fault("panel", _faded),
    "faded-area": Fault("panel", _faded_area),
    "all-white": Fault("panel", _blank(255)),
    "all-black": Fault("panel", _blank(0)),
    "old-rectangle": Fault("refresh", _old_rectangle),
    "old-band": Fault("refresh", _old_band),
    "half-old": Fault("refresh", _half_old),
    "zebra": Fault("refresh", _zebra),
    "ghost": Fault("waveform", _ghost(0.15)),
    "ghost-5": Fault("waveform", _ghost(0.05), faint=True),
    "half-driven": Fault("waveform", _half_driven),
    "other-content": Fault("content", lambda _now, old, _dice: Case(old.copy())),
}
