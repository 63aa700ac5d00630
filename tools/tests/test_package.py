"""The wheel and the source distribution, as someone installs them who has no checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import List

import pytest
from inktop_collector import __version__
from inktop_tools.virtual.demo import OTHERS

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.package


def _only(pattern: str) -> Path:
    found = sorted((ROOT / "dist").glob(pattern))
    assert len(found) == 1, f"dist holds {found} for {pattern}: run `make package`"
    return found[0]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty environment with the wheel in it."""
    where = tmp_path_factory.mktemp("empty")
    subprocess.run([sys.executable, "-m", "venv", where / "venv"], check=True)
    wheel = _only(f"inktop-{__version__}-py3-none-*.whl")
    subprocess.run([where / "venv/bin/pip", "install", "-q", "-q", wheel], check=True, cwd=where)
    return where


def _run(environment: Path, *words: str) -> str:
    command: List[str] = [str(environment / "venv/bin" / words[0]), *words[1:]]
    ended = subprocess.run(command, cwd=environment, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_the_installed_demo_draws_this_machine(environment: Path) -> None:
    _run(environment, "inktop", "demo", "--seconds", "10")
    from PIL import Image

    with Image.open(environment / "build/board.png") as picture:
        assert picture.size == (1920, 1080)
        dark = sum(picture.convert("L").histogram()[:64])
    assert dark > 10_000


def test_the_installed_demo_shows_as_many_servers_as_a_board_follows(environment: Path) -> None:
    assert "8 of 8 up" in _run(
        environment, "inktop", "demo", "--servers", "8", "--no-http", "--seconds", "10"
    )


def test_the_installed_self_test_draws_the_cards_that_are_expected(environment: Path) -> None:
    _run(environment, "inktop", "selftest")


def test_the_installed_collector_says_its_line_and_knows_its_unit(environment: Path) -> None:
    assert _run(environment, "inktop-collector", "once").startswith("h=")
    said = _run(environment, "inktop-collector", "install", "--dry-run")
    assert "ExecStart=" in said
    assert "MemoryMax=" in said


def test_the_wheel_has_all_modules_of_the_checkout() -> None:
    with zipfile.ZipFile(_only("*.whl")) as wheel:
        held = set(wheel.namelist())
    for room, package in (
        ("collector", "inktop_collector"),
        ("protocol", "inktop_protocol"),
        ("tools", "inktop_tools"),
    ):
        for path in (ROOT / room / package).rglob("*.py"):
            assert path.relative_to(ROOT / room).as_posix() in held


def test_the_wheel_has_the_recordings_of_the_demo() -> None:
    with zipfile.ZipFile(_only("*.whl")) as wheel:
        held = set(wheel.namelist())
    for recorded, _ in OTHERS:
        assert f"inktop_tools/tree/protocol/samples/{recorded}.lines" in held


def test_without_a_compiler_the_install_says_what_to_install(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    environment = {**os.environ, "PATH": str(tmp_path / "venv/bin"), "CXX": "no-such-compiler"}
    ended = subprocess.run(
        [tmp_path / "venv/bin/pip", "install", _only("inktop-*.tar.gz")],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ended.returncode != 0
    assert "Install one (Debian: sudo apt-get install g++)" in ended.stdout + ended.stderr
