"""Owns the places of the GPUs on the board: which card has which, what state it is in, and its
events.

A place is kept as long as the collector runs, and, with a state directory, across restarts and
reboots: a card
that was there and is not is LOST, not forgotten, until it is back or somebody acknowledges it.
"""

from __future__ import annotations

import _thread
import time

from inktop_protocol.model import MAX_GPUS, Event, Gpu, GpuInfo

from .files import Roots
from .readers import Reader, Round
from .sources.gpu import CardPlace, GpuFacts, GpuValues, card_names, find_cards, find_linked_cards, order_key
from .sources.gpu_amd import AmdCard
from .sources.gpu_intel import IntelCard
from .sources.host import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, List, Optional, Tuple, Union

    from .state import KnownGpus

#: A read that takes longer than this makes its card stale; values older than this are not shown.
STALE_S = 3.0
#: How often the folder of cards is looked at.
SCAN_EVERY_S = 2.0
#: How long the start waits for the cards to say what they are.
FIRST_LOOK_S = 1.0
#: What does not change is asked again after this: somebody may have set another power cap.
FACTS_EVERY_S = 60.0
#: How long an event that is over stays on the board.
EVENT_STANDS_S = 600.0
#: A card that turns up this soon after the start was late (its driver was loading), and not lost.
LATE_S = 120.0


class CardReading:
    """What the thread of a card answers."""

    __slots__ = ("values", "facts")

    def __init__(self, values: GpuValues, facts: GpuFacts) -> None:
        self.values = values
        self.facts = facts


class CardsSeen:
    """What the scanner answers."""

    __slots__ = ("cards",)

    def __init__(self, cards: List[CardPlace]) -> None:
        self.cards = cards


class CardSource:
    """A card's reads, in its thread: its values each time, its facts now and then."""

    def __init__(self, card: Union[AmdCard, IntelCard]) -> None:
        self.card = card
        self._facts: Optional[GpuFacts] = None
        self._facts_at = 0.0
        self._state = ""

    def read(self) -> CardReading:
        """One reading."""
        values = self.card.read()
        now = time.monotonic()
        waking = values.state == "ok" and self._state != "ok"
        if self._facts is None or waking or (values.state == "ok" and now - self._facts_at >= FACTS_EVERY_S):
            self._facts_at = now
            self._facts = self.card.facts()
        self._state = values.state
        return CardReading(values, self._facts)


class Standing:
    """An event on the board. ``until``: monotonic seconds, ``None`` while its cause lasts."""

    __slots__ = ("what", "time", "began", "until")

    def __init__(self, what: str, clock_text: str, began: float, until: Optional[float]) -> None:
        self.what = what
        self.time = clock_text
        self.began = began
        self.until = until


class Place:
    """One GPU's place."""

    def __init__(self, index: int, identity: str, name: str, integrated: bool) -> None:
        self.index = index
        self.identity = identity
        self.name = name
        self.integrated = integrated
        self.card = ""
        self.reader: Optional[Reader] = None
        self.source: Optional[CardSource] = None
        self.state = "ok"
        #: Epoch seconds at which it was lost, 0 if it is there.
        self.lost_at = 0
        self.lost_since_start = False
        self.forgotten = False
        self.events: Dict[str, Standing] = {}
        self.facts: Optional[GpuFacts] = None


