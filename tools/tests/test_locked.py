""".ci/locked: `make` installs versions that pyproject.toml allows, each checked by its hashes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, List

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).resolve().parents[2]
LOCKED = PROJECT / ".ci" / "locked"
PYPROJECT = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")


def wanted() -> Dict[str, List[str]]:
    """The requirements of each extra, and of all."""
    base = re.search(r"^dependencies = \[(.*?)\]", PYPROJECT, re.MULTILINE)
    table = PYPROJECT.split("[project.optional-dependencies]\n")[1].split("\n[")[0]
    assert base is not None
    found = {"base": re.findall(r'"(.*?)"', base[1])}
    for name, items in re.findall(r"^(\w+) = \[(.*)\]", table, re.MULTILINE):
        found[name] = found["base"] + re.findall(r'"(.*?)"', items)
    return found


def versions(name: str) -> Dict[str, List[str]]:
    """Each package of a file: its versions, of which markers choose one."""
    found: Dict[str, List[str]] = {}
    for line in (LOCKED / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if "==" in line:
            package, _, rest = line.partition("==")
            found.setdefault(str(canonicalize_name(package)), []).append(rest.split()[0])
    return found


@pytest.mark.parametrize("name", sorted(wanted()))
def test_each_requirement_has_versions_that_it_allows(name: str) -> None:
    locked = versions(name)
    for text in wanted()[name]:
        requirement = Requirement(text)
        there = locked[str(canonicalize_name(requirement.name))]
        assert all(requirement.specifier.contains(version) for version in there), (text, there)


def test_every_version_has_hashes_and_nothing_says_where_it_came_from() -> None:
    assert {path.stem for path in LOCKED.iterdir()} == {*wanted(), "tools"}
    for path in LOCKED.iterdir():
        text = path.read_text(encoding="utf-8")
        assert "//" not in text
        for block in re.split(r"\n(?=\S)", text.strip()):
            assert re.match(r"[a-z0-9-]+==", block), block[:60]
            assert block.count("--hash=sha256:") >= 1, block[:60]


def test_any_of_them_go_into_one_environment() -> None:
    together: Dict[str, List[str]] = {}
    for path in sorted(LOCKED.iterdir()):
        for package, there in versions(path.stem).items():
            assert together.setdefault(package, there) == there, (package, path.name)
