"""The log: one line on standard error for each thing that happened; the journal adds the time."""

from __future__ import annotations

import sys
from typing import Callable, Dict, Tuple

from .text import printable

Log = Callable[[str], None]

WINDOW_S = 10.0
#: Lines of one kind in a window, and of them those about one client; the rest is only counted.
BURST, CLIENT_BURST = 20, 5
#: Clients that are told apart in a window.
MAX_CLIENTS = 256


class StderrLog:
    """Writes a line, or counts it where it cannot be written: a full disk must not end the server."""

    def __init__(self) -> None:
        self._lost = 0

    def __call__(self, text: str) -> None:
        if sys.stderr is None:
            return
        before = f"{self._lost} lines of the log could not be written\n" if self._lost else ""
        try:
            # Past the stream's buffer, which would offer the lines that failed again and again.
            sys.stderr.flush()
            sys.stderr.write(before + printable(text) + "\n")
            sys.stderr.flush()
            self._lost = 0
        except (OSError, ValueError):
            self._lost += 1


log_to_stderr = StderrLog()


def no_log(_text: str) -> None:
    """Drops a line: for commands that print their own result."""


class LogLimit:
    """Bounds the lines of each kind, of all clients and of one; says afterwards how many it held back."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._window_at = 0.0
        self._kinds: Dict[str, int] = {}
        self._clients: Dict[Tuple[str, str], int] = {}
        self._held: Dict[str, int] = {}

    def __call__(self, text: str, now: float, kind: str = "connections", client: str = "") -> None:
        self.tick(now)
        if not self._kinds:
            self._window_at = now
        of_kind = self._kinds.get(kind, 0)
        of_client = self._of_client(kind, client)
        if of_kind < BURST and of_client < CLIENT_BURST:
            self._kinds[kind] = of_kind + 1
            self._log(text)
        else:
            self._held[kind] = self._held.get(kind, 0) + 1

    def _of_client(self, kind: str, client: str) -> int:
        """Lines of this client before this one; 0 for one that is nobody's."""
        if not client or (len(self._clients) >= MAX_CLIENTS and (kind, client) not in self._clients):
            return 0
        count = self._clients.get((kind, client), 0)
        self._clients[kind, client] = count + 1
        return count

    def tick(self, now: float) -> None:
        """Closes the window when its time is over."""
        if self._kinds and now - self._window_at >= WINDOW_S:
            for kind, count in self._held.items():
                self._log(f"{count} more lines about {kind} left out")
            self._kinds, self._clients, self._held = {}, {}, {}
