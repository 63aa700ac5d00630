"""The kept instruction counts: what fails, what does not."""

from __future__ import annotations

import json
from pathlib import Path

from testkit.script import script

counts = script(Path(__file__).resolve().parents[1] / "xtensa" / "counts.py")
TOLD = "ticks 80000\ncount parse 1000\nstack parse 2104\ncount redraw 4000\nstack redraw 4464\n"
SIZES = "core.elf  :\nsection  size  addr\n.text  1000  0\n.rodata  200  0\n.bss  99  0\nTotal  1299\n"


def test_ticks_become_instructions_and_the_deepest_stack_counts() -> None:
    assert counts.measured(TOLD, SIZES) == {
        "instructions, parse": 25_000,
        "instructions, redraw": 100_000,
        "bytes, deepest stack": 4464,
        "bytes, code and constants": 1200,
    }


def test_more_than_three_percent_is_too_much_and_a_number_must_be_kept() -> None:
    assert counts.compare({"parse": 1000}, {"parse": 1030}) == []
    assert counts.compare({"parse": 1000}, {"parse": 900}) == []
    assert "3.1 % more" in counts.compare({"parse": 1000}, {"parse": 1031})[0]
    assert counts.compare({}, {"parse": 1}) != []
    assert counts.compare({"parse": 1}, {}) != []


def test_eight_servers_may_cost_twice_what_one_costs() -> None:
    one, eight, most = counts.RATIOS[0]
    for cost, wrong in ((most * 100, 0), (most * 100 + 1, 1)):
        now = {one: 100, eight: int(cost)}
        assert len(counts.compare(now, now)) == wrong


def test_every_kept_number_is_one() -> None:
    kept = json.loads(counts.KEPT.read_text())
    assert len(kept) >= 6
    assert all(value > 0 for value in kept.values())
    # The main task of the board has 16 KiB (firmware/README.md, Memory).
    assert kept["bytes, deepest stack"] < 8 * 1024
