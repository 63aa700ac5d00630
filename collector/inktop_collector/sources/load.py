"""Owns the load averages and the uptime: /proc/loadavg and /proc/uptime.

The uptime is never computed from a boot time: that jumps when the clock is set.
"""

from __future__ import annotations

from ..files import Roots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional, Tuple


def centi(word: bytes) -> Optional[int]:
    """``0.52`` as hundredths, 52; ``None`` if it is no such number."""
    whole, _, part = word.partition(b".")
    if not whole.isdigit() or (part and not part.isdigit()):
        return None
    return int(whole) * 100 + int((part + b"00")[:2])


class Load:
    """Reads both files."""

    def __init__(self, roots: Roots) -> None:
        self._load = roots.proc("loadavg")
        self._uptime = roots.proc("uptime")

    def read(self) -> Optional[Tuple[Optional[int], Optional[int], Optional[int]]]:
        """Load averages over 1, 5, 15 min, hundredths; ``None`` if there are none."""
        words = (self._load.read() or b"").split()
        if len(words) < 3:
            return None
        return centi(words[0]), centi(words[1]), centi(words[2])

    def uptime_s(self) -> Optional[float]:
        """Seconds since the machine started, with the fraction that the kernel gives."""
        words = (self._uptime.read() or b"").split()
        if not words:
            return None
        try:
            value = float(words[0])
        except ValueError:
            return None
        return value if 0 <= value <= 4294967295 else None
