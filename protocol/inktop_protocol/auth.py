"""The key: signs and checks a hello, the lines after it and an announcement (sections 8 and 9).

``hmac`` and ``hashlib`` are imported where they are used: a collector without a key does not
carry them in memory.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Optional, Tuple

from .encode import announcement_text, close_line, encode_announcement, encode_hello, hello_text
from .model import MAX_LINE_BYTES, SEAL_MAC_DIGITS, Announcement, Hello

_MAC_FIELD = b"|mac="
#: The mac; ``*`` and the checksum follow it.
_MAC_DIGITS = 64
_NUMBER_FIELD = b"|q="
_MAX_NUMBER_DIGITS = 10
_MAX_NUMBER = 4294967295
#: ``*`` and the checksum, without the newline.
_CLOSING_BYTES = 5


def hello_mac(key: str, nonce: str, text: str) -> str:
    """HMAC-SHA256 of ``nonce|text`` as 64 lower-case hexadecimal digits.

    ``nonce`` is the text of the info line's 32 digits, ``text`` all of the hello before ``|mac=``.
    """
    return _digest(key, f"{nonce}|{text}".encode("ascii"))


def announcement_mac(key: str, text: str) -> str:
    """HMAC-SHA256 of all of the announcement before ``|mac=``, in lower-case hexadecimal."""
    return _digest(key, text.encode("ascii"))


def sign_hello(hello: Hello, key: str, nonce: str) -> bytes:
    """The keyed hello line."""
    return encode_hello(replace(hello, mac=hello_mac(key, nonce, hello_text(hello))))


def sign_announcement(announcement: Announcement, key: str) -> bytes:
    """The keyed announcement. Raises ValueError for a port outside 1 to 65535."""
    mac = announcement_mac(key, announcement_text(announcement))
    return encode_announcement(replace(announcement, mac=mac))


def verify_hello(line: bytes, key: str, nonce: str) -> bool:
    """Whether the hello line (one that ``decode`` accepts) carries the right mac."""
    return _verify(line, key, nonce.encode("ascii") + b"|")


def verify_announcement(line: bytes, key: str) -> bool:
    """Whether the announcement (one that ``decode`` accepts) carries the right mac, however old it is."""
    return _verify(line, key, b"")


class KeyedStream:
    """The lines of one connection after its hello: seals ours, checks theirs."""

    def __init__(self, key: str, our_nonce: str, their_nonce: str) -> None:
        """The collector's nonce is that of its first line, the board's that of its hello."""
        import hmac

        # Each signs with its own nonce first, so that no line can be sent back to its writer.
        ours, theirs = (f"{our_nonce}|{their_nonce}|", f"{their_nonce}|{our_nonce}|")
        self._ours = hmac.new(key.encode("utf-8"), ours.encode("ascii"), "sha256")
        self._theirs = hmac.new(key.encode("utf-8"), theirs.encode("ascii"), "sha256")
        #: Numbers of the newest line that was sealed, and of the newest that was believed.
        self.sent = 0
        self.received = 0

    def seal(self, line: bytes) -> bytes:
        """The line with its seal, the number of which is one more than that of the line before."""
        self.sent += 1
        text = line[: -_CLOSING_BYTES - 1] + b"%s%d" % (_NUMBER_FIELD, self.sent)
        sealed = close_line((text + _MAC_FIELD + _seal_mac(self._ours, text)).decode("ascii"))
        if len(sealed) > MAX_LINE_BYTES:
            raise ValueError(f"no room for a seal in a line of {len(line)} bytes: encode it with sealed=True")
        return sealed

    def opens(self, line: bytes) -> bool:
        """Whether the line has a right seal, and its number is beyond those before. Its newline may be there.

        Call once for each line.
        """
        import hmac

        found = seal_of(line)
        if found is None:
            return False
        text, number, mac = found
        if not hmac.compare_digest(mac, _seal_mac(self._theirs, text)) or number <= self.received:
            return False
        self.received = number
        return True


def _seal_mac(begun: Any, text: bytes) -> bytes:
    mac = begun.copy()
    mac.update(text)
    return bytes(mac.hexdigest()[:SEAL_MAC_DIGITS], "ascii")


def seal_of(line: bytes) -> Optional[Tuple[bytes, int, bytes]]:
    """What the seal of a line signs, its number and its mac; ``None`` for a line without one."""
    body = line[:-1] if line.endswith(b"\n") else line
    body = body[:-_CLOSING_BYTES]
    text, mac = body[: -SEAL_MAC_DIGITS - len(_MAC_FIELD)], body[-SEAL_MAC_DIGITS:]
    if body[len(text) :] != _MAC_FIELD + mac:
        return None
    before, field, digits = text.rpartition(_NUMBER_FIELD)
    if not before or not field or not digits.isdigit() or len(digits) > _MAX_NUMBER_DIGITS:
        return None
    number = int(digits)
    return (text, number, mac) if number <= _MAX_NUMBER else None


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
