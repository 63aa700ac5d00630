"""The sources of the machine, read one after the other in one thread.

Each has an answer and an age of its own, so that a source without a fresh answer is unknown alone.
"""

from __future__ import annotations

import time
from typing import Dict, List, Optional, Sequence, Tuple

from ..readers import STALE_S, Faults, Reader
from .source import Began, Reading, Row, Source, Values

NO_ANSWER = Reading({}), float("-inf")


class Group:
    """Reads all sources in turn and keeps their last answers."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = list(sources)
        self.faults = Faults()
        #: In the order of the sources: the last answer of each and its moment (monotonic seconds).
        self._answers: List[Tuple[Reading, float]] = [NO_ANSWER] * len(self.sources)
        #: The source that is being read now: the one to blame while the thread hangs.
        self._current: Optional[Source] = None
        #: Events that were acknowledged, by subject and what; the moment tells a new one of the kind.
        self._silenced: Dict[Tuple[str, str], float] = {}
        self.reader = Reader("system", self._read)

    def _read(self) -> None:
        for number, source in enumerate(self.sources):
            self._current = source
            try:
                self._answers[number] = source.read(), time.monotonic()
            except Exception as fault:
                self.faults.report(source.name, fault)
        self._current = None

    def readers(self, now: float) -> List[Reader]:
        """The threads to be asked in this round."""
        return [self.reader]

    def collect(self, now: float) -> Reading:
        """Everything as it is now: fresh answers, and what a line says without one."""
        values: Values = {}
        events: List[Began] = []
        for source, (reading, at) in zip(self.sources, self._answers):
            if now - at > STALE_S:
                values.update(source.base())
                continue
            values.update(reading.values or source.base())
            if reading.events:
                events += [began for began in reading.events if not self._is_silenced(began)]
        return Reading(values, tuple(events))

    def facts(self) -> Values:
        """Fields of the info line."""
        values: Values = {}
        for source in self.sources:
            values.update(source.facts())
        return values

    def doctor(self, now: float) -> List[Row]:
        """Rows of every source."""
        rows: List[Row] = []
        stuck = self._current
        for source, answer in zip(self.sources, self._answers):
            if answer is not NO_ANSWER:
                rows += source.doctor(answer[0])
            elif source is stuck:
                rows.append(Row(source.name, "no answer", "its read hangs: `dmesg` tells why", broken=True))
            else:
                note = f"not read: {stuck.name} hangs" if stuck else "its read failed: see the log"
                rows.append(Row(source.name, "no answer", note, broken=True))
        return rows

    def complete(self) -> bool:
        """Whether every source has answered at least once."""
        return NO_ANSWER not in self._answers

    def acknowledge(self) -> int:
        """Silences the events that are on; how many there were."""
        count = 0
        for reading, _ in self._answers:
            for began in reading.events:
                if not self._is_silenced(began):
                    self._silenced[began.event.subject, began.event.what] = began.at
                    count += 1
        return count

    def _is_silenced(self, began: Began) -> bool:
        return self._silenced.get((began.event.subject, began.event.what)) == began.at

    def close(self) -> None:
        """Lets the thread end once it can."""
        self.reader.stop()
