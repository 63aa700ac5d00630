"""The panel itself: dead rows and columns, data lines, fading."""

from __future__ import annotations

from typing import Any, List, Tuple

import cv2
import numpy as np

from inktop_tools.photo.compare import CELL, cells_of
from inktop_tools.photo.scene import Explanation, Scene, box_of, opened, tight

Array = Any

_CLEAR = 8.0  # times the usual deviation of a line
_LEAST = 0.33  # of what a dead line would show: a tone curve makes thin ones pale
_STRIPED = 0.25
_FEW_WRONG = 0.003
_BORDER, _BORDER_BLURS = 4, 3  # next to the bezel nothing is claimed: pixels, and times the blur
_EVEN = 7
_FEWEST = 60  # pixels of a line that tell whether it is dead
_PARTS = 8
_FADED = 0.45
_FADED_BY = 0.13
_FEWEST_PALE = 40  # cells


def propose(scene: Scene) -> List[Explanation]:
    """Lines that do not follow the picture, and ink that is not dark."""
    return [*_lines(scene, "column"), *_lines(scene, "row"), *_data_line(scene), *_faded(scene)]


def _lines(scene: Scene, kind: str) -> List[Explanation]:
    seen = scene.seen
    off, expected, mask = scene.fine, seen.expected, scene.mask
    if kind == "row":
        off, expected, mask = off.T, expected.T, mask.T
    # Beside edges of its own the picture is never quite as sharp as it should be.
    across = np.ones((1, _EVEN))
    even = mask & (cv2.dilate(expected, across) == cv2.erode(expected, across))
    profile = seen.kernel.sum(axis=0 if kind == "column" else 1)
    height = max(float(profile.max()), 0.05)
    border = _BORDER + round(_BORDER_BLURS * seen.blur_px)
    found = []
    for level, word in ((0.0, "black"), (1.0, "white")):
        change = ((level - expected) * even).astype(np.float32)
        square = (change**2).sum(axis=0)
        amount = (off * change).sum(axis=0) / np.maximum(square, 1) / height
        amount[square < _FEWEST] = 0
        amount[:border] = amount[-border:] = 0
        usual = (
            1.4826 * float(np.median(abs(amount[square >= _FEWEST]))) if (square >= _FEWEST).any() else 1.0
        )
        dead = (amount > _LEAST) & (amount > _CLEAR * usual) & _throughout(off, change, height)
        runs = _runs(dead)
        if not runs:
            continue
        wide = [end - start for start, end in runs]
        peaks = [start + int(np.argmax(amount[start:end])) for start, end in runs]
        stuck = expected.copy()
        for start, end in runs:
            # Blur widens a line; what it is centred on is as wide as its weight.
            width = end - start
            heavy = min(width, max(1, round(float(amount[start:end].clip(0, 1).sum()))))
            first = start + (width - heavy) // 2 if width > 3 else peaks[runs.index((start, end))]
            stuck[:, first : first + (heavy if width > 3 else 1)] = level
        gain = scene.gain(stuck if kind == "column" else np.ascontiguousarray(stuck.T))
        gained = float(gain.sum())
        near = sum(float((off[:, max(0, s - 3) : e + 3] ** 2).sum()) for s, e in runs)
        if gained < 0.3 * near:
            continue  # something else runs along it
        gaps = np.diff(peaks)
        box = (runs[0][0], runs[-1][1])
        area = (box[0], 0, box[1], off.shape[0]) if kind == "column" else (0, box[0], off.shape[0], box[1])
        facts = {"kind": kind, "at": peaks[:20], "count": len(runs), "level": word}
        if len(runs) > 8 and float(np.median(abs(gaps - np.median(gaps)))) < 1:
            text = f"every {int(np.median(gaps))}th {kind} is {word}, from {peaks[0]}: a data line"
            family = "data-line"
        elif sum(wide) > 12:
            text, family = f"{kind}s {runs[0][0]} to {runs[-1][1]} stay {word}", "dead-block"
            # What was there before may be mostly white too: that explains the rest as well.
            gained -= 0.1 * near
        else:
            text = f"{kind} {', '.join(map(str, peaks[:6]))} stays {word}"
            family = "dead-line"
        found.append(Explanation("panel", family, text, max(scene.share(gained), 0.3) + 0.05, area, facts))
    return found


def _throughout(off: Array, change: Array, height: float) -> Array:
    """Columns where most parts of the line that can tell it do."""
    told = held = np.zeros(off.shape[1])
    for rows in np.array_split(np.arange(off.shape[0]), _PARTS):
        square = (change[rows] ** 2).sum(axis=0)
        amount = (off[rows] * change[rows]).sum(axis=0) / np.maximum(square, 1) / height
        can = square >= _FEWEST / _PARTS
        told = told + can
        held = held + (can & (amount > 0.5 * _LEAST))
    result: Array = held >= 0.75 * np.maximum(told, 1)
    return result


