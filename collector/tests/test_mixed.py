"""A machine with cards of two makers, from its files and the stand-in library to the line of a picture."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Dict, List

import pytest
from inktop_collector.sources.gpu import makers
from inktop_collector.sources.gpu.nvidia import Nvidia
from inktop_protocol import Snapshot, encode_info, encode_snapshot
from testkit.nvidia import FakeLibrary, as_observed, build, nvidia_card
from testkit.recorded import Machine, Sampling
from testkit.trees import r9700_pair

ROOT = Path(__file__).resolve().parents[2]
#: firmware/test/golden/amd-and-nvidia.png is drawn from it.
PICTURED = ROOT / "protocol/samples/amd-and-nvidia.lines"
H200 = json.loads((Path(__file__).parent / "nvidia_h200.json").read_text())
#: Between the two cards of AMD.
NVIDIA = "0000:05:00.0"


def of_gpus(line: str) -> Dict[str, str]:
    """The fields of a line that are about its GPUs."""
    fields = dict(field.split("=", 1) for field in line.rpartition("*")[0].split("|"))
    return {key: value for key, value in fields.items() if key[0] in "gp" and key[1:].isdigit()}


def sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> List[str]:
    """Info line and line of a machine with two R9700 and, between them, the H200 as it was observed."""
    machine = Machine(tmp_path / "machine")
    r9700_pair(machine)
    nvidia_card(machine, NVIDIA)
    fake = FakeLibrary(build(tmp_path / "libnvidia-ml.so.1"))
    fake.set(address=NVIDIA, product=H200["loaded"]["name"], **as_observed(H200["loaded"]))
    fake.processes([(700, H200["loaded"]["processes"][0][0], H200["loaded"]["process_busy"][0])])
    for pid, name in ((1, "systemd"), (700, "sglang"), (600, "vllm")):
        machine.proc(f"{pid}/comm", f"{name}\n")
        machine.proc(f"{pid}/fdinfo/0", "pos:\t0\n")
    for number, pid in ((1, 600), (2, 601)):
        machine.proc(
            f"{pid}/fdinfo/5",
            f"drm-driver:\tamdgpu\ndrm-pdev:\t0000:03:00.0\ndrm-client-id:\t{number}\n"
            f"drm-memory-vram:\t{29000 // number} MiB\n",
        )
    monkeypatch.setattr(makers, "MAKERS", (*makers.MAKERS[:2], Nvidia(str(fake.path))))
    sampling = Sampling(machine)
    sampling.round()
    monotonic = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: monotonic() + 6)
    snapshot: Snapshot = sampling.round()
    info = sampling.sampler.info()
    sampling.close()
    assert snapshot.model_server is None
    return [encode_info(info).decode().strip(), encode_snapshot(snapshot).decode().strip()]


def test_cards_of_both_makers_are_in_the_pictured_line_in_the_order_of_their_slots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictured = PICTURED.read_text().splitlines()
    lines = sampled(tmp_path, monkeypatch)
    assert [of_gpus(line) for line in lines] == [of_gpus(line) for line in pictured]
    slots = [field.split(",")[1] for key, field in of_gpus(lines[0]).items() if key[0] == "g"]
    assert slots == sorted(slots)
    assert len(set(slots)) == len(slots) == 4
