"""From a photo to a verdict: the explanation that accounts for most of what differs, or none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

import cv2
import numpy as np

from inktop_tools.photo import compare, edges, geometry, outline
from inktop_tools.photo.compare import Seen
from inktop_tools.photo.faults import explanations, framebuffer
from inktop_tools.photo.scene import Explanation, Scene

Array = Any

#: A photo whose blocks agree within this can be judged, panel pixels; and so many pixels a panel pixel.
_LARGEST_RESIDUAL = 4.0
_LEAST_SCALE = 0.3
_LARGEST_BLUR = 4.0
_LEAST_VISIBLE = 0.4
#: Explanations below this share of the difference do not explain it.
_EXPLAINS = 0.25
#: Fewer wrong cells in one place than this are no fault.
_WRONG_CELLS = 8
_FEW_MATCHES = 40

NEXT = {
    "clean": "If it is still not what you expect, look at the lines: inktop tail HOST.",
    "content": "Compare the lines (inktop tail HOST) and the firmware's version (status screen) with this checkout.",
    "framebuffer": "Run ST1 and compare its checksum (inktop selftest --compare LOG): a right one means the panel's "
    "definition and bus width, a wrong one the drawing.",
    "refresh": "Run the self-test: ST3 isolates the dirty rows, ST4 what one update leaves to the next. Keep the log.",
    "feed": "Run ST1 and look at row 1000; lower the pixel clock (inktop configure set speed 11).",
    "waveform": "Run ST1, then ST2: a wash that repairs it means DU is weak (inktop configure set wash 600); "
    "else VCOM and temperature.",
    "panel": "Run ST1: if it stays, the flat cable, seated straight and locked, then VCOM, then the panel.",
    "unknown": "Run ST1 to ST5 and photograph each: the first that is wrong names the layer.",
    "unusable": "Take it from the front, the whole panel in it, sharp, without reflections.",
}


@dataclass
class Verdict:
    """`layer`: one of NEXT's keys. `score`: share of the difference explained; 1 for clean."""

    layer: str
    text: str
    family: str = ""
    score: float = 1.0
    box: Any = None
    parameters: Dict[str, Any] = field(default_factory=dict)
    runner_up: Optional[Explanation] = None
    evidence: List[str] = field(default_factory=list)
    stage: str = ""
    fit: Any = None
    seen: Optional[Seen] = None
    straight: Any = None

    @property
    def next_step(self) -> str:
        """What to do now."""
        return NEXT[self.layer]

    @property
    def exit_status(self) -> int:
        """0 clean, 1 fault, 2 unusable."""
        return {"clean": 0, "unusable": 2}.get(self.layer, 1)


def diagnose(
    photo: Array, candidates: Dict[str, Array], before: Dict[str, Array], tile: int = 64, corners: Any = None
) -> Verdict:
    """`photo`: BGR bytes. `candidates`: name -> picture (0 or 255), the first one is expected when it is alone.

    `before`: pictures that may have been on the panel.
    """
    cv2.setNumThreads(1)
    grey = cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY)
    if min(grey.shape) < 300:
        return Verdict("unusable", f"the photo has only {grey.shape[1]}x{grey.shape[0]} pixels")
    expected = next(iter(candidates.values()))
    panel = np.array([expected.shape[1], expected.shape[0]], float)
    size = np.array([grey.shape[1], grey.shape[0]], float)
    if corners is not None:
        name, found = next(iter(candidates)), outline.from_corners(corners, panel, size)
        fit = geometry.refine(grey, expected, found, "corners")
        return _judge(photo, grey, fit, name, expected, before, tile)
    features = geometry.photo_features(grey)
    best = _best(candidates, features, panel, size)
    if best is None or best[2] < _FEW_MATCHES:
        other = _best(_whole(candidates), features, panel, size)
        if other is not None and (best is None or other[2] > 1.5 * best[2]):
            return _transformed(photo, grey, other)
    if best is None:
        others = {name: one for name, one in _pictures(before).items() if name not in candidates}
        other = _best(others, features, panel, size)
        if other is not None and other[2] >= _FEW_MATCHES:
            return _transformed(photo, grey, other)
        return _blank(grey, expected, panel, size)
    name, lens, _ = best
    fit = geometry.refine(grey, candidates[name], lens, "features")
    return _judge(photo, grey, fit, name, candidates[name], before, tile)


def _pictures(before: Dict[str, Array]) -> Dict[str, Array]:
    return {name: (one * 255).astype(np.uint8) for name, one in before.items()}


def _whole(candidates: Dict[str, Array]) -> Dict[str, Array]:
    if len(candidates) > 1:
        return {}
    return {kind: one for kind, one in framebuffer.whole(next(iter(candidates.values()))).items()}


