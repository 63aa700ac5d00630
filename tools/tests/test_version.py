"""One version for all parts: a person who reports a fault names one number."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from inktop_collector import __version__

ROOT = Path(__file__).resolve().parents[2]


def _said(module: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", module, "--version"], capture_output=True, text=True, check=True
    ).stdout


def test_the_firmware_has_the_version_of_the_collector() -> None:
    header = (ROOT / "firmware/device/version.h").read_text(encoding="utf-8")
    assert re.findall(r'kFirmwareVersion\[\] = "([^"]*)"', header) == [__version__]


def test_both_commands_say_the_version() -> None:
    assert version("inktop") == __version__
    assert _said("inktop_tools.cli").split()[-1] == __version__
    assert _said("inktop_collector").split()[-1] == __version__


def test_the_change_log_begins_with_the_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## ([0-9.]+)", text, re.MULTILINE)[0] == __version__
