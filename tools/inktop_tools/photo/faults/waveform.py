"""Pulses too weak or too few: ghosts of what was shown before, pixels half driven."""

from __future__ import annotations

from typing import Any, Iterator, List

import cv2
import numpy as np

from inktop_tools.photo.compare import CELL, cells_of
from inktop_tools.photo.scene import Explanation, Scene, box_of, opened, tight

Array = Any

_FAINTEST = 0.025
#: Of a former picture, so much is not in the expected one.
_OF_ITS_OWN = 0.15
_HALF = (0.15, 0.75)
_WINDOWS = 6
_FEWEST_EVEN = 20000  # pixels
_FAR = 25
_BEZEL = 16  # next to it nothing is claimed
#: Strokes of a picture are at least so wide (sigma, pixels); how faint they may be, and how much of a window
#: they fill.
_STROKE, _FAINTEST_SHAPE, _SHAPES = 1.5, 0.02, 0.015


def propose(scene: Scene) -> List[Explanation]:
    """Mixtures of the expected picture with one that may have been there before."""
    found = []
    for name, picture in scene.blurred_before().items():
        found += _ghost(scene, name, picture)
        if scene.wrong.any():
            found += _half(scene, name, picture)
    return found if any(one.family == "ghost" for one in found) else [*found, *_nameless(scene)]


def _detail(picture: Array) -> Array:
    return picture - cv2.blur(picture, (33, 33))


def _ghost(scene: Scene, name: str, picture: Array) -> List[Explanation]:
    """A known picture that shines through all of the panel alike: an old part of the picture does not."""
    if name == "the inverted picture" or scene.wrong.mean() > 0.3:
        return []
    mask = _even(scene)
    if mask.sum() < _FEWEST_EVEN:
        return []
    pair = (_detail(picture), _detail(scene.seen.blurred), _detail(scene.off))
    old, now, off = (np.where(mask, one, 0).astype(np.float32) for one in pair)
    products = [cells_of(a * b) for a, b in ((old, old), (now, now), (old, now), (off, old), (off, now))]
    parts, weights = [], []
    for part in _windows(products[0].shape):
        olds, nows, both, off_old, off_now = (float(one[part].sum()) * CELL * CELL for one in products)
        # What the two pictures have in common is no ghost: contrast that is off looks alike.
        common = both / max(nows, 1e-3)
        total = olds - common * both
        if total > max(30, _OF_ITS_OWN * olds):
            parts.append((off_old - common * off_now) / total)
            weights.append(total)
    if len(parts) < 8:
        return []
    strength = float(np.average(parts, weights=weights))
    spread = 1.4826 * float(np.median(abs(np.array(parts) - np.median(parts))))
    if not _FAINTEST < strength < 0.55 or strength < 5 * spread / np.sqrt(len(parts)):
        return []
    # In nearly every window, and no window much stronger.
    shares = np.array(parts) / strength
    if (shares > 0.3).mean() < 0.75 or float(np.quantile(shares, 0.9)) > 2.5:
        return []
    text = f"a ghost of {name} shines through, {strength * 100:.0f} % strong"
    return [Explanation("waveform", "ghost", text, 0.3 + strength, None, {"strength": round(strength, 3)})]


def _even(scene: Scene, wide: int = 13) -> Array:
    """Pixels where the expected picture is even: its own edges are never quite as sharp as they should be."""
    side = np.ones((wide, wide))
    picture = scene.seen.expected
    inner = np.zeros_like(scene.mask)
    inner[_BEZEL:-_BEZEL, _BEZEL:-_BEZEL] = True
    return (
        inner & scene.mask & (cv2.dilate(picture, side) == cv2.erode(picture, side)) & (abs(scene.off) < 0.4)
    )


