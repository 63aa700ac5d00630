"""Runs each case of the C++ test programs as one test here, so that one run has one summary."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import List, Tuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / os.environ.get("INKTOP_CPP_FOLDER", "build/native")
#: The core, and both boards, which together compile every line of firmware/device.
PROGRAMS = ("inktop_tests", "inktop_device_v7", "inktop_device_nopmic_selftest")


def _run(program: str, option: str) -> subprocess.CompletedProcess[str]:
    command = [str(FOLDER / program), option, "--no-intro", "--no-version"]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


def _cases() -> List[Tuple[str, str]]:
    found = []
    for program in PROGRAMS:
        if not (FOLDER / program).exists():
            continue
        listing = _run(program, "--list-test-cases")
        listing.check_returncode()
        for line in listing.stdout.splitlines():
            if line and not line.startswith(("[doctest]", "=")):
                found.append((program, line))
    return found


def test_the_cpp_test_programs_have_been_built() -> None:
    assert {program for program, _ in _cases()} == set(PROGRAMS), "a program is missing: run `make test`"


def _marks(name: str) -> List[pytest.MarkDecorator]:
    return [pytest.mark.soak] if "a simulated year" in name else []


@pytest.mark.parametrize(
    ("program", "name"), [pytest.param(*case, marks=_marks(case[1])) for case in _cases()]
)
def test_cpp(program: str, name: str) -> None:
    escaped = name.replace("\\", "\\\\").replace(",", "\\,")
    run = _run(program, f"--test-case={escaped}")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "| 0 passed" not in run.stdout.split("test cases:")[-1].split("\n")[0], "no such case"
