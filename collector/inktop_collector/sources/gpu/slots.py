"""The slots of the GPUs on the board: which card has which, and what each says.

A slot is kept as long as the collector runs and, with a state directory, across restarts and reboots: a card
that has gone is lost, not forgotten, until it is back or acknowledged.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import AbstractSet, List, Optional, Sequence

from inktop_protocol.model import MAX_GPUS, Event, Gpu, GpuInfo

from ...config import Config
from ...files import Roots
from ...log import Log
from ...readers import STALE_S, Reader, Round
from ...state import KnownGpu, KnownGpus
from ..source import Began, Reading, Row, Values
from . import makers
from .card import Card, Found, Maker
from .makers import Cards, find_cards, guess_cards, present
from .states import SlotState
from .use import Uses

#: How often the list of cards is looked at.
SCAN_EVERY_S = 2.0
#: How long the start waits for the cards to say what they are.
FIRST_LOOK_S = 1.0
#: Static facts are read again after this: someone may have set another power cap.
FACTS_EVERY_S = 60.0
#: Who uses a card is asked again after this.
USERS_EVERY_S = 5.0
#: States of a card that is awake and tells its values.
WORKING = ("ok", "mig")


@dataclass(frozen=True)
class CardReading:
    """What the thread of a card answers."""

    gpu: Gpu
    info: GpuInfo
    #: ``None`` where its maker cannot tell.
    users: Optional[Uses] = None


@dataclass(frozen=True)
class Place:
    """A card at its place, for those who ask who uses it."""

    index: int
    identity: str
    integrated: bool
    users: Optional[Uses]


class CardReads:
    """The reads of one card, in its thread: its values each time, its facts and users now and then."""

    def __init__(self, card: Card, with_users: bool) -> None:
        self.card = card
        self._with_users = with_users
        self._users: Optional[Uses] = None
        self._users_at = 0.0
        self._info: Optional[GpuInfo] = None
        self._info_at = 0.0
        self._state = ""

    def read(self) -> CardReading:
        """One reading."""
        gpu = self.card.read()
        now = time.monotonic()
        awake = gpu.state in WORKING
        due = self._state not in WORKING or now - self._info_at >= FACTS_EVERY_S
        if self._info is None or (awake and due):
            self._info_at = now
            self._info = self.card.facts()
        if self._with_users and now - self._users_at >= USERS_EVERY_S:
            self._users_at = now
            self._users = self.card.users() if awake else None
        self._state = gpu.state
        return CardReading(gpu, self._info, self._users)


class Slot:
    """One GPU's slot on the board."""

    def __init__(self, index: int, identity: str, name: str, integrated: bool) -> None:
        self.index = index
        self.identity = identity
        self.name = name
        self.integrated = integrated
        self.state = SlotState(index)
        #: The state that the log has last.
        self.logged = self.state.name
        self.info: Optional[GpuInfo] = None
        #: The card that has it now; without one it was lost.
        self.found: Optional[Found] = None
        self.card: Optional[Card] = None
        self.reader: Optional[Reader] = None
        #: Acknowledged after its card was lost: the slot stays empty.
        self.forgotten = False
        #: The reader of a card that went while its read hung. No other is started before it is back:
        #: a card that comes and goes would leave a thread behind each time.
        self._left: Optional[Reader] = None

    def attach(self, roots: Roots, found: Found, maker: Maker, with_users: bool) -> None:
        """Gives it to a card."""
        self._stop()
        self.found = found
        self.integrated = found.integrated
        self.card = maker.open(roots, found, self.index)
        self.reader = Reader(f"gpu {found.identity}", CardReads(self.card, with_users).read)
        self.state.lost_at = 0

    def detach(self) -> None:
        """Its card is gone."""
        self._stop()
        self.found = self.card = self.reader = None
        self.state.lose()

    def _stop(self) -> None:
        if self.reader is not None:
            self.reader.stop()
            if self.reader.busy_since is not None:
                self._left = self.reader

    def ready(self) -> Optional[Reader]:
        """The reader to be asked, ``None`` if there is none, or an older read still hangs."""
        if self._left is not None and self._left.busy_since is None:
            self._left = None
        return self.reader if self._left is None else None

    close = _stop

    def is_gone(self, keys: Sequence[str]) -> bool:
        """Whether its card is no longer among these devices."""
        return self.found is not None and self.found.key not in keys

    def hangs(self, now: float) -> bool:
        """Whether a read of it hangs."""
        reader = self._left or self.reader
        return reader is not None and reader.hung(now)

    def collect(self, now: float) -> Gpu:
        """What the line says of it now."""
        if self.reader is None:
            return Gpu(self.index, state="lost")
        if self.hangs(now):
            self.state.become("stale")
            return Gpu(self.index, state="stale")
        reading = self.reader.value
        if not isinstance(reading, CardReading) or self.reader.age(now) > STALE_S:
            return Gpu(self.index, state=self.state.name)
        self.info = reading.info
        self.name = reading.info.name
        if reading.gpu.state == "lost":
            if self.state.name != "lost":
                self.state.lose()
            return Gpu(self.index, state="lost")
        self.state.become(reading.gpu.state)
        return reading.gpu

    def doctor(self, now: float) -> List[Row]:
        """A row for the card, and one for each value that cannot be read."""
        title, name = f"gpu {self.index}", f"{self.name}, {self.identity}"
        if self.reader is None or self.card is None:
            advice = "it was here and is gone: check its slot and power; `inktop-collector ack` forgets it"
            return [Row(title, name, f"lost: {advice}", broken=True)]
        if self.hangs(now):
            return [Row(title, name, "stale: a read hangs in the kernel: `dmesg` tells why", broken=True)]
        if self.state.name == "lost":
            return [Row(title, name, "lost: it does not answer on the bus: `dmesg` tells why", broken=True)]
        healthy = (*WORKING, "asleep")
        rows = [Row(title, name, self.state.name, broken=self.state.name not in healthy)]
        if self.state.name == "asleep":
            return rows
        checks = self.card.doctor()
        read = ", ".join(check.what for check in checks if not check.found)
        rows.append(Row("  read", read or "nothing"))
        return rows + [Row(f"  {c.what}", c.found, c.note) for c in checks if c.found]


