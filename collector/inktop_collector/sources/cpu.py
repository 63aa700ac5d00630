"""How busy the CPUs are: /proc/stat, with its known faults.

Fields of a line, in clock ticks: user nice system idle iowait irq softirq steal [guest guest_nice].
user and nice include guest time, so total = the first eight. busy = total - idle - iowait.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from operator import sub
from typing import Dict, List, Optional, Tuple

from ..files import Roots, unpadded
from .source import Reading, Row, Source, or_unknown, problem

Ticks = Tuple[int, ...]

FIELDS = 8
IDLE, IOWAIT, STEAL = 3, 4, 7
#: A field that falls by more than this restarted (suspend, hotplug, a new container).
RESTART_S = 1
#: A CPU cannot have lived more than this beyond the time that passed: the counter jumped.
JUMP_S = 5
#: Nor much less, in twentieths, for then a counter has stopped. A CPU that was never
#: idle has lived all of it.
LEAST, LEAST_BUSY = 15, 18
#: Ticks by which a counter may lag.
LAG = 3


@dataclass
class CpuSample:
    """What one look says; ``None`` is unknown. ``levels``: 0 … 15 for each CPU online, by number."""

    permille: Optional[int]
    levels: Optional[Tuple[Optional[int], ...]]
    cpus: Optional[int]


def parse_stat(data: bytes) -> Tuple[Optional[Ticks], Dict[int, Ticks]]:
    """The line of all CPUs together (``None`` if missing), and each CPU's by its number.

    Numbers may have holes.
    """
    together: Optional[Ticks] = None
    each: Dict[int, Ticks] = {}
    end = data.find(b"\nintr")
    # The CPU lines come first; what follows is long.
    for line in (data[:end] if end >= 0 else data).split(b"\n"):
        if not line.startswith(b"cpu"):
            continue
        name, *words = line.split(None, FIELDS + 1)
        try:
            ticks = tuple(map(int, words[:FIELDS]))
            if len(ticks) < FIELDS:  # kernels before 2.6.11 have fewer
                if len(ticks) <= IDLE:
                    continue
                ticks += (0,) * (FIELDS - len(ticks))
            if name == b"cpu":
                together = ticks
            else:
                each[int(name[3:])] = ticks
        except ValueError:
            continue
    return together, each


class Cpu(Source):
    """Remembers the last counters and turns the next ones into shares."""

    name = "cpu"

    def __init__(self, roots: Roots) -> None:
        self._file = roots.proc("stat")
        self._online = roots.sys("devices/system/cpu/online")
        self._before: Tuple[Optional[Ticks], Dict[int, Ticks]] = (None, {})
        self._read_at = 0.0
        self._hz = os.sysconf("SC_CLK_TCK")

    def read(self) -> Reading:
        """``cpu_permille``, ``cpus``, ``cpu_levels``."""
        sample = self.measure()
        return Reading({"cpu_permille": sample.permille, "cpus": sample.cpus, "cpu_levels": sample.levels})

    def doctor(self, reading: Reading) -> List[Row]:
        """How many CPUs are online."""
        cpus = or_unknown(reading.values["cpus"])
        return [Row(self.name, f"{cpus} online", problem(self._file, "/proc/stat"))]

    def measure(self) -> CpuSample:
        """Shares since the last call. The first call only takes the baseline."""
        data = self._file.read_all(b"\nintr")
        now = time.monotonic()
        if data is None:
            self._before = (None, {})
            return CpuSample(None, None, self._online_cpus())
        after = parse_stat(data)
        before, self._before = self._before, after
        elapsed, self._read_at = now - self._read_at, now
        return self._compare(before, after, int(elapsed * self._hz))

    def _online_cpus(self) -> Optional[int]:
        return count_list(self._online.read() or b"")

    def _compare(
        self,
        before: Tuple[Optional[Ticks], Dict[int, Ticks]],
        after: Tuple[Optional[Ticks], Dict[int, Ticks]],
        elapsed: int,
    ) -> CpuSample:
        old, new = before[1], after[1]
        shares: List[Optional[Tuple[int, int]]] = []
        for number in sorted(new):
            last = old.get(number)
            shares.append(None if last is None else self.share(last, new[number], elapsed, 1))
        levels = tuple(None if s is None else (30 * s[0] + s[1]) // (2 * s[1]) for s in shares)
        total: Optional[Tuple[int, int]] = None
        if before[0] is not None and after[0] is not None and old.keys() == new.keys():
            total = self.share(before[0], after[0], elapsed, max(1, len(new)))
        known = [s for s in shares if s is not None]
        if known and (total is None or len(known) < len(shares)):
            # A CPU came or went, or its counters are wrong, and the kernel's own sum is, too; the other
            # CPUs are not. Or there is no such sum.
            total = (sum(s[0] for s in known), sum(s[1] for s in known))
        permille = None if total is None else (2000 * total[0] + total[1]) // (2 * total[1])
        cpus = len(new) if new else self._online_cpus()
        return CpuSample(permille, levels or None, cpus)

    def share(self, last: Ticks, now: Ticks, elapsed: int, cpus: int) -> Optional[Tuple[int, int]]:
        """(busy, total) ticks between two lines, or ``None`` when the counters do not allow a value.

        ``elapsed`` is the time between them in ticks, ``cpus`` how many CPUs the lines add up.
        """
        deltas = list(map(sub, now, last))
        steal = deltas[STEAL]
        if steal == 0 and min(deltas) >= 0:  # as nearly always
            return self._within_reason(deltas, elapsed * cpus, cpus) if any(last) else None
        others = deltas[:STEAL]
        if min(others) < -RESTART_S * self._hz or sum(others) < 0:
            return None
        # Steal is garbage in some guests (huge, different for each CPU, running backwards): leave it out
        # then. Recorded counters may be further apart than the reads: then the other fields widen the bound.
        span = max(elapsed * cpus, sum(others))
        if steal < 0 or 2 * steal > 3 * span:
            deltas[STEAL] = 0
        elif sum(deltas) < 0:
            return None
        deltas = [d if d > 0 else 0 for d in deltas]  # idle and iowait jitter back by a tick or two
        return self._within_reason(deltas, elapsed * cpus, cpus)

    def _within_reason(self, deltas: List[int], elapsed: int, cpus: int) -> Optional[Tuple[int, int]]:
        """(busy, total), if that is about as many ticks as passed."""
        total = sum(deltas)
        if total <= 0 or total > 3 * elapsed // 2 + JUMP_S * self._hz * cpus:
            return None
        busy = total - deltas[IDLE] - deltas[IOWAIT]
        least = LEAST_BUSY if busy == total else LEAST
        return (busy, total) if 20 * (total + LAG * cpus) >= least * elapsed else None


def count_list(data: bytes) -> Optional[int]:
    """How many numbers a kernel list such as ``0,16-23`` names; ``None`` if it is not one."""
    count = 0
    try:
        for part in unpadded(data).split(b","):
            low, _, high = part.partition(b"-")
            count += int(high or low) - int(low) + 1
    except ValueError:
        return None
    return count if 0 < count <= 65535 else None
