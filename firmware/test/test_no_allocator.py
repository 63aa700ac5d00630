"""The core calls no allocator: there is nothing in it to be linked with one (C4)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[2] / "build/native/libinktop_core.a"
#: malloc and its kin, and operator new. (Every virtual destructor names operator delete.)
ALLOCATOR = re.compile(
    r"^\s+U (malloc|calloc|realloc|free|strdup|aligned_alloc|posix_memalign|_Zn[wa]\w*)$", re.MULTILINE
)


def test_the_core_refers_to_no_allocator() -> None:
    told = subprocess.run(["nm", "-u", LIBRARY], capture_output=True, text=True, check=True).stdout
    assert "U snprintf" in told, "what it does refer to is listed"
    assert ALLOCATOR.findall(told) == []


def test_an_allocator_would_be_noticed() -> None:
    assert ALLOCATOR.findall(
        "x.o:\n                 U _Znwm\n                 U malloc\n                 U strlen\n"
    ) == [
        "_Znwm",
        "malloc",
    ]
