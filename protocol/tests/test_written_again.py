"""What is the same from line to line is not written again: no line may tell."""

from __future__ import annotations

from dataclasses import replace

from inktop_protocol import Snapshot, encode_snapshot
from inktop_protocol.model import Disk, Memory

FULL = Snapshot(
    "tower",
    time="12:00",
    memory=Memory(1000, 2000, 300),
    disks=tuple(Disk(n, 9999, f"/d{n}") for n in range(4)),
)


def test_a_line_is_the_same_whatever_was_written_before_it() -> None:
    one, other = FULL, replace(FULL, memory=Memory(1500, 2000, 300), disks=FULL.disks[1:], cpu_permille=7)
    first, second = encode_snapshot(one), encode_snapshot(other)
    assert first != second
    assert encode_snapshot(one) == first
    assert encode_snapshot(other) == second
    assert b"|m=1.5" in second
    assert b"/d0" in first
    assert b"/d0" not in second


def test_a_line_that_was_shed_leaves_nothing_in_the_next() -> None:
    whole = encode_snapshot(FULL)
    long = replace(FULL, cpus=1024, cpu_levels=tuple(n % 16 for n in range(1024)))
    shed = encode_snapshot(long)
    assert len(shed) <= 1024
    assert encode_snapshot(long) == shed
    assert encode_snapshot(FULL) == whole
    assert encode_snapshot(replace(FULL, cpu_permille=5)) != whole
