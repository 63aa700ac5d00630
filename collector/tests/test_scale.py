"""As many collectors and boards on one machine as anybody has: none of the boards waits for long."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "bench" / "scale.py"


def run(seconds: str) -> None:
    command = [sys.executable, str(SCRIPT), "--seconds", seconds]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 collectors with 16 boards each" in done.stdout


def test_no_board_of_eight_full_collectors_waits_for_long() -> None:
    run("3")


@pytest.mark.soak
def test_no_board_of_eight_full_collectors_waits_for_long_in_a_soak() -> None:
    """INKTOP_SOAK_S is its length."""
    run(os.environ.get("INKTOP_SOAK_S", "15"))
