"""An invented machine, second by second, from a seed.

The machine is made up, its habits are not: a GPU's power follows its load, its temperatures follow its
power with a lag, its fan follows its temperatures, load averages are the kernel's exponential means.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import List, Optional, Tuple

from inktop_protocol import Clock, Gpu, GpuInfo, InfoLine, Memory, Network, Snapshot, Swap


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
            # A card at rest slows its link down; the collector does not ask it why it is slow.
            throttle="none" if busy else None,
            link_generation=self.info.link_generation if busy else 1 if self.info.link_generation else None,
            link_width=self.info.link_width,
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
