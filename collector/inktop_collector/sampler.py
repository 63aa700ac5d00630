"""The sample: asks all sources, each in its thread, and puts together what there is."""

from __future__ import annotations

import time
from typing import AbstractSet, Callable, List, Optional, Protocol, Union

from inktop_protocol.model import Event, InfoLine, Snapshot

from . import __version__
from .clock import clock
from .config import Config
from .files import Roots
from .log import Log, no_log
from .readers import Reader, Round
from .sources.gpu.slots import Slots
from .sources.group import Group
from .sources.registry import make_sources
from .sources.source import Began, Reading, Row, Values
from .state import KnownGpus


class Feed(Protocol):
    """Some threads, and what they say of the machine."""

    def readers(self, now: float) -> List[Reader]:
        """The threads to be asked in this round."""

    def collect(self, now: float) -> Reading:
        """Fields of the line as they are now, and the events that are on."""

    def facts(self) -> Values:
        """Fields of the info line."""

    def doctor(self, now: float) -> List[Row]:
        """What was found, what is wrong and what to do."""

    def acknowledge(self, seen: Optional[AbstractSet[Event]] = None) -> int:
        """Silences the events that are on, or those of ``seen`` alone; how many there were."""

    def close(self) -> None:
        """Lets the threads end once they can."""


class Sampler:
    """Begins rounds of reads and puts snapshots together. ``complete`` is called in any thread."""

    def __init__(
        self,
        machine: Union[Config, Roots],
        complete: Callable[[], None],
        known: Optional[KnownGpus] = None,
        log: Log = no_log,
    ) -> None:
        """``machine``: the settings, or two folders, which are a machine with the usual ones."""
        config = (
            machine if isinstance(machine, Config) else Config(procfs=machine.procfs, sysfs=machine.sysfs)
        )
        roots = config.roots()
        self._round = Round(complete)
        self.system = Group(make_sources(roots, config, log))
        self.gpus = Slots(roots, config, log, known)
        self._feeds: List[Feed] = [self.system, self.gpus]
        self._users_wanted = config.gpu_users
        self._roots = roots
        if config.llm:
            # Here, because HTTP takes several MiB that others need not spend.
            from .sources.llm.watch import Watch

            self._feeds.append(Watch(config.llm))
        self._readers: List[Reader] = []

    @property
    def host(self) -> str:
        """The host name as it was last read."""
        name: str = self.system.collect(time.monotonic()).values["host"]
        return name

    def begin(self) -> None:
        """Starts a round of reads; ``complete`` tells when all that were free have answered."""
        if self._users_wanted and self.gpus.slots:
            self._users_wanted = False
            # Here, because a machine without a GPU need not load it.
            from .sources.gpu.users import Users

            self._feeds.append(Users(self._roots, self.gpus))
        now = time.monotonic()
        self._readers = [reader for feed in self._feeds for reader in feed.readers(now)]
        self._round.begin(self._readers)

    def busy(self) -> bool:
        """Whether a read of the last round is still under way."""
        return any(reader.busy_since is not None for reader in self._readers)

    def snapshot(self) -> Snapshot:
        """The machine as far as it has answered, without an address."""
        return Snapshot(**self.values())

    def values(self) -> Values:
        """The fields of ``snapshot``."""
        now = time.monotonic()
        values: Values = {"time": clock()[:5]}
        events: List[Began] = []
        for feed in self._feeds:
            reading = feed.collect(now)
            values.update(reading.values)
            events += reading.events
        if events:
            events.sort(key=lambda began: began.at)
        values["events"] = tuple([began.event for began in events])
        return values

    def info(self) -> InfoLine:
        """The static facts, with the clock as it is now."""
        values: Values = {}
        for feed in self._feeds:
            values.update(feed.facts())
        return InfoLine(collector=__version__, **values)

    def doctor(self) -> List[Row]:
        """What every source found and could not read."""
        now = time.monotonic()
        return [row for feed in self._feeds for row in feed.doctor(now)]

    def acknowledge(self, seen: Optional[AbstractSet[Event]] = None) -> int:
        """Drops the events that are on and forgets lost cards; how many events there were.

        With ``seen`` only these, and the cards that they are about.
        """
        return sum(feed.acknowledge(seen) for feed in self._feeds)

    def close(self) -> None:
        """Lets all threads end that can."""
        for feed in self._feeds:
            feed.close()
