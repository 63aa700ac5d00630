"""Who uses the GPUs: of each the process with the most memory there, and how many others.

From the descriptors of all processes, AMD's compute driver, and what the cards' own threads learn from
NVIDIA's library. A thread of its own reads /proc: a driver that hangs may hang that as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import AbstractSet, List, Optional, Tuple

from inktop_protocol.model import Event, GpuUser

from ...files import Roots
from ...readers import Reader
from ..process_names import process_name
from ..source import Reading, Row, Values
from .fdinfo import Descriptors
from .kfd import Kfd
from .plausible import plausible
from .slots import USERS_EVERY_S, Slots
from .use import Use, Uses

#: An older answer is not shown.
STALE_S = 15.0
#: A process with less memory, which is not busy either, has only opened the card: a monitor.
LEAST_BYTES = 1 << 20


@dataclass(frozen=True)
class Answer:
    """What a scan found."""

    users: Tuple[GpuUser, ...]
    processes: int
    hidden: bool


class Users:
    """The top user of each GPU."""

    def __init__(self, roots: Roots, slots: Slots) -> None:
        self._roots = roots
        self._slots = slots
        self._descriptors = Descriptors(roots)
        self._kfd = Kfd(roots)
        self._reader = Reader("gpu users", self._scan)
        self._began_at = float("-inf")

    def _scan(self) -> Answer:
        places = self._slots.places()
        integrated = {place.identity: place.integrated for place in places}
        by_descriptor = self._descriptors.scan(integrated)
        by_kfd = self._kfd.scan()
        hidden = self._descriptors.hidden
        users: List[GpuUser] = []
        pids = set()
        for place in places:
            uses = dict(by_descriptor.get(place.identity, {}))
            merge(uses, by_kfd.get(place.identity, {}), computes=True)
            merge(uses, place.users or {}, computes=False)
            uses = {pid: use for pid, use in uses.items() if _counts(use)}
            pids |= set(uses)
            if uses:
                top = max(uses, key=lambda pid: _rank(pid, uses[pid]))
                # NVIDIA's library lists the processes of all users.
                others = None if hidden and place.users is None else len(uses) - 1
                users.append(self._user(place.index, top, uses[top], others))
        return Answer(tuple(users), len(pids), hidden)

    def _user(self, index: int, pid: int, use: Use, others: Optional[int]) -> GpuUser:
        name = process_name(self._roots, pid)
        return GpuUser(index, name, plausible("vram", use.vram_bytes), use.busy_percent, others)

    def readers(self, now: float) -> List[Reader]:
        """The thread, when a scan is due."""
        if not self._slots.slots or now - self._began_at < USERS_EVERY_S:
            return []
        self._began_at = now
        return [self._reader]

    def collect(self, now: float) -> Reading:
        """``gpu_users`` as of the last scan."""
        answer = self._answer(now)
        return Reading({"gpu_users": answer.users if answer else ()})

    def _answer(self, now: float) -> Optional[Answer]:
        answer = self._reader.value
        return answer if isinstance(answer, Answer) and self._reader.age(now) <= STALE_S else None

    def facts(self) -> Values:
        """Nothing."""
        return {}

    def doctor(self, now: float) -> List[Row]:
        """How many processes were found, and whether others hide."""
        answer = self._answer(now)
        if answer is None and not self._slots.slots:
            return []
        if answer is None:
            return [Row("gpu users", "no answer", "the scan of /proc hangs: `dmesg` may tell why")]
        found = f"{answer.processes} processes"
        note = "others are hidden: `inktop-collector install --see-processes` shows them"
        return [Row("gpu users", found, note if answer.hidden else "")]

    def acknowledge(self, seen: Optional[AbstractSet[Event]] = None) -> int:
        """Nothing to acknowledge."""
        return 0

    def close(self) -> None:
        """Lets the thread end once it can."""
        self._reader.stop()


def merge(uses: Uses, more: Uses, computes: bool) -> None:
    """Adds what another list says of the same card. ``computes``: that list's processes use it without
    an engine of theirs being counted, so that 0 % says nothing.
    """
    for pid, use in more.items():
        before = uses.get(pid, Use(None))
        sizes = [size for size in (before.vram_bytes, use.vram_bytes) if size is not None]
        busy = before.busy_percent if use.busy_percent is None else use.busy_percent
        uses[pid] = Use(max(sizes, default=None), None if computes and not busy else busy)


def _counts(use: Use) -> bool:
    return use.vram_bytes is None or use.vram_bytes >= LEAST_BYTES or bool(use.busy_percent)


def _rank(pid: int, use: Use) -> Tuple[int, int, int]:
    return use.vram_bytes or 0, use.busy_percent or 0, -pid
