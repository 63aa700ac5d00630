"""The uptime, the clock of the info line, and the event of a fresh start: /proc/uptime.

The uptime is never computed from a boot time: that jumps when the clock is set.
"""

from __future__ import annotations

import time
from typing import List, Optional, Tuple

from inktop_protocol.model import Clock, Event

from ..clock import clock
from ..files import Roots
from .source import Began, Reading, Row, Source, Values, or_unknown, problem

#: How long a fresh start is an event.
EVENT_STAYS_S = 600.0
MAX_UPTIME_S = 4294967295
#: An uptime that falls by more than this restarted, or was read wrong once.
FALL_S = 5.0


class Uptime(Source):
    """Remembers when it was read, so that the uptime goes on between reads."""

    name = "uptime"

    def __init__(self, roots: Roots) -> None:
        self._file = roots.proc("uptime")
        #: (uptime, monotonic moment), replaced as a whole: another thread reads it.
        self._last: Optional[Tuple[float, float]] = None
        self._start: Optional[Began] = None
        self._fell = False

    def read(self) -> Reading:
        """``sys:boot`` in the first ten minutes; the uptime itself goes on without a read."""
        uptime_s = self.measure()
        now = time.monotonic()
        if uptime_s is None:
            return Reading({})
        fell = self._last is not None and uptime_s + FALL_S < self._last[0]
        if fell and not self._fell:
            # Nobody restarts without ending this process, but a container may be restored; a file that
            # reads 0 for one look must not end the board's history. The next look tells.
            self._fell = True
            return Reading({})
        self._fell = False
        self._last = uptime_s, now
        events: Tuple[Began, ...] = ()
        if uptime_s < EVENT_STAYS_S:
            if self._start is None:
                event = Event("sys", "boot", clock(time.time() - uptime_s))
                self._start = Began(now - uptime_s, event)
            events = (self._start,)
        return Reading({}, events)

    def base(self) -> Values:
        """``uptime_s``, carried on from the last read."""
        return {"uptime_s": self._now()}

    def facts(self) -> Values:
        """``clock``: the time of day with the uptime at which it was that."""
        uptime_s = self._now()
        return {"clock": None if uptime_s is None else Clock(clock(), uptime_s)}

    def doctor(self, reading: Reading) -> List[Row]:
        """The uptime in seconds."""
        found = or_unknown(self._now(), " s")
        return [Row(self.name, found, problem(self._file, "/proc/uptime"))]

    def _now(self) -> Optional[int]:
        if self._last is None:
            return None
        uptime_s, at = self._last
        return int(uptime_s + max(0.0, time.monotonic() - at))

    def measure(self) -> Optional[float]:
        """Seconds since the machine started, with the fraction that the kernel gives."""
        words = (self._file.read() or b"").split()
        if not words:
            return None
        try:
            value = float(words[0])
        except ValueError:
            return None
        return value if 0 <= value <= MAX_UPTIME_S else None
