"""The table of the line: what follows from it is current, and a key is a change of the table alone."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Dict, List

import pytest
from inktop_protocol import Gpu, Snapshot, decode, encode_snapshot
from inktop_protocol.schema import Number, Numbered
from inktop_protocol.table import DATA, limits

ROOT = Path(__file__).parents[2]
MADE = ["README.md", "inktop_protocol/model.py", "cpp/inktop/line_structs.h", "cpp/inktop/line_table.h"]


def run(*command: object, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True)


def copy_of_protocol(folder: Path) -> Path:
    hidden = shutil.ignore_patterns("__pycache__", "samples", "vectors", "tests")
    return Path(shutil.copytree(ROOT / "protocol", folder / "protocol", ignore=hidden))


def change_table(protocol: Path, old: str, new: str) -> None:
    path = protocol / "inktop_protocol" / "table.py"
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_what_is_made_from_the_table_is_current() -> None:
    done = run(sys.executable, ROOT / "protocol" / "generate.py", "--check")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", MADE)
def test_a_made_file_that_was_changed_by_hand_is_named_and_written_again(tmp_path: Path, name: str) -> None:
    protocol = copy_of_protocol(tmp_path)
    path = protocol / name
    made = path.read_text(encoding="utf-8")
    path.write_text(made.replace("uptime", "downtime"), encoding="utf-8")
    done = run(sys.executable, protocol / "generate.py", "--check")
    assert done.returncode == 1
    assert f"not current: {name}. Write them with `make generate`." in done.stderr
    assert run(sys.executable, protocol / "generate.py").returncode == 0
    # Of the specification only the tables are made.
    assert name == "README.md" or path.read_text(encoding="utf-8") == made
    assert run(sys.executable, protocol / "generate.py", "--check").returncode == 0


def test_a_range_changed_in_the_table_reaches_every_made_file(tmp_path: Path) -> None:
    protocol = copy_of_protocol(tmp_path)
    change_table(protocol, '_WATTS = Number(0, 9999, "W")', '_WATTS = Number(0, 8765, "W")')
    assert run(sys.executable, protocol / "generate.py").returncode == 0
    for name in ("README.md", "cpp/inktop/line_structs.h", "cpp/inktop/line_table.h"):
        assert "8765" in (protocol / name).read_text(encoding="utf-8"), name


# A key of each shape that there is, at the end of the data line; and one that the board writes.
NEW_GROUP = """
_HUM = Number(0, 999, "dB", decimals=1)
RACK = Group(
    "Rack",
    "A rack.",
    (
        Item("label", Text(20), "label", required=True),
        Item("hum_decibel_tenths", _HUM, "hum"),
        Item("sent_total", Number(0, 10**14), "a wide number"),
        Item("mood", Text(6, LETTERS, instead="odd"), "mood", default="calm"),
    ),
    separator=":",
)
SHELF = Group("Shelf", "A shelf.", RACK.items, separator=":")

