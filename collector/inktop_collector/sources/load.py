"""The load averages: /proc/loadavg."""

from __future__ import annotations

from typing import List, Optional, Tuple

from ..files import Roots
from .source import Reading, Row, Source, problem


def centi(word: bytes) -> Optional[int]:
    """``0.52`` as hundredths, 52; ``None`` if it is not such a number."""
    whole, _, part = word.partition(b".")
    if not whole.isdigit() or (part and not part.isdigit()):
        return None
    return int(whole) * 100 + int((part + b"00")[:2])


class Load(Source):
    """Reads the file."""

    name = "load"

    def __init__(self, roots: Roots) -> None:
        self._file = roots.proc("loadavg")

    def read(self) -> Reading:
        """``load_centi``."""
        return Reading({"load_centi": self.measure()})

    def doctor(self, reading: Reading) -> List[Row]:
        """Whether there are any."""
        found = "read" if reading.values["load_centi"] else "unknown"
        return [Row(self.name, found, problem(self._file, "/proc/loadavg"))]

    def measure(self) -> Optional[Tuple[Optional[int], Optional[int], Optional[int]]]:
        """Load averages over 1, 5, 15 min, hundredths; ``None`` if there are none."""
        words = (self._file.read() or b"").split()
        if len(words) < 3:
            return None
        return centi(words[0]), centi(words[1]), centi(words[2])
