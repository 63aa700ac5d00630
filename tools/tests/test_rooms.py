"""The rooms of docs/architecture.md: who may include or import whom, and how long a file may be."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Dict, List, Set

ROOT = Path(__file__).resolve().parents[2]
#: A room of the core includes only those before it.
ROOMS = ("panel", "machine", "link", "picture", "console", "setup", "app")
MAX_LINES = 400
#: Tables, and what writes them.
TABLES = (
    "firmware/core/picture/fonts/",
    "protocol/vectors/",
    "protocol/cpp/inktop/line_",
    "protocol/inktop_protocol/table.py",
)


def tracked(*patterns: str) -> List[Path]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [Path(name) for name in names if (ROOT / name).exists()]


def is_test(path: Path) -> bool:
    return "tests" in path.parts or "test" in path.parts or path.name.startswith("test_")


def circle(graph: Dict[str, Set[str]]) -> List[str]:
    """A path that comes back to where it began, or nothing."""
    done: Set[str] = set()

    def walk(node: str, path: List[str]) -> List[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return []
        for other in sorted(graph.get(node, ())):
            found = walk(other, [*path, node])
            if found:
                return found
        done.add(node)
        return []

    for start in sorted(graph):
        found = walk(start, [])
        if found:
            return found
    return []


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert circle({"a": {"b", "c"}, "b": {"c"}}) == []


def test_no_file_of_code_is_long() -> None:
    long = {
        str(path): lines
        for path in tracked("*.py", "*.cpp", "*.h", "*.c", "*.html", "*.sh")
        if not is_test(path) and not str(path).startswith(TABLES)
        for lines in [len((ROOT / path).read_text().splitlines())]
        if lines > MAX_LINES
    }
    assert not long


def test_no_room_of_the_core_includes_a_later_one() -> None:
    seen = 0
    for path in tracked("firmware/core/*.h", "firmware/core/*.cpp"):
        room = path.parts[2]
        for included in re.findall(r'#include "(\w+)/', (ROOT / path).read_text()):
            if included in ROOMS:
                assert room in ROOMS, path
                assert ROOMS.index(included) <= ROOMS.index(room), f"{path} includes {included}/"
                seen += 1
    assert seen > 50


def test_headers_do_not_include_each_other_in_a_circle() -> None:
    headers = {str(path) for path in tracked("*.h")}
    folders = ("", "firmware/core/", "protocol/cpp/", "firmware/host/", "firmware/device/")
    graph: Dict[str, Set[str]] = {}
    for header in headers:
        names = re.findall(r'#include "([^"]+)"', (ROOT / header).read_text())
        here = str(Path(header).parent) + "/"
        graph[header] = {
            folder + name for name in names for folder in (here, *folders) if folder + name in headers
        } - {header}
    assert sum(map(len, graph.values())) > 50
    assert not circle(graph)


def imports(path: Path, package: Path, modules: Set[str]) -> Set[str]:
    """Modules that the module imports as it is loaded (imports inside functions are no circle)."""
    name = ".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__")
    here = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found: Set[str] = set()
    for line in (ROOT / path).read_text().splitlines():
        match = re.match(r"(?:from (\.*)([\w.]*) import (.*)|import ([\w.]+))", line)
        if not match:
            continue
        dots, base, names, plain = match.groups()
        if plain:
            found.add(plain)
            continue
        start = ".".join([*here[: len(here) - len(dots) + 1], base] if dots else [base]).strip(".")
        parts = {f"{start}.{word.strip(' (),')}" for word in names.split(",")}
        found |= parts if parts <= modules else {start, *parts}
    return {module for module in found if module in modules} - {name}


def test_python_modules_do_not_import_each_other_in_a_circle() -> None:
    graph: Dict[str, Set[str]] = {}
    for folder in ("collector", "protocol", "tools"):
        paths = [path for path in tracked(f"{folder}/inktop_*/*.py") if not is_test(path)]
        modules = {
            ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__"): path
            for path in paths
        }
        for name, path in modules.items():
            graph[name] = imports(path, Path(folder), set(modules))
    assert sum(map(len, graph.values())) > 100
    assert not circle(graph)
