"""The vectors through the Python codec: lines, keys, encoder and framer."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, List, Union

import pytest
from inktop_protocol import (
    Clock,
    Event,
    Fleet,
    FleetPower,
    FleetVram,
    Framer,
    Gpu,
    GpuInfo,
    GpuUser,
    Hello,
    InfoLine,
    KeyedStream,
    LineError,
    Memory,
    ModelServer,
    Network,
    Snapshot,
    Swap,
    UpOf,
    Worst,
    close_line,
    decode,
    decode_to_json,
    encode_fleet,
    encode_info,
    encode_snapshot,
    hello_mac,
    sign_hello,
    verify_announcement,
    verify_hello,
)
from inktop_protocol.auth import announcement_mac
from inktop_protocol.schema import Number
from inktop_protocol.table import GPU
from testkit.script import script

VECTORS = Path(__file__).parents[1] / "vectors"


def load(name: str) -> List[Dict[str, Any]]:
    text = (VECTORS / name).read_text(encoding="ascii")
    return [json.loads(row) for row in text.splitlines()]


def by_name(name: str) -> pytest.MarkDecorator:
    vectors = load(name)
    return pytest.mark.parametrize("vector", vectors, ids=[v["name"] for v in vectors])


def bytes_of(vector: Dict[str, Any]) -> bytes:
    return bytes.fromhex(vector["hex"]) if "hex" in vector else vector["line"].encode("ascii")


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


def fleet_of(given: Dict[str, Any]) -> Fleet:
    values = {key: value for key, value in given.items() if key != "kind"}
    groups = (("machines", UpOf), ("gpus", UpOf), ("power", FleetPower), ("vram", FleetVram))
    for key, group in groups:
        if key in values:
            values[key] = group(**values[key])
    values["worst"] = tuple(Worst(**one) for one in given["worst"])
    return Fleet(**values)


@by_name("fleet.jsonl")
def test_a_fleet_is_written_as_its_vector_says(vector: Dict[str, Any]) -> None:
    line = encode_fleet(fleet_of(vector["fleet"]))
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


@by_name("sealed.jsonl")
def test_a_line_is_believed_or_not_as_its_vector_says(vector: Dict[str, Any]) -> None:
    line = vector["line"].encode("ascii") + b"\n"
    ours, theirs = vector["nonce"], vector["board_nonce"]
    if line.startswith(b"health="):
        ours, theirs = theirs, ours
    key = vector["key"]
    assert KeyedStream(key, theirs, ours).opens(line) == vector["opens"]
    assert KeyedStream(key, theirs, ours).opens(line[:-1]) == vector["opens"]
    decode(line)  # to a decoder the seal is two fields that it does not know
    if vector["opens"]:
        before, _, number = vector["text"].rpartition("|q=")
        stream = KeyedStream(key, ours, theirs)
        stream.sent = int(number) - 1
        assert stream.seal(close_line(before)) == line
        assert not stream.opens(line), "a line that comes back to its writer"
        assert not KeyedStream(key, theirs, "0" * 32).opens(line), "a line of another connection"


def test_no_line_of_a_keyed_stream_is_believed_twice_or_after_a_later_one() -> None:
    ours, theirs = KeyedStream("k" * 16, "0" * 32, "1" * 32), KeyedStream("k" * 16, "1" * 32, "0" * 32)
    lines = [ours.seal(close_line(f"h=a|u={second}")) for second in range(12)]
    assert theirs.opens(lines[0])
    assert not theirs.opens(lines[0])
    assert theirs.opens(lines[10])  # those between were lost
    assert not theirs.opens(lines[9])
    assert theirs.opens(lines[11])


def test_a_line_with_room_for_a_seal_is_never_too_long() -> None:
    cpus = (15,) * 256
    numbers = dict.fromkeys([item.member for item in GPU.items if isinstance(item.value, Number)], 9)
    gpus = tuple(Gpu(index, state="x" * 8, throttle="y" * 8, **numbers) for index in range(16))
    crowded = Snapshot("h" * 63, "f" * 45, "23:59", 4294967295, 1000, 65535, cpus, gpus=gpus)
    facts = tuple(GpuInfo(i, "n" * 31, "ffffffff:ff:ff.f", *[999] * 4, *[9] * 2) for i in range(16))
    clock = Clock("23:59:59", 4294967295)
    info = InfoLine(collector="v" * 15, clock=clock, cpu_model="c" * 47, gpus=facts)
    wrong = (Worst("h" * 63, "w" * 8, 4294967295, "p" * 15),) * 8
    fleet = Fleet("h" * 63, "f" * 45, "23:59", 4294967295, "s" * 8, UpOf(9999999, 9999999), worst=wrong)
    fleet = replace(fleet, gpus=UpOf(9999999, 9999999), power=FleetPower(10**9, 10**9))
    for line in (
        encode_snapshot(crowded, sealed=True),
        encode_fleet(fleet, sealed=True),
        encode_info(info, sealed=True),
    ):
        stream = KeyedStream("k" * 16, "0" * 32, "1" * 32)
        stream.sent = 4294967294
        assert len(stream.seal(line)) <= 1024
        with pytest.raises(ValueError, match="sealed=True"):
            stream.seal(close_line("h=" + "a" * 1000))


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
    assert kinds == {"data", "info", "hello", "health", "settings", "ack", "announce", "fleet", "unknown"}
    assert errors == {"overlong", "cut", "charset", "checksum", "syntax", "value", "missing"}


def test_the_files_are_what_the_script_writes_and_no_name_is_twice_in_one() -> None:
    module = script(VECTORS / "write_vectors.py")
    for name, vectors in module.FILES.items():
        assert (VECTORS / name).read_text(encoding="ascii") == module.text_of(vectors())
        names = [vector["name"] for vector in vectors()]
        assert len(names) == len(set(names))


def test_an_error_names_its_kind_and_the_field() -> None:
    module = script(VECTORS / "write_vectors.py")
    with pytest.raises(LineError, match="value: n=0") as caught:
        decode(module.line("h=a|n=0").encode("ascii"))
    assert caught.value.kind == "value"
