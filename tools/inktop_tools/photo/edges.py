"""Whether the picture lies where the sheet's own edges say: else it was moved."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, List, Tuple

import numpy as np

from inktop_tools.photo import geometry
from inktop_tools.photo.compare import CELL, Seen, pixels_of
from inktop_tools.photo.geometry import Fit
from inktop_tools.photo.scene import Explanation

Array = Any
Move = Tuple[int, int]

#: Panel pixels: a pixel of the picture that is looked at, what is seen around the panel, how far is looked.
_STEP, _MARGIN, _REACH = 2.0, 208, 192
_LEAST_PX = 10
#: An edge of the sheet, of the picture's contrast.
_CLEAR = 0.12
#: A picture that was moved is right apart from that.
_REST = 0.02
#: The picture's spread in a strip from which on it can be recognised, how alike it must be, and how much of
#: it the photo must show.
_TELLS, _ALIKE, _ENOUGH = 0.01, 0.5, 0.4
#: Rows above the first content; a part that begins there is the part that did not move.
_FROM_TOP = 100


def moved(photo: Array, fit: Fit, seen: Seen) -> Move:
    """How far the picture lies from its place on the sheet, by the sheet's edges; 0, 0: they do not tell.

    Left and right edge (top and bottom) must agree, none may be where it should be, and of the picture
    nothing may be seen beyond them.
    """
    around = geometry.straight(photo, fit.lens, _STEP, _MARGIN)
    contrast = float(np.subtract(*np.nanquantile(around, (0.9, 0.1)))) if not np.isnan(around).all() else 0.0
    dy, dx = (-_offset(one, contrast) for one in (around.T, around))
    told = pixels_of(~seen.outside, seen.shown.shape)
    if _is_there(seen.shown.T, seen.blurred.T, told.T, dx):
        dx = 0
    if _is_there(seen.shown, seen.blurred, told, dy):
        dy = 0
    return dx, dy


def _is_there(shown: Array, picture: Array, told: Array, by: int) -> bool:
    """Whether the rows that would lie beyond the sheet show the picture, or are not in the photo: the
    bezel is as bright as the sheet, or cut off, and lines of the picture passed for edges."""
    if not by:
        return False
    strip = slice(-by, None) if by > 0 else slice(0, -by)
    told = told[strip]
    if told.mean() < _ENOUGH:
        return True
    shown, picture = shown[strip][told], picture[strip][told]
    if picture.std() < _TELLS or shown.std() == 0:
        return False
    return float(np.corrcoef(shown, picture)[0, 1]) > _ALIKE


def _offset(around: Array, contrast: float) -> int:
    """Panel pixels from the expected left and right edge to where the sheet's are."""
    margin, reach = int(_MARGIN / _STEP), int(_REACH / _STEP)
    middle = around[margin + reach : len(around) - margin - reach]
    slopes = middle[:, 4:] - middle[:, :-4]
    told = (~np.isnan(slopes)).mean(axis=0) > 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # columns that the photo does not reach
        profile = np.where(told, np.nanmedian(slopes, axis=0), 0.0)
    first, last = margin - 2, around.shape[1] - margin - 2
    way = np.arange(-reach, reach + 1)
    left, right = profile[first + way], -profile[last + way]
    clear = np.where(np.sign(left) == np.sign(right), np.minimum(abs(left), abs(right)), 0.0)
    best = int(np.argmax(clear))
    here = float(clear[abs(way) <= 4].max())
    if clear[best] < _CLEAR * contrast or clear[best] < 3 * here or abs(way[best]) * _STEP < _LEAST_PX:
        return 0
    return int(way[best] * _STEP)


def cut(seen: Seen, move: Move) -> None:
    """Takes what lies beyond the sheet from what is visible in `seen`."""
    for by, visible in zip(move, (seen.visible.T, seen.visible)):
        cells = (abs(by) + CELL - 1) // CELL + 1
        if by > 0:
            visible[len(visible) - cells :] = False
        elif by < 0:
            visible[:cells] = False


def reconciled(found: List[Explanation], move: Move, wrong: Array) -> List[Explanation]:
    """The explanations as they are when the fit held on to the part that was moved; `wrong`: cells."""
    rows, columns = wrong.shape[0] * CELL, wrong.shape[1] * CELL
    out = []
    held = False
    for one in found:
        if one.family in ("rows-shifted", "band-moved"):
            back = (-one.parameters["dx"], -one.parameters["dy"])
            agrees = move != (0, 0) and max(abs(a - b) for a, b in zip(move, back)) <= 6
            if agrees or (one.parameters["row"] < _FROM_TOP and one.parameters["end"] < rows):
                one = _the_rest(one, rows, columns)
                held = held or agrees
        out.append(one)
    if move != (0, 0) and not held and wrong.mean() < _REST:
        dx, dy = move
        text = f"the whole picture is moved by about {dx}, {dy} px"
        out.append(Explanation("framebuffer", "moved", text, 0.9, None, {"dx": dx, "dy": dy}))
    return sorted(out, key=lambda one: -one.score)


def _the_rest(one: Explanation, rows: int, columns: int) -> Explanation:
    dx, dy = -one.parameters["dx"], -one.parameters["dy"]
    row = one.parameters["end"] - dy  # on the sheet
    facts = {"row": row, "end": rows, "dx": dx, "dy": dy}
    if dy == 0:
        text, family = f"from row {row} on are moved by {dx} px sideways", "rows-shifted"
    elif dy > 0:
        text, family = f"{dy} rows are missing at row {row}: what follows moved up", "rows-missing"
    else:
        text, family = f"{-dy} rows come twice at row {row}: what follows moved down", "rows-doubled"
    return replace(one, text=text, family=family, box=(0, row, columns, rows), parameters=facts)
