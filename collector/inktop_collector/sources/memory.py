"""Memory and swap: /proc/meminfo, and the ZFS cache that it counts as used."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import List, Optional, Tuple

from inktop_protocol.model import Memory as MemoryField
from inktop_protocol.model import Swap

from ..files import File, Roots, link_target
from .source import Reading, Row, Source, Values, problem

#: The first pid namespace of a kernel (PROC_PID_INIT_INO in include/linux/proc_ns.h).
INIT_PID_NAMESPACE = "pid:[4026531836]"


@dataclass
class MemorySample:
    """All in kB as in /proc/meminfo; ``None`` is unknown. ``swap_total_kb`` 0: there is no swap."""

    used_kb: Optional[int] = None
    total_kb: Optional[int] = None
    cache_kb: Optional[int] = None
    swap_used_kb: Optional[int] = None
    swap_total_kb: Optional[int] = None


def milligib(kilobytes: Optional[int]) -> Optional[int]:
    """kB of /proc (1024 bytes) as thousandths of a GiB, rounded half up."""
    return None if kilobytes is None else (kilobytes * 2000 + 1048576) // 2097152


def field(data: bytes, start: bytes) -> Optional[int]:
    """Value of one line of meminfo, kB.

    ``data`` begins with a newline, as ``start`` does, which ends in the colon: names are matched whole.
    """
    at = data.find(start)
    if at < 0:
        return None
    at += len(start)
    end = data.find(b" kB\n", at)
    try:
        # The kernel always writes the unit; whatever else there is takes longer.
        value = int(data[at:end] if end > at else b"")
    except ValueError:
        end = data.find(b"\n", at)
        words = data[at : end if end >= 0 else len(data)].split()
        if not words or not words[0].isdigit():
            return None
        value = int(words[0])
    return value if value >= 0 else None


def arc_field(data: bytes, name: bytes) -> Optional[int]:
    """Value of one line ``name type data`` of arcstats, bytes (``data_size`` is not ``size``)."""
    for line in data.splitlines():
        words = line.split()
        if len(words) == 3 and words[0] == name:
            try:
                return int(words[2])
            except ValueError:
                return None
    return None


def in_container(roots: Roots) -> bool:
    """Whether /proc/meminfo may be a container's while the ZFS statistics are its host's."""
    if roots.this_machine and link_target("/proc/self/ns/pid") not in ("", INIT_PID_NAMESPACE):
        return True
    mounts = roots.proc("mounts").read_all() or roots.proc("self/mounts").read_all() or b""
    if b"lxcfs /proc/meminfo" in mounts or b"lxcfs /proc/" in mounts:
        return True
    if b"container=" in (roots.proc("1/environ").read() or b""):
        return True
    # OpenVZ: /proc/vz is on the host and in the container, /proc/bc on the host only.
    return _is_folder(roots.proc("vz")) and not _is_folder(roots.proc("bc"))


def _is_folder(file: File) -> bool:
    file.read()
    return file.error == errno.EISDIR


class Memory(Source):
    """Reads both files; it remembers only where they are."""

    name = "memory"

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._file = roots.proc("meminfo")
        self._arc: Optional[File] = None
        self._looked = False

    def read(self) -> Reading:
        """``memory``, and ``swap`` where there is some."""
        sample = self.measure()
        memory = MemoryField(milligib(sample.used_kb), milligib(sample.total_kb), milligib(sample.cache_kb))
        swap = None
        if sample.swap_total_kb:
            swap = Swap(milligib(sample.swap_used_kb), milligib(sample.swap_total_kb))
        return Reading({"memory": memory, "swap": swap})

    def base(self) -> Values:
        """Every machine has memory."""
        return {"memory": MemoryField(None, None)}

    def doctor(self, reading: Reading) -> List[Row]:
        """How much there is."""
        memory, swap = reading.values["memory"], reading.values["swap"]
        return [
            Row(self.name, _gib(memory.total_milligib), problem(self._file, "/proc/meminfo")),
            Row("swap", _gib(swap.total_milligib) if swap else "none"),
        ]

    def _look(self) -> None:
        """Finds the ZFS statistics, in the thread: these files may hang, too."""
        self._looked = True
        arc = self._roots.proc("spl/kstat/zfs/arcstats")
        if arc.read_all() is not None and not in_container(self._roots):
            self._arc = arc  # else there is no ZFS here, or it is the host's

    def measure(self) -> MemorySample:
        """Memory now; each value on its own."""
        if not self._looked:
            self._look()
        sample = MemorySample()
        data = self._file.read_all()
        if data is None:
            return sample
        data = b"\n" + data
        swap = sample.swap_total_kb = field(data, b"\nSwapTotal:") or 0  # no such line: no swap
        swap_free = field(data, b"\nSwapFree:") if swap else None
        if swap_free is not None and swap_free <= swap:
            sample.swap_used_kb = swap - swap_free
        total = field(data, b"\nMemTotal:")
        if not total:
            return sample
        sample.total_kb = total
        cached = field(data, b"\nCached:")
        arc_total, arc_spare = self._arc_kb(total)
        available = field(data, b"\nMemAvailable:")
        # 0 is as good as missing (some kernels); more than there is comes from a container's host.
        if not available or available > total:
            free = field(data, b"\nMemFree:") or 0
            available = free + (cached or 0)
            if not 0 < available <= total:
                available = free
        if 0 < available <= total:
            sample.used_kb = total - min(total, available + arc_spare)
        if cached is not None:
            cache = cached + (field(data, b"\nBuffers:") or 0) + (field(data, b"\nSReclaimable:") or 0)
            cache += arc_total
            sample.cache_kb = cache if cache <= total else None
        return sample

    def _arc_kb(self, total_kb: int) -> Tuple[int, int]:
        """(size, what of it would be given back) of the ZFS cache, kB."""
        if self._arc is None:
            return 0, 0
        data = self._arc.read_all() or b""
        size = arc_field(data, b"size")
        least = arc_field(data, b"c_min")
        if size is None or size < 0 or size // 1024 > total_kb:
            return 0, 0
        return size // 1024, max(0, size - (least or 0)) // 1024


def _gib(milligib_value: Optional[int]) -> str:
    return "unknown" if milligib_value is None else f"{milligib_value / 1000:.1f} GiB"
