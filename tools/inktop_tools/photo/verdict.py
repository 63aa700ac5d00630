"""From a photo to a verdict: the explanation that accounts for most of what differs, or none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

import cv2
import numpy as np

from inktop_tools.photo import compare, edges, geometry, light, outline, quality
from inktop_tools.photo.compare import Seen
from inktop_tools.photo.expected import Wanted
from inktop_tools.photo.faults import explanations
from inktop_tools.photo.find import FEW_MATCHES, Finder, Found
from inktop_tools.photo.geometry import Fit
from inktop_tools.photo.scene import Box, Explanation, Scene, box_of, opened

Array = Any

#: Explanations below this share of the difference do not explain it.
_EXPLAINS = 0.25
#: Fewer wrong cells in one place than this are no fault.
_WRONG_CELLS = 8
_CORNER = 10  # cells: a fingertip
#: Features of a photo with a whole picture in it.
_RICH = 600
#: So many corner marks make it a picture of inktop's.
_MARKS = 3
#: Families that measure what is fainter than a wrong cell over the whole picture.
_FAINT = ("ghost", "cache-lines")

NEXT = {
    "clean": "If it is still not what you expect, look at the lines: inktop tail HOST.",
    "content": "Look at the lines (inktop tail HOST), and compare the firmware's version (status screen).",
    "framebuffer": "Run ST1 and compare its checksum (inktop selftest --compare LOG). Right: the panel's "
    "definition and bus width. Wrong: the drawing.",
    "refresh": "Run ST3 (the dirty rows) and ST4 (what one update leaves to the next). Keep the log.",
    "feed": "Run ST1 and look at row 1000; lower the pixel clock (inktop configure set speed 5).",
    "waveform": "Run ST1, then ST2. A wash that repairs it: DU is weak (inktop configure set wash 600); "
    "else VCOM and temperature.",
    "panel": "Run ST1. If it stays: the flat cable, seated straight and locked, then VCOM, then the panel.",
    "unknown": "Run ST1 to ST5 and photograph each: the first that is wrong names the layer.",
    "unusable": "Take it again from the front, the whole panel in it, sharp, without reflections.",
}
_NO_STAGE = (
    "the panel shows no stage of the self-test: say what should be there (--lines, --server or --expected)"
)


@dataclass
class Verdict:
    """`layer`: one of NEXT's keys. `confidence`: 0 … 1."""

    layer: str
    text: str
    family: str = ""
    confidence: float = 1.0
    box: Optional[Box] = None  # left, top, right, bottom, panel pixels
    parameters: Dict[str, Any] = field(default_factory=dict)
    runner_up: Optional[Explanation] = None
    evidence: List[str] = field(default_factory=list)
    shows: str = ""  # the name of the picture that it was compared with
    fit: Optional[Fit] = None
    seen: Optional[Seen] = None

    @property
    def next_step(self) -> str:
        """What to do now."""
        return NEXT[self.layer]

    @property
    def is_fault(self) -> bool:
        """Whether something is said to be wrong with the board."""
        return self.layer not in ("clean", "unusable")


def diagnose(photo: Array, wanted: Wanted, tile: int = 64, corners: Any = None) -> Verdict:
    """`photo`: BGR bytes. `corners`: the panel's in the photo, clockwise from the upper left, when known."""
    cv2.setNumThreads(1)
    grey = cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY)
    finder = Finder(grey, wanted.pictures, wanted.templates)
    if corners is not None:
        found = Found(
            next(iter(wanted.pictures)), outline.from_corners(corners, finder.panel, finder.size), 0
        )
        return _judge(photo, grey, found, wanted, tile, "corners")
    best = finder.best()
    if best is None or best.matches < FEW_MATCHES:
        other = finder.gone_wrong()
        if other is not None and (best is None or other.matches > 1.5 * best.matches):
            return _gone_wrong(other)
    if best is None:
        other = finder.among(wanted.before)
        if other is not None and other.matches >= FEW_MATCHES:
            return Verdict("content", f"it shows {other.name}", "other-content", 0.9,
                           evidence=[f"{other.matches} features agree with it"])  # fmt: skip
        return _without_features(grey, wanted, finder)
    return _judge(photo, grey, best, wanted, tile, "features")


def _gone_wrong(found: Found) -> Verdict:
    kind = found.went_wrong
    said = kind
    if kind.startswith("stride"):
        said = f"rows are of another length: {kind} px"
    elif kind in ("inverted", "mirrored"):
        said = f"the picture is {kind}"
    family = kind.split()[0] if said != kind else "words"
    hint = " (or the camera mirrors: try a photo of some text)" if kind == "mirrored" else ""
    return Verdict("framebuffer", said + hint, family, 0.9, shows=found.name,
                   evidence=[f"{found.matches} features agree with it"])  # fmt: skip


