"""Runs each case of the device adapters' test programs as one test here, as test_cpp.py does for the core."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import List, Tuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("INKTOP_CPP_TESTS", str(ROOT / "build/native/inktop_tests"))).parent
#: Both boards; together they compile every line of firmware/device.
PROGRAMS = ("inktop_device_v7", "inktop_device_nopmic_selftest")


def _cases() -> List[Tuple[str, str]]:
    found = []
    for program in PROGRAMS:
        path = ROOT / FOLDER / program
        if not path.exists():
            continue
        listing = subprocess.run(
            [str(path), "--list-test-cases", "--no-intro", "--no-version"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for line in listing.splitlines():
            if line and not line.startswith(("[doctest]", "=")):
                found.append((program, line))
    return found


def test_the_device_programs_have_been_built() -> None:
    assert {program for program, _ in _cases()} == set(PROGRAMS), "a program is missing: run `make test`"


@pytest.mark.parametrize(("program", "name"), _cases())
def test_device(program: str, name: str) -> None:
    run = subprocess.run(
        [
            str(ROOT / FOLDER / program),
            "--test-case=" + name.replace("\\", "\\\\").replace(",", "\\,"),
            "--no-intro",
            "--no-version",
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "| 0 passed" not in run.stdout.split("test cases:")[-1].split("\n")[0], "no such case"
