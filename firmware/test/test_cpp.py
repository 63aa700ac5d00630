"""Runs each case of the C++ test program as one test here, so that one run has one summary."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import List

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("INKTOP_CPP_TESTS", str(ROOT / "build/native/inktop_tests")))


def _cases() -> List[str]:
    if not PROGRAM.exists():
        return []
    listing = subprocess.run(
        [str(PROGRAM), "--list-test-cases", "--no-intro", "--no-version"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [line for line in listing.splitlines() if line and not line.startswith(("[doctest]", "="))]


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace(",", "\\,")


def test_the_cpp_test_program_has_been_built() -> None:
    assert _cases(), f"{PROGRAM} is missing or has no cases: run `make build`"


@pytest.mark.parametrize("name", _cases())
def test_cpp(name: str) -> None:
    run = subprocess.run(
        [str(PROGRAM), f"--test-case={_escaped(name)}", "--no-intro", "--no-version"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "| 0 passed" not in run.stdout.split("test cases:")[-1].split("\n")[0], "no such case"