def _without_features(grey: Array, wanted: Wanted, finder: Finder) -> Verdict:
    sheet = outline.find(grey, finder.panel)
    if sheet is None:
        return Verdict("unusable", quality.not_found(grey))
    lens, even, bright = sheet
    if even:
        word = "white" if bright else "black"
        return Verdict("panel", f"the whole panel is {word}", f"all-{word}", 0.8,
                       evidence=["one even sheet of the panel's shape, and nothing on it"])  # fmt: skip
    if len(wanted.pictures) > 1:
        return Verdict("unusable", _NO_STAGE)
    picture = next(iter(wanted.pictures.values()))
    marks = geometry.marks_of(geometry.straight(grey, lens), picture)
    if marks >= _MARKS:
        return Verdict("content", "the panel shows another picture than expected", "other-content", 0.7,
                       evidence=[f"{marks} of the 4 corner marks are where they belong, and nothing between "
                                 "them is expected"])  # fmt: skip
    rich = finder.richness > _RICH
    what = "it is rich in detail, and nothing of it is expected" if rich else "hardly anything is on it"
    seen = [what, f"{marks} of the 4 corner marks are where they belong"]
    text = "the panel shows something that no known fault makes of what is expected"
    return Verdict("unknown", text, confidence=0.3, evidence=seen)


def _judge(photo: Array, grey: Array, found: Found, wanted: Wanted, tile: int, by: str) -> Verdict:
    expected = wanted.pictures[found.name]
    fit = geometry.refine(grey, expected, found.lens, by)
    seen = compare.look(
        geometry.straight(grey, fit.lens), expected, _colours(photo, fit, expected), fit.residual_px
    )
    verdict = _explained(fit, seen, wanted.before_of(found.name), tile, edges.moved(grey, fit, seen))
    verdict.shows, verdict.fit, verdict.seen = found.name, fit, seen
    return verdict


def _colours(photo: Array, fit: Fit, expected: Array) -> Array:
    """The photo's colour in each cell."""
    columns, rows = expected.shape[1] // compare.CELL, expected.shape[0] // compare.CELL
    share = 0.25
    small = cv2.resize(photo, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    mx, my = fit.lens.maps(columns, rows, float(compare.CELL))
    return cv2.remap(small, mx * share, my * share, cv2.INTER_LINEAR).astype(np.float32)


def _explained(fit: Fit, seen: Seen, before: Dict[str, Array], tile: int, move: edges.Move) -> Verdict:
    evidence = [
        f"{fit.blocks} blocks agree within {fit.residual_px:.1f} px; {fit.scale:.2f} px a panel pixel"
    ]
    problem = quality.unusable(fit, seen)
    if problem:
        return Verdict("unusable", problem, evidence=evidence)
    evidence.append(f"blur {seen.blur_px:.1f} px, noise {seen.noise * 100:.1f} % of black to white")
    evidence += quality.hidden(seen)
    light.settle(seen)
    edges.cut(seen, move)
    scene = Scene(seen, before, tile)
    evidence.append(
        f"{scene.wrong.mean() * 100:.2f} % of the picture is wrong, "
        f"{(~seen.visible).mean() * 100:.0f} % is not seen"
    )
    found = edges.reconciled(explanations(scene), move, scene.wrong)
    wrong = _in_one_place(scene.wrong)
    fault = int(wrong.sum()) >= _WRONG_CELLS
    strong = [one for one in found if one.score >= _EXPLAINS]
    if not fault:
        strong = [one for one in strong if one.layer in ("framebuffer", "panel") or one.family in _FAINT]
    if strong:
        best = strong[0]
        other = next((one for one in strong[1:] if one.family != best.family), None)
        return Verdict(best.layer, best.text, best.family, min(1.0, best.score), best.box, best.parameters,
                       other, evidence)  # fmt: skip
    if fault:
        return Verdict("unknown", "something is wrong that no known fault explains", confidence=0.0,
                       box=box_of(wrong), evidence=evidence)  # fmt: skip
    return Verdict("clean", "the panel shows what it should", evidence=evidence)


def _in_one_place(wrong: Array) -> Array:
    """Wrong cells that are neighbours of others; what only touches a corner of the panel may be its bezel."""
    close = opened(wrong).astype(np.uint8)
    close[[0, -1]] = 0
    close[:, [0, -1]] = 0
    rows, columns = close.shape
    for v in (np.s_[:_CORNER], np.s_[rows - _CORNER :]):
        for u in (np.s_[:_CORNER], np.s_[columns - _CORNER :]):
            close[v, u] = 0
    return close > 0
