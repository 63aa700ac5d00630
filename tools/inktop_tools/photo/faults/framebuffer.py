"""Pixels in the wrong order: nibbles, bytes, words, stride; mirrored, inverted, moved."""

from __future__ import annotations

from typing import Any, Iterator, List, Tuple

import cv2
import numpy as np

from inktop_tools.photo.compare import Seen, fitted_kernel
from inktop_tools.photo.scene import Explanation, Scene

Array = Any

#: What is swapped when the column's number is changed by this mask: four bits a pixel.
SWAPS = {
    1: "the two pixels of each byte are swapped",
    2: "the bytes of each 16-bit word are swapped",
    3: "the four pixels of each 16-bit word are reversed",
    4: "the 16-bit words of each 32-bit word are swapped",
    6: "the bytes of each 32-bit word are reversed",
    7: "the eight pixels of each 32-bit word are reversed",
    8: "the 32-bit words of each pair are swapped",
    15: "the sixteen pixels of each 64-bit word are reversed",
}
#: Another order explains the photo when it leaves less than this share of the square difference.
_SWAPPED = 0.9
#: So many points are compared, under blurs of this side.
_SWAP_POINTS, _SWAP_KERNEL = 1600, 9
#: Of other panels and of mistaken bus widths, and what a wrong rounding adds.
_STRIDES = (-16, 16, -8, 8, -32, 32, -64, 64, -48, 128, -128, 640, -640, -320, -480, 960)


def strides(picture: Array) -> Iterator[Tuple[Array, str]]:
    """What the panel shows when rows are taken for longer or shorter than they are, and how to call it."""
    for more in _STRIDES:
        yield _stride(picture, picture.shape[1] + more), f"stride {more:+d}"


def scrambled(picture: Array) -> Iterator[Tuple[Array, str]]:
    """Orders of pixels that leave nothing of small text, and what they are."""
    columns = np.arange(picture.shape[1])
    for mask in (7, 3, 15):
        if (columns ^ mask).max() < len(columns):
            yield picture[:, columns ^ mask], SWAPS[mask]


def _stride(picture: Array, wide: int) -> Array:
    flat = picture.reshape(-1)
    at = np.arange(picture.shape[0])[:, None] * wide + np.arange(picture.shape[1])[None, :]
    shown = np.where(at < flat.size, flat[np.minimum(at, flat.size - 1)], picture.max())
    return shown.astype(picture.dtype)


def propose(scene: Scene) -> List[Explanation]:
    """Columns in another order, measured over the whole picture; a part that the picture does not fill."""
    return [*_swapped(scene), *_cut_off(scene)]


def _swapped(scene: Scene) -> List[Explanation]:
    seen = scene.seen
    columns = np.arange(seen.expected.shape[1])
    best = (1.0, 0)
    for mask in SWAPS:
        if (columns ^ mask).max() < len(columns):
            best = min(best, (_left_by(seen, mask, scene.mask), mask))
    ratio, mask = best
    if ratio > _SWAPPED:
        return []
    return [
        Explanation("framebuffer", "words", SWAPS[mask], min(1.0, 1.2 - 0.5 * ratio), None, {"mask": mask})
    ]


def _left_by(seen: Seen, mask: int, visible: Array) -> float:
    """The square difference with columns in this order, of that in the right order or in a similar one.

    Only where the order makes a difference, and each with the blur that suits it best: else a swap of
    neighbours would pass for blur, or a sharpened photo for a swap. In the similar order other columns
    are swapped, just as many: a photo that is none of the three agrees as badly with both.
    """
    picture = seen.expected
    columns = np.arange(picture.shape[1])
    block = 1 << int(mask).bit_length()
    swapped = picture[:, columns ^ mask]
    similar = picture[:, np.clip(((columns + block // 2) ^ mask) - block // 2, 0, len(columns) - 1)]
    differs = cv2.dilate((swapped != picture).astype(np.uint8), np.ones((1, 3))) > 0
    inside = np.zeros_like(differs)
    half = _SWAP_KERNEL // 2
    inside[half:-half, half:-half] = True
    ys, xs = np.nonzero(differs & visible & inside)
    if len(ys) < 3 * _SWAP_POINTS // 4:
        return 1.0
    pick = np.random.default_rng(1).choice(len(ys), min(len(ys), _SWAP_POINTS), replace=False)
    where = (ys[pick], xs[pick])
    _, here = fitted_kernel(seen.shown, swapped, where, _SWAP_KERNEL)
    others = [fitted_kernel(seen.shown, one, where, _SWAP_KERNEL)[1] for one in (picture, similar)]
    return float(here / max(min(others), 1e-6))


def _cut_off(scene: Scene) -> List[Explanation]:
    """One colour right of a column, below a row, or both."""
    found: List[Explanation] = []
    if scene.wrong.mean() < 0.01:
        return found
    rows, columns = scene.off.shape
    for level, word in ((1.0, "white"), (0.0, "black")):
        gain = scene.gain_of(np.full_like(scene.off, level))
        right, gained = _tail(gain.sum(axis=0))
        below, more = _tail(gain[:, :right].sum(axis=1))
        if gained <= 0 < more:
            right, gained = _tail(gain[:below].sum(axis=0))
        if gained + more <= 0:
            continue
        where = [f"right of column {right}"] if gained > 0 else []
        where += [f"below row {below}"] if more > 0 else []
        box = (right if more <= 0 else 0, below if gained <= 0 else 0, columns, rows)
        text = f"all is {word} {' and '.join(where)}: a picture of another size"
        facts = {"right": right, "below": below, "level": word}
        found.append(Explanation("framebuffer", "smaller", text, scene.share(gained + more), box, facts))
    return found


def _tail(gain: Array) -> Tuple[int, float]:
    """From where on to the end most is gained, and how much; the length and 0 when it is hardly anything."""
    tail = np.cumsum(gain[::-1])[::-1]
    at = int(np.argmax(tail))
    if 0.1 * len(gain) < at < 0.97 * len(gain) and tail[at] > 0:
        return at, float(tail[at])
    return len(gain), 0.0
