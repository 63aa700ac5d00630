"""What all disks together read and write: /proc/diskstats."""

from __future__ import annotations

import time
from typing import List, Optional, Tuple

from inktop_protocol.model import DiskTraffic
from inktop_protocol.table import limits

from ..files import Roots, is_folder
from .counter import Counter
from .source import Reading, Row, Source, problem

SECTOR_BYTES = 512
#: More than all disks of a machine can move: a counter is damaged.
MAX_BYTES_S = min(10**12, limits("data", "io", "read_bytes_s")[1])
#: Made of other disks, of memory or of a file: their bytes are counted where they end.
LAYERS = (b"loop", b"ram", b"zram", b"dm-", b"md", b"sr", b"fd", b"nbd", b"zd", b"bcache", b"drbd")


def parse_diskstats(data: bytes) -> List[Tuple[str, int, int]]:
    """(name, bytes read, bytes written) of every line that is no layer."""
    found = []
    for line in data.splitlines():
        words = line.split()
        if len(words) < 10 or words[2].startswith(LAYERS):
            continue
        try:
            read, written = int(words[5]) * SECTOR_BYTES, int(words[9]) * SECTOR_BYTES
        except ValueError:
            continue
        found.append((words[2].decode("ascii", "replace"), read, written))
    return found


class DiskRates(Source):
    """Remembers the last counters."""

    name = "disk traffic"

    def __init__(self, roots: Roots) -> None:
        self._file = roots.proc("diskstats")
        self._block = f"{roots.sysfs}/block"
        self._read, self._written = Counter(), Counter()
        #: Names that are whole disks: a disk counts what its partitions do.
        self._disks: Tuple[str, ...] = ()
        self._names: Tuple[str, ...] = ()

    def read(self) -> Reading:
        """``disk_traffic``; nothing on a machine without disks."""
        found = parse_diskstats(self._file.read_all() or b"")
        now = time.monotonic()
        names = tuple(name for name, _, _ in found)
        if names != self._names:
            self._names = names
            self._disks = tuple(name for name in names if is_folder(f"{self._block}/{name}"))
            # Another set of counters: their sum says nothing about the one before.
            self._read.forget()
            self._written.forget()
        if not self._disks:
            return Reading({"disk_traffic": None})
        disks = [(read, written) for name, read, written in found if name in self._disks]
        read = self._read.rate(sum(one for one, _ in disks), now)
        written = self._written.rate(sum(one for _, one in disks), now)
        return Reading({"disk_traffic": DiskTraffic(_believed(read), _believed(written))})

    def doctor(self, reading: Reading) -> List[Row]:
        """The disks that are counted."""
        found = ", ".join(self._disks) or "no disk"
        return [Row(self.name, found, problem(self._file, "/proc/diskstats"))]


def _believed(rate: Optional[float]) -> Optional[int]:
    return int(rate + 0.5) if rate is not None and rate <= MAX_BYTES_S else None
