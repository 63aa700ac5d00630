"""Owns the events of the machine itself: a fresh start, and processes killed for want of memory."""

from __future__ import annotations

import time

from ..files import Roots
from .host import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, List, Optional, Tuple

#: How long both stand.
STANDS_S = 600.0
#: /proc/vmstat is long, and one kill more or less in a while is no news.
VMSTAT_EVERY_S = 10.0


def oom_kills(data: bytes) -> Optional[int]:
    """Processes killed since the start (``oom_kill`` in /proc/vmstat, since Linux 4.13)."""
    at = data.find(b"\noom_kill ")
    words = data[at + 10 : at + 40].split() if at >= 0 else []
    return int(words[0]) if words and words[0].isdigit() else None


class MachineEvents:
    """Remembers what it saw last. ``read`` runs in the thread of the system's sources."""

    def __init__(self, roots: Roots, wall: Callable[[], float] = time.time) -> None:
        self._vmstat = roots.proc("vmstat")
        self._wall = wall
        self._kills: Optional[int] = None
        self._asked_at = -VMSTAT_EVERY_S
        #: Text of the time and monotonic moment of the last kill.
        self._kill: Optional[Tuple[str, float]] = None
        self._boot: Optional[Tuple[str, float]] = None

    def read(self, now: float, uptime_s: Optional[float]) -> List[Tuple[float, str, str, str]]:
        """Standing events: (began, subject, what, time)."""
        standing = []
        if uptime_s is not None and uptime_s < STANDS_S:
            if self._boot is None:
                self._boot = (clock(self._wall() - uptime_s), now - uptime_s)
            standing.append((self._boot[1], "sys", "boot", self._boot[0]))
        if now - self._asked_at >= VMSTAT_EVERY_S:
            self._asked_at = now
            kills = oom_kills(self._vmstat.read_all(b"\noom_kill ") or b"")
            if kills is not None and self._kills is not None and kills > self._kills:
                self._kill = (clock(self._wall()), now)
            self._kills = kills
        if self._kill is not None:
            if now - self._kill[1] < STANDS_S:
                standing.append((self._kill[1], "mem", "oom", self._kill[0]))
            else:
                self._kill = None
        return standing
