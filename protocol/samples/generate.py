"""Writes the recordings in this folder: lines of invented machines (machine.py).

    python protocol/samples/generate.py            writes every committed file again, to the same bytes
    python protocol/samples/generate.py NAME --seconds 3600     prints one recording of that length

Each line is one second; an info line comes first and once a minute, as a collector sends them.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Optional, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "protocol"))

from inktop_protocol import Event, Gpu, GpuInfo, encode_info, encode_snapshot, replace  # noqa: E402
from samples.machine import Card, Machine  # noqa: E402


def _r9700(index: int, bus: str) -> Card:
    # The board's slots are of generation 3.
    info = GpuInfo(index, "R9700", f"0000:{bus}:00.0", 300, 110, 110, 108, 3, 16)
    return Card(info, 32624, idle_w=14, idle_c=34 + 2 * index)


def _mi(index: int) -> Card:
    info = GpuInfo(index, "MI210", f"0000:{0x1B + 0x14 * index:02x}:00.0", 300, 100, 105, 95, 4, 16)
    return Card(info, 65536, idle_w=41, idle_c=33 + index % 4)


#: (a) An inference server with two R9700.
_inference_server = partial(
    Machine,
    host="t7910",
    address="192.0.2.17",
    cpus=32,
    cpu_model="2x E5-2683 v4",
    memory_gib=125.9,
    swap_gib=8.0,
    interface="eno1",
)
_loaded_server = partial(
    _inference_server,
    received=2.4e6,
    sent=9.1e5,
    busy=0.09,
    chance_of_job=0.06,
    model_mib=(29400.0, 21100.0),
)


def _two_r9700() -> Tuple[Card, ...]:
    return (_r9700(0, "03"), _r9700(1, "83"))


def inference() -> Iterator[bytes]:
    """(a) Under load."""
    machine = _loaded_server(seed=7910, used_gib=18.4, cards=_two_r9700())
    return _lines(machine)


def idle() -> Iterator[bytes]:
    """(a) The same server at night: nothing to do."""
    machine = _inference_server(
        seed=7911,
        used_gib=6.9,
        received=1400,
        sent=900,
        busy=0.004,
        cards=_two_r9700(),
        model_mib=(26.0, 26.0),
        start_s=3 * 3600,
    )
    return _lines(machine)


def eight() -> Iterator[bytes]:
    """(b) Eight GPUs and 128 CPUs."""
    machine = Machine(
        seed=128,
        host="rack3-node07.compute.example.org",
        address="2001:db8:40:7::107",
        cpus=128,
        cpu_model="2x EPYC 7763",
        memory_gib=1007.5,
        used_gib=412.0,
        swap_gib=0,
        interface="bond0",
        received=2.1e9,
        sent=1.7e9,
        busy=0.3,
        cards=tuple(_mi(index) for index in range(8)),
        chance_of_job=0.05,
        model_mib=(61000, 60400, 58800, 61200, 33000, 33100, 8200, 64),
        start_s=9 * 3600 + 25 * 60,
        uptime_s=86400 * 97,
    )
    return _lines(machine)


def small() -> Iterator[bytes]:
    """(c) A small box without a GPU."""
    machine = Machine(
        seed=4,
        host="nas",
        address="192.0.2.40",
        cpus=4,
        cpu_model="N5105",
        memory_gib=7.6,
        used_gib=1.9,
        swap_gib=2.0,
        interface="enp2s0",
        received=180000,
        sent=2.6e6,
        busy=0.06,
        start_s=20 * 3600 + 2 * 60,
        uptime_s=86400 * 3 + 7000,
    )
    return _lines(machine)


#: When things go wrong in the recording (d), seconds after its start.
LOST_S = 600
RESET_S = 1500
STALLED_S = (2000, 2040)
REBOOT_S = 2700
BACK_UP_S = 2760


def trouble() -> Iterator[bytes]:
    """(d) An hour with trouble: a GPU lost, a reset, a stalled collector, a reboot, a narrow link."""
    machine = _loaded_server(seed=13, used_gib=22.0, cards=_two_r9700(), start_s=2 * 3600 + 51 * 60)
    events: Dict[str, Event] = {}
    for second in range(1 << 30):
        if second == REBOOT_S:
            machine.uptime_s = 30 - (BACK_UP_S - REBOOT_S)
        snapshot = machine.step()
        clock = machine.clock()
        gpus = list(snapshot.gpus)
        if LOST_S <= second < BACK_UP_S:
            gpus[1] = Gpu(1, state="lost")
            events.setdefault("lost", Event("gpu1", "lost", clock))
        if RESET_S <= second < RESET_S + 20:
            gpus[0] = replace(Gpu(0, state="reset"), vram_total_mib=gpus[0].vram_total_mib)
            events.setdefault("reset", Event("gpu0", "reset", clock))
        if second == RESET_S + 620:
            events.pop("reset", None)
        if second == BACK_UP_S:
            events = {
                "back": Event("gpu1", "back", clock),
                "boot": Event("sys", "boot", clock),
            }
        if second == BACK_UP_S + 600:
            events.clear()
        if second >= BACK_UP_S:
            gpus[1] = replace(gpus[1], link_width=4)
        # Nothing is sent while the collector hangs or the machine restarts: a player waits, too.
        silent = STALLED_S[0] <= second < STALLED_S[1] or REBOOT_S <= second < BACK_UP_S
        if silent:
            yield b"\n"
            continue
        if second % 60 == 0:
            yield encode_info(machine.info())
        yield encode_snapshot(replace(snapshot, gpus=tuple(gpus), events=tuple(events.values())))


def _lines(machine: Machine) -> Iterator[bytes]:
    while True:
        if machine.uptime_s % 60 == 0:
            yield encode_info(machine.info())
        yield encode_snapshot(machine.step())


#: name -> (recording, seconds in the committed file; 0: not committed, made when needed)
RECORDINGS: Dict[str, Tuple[Callable[[], Iterator[bytes]], int]] = {
    "inference": (inference, 900),
    "idle": (idle, 600),
    "eight-gpus": (eight, 600),
    "small": (small, 900),
    "trouble": (trouble, 3600),
}


def recording(name: str, seconds: int) -> bytes:
    """The lines of `seconds` seconds; an empty line is a second without any. KeyError: no such recording."""
    lines = []
    count = 0
    for line in RECORDINGS[name][0]():
        # An info line is not a second of its own.
        if not line.startswith(b"info="):
            if count == seconds:
                break
            count += 1
        lines.append(line)
    # An info line after the last second belongs to the next one.
    while lines and lines[-1].startswith(b"info="):
        lines.pop()
    return b"".join(lines)


def main(arguments: Optional[List[str]] = None) -> int:
    """Writes all committed files, or prints one recording."""
    parser = argparse.ArgumentParser(description="Generates the recordings.")
    parser.add_argument("name", nargs="?", choices=sorted(RECORDINGS), help="print this recording")
    parser.add_argument("--seconds", type=int, default=600)
    args = parser.parse_args(arguments)
    if args.name is not None:
        sys.stdout.buffer.write(recording(args.name, args.seconds))
        return 0
    for name, (_, seconds) in RECORDINGS.items():
        if seconds:
            path = Path(__file__).resolve().parent / f"{name}.lines"
            path.write_bytes(recording(name, seconds))
            print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