def _windows(shape: Any) -> Iterator[Any]:
    for rows in np.array_split(np.arange(shape[0]), _WINDOWS):
        for columns in np.array_split(np.arange(shape[1]), _WINDOWS):
            yield np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _nameless(scene: Scene) -> List[Explanation]:
    """Faint shapes of a picture that is not known, all over even paper or ink.

    Paper's texture and the camera's noise are as often lighter as darker, and even at the scale of strokes;
    what shines through is one of the two, in shapes.
    """
    if scene.wrong.mean() > 0.02:
        return []
    mask = _even(scene, _FAR)  # halos of a phone's sharpening reach far
    if mask.sum() < _FEWEST_EVEN:
        return []
    inside = mask.astype(np.float32)
    fine = cv2.GaussianBlur(scene.off * inside, (0, 0), _STROKE) / np.maximum(
        cv2.GaussianBlur(inside, (0, 0), _STROKE), 0.3
    )
    count = cv2.blur(inside, (65, 65))
    band = fine - cv2.blur(scene.off * inside, (65, 65)) / np.maximum(count, 0.05)
    mask &= count > 0.3
    rough = scene.off - cv2.blur(scene.off, (5, 5))
    noise = 1.4826 * float(np.median(abs(rough[mask]))) / (2 * _STROKE * np.sqrt(np.pi)) if mask.any() else 1
    least = max(_FAINTEST_SHAPE, 4 * noise)
    found: List[Explanation] = []
    for sign, word in ((-1, "dark"), (1, "light")):
        shapes = _shapes(mask & (sign * band > least))
        against = _shapes(mask & (-sign * band > least))
        shares = []
        for part in _windows(mask.shape):
            room = mask[part].sum()
            if room > 4000:
                shares.append((float(shapes[part].sum()) / room, float(against[part].sum()) / room))
        if len(shares) < 8:
            continue
        have = np.array(shares)
        clear = (have[:, 0] > _SHAPES) & (have[:, 0] > 3 * have[:, 1])
        if clear.mean() < 0.5 or have[:, 0].mean() < 3 * have[:, 1].mean():
            continue
        strength = float(np.median(abs(band[shapes])))
        text = f"{word} shapes of another picture shine through, about {strength * 100:.0f} % strong"
        found.append(
            Explanation("waveform", "ghost", text, 0.28 + strength, None, {"strength": round(strength, 3)})
        )
    return found


def _shapes(flags: Array) -> Array:
    """Without specks."""
    return cv2.morphologyEx(flags.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)) > 0


def _half(scene: Scene, name: str, picture: Array) -> List[Explanation]:
    change = picture - scene.seen.blurred
    square = cells_of(change**2)
    share = cells_of(scene.off * change) / np.maximum(square, 1e-3)
    usable = (square > 0.05) & scene.seen.visible
    hit = usable & (share > _HALF[0]) & (share < _HALF[1])
    hit = opened(hit)
    if hit.sum() < 12:
        return []
    strength = float(np.median(share[hit]))
    darker = usable & (cells_of(change) < -0.2)
    box = box_of(hit) or (0, 0, 0, 0)
    near = np.zeros_like(hit)
    near[box[1] // CELL : box[3] // CELL, box[0] // CELL : box[2] // CELL] = True
    # Ink that is grey while the paper beside it is white has faded: nothing of an old picture is there.
    both = (darker & near).sum() > 6 and float(np.median(share[darker & near])) > 0.1
    rest = cells_of((scene.off - strength * change) ** 2)
    hit &= rest < 0.5 * cells_of(scene.off**2)
    if hit.sum() < 12:
        return []
    box = box_of(hit) or box
    inside = np.s_[box[1] // CELL : box[3] // CELL, box[0] // CELL : box[2] // CELL]
    if hit[inside].sum() < 0.3 * usable[inside].sum():
        return []
    box = tight(scene, box)
    gained = float(((cells_of(scene.off**2) - rest) * hit).sum()) * CELL * CELL
    text = f"an area is half driven: {strength * 100:.0f} % of {name} is left"
    share = scene.share(gained) * (1.0 if both else 0.7)
    return [Explanation("waveform", "half-driven", text, share, box, {"strength": round(strength, 2)})]
