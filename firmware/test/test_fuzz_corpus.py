"""What the fuzzers have kept: every input again, and both decoders on each line."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from decoders import Board, lines_of
from fuzz import CORPUS, TARGETS, arguments, kept, vector_lines, write_all

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / os.environ.get("INKTOP_CPP_FOLDER", "build/native")
#: The repository is no place for more.
MOST_BYTES = 500_000


@pytest.mark.parametrize("target", TARGETS)
def test_no_kept_input_breaks_the_core(target: str, tmp_path: Path) -> None:
    inputs = sorted(write_all(tmp_path, kept(target)).iterdir())
    assert len(inputs) > 10
    program = FOLDER / f"inktop_fuzz_{target}"
    done = subprocess.run([program, *inputs], capture_output=True, text=True, cwd=ROOT)
    said = done.stdout.splitlines()
    assert done.returncode == 0, f"{said[-1] if said else program}\n{done.stderr}"
    assert len(said) == len(inputs)


def test_both_decoders_say_the_same_of_every_kept_line() -> None:
    board = Board()
    lines = [line for data in kept("lines") for line in lines_of(data)]
    assert len(lines) > 30
    lines += vector_lines()
    assert [said for said in map(board.disagrees, lines) if said] == []


def test_two_decoders_that_differ_are_told_apart() -> None:
    board = Board()
    board.decode = lambda line: '{"error":"cut"}'  # type: ignore[method-assign]
    found = board.disagrees(b"h=a*F118")
    assert found is not None
    assert '"cut"' in found


def test_the_kept_inputs_stay_small() -> None:
    assert 0 < sum(path.stat().st_size for path in CORPUS.iterdir()) < MOST_BYTES


def test_the_seconds_are_of_all_targets_together_and_other_options_go_to_libfuzzer() -> None:
    assert arguments(["-max_total_time=60", "app", "-runs=5"]) == (60.0, ["app"], ["-runs=5"])
    with pytest.raises(SystemExit, match="no target"):
        arguments(["ap"])
