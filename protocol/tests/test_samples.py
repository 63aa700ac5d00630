"""The recordings: made by their script to the same bytes, and good lines all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Set

import pytest
from inktop_protocol import Snapshot, decode
from testkit.script import script

#: The hour with trouble has a stall of 40 s and a reboot; two recordings are one line.
STEPS: Dict[str, Set[int]] = {"trouble": {1, 41, -1053869}, "h200": set(), "amd-and-nvidia": set()}
SAMPLES = Path(__file__).resolve().parents[1] / "samples"


@pytest.mark.parametrize("name", ["inference", "idle", "eight-gpus", "small", "trouble"])
def test_a_committed_recording_is_what_the_script_makes(name: str) -> None:
    generator = script(SAMPLES / "generate.py")
    seconds = generator.RECORDINGS[name][1]
    committed = (SAMPLES / f"{name}.lines").read_bytes()
    assert generator.recording(name, seconds) == committed
    assert len(committed) <= 1_000_000


def test_every_line_of_a_recording_is_a_good_one_and_each_second_has_one() -> None:
    for path in sorted(SAMPLES.glob("*.lines")):
        uptimes = []
        for line in path.read_bytes().splitlines():
            if line:
                decoded = decode(line)
                if isinstance(decoded, Snapshot):
                    uptimes.append(decoded.uptime_s)
        steps = {b - a for a, b in zip(uptimes, uptimes[1:]) if a is not None and b is not None}
        assert steps == STEPS.get(path.stem, {1}), path.name


def test_the_recording_with_trouble_has_what_its_name_promises() -> None:
    text = (SAMPLES / "trouble.lines").read_text("ascii")
    for sign in ("gpu1:lost:", "gpu0:reset:", ",reset|", ",lost|", "gpu1:back:", "sys:boot:"):
        assert sign in text, sign
