"""The limits of the ink bench: which numbers are held, and that they can only go down."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).resolve().parents[1] / "bench" / "bench.py"


@pytest.fixture(scope="module")
def bench() -> Any:
    spec = importlib.util.spec_from_file_location("inktop_bench", BENCH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_number_of_both_hours_has_a_limit(bench: Any) -> None:
    limits = json.loads(bench.LIMITS.read_text())
    assert set(limits) == {"loaded", "idle"}
    for hour in limits.values():
        assert set(hour) == set(bench.LIMITED)
        assert all(value > 0 for value in hour.values())


def test_a_limit_is_lowered_by_a_better_number_and_kept_against_a_worse_one(bench: Any) -> None:
    limits = {"loaded": {"flips": 100, "rows": 50}}
    now = {"loaded": {"flips": 90, "rows": 60}}
    assert bench.lowered(limits, now) == {"loaded": {"flips": 90, "rows": 50}}


def test_a_number_without_a_limit_gets_one(bench: Any) -> None:
    assert bench.lowered({}, {"idle": {"flips": 7}}) == {"idle": {"flips": 7}}


def test_all_graphs_count_as_graphs_and_nothing_else_does(bench: Any) -> None:
    account = {"elements": {"gpu graph0": 5, "net graph": 7, "gpu0": 100}}
    assert bench.graph_flips(account) == 12
