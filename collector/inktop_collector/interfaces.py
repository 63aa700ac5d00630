"""The addresses of this machine.

No connection is made to find one out: that would fail on an isolated network.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
from ipaddress import IPv6Address
from typing import List, Optional, Tuple

from .files import Roots, names_in

SIOCGIFADDR, SIOCGIFBRDADDR, SIOCGIFFLAGS = 0x8915, 0x8919, 0x8913
IFF_UP, IFF_BROADCAST, IFF_LOOPBACK, IFF_POINTOPOINT = 0x1, 0x2, 0x8, 0x10
#: Virtual devices that only carry what another one carries: chosen last.
COPYING_NAMES = (
    "veth",
    "docker",
    "br-",
    "virbr",
    "vnet",
    "ifb",
    "dummy",
    "cali",
    "cni",
    "lxc",
    "fwbr",
    "fwln",
    "fwpr",
)


def _ask(name: str, request: int) -> Optional[bytes]:
    """The kernel's answer to one question about an interface (netdevice(7))."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as asking:
            return fcntl.ioctl(asking, request, struct.pack("256s", os.fsencode(name)[:15]))
    except OSError:
        return None


def _address(name: str, request: int) -> Optional[str]:
    answer = _ask(name, request)
    return None if answer is None else socket.inet_ntoa(answer[20:24])


def interface_flags(name: str) -> int:
    """IFF_… flags of an interface, 0 if it is gone."""
    answer = _ask(name, SIOCGIFFLAGS)
    flags: int = 0 if answer is None else struct.unpack_from("H", answer, 16)[0]
    return flags


def broadcast_targets() -> List[Tuple[str, str]]:
    """(own address, broadcast address) of every interface that boards may be on."""
    targets = []
    # Not if_nameindex(3): it needs netlink, which the service may not use.
    for name in names_in("/sys/class/net"):
        if name.startswith(COPYING_NAMES):
            continue  # containers and virtual machines: no board is there
        flags = interface_flags(name)
        if not flags & IFF_UP or not flags & IFF_BROADCAST or flags & (IFF_LOOPBACK | IFF_POINTOPOINT):
            continue
        own, broadcast = _address(name, SIOCGIFADDR), _address(name, SIOCGIFBRDADDR)
        if own and broadcast and broadcast != "0.0.0.0" and (own, broadcast) not in targets:
            targets.append((own, broadcast))
    return targets


def local_address(roots: Roots, interface: str) -> Optional[str]:
    """The address of an interface: IPv4, else a global IPv6 one; ``None`` if it has none."""
    if roots.this_machine and interface:
        address = _address(interface, SIOCGIFADDR)
        if address:
            return address
    return _global6(roots.proc("net/if_inet6").read_all() or b"", interface)


def _global6(data: bytes, interface: str) -> Optional[str]:
    """First global address of the interface in /proc/net/if_inet6."""
    for line in data.splitlines():
        words = line.split()
        if len(words) == 6 and words[3] == b"00" and words[5].decode("ascii", "replace") == interface:
            try:
                return str(IPv6Address(bytes.fromhex(words[0].decode())))
            except ValueError:
                return None
    return None
