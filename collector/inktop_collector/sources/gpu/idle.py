"""Leaves an idle card alone from time to time, so that it can go to sleep.

Reading a sensor tells the kernel that the card is in use, and so does a maker's library that is open.
"""

from __future__ import annotations

from typing import Callable, Optional

from ...files import Roots

#: After this many idle seconds a card is left alone for its autosuspend delay and a little more …
QUIET_AFTER_S = 10.0
QUIET_MORE_S = 2.0
#: … and if it did not fall asleep, not again before this time.
QUIET_AGAIN_S = 60.0
#: A card that takes longer than this to fall asleep is asked all the time.
MAX_DELAY_MS = 30000
#: A driver with a library has a delay of its own, which it does not tell.
LIBRARY_DELAY_S = 15.0


class Idle:
    """One card's idle times. ``library``: it is read through one, which is itself a use of the card."""

    def __init__(self, roots: Roots, device: str, now: Callable[[], float], library: bool = False) -> None:
        self._roots = roots
        self._power = f"{device}/power"
        self._now = now
        self._library = library
        self._since: Optional[float] = None
        self._quiet_until = 0.0
        self._again_at = 0.0

    def asleep(self) -> None:
        """The card sleeps."""
        self._since = None
        self._quiet_until = 0.0

    def left_alone(self) -> bool:
        """Whether its sensors are not to be read now."""
        if self._now() >= self._quiet_until:
            return False
        if self._in_use():
            self._quiet_until = 0.0
            return False
        return True

    def note(self, idle: bool) -> None:
        """Its sensors were read, and said that it is idle or not."""
        now = self._now()
        if not idle:
            self._since = None
            return
        if self._since is None:
            self._since = now
        if now - self._since < QUIET_AFTER_S or now < self._again_at:
            return
        self._again_at = now + QUIET_AGAIN_S
        if self._roots.text_at(f"{self._power}/control") != "auto" or self._in_use():
            return
        if self._library:
            self._quiet_until = now + LIBRARY_DELAY_S
            return
        delay_ms = self._roots.int_at(f"{self._power}/autosuspend_delay_ms")
        if delay_ms is not None and 0 <= delay_ms <= MAX_DELAY_MS:
            self._quiet_until = now + delay_ms / 1000 + QUIET_MORE_S

    def _in_use(self) -> bool:
        """Whether anybody else holds it; of a library that is still closing nothing can be said."""
        return not self._library and self._roots.int_at(f"{self._power}/runtime_usage") not in (None, 0)
