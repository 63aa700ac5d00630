"""The state of a slot and its events.

States: ``ok``; ``asleep`` (powered down); ``reset`` (its driver refuses every sensor); ``stale`` (a
read hangs); ``lost`` (it was here and is gone). Each of the last three is an event while it lasts;
``reset``, and ``back`` after ``lost``, stay for ten minutes more. NVIDIA's cards have a few states
besides, which are no events (``nvidia_advice``).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import AbstractSet, Dict, List, Optional

from inktop_protocol.model import Event

from ...clock import clock
from ..source import Began

#: How long an event whose cause is over stays on the board.
EVENT_STAYS_S = 600.0
#: A card that turns up this soon after the start was late (its driver was loading), not lost.
LATE_S = 120.0


@dataclass
class _Entry:
    began: Began
    #: Monotonic seconds, ``None`` while its cause lasts.
    until: Optional[float]


class SlotState:
    """One slot's state."""

    def __init__(self, index: int) -> None:
        self.name = "ok"
        #: Epoch seconds at which it was lost, 0 while it is there.
        self.lost_at = 0
        self._subject = f"gpu{index}"
        self._made_at = time.monotonic()
        #: It was not there at the start, and was not lost before.
        self._may_be_late = False
        self._events: Dict[str, _Entry] = {}

    def lose(self, lost_at: int = 0) -> bool:
        """The card is gone, since that epoch second (0: now); returns whether that is new."""
        self.lost_at = lost_at or int(time.time())
        return self.become("lost")

    def miss(self, lost_at: int) -> None:
        """A card of the last run is not there at the start; it was lost then, or is only now (0)."""
        self._may_be_late = not lost_at
        self.lose(lost_at)

    def become(self, state: str) -> bool:
        """The card is in this state now; returns whether that is new."""
        before, self.name = self.name, state
        if before == state:
            return False
        now = time.monotonic()
        if before == "lost":
            self._events.pop("lost", None)
            self.lost_at = 0
            if not (self._may_be_late and now - self._made_at < LATE_S):
                self._begin("back", now, time.time(), now + EVENT_STAYS_S)
            self._may_be_late = False
        if before == "reset" and "reset" in self._events:
            self._events["reset"].until = now + EVENT_STAYS_S
        if before == "stale":
            self._events.pop("stale", None)
        if state == "lost":
            self._events.pop("back", None)
            self._begin("lost", now, self.lost_at, None)
        elif state in ("reset", "stale"):
            self._begin(state, now, time.time(), None)
        return True

    def _begin(self, what: str, now: float, wall: float, until: Optional[float]) -> None:
        event = Event(self._subject, what, clock(wall))
        self._events[what] = _Entry(Began(now, event), until)

    def events(self, now: float) -> List[Began]:
        """The events that are on; drops those that are over."""
        self._events = {
            what: entry for what, entry in self._events.items() if entry.until is None or now < entry.until
        }
        return [entry.began for entry in self._events.values()]

    def acknowledge(self, seen: Optional[AbstractSet[Event]] = None) -> int:
        """Drops the events, or those of them in ``seen``; how many there were.

        That of a read that still hangs stays.
        """
        known = {w: e for w, e in self._events.items() if seen is None or e.began.event in seen}
        for what in known:
            if what != "stale" or self.name != "stale":
                del self._events[what]
        return len(known)

    @property
    def lost_unseen(self) -> bool:
        """Whether nobody has acknowledged that the card is lost."""
        return "lost" in self._events
