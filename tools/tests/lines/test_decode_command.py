"""`inktop decode`: every line of the vectors, whole and broken streams, both decoders alike."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inktop_tools.lines.decode import PythonDecoder
from inktop_tools.virtual.host import CoreDecoder

ROOT = Path(__file__).resolve().parents[3]
VECTORS = ROOT / "protocol" / "vectors"
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "tools"), str(ROOT / "protocol")])}


def decode(data: bytes, *options: str) -> List[str]:
    run = subprocess.run(
        [sys.executable, "-m", "inktop_tools.cli", "decode", *options],
        input=data,
        capture_output=True,
        env=ENVIRONMENT,
    )
    assert run.stderr == b""
    said = run.stdout.decode().splitlines()
    assert run.returncode == (1 if any('"error"' in text for text in said) else 0)
    return said


def vector_lines() -> List[bytes]:
    found = []
    for text in (VECTORS / "lines.jsonl").read_text().splitlines():
        vector = json.loads(text)
        found.append(vector["line"].encode() if "line" in vector else bytes.fromhex(vector["hex"]))
    return found


def both(data: bytes, chunk: int) -> List[List[str]]:
    results = []
    for decoder in (PythonDecoder(), CoreDecoder()):
        said: List[str] = []
        for start in range(0, len(data), chunk):
            said += decoder.feed(data[start : start + chunk])
        results.append(said + decoder.closed())
    return results


def test_both_decoders_say_the_same_of_every_vector() -> None:
    lines = vector_lines()
    assert len(lines) >= 80
    stream = b"\n".join(lines) + b"\n"
    python = decode(stream)
    assert python == decode(stream, "--core")
    kinds = [json.loads(text) for text in python]
    assert any("error" in kind for kind in kinds)
    assert any(kind.get("kind") == "data" for kind in kinds)
    assert len(kinds) >= len(lines)


def test_an_overlong_line_and_a_cut_one_are_named_and_the_next_one_is_whole() -> None:
    good = (ROOT / "protocol/samples/small.lines").read_bytes().split(b"\n")[1]
    stream = b"x" * 3000 + b"\n" + good + b"\n" + good[:40]
    for options in ((), ("--core",)):
        said = [json.loads(text) for text in decode(stream, *options)]
        assert [text.get("error", text.get("kind")) for text in said] == ["overlong", "data", "cut"]


def test_no_input_is_no_output() -> None:
    assert decode(b"") == []
    assert decode(b"", "--core") == []


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=60),
            st.sampled_from(vector_lines()),
            st.integers(1020, 1030).map(lambda size: b"y" * size),
        ),
        max_size=12,
    ),
    st.integers(1, 700),
    st.booleans(),
)
def test_both_decoders_agree_on_any_bytes_in_any_portions(
    parts: List[bytes], chunk: int, ended: bool
) -> None:
    python, core = both(b"\n".join(parts) + (b"\n" if ended else b""), chunk)
    assert python == core


def test_without_the_core_the_error_names_make_build(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "inktop_tools.cli", "decode", "--core"],
        input=b"",
        capture_output=True,
        env={**ENVIRONMENT, "INKTOP_HOST_LIB": str(tmp_path / "none.so")},
    )
    assert run.returncode == 1
    assert run.stderr.count(b"\n") == 1
    assert b"make build" in run.stderr


@pytest.mark.parametrize("content", [b"", b"this is no library"])
def test_a_library_that_cannot_be_loaded_is_one_line_that_names_make_build(
    tmp_path: Path, content: bytes
) -> None:
    library = tmp_path / "broken.so"
    library.write_bytes(content)
    run = subprocess.run(
        [sys.executable, "-m", "inktop_tools.cli", "decode", "--core"],
        input=b"",
        capture_output=True,
        env={**ENVIRONMENT, "INKTOP_HOST_LIB": str(library)},
    )
    assert run.returncode == 1
    assert run.stderr.count(b"\n") == 1
    assert b"make build" in run.stderr
