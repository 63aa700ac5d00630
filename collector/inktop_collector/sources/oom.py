"""Processes killed because memory ran out, as an event: /proc/vmstat."""

from __future__ import annotations

import time
from typing import List, Optional

from inktop_protocol.model import Event

from ..clock import clock
from ..files import Roots
from .source import Began, Reading, Row, Source, problem

#: How long the last kill is an event.
EVENT_STAYS_S = 600.0
#: The file is long, and a kill can wait that long to be reported.
AGAIN_S = 10.0


def oom_kills(data: bytes) -> Optional[int]:
    """Processes killed since the start (``oom_kill`` in /proc/vmstat, since Linux 4.13)."""
    at = data.find(b"\noom_kill ")
    words = data[at + 10 : at + 40].split() if at >= 0 else []
    return int(words[0]) if words and words[0].isdigit() else None


class OutOfMemory(Source):
    """Remembers how many there were."""

    name = "oom"

    def __init__(self, roots: Roots) -> None:
        self._file = roots.proc("vmstat")
        self._kills: Optional[int] = None
        #: What it said before it fell, until it is there again: a counter may read 0 for one look.
        self._fell_from = 0
        self._asked_at = -AGAIN_S
        self._last: Optional[Began] = None

    def read(self) -> Reading:
        """``mem:oom`` for ten minutes after a kill."""
        now = time.monotonic()
        if now - self._asked_at >= AGAIN_S:
            self._asked_at = now
            kills = oom_kills(self._file.read_all(b"\noom_kill ") or b"")
            if kills is not None and self._kills is not None:
                if kills < self._kills:
                    self._fell_from = self._kills
                elif kills > self._kills:
                    if kills != self._fell_from:
                        self._last = Began(now, Event("mem", "oom", clock(time.time())))
                    self._fell_from = 0
            self._kills = kills
        if self._last is not None and now - self._last.at >= EVENT_STAYS_S:
            self._last = None
        return Reading({}, () if self._last is None else (self._last,))

    def doctor(self, reading: Reading) -> List[Row]:
        """How many were killed since the machine started."""
        found = "unknown" if self._kills is None else f"{self._kills} processes killed"
        return [Row(self.name, found, problem(self._file, "/proc/vmstat"))]