class Gpus:
    """All places. Used from one thread; the cards are read in their own."""

    def __init__(
        self,
        roots: Roots,
        order: Tuple[str, ...] = (),
        names: Optional[Dict[str, str]] = None,
        hidden: Tuple[str, ...] = (),
        known: Optional[KnownGpus] = None,
        log: Optional[Callable[[str], None]] = None,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._roots = roots
        self._order = list(order)
        self._names = names or {}
        self._hidden = hidden
        self._known = known
        self._log = log or (lambda text: None)
        self._monotonic = monotonic
        self._wall = wall
        self._started = monotonic()
        self._scanned_at = self._started
        self._listing: Optional[List[str]] = None
        self._scanner = Reader("gpus", self._look)
        self._seen: object = None
        self.places: List[Place] = []
        self._settle_places()

    # -- places --

    def _settle_places(self) -> None:
        """At the start: the places of the last run first, if there was one, then the cards that are
        new.
        """
        present = self._first_look()
        by_identity = {card.identity: card for card in present}
        remembered = self._known.load() if self._known else []
        remembered = [k for k in remembered if k.identity not in self._hidden]
        fresh = [c for c in present if c.identity not in {k.identity for k in remembered}]
        if fresh and all(k.identity in by_identity for k in remembered):
            # Nothing is missing and something is new: the machine was rebuilt, so is the order.
            remembered, fresh = [], present
        elif self._order and all(k.identity in by_identity for k in remembered):
            remembered, fresh = [], present  # the configured order holds over the remembered one
        for k in remembered:
            place = Place(len(self.places), k.identity, k.name, k.integrated)
            self.places.append(place)
            card = by_identity.get(k.identity)
            if card is not None:
                self._attach(place, card)
            else:
                place.lost_since_start = not k.lost_at
                self._lose(place, k.lost_at or int(self._wall()))
        for card in fresh:
            self._append(card)
        self._remember()

    def _look(self) -> CardsSeen:
        """All cards, in the scanner's thread: while a driver is stuck, even asking for a name may hang."""
        return CardsSeen(find_cards(self._roots))

    def _first_look(self) -> List[CardPlace]:
        self._listing = card_names(self._roots)
        if not self._listing:
            return []
        answered = _thread.allocate_lock()
        answered.acquire()
        Round(answered.release).begin([self._scanner])
        answered.acquire(timeout=FIRST_LOOK_S)
        seen = self._scanner.value
        # Without an answer the links must do: they are the kernel's own and never hang.
        cards = seen.cards if isinstance(seen, CardsSeen) else find_linked_cards(self._roots)
        self._seen = seen
        return self._in_order(cards)

    def _in_order(self, cards: List[CardPlace]) -> List[CardPlace]:
        shown = [card for card in cards if card.identity not in self._hidden]
        return sorted(shown, key=lambda card: order_key(card, self._order))

    def _append(self, card: CardPlace) -> None:
        place = Place(len(self.places), card.identity, card.card, card.integrated)
        self.places.append(place)
        self._attach(place, card)

    def _attach(self, place: Place, card: CardPlace) -> None:
        kind = AmdCard if card.driver == "amd" else IntelCard
        source = CardSource(kind(self._roots, card.folder))
        if place.reader is not None:
            place.reader.stop()
        place.card = card.card
        place.integrated = card.integrated
        place.source = source
        place.reader = Reader(f"gpu {card.identity}", source.read)
        place.lost_at = 0

    def scan(self, now: float) -> None:
        """Looks for cards that came or went, every two seconds. Call it once a line."""
        seen = self._scanner.value
        if seen is not self._seen and isinstance(seen, CardsSeen):
            self._seen = seen
            if self._take_in(self._in_order(seen.cards)):
                self._remember()
        if now - self._scanned_at < SCAN_EVERY_S:
            return
        self._scanned_at = now
        listing = card_names(self._roots)
        gone = [p for p in self.places if p.reader is not None and p.card not in listing]
        for place in gone:
            self._detach(place)
        if gone:
            self._remember()
        lost = [p for p in self.places if p.reader is None or p.state == "lost"]
        # The listing is cheap, a look at every card is not: only when there may be something new.
        look = set(listing) - set(self._listing or ()) or (lost and listing)
        self._listing = listing
        if look and self._scanner.busy_since is None:
            Round(lambda: None).begin([self._scanner])

    def _take_in(self, cards: List[CardPlace]) -> bool:
        changed = False
        for card in cards:
            if card.card not in (self._listing or ()):
                continue  # gone again since
            places = [p for p in self.places if p.identity == card.identity and not p.forgotten]
            if not places:
                self._log(f"gpu: {card.identity} is new ({card.card})")
                self._append(card)
                changed = True
            elif places[0].reader is None or places[0].card != card.card:
                self._attach(places[0], card)
                changed = True
        return changed

    def _detach(self, place: Place) -> None:
        if place.reader is not None:
            place.reader.stop()
        place.reader = None
        self._lose(place, int(self._wall()))

    def _lose(self, place: Place, lost_at: int) -> None:
        place.lost_at = lost_at
        self._become(place, "lost")

    def _remember(self) -> None:
        if self._known is not None:
            self._known.save([p for p in self.places if not p.forgotten])

    # -- readings --

    def readers(self) -> List[Reader]:
        """The threads to be asked this round."""
        return [p.reader for p in self.places if p.reader is not None]

    def collect(self, now: float) -> Tuple[Gpu, ...]:
        """All places as they are now."""
        return tuple(self._collect(p, now) for p in self.places if not p.forgotten and p.index < MAX_GPUS)

    def _collect(self, place: Place, now: float) -> Gpu:
        reader = place.reader
        if reader is None:
            return Gpu(place.index, state="lost")
        reading = reader.value
        if reader.hung(now, STALE_S):
            self._become(place, "stale")
            return Gpu(place.index, state="stale")
        if not isinstance(reading, CardReading) or reader.age(now) > STALE_S:
            return Gpu(place.index, state=place.state)
        place.facts = reading.facts
        if place.name != reading.facts.name:
            place.name = reading.facts.name
            self._remember()
        v = reading.values
        if v.state == "lost" and place.state != "lost":
            self._lose(place, int(self._wall()))
            self._remember()
        elif v.state != place.state:
            self._become(place, v.state)
        if v.state == "lost":
            return Gpu(place.index, state="lost")
        return Gpu(
            place.index,
            v.busy_percent,
            v.vram_used_mib,
            v.vram_total_mib,
            v.edge_c,
            v.junction_c,
            v.memory_c,
            v.power_w,
            v.fan_rpm,
            v.core_clock_mhz,
            v.memory_clock_mhz,
            v.fan_percent,
            v.state,
        )

    def infos(self) -> Tuple[GpuInfo, ...]:
        """The facts of all places."""
        found = []
        for place in self.places:
            if place.forgotten or place.index >= MAX_GPUS:
                continue
            facts = place.facts or GpuFacts(place.name)
            found.append(
                GpuInfo(
                    place.index,
                    self._names.get(place.identity) or facts.name,
                    place.identity if ":" in place.identity else None,
                    facts.power_cap_w,
                    facts.edge_critical_c,
                    facts.junction_critical_c,
                    facts.memory_critical_c,
                )
            )
        return tuple(found)

    # -- states and events --

    def _become(self, place: Place, state: str) -> None:
        before, place.state = place.state, state
        if before == state:
            return
        now = self._monotonic()
        events = place.events
        if before == "lost":
            events.pop("lost", None)
            place.lost_at = 0
            late = place.lost_since_start and now - self._started < LATE_S
            if not late:
                events["back"] = Standing("back", clock(self._wall()), now, now + EVENT_STANDS_S)
            place.lost_since_start = False
            self._remember()
        if before == "reset" and "reset" in events:
            events["reset"].until = now + EVENT_STANDS_S
        if before == "stale":
            events.pop("stale", None)
        if state == "lost":
            events.pop("back", None)
            events["lost"] = Standing("lost", clock(place.lost_at), now, None)
        elif state in ("reset", "stale"):
            events[state] = Standing(state, clock(self._wall()), now, None)
        if "ok" not in (before, state) or "asleep" not in (before, state):
            self._log(f"gpu{place.index} {place.identity} ({place.name}): {before} -> {state}")

    def events(self, now: float) -> List[Tuple[float, Event]]:
        """Standing events with the moment each began (monotonic); drops those that are over."""
        standing = []
        for place in self.places:
            for what, event in list(place.events.items()):
                if event.until is not None and now >= event.until:
                    del place.events[what]
                else:
                    standing.append((event.began, Event(f"gpu{place.index}", what, event.time)))
        return standing

    def acknowledge(self) -> int:
        """Forgets cards that are lost and drops events; how many of them there were."""
        count = 0
        listing = card_names(self._roots)
        for place in self.places:
            if place.state == "lost" and place.reader is not None and place.card not in listing:
                self._detach(place)  # seen by its reads, not yet by a scan
            count += len(place.events)
            keep = place.events.get("stale") if place.state == "stale" else None
            place.events = {"stale": keep} if keep else {}
            if place.state == "lost" and place.reader is None and not place.forgotten:
                place.forgotten = True
        self._remember()
        return count

    def close(self) -> None:
        """Lets all threads end that can."""
        self._scanner.stop()
        for place in self.places:
            if place.reader is not None:
                place.reader.stop()
