"""The sample: asks all sources, each in its thread, and puts together what there is."""

from __future__ import annotations

import time
from typing import Callable, List, Optional, Union

from inktop_protocol.model import InfoLine, Snapshot

from . import __version__
from .clock import clock
from .config import Config
from .log import Log, no_log
from .readers import Reader, Round
from .sources.gpu.slots import Slots
from .sources.group import Group
from .sources.registry import make_sources
from .sources.source import Began, Row, Values
from .state import KnownGpus


class Sampler:
    """Begins rounds of reads and puts snapshots together. ``complete`` is called in any thread."""

    def __init__(
        self,
        config: Config,
        complete: Callable[[], None],
        known: Optional[KnownGpus] = None,
        log: Log = no_log,
    ) -> None:
        roots = config.roots()
        self._round = Round(complete)
        self.system = Group(make_sources(roots, config, log))
        self.gpus = Slots(roots, config, log, known)
        self._feeds: List[Union[Group, Slots]] = [self.system, self.gpus]
        self._readers: List[Reader] = []

    @property
    def host(self) -> str:
        """The host name as it was last read."""
        name: str = self.system.collect(time.monotonic()).values["host"]
        return name

    def begin(self) -> None:
        """Starts a round of reads; ``complete`` tells when all that were free have answered."""
        now = time.monotonic()
        self._readers = [reader for feed in self._feeds for reader in feed.readers(now)]
        self._round.begin(self._readers)

    def busy(self) -> bool:
        """Whether a read of the last round is still under way."""
        return any(reader.busy_since is not None for reader in self._readers)

    def snapshot(self) -> Snapshot:
        """The machine as far as it has answered, without an address."""
        now = time.monotonic()
        values: Values = {"time": clock()[:5]}
        events: List[Began] = []
        for feed in self._feeds:
            reading = feed.collect(now)
            values.update(reading.values)
            events += reading.events
        events.sort(key=lambda began: began.at)
        return Snapshot(**values, events=tuple(began.event for began in events))

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

    def acknowledge(self) -> int:
        """Drops the events that are on and forgets lost cards; how many events there were."""
        return sum(feed.acknowledge() for feed in self._feeds)

    def close(self) -> None:
        """Lets all threads end that can."""
        for feed in self._feeds:
            feed.close()