def _data_line(scene: Scene) -> List[Explanation]:
    """One line of the bus is one column in every eight (16 bits, two a pixel) or in sixteen."""
    seen = scene.seen
    # Beside edges a picture that repeats with the same period would pass for it.
    across = np.ones((1, _EVEN))
    even = scene.mask & (cv2.dilate(seen.expected, across) == cv2.erode(seen.expected, across))
    for level, word in ((0.0, "black"), (1.0, "white")):
        change = (level - seen.expected) * even
        square = (change**2).sum(axis=0)
        amount = (
            (scene.off * change).sum(axis=0)
            / np.maximum(square, 1)
            / max(float(seen.kernel.sum(0).max()), 0.05)
        )
        for period in (8, 16):
            folded = np.median(amount[: len(amount) // period * period].reshape(-1, period), axis=0)
            at = int(np.argmax(folded))
            clear = float(folded[at] - np.median(folded))
            if clear > _STRIPED:
                text = f"every {period}th column is {word}, from column {at} on: a data line"
                facts = {"period": period, "phase": at, "level": word}
                score = min(1.0, 0.5 + clear)
                if scene.wrong.mean() > _FEW_WRONG:  # then it has to explain that
                    stuck = seen.expected.copy()
                    stuck[:, at::period] = level
                    score = scene.share(float(scene.gain(stuck).sum()))
                return [Explanation("panel", "data-line", text, score, None, facts)]
    return []


def _largest(cells: Array) -> Array:
    """The largest group of cells that are near each other."""
    _, labels = cv2.connectedComponents(cv2.dilate(cells.astype(np.uint8), np.ones((11, 11))))
    count = np.bincount(labels[cells], minlength=2)
    count[0] = 0
    return cells & (labels == int(np.argmax(count)))


def _runs(flags: Array) -> List[Tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2])]


def _faded(scene: Scene) -> List[Explanation]:
    seen = scene.seen
    if seen.contrast < _FADED:
        text = f"ink is only {seen.contrast * 100:.0f} % darker than paper: the whole picture is faded"
        # A picture that is pale alike differs nowhere once its levels are known.
        score = 0.3 if scene.wrong.mean() > _FEW_WRONG else 0.5
        return [Explanation("panel", "faded", text, score, None, {"contrast": round(seen.contrast, 2)})]
    dark = (seen.blurred < 0.25).astype(np.float32)
    count = cells_of(dark)
    pale_by = cells_of(scene.off * dark) / np.maximum(count, 1e-3)
    ink = (count > 0.1) & seen.visible
    mean = cells_of(scene.off * (seen.blurred > 0.75)) / np.maximum(
        cells_of((seen.blurred > 0.75).astype(np.float32)), 1e-3
    )
    pale = opened(ink & (pale_by > _FADED_BY) & (pale_by < 0.8))
    pale[[0, -1]] = False
    pale[:, [0, -1]] = False  # the bezel's
    pale = _largest(pale)
    if pale.sum() < _FEWEST_PALE:
        return []
    box = box_of(pale)
    if box is None:
        return []
    inside = np.s_[box[1] // CELL : box[3] // CELL, box[0] // CELL : box[2] // CELL]
    paper = (cells_of((seen.blurred > 0.75).astype(np.float32)) > 0.3) & seen.visible
    if pale[inside].sum() < 0.6 * ink[inside].sum():
        return []
    # All of it alike, and only its ink: else something else is there.
    usual = float(np.median(pale_by[pale]))
    if float(np.median(abs(pale_by[pale] - usual))) > 0.25 * usual:
        return []
    if paper[inside].any() and (abs(mean[inside][paper[inside]]) > 0.25).mean() > 0.1:
        return []
    # Fading leaves paper as it is; an old picture leaves grey on it.
    even = (cv2.erode(seen.expected, np.ones((9, 9))) > 0.5) & scene.mask
    blank = cv2.blur(scene.off, (5, 5))[box[1] : box[3], box[0] : box[2]][
        even[box[1] : box[3], box[0] : box[2]]
    ]
    if len(blank) and (blank < -_FADED_BY).mean() > 0.02:
        return []
    box = tight(scene, box)
    gained = float((cells_of(scene.off**2) * pale).sum()) * CELL * CELL
    text = f"ink is grey between columns {box[0]} and {box[2]}: an area is faded"
    return [Explanation("panel", "faded-area", text, scene.share(gained) + 0.1, box, {})]
