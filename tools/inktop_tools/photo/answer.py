"""What `inktop diagnose` says: in words, as JSON, as an exit status; several photos make one verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from inktop_tools.photo import runs
from inktop_tools.photo.expected import STAGES
from inktop_tools.photo.verdict import Verdict

#: Of the JSON object.
VERSION = 1
_CLEAN, _FAULT, _UNUSABLE = 0, 1, 2

Found = List[Tuple[Path, Verdict]]


def exit_status(verdicts: List[Verdict]) -> int:
    """0 clean, 1 a fault in any photo, 2 a photo that cannot be used."""
    each = [{"clean": _CLEAN, "unusable": _UNUSABLE}.get(one.layer, _FAULT) for one in verdicts]
    return _FAULT if _FAULT in each else max(each)


def in_words(found: Found, rows: Optional[range]) -> List[str]:
    """Lines for a person; `rows` also as runs."""
    lines = []
    for path, one in found:
        lines += _one(path, one, rows)
    if len(found) > 1:
        together = _together(found)
        lines += [f"together: {together['text']}", f"  next: {together['next']}"]
    return lines


def _one(path: Path, one: Verdict, rows: Optional[range]) -> List[str]:
    lines = [f"{path}: {one.layer}" + (f" ({one.shows})" if one.shows else ""), f"  {one.text}"]
    lines += [f"  - {line}" for line in one.evidence]
    if one.is_fault:
        lines.append(f"  - confidence {one.confidence * 100:.0f} %")
    if one.runner_up is not None:
        lines.append(f"  - else: {one.runner_up.text} ({one.runner_up.layer})")
    lines.append(f"  next: {one.next_step}")
    if rows is not None and one.seen is not None:
        lines += runs.text(one.seen.shown, rows.start, rows.stop - 1)
        lines += ["wrong:", *runs.text_of_wrong(one.seen.difference, rows.start, rows.stop - 1)]
    return lines


def _together(found: Found) -> Dict[str, Any]:
    """The first stage that is wrong names the layer."""
    faults = [one for _, one in found if one.is_fault]
    faults.sort(key=lambda one: (one.shows not in STAGES, one.shows))
    if faults:
        first = faults[0]
        stage = first.shows if first.shows in STAGES else None
        text = f"{stage} is the first that is wrong: " if stage else ""
        return _joint(first.layer, stage, f"{text}{first.layer}, {first.text}", first.next_step)
    clean = [one for _, one in found if one.layer == "clean"]
    if not clean:
        return _joint("unusable", None, "no photo can be used", found[0][1].next_step)
    missing = [stage for stage in STAGES if stage not in [one.shows for one in clean]]
    text = f"as it should be: {', '.join(sorted({one.shows for one in clean}))}"
    if len(missing) == len(STAGES):
        return _joint("clean", None, text, clean[0].next_step)
    if missing:
        return _joint("clean", None, text, f"Photograph {', '.join(missing)} too.")
    return _joint("clean", None, text, "The fault is before the board. Look at the lines: inktop tail HOST.")


def _joint(layer: str, stage: Optional[str], text: str, next_step: str) -> Dict[str, Any]:
    return {"layer": layer, "stage": stage, "text": text, "next": next_step}


def as_json(found: Found) -> Dict[str, Any]:
    """The same for programs; a key is never taken away within a version."""
    answer: Dict[str, Any] = {"version": VERSION, "photos": [_photo(path, one) for path, one in found]}
    if len(found) > 1:
        answer["together"] = _together(found)
    return answer


def _photo(path: Path, one: Verdict) -> Dict[str, Any]:
    other, fit, seen = one.runner_up, one.fit, one.seen
    return {
        "photo": str(path),
        "layer": one.layer,
        "family": one.family or None,
        "text": one.text,
        "confidence": round(one.confidence, 3),
        "box": None if one.box is None else [int(value) for value in one.box],
        "parameters": one.parameters,
        "shows": one.shows or None,
        "runner_up": None
        if other is None
        else {"layer": other.layer, "family": other.family, "text": other.text},
        "evidence": one.evidence,
        "next": one.next_step,
        "corners": None if fit is None else [[round(float(v), 1) for v in point] for point in fit.corners],
        "residual_px": None if fit is None else round(fit.residual_px, 2),
        "scale": None if fit is None else round(fit.scale, 3),
        "blur_px": None if seen is None else round(seen.blur_px, 2),
        "noise": None if seen is None else round(seen.noise, 4),
        "visible": None if seen is None else round(float(seen.visible.mean()), 4),
    }
