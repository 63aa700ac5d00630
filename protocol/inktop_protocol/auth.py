"""The key: signs and checks a hello, a settings line and an announcement (sections 8, 9 and 14).

``hmac`` and ``hashlib`` are imported where they are used: a collector without a key does not
carry them in memory.
"""

from __future__ import annotations

from dataclasses import replace

from .encode import (
    announcement_text,
    encode_announcement,
    encode_hello,
    encode_settings,
    hello_text,
    settings_text,
)
from .model import Announcement, Hello, SettingsLine

_MAC_FIELD = b"|mac="
#: The mac; ``*`` and the checksum follow it.
_MAC_DIGITS = 64


def hello_mac(key: str, nonce: str, text: str) -> str:
    """HMAC-SHA256 of ``nonce|text`` as 64 lower-case hexadecimal digits.

    ``nonce`` is the text of the info line's 32 digits, ``text`` all of the hello before ``|mac=``.
    """
    return _digest(key, f"{nonce}|{text}".encode("ascii"))


def settings_mac(key: str, nonce: str, text: str) -> str:
    """As ``hello_mac``; ``text`` is all of the settings line before ``|mac=``."""
    return hello_mac(key, nonce, text)


def announcement_mac(key: str, text: str) -> str:
    """HMAC-SHA256 of all of the announcement before ``|mac=``, in lower-case hexadecimal."""
    return _digest(key, text.encode("ascii"))


def sign_hello(hello: Hello, key: str, nonce: str) -> bytes:
    """The keyed hello line."""
    return encode_hello(replace(hello, mac=hello_mac(key, nonce, hello_text(hello))))


def sign_settings(settings: SettingsLine, key: str, nonce: str) -> bytes:
    """The keyed settings line."""
    return encode_settings(replace(settings, mac=settings_mac(key, nonce, settings_text(settings))))


def sign_announcement(announcement: Announcement, key: str) -> bytes:
    """The keyed announcement. Raises ValueError for a port outside 1 to 65535."""
    mac = announcement_mac(key, announcement_text(announcement))
    return encode_announcement(replace(announcement, mac=mac))


def verify_hello(line: bytes, key: str, nonce: str) -> bool:
    """Whether the hello line (one that ``decode`` accepts) carries the right mac."""
    return _verify(line, key, nonce.encode("ascii") + b"|")


def verify_settings(line: bytes, key: str, nonce: str) -> bool:
    """Whether the settings line (one that ``decode`` accepts) carries the right mac."""
    return _verify(line, key, nonce.encode("ascii") + b"|")


def verify_announcement(line: bytes, key: str) -> bool:
    """Whether the announcement (one that ``decode`` accepts) carries the right mac."""
    return _verify(line, key, b"")


def new_nonce() -> str:
    """16 random bytes as 32 hexadecimal digits: one for each connection."""
    import os

    return os.urandom(16).hex()


def _digest(key: str, data: bytes) -> str:
    import hmac

    return hmac.new(key.encode("utf-8"), data, "sha256").hexdigest()


def _verify(line: bytes, key: str, prefix: bytes) -> bool:
    import hmac

    text, found, rest = line.partition(_MAC_FIELD)
    if not found:
        return False
    return hmac.compare_digest(rest[:_MAC_DIGITS], _digest(key, prefix + text).encode("ascii"))
