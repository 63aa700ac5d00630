"""Makes a line smaller, step by step, until it fits: section 10 of the specification."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Iterator, List, Optional, Sequence, Tuple

from .schema import Average, Cut, DropLast, Key, Kind, Newest, Numbered, Repeat, Shed, Unknown


def average_levels(levels: Sequence[Optional[int]], cells: int) -> Tuple[Optional[int], ...]:
    """Levels averaged into ``cells`` groups of neighbours (fewer than there are levels).

    Cell j covers the levels j*n/cells to (j+1)*n/cells - 1, both rounded down; unknown ones do
    not count, a group of unknown ones is unknown; rounded half up.
    """
    averaged: List[Optional[int]] = []
    size = len(levels)
    for cell in range(cells):
        group = levels[cell * size // cells : (cell + 1) * size // cells]
        known = [level for level in group if level is not None]
        averaged.append((2 * sum(known) + len(known)) // (2 * len(known)) if known else None)
    return tuple(averaged)


def smaller(kind: Kind, line: Any) -> Iterator[Any]:
    """The line with less and less in it. Repeated and numbered groups hold only what can be written."""
    keys = {key.key: key for key in kind.keys}
    whole = line
    for step in [one for steps in kind.shedding for one in steps]:
        key = keys[step.key]
        member = key.member
        if isinstance(step, DropLast):
            while len(getattr(line, member)) > 1:
                line = replace(line, **{member: getattr(line, member)[:-1]})
                yield line
            continue
        before = getattr(line, member)
        after = _shed(step, key, before, getattr(whole, member))
        if after != before:
            line = replace(line, **{member: after})
            yield line


def _shed(step: Shed, key: Key, value: Any, whole: Any) -> Any:
    """The value of one member after a step; ``whole`` is what it was before all steps."""
    if isinstance(step, Unknown):
        nothing = dict.fromkeys(step.members)
        if isinstance(value, tuple):
            return tuple([replace(group, **nothing) for group in value])
        return None if value is None else replace(value, **nothing)
    if isinstance(step, Average):
        return average_levels(whole, step.cells) if len(whole or ()) > step.cells else value
    if isinstance(step, Newest):
        return value[-step.count :]
    if isinstance(step, Cut):
        return tuple(
            [replace(group, **{step.member: getattr(group, step.member)[: step.most]}) for group in value]
        )
    # LeaveOut.
    return () if isinstance(key.shape, (Repeat, Numbered)) else None
