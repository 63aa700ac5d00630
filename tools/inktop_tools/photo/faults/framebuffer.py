"""Pixels in the wrong order: nibbles, bytes, words, stride; mirrored, inverted, moved."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

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
_STRIDES = (-128, -64, -32, -16, -8, 8, 16, 32, 64, 128, 640)


def whole(picture: Array) -> Dict[str, Array]:
    """name -> what the panel shows when the whole picture went wrong; for finding it in a photo at all."""
    found = {
        "inverted": 255 - picture,
        "mirrored": picture[:, ::-1].copy(),
        "upside down and mirrored": picture[::-1].copy(),
    }
    for more in _STRIDES:
        found[f"stride {more:+d}"] = _stride(picture, picture.shape[1] + more)
    return found


def _stride(picture: Array, wide: int) -> Array:
    flat = picture.reshape(-1)
    at = np.arange(picture.shape[0])[:, None] * wide + np.arange(picture.shape[1])[None, :]
    shown = np.where(at < flat.size, flat[np.minimum(at, flat.size - 1)], picture.max())
    return shown.astype(picture.dtype)


def propose(scene: Scene) -> List[Explanation]:
    """Swapped columns, measured over the whole picture: a single edge could not tell."""
    seen, found = scene.seen, []
    columns = np.arange(seen.expected.shape[1])
    for mask, text in SWAPS.items():
        other = columns ^ mask
        if other.max() >= len(columns):
            continue
        strength = _strength(scene, other)
        if strength > 0.6:
            gained = float(scene.gain(seen.expected[:, other]).sum())
            found.append(
                Explanation("framebuffer", "words", text, scene.share(gained), None,
                            {"mask": mask, "strength": round(strength, 2)})
            )  # fmt: skip
    return found


def _strength(scene: Scene, order: Array) -> float:
    """As Scene.strength, over every fourth strip of rows."""
    seen, above, below = scene.seen, 0.0, 0.0
    for top in range(0, seen.expected.shape[0] - 16, 64):
        rows = np.s_[top : top + 16]
        part = seen.expected[rows]
        change = seen.blur(part[:, order]) - seen.blur(part)
        change[:5] = change[-5:] = 0  # the strip's own edges
        change[~scene.mask[rows]] = 0
        above += float((scene.off[rows] * change).sum())
        below += float((change**2).sum())
    return above / below if below > 20 else 0.0
