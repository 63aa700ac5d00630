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
#: Whole disks come and go seldom; a change in how many lines there are is noticed at once.
AGAIN_S = 10.0
#: No line from its name to its ninth number is longer.
LINE_BYTES = 256
#: More than all disks of a machine can move: a counter is damaged.
MAX_BYTES_S = min(10**12, limits("data", "io", "read_bytes_s")[1])
#: Made of other disks, of memory or of a file: their bytes are counted where they end.
LAYERS = (b"loop", b"ram", b"zram", b"dm-", b"md", b"sr", b"fd", b"nbd", b"zd", b"bcache", b"drbd")


def names_of(data: bytes) -> List[bytes]:
    """The name of every line of diskstats that is no layer."""
    rows = [line.split(None, 3) for line in data.splitlines()]
    return [words[2] for words in rows if len(words) == 4 and not words[2].startswith(LAYERS)]


def sectors(data: bytes, name: bytes) -> Optional[Tuple[int, int]]:
    """Sectors read and written of one disk, ``None`` if it is not there."""
    at = data.find(b" %s " % name)
    if at < 0:
        return None
    # reads, merged, sectors read, ms, writes, merged, sectors written
    words = data[at : at + LINE_BYTES].split(None, 8)
    try:
        return int(words[3]), int(words[7])
    except (ValueError, IndexError):
        return None


class DiskRates(Source):
    """Remembers the last counters."""

    name = "disk traffic"

    def __init__(self, roots: Roots) -> None:
        self._file = roots.proc("diskstats")
        self._block = f"{roots.sysfs}/block"
        self._read, self._written = Counter(), Counter()
        #: The whole disks: a disk counts what its partitions do.
        self._disks: Tuple[bytes, ...] = ()
        #: Lines of the file when they were chosen, and when that was.
        self._lines = 0
        self._chosen_at = -AGAIN_S

    def read(self) -> Reading:
        """``disk_traffic``; nothing on a machine without disks."""
        data = self._file.read_all() or b""
        now = time.monotonic()
        counters = [sectors(data, name) for name in self._disks]
        lines = data.count(b"\n")
        if lines != self._lines or None in counters or now - self._chosen_at >= AGAIN_S:
            self._lines, self._chosen_at = lines, now
            self._choose(data)
            counters = [sectors(data, name) for name in self._disks]
        if not self._disks:
            return Reading({"disk_traffic": None})
        known = [both for both in counters if both is not None]
        read = self._read.rate(SECTOR_BYTES * sum([one[0] for one in known]), now)
        written = self._written.rate(SECTOR_BYTES * sum([one[1] for one in known]), now)
        return Reading({"disk_traffic": DiskTraffic(_believed(read), _believed(written))})

    def _choose(self, data: bytes) -> None:
        there = [name for name in names_of(data) if sectors(data, name) is not None]
        disks = tuple(name for name in there if is_folder(f"{self._block}/{_text(name)}"))
        if disks != self._disks:
            self._disks = disks
            # Another set of counters: their sum says nothing about the one before.
            self._read.forget()
            self._written.forget()

    def doctor(self, reading: Reading) -> List[Row]:
        """The disks that are counted."""
        found = ", ".join(map(_text, self._disks)) or "no disk"
        return [Row(self.name, found, problem(self._file, "/proc/diskstats"))]


def _text(name: bytes) -> str:
    return name.decode("ascii", "replace")


def _believed(rate: Optional[float]) -> Optional[int]:
    return int(rate + 0.5) if rate is not None and rate <= MAX_BYTES_S else None
