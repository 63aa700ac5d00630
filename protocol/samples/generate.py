"""Invents the machines of the recordings in this folder, second by second, from a seed.

    python protocol/samples/generate.py            writes every committed file again, to the same bytes
    python protocol/samples/generate.py NAME --seconds 3600     prints one recording of that length

The machines are made up, their habits are not: a GPU's power follows its load, its temperatures follow its
power with a lag, its fan follows its temperatures, load averages are the kernel's exponential means.
Each line is one second; an info line comes first and once a minute, as a collector sends them.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Optional, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "protocol"))

from inktop_protocol import (  # noqa: E402
    Clock,
    Event,
    Gpu,
    GpuInfo,
    InfoLine,
    Memory,
    Network,
    Snapshot,
    Swap,
    encode_info,
    encode_snapshot,
    replace,
)


@dataclass
class Card:
    """One GPU's habits and what it is doing now."""

    info: GpuInfo
    vram_total_mib: int
    idle_w: float
    idle_c: float
    vram_mib: float = 64.0
    busy: float = 0.0
    power_w: float = 0.0
    junction_c: float = 0.0
    memory_c: float = 0.0
    fan_rpm: float = 0.0
    job_left_s: int = 0
    job_busy: float = 0.0

    def __post_init__(self) -> None:
        self.power_w = self.idle_w
        self.junction_c = self.idle_c + 2
        self.memory_c = self.idle_c + 8

    def step(self, rng: random.Random, chance_of_job: float, model_mib: float) -> Gpu:
        """One second on: `chance_of_job` that an idle card gets work, `model_mib` held in its memory."""
        if self.job_left_s > 0:
            self.job_left_s -= 1
        elif rng.random() < chance_of_job:
            self.job_left_s = int(rng.expovariate(1 / 40)) + 4
            self.job_busy = rng.choice((98.0, 96.0, 92.0, 74.0, 45.0))
        target = self.job_busy if self.job_left_s else 0.0
        self.busy += (target - self.busy) * 0.6
        jitter = rng.gauss(0, 2.5) if target else 0.0
        busy = min(100, max(0, round(self.busy + jitter)))
        cap = self.info.power_cap_w or 200
        wanted = self.idle_w + (cap - self.idle_w) * (busy / 100) * 0.93
        self.power_w += (wanted - self.power_w) * 0.5
        heat = self.power_w / cap
        self.junction_c += (self.idle_c + 2 + 52 * heat - self.junction_c) * 0.04
        self.memory_c += (self.idle_c + 8 + 50 * heat - self.memory_c) * 0.02
        fan = 0.0 if self.junction_c < 45 else 900 + (self.junction_c - 45) * 58
        self.fan_rpm += (fan - self.fan_rpm) * 0.1
        self.vram_mib += (model_mib + 6 * busy - self.vram_mib) * 0.1
        return Gpu(
            index=self.info.index,
            busy_percent=busy,
            vram_used_mib=round(self.vram_mib),
            vram_total_mib=self.vram_total_mib,
            edge_c=round(self.junction_c - 3 - 11 * heat),
            junction_c=round(self.junction_c),
            memory_c=round(self.memory_c / 2) * 2,
            power_w=max(3, round(self.power_w + rng.gauss(0, 0.4 + 3.5 * heat))),
            fan_rpm=max(0, round(self.fan_rpm + rng.gauss(0, 6))) if self.fan_rpm > 400 else 0,
            core_clock_mhz=round(500 + 2350 * busy / 100 + rng.gauss(0, 12)) if busy else 0,
            memory_clock_mhz=1258 if busy else 96,
        )


@dataclass
class Wander:
    """A value that drifts about its mean."""

    mean: float
    spread: float
    pull: float = 0.05
    value: Optional[float] = None

    def step(self, rng: random.Random) -> float:
        """One second on; never below zero."""
        now = self.mean if self.value is None else self.value
        now += (self.mean - now) * self.pull + rng.gauss(0, self.spread) * math.sqrt(2 * self.pull)
        self.value = max(0.0, now)
        return self.value


