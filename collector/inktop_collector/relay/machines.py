"""From the answers of the engine to what each machine's line says."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from inktop_protocol.model import (
    MAX_DISKS,
    MAX_GPUS,
    Disk,
    DiskTraffic,
    Event,
    Gpu,
    GpuInfo,
    InfoLine,
    Memory,
    Network,
    Snapshot,
    Swap,
)

from .. import __version__
from ..clock import clock
from .engine import Engine, EngineError, Series
from .mapping import FAMILIES, HOST, KEY, TEXT, Questions

#: By member, then by key ("" where there is none): a number of the line, or a text.
Found = Dict[str, Dict[str, Any]]
#: Of a machine that is asked for, in one question so many: their names are in it.
AT_ONCE = 100


def ask_machines(
    engine: Engine, questions: Questions, hosts: Sequence[str], failed: Callable[[str, EngineError], None]
) -> Dict[str, Found]:
    """What is known of each machine. A row whose question is refused is left out, and told to ``failed``."""
    found: Dict[str, Found] = {host: {} for host in hosts}
    for member, row in questions.rows.items():
        for start in range(0, len(hosts), AT_ONCE):
            try:
                answer = engine.ask(questions.of(member, hosts[start : start + AT_ONCE]))
            except EngineError as problem:
                if problem.word != "refused":
                    raise
                failed(member, problem)
                break
            _sort(found, member, answer, row.scale)
    return found


def _sort(found: Dict[str, Found], member: str, answer: List[Series], scale: float) -> None:
    for labels, value in answer:
        of_host = found.get(labels.get(HOST, ""))
        if of_host is None:
            continue
        text = labels.get(TEXT)
        said: Any = (
            text if text is not None else int(value * scale + 0.5) if value >= 0 else int(value * scale)
        )
        of_host.setdefault(member, {})[labels.get(KEY, "")] = said


class RelayedMachine:
    """One machine: its slots, its interface, and since when it is down."""

    def __init__(self, host: str) -> None:
        self.host = host
        self.up: Optional[bool] = None
        self._slots: Dict[str, int] = {}
        self._found: Found = {}
        self._uptime_at = 0.0
        self._interface = ""
        self._event: Optional[Event] = None

    def take(self, found: Found, up: bool, now: float) -> None:
        """The answers of a round."""
        self.up = up
        if found.get("uptime_s"):
            self._uptime_at = now - found["uptime_s"].get("", 0)
        self._found = found
        for key in self._gpu_keys():
            self._place(key)
        self._say(None if up else "down", "sys")

    def forget(self, word: str) -> None:
        """Nothing is known any more: the engine does not answer."""
        self._found = {}
        self.up = None
        self._say(word, "engine")

    def acknowledge(self) -> int:
        """Forgets cards that are gone; how many."""
        there = self._gpu_keys()
        gone = [key for key in self._slots if key not in there] if self.up else []
        for key in gone:
            del self._slots[key]
        return len(gone)

    def values(self, now: float) -> Dict[str, Any]:
        """Fields of a Snapshot."""
        values: Dict[str, Any] = {"host": self.host, "time": clock()[:5]}
        if self._uptime_at:
            values["uptime_s"] = int(now - self._uptime_at)
        for member in ("cpu_permille", "cpus", "cpu_c"):
            values[member] = self._one(member)
        if any(f"load.{at}" in self._found for at in range(3)):
            values["load_centi"] = tuple([self._one(f"load.{at}") for at in range(3)])
        used, total, cache = (self._one(f"memory.{m}_milligib") for m in ("used", "total", "cache"))
        values["memory"] = Memory(used, total, cache)
        swap = self._one("swap.total_milligib")
        if swap:
            values["swap"] = Swap(self._one("swap.used_milligib"), swap)
        values["network"] = self._network()
        values["disks"] = self._disks()
        if "disk_traffic.read_bytes_s" in self._found:
            read, written = (self._one(f"disk_traffic.{m}_bytes_s") for m in ("read", "written"))
            values["disk_traffic"] = DiskTraffic(read, written)
        values["gpus"] = self._gpus()
        values["events"] = (self._event,) if self._event else ()
        return values

    def snapshot(self, now: float) -> Snapshot:
        """What its line says, without an address."""
        return Snapshot(**self.values(now))

    def info(self) -> InfoLine:
        """The static facts."""
        gpus = []
        for key, slot in sorted(self._slots.items(), key=lambda one: one[1]):
            name = self._found.get("gpu.name", {}).get(key) or f"GPU {slot}"
            gpus.append(GpuInfo(slot, name, None, self._found.get("gpu.power_cap_w", {}).get(key)))
        return InfoLine(collector=__version__, cpu_model=self._one("cpu_model"), gpus=tuple(gpus))

    def _say(self, word: Optional[str], subject: str) -> None:
        if word is None:
            self._event = None
        elif self._event is None or (self._event.subject, self._event.what) != (subject, word):
            self._event = Event(subject, word, clock())

    def _one(self, member: str) -> Any:
        values = self._found.get(member)
        return next(iter(values.values())) if values else None

    def _network(self) -> Network:
        received = self._found.get("network.received_bytes_s", {})
        sent = self._found.get("network.sent_bytes_s", {})
        names = sorted({*received, *sent}, key=lambda name: -received.get(name, 0) - sent.get(name, 0))
        if self._interface not in names:
            # The busiest one, and that one for as long as it is there.
            self._interface = names[0] if names else ""
        name = self._interface
        return Network(name or "-", received.get(name), sent.get(name))

    def _disks(self) -> Tuple[Disk, ...]:
        used, total = self._found.get("disks.used_mib", {}), self._found.get("disks.total_mib", {})
        rows = [(used[name], total[name], name) for name in used if total.get(name, 0) > 0]
        rows.sort(key=lambda row: (-row[0] / row[1], row[2]))
        return tuple([Disk(u, t, n if len(n) <= 15 else n[-15:]) for u, t, n in rows[:MAX_DISKS]])

    def _gpu_keys(self) -> List[str]:
        keys = {key for member, values in self._found.items() if member.startswith("gpu.") for key in values}
        families = {key.partition(":")[0] for key in keys}
        for peers in FAMILIES:
            # Of a machine with a better exporter the others say the same cards once more.
            if families & set(peers):
                return sorted([key for key in keys if key.partition(":")[0] in peers], key=_order)
        return sorted(keys, key=_order)

    def _place(self, key: str) -> None:
        if key in self._slots:
            return
        taken = set(self._slots.values())
        number = key.rpartition(":")[2]
        wanted = int(number) if number.isdigit() and len(number) < 3 else -1
        free = [slot for slot in range(MAX_GPUS) if slot not in taken]
        if free:
            self._slots[key] = wanted if wanted in free else free[0]

    def _gpus(self) -> Tuple[Gpu, ...]:
        there = set(self._gpu_keys())
        gpus = []
        for key, slot in sorted(self._slots.items(), key=lambda one: one[1]):
            values = {
                member.partition(".")[2]: of.get(key)
                for member, of in self._found.items()
                if member.startswith("gpu.") and member not in ("gpu.name", "gpu.power_cap_w")
            }
            state = values.pop("state", None) or "ok"
            if key not in there:
                state = "lost" if self.up else "stale"
            gpus.append(Gpu(slot, state=state, **values))
        return tuple(gpus)


def _order(key: str) -> Tuple[str, int, str]:
    family, _, name = key.rpartition(":")
    digits = "".join([c for c in name if c.isdigit()])
    return family, int(digits[:9]) if digits else 0, name