def _best(
    candidates: Dict[str, Array], features: Any, panel: Array, size: Array
) -> Optional[Tuple[str, Any, int]]:
    best: Optional[Tuple[str, Any, int]] = None
    for name, picture in candidates.items():
        found = geometry.coarse(geometry.template_features(picture), features, panel, size)
        if found is not None and (best is None or found[1] > best[2]):
            best = (name, *found)
            template = picture
    return (best[0], best[1], best[2]) if best is not None and template is not None else None


def _transformed(photo: Array, grey: Array, found: Tuple[str, Any, int]) -> Verdict:
    name, _, matches = found
    whole = {"inverted", "mirrored", "upside down and mirrored"}
    evidence = [f"{matches} features agree with it"]
    if name in whole or name.startswith("stride"):
        said = f"the picture is {name}" if name in whole else f"rows are of another length: {name} px"
        hint = " (or the camera mirrors: try a photo of some text)" if "mirrored" in name else ""
        return Verdict("framebuffer", said + hint, name.split()[0], 0.9, evidence=evidence)
    return Verdict("content", f"it shows {name}", "other-content", 0.9, evidence=evidence)


def _blank(grey: Array, expected: Array, panel: Array, size: Array) -> Verdict:
    sheet = outline.find(grey, panel)
    if sheet is None:
        return Verdict("unusable", "no panel is found: nothing in the photo agrees with any expected picture")
    lens, even, bright = sheet
    if even:
        word = "white" if bright else "black"
        return Verdict("panel", f"the whole panel is {word}", f"all-{word}", 0.8,
                       evidence=["one even sheet of the panel's shape, and nothing on it"])  # fmt: skip
    return Verdict("unknown", "a sheet of the panel's shape shows something that is not known", score=0.3)


def _judge(
    photo: Array, grey: Array, fit: Any, name: str, expected: Array, before: Dict[str, Array], tile: int
) -> Verdict:
    evidence = [f"{fit.blocks} blocks agree within {fit.residual_px:.1f} px; {fit.scale:.2f} px a panel pixel"]
    straight = geometry.straight(grey, fit.lens)
    columns, rows = expected.shape[1] // compare.CELL, expected.shape[0] // compare.CELL
    share = 0.25
    small = cv2.resize(photo, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    mx, my = fit.lens.maps(columns, rows, float(compare.CELL))
    colour = cv2.remap(small, mx * share, my * share, cv2.INTER_LINEAR).astype(np.float32)
    seen = compare.look(straight, expected, colour)
    common = {"stage": name, "fit": fit, "seen": seen, "straight": straight}
    problem = _unusable(fit, seen)
    if problem:
        return Verdict("unusable", problem, evidence=evidence, **common)
    strips = edges.beyond(seen)
    scene = Scene(seen, before, tile)
    evidence.append(f"blur {seen.blur_px:.1f} px, noise {seen.noise * 100:.1f} % of black to white")
    evidence.append(f"{scene.wrong.mean() * 100:.2f} % of the picture is wrong, {(~seen.visible).mean() * 100:.0f} % is not seen")
    found = edges.reconciled(explanations(scene), strips, seen)
    wrong = cv2.morphologyEx(scene.wrong.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    fault = int(wrong.sum()) >= _WRONG_CELLS
    strong = [one for one in found if one.score >= _EXPLAINS]
    if not fault:
        # What is fainter than a wrong cell needs a family that measures it over the whole picture.
        strong = [one for one in strong if one.layer in ("framebuffer", "panel") or one.family in ("ghost", "cache-lines")]
    if strong:
        best = strong[0]
        other = next((one for one in strong[1:] if one.family != best.family), None)
        return Verdict(best.layer, best.text, best.family, min(1.0, best.score), best.box, best.parameters,
                       other, evidence, **common)  # fmt: skip
    if fault:
        from inktop_tools.photo.scene import box_of

        return Verdict("unknown", "something is wrong that no known fault explains", score=0.0,
                       box=box_of(wrong > 0), evidence=evidence, **common)  # fmt: skip
    return Verdict("clean", "the panel shows what it should", evidence=evidence, **common)


def _unusable(fit: Any, seen: Seen) -> str:
    if fit.blocks < 12 or fit.residual_px > _LARGEST_RESIDUAL:
        return "the panel is found, but not exactly enough: too oblique, too far away or not sharp"
    if fit.scale < _LEAST_SCALE:
        return f"too far away: {fit.scale:.2f} photo pixels a panel pixel. Go closer"
    if seen.blur_px > _LARGEST_BLUR:
        return "out of focus: text of 25 px is not resolved"
    if seen.visible.mean() < _LEAST_VISIBLE:
        return f"only {seen.visible.mean() * 100:.0f} % of the panel can be judged: cut off, covered or reflecting"
    return ""
