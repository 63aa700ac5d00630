"""The light dataclasses of the model: what they promise, and that they stay light."""

from __future__ import annotations

import copy
import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest
from inktop_protocol import Gpu, Memory, Snapshot, Swap, replace

PACKAGE_ROOT = Path(__file__).parents[1]


def test_a_record_is_equal_by_its_values_and_its_type() -> None:
    assert Gpu(1, 5) == Gpu(index=1, busy_percent=5)
    assert Gpu(1, 5) != Gpu(1, 6)
    assert hash(Gpu(1, 5)) == hash(Gpu(1, 5))
    assert Swap(1, 2) != Memory(1, 2)  # type: ignore[comparison-overlap]
    assert copy.deepcopy(Gpu(1)) == Gpu(1)


def test_a_record_cannot_be_changed() -> None:
    gpu = Gpu(1)
    with pytest.raises(AttributeError, match="use replace"):
        gpu.index = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del gpu.index
    assert gpu == Gpu(1)


def test_a_field_that_is_missing_or_unknown_is_an_error() -> None:
    with pytest.raises(TypeError, match="index"):
        Gpu()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="colour"):
        Gpu(1, colour=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="colour"):
        replace(Gpu(1), colour=2)


def test_a_record_says_what_it_holds() -> None:
    assert repr(Swap(1, None)) == "Swap(used_milligib=1, total_milligib=None)"


def test_the_functions_of_dataclasses_take_a_record() -> None:
    snapshot = Snapshot("a", gpus=(Gpu(1),))
    assert dataclasses.is_dataclass(snapshot)
    assert dataclasses.replace(snapshot, host="b") == replace(snapshot, host="b")
    assert dataclasses.asdict(snapshot)["gpus"][0]["index"] == 1
    names = [field.name for field in dataclasses.fields(Swap)]
    assert names == ["used_milligib", "total_milligib"]


def test_importing_the_package_brings_no_heavy_module() -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import inktop_protocol as p;"
        "p.decode_to_json(p.encode_snapshot(p.Snapshot('a', gpus=(p.Gpu(0),))));"
        "print(*sys.modules)"
    )
    command = [sys.executable, "-I", "-S", "-c", program, str(PACKAGE_ROOT)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split())
    heavy = {"dataclasses", "typing", "re", "inspect", "enum", "collections", "json", "hmac", "hashlib"}
    assert "inktop_protocol.model" in loaded
    assert not loaded & heavy
