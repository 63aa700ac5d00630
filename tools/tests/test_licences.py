"""docs/licences.md has a row for each part that ships and each package of the extras, as the package says."""

import importlib.metadata
import re
from configparser import ConfigParser
from pathlib import Path
from typing import Dict, List, Set

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The first word of each licence, as packages of any age write it.
FAMILIES = {
    "MIT": "MIT",
    "MIT-CMU": "MIT-CMU|HPND",
    "Apache": "Apache",
    "BSD": "BSD",
    "MPL": "MPL|Mozilla",
    "GPL": "GPL|GPLv2|GNU General Public License",
}


def rows(heading: str) -> List[List[str]]:
    text = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    section = text.split(f"## {heading}", 1)[1].split("\n## ")[0]
    table = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in table[2:]]


PACKAGES = rows("Python packages")


def name_of(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def declared() -> Dict[str, Set[str]]:
    """Each package that pyproject.toml asks for, with its extras (tomllib came with 3.11, so by hand)."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = text.split("[project.optional-dependencies]", 1)[1].split("\n[")[0]
    lists = dict(re.findall(r"^([a-z]+) = \[(.*)\]", extras, re.MULTILINE))
    for extra, key in (("always", "dependencies"), ("build", "requires")):
        lists[extra] = re.findall(rf"^{key} = \[(.*)\]", text, re.MULTILINE)[0]
    found: Dict[str, Set[str]] = {}
    for extra, packages in lists.items():
        for requirement in re.findall(r'"([^"]+)"', packages):
            found.setdefault(name_of(requirement), set()).add(extra)
    return found


def test_each_package_has_its_row_with_its_extras() -> None:
    assert {row[0]: set(row[1].split(", ")) for row in PACKAGES} == declared()


def test_each_part_of_an_image_has_its_row() -> None:
    config = ConfigParser(interpolation=None)
    config.read(ROOT / "platformio.ini", encoding="utf-8")
    parts = {config[section].get("framework") for section in config.sections()} - {None}
    for section in config.sections():
        for library in config[section].get("lib_deps", "").split():
            if not library.startswith("$"):
                parts.add(library.split("#")[0].rsplit("/", 1)[-1].replace(".git", ""))
    licences = (ROOT / "firmware/core/picture/fonts").glob("LICENSE-*")
    parts |= {path.name.replace("LICENSE-", "") for path in licences}
    assert {row[0] for row in rows("In a firmware image")} == parts


@pytest.mark.parametrize("row", PACKAGES, ids=lambda row: row[0])
def test_an_installed_package_says_the_same_licence(row: List[str]) -> None:
    name, _, licence = row
    try:
        metadata = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{name} is not installed")
    said = [str(text) for key in ("License-Expression", "License") for text in metadata.get_all(key) or []]
    said += [str(text) for text in metadata.get_all("Classifier") or [] if text.startswith("License")]
    family = licence if licence in FAMILIES else re.split("[-,]", licence)[0]
    assert re.search(rf"\b({FAMILIES[family]})\b", " ".join(said)), said
