"""Addresses as text, and the networks that may connect."""

from __future__ import annotations

from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Optional, Tuple, Union

#: Networks with a name in the configuration.
NAMED_NETWORKS = {
    "loopback": ("127.0.0.0/8", "::1/128"),
    "private": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),
    "link-local": ("169.254.0.0/16", "fe80::/10"),
    "ula": ("fc00::/7",),
    "cgnat": ("100.64.0.0/10",),
    "any": ("0.0.0.0/0", "::/0"),
}
#: Who may connect unless the settings say otherwise.
DEFAULT_ALLOW = ("loopback", "private", "link-local", "ula", "cgnat")
#: Where an IPv6 socket shows IPv4 addresses.
MAPPED = IPv6Network("::ffff:0:0/96")


def parse_address(text: str) -> Optional[Union[IPv4Address, IPv6Address]]:
    """The address without its zone, an IPv4-mapped one as IPv4; ``None`` if it is not an address."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def plain(text: str) -> str:
    """An address as a line writes it: no zone, an IPv4-mapped one as IPv4."""
    return str(parse_address(text) or text)


def origin(text: str) -> str:
    """Who a client is for a limit: an IPv4 address, or the /64 of an IPv6 one, all of which is one host's."""
    address = parse_address(text)
    return str(ip_network((address, 64), strict=False)) if isinstance(address, IPv6Address) else text


class Networks:
    """A list of networks. ``ValueError`` names the entry that is not one."""

    def __init__(self, entries: Tuple[str, ...]) -> None:
        self._networks = [_network(text) for entry in entries for text in NAMED_NETWORKS.get(entry, (entry,))]

    def __contains__(self, text: str) -> bool:
        address = parse_address(text)
        return address is not None and any(address in network for network in self._networks)


def _network(text: str) -> Union[IPv4Network, IPv6Network]:
    """The network as ``ipaddress`` has it, or a ``ValueError`` that says what to write instead."""
    address, slash, length = text.partition("/")
    try:
        host = ip_address(address)
    except ValueError:
        names = ", ".join(NAMED_NETWORKS)
        raise ValueError(
            f"{text!r} is not a network: write an address, address/bits, or one of {names}"
        ) from None
    if slash and not (length.isdecimal() and int(length) <= host.max_prefixlen):
        raise ValueError(f"{text!r}: the length of the network must be 0 to {host.max_prefixlen}")
    if host in MAPPED:
        raise ValueError(f"{text!r}: write an IPv4-mapped network as IPv4")
    try:
        return ip_network(text)
    except ValueError:
        network = ip_network(text, strict=False)
        raise ValueError(
            f"{text!r} has bits outside its network: write {network} for the whole network, "
            f"or {address} for that address alone"
        ) from None