DATA = Kind("""
NEW_DATA_KEYS = """
        Key("rack", "rack", RACK, "the rack"),
        Key("racks", "racks", Repeat(RACK, 3), "more racks"),
        Key("r", "shelves", Numbered(SHELF, 12), "shelves"),
        Key("tilt", "tilt_degrees", Number(-90, 90), "tilt", always=True),
        Key("gust", "gusts", Row(Number(0, 99), 2, "/"), "wind"),
        Key("cells", "cells", Cells(8), "cells"),
        Key("door", "door", Text(5, LETTERS), "door"),
    ),
    shedding=(
        (LeaveOut("rack"),),
"""
NEW_HEALTH_KEYS = """
        Key("tilt", "tilt_degrees", Number(-90, 90), "tilt"),
        Key("door", "door", Text(5, LETTERS), "door"),
        Key("buf","""
ROUND_TRIP = """
import sys
from dataclasses import replace
from inktop_protocol import *
from inktop_protocol.model import Rack, Shelf
said = Snapshot("box", gpus=(Gpu(0, 5),), rack=Rack("a b", 123), racks=(Rack("x", None, 10**14, "sad"),
                Rack("y")), shelves=(Shelf(2, "z"), Shelf(11, "q", 5)), tilt_degrees=-7, gusts=(3, None),
                cells=(1, None, 15), door="open")
line = encode_snapshot(said)
assert decode(line) == said, (line, decode(line))
health = Health("desk", tilt_degrees=-90, door="shut")
assert decode(encode_health(health)) == health
mapped = decode(encode_snapshot(replace(said, rack=Rack("a,:|b"), racks=(Rack("a,:|b"),))))
assert (mapped.rack.label, mapped.racks[0].label) == ("a,__b", "a___b")
for bad in ("tilt=91", "tilt=", "rack=", "rack=a:1.2:3:NO", "racks=a,b,c,d", "cells=g",
            "door=Open", "r11=", "gust=1/x"):
    assert decode_to_json(close_line("h=a|" + bad)) == '{"error":"value"}', bad
    sys.stdout.write(close_line("h=a|" + bad).decode())
for line in (line, close_line("h=a|r12=|rack=a:-:-:sad:later|gust=1|tilt=-"), encode_health(health)):
    sys.stdout.write(line.decode())
"""
BOARD = """
#include <cstdio>
#include <cstring>
#include "inktop/encoder.h"
#include "line_json.h"
int main() {
  char line[2000];
  while (fgets(line, sizeof line, stdin) != nullptr) {
    inktop::Parsed parsed;
    inktop::parse(line, strlen(line), parsed);
    puts(inktop::line_to_json(parsed).c_str());
    if (parsed.kind != inktop::LineKind::health) continue;
    inktop::encode_health(parsed.health, line, sizeof line);
    fputs(line, stdout);
  }
}
"""


def test_a_new_key_of_any_shape_is_a_change_of_the_table_alone(tmp_path: Path) -> None:
    protocol = copy_of_protocol(tmp_path)
    change_table(protocol, "\nDATA = Kind(", NEW_GROUP)
    change_table(
        protocol,
        "    ),\n    shedding=(\n        (\n            LeaveOut(",
        NEW_DATA_KEYS + "        (\n            LeaveOut(",
    )
    change_table(protocol, '\n        Key("buf",', NEW_HEALTH_KEYS)
    assert run(sys.executable, protocol / "generate.py").returncode == 0
    assert "| `rack` |" in (protocol / "README.md").read_text(encoding="utf-8")

    spoken = run(sys.executable, "-c", ROUND_TRIP, cwd=protocol)
    assert spoken.returncode == 0, spoken.stderr
    lines = spoken.stdout.splitlines(keepends=True)
    read = (
        "from inktop_protocol import *; import sys\nfor line in sys.stdin.buffer: print(decode_to_json(line))"
    )
    python = subprocess.run(
        [sys.executable, "-c", read], cwd=protocol, input=spoken.stdout, capture_output=True, text=True
    ).stdout.splitlines()

    (tmp_path / "main.cpp").write_text(BOARD, encoding="ascii")
    sources: List[Path] = [*sorted((protocol / "cpp").glob("*.cpp")), ROOT / "firmware/host/line_json.cpp"]
    board = tmp_path / "board"
    built = run(
        "c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{protocol / 'cpp'}",
        f"-I{ROOT / 'firmware/host'}",
        *sources, tmp_path / "main.cpp", "-o", board,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    told = subprocess.run([str(board)], input=spoken.stdout, capture_output=True, text=True).stdout
    *objects, again = told.splitlines()
    assert objects == python
    assert again + "\n" == lines[-1]
    assert json.loads(objects[-2])["tilt_degrees"] is None
    assert json.loads(objects[-2])["gusts"] == [1, None]


def test_limits_are_those_that_a_line_can_carry() -> None:
    assert limits("data", "n") == (1, 65535)
    assert limits("data", "g", "power_w") == (0, 9999)
    assert limits("data", "l") == (0, 9999999)
    assert limits("health", "err", "count") == (0, 4294967295)
    for wrong in (("data", "h", ""), ("data", "g", "colour"), ("data", "zz", ""), ("info", "g", "name")):
        with pytest.raises(KeyError):
            limits(*wrong)


def test_every_number_of_a_gpu_at_its_limits_is_carried_and_beyond_them_is_unknown() -> None:
    shape = next(key.shape for key in DATA.keys if key.key == "g")
    assert isinstance(shape, Numbered)
    for item in shape.group.items:
        if not isinstance(item.value, Number):
            continue
        low, high = limits("data", "g", item.member)
        for number, carried in ((low, low), (high, high), (low - 1, None), (high + 1, None)):
            changed: Dict[str, Any] = {item.member: number}
            gpu = replace(Gpu(0), **changed)
            said = decode(encode_snapshot(Snapshot("a", gpus=(gpu,))))
            assert isinstance(said, Snapshot)
            assert getattr(said.gpus[0], item.member) == carried, item.member


def test_importing_the_package_brings_no_cryptography() -> None:
    program = "import sys; sys.path.insert(0, sys.argv[1]); import inktop_protocol; print(*sys.modules)"
    done = run(sys.executable, "-I", "-S", "-c", program, ROOT / "protocol")
    assert "inktop_protocol.auth" in done.stdout.split()
    assert not set(done.stdout.split()) & {"hmac", "hashlib", "ssl"}
