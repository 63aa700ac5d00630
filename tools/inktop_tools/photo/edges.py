"""Where the expected picture reaches beyond the sheet: then the picture was moved, not the sheet."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List

import numpy as np

from inktop_tools.photo.compare import CELL, WRONG_MEAN, WRONG_RMS, Seen, cells_of
from inktop_tools.photo.scene import Explanation

Array = Any

#: Of the cells along an edge.
_MOST = 0.75
_LEAST_PX = 16
#: Rows above the first content; a part that begins there is the part that did not move.
_FROM_TOP = 100


def beyond(seen: Seen) -> Dict[str, int]:
    """side -> pixels of the picture beyond the sheet there; these are no longer visible in `seen`."""
    off = seen.shown - seen.blurred
    bad = (abs(cells_of(off)) > WRONG_MEAN) | (cells_of(off * off) > WRONG_RMS**2)
    strips: Dict[str, int] = {}
    for side, view in (
        ("left", bad.T),
        ("right", bad.T[::-1]),
        ("top", bad),
        ("bottom", bad[::-1]),
    ):
        shown = {"left": seen.visible.T, "right": seen.visible.T[::-1], "top": seen.visible}
        visible = shown.get(side, seen.visible[::-1])
        deep = 0
        while deep < len(view) // 4 and visible[deep].any() and view[deep][visible[deep]].mean() > _MOST:
            deep += 1
        if _LEAST_PX <= deep * CELL < len(view) // 4 * CELL:
            strips[side] = deep * CELL
    rows, columns = bad.shape
    for side, wide in strips.items():
        cells = wide // CELL + 1
        part = {
            "left": np.s_[:, :cells],
            "right": np.s_[:, columns - cells :],
            "top": np.s_[:cells],
            "bottom": np.s_[rows - cells :],
        }[side]
        seen.visible[part] = False
    return strips


def reconciled(found: List[Explanation], strips: Dict[str, int], seen: Seen) -> List[Explanation]:
    """The explanations as they are when the fit held on to the part that was moved."""
    rows, columns = seen.shown.shape
    out = []
    for one in found:
        if one.family in ("rows-shifted", "band-moved") and one.parameters["row"] < _FROM_TOP:
            row, dx, dy = one.parameters["end"], -one.parameters["dx"], -one.parameters["dy"]
            facts = {"row": row, "end": rows, "dx": dx, "dy": dy}
            if dy == 0:
                text, family = f"from row {row} on are moved by {dx} px sideways", "rows-shifted"
            elif dy > 0:
                text, family = f"{dy} rows are missing at row {row}: what follows moved up", "rows-missing"
            else:
                text, family = f"{-dy} rows come twice at row {row}: what follows moved down", "rows-doubled"
            one = replace(one, text=text, family=family, box=(0, row, columns, rows), parameters=facts)
        out.append(one)
    if strips:
        dx = strips.get("right", 0) - strips.get("left", 0)
        dy = strips.get("bottom", 0) - strips.get("top", 0)
        text = f"the whole picture is moved by about {dx}, {dy} px"
        out.append(Explanation("framebuffer", "moved", text, 0.35, None, {"dx": dx, "dy": dy}))
    return sorted(out, key=lambda one: -one.score)
