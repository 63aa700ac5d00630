"""Network traffic: which interface counts, and its bytes per second.

The interface is that of the default route, even a bond or a bridge. Without such a route: one with
hardware of its own, and a virtual one only as a last resort, because it counts the same bytes again.
"""

from __future__ import annotations

import time
from typing import Dict, List, Optional, Tuple

from inktop_protocol.model import Network
from inktop_protocol.table import limits

from ..files import Roots, link_target, names_in
from ..interfaces import COPYING_NAMES, local_address
from ..log import Log, no_log
from .counter import Counter
from .source import Reading, Row, Source, Values

Counters = Tuple[int, int]

#: The default route is looked up again after this time, and at once when the interface is gone.
ROUTE_EVERY_S = 5.0
#: No port is faster than 800 Gbit/s: the counter is damaged.
MAX_BYTES_S = min(10**11, *limits("data", "w", "received_bytes_s")[1:])
#: A link's stated speed counts only beyond this factor: some drivers fetch their counters every other second,
#: and some virtual machines move more than their pretended link could.
LINK_FACTOR = 4
#: Below this rate no link is asked for its speed: some drivers take long to answer.
UNASKED_BYTES_S = 5_000_000
#: One Mbit/s, the unit of ``speed``, in bytes/s.
MBIT_BYTES_S = 125_000
RTF_UP, RTF_REJECT = 0x0001, 0x0200
#: Names that virtual devices have, for a folder of recorded files without a sysfs.
VIRTUAL_NAMES = [
    "veth",
    "docker",
    "br",
    "vmbr",
    "fwbr",
    "fwln",
    "fwpr",
    "vlan",
    "ovs",
    "cilium",
    "weave",
    "virbr",
    "vnet",
    "dummy",
    "tun",
    "tap",
    "wg",
    "bond",
    "ifb",
    "gre",
    "sit",
    "ip6",
    "tunl",
    "erspan",
    "cni",
    "flannel",
    "cali",
    "lxc",
    "lxd",
    "podman",
    "zt",
    "tailscale",
    "kube",
    "nodelocaldns",
    "vxlan",
    "macvtap",
    "team",
]


def parse_dev(data: bytes) -> Dict[str, Counters]:
    """(received, sent) bytes of every interface in /proc/net/dev.

    The counters follow the last colon: a name may hold one, and before a long counter there is no space.
    """
    found: Dict[str, Counters] = {}
    for line in data.splitlines():
        name, colon, rest = line.rpartition(b":")
        words = rest.split()
        if colon and len(words) >= 9:
            try:
                counters = (int(words[0]), int(words[8]))
            except ValueError:
                continue
            found[name.strip().decode("ascii", "replace")] = counters
    return found


def default_route(data: bytes) -> Optional[str]:
    """Interface of the IPv4 default route with the lowest metric (/proc/net/route)."""
    best: Optional[Tuple[int, str]] = None
    for line in data.splitlines()[1:]:
        words = line.split()
        if len(words) < 8 or words[1] != b"00000000" or words[7] != b"00000000":
            continue
        try:
            flags, metric = int(words[3], 16), int(words[6])
        except ValueError:
            continue
        if flags & RTF_UP and not flags & RTF_REJECT and words[0] != b"lo":
            route = (metric, words[0].decode("ascii", "replace"))
            if best is None or route[0] < best[0]:
                best = route
    return best[1] if best else None


def default_route6(data: bytes) -> Optional[str]:
    """Interface of the IPv6 default route with the lowest metric (/proc/net/ipv6_route)."""
    best: Optional[Tuple[int, str]] = None
    for line in data.splitlines():
        words = line.split()
        if len(words) < 10 or words[1] != b"00" or words[0].strip(b"0") or words[9] == b"lo":
            continue
        try:
            metric, flags = int(words[5], 16), int(words[8], 16)
        except ValueError:
            continue
        if flags & RTF_UP and not flags & RTF_REJECT:
            route = (metric, words[9].decode("ascii", "replace"))
            if best is None or route[0] < best[0]:
                best = route
    return best[1] if best else None


def counters_of(data: bytes, name: str) -> Optional[Counters]:
    """(received, sent) bytes of one interface in /proc/net/dev, ``None`` if it is not there."""
    mark = name.encode() + b":"
    at = data.find(mark)
    while at > 0 and data[at - 1] not in b" \n":  # the end of a longer name
        at = data.find(mark, at + 1)
    if at < 0:
        return None
    at += len(mark)
    # Up to the ninth number, in a line that has sixteen.
    words = data[at : data.find(b"\n", at)].split(None, 9)
    try:
        return int(words[0]), int(words[8])
    except (ValueError, IndexError):
        return None


