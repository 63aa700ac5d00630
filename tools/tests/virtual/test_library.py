"""The binding against the C headers that it is made of, with a compiler as the judge."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path

import pytest
from inktop_tools.virtual.library import HEADERS, Declarations, library, library_path


def test_every_struct_is_laid_out_as_the_compiler_lays_it_out(tmp_path: Path) -> None:
    structs = library().structs
    assert {"InktopAppConfig", "InktopLinkConfig", "InktopLinkAction"} <= set(structs)
    here = []
    prints = []
    for name, struct in structs.items():
        here.append(f"{name} {ctypes.sizeof(struct)}")
        prints.append(f'std::printf("{name} %zu\\n", sizeof({name}));')
        for member, _ in struct._fields_:
            place = getattr(struct, member)
            here.append(f"{name}.{member} {place.offset} {place.size}")
            prints.append(
                f'std::printf("{name}.{member} %zu %zu\\n", '
                f"offsetof({name}, {member}), sizeof({name}::{member}));"
            )
    source = tmp_path / "layout.cpp"
    includes = "".join(f'#include "{header}"\n' for header in HEADERS)
    source.write_text(f"#include <cstdio>\n{includes}int main() {{\n" + "\n".join(prints) + "\n}\n")
    program = tmp_path / "layout"
    subprocess.run(["c++", "-std=c++17", "-w", str(source), "-o", str(program)], check=True)
    assert subprocess.run([str(program)], capture_output=True, text=True).stdout.splitlines() == here


def test_the_library_exports_what_the_headers_declare_and_nothing_else() -> None:
    symbols = subprocess.run(
        ["nm", "-D", "--defined-only", str(library_path())], capture_output=True, text=True, check=True
    ).stdout
    exported = set(re.findall(r" T (inktop_\w+)$", symbols, re.MULTILINE))
    declared = Declarations()
    for header in HEADERS:
        declared.read(header.read_text())
    assert set(declared.functions) == exported
    for header in HEADERS:
        text = re.sub(r"//.*", "", header.read_text())
        assert set(re.findall(r"\b(inktop_\w+)\(", text)) <= set(declared.functions)


def test_a_header_with_a_type_that_python_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="no type double"):
        Declarations().read("INKTOP_EXPORT double inktop_x(void* board);")


def test_the_names_of_the_enumerations_come_from_the_library() -> None:
    assert library().refresh_kinds[0] == "nothing"
    assert set(library().refresh_kinds) >= {"update", "wash", "clear_and_wash"}
    assert library().link_actions[0] == "none"
    assert set(library().link_actions) >= {"resolve", "connect", "close", "send"}
    assert set(library().draw_errors) >= {"lines", "power"}
    assert all(bit & (bit - 1) == 0 and bit > 0 for bit in library().draw_errors.values())
