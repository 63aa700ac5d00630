"""How a server is named: the board's own rule (parse_server of firmware/core/link/link.h), for every command.

HOST, HOST:PORT, an IPv6 address, or [IPV6]:PORT. HOST is a name or an IPv4 address of up to 63 letters,
digits, dots, hyphens and underscores.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Tuple

from inktop_protocol import DEFAULT_PORT

from inktop_tools.errors import InktopError

_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_PORT = re.compile(r"[0-9]+")


def parse_server(text: str) -> Tuple[str, int]:
    """The host (without brackets) and the port. Raises InktopError with what is wrong."""
    host, port = text, None
    if text.startswith("["):
        host, closed, rest = text[1:].partition("]")
        if not closed or (rest and not rest.startswith(":")) or not _is_ipv6(host):
            raise InktopError(_no_server(text))
        port = rest[1:] if rest else None
    elif text.count(":") == 1:
        host, _, port = text.partition(":")
    if ":" in host and "%" in host:
        raise InktopError(f"{text!r} names an interface: give the server's name or a global address.")
    if not _HOST.fullmatch(host) and not _is_ipv6(host):
        raise InktopError(_no_server(text))
    if port is None:
        return host, DEFAULT_PORT
    return host, parse_port(port, text)


def parse_port(text: str, where: str) -> int:
    """1 to 65535. Raises InktopError that quotes `where` it was found."""
    # Digits without the leading zeros: int() refuses thousands of them.
    if _PORT.fullmatch(text):
        digits = text.lstrip("0")
        if len(digits) <= 5 and 1 <= int(digits or "0") <= 65535:
            return int(digits)
    raise InktopError(f"{where!r} is no server: a port is 1 to 65535. Give HOST, HOST:PORT or [IPV6]:PORT.")


def _no_server(text: str) -> str:
    return f"{text!r} is no server: give HOST, HOST:PORT or [IPV6]:PORT."


def _is_ipv6(host: str) -> bool:
    if "." in host or "%" in host:
        return False
    try:
        ipaddress.IPv6Address(host)
    except ValueError:
        return False
    return True