class NetworkSource(Source):
    """Chooses the interface and remembers its last counters."""

    name = "network"

    def __init__(self, roots: Roots, interface: str = "", log: Log = no_log) -> None:
        self._roots = roots
        self._fixed = interface
        self._log = log
        self._dev = roots.proc("net/dev")
        self._route = roots.proc("net/route")
        self._route6 = roots.proc("net/ipv6_route")
        self._folder = f"{roots.sysfs}/class/net"
        #: The chosen interface, "" if there is none.
        self._name = ""
        self._received, self._sent = Counter(), Counter()
        self._fastest = MAX_BYTES_S
        self._fastest_at = -ROUTE_EVERY_S
        self._chosen_at = -ROUTE_EVERY_S

    def read(self) -> Reading:
        """``network``."""
        return Reading({"network": self.measure()})

    def base(self) -> Values:
        """Every machine has a place for a network."""
        return {"network": Network("-", None, None)}

    def doctor(self, reading: Reading) -> List[Row]:
        """The interface."""
        if self._name:
            found = f"{self._name}, {local_address(self._roots, self._name) or 'no address'}"
        else:
            found = "none"
        gone = False
        advice = "" if self._name else "no interface found: set one (interface = eth0), or bring one up"
        there = names_in(self._folder)
        if self._fixed and there and self._fixed not in there:
            gone = True
            advice = f"it is not there now: `interface` can be {', '.join(there)}"
        return [Row(self.name, found, advice, broken=gone)]

    def measure(self) -> Network:
        """Rates since the last call; unknown after a choice, and when a counter ran backwards."""
        data = self._dev.read_all()
        now = time.monotonic()
        counters = None
        if data is not None and self._name and now - self._chosen_at < ROUTE_EVERY_S:
            counters = counters_of(data, self._name)  # as nearly always: one line of many
        if counters is None:
            found = self._from_sysfs() if data is None else parse_dev(data)
            if self._name not in found or now - self._chosen_at >= ROUTE_EVERY_S:
                self._choose(found, now)
            counters = found.get(self._name)
        received, sent = counters or (None, None)
        return Network(
            self._name or "-",
            self._believed(self._received.rate(received, now), now),
            self._believed(self._sent.rate(sent, now), now),
        )

    def _believed(self, rate: Optional[float], now: float) -> Optional[int]:
        """A rate in whole bytes/s; ``None`` for one that the interface cannot have."""
        if rate is None:
            return None
        if rate > UNASKED_BYTES_S and now - self._fastest_at >= ROUTE_EVERY_S:
            self._fastest_at = now
            self._fastest = self._ask_fastest()
        value = int(rate + 0.5)
        return value if value <= UNASKED_BYTES_S or value <= self._fastest else None

    def _ask_fastest(self) -> int:
        folder = f"{self._folder}/{self._name}"
        # A virtual device makes its speed up: a tunnel says 10 Mbit/s.
        if "/virtual/" in link_target(folder):
            return MAX_BYTES_S
        mbit_s = self._roots.int_at(f"{folder}/speed")
        if mbit_s is None or mbit_s <= 0:
            return MAX_BYTES_S
        return min(MAX_BYTES_S, mbit_s * MBIT_BYTES_S * LINK_FACTOR)

    def _from_sysfs(self) -> Dict[str, Counters]:
        """The same from /sys/class/net, for a sandbox without /proc/net."""
        found: Dict[str, Counters] = {}
        for name in names_in(self._folder):
            received = self._roots.at(f"{self._folder}/{name}/statistics/rx_bytes")
            sent = self._roots.at(f"{self._folder}/{name}/statistics/tx_bytes")
            counters = (received.read_int(), sent.read_int())
            received.close()
            sent.close()
            if counters[0] is not None and counters[1] is not None:
                found[name] = (counters[0], counters[1])
        return found

    def _choose(self, found: Dict[str, Counters], now: float) -> None:
        self._chosen_at = now
        name = self._fixed or self._by_route(found) or ""
        if not name:
            if self._name in found:
                return  # nothing says otherwise: stay
            name = self._by_hardware(found)
        if name == self._name:
            return
        if self._name:
            gone = "" if self._name in found else " is gone"
            self._log(f"network: {self._name}{gone}, now {name or 'none'}")
        self._name = name
        self._received.forget()
        self._sent.forget()
        self._fastest_at = -ROUTE_EVERY_S

    def _by_route(self, found: Dict[str, Counters]) -> Optional[str]:
        name = default_route(self._route.read_all() or b"")
        if name is None or name not in found:
            name = default_route6(self._route6.read_all() or b"")
        return name if name in found else None

    def _by_hardware(self, found: Dict[str, Counters]) -> str:
        """The busiest device with hardware, else the busiest other one; never the loopback."""
        ranked: List[Tuple[int, int, str]] = []
        for name, counters in found.items():
            if name == "lo" or ":" in name:
                continue
            ranked.append((self._rank(name), -sum(counters), name))
        return min(ranked)[2] if ranked else ""

    def _rank(self, name: str) -> int:
        folder = f"{self._folder}/{name}"
        down = int(self._roots.at(f"{folder}/operstate").read_text() == "down")
        if names_in(f"{folder}/bonding"):
            return down  # a bond counts the bytes of its hardware once
        target = link_target(folder)
        if target:
            virtual = "/virtual/" in target
        else:
            # A dot is a VLAN of the device before it, which counts those bytes, too.
            virtual = "." in name or any(name.startswith(prefix) for prefix in VIRTUAL_NAMES)
        if not virtual:
            # Behind a bond the bond counts: a member sees only its part.
            return down + (2 if link_target(f"{folder}/master").rsplit("/", 1)[-1].startswith("bond") else 0)
        return 4 + down + (2 if any(name.startswith(prefix) for prefix in COPYING_NAMES) else 0)
