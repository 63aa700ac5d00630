"""The font generator: its tables are the committed ones, and a changed table is found."""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path
from typing import Dict

import pytest
from inktop_tools import fonts
from inktop_tools.errors import InktopError


@pytest.fixture(scope="module")
def generated() -> Dict[str, bytes]:
    """The files as generated now; `make fonts-check` is the gate where this cannot run."""
    try:
        return fonts.generate()
    except InktopError as error:
        pytest.skip(f"not here: {error}")


def _arguments(check: bool) -> argparse.Namespace:
    return argparse.Namespace(check=check, packages=None)


def test_the_committed_tables_are_what_the_generator_makes(generated: Dict[str, bytes]) -> None:
    for name, data in generated.items():
        assert (fonts.FONTS_DIR / name).read_bytes() == data, f"{name}: run `inktop fonts`"


def test_a_changed_table_fails_the_check_and_is_repaired(
    generated: Dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "fonts"
    shutil.copytree(fonts.FONTS_DIR, folder)
    monkeypatch.setattr(fonts, "FONTS_DIR", folder)
    monkeypatch.setattr(fonts, "generate", lambda packages: generated)
    assert fonts.run(_arguments(check=True)) == 0
    table = folder / "body_25.cpp"
    table.write_bytes(table.read_bytes().replace(b"255", b"254", 1))
    with pytest.raises(InktopError, match="run `inktop fonts`"):
        fonts.run(_arguments(check=True))
    assert fonts.run(_arguments(check=False)) == 0
    assert fonts.run(_arguments(check=True)) == 0


def test_another_pillow_is_refused_with_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "PILLOW", "0.0.1")
    with pytest.raises(InktopError, match=r"pip install -e '\.\[fonts\]'"):
        fonts.generate()


def test_a_missing_package_is_named(tmp_path: Path) -> None:
    with pytest.raises(InktopError, match="npm pack"):
        fonts._package("fira-sans", tmp_path)


def test_the_pin_in_the_generator_and_in_the_extra_is_the_same() -> None:
    project = (fonts.ROOT / "pyproject.toml").read_text("utf-8")
    assert f'fonts = ["pillow=={fonts.PILLOW}"]' in project


def test_every_cut_is_declared_and_has_its_licence_beside_it() -> None:
    header = (fonts.FONTS_DIR / "fonts.h").read_text("ascii")
    declared = sorted(re.findall(r"extern const Font k(\w+);", header))
    assert declared == sorted(fonts._camel(cut.name) for cut in fonts.CUTS)
    for package in fonts.PACKAGES:
        licence = (fonts.FONTS_DIR / f"LICENSE-{package}").read_text("utf-8")
        assert "SIL Open Font License" in licence


def test_rows_are_packed_with_the_left_pixel_in_the_lowest_bit() -> None:
    assert fonts._packed([True, False, False, True]) == b"\x09"
    assert fonts._packed([False] * 8 + [True]) == b"\x00\x01"