class Machine:
    """A whole server; `busy` is the fraction of its CPUs that its work keeps busy."""

    def __init__(
        self,
        seed: int,
        host: str,
        address: str,
        cpus: int,
        cpu_model: str,
        memory_gib: float,
        used_gib: float,
        swap_gib: float,
        interface: str,
        received: float,
        sent: float,
        busy: float,
        cards: Tuple[Card, ...] = (),
        chance_of_job: float = 0.0,
        model_mib: Tuple[float, ...] = (),
        start_s: int = 12 * 3600 + 10 * 60,
        uptime_s: int = 1051200,
    ) -> None:
        self.rng = random.Random(seed)
        self.host = host
        self.address = address
        self.cpus = cpus
        self.cpu_model = cpu_model
        self.memory_milligib = round(memory_gib * 1000)
        self.used = Wander(used_gib * 1000, memory_gib * (1.5 if busy > 0.05 else 0.2), 0.01)
        self.cache_milligib = memory_gib * 330
        self.swap_milligib = round(swap_gib * 1000)
        self.interface = interface
        self.received = received
        self.sent = sent
        self.flow = Wander(1.0, 0.22, 0.12)
        self.answer = Wander(1.0, 0.18, 0.12)
        self.burst = 0.0
        self.burst_left_s = 0
        self.busy = busy
        self.cards = cards
        self.chance_of_job = chance_of_job
        self.model_mib = model_mib
        self.second = start_s
        self.uptime_s = uptime_s
        self.levels = [Wander(busy, busy * 0.8 + 0.004, 0.15) for _ in range(cpus)]
        self.spike_left_s = [0] * cpus
        self.loads = [busy * cpus] * 3

    def clock(self) -> str:
        """Local time HH:MM:SS."""
        return f"{self.second // 3600 % 24:02}:{self.second // 60 % 60:02}:{self.second % 60:02}"

    def info(self) -> InfoLine:
        """The static facts."""
        return InfoLine(
            collector="0.1.0",
            clock=Clock(self.clock(), self.uptime_s),
            cpu_model=self.cpu_model,
            gpus=tuple(card.info for card in self.cards),
        )

    def step(self) -> Snapshot:
        """One second on."""
        rng = self.rng
        self.second = (self.second + 1) % 86400
        self.uptime_s += 1
        shares: List[float] = []
        for cpu, wander in enumerate(self.levels):
            if self.spike_left_s[cpu]:
                self.spike_left_s[cpu] -= 1
            elif rng.random() < 0.0008 + self.busy * 0.02:
                self.spike_left_s[cpu] = int(rng.expovariate(1 / (1.2 + 60 * self.busy))) + 1
            share = wander.step(rng)
            if self.spike_left_s[cpu]:
                share += rng.uniform(0.3, 1.0)
            shares.append(min(1.0, share))
        mean = sum(shares) / len(shares)
        running = sum(1 for share in shares if rng.random() < share)
        for i, minutes in enumerate((1, 5, 15)):
            self.loads[i] += (running - self.loads[i]) * (1 - math.exp(-1 / (60 * minutes)))
        if self.burst_left_s:
            self.burst_left_s -= 1
        elif rng.random() < 0.01:
            self.burst_left_s = int(rng.expovariate(1 / 12)) + 2
            self.burst = rng.uniform(2, 9)
        factor = self.flow.step(rng) * (self.burst if self.burst_left_s else 1.0)
        gpus = tuple(
            card.step(rng, self.chance_of_job, self.model_mib[number])
            for number, card in enumerate(self.cards)
        )
        used = round(min(self.used.step(rng), self.memory_milligib * 0.94))
        self.cache_milligib += rng.gauss(0, 2)
        return Snapshot(
            host=self.host,
            address=self.address,
            time=self.clock()[:5],
            uptime_s=self.uptime_s,
            cpu_permille=round(1000 * mean),
            cpus=self.cpus,
            cpu_levels=tuple(round(15 * share) for share in shares),
            load_centi=(
                round(100 * self.loads[0]),
                round(100 * self.loads[1]),
                round(100 * self.loads[2]),
            ),
            memory=Memory(used, self.memory_milligib, round(max(0, self.cache_milligib))),
            swap=Swap(0, self.swap_milligib) if self.swap_milligib else None,
            network=Network(
                self.interface,
                round(self.received * factor),
                round(self.sent * self.answer.step(rng) * math.sqrt(factor)),
            ),
            gpus=gpus,
        )


def _r9700(index: int, bus: str) -> Card:
    info = GpuInfo(index, "R9700", f"0000:{bus}:00.0", 300, 110, 110, 108)
    return Card(info, 32624, idle_w=14, idle_c=34 + 2 * index)


def _mi(index: int) -> Card:
    info = GpuInfo(index, "MI210", f"0000:{0x1B + 0x14 * index:02x}:00.0", 300, 100, 105, 95)
    return Card(info, 65536, idle_w=41, idle_c=33 + index % 4)


def inference() -> Iterator[bytes]:
    """(a) An inference server with two R9700 under load."""
    machine = Machine(
        seed=7910,
        host="t7910",
        address="192.0.2.17",
        cpus=32,
        cpu_model="2x E5-2683 v4",
        memory_gib=125.9,
        used_gib=18.4,
        swap_gib=8.0,
        interface="eno1",
        received=2.4e6,
        sent=9.1e5,
        busy=0.09,
        cards=(_r9700(0, "03"), _r9700(1, "83")),
        chance_of_job=0.06,
        model_mib=(29400.0, 21100.0),
    )
    return _lines(machine)


def idle() -> Iterator[bytes]:
    """(a) The same server in the night: nothing to do."""
    machine = Machine(
        seed=7911,
        host="t7910",
        address="192.0.2.17",
        cpus=32,
        cpu_model="2x E5-2683 v4",
        memory_gib=125.9,
        used_gib=6.9,
        swap_gib=8.0,
        interface="eno1",
        received=1400,
        sent=900,
        busy=0.004,
        cards=(_r9700(0, "03"), _r9700(1, "83")),
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
    """(d) An hour with trouble: a GPU lost, a reset, a stalled collector, a reboot."""
    machine = Machine(
        seed=13,
        host="t7910",
        address="192.0.2.17",
        cpus=32,
        cpu_model="2x E5-2683 v4",
        memory_gib=125.9,
        used_gib=22.0,
        swap_gib=8.0,
        interface="eno1",
        received=2.4e6,
        sent=9.1e5,
        busy=0.09,
        cards=(_r9700(0, "03"), _r9700(1, "83")),
        chance_of_job=0.06,
        model_mib=(29400.0, 21100.0),
        start_s=2 * 3600 + 51 * 60,
    )
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
