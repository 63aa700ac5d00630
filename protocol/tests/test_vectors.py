"""The vectors through the Python codec: lines, keys, encoder and framer."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any, Dict, List, Union

import pytest
from inktop_protocol import (
    Event,
    Framer,
    Gpu,
    GpuUser,
    Hello,
    LineError,
    Memory,
    ModelServer,
    Network,
    SettingsLine,
    Snapshot,
    Swap,
    decode,
    decode_to_json,
    encode_snapshot,
    hello_mac,
    settings_mac,
    sign_hello,
    sign_settings,
    verify_announcement,
    verify_hello,
    verify_settings,
)
from inktop_protocol.auth import announcement_mac

VECTORS = Path(__file__).parents[1] / "vectors"


def load(name: str) -> List[Dict[str, Any]]:
    text = (VECTORS / name).read_text(encoding="ascii")
    return [json.loads(row) for row in text.splitlines()]


def by_name(name: str) -> pytest.MarkDecorator:
    vectors = load(name)
    return pytest.mark.parametrize("vector", vectors, ids=[v["name"] for v in vectors])


def bytes_of(vector: Dict[str, Any]) -> bytes:
    return bytes.fromhex(vector["hex"]) if "hex" in vector else vector["line"].encode("ascii")


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_vectors", VECTORS / "write_vectors.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def snapshot_of(given: Dict[str, Any]) -> Snapshot:
    values = {key: value for key, value in given.items() if key != "kind"}
    groups = (
        ("memory", Memory),
        ("swap", Swap),
        ("network", Network),
        ("model_server", ModelServer),
    )
    for key, group in groups:
        if values.get(key) is not None:
            values[key] = group(**values[key])
    values["gpus"] = tuple(Gpu(**gpu) for gpu in given["gpus"])
    values["gpu_users"] = tuple(GpuUser(**user) for user in given["gpu_users"])
    values["events"] = tuple(Event(**event) for event in given["events"])
    for key in ("cpu_levels", "load_centi"):
        if values.get(key) is not None:
            values[key] = tuple(values[key])
    return Snapshot(**values)


@by_name("lines.jsonl")
def test_a_line_says_what_its_vector_says(vector: Dict[str, Any]) -> None:
    # As text: the order of the keys is part of the specification.
    expected = json.dumps(vector["expect"], separators=(",", ":"))
    assert decode_to_json(bytes_of(vector)) == expected


@by_name("lines.jsonl")
def test_a_newline_at_the_end_of_a_line_makes_no_difference(vector: Dict[str, Any]) -> None:
    line = bytes_of(vector)
    assert decode_to_json(line + b"\n") == decode_to_json(line)


@by_name("encode.jsonl")
def test_a_snapshot_is_written_as_its_vector_says(vector: Dict[str, Any]) -> None:
    line = encode_snapshot(snapshot_of(vector["snapshot"]))
    assert line == vector["line"].encode("ascii") + b"\n"
    assert len(line) <= 1024
    decode(line)


@by_name("keyed.jsonl")
def test_a_mac_is_the_one_of_its_vector(vector: Dict[str, Any]) -> None:
    line = vector["line"].encode("ascii")
    key, nonce = vector["key"], vector["nonce"]
    if vector["kind"] == "hello":
        assert hello_mac(key, nonce, vector["text"]) == vector["mac"]
        assert verify_hello(line, key, nonce)
        assert not verify_hello(line, key + "x", nonce)
        assert not verify_hello(line, key, "0" * 32)
        hello = decode(line)
        assert isinstance(hello, Hello)
        assert sign_hello(hello, key, nonce) == line + b"\n"
    elif vector["kind"] == "settings":
        assert settings_mac(key, nonce, vector["text"]) == vector["mac"]
        assert verify_settings(line, key, nonce)
        assert not verify_settings(line, key + "x", nonce)
        assert not verify_settings(line, key, "0" * 32)
        settings = decode(line)
        assert isinstance(settings, SettingsLine)
        assert sign_settings(settings, key, nonce) == line + b"\n"
    else:
        assert announcement_mac(key, vector["text"]) == vector["mac"]
        assert verify_announcement(line, key)
        assert not verify_announcement(line, key + "x")


def test_a_hello_with_another_word_or_without_a_mac_is_not_verified() -> None:
    vector = load("keyed.jsonl")[0]
    line = vector["line"].encode("ascii")
    assert not verify_hello(line.replace(b"id=desk", b"id=disk"), vector["key"], vector["nonce"])
    assert not verify_hello(line.replace(b"|mac=", b"|moc="), vector["key"], vector["nonce"])
    assert not verify_hello(line.split(b"|mac=")[0] + b"|mac=", vector["key"], vector["nonce"])


@by_name("framer.jsonl")
def test_portions_of_bytes_are_framed_as_their_vector_says(vector: Dict[str, Any]) -> None:
    framer = Framer()
    found: List[Union[bytes, str]] = []
    for chunk in vector["chunks"]:
        found += framer.feed(bytes.fromhex(chunk))
    if vector["closed"]:
        found += framer.closed()
    expected = [one.get("error") or bytes.fromhex(one.get("hex", "")) for one in vector["expect"]]
    assert found == expected


def test_every_kind_of_line_and_of_error_has_vectors() -> None:
    expected = [vector["expect"] for vector in load("lines.jsonl")]
    kinds = {one["kind"] for one in expected if "kind" in one}
    errors = {one["error"] for one in expected if "error" in one}
    errors |= {one["error"] for vector in load("framer.jsonl") for one in vector["expect"] if "error" in one}
    assert kinds == {"data", "info", "hello", "health", "settings", "ack", "announce", "unknown"}
    assert errors == {"overlong", "cut", "charset", "checksum", "syntax", "value", "missing"}


def test_the_files_are_what_the_script_writes_and_no_name_is_twice_in_one() -> None:
    module = script()
    for name, vectors in module.FILES.items():
        assert (VECTORS / name).read_text(encoding="ascii") == module.text_of(vectors())
        names = [vector["name"] for vector in vectors()]
        assert len(names) == len(set(names))


def test_an_error_names_its_kind_and_the_field() -> None:
    module = script()
    with pytest.raises(LineError, match="value: n=0") as caught:
        decode(module.line("h=a|n=0").encode("ascii"))
    assert caught.value.kind == "value"
