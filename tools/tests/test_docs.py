"""What the documents say: named tests exist, and so do screens and numbers of pitfalls."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Iterator, Set

from inktop_tools.device.monitor import HINTS

ROOT = Path(__file__).resolve().parents[2]
#: A number in the code that is a pitfall's: "(B4)", "pitfall C6", "PITFALLS B1, E4", "E5: ...".
_CITED = re.compile(r"(?:\(|[Pp]itfalls? |PITFALLS |, |\"|// )([A-E](?:[1-9]|1[0-2]))(?=[),: ])")


def sources(*patterns: str) -> Iterator[Path]:
    """Files of the project that match, tracked or new."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    for name in subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines():
        if (ROOT / name).exists():
            yield ROOT / name


def names_of_tests() -> Set[str]:
    """All tests there are, by name: Python's functions and the sentences of the C++ cases."""
    found: Set[str] = set()
    for path in sources("*.py"):
        found |= set(re.findall(r"def (test_\w+)", path.read_text()))
    for path in sources("*_test.cpp"):
        for literals in re.findall(r"TEST_CASE\(((?:\s*\"(?:[^\"\\]|\\.)*\")+)", path.read_text()):
            found.add("".join(re.findall(r"\"((?:[^\"\\]|\\.)*)\"", literals)).replace('\\"', '"'))
    return found


def rows() -> Iterator[tuple[str, str]]:
    """Number and last column of each row of the pitfalls."""
    for line in (ROOT / "docs/pitfalls.md").read_text().splitlines():
        row = re.match(r"\| ([A-E]\d+) \|.*\| ([^|]*) \|$", line)
        if row:
            yield row[1], row[2]


def test_each_pitfall_names_tests_that_exist() -> None:
    known = names_of_tests()
    found = dict(rows())
    assert {
        f"{letter}{n}" for letter, last in zip("ABCDE", (7, 6, 8, 10, 12)) for n in range(1, last + 1)
    } == set(found)
    for number, kept in found.items():
        named = ["".join(pair) for pair in re.findall(r"``(.+?)``|`([^`]+)`", kept)]
        assert named or kept == "by design" or "E3 below" in kept, number
        for name in named:
            assert name in known or name == "make bench" or (ROOT / name).is_file(), f"{number}: {name}"


def test_each_pitfall_cited_in_the_code_has_its_row() -> None:
    numbers = {number for number, _ in rows()}
    cited: Set[str] = set()
    for path in sources("*.cpp", "*.h", "*.py"):
        if "fonts" not in path.parts and "arduino_api" not in path.parts:
            cited |= set(_CITED.findall(path.read_text()))
    assert {"B1", "B5", "C6", "E5"} <= cited
    assert cited <= numbers


#: What the display library, the boot loader and PlatformIO say, not we.
_OF_OTHERS = (
    "E epdiy:",
    "E epd:",
    "Reducing the pixel",
    "PG is up",
    "Power enable failed!",
    "waiting for download",
)
_OURS = re.compile(r"(?:wifi|link|refresh|panel|panel power|queue|setup): |PSRAM |after |flash storage ")


def test_each_log_message_of_the_troubleshooting_table_exists() -> None:
    """The parts of a message between its gaps are in one string of the firmware, numbers aside."""
    text = (ROOT / "firmware/README.md").read_text()
    table = text[text.index("## Troubleshooting") : text.index("## How it runs")]
    named = [span for span in re.findall(r"`([^`]+)`", table) if _OURS.match(span)]
    assert len(named) >= 12
    strings = [
        "".join(re.findall(r"\"((?:[^\"\\]|\\.)*)\"", literals))
        for path in sources("firmware/device/*.cpp", "firmware/core/*.cpp", "firmware/core/*.h")
        for literals in re.findall(r"(?:\"(?:[^\"\\\n]|\\.)*\"\s*)+", path.read_text())
    ]
    for message in named:
        numbered = re.sub(r"\b\d+\b", "%d", message)
        parts = [part.strip() for part in re.split(r"…|: (?=\w)|(?<=after) (?=\w)", numbered)]
        for part in parts:
            assert any(part in known for known in strings), (message, part)


def test_each_message_of_the_display_library_in_the_table_is_explained_by_the_monitor() -> None:
    text = (ROOT / "firmware/README.md").read_text()
    named = [span for span in re.findall(r"`([^`]+)`", text) if span.startswith(_OF_OTHERS)]
    assert len(named) >= 6
    for message in named:
        assert any(pattern.search(message) for pattern, _ in HINTS), message


def test_each_screen_of_the_troubleshooting_table_exists() -> None:
    text = (ROOT / "firmware/README.md").read_text()
    named = re.findall(r"^\| screen \*([^*]+)\*", text, re.MULTILINE)
    assert len(named) >= 5
    code = "".join(path.read_text() for path in sources("firmware/core/picture/*.cpp"))
    for screen in named:
        assert f'"{screen}"' in code, screen
