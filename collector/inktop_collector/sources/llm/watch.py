"""Watches one inference server, in a thread of its own: the line never waits for it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from time import monotonic
from typing import AbstractSet, Callable, Deque, Dict, List, Optional, Tuple
from urllib.parse import urlsplit

from inktop_protocol.model import Event, ModelServer

from ...readers import Reader, Round
from ..source import Reading, Row, Values
from .page import PageError, fetch, parse_page
from .servers import NAMES, Server, server_of

EVERY_S = 2.0
#: An older answer is not shown.
STALE_S = 10.0
#: Tokens a second are a mean of so long: a server counts some of them only once a request is done.
MEAN_S = 10.0
#: Its name while it has not said one.
UNNAMED = "model server"


@dataclass(frozen=True)
class Answer:
    """What the server said, or why not."""

    server: ModelServer
    problem: str = ""


class Watch:
    """The server at a URL."""

    def __init__(self, url: str, now: Callable[[], float] = monotonic) -> None:
        self.url = url
        self._parts = urlsplit(url)
        self._now = now
        self._name = UNNAMED
        self._reader = Reader("model server", self._read)
        self._began_at = float("-inf")
        #: Tokens generated and read, with the moment of each look.
        self._looks: Deque[Tuple[float, Dict[str, float]]] = deque()

    def _read(self) -> Answer:
        try:
            parts = parse_page(fetch(self._parts), NAMES)
        except PageError as problem:
            self._looks.clear()
            return Answer(ModelServer(self._name), str(problem))
        server = server_of(parts)
        if server is None:
            self._looks.clear()
            return Answer(ModelServer(self._name), "it has no metrics of a server that is known")
        self._name = server.name
        metrics = {name: sum(values) for name, values in parts.items()}
        self._looks.append((self._now(), metrics))
        while self._looks[-1][0] - self._looks[0][0] > MEAN_S:
            self._looks.popleft()
        caches = next((parts[name] for name in server.cache if name in parts), [])
        return Answer(
            ModelServer(
                server.name,
                _whole(metrics.get(server.running)),
                _whole(metrics.get(server.waiting)),
                self._rate(server, server.generated),
                self._rate(server, server.prompt),
                min(100, _whole(100 * max(0.0, *caches)) or 0) if caches else None,
            )
        )

    def _rate(self, server: Server, name: str) -> Optional[int]:
        (first_at, first), (last_at, last) = self._looks[0], self._looks[-1]
        if name not in first or name not in last or last_at <= first_at:
            return None
        if last[name] < first[name]:
            # It was started again: what it says now is the first look.
            while len(self._looks) > 1:
                self._looks.popleft()
            return None
        return _whole((last[name] - first[name]) / (last_at - first_at))

    def readers(self, now: float) -> List[Reader]:
        """Begins a look when one is due."""
        if now - self._began_at < EVERY_S or self._reader.busy_since is not None:
            return []
        self._began_at = now
        # In no round: the line does not wait for it.
        Round(lambda: None).begin([self._reader])
        return []

    def collect(self, now: float) -> Reading:
        """``model_server`` as of the last look; all unknown while the server does not answer."""
        return Reading({"model_server": self._answer(now).server})

    def _answer(self, now: float) -> Answer:
        answer = self._reader.value
        if isinstance(answer, Answer) and self._reader.age(now) <= STALE_S:
            return answer
        return Answer(ModelServer(self._name), "it has not answered yet" if answer is None else "it hangs")

    def facts(self) -> Values:
        """Nothing."""
        return {}

    def doctor(self, now: float) -> List[Row]:
        """Whether it answers."""
        answer = self._answer(now)
        title = "model server"
        if answer.problem:
            return [Row(title, self.url, f"{answer.problem}: does it run with its metrics on?", broken=True)]
        return [Row(title, f"{answer.server.name}, {self.url}")]

    def acknowledge(self, seen: Optional[AbstractSet[Event]] = None) -> int:
        """Nothing to acknowledge."""
        return 0

    def close(self) -> None:
        """Lets the thread end once it can."""
        self._reader.stop()


def _whole(value: Optional[float]) -> Optional[int]:
    return None if value is None else int(value + 0.5)
