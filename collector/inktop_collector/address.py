"""Owns addresses: those of this machine, and which of them may connect.

No connection is made to find one out: on an isolated network that fails, and on an IPv6-only one,
too.
"""

from __future__ import annotations

import socket
import struct

from .files import Roots, names_in
from .sources.network import COPYING_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Optional, Tuple

SIOCGIFADDR, SIOCGIFBRDADDR, SIOCGIFFLAGS = 0x8915, 0x8919, 0x8913
IFF_UP, IFF_BROADCAST, IFF_LOOPBACK, IFF_POINTOPOINT = 0x1, 0x2, 0x8, 0x10
#: ``::ffff:0:0/96``: an IPv4 address on an IPv6 socket.
MAPPED = b"\0" * 10 + b"\xff\xff"
#: Networks that may connect out of the box, by the names that they have in the configuration.
NAMED_NETWORKS = {
    "loopback": ("127.0.0.0/8", "::1/128"),
    "private": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),
    "link-local": ("169.254.0.0/16", "fe80::/10"),
    "ula": ("fc00::/7",),
    "cgnat": ("100.64.0.0/10",),
    "any": ("0.0.0.0/0", "::/0"),
}
DEFAULT_ALLOW = ("loopback", "private", "link-local", "ula", "cgnat")


def packed(address: str) -> Optional[bytes]:
    """An address as 4 or 16 bytes, an IPv4-mapped one as 4; ``None`` if it is none."""
    text = address.partition("%")[0]
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            raw = socket.inet_pton(family, text)
        except (OSError, ValueError):
            continue
        return raw[12:] if raw[:12] == MAPPED else raw
    return None


class Networks:
    """A list of networks that an address may be in.

    ``ValueError`` names the entry that is none.
    """

    def __init__(self, entries: Tuple[str, ...]) -> None:
        self._networks: List[Tuple[int, int, int]] = []
        for entry in entries:
            for text in NAMED_NETWORKS.get(entry, (entry,)):
                self._networks.append(_network(text))

    def __contains__(self, address: str) -> bool:
        raw = packed(address)
        if raw is None:
            return False
        value, bits = int.from_bytes(raw, "big"), len(raw) * 8
        return any(
            size == bits and value >> (bits - prefix) == network for size, prefix, network in self._networks
        )


def _network(text: str) -> Tuple[int, int, int]:
    """(bits of an address, bits of the network, the network's bits)."""
    address, slash, length = text.partition("/")
    raw = packed(address) if address else None
    if raw is None:
        names = ", ".join(NAMED_NETWORKS)
        raise ValueError(f"{text!r} is no network: write an address, address/bits, or one of {names}")
    bits = len(raw) * 8
    if slash and ":" in address and bits == 32:
        raise ValueError(f"{text!r}: write an IPv4-mapped network as IPv4")
    if slash and not (length.isdigit() and int(length) <= bits):
        raise ValueError(f"{text!r}: the length of the network must be 0 to {bits}")
    prefix = int(length) if slash else bits
    value = int.from_bytes(raw, "big")
    network = value >> (bits - prefix)
    if network << (bits - prefix) != value:
        raise ValueError(f"{text!r} has bits outside its network: was {address}/{bits} meant?")
    return bits, prefix, network


def plain(address: str) -> str:
    """An address as it is written in a line: no zone, an IPv4-mapped one as IPv4."""
    text = address.partition("%")[0]
    if text.lower().startswith("::ffff:") and "." in text:
        return text[7:]
    return text


def interface_address(name: str) -> Optional[str]:
    """The IPv4 address of an interface of this machine."""
    return _ask(name, SIOCGIFADDR)


def _ask(name: str, request: int) -> Optional[str]:
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as asking:
        try:
            answer = fcntl.ioctl(asking, request, struct.pack("256s", name.encode()[:15]))
        except OSError:
            return None
    return socket.inet_ntoa(answer[20:24])


def interface_flags(name: str) -> int:
    """IFF_… flags of an interface, 0 if it is gone."""
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as asking:
        try:
            answer = fcntl.ioctl(asking, SIOCGIFFLAGS, struct.pack("256s", name.encode()[:15]))
        except OSError:
            return 0
    flags: int = struct.unpack_from("H", answer, 16)[0]
    return flags


def broadcast_targets() -> List[Tuple[str, str]]:
    """(own address, broadcast address) of every interface that boards may be on."""
    targets = []
    # Not if_nameindex(3): that needs netlink, which the service is not allowed.
    for name in names_in("/sys/class/net"):
        if name.startswith(COPYING_NAMES):
            continue  # containers and virtual machines: no board is there
        flags = interface_flags(name)
        if not flags & IFF_UP or not flags & IFF_BROADCAST or flags & (IFF_LOOPBACK | IFF_POINTOPOINT):
            continue
        own, broadcast = _ask(name, SIOCGIFADDR), _ask(name, SIOCGIFBRDADDR)
        if own and broadcast and broadcast != "0.0.0.0" and (own, broadcast) not in targets:
            targets.append((own, broadcast))
    return targets


def local_address(roots: Roots, interface: str) -> Optional[str]:
    """The address of an interface: IPv4, else a global IPv6 one; ``None`` if it has none."""
    if roots.this_machine and interface:
        address = interface_address(interface)
        if address:
            return address
    return _global6(roots.proc("net/if_inet6").read_all() or b"", interface)


def _global6(data: bytes, interface: str) -> Optional[str]:
    """First global address of the interface in /proc/net/if_inet6."""
    for line in data.splitlines():
        words = line.split()
        if len(words) == 6 and words[3] == b"00" and words[5].decode("ascii", "replace") == interface:
            try:
                return socket.inet_ntop(socket.AF_INET6, bytes.fromhex(words[0].decode()))
            except ValueError:
                return None
    return None
