"""Rows that arrive at the wrong place: shifted, missing, doubled, swapped."""

from __future__ import annotations

from collections import Counter
from typing import Any, List, Tuple

import cv2
import numpy as np

from inktop_tools.photo.scene import Explanation, Scene, best_span

Array = Any

_BAND = 32
_MARGIN = 280
_FARTHEST = 200  # rows that get lost or come twice
_CLEARER = 0.15
_CHUNK = 64
_FEWEST_CHUNKS, _MANY_CHUNKS = 12, 40
#: So many in one row, and hardly any elsewhere, are that row.
_FEWEST_IN_A_ROW = 8
_CHUNK_ENERGY = 0.03
#: Inverted lines explain this much of what is off at and beside them, or they are something else.
_CHUNK_SHARE = 0.3


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
    swapped = _swapped(scene, found)
    return swapped + found[:2] + chunks


def _chunks(scene: Scene) -> List[Explanation]:
    """Single rows that are wrong for the length of a cache line: 32 or 64 bytes are 64 or 128 pixels."""
    off, picture = scene.fine, scene.seen.expected
    rows, usable = off.shape[0], off.shape[1] // _CHUNK * _CHUNK
    energy = (off[:, :usable] ** 2).reshape(rows, -1, _CHUNK).mean(axis=2)
    around = cv2.blur(energy, (1, 9), borderType=cv2.BORDER_REFLECT)
    beside = np.maximum(np.roll(energy, 4, axis=0), np.roll(energy, -4, axis=0))
    usual = np.quantile(energy, 0.9, axis=0)[None]
    hit = (energy > _CHUNK_ENERGY) & (energy > 5 * beside + 2 * usual) & (energy > 2 * around)
    hit[:4] = hit[-4:] = False
    peak = hit & (energy >= np.maximum(np.roll(energy, 1, axis=0), np.roll(energy, -1, axis=0)))
    peak[peak.mean(axis=1) > 0.6] = False  # a row that is wrong as a whole is a dead one
    count = int(peak.sum())
    most = int(np.argmax(peak.sum(axis=1)))
    in_a_row = int(peak[max(0, most - 1) : most + 2].any(axis=0).sum())
    of_a_row = in_a_row >= _FEWEST_IN_A_ROW and in_a_row > 0.6 * count
    if count < _FEWEST_CHUNKS and not of_a_row:
        return []
    wide = np.pad(np.repeat(peak, _CHUNK, axis=1), ((0, 0), (0, off.shape[1] - usable)))
    gained = float(scene.gain(np.where(wide, 1 - picture, picture)).sum())
    near = np.pad(np.repeat(cv2.dilate(peak.astype(np.uint8), np.ones((7, 1))) > 0, _CHUNK, axis=1),
                  ((0, 0), (0, off.shape[1] - usable)))  # fmt: skip
    there = float((scene.off[near] ** 2).sum())
    if gained < _CHUNK_SHARE * there:
        return []
    if of_a_row:
        box, facts = (0, most, off.shape[1], most + 1), {"kind": "row", "at": [most], "count": 1}
        return [Explanation("panel", "dead-line", f"row {most} does not follow the picture", 0.4, box, facts)]
    text = f"{count} stretches of {_CHUNK} px in single rows are wrong: lines of the cache that came late"
    facts = {"count": count, "pixels": _CHUNK}
    # Faint ones make no cell wrong; where more is wrong they have to explain it.
    score = scene.share(gained) if scene.wrong.mean() > 0.003 else 0.5
    ys, xs = np.nonzero(peak)
    spread = min(np.ptp(ys) / rows, np.ptp(xs) / peak.shape[1])
    if count >= _MANY_CHUNKS and spread > 0.6 and scene.wrong.mean() < 0.03:
        score = max(score, 0.6)
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
    if to_end and dy and abs(dy) > _FARTHEST:
        return None
    if abs(top - 1000) <= 4:
        text += "; row 1000 is where the panel's second batch begins"
    return Explanation("feed", family, text, scene.share(total), box, facts)


def _swapped(scene: Scene, found: List[Explanation]) -> List[Explanation]:
    """Whether the rows that came from elsewhere were exchanged with those that belong here."""
    picture = scene.seen.expected
    for one in found[:3]:
        facts = one.parameters
        if one.family != "band-moved" or facts["dx"]:
            continue
        tall, first, second = facts["end"] - facts["row"], facts["row"], facts["row"] + facts["dy"]
        if abs(facts["dy"]) < tall or second < 0 or second + tall > len(picture):
            first, second, tall = _within(first, second, tall, len(picture))
        if tall < _BAND // 2 or abs(second - first) < tall:
            continue
        both = picture.copy()
        both[first : first + tall] = picture[second : second + tall]
        both[second : second + tall] = picture[first : first + tall]
        gained = scene.share(float(scene.gain(both).sum()))
        if gained > one.score + 0.05:
            first, second = min(first, second), max(first, second)
            return [
                Explanation(
                    "feed", "bands-swapped", f"{tall} rows from {first} and from {second} are swapped",
                    gained + 0.02, (0, first, picture.shape[1], second + tall),
                    {"rows": tall, "first": first, "second": second},
                )
            ]  # fmt: skip
    return []


def _within(first: int, second: int, tall: int, rows: int) -> Tuple[int, int, int]:
    """Two bands cut to what lies within the picture."""
    before = max(0, -min(first, second))
    after = max(0, max(first, second) + tall - rows)
    return first + before, second + before, tall - before - after
