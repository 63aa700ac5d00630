"""Run lengths: how wide black, white and wrong stretches are, and on which grid their edges lie.

Edges on the redraw's grid mean software; off it, waveform or panel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Tuple

import numpy as np

Array = Any

GRIDS = (8, 16, 32, 64)


@dataclass(frozen=True)
class Run:
    """From `start` to before `end`, pixels; `dark`: ink."""

    start: int
    end: int
    dark: bool

    @property
    def length(self) -> int:
        """Pixels."""
        return self.end - self.start


def runs(values: Array) -> List[Run]:
    """The runs of a row or column; `values` 0 (ink) … 1 (paper)."""
    dark = np.asarray(values) < 0.5
    edges = np.flatnonzero(np.diff(dark)) + 1
    marks = [0, *edges.tolist(), len(dark)]
    return [Run(a, b, bool(dark[a])) for a, b in zip(marks, marks[1:])]


def on_grids(edges: List[int], slack: int = 2) -> Dict[int, Tuple[float, float]]:
    """grid -> (share of the edges within `slack` pixels of it, the share that chance would give)."""
    found = {}
    for grid in GRIDS:
        near = [min(edge % grid, -edge % grid) <= slack for edge in edges]
        chance = min(1.0, (2 * slack + 1) / grid)
        found[grid] = (sum(near) / len(near) if near else 0.0, chance)
    return found


def period(profile: Array) -> Tuple[int, int, float]:
    """The strongest period of stripes in a profile: pixels, phase, share of the variation it explains."""
    profile = np.asarray(profile, float) - float(np.mean(profile))
    total = float((profile**2).sum())
    best = (0, 0, 0.0)
    for length in range(2, 129):
        whole = profile[: len(profile) // length * length].reshape(-1, length)
        mean = whole.mean(axis=0)
        # Long periods explain something of any noise.
        share = float((mean**2).sum() * len(whole) / max(total, 1e-9)) - length / len(profile)
        if share > best[2] + 0.02:
            best = (length, int(np.argmax(abs(mean))), share)
    return best


def text(shown: Array, first: int, last: int) -> List[str]:
    """Rows `first` to `last` of the straight picture as runs: B black, W white, each with its width."""
    lines = []
    for row in range(first, min(last + 1, len(shown))):
        one = runs(shown[row])
        edges = [run.start for run in one[1:]]
        grids = " ".join(f"{grid}:{share * 100:.0f}%" for grid, (share, _) in on_grids(edges).items())
        dark = sum(run.length for run in one if run.dark) / shown.shape[1]
        words = " ".join(f"{'B' if run.dark else 'W'}{run.length}" for run in one[:60])
        lines.append(
            f"row {row}  dark {dark * 100:.0f}%  on grid {grids}  {words}{' …' if len(one) > 60 else ''}"
        )
    return lines


def edges_of(wrong: Array, cell: int) -> Tuple[List[int], List[int]]:
    """Vertical and horizontal edges, pixels, of wrong cells where they are straight for three cells."""
    found: Tuple[List[int], List[int]] = ([], [])
    for axis, edges in enumerate(found):
        cells = wrong if axis == 0 else wrong.T
        steps = np.diff(np.pad(cells.astype(np.int8), ((0, 0), (1, 1))), axis=1) != 0
        for at in np.flatnonzero(steps.sum(axis=0) >= 3):
            edges.extend([int(at) * cell] * int(steps[:, at].sum() // 3))
    return found


def text_of_wrong(difference: Array, first: int, last: int) -> List[str]:
    """The same of what is wrong: D too dark, L too light, = as it should be."""
    lines = []
    for row in range(first, min(last + 1, len(difference))):
        state = np.where(difference[row] < -0.5, -1, np.where(difference[row] > 0.5, 1, 0))
        edges = np.flatnonzero(np.diff(state)) + 1
        marks = [0, *edges.tolist(), len(state)]
        words = [f"{'=LD'[int(state[a])]}{b - a}" for a, b in zip(marks, marks[1:])]
        lines.append(f"row {row}  {' '.join(words[:60])}{' …' if len(words) > 60 else ''}")
    return lines


def lengths_of(wrong: Array, cell: int) -> Tuple[Dict[int, int], Dict[int, int]]:
    """How many stretches of wrong cells there are of each length, pixels: across and down."""
    found: Tuple[Dict[int, int], Dict[int, int]] = ({}, {})
    for axis, lengths in enumerate(found):
        cells = (wrong if axis == 0 else wrong.T).astype(np.int8)
        steps = np.diff(np.pad(cells, ((0, 0), (1, 1))), axis=1)
        for begin, end in zip(np.argwhere(steps > 0), np.argwhere(steps < 0)):
            length = int(end[1] - begin[1]) * cell
            lengths[length] = lengths.get(length, 0) + 1
    return found
