"""The sources that one thread reads: how long an answer counts, and who is blamed for a read that hangs."""

from __future__ import annotations

import threading
import time
from typing import Iterator, List

import pytest
from inktop_collector.readers import STALE_S, Reader, Round
from inktop_collector.sources.group import HANGS_S, Group
from inktop_collector.sources.source import Reading, Source, Values
from testkit.live import wait


class Number(Source):
    """Says a number; waits before that while it is held."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number
        self.free = threading.Event()
        self.free.set()
        self.begun = 0

    def read(self) -> Reading:
        self.begun += 1
        self.free.wait(20)
        return Reading({self.name: self.number})

    def base(self) -> Values:
        return {self.name: None}


@pytest.fixture
def sources() -> Iterator[List[Number]]:
    made = [Number("first", 1), Number("second", 2), Number("third", 3)]
    yield made
    for source in made:
        source.free.set()


def test_an_answer_counts_for_three_seconds_and_then_the_source_says_what_it_has_without_one(
    sources: List[Number],
) -> None:
    group = Group(sources)
    Round(lambda: None).begin(group.readers(time.monotonic()))
    wait(lambda: group.reader.answered_at is not None)
    now = time.monotonic()
    assert group.collect(now).values == {"first": 1, "second": 2, "third": 3}
    assert group.collect(now + STALE_S - 0.5).values["first"] == 1
    assert group.collect(now + STALE_S + 0.5).values == {"first": None, "second": None, "third": None}
    group.close()


def test_a_slow_source_keeps_the_others_in_its_thread_and_one_that_hangs_does_not(
    sources: List[Number],
) -> None:
    group = Group(sources)
    sources[1].free.clear()
    rounds = Round(lambda: None)
    rounds.begin(group.readers(time.monotonic()))
    wait(lambda: sources[1].begun == 1)
    began = time.monotonic()
    assert len(group.readers(began + HANGS_S - 0.5)) == 1
    readers = group.readers(began + HANGS_S + 0.5)
    assert len(readers) == 2
    rounds.begin(readers)
    wait(lambda: group.collect(time.monotonic()).values["third"] == 3)
    assert group.collect(time.monotonic()).values == {"first": 1, "second": None, "third": 3}
    assert (sources[1].begun, sources[0].begun) == (1, 2)
    rows = {row.title: row for row in group.doctor(time.monotonic())}
    assert (rows["second"].found, rows["second"].broken) == ("no answer", True)
    assert "hangs" in rows["second"].note
    assert (rows["first"].found, rows["third"].found) == ("read", "read")
    sources[1].free.set()
    wait(lambda: group.collect(time.monotonic()).values["second"] == 2)
    # It is read again in its own thread, and the others not by it.
    rounds.begin(group.readers(time.monotonic()))
    wait(lambda: sources[1].begun == 2 and sources[2].begun == 2)
    assert len(group.readers(time.monotonic())) == 2
    group.close()


def test_before_the_first_answers_doctor_names_who_keeps_the_others_waiting(sources: List[Number]) -> None:
    group = Group(sources)
    sources[1].free.clear()
    Round(lambda: None).begin(group.readers(time.monotonic()))
    wait(lambda: sources[1].begun == 1)
    rows = {row.title: row.note for row in group.doctor(time.monotonic())}
    assert rows["first"] == ""
    assert "dmesg" in rows["second"]
    assert rows["third"] == "not read: second hangs"
    group.close()


def test_the_age_of_an_answer_is_the_time_since_it_came() -> None:
    reader = Reader("a card", lambda: 1)
    assert reader.age(5.0) == float("inf")
    reader.answered_at = 1000.0
    assert reader.age(1007.5) == 7.5
