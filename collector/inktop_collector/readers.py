"""The threads that read: a read that hangs holds up its own thread and no other.

A round begins a read in every thread that is free; one whose read is still under way is left alone,
however long it takes.
"""

from __future__ import annotations

import os
import threading
import time
from typing import Callable, List, Optional, Set

from .log import log_to_stderr

#: What a thread is told.
READ, END = b"r", b"e"
#: A read under way for longer than this is taken to hang, and an answer older than this is not shown.
STALE_S = 3.0


class Faults:
    """Says once for each name that its code failed: a fault in one source must not end the line."""

    def __init__(self) -> None:
        self.names: Set[str] = set()

    def report(self, name: str, fault: Exception) -> None:
        """Writes the fault into the log, the first time."""
        if name not in self.names:
            self.names.add(name)
            log_to_stderr(f"{name}: {fault!r}: please report this")


class NoThread:
    """Says once that a thread cannot be had; what it would read is unknown meanwhile."""

    def __init__(self) -> None:
        self.said = False

    def report(self, name: str) -> None:
        """Writes it into the log, the first time."""
        if not self.said:
            self.said = True
            log_to_stderr(
                f"{name} is not read: no more threads may be started, or files opened (TasksMax, LimitNOFILE "
                "of the service; ulimit -u, -n); trying again every second"
            )


NO_THREAD = NoThread()


class Reader:
    """One thread, started by the first read. ``value`` is the last answer (``None``: none yet)."""

    def __init__(self, name: str, read: Callable[[], object]) -> None:
        self.name = name
        self.value: object = None
        #: When the last answer came, monotonic seconds.
        self.answered_at: Optional[float] = None
        #: When the read that is under way began, ``None`` between reads.
        self.busy_since: Optional[float] = None
        self.faults = Faults()
        self._stopped = False
        self._read = read
        self._round: Optional[Round] = None
        #: Where the thread is told what to do; -1 before the first read. A pipe, because a lock would wake it
        #: while Python's own lock is held here, for which it would have to wait at once.
        self._ask = -1

    def begin(self, now: float, answers: Round) -> bool:
        """Has it read once more; the reader must be free. ``False``: no thread can be had now."""
        self._round = answers
        if self._stopped or (self._ask < 0 and not self._start()):
            return False
        self.busy_since = now
        os.write(self._ask, READ)
        return True

    def _start(self) -> bool:
        asked = -1
        try:
            asked, self._ask = os.pipe()
            # A daemon: nothing waits for a thread that hangs in the kernel.
            threading.Thread(target=self._run, args=(asked,), name=self.name, daemon=True).start()
        except (OSError, RuntimeError):
            NO_THREAD.report(self.name)
            if asked >= 0:
                os.close(asked)
                os.close(self._ask)
            self._ask = -1
            return False
        return True

    def stop(self) -> None:
        """Lets the thread end, once it comes back."""
        if not self._stopped and self._ask >= 0:
            os.write(self._ask, END)
        self._stopped = True

    def age(self, now: float) -> float:
        """Seconds since the last answer, infinite before the first."""
        return now - self.answered_at if self.answered_at is not None else float("inf")

    def hung(self, now: float, limit_s: float = STALE_S) -> bool:
        """Whether a read has been under way for longer than that."""
        since = self.busy_since
        return since is not None and now - since > limit_s

    def _run(self, asked: int) -> None:
        # It ends by what it reads, so that nobody writes to a descriptor that is closed.
        while os.read(asked, 1) == READ:
            try:
                self.value = self._read()
                self.answered_at = time.monotonic()
            except Exception as fault:
                self.faults.report(self.name, fault)
            self.busy_since = None
            if self._round is not None and not self._stopped:
                self._round.answered(self)
        os.close(asked)
        os.close(self._ask)


class Round:
    """Knows which readers have yet to answer, and calls ``complete`` when all of a round have."""

    def __init__(self, complete: Callable[[], None]) -> None:
        self._complete = complete
        self._lock = threading.Lock()
        self._waiting: Set[Reader] = set()

    def begin(self, readers: List[Reader]) -> None:
        """Begins a read in every reader that is free, and waits for those only."""
        now = time.monotonic()
        free = [reader for reader in readers if reader.busy_since is None]
        with self._lock:
            self._waiting = set(free)
        if not free:
            self._complete()
        for reader in free:
            if not reader.begin(now, self):
                self.answered(reader)

    def answered(self, reader: Reader) -> None:
        """One reader has answered; too late for its round, it changes nothing."""
        with self._lock:
            if reader not in self._waiting:
                return
            self._waiting.discard(reader)
            complete = not self._waiting
        if complete:
            self._complete()
