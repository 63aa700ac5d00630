"""Who uses a GPU, from the descriptors of all processes (Documentation/gpu/drm-usage-stats).

A look at every descriptor would cost more than the whole line. So a scan reads again those that are
known to be a GPU's, and as many others as it may: the processes that were not looked at for the
longest time, new ones first.
"""

from __future__ import annotations

import errno
import time
from dataclasses import dataclass, field
from typing import Callable, Dict, List, Optional, Set, Tuple

from ...files import File, Roots, names_in, names_or_error
from .use import Use, Uses

#: Descriptors that a scan looks at besides those of known clients, and known clients that it reads.
MAX_LOOKS = 250
MAX_CLIENTS = 150
UNITS = {b"KiB": 1 << 10, b"MiB": 1 << 20, b"": 1}
#: Regions of a card's own memory: amdgpu and xe, i915.
OWN = (b"vram", b"local")
#: The keys of a client's memory, the best first: what is resident now, all that it asked for.
SIZES = (b"drm-resident-", b"drm-memory-", b"drm-total-")


@dataclass
class Client:
    """What one descriptor says."""

    pci: str
    number: bytes
    own_bytes: int = 0
    shared_bytes: int = 0
    #: Of each engine: how long it worked for the client, and the time that this is a share of.
    engines: Dict[bytes, Tuple[int, Optional[int]]] = field(default_factory=dict)


def parse_fdinfo(data: bytes) -> Optional[Client]:
    """The client behind a descriptor; ``None`` if it is not a GPU's."""
    if b"drm-client-id:" not in data:
        return None
    said = {}
    for line in data.split(b"\n"):
        if line.startswith(b"drm-"):
            key, _, value = line.partition(b":")
            said[key] = value.split()
    try:
        client = Client(said[b"drm-pdev"][0].decode("ascii").lower(), said[b"drm-client-id"][0])
        for key, words in said.items():
            if key.startswith(b"drm-engine-") and not key.startswith(b"drm-engine-capacity-"):
                capacity = int(said.get(b"drm-engine-capacity-" + key[11:], [b"1"])[0]) or 1
                client.engines[key[11:]] = int(words[0]) // capacity, None
            elif key.startswith(b"drm-cycles-"):
                client.engines[key[11:]] = int(words[0]), int(said[b"drm-total-cycles-" + key[11:]][0])
        client.own_bytes = _size(said, OWN)
        client.shared_bytes = _size(said, (b"gtt", b"system"))
    except (KeyError, IndexError, ValueError):
        return None
    return client


def _size(said: Dict[bytes, List[bytes]], regions: Tuple[bytes, ...]) -> int:
    for prefix in SIZES:
        sizes = [
            int(words[0]) * UNITS[b"".join(words[1:2])]
            for key, words in said.items()
            if key.startswith(tuple(prefix + region for region in regions))
        ]
        if sizes:
            return sum(sizes)
    return 0


def busy_percent(before: Client, now: Client, passed_ns: int) -> int:
    """The share of its busiest engine."""
    shares = [0]
    for engine, (worked, total) in now.engines.items():
        worked_before, total_before = before.engines.get(engine, (worked, total))
        all_of_it = passed_ns if total is None or total_before is None else total - total_before
        if all_of_it > 0:
            shares.append(100 * (worked - worked_before) // all_of_it)
    return min(100, max(shares))


class Descriptors:
    """The descriptors of all processes, from scan to scan."""

    def __init__(self, roots: Roots, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._roots = roots
        self._now_ns = now_ns
        self._scans = 0
        #: Number of the scan that looked at a process last.
        self._looked: Dict[int, int] = {}
        #: Where each client was found, what it said, and when.
        self._clients: Dict[Tuple[str, bytes], Tuple[int, str, Client, int]] = {}
        self._denied: Set[int] = set()
        #: Whether some processes hide theirs: from this user, or as a whole (hidepid=, ProtectProc=).
        self.hidden = False

    def scan(self, integrated: Dict[str, bool]) -> Dict[str, Uses]:
        """By PCI address, of the cards in ``integrated``: those share the machine's memory or do not."""
        self._scans += 1
        pids = {int(name) for name in names_in(self._roots.procfs) if name.isdigit()}
        self._denied &= pids
        self._looked = {pid: at for pid, at in self._looked.items() if pid in pids}
        found: Dict[str, Uses] = {}
        known, self._clients = self._clients, {}
        for pid, name, _, _ in list(known.values())[:MAX_CLIENTS]:
            if pid in pids:
                self._read(pid, name, known, found, integrated)
        looks = 0
        for pid in sorted(pids, key=lambda pid: self._looked.get(pid, -1)):
            if looks >= MAX_LOOKS:
                break
            self._looked[pid] = self._scans
            names, error = names_or_error(f"{self._roots.procfs}/{pid}/fdinfo")
            looks += 1 + len(names)
            self._denied.discard(pid)
            if error in (errno.EACCES, errno.EPERM):
                self._denied.add(pid)
            for name in names[:MAX_LOOKS]:
                self._read(pid, name, known, found, integrated)
        self.hidden = bool(self._denied) or 1 not in pids
        return found

    def _read(
        self,
        pid: int,
        name: str,
        known: Dict[Tuple[str, bytes], Tuple[int, str, Client, int]],
        found: Dict[str, Uses],
        integrated: Dict[str, bool],
    ) -> None:
        file = File(f"{self._roots.procfs}/{pid}/fdinfo/{name}", self._roots.procfs_live)
        data = file.read()
        file.close()
        client = parse_fdinfo(data) if data else None
        if client is None or client.pci not in integrated:
            return
        key = client.pci, client.number
        if key in self._clients:
            return  # a copy of the same descriptor
        now = self._now_ns()
        self._clients[key] = pid, name, client, now
        vram = client.own_bytes + (client.shared_bytes if integrated[client.pci] else 0)
        busy: Optional[int] = None
        if key in known and client.engines:
            busy = busy_percent(known[key][2], client, now - known[key][3])
        uses = found.setdefault(client.pci, {})
        before = uses.get(pid, Use(0))
        if before.busy_percent is not None:
            busy = min(100, before.busy_percent + (busy or 0))
        uses[pid] = Use((before.vram_bytes or 0) + vram, busy)
