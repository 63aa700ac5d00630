"""Rows that arrive at the wrong place: shifted, missing, doubled, swapped."""

from __future__ import annotations

from collections import Counter
from typing import Any, List

import cv2
import numpy as np

from inktop_tools.photo.scene import Explanation, Scene, best_span

Array = Any

_BAND = 32
_MARGIN = 280
_CLEARER = 0.15
_CHUNK = 64
_FEWEST_CHUNKS = 12


def propose(scene: Scene) -> List[Explanation]:
    """Finds each band of rows in the expected picture again, and refines to the row."""
    chunks = _chunks(scene)
    if scene.wrong.mean() < 0.002:
        return chunks
    moves = _moves(scene)
    found = []
    picture = scene.seen.expected
    for (dx, dy), _ in moves.most_common(3):
        for step_x in (-1, 0, 1) if dx else (0,):
            for step_y in (-1, 0, 1) if dy else (0,):
                found.append(_moved(scene, picture, dx + step_x, dy + step_y))
    found = sorted((one for one in found if one is not None), key=lambda one: -one.score)
    swapped = _swapped(found)
    return swapped + found[:2] + chunks


def _chunks(scene: Scene) -> List[Explanation]:
    """Single rows that are wrong for the length of a cache line: 32 or 64 bytes are 64 or 128 pixels."""
    off = scene.fine
    usable = off.shape[1] // _CHUNK * _CHUNK
    energy = (off[:, :usable] ** 2).reshape(off.shape[0], -1, _CHUNK).mean(axis=2)
    around = cv2.blur(energy, (1, 9), borderType=cv2.BORDER_REFLECT)
    beside = np.maximum(np.roll(energy, 4, axis=0), np.roll(energy, -4, axis=0))
    usual = np.quantile(energy, 0.9, axis=0)[None]
    hit = (energy > 0.05) & (energy > 5 * beside + 2 * usual) & (energy > 2 * around)
    hit[:4] = hit[-4:] = False
    peak = hit & (energy >= np.maximum(np.roll(energy, 1, axis=0), np.roll(energy, -1, axis=0)))
    count = int(peak.sum())
    # A row that is wrong as a whole is a dead one.
    scattered = count - int((peak.sum(axis=1) > 0.6 * peak.shape[1]).sum()) * peak.shape[1]
    if scattered < _FEWEST_CHUNKS:
        return []
    gained = float(energy[hit].sum()) * _CHUNK
    # Faint ones make no cell wrong; where more is wrong they have to explain it.
    score = scene.share(gained) if scene.wrong.mean() > 0.003 else 0.5
    text = f"{count} stretches of {_CHUNK} px in single rows are wrong: lines of the cache that came late"
    facts = {"count": count, "pixels": _CHUNK}
    return [Explanation("feed", "cache-lines", text, score, None, facts)]


def _moves(scene: Scene) -> Counter[Any]:
    size = (scene.off.shape[1] // 2, scene.off.shape[0] // 2)
    shown = cv2.resize(scene.seen.shown.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    whole = cv2.resize(scene.seen.blurred, size, interpolation=cv2.INTER_AREA)
    moves: Counter[Any] = Counter()
    tall, margin = _BAND // 2, _MARGIN // 2
    for top in range(0, size[1] - tall + 1, tall):
        if not scene.wrong[top * 2 // 8 : (top + tall) * 2 // 8].any():
            continue
        part = shown[top : top + tall, margin : size[0] - margin]
        if part.std() < 0.05:
            continue
        score = cv2.matchTemplate(whole, np.ascontiguousarray(part), cv2.TM_CCOEFF_NORMED)
        _, best, _, (x, y) = cv2.minMaxLoc(score)
        if best > 0.5 and best > score[top, margin] + _CLEARER:
            moves[((margin - x) * 2, (y - top) * 2)] += 1
    return moves


def _moved(scene: Scene, picture: Array, dx: int, dy: int) -> Any:
    rows = picture.shape[0]
    source = np.arange(rows) + dy
    moved = np.where(
        ((source >= 0) & (source < rows))[:, None], picture[np.clip(source, 0, rows - 1)], np.float32(1)
    )
    gain = scene.gain(np.roll(moved, dx, axis=1)).sum(axis=1)
    top, end, total = best_span(gain)
    if total <= 0:
        return None
    to_end = rows - end < 40 + abs(dy)
    end = rows if to_end else end
    box = (0, top, picture.shape[1], end)
    facts = {"row": top, "end": end, "dx": dx, "dy": dy}
    where = f"from row {top} on" if to_end else f"rows {top} to {end}"
    if dy == 0:
        text = f"{where} are moved by {dx} px sideways"
        family = "rows-shifted"
    elif not to_end:
        text, family = f"{where} show what belongs to rows {top + dy} to {end + dy}", "band-moved"
    elif dy > 0:
        text, family = f"{dy} rows are missing at row {top}: what follows moved up", "rows-missing"
    else:
        text, family = f"{-dy} rows come twice at row {top}: what follows moved down", "rows-doubled"
    if abs(top - 1000) <= 4:
        text += "; row 1000 is where the panel's second batch begins"
    return Explanation("feed", family, text, scene.share(total), box, facts)


def _swapped(found: List[Explanation]) -> List[Explanation]:
    for one in found:
        for other in found:
            a, b = one.parameters, other.parameters
            if one.family == other.family == "band-moved" and a["dy"] > 0 and a["dy"] == -b["dy"]:
                tall = one.parameters["end"] - one.parameters["row"]
                return [
                    Explanation(
                        "feed", "bands-swapped",
                        f"{tall} rows from {a['row']} and from {b['row']} are swapped",
                        one.score + other.score + 0.02,
                        (0, min(a["row"], b["row"]), 1920, max(a["end"], b["end"])),
                        {"rows": tall, "first": a["row"], "second": b["row"]},
                    )
                ]  # fmt: skip
    return []
