"""The log: one line on standard error for each thing that happened; the journal adds the time."""

from __future__ import annotations

import sys
from typing import Callable

Log = Callable[[str], None]

#: Lines about strangers: this many in ten seconds, the rest is only counted.
BURST, WINDOW_S = 20, 10.0


def log_to_stderr(text: str) -> None:
    """Writes one line."""
    print(text, file=sys.stderr, flush=True)


def no_log(_text: str) -> None:
    """Drops a line: for commands that print their own result."""


class LogLimit:
    """Lets ``BURST`` lines through in a window and says afterwards how many it held back."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._window_at = 0.0
        self._count = 0

    def __call__(self, text: str, now: float) -> None:
        self.tick(now)
        if self._count == 0:
            self._window_at = now
        self._count += 1
        if self._count <= BURST:
            self._log(text)

    def tick(self, now: float) -> None:
        """Closes the window when its time is over."""
        if self._count and now - self._window_at >= WINDOW_S:
            if self._count > BURST:
                self._log(f"{self._count - BURST} more lines about connections left out")
            self._count = 0
