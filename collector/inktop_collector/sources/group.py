"""The sources of the machine, read one after the other in one thread, as long as none hangs.

Each has an answer and an age of its own. One whose read hangs keeps the thread, and the others go on
in another one: a thread for each source is only paid for where something hangs.
"""

from __future__ import annotations

import time
from typing import AbstractSet, Dict, List, Optional, Sequence, Tuple

from inktop_protocol.model import Event

from ..readers import STALE_S, Faults, Reader
from .source import Began, Reading, Row, Source, Values

NO_ANSWER = Reading({}), float("-inf")
#: A source that has been read for so long is left alone with its thread. The others are asked again
#: while their last answers still count.
HANGS_S = 1.0


class Share:
    """The sources that one thread reads."""

    def __init__(self, group: Group, numbers: Sequence[int]) -> None:
        self.numbers: Sequence[int] = numbers
        #: The one that is being read now: to blame while the thread hangs.
        self.current: Optional[int] = None
        self._group = group
        self.reader = Reader("system", self.read)

    def read(self) -> None:
        """Reads all of them; what was given to another thread meanwhile is left out."""
        sources, answers = self._group.sources, self._group.answers
        numbers, moment = self.numbers, time.monotonic
        for number in numbers:
            if self.numbers is not numbers and number not in self.numbers:
                continue
            self.current = number
            try:
                answers[number] = sources[number].read(), moment()
            except Exception as fault:
                self._group.faults.report(sources[number].name, fault)
        self.current = None


class Group:
    """Reads all sources in turn and keeps their last answers."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = list(sources)
        self.faults = Faults()
        #: In the order of the sources: the last answer of each and its moment (monotonic seconds).
        self.answers: List[Tuple[Reading, float]] = [NO_ANSWER] * len(self.sources)
        #: The threads; the last one has all sources that have never hung.
        self.shares = [Share(self, range(len(self.sources)))]
        #: Events that were acknowledged, by subject and what; the moment tells a new one of the kind.
        self._silenced: Dict[Tuple[str, str], float] = {}

    @property
    def reader(self) -> Reader:
        """The thread of the sources that have never hung."""
        return self.shares[-1].reader

    def readers(self, now: float) -> List[Reader]:
        """The threads to be asked in this round."""
        share = self.shares[-1]
        stuck = share.current
        if stuck is not None and share.reader.hung(now, HANGS_S):
            others = [number for number in share.numbers if number != stuck]
            share.numbers = [stuck]
            if others:
                self.shares.append(Share(self, others))
        return [share.reader for share in self.shares]

    def collect(self, now: float) -> Reading:
        """Everything as it is now: fresh answers, and what a line says without one."""
        values: Values = {}
        events: List[Began] = []
        for source, (reading, at) in zip(self.sources, self.answers):
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
        stuck = next((self.sources[s.current] for s in self.shares if s.current is not None), None)
        hanging = [share.current for share in self.shares]
        for number, (source, answer) in enumerate(zip(self.sources, self.answers)):
            if answer is not NO_ANSWER:
                rows += source.doctor(answer[0])
            elif number in hanging:
                rows.append(Row(source.name, "no answer", "its read hangs: `dmesg` tells why", broken=True))
            else:
                note = f"not read: {stuck.name} hangs" if stuck else "its read failed: see the log"
                rows.append(Row(source.name, "no answer", note, broken=True))
        return rows

    def acknowledge(self, seen: Optional[AbstractSet[Event]] = None) -> int:
        """Silences the events that are on, or those of them in ``seen``; how many there were."""
        count = 0
        for reading, _ in self.answers:
            for began in reading.events:
                if (seen is None or began.event in seen) and not self._is_silenced(began):
                    self._silenced[began.event.subject, began.event.what] = began.at
                    count += 1
        return count

    def _is_silenced(self, began: Began) -> bool:
        return self._silenced.get((began.event.subject, began.event.what)) == began.at

    def close(self) -> None:
        """Lets the threads end once they can."""
        for share in self.shares:
            share.reader.stop()
