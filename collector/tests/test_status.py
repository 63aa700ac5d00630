"""The status file: what `inktop-collector boards` reads of the collector that runs."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Dict

import pytest
from inktop_collector.state import STATUS_FILE
from inktop_collector.status import COLUMNS, StatusFile, read_status, start_ticks

WRITTEN_AT = 1_000_000


@pytest.fixture(autouse=True)
def wall_clock(monkeypatch: pytest.MonkeyPatch) -> Dict[str, float]:
    clock = {"now": float(WRITTEN_AT)}
    monkeypatch.setattr(time, "time", lambda: clock["now"])
    return clock


def write(folder: Path, **board: str) -> None:
    """The status of a collector that is this process, with one board."""
    mine = ["collector", str(os.getpid()), start_ticks(os.getpid()), "7910", str(WRITTEN_AT), "0", "0"]
    row = ["board", *(board.get(name, "-") for name in COLUMNS)]
    (folder / STATUS_FILE).write_text("\t".join(mine) + "\n" + "\t".join(row) + "\n")


def test_what_is_counted_from_a_moment_goes_on_after_the_file_was_written(
    tmp_path: Path, wall_clock: Dict[str, float]
) -> None:
    write(tmp_path, id="desk", connected_s="100", health_s="7", uptime_s="500")
    wall_clock["now"] += 90
    status = read_status(str(tmp_path))
    assert status is not None
    (board,) = status.boards
    assert (board["connected_s"], board["health_s"]) == ("190", "97")
    assert (board["id"], board["uptime_s"]) == ("desk", "500"), "as the board said it"


def test_a_board_without_health_has_none_later_either(tmp_path: Path, wall_clock: Dict[str, float]) -> None:
    write(tmp_path, id="desk", connected_s="1")
    wall_clock["now"] += 90
    status = read_status(str(tmp_path))
    assert status is not None
    assert status.boards[0]["health_s"] == "-"


def test_a_clock_that_was_set_back_makes_nothing_younger(
    tmp_path: Path, wall_clock: Dict[str, float]
) -> None:
    write(tmp_path, connected_s="100", health_s="7")
    wall_clock["now"] -= 3600
    status = read_status(str(tmp_path))
    assert status is not None
    assert (status.boards[0]["connected_s"], status.boards[0]["health_s"]) == ("100", "7")


def test_the_status_of_a_process_that_has_ended_is_none(tmp_path: Path) -> None:
    write(tmp_path)
    text = (tmp_path / STATUS_FILE).read_text()
    # The same number, another start: a later process has it now.
    (tmp_path / STATUS_FILE).write_text(text.replace(start_ticks(os.getpid()), "1", 1))
    assert read_status(str(tmp_path)) is None


def test_the_file_is_written_soon_after_a_change_and_seldom_without(tmp_path: Path) -> None:
    file = StatusFile(str(tmp_path), print)
    path = tmp_path / STATUS_FILE

    def writes(now: float) -> bool:
        path.unlink(missing_ok=True)
        file.write(7910, [], now)
        return path.exists()

    assert writes(100.0)
    file.changed = True
    assert [writes(now) for now in (100.9, 101.0)] == [False, True]
    assert [writes(now) for now in (130.9, 131.0)] == [False, True]
    file.acknowledged(3)
    assert writes(131.1)
    status = read_status(str(tmp_path))
    assert status is not None
    assert (status.acks, status.acknowledged) == (1, 3)
