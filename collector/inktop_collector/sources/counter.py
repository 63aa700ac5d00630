"""The rate of a counter that only grows, where it can be trusted."""

from __future__ import annotations

from typing import Optional, Tuple


class Counter:
    """One counter and its last look.

    A counter may restart, and some read 0 for a single look (netdata/netdata#6077): what comes back
    then is the whole counter, not what happened in between.
    """

    def __init__(self) -> None:
        self._last: Optional[Tuple[int, float]] = None
        #: What it said before it fell, until it is seen to count from where it fell to.
        self._fell_from: Optional[int] = None

    def forget(self) -> None:
        """The next look is the first."""
        self._last = self._fell_from = None

    def rate(self, value: Optional[int], now: float) -> Optional[float]:
        """What it grew by in a second since the last look; ``None``: the two looks do not tell."""
        before, self._last = self._last, None if value is None else (value, now)
        if value is None or before is None or now <= before[1]:
            return None
        delta = value - before[0]
        if delta < 0:
            if value < before[0] // 2:
                self._fell_from = before[0]
            return None
        if delta and self._fell_from is not None:
            fell_from, self._fell_from = self._fell_from, None
            if value >= fell_from:
                return None
        return delta / (now - before[1])