class Slots:
    """All slots. Used from one thread; the cards are read in their own."""

    def __init__(self, roots: Roots, config: Config, log: Log, known: Optional[KnownGpus] = None) -> None:
        self._roots = roots
        self._config = config
        self._log = log
        self._known = known
        self._scanned_at = time.monotonic()
        self._keys: Sequence[str] = ()
        # Even reading a card's name may hang while its driver is stuck.
        self._scanner = Reader("gpus", self._find)
        self._seen: object = None
        #: Whether a device came that no look at the cards has begun after.
        self._unlooked = False
        self.slots: List[Slot] = []
        #: Whether the list of cards could be read since the start.
        self._settled = False
        self._begin(self._present())

    # -- who has which slot --

    def _present(self) -> Optional[List[str]]:
        """Keys of the devices that are there, ``None`` if that cannot be known now."""
        try:
            return present(self._roots)
        except OSError:  # no more files may be opened: that says nothing of a card
            return None

    def _find(self) -> object:
        try:
            return find_cards(self._roots, self._config.gpu_order)
        except OSError:
            return self._seen

    def _begin(self, keys: Optional[List[str]]) -> None:
        if keys is None:
            return
        self._settled = True
        self._keys = keys
        self._settle(self._first_look() if keys else [])

    def _first_look(self) -> Cards:
        answered = threading.Event()
        Round(answered.set).begin([self._scanner])
        answered.wait(FIRST_LOOK_S)
        self._seen = self._scanner.value
        if isinstance(self._seen, list):
            return self._shown(self._seen)
        try:
            return self._shown(guess_cards(self._roots, self._config.gpu_order))
        except OSError:
            return []

    def _shown(self, cards: Cards) -> Cards:
        return [card for card in cards if card[0].identity not in self._config.gpu_hidden]

    def _settle(self, cards: Cards) -> None:
        """At the start: the slots of the last run, if there was one, then the cards that are new."""
        there = {found.identity: (found, maker) for found, maker in cards}
        known = self._known.load() if self._known else []
        known = [k for k in known if k.identity not in self._config.gpu_hidden]
        new = [card for card in cards if card[0].identity not in [k.identity for k in known]]
        if all(k.identity in there for k in known) and (new or self._config.gpu_order):
            # Nothing is missing. Something new means that the machine was rebuilt, and the order
            # starts afresh; a configured order goes before the remembered one.
            known, new = [], cards
        for k in known:
            slot = Slot(len(self.slots), k.identity, k.name, k.integrated)
            self.slots.append(slot)
            if k.identity in there:
                slot.attach(self._roots, *there[k.identity], self._config.gpu_users)
            else:
                slot.state.miss(k.lost_at)
        for found, maker in new:
            self._append(found, maker)
        self._remember()

    def _append(self, found: Found, maker: Maker) -> None:
        slot = Slot(len(self.slots), found.identity, found.key, found.integrated)
        self.slots.append(slot)
        slot.attach(self._roots, found, maker, self._config.gpu_users)

    def _scan(self, now: float) -> None:
        """Looks for cards that came or went, every two seconds."""
        seen = self._scanner.value
        if seen is not self._seen and isinstance(seen, list):
            self._seen = seen
            self._take_in(self._shown(seen))
        if now - self._scanned_at < SCAN_EVERY_S:
            return
        self._scanned_at = now
        keys = self._present()
        if keys is None:
            return
        if not self._settled:
            self._begin(keys)
            return
        for slot in self.slots:
            if slot.is_gone(keys):
                slot.detach()
        # The list of keys is cheap, a look at every card is not: only when there may be something new.
        if set(keys) - set(self._keys):
            self._unlooked = True
        lost = keys and any(slot.state.name == "lost" for slot in self.slots)
        self._keys = keys
        if (self._unlooked or lost) and self._scanner.busy_since is None:
            self._unlooked = False
            Round(lambda: None).begin([self._scanner])

    def _take_in(self, cards: Cards) -> None:
        for found, maker in cards:
            if found.key not in self._keys:
                continue  # gone again since
            slot = next((s for s in self.slots if s.identity == found.identity and not s.forgotten), None)
            if slot is None:
                self._log(f"gpu: {found.identity} is new ({found.key})")
                self._append(found, maker)
            elif slot.found is None or slot.found.key != found.key:
                slot.attach(self._roots, found, maker, self._config.gpu_users)

    def _remember(self) -> None:
        if self._known is not None:
            self._known.save(
                [
                    KnownGpu(slot.identity, slot.name, slot.integrated, slot.state.lost_at)
                    for slot in self.slots
                    if not slot.forgotten
                ]
            )

    # -- what they say --

    def readers(self, now: float) -> List[Reader]:
        """The threads to be asked in this round."""
        self._scan(now)
        return [reader for reader in (slot.ready() for slot in self.slots) if reader is not None]

    def collect(self, now: float) -> Reading:
        """``gpus`` as they are now, and their events."""
        shown = self._on_the_line()
        gpus = tuple(slot.collect(now) for slot in shown)
        self._log_changes()
        self._remember()
        events: List[Began] = []
        for slot in self.slots:
            events += slot.state.events(now)
        return Reading({"gpus": gpus}, tuple(events))

    def places(self) -> List[Place]:
        """The cards that are there. May be called in any thread."""
        found = []
        for slot in self._on_the_line():
            reader = slot.reader
            if reader is not None:
                users = reader.value.users if isinstance(reader.value, CardReading) else None
                found.append(Place(slot.index, slot.identity, slot.integrated, users))
        return found

    def _on_the_line(self) -> List[Slot]:
        return [slot for slot in self.slots if not slot.forgotten and slot.index < MAX_GPUS]

    def _log_changes(self) -> None:
        for slot in self.slots:
            old, slot.logged = slot.logged, slot.state.name
            if old != slot.logged and {old, slot.logged} != {"ok", "asleep"}:
                self._log(f"gpu{slot.index} {slot.identity} ({slot.name}): {old} -> {slot.logged}")

    def facts(self) -> Values:
        """``gpus`` of the info line."""
        return {"gpus": tuple(self._info(slot) for slot in self._on_the_line())}

    def _info(self, slot: Slot) -> GpuInfo:
        info = slot.info
        if info is None:
            pci = slot.identity if ":" in slot.identity else None
            info = GpuInfo(slot.index, slot.name, pci)
        name = self._config.gpu_names.get(slot.identity)
        return replace(info, name=name) if name else info

    def doctor(self, now: float) -> List[Row]:
        """Rows of every slot, and what keeps more cards from being found."""
        rows = [row for slot in self.slots for row in slot.doctor(now)]
        return rows + makers.doctor(self._roots, bool(self.slots))

    def acknowledge(self, seen: Optional[AbstractSet[Event]] = None) -> int:
        """Drops events, all or those in ``seen``; how many. A card whose loss is known is forgotten."""
        count = 0
        keys = self._present()
        for slot in self.slots:
            if slot.state.name == "lost" and keys is not None and slot.is_gone(keys):
                slot.detach()  # its reads have noticed, the scan has not yet
            count += slot.state.acknowledge(seen)
            if slot.state.name == "lost" and slot.reader is None and not slot.state.lost_unseen:
                slot.forgotten = True
        self._remember()
        return count

    def close(self) -> None:
        """Lets all threads end that can."""
        self._scanner.stop()
        for slot in self.slots:
            slot.close()
