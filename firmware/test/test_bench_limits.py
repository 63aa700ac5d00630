"""The limits of the ink bench: which numbers are held, and that they can only go down."""

from __future__ import annotations

import json
from pathlib import Path

from testkit.script import script

bench = script(Path(__file__).resolve().parents[1] / "bench" / "bench.py")


def test_every_number_of_both_hours_has_a_limit() -> None:
    limits = json.loads(bench.LIMITS.read_text())
    assert set(limits) == {"loaded", "idle"}
    for hour in limits.values():
        assert set(hour) == set(bench.LIMITED)
        assert all(value > 0 for value in hour.values())


def test_a_limit_is_lowered_by_a_better_number_and_kept_against_a_worse_one() -> None:
    limits = {"loaded": {"flips": 100, "rows": 50}}
    now = {"loaded": {"flips": 90, "rows": 60}}
    assert bench.lowered(limits, now) == {"loaded": {"flips": 90, "rows": 50}}


def test_a_number_without_a_limit_gets_one() -> None:
    assert bench.lowered({}, {"idle": {"flips": 7}}) == {"idle": {"flips": 7}}


def test_all_graphs_count_as_graphs_and_nothing_else_does() -> None:
    account = {"elements": {"gpu graph0": 5, "net graph": 7, "gpu0": 100}}
    assert bench.graph_flips(account) == 12
