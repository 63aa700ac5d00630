"""Owns the sample: asks all sources, each in its thread, and puts together what there is.

Rates are measured on the monotonic clock; the uptime of a line goes on also while the sources hang.
"""

from __future__ import annotations

import time

from inktop_protocol.model import Clock, Event, InfoLine, Memory, Network, Snapshot, Swap

from . import __version__
from .files import Roots
from .gpus import STALE_S, Gpus
from .readers import Reader, Round
from .sources.cpu import Cpu, CpuSample
from .sources.events import MachineEvents
from .sources.host import clock, cpu_model, host_name
from .sources.load import Load
from .sources.memory import Memory as MemorySource
from .sources.memory import MemorySample
from .sources.network import NetworkSample, NetworkSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, List, Optional, Tuple

    from .state import KnownGpus

#: The time zone may be changed under a running collector.
TIME_ZONE_EVERY_S = 60.0


class SystemReading:
    """What the sources of the machine answer. ``at``: monotonic moment of the uptime."""

    __slots__ = ("cpu", "memory", "load", "network", "uptime_s", "at", "events")

    def __init__(
        self,
        cpu: CpuSample,
        memory: MemorySample,
        load: Optional[Tuple[Optional[int], Optional[int], Optional[int]]],
        network: NetworkSample,
        uptime_s: Optional[float],
        at: float,
        events: List[Tuple[float, str, str, str]],
    ) -> None:
        self.cpu = cpu
        self.memory = memory
        self.load = load
        self.network = network
        self.uptime_s = uptime_s
        self.at = at
        self.events = events


class SystemSource:
    """All that is read from /proc, in one thread."""

    def __init__(self, roots: Roots, interface: str, log: Callable[[str], None]) -> None:
        self._roots = roots
        self.cpu = Cpu(roots)
        #: Made by the first read: that these files are read in this thread holds for the first time, too.
        self.memory: Optional[MemorySource] = None
        self.cpu_model: Optional[str] = None
        self.load = Load(roots)
        self.network = NetworkSource(roots, interface, log)
        self.events = MachineEvents(roots)

    def read(self) -> SystemReading:
        """One reading of everything."""
        if self.memory is None:
            self.memory = MemorySource(self._roots)
            self.cpu_model = cpu_model(self._roots)
        uptime_s = self.load.uptime_s()
        at = time.monotonic()
        return SystemReading(
            self.cpu.read(),
            self.memory.read(),
            self.load.read(),
            self.network.read(),
            uptime_s,
            at,
            self.events.read(at, uptime_s),
        )


class Sampler:
    """Begins rounds of reads and puts snapshots together. ``complete`` is called in any thread."""

    def __init__(
        self,
        roots: Roots,
        complete: Callable[[], None],
        interface: str = "",
        gpu_order: Tuple[str, ...] = (),
        gpu_names: Optional[Dict[str, str]] = None,
        gpu_hidden: Tuple[str, ...] = (),
        known: Optional[KnownGpus] = None,
        log: Optional[Callable[[str], None]] = None,
    ) -> None:
        self._roots = roots
        self._round = Round(complete)
        self._log = log or (lambda text: None)
        self.source = SystemSource(roots, interface, self._log)
        self.system = Reader("system", self.source.read)
        self.gpus = Gpus(roots, gpu_order, gpu_names, gpu_hidden, known, self._log)
        self.host = host_name(roots)
        self._uptime: Optional[Tuple[float, float]] = None
        self._zone_at = time.monotonic()
        self._silenced: Dict[str, float] = {}

    def begin(self) -> None:
        """Starts a round of reads; ``complete`` tells when all that were free have answered."""
        now = time.monotonic()
        self.gpus.scan(now)
        if now - self._zone_at >= TIME_ZONE_EVERY_S:
            self._zone_at = now
            time.tzset()
            self.host = host_name(self._roots)
        self._round.begin([self.system, *self.gpus.readers()])

    def busy(self) -> bool:
        """Whether a read is still under way."""
        return any(reader.busy_since is not None for reader in [self.system, *self.gpus.readers()])

    def snapshot(self) -> Snapshot:
        """The machine as far as it has answered, without an address."""
        now = time.monotonic()
        gpus = self.gpus.collect(now)
        events = self.gpus.events(now)
        reading = self.system.value
        time_text = clock()[:5]
        if not isinstance(reading, SystemReading) or self.system.age(now) > STALE_S:
            return Snapshot(
                self.host,
                time=time_text,
                uptime_s=self.uptime_s(now),
                memory=Memory(None, None),
                network=Network("-", None, None),
                gpus=gpus,
                events=_in_order(events),
            )
        if reading.uptime_s is not None:
            self._uptime = (reading.uptime_s, reading.at)
        for began, subject, what, began_text in reading.events:
            if self._silenced.get(what) != began:
                events.append((began, Event(subject, what, began_text)))
        memory, network = reading.memory, reading.network
        return Snapshot(
            self.host,
            None,
            time_text,
            self.uptime_s(now),
            reading.cpu.permille,
            reading.cpu.cpus,
            reading.cpu.levels,
            reading.load,
            Memory(milligib(memory.used_kb), milligib(memory.total_kb), milligib(memory.cache_kb)),
            Swap(milligib(memory.swap_used_kb), milligib(memory.swap_total_kb))
            if memory.swap_total_kb
            else None,
            Network(network.name or "-", network.received_bytes_s, network.sent_bytes_s),
            gpus,
            _in_order(events) if events else (),
        )

    def info(self, nonce: Optional[str] = None) -> InfoLine:
        """The static facts, with the clock as it is now."""
        uptime_s = self.uptime_s(time.monotonic())
        if uptime_s is None:
            reading = self.system.value  # nobody has asked for a snapshot yet
            if isinstance(reading, SystemReading) and reading.uptime_s is not None:
                uptime_s = int(reading.uptime_s)
        return InfoLine(
            collector=__version__,
            nonce=nonce,
            clock=None if uptime_s is None else Clock(clock(), uptime_s),
            cpu_model=self.source.cpu_model,
            gpus=self.gpus.infos(),
        )

    def uptime_s(self, now: float) -> Optional[int]:
        """Uptime of the machine, carried on from when it was last read; ``None`` before that."""
        if self._uptime is None:
            return None
        return int(self._uptime[0] + max(0.0, now - self._uptime[1]))

    def acknowledge(self) -> int:
        """Drops standing events and forgets lost cards; how many events there were."""
        count = self.gpus.acknowledge()
        reading = self.system.value
        if isinstance(reading, SystemReading):
            for began, _subject, what, _time in reading.events:
                if self._silenced.get(what) != began:
                    self._silenced[what] = began
                    count += 1
        return count

    def close(self) -> None:
        """Lets all threads end that can."""
        self.system.stop()
        self.gpus.close()


def milligib(kilobytes: Optional[int]) -> Optional[int]:
    """kB of /proc (1024 bytes) as thousandths of a GiB, rounded half up."""
    return None if kilobytes is None else (kilobytes * 2000 + 1048576) // 2097152


def _in_order(events: List[Tuple[float, Event]]) -> Tuple[Event, ...]:
    events.sort(key=lambda pair: pair[0])
    return tuple(event for _, event in events)
