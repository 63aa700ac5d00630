"""Owns the threads that read: each reader has one, so that a read that hangs silences nobody else.

A round is begun for all readers at once; one whose read is still under way is left alone, however
long it takes. Threads are started through ``_thread``: ``threading`` costs 0.8 MiB, and would wait
for a stuck one at exit.
"""

from __future__ import annotations

import _thread
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, List, Optional, Set


class Reader:
    """One source in its thread. ``value`` is the last answer (``None``: none yet)."""

    def __init__(self, name: str, read: Callable[[], object]) -> None:
        self.name = name
        self.value: object = None
        #: When the last answer came, monotonic seconds.
        self.answered_at: Optional[float] = None
        #: When the read that is under way began, ``None`` between reads.
        self.busy_since: Optional[float] = None
        self._stopped = False
        self._complained = False
        self._read = read
        self._round: Optional[Round] = None
        self._go = _thread.allocate_lock()
        self._go.acquire()
        _thread.start_new_thread(self._run, ())

    def begin(self, now: float, answers: Round) -> None:
        """Has it read once more; the reader must be free."""
        self.busy_since = now
        self._round = answers
        self._go.release()

    def stop(self) -> None:
        """Lets the thread end, once it comes back."""
        self._stopped = True
        if self.busy_since is None:
            self._go.release()

    def age(self, now: float) -> float:
        """Seconds since the last answer, infinite before the first."""
        return now - self.answered_at if self.answered_at is not None else float("inf")

    def hung(self, now: float, limit_s: float) -> bool:
        """Whether a read has been under way for longer than that."""
        since = self.busy_since
        return since is not None and now - since > limit_s

    def _run(self) -> None:
        while True:
            self._go.acquire()
            if self._stopped:
                return
            try:
                self.value = self._read()
                self.answered_at = time.monotonic()
            except Exception as problem:  # a fault in one source must not end the line
                if not self._complained:
                    self._complained = True
                    print(f"{self.name}: {problem!r}: please report this", file=sys.stderr)
            self.busy_since = None
            if self._stopped:
                return
            if self._round is not None:
                self._round.answered(self)


class Round:
    """Knows which readers have yet to answer, and calls ``complete`` when all of a round have."""

    def __init__(self, complete: Callable[[], None]) -> None:
        self._complete = complete
        self._lock = _thread.allocate_lock()
        self._waiting: Set[Reader] = set()

    def begin(self, readers: List[Reader]) -> None:
        """Begins a read in every reader that is free. One that is not is not waited for."""
        now = time.monotonic()
        free = [reader for reader in readers if reader.busy_since is None]
        with self._lock:
            self._waiting = set(free)
        if not free:
            self._complete()
        for reader in free:
            reader.begin(now, self)

    def answered(self, reader: Reader) -> None:
        """One reader has answered; too late for its round, it changes nothing."""
        with self._lock:
            if reader not in self._waiting:
                return
            self._waiting.discard(reader)
            complete = not self._waiting
        if complete:
            self._complete()
