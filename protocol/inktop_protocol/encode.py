"""From data to the line: everything that is written goes through here, shed to 1024 bytes.

The specification is protocol/README.md. An encoder never fails and never writes a line that a
receiver would drop: a measured value outside its range becomes ``-`` (or its key is left out
where ``-`` is not allowed), a counter stays at its maximum, text is mapped to what its place
allows. What each key holds is said in ``table``; ``writers`` makes a writer for each of its rows.
"""

from __future__ import annotations

import binascii
from dataclasses import replace
from operator import attrgetter
from typing import Any, List, Optional, Tuple

from .model import (
    MAX_LINE_BYTES,
    MAX_SEAL_BYTES,
    Ack,
    Announcement,
    Fleet,
    Health,
    Hello,
    InfoLine,
    SettingsLine,
    Snapshot,
)
from .schema import Kind, Numbered, Repeat
from .shed import smaller
from .table import ACK, ANNOUNCE, DATA, FLEET, HEALTH, HELLO, INFO, SETTINGS
from .writers import group_writer, key_writer, placed

#: ``*``, four hexadecimal digits and the newline.
_CLOSING_BYTES = 6
_MAX_BODY = MAX_LINE_BYTES - _CLOSING_BYTES


def close_line(body: str) -> bytes:
    """The line of a body: its checksum (CRC-16/CCITT-FALSE) and the newline appended."""
    data = body.encode("ascii")
    return b"%s*%04X\n" % (data, binascii.crc_hqx(data, 0xFFFF))


def encode_snapshot(snapshot: Snapshot, sealed: bool = False) -> bytes:
    """A data line of at most 1024 bytes with its newline; sheds as section 10 says.

    ``sealed``: leaves room for the seal that ``auth.KeyedStream`` adds.
    """
    return _DATA.encode(snapshot, MAX_SEAL_BYTES if sealed else 0)


def encode_info(info: InfoLine, sealed: bool = False) -> bytes:
    """An info line, likewise."""
    return _INFO.encode(info, MAX_SEAL_BYTES if sealed else 0)


def encode_fleet(fleet: Fleet, sealed: bool = False) -> bytes:
    """A fleet line, likewise."""
    return _FLEET.encode(fleet, MAX_SEAL_BYTES if sealed else 0)


def hello_text(hello: Hello) -> str:
    """All of a hello line before ``|mac=``: what the keyed hello signs."""
    return _HELLO.body_before_last(hello)


def encode_hello(hello: Hello) -> bytes:
    """A hello line; ``mac`` is written as given (``auth.sign_hello`` computes it)."""
    return _HELLO.encode(hello)


def encode_health(health: Health) -> bytes:
    """A health line."""
    return _HEALTH.encode(health)


def encode_settings(settings: SettingsLine) -> bytes:
    """A settings line."""
    return _SETTINGS.encode(settings)


def encode_ack(ack: Ack) -> bytes:
    """The line with which a board acknowledges events."""
    return _ACK.encode(ack)


def announcement_text(announcement: Announcement) -> str:
    """All of an announcement before ``|mac=``: what a keyed announcement signs.

    Raises ValueError for a port outside 1 to 65535: there is no line that could say it.
    """
    return _ANNOUNCE.body_before_last(announcement)


def encode_announcement(announcement: Announcement) -> bytes:
    """The payload of the broadcast datagram; ``mac`` is written as given."""
    return _ANNOUNCE.encode(announcement)


class _LineWriter:
    """Writes one kind of line."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._version = f"{kind.key}=%d" if kind.versioned else ""
        self._values = attrgetter(*[key.member for key in kind.keys])
        self._writers = [key_writer(key) for key in kind.keys]
        self._keys_before_last = len([key for key in kind.keys if not key.last])
        #: Values and texts of the line before: most of a line is the same second by second.
        self._before: Tuple[Tuple[Any, ...], List[Optional[str]]] = ((), [])

    def body_before_last(self, line: Any) -> str:
        """The line without its checksum and without the key that must be last."""
        return self._join(line, self._texts(line)[: self._keys_before_last])

    def encode(self, line: Any, kept_bytes: int = 0) -> bytes:
        """``kept_bytes``: room for what is added to the line later."""
        most = _MAX_BODY - kept_bytes
        body = self._join(line, self._texts(line))
        if len(body) > most:
            body = self._shed(line, most)
        return close_line(body)

    def _texts(self, line: Any) -> List[Optional[str]]:
        values = self._values(line)
        before, texts = self._before
        if before:
            texts = [
                text if value is old else write(value)
                for write, value, old, text in zip(self._writers, values, before, texts)
            ]
        else:
            texts = [write(value) for write, value in zip(self._writers, values)]
        # Replaced as a whole, in case two threads write lines.
        self._before = values, texts
        return texts

    def _join(self, line: Any, texts: List[Optional[str]]) -> str:
        return "|".join(filter(None, [self._version % line.version if self._version else "", *texts]))

    def _shed(self, line: Any, most: int) -> str:
        """The body of the largest line that fits, or of the smallest there is."""
        line = self._writable(line)
        values, texts = self._values(line), list(self._texts(line))
        body = ""
        for less in smaller(self._kind, line):
            # Only what this step has changed is written once more.
            before, values = values, self._values(less)
            for at, value in enumerate(values):
                if value is not before[at]:
                    texts[at] = self._writers[at](value)
            body = self._join(less, texts)
            if len(body) <= most:
                break
        return body

    def _writable(self, line: Any) -> Any:
        """The line with only those groups in its lists that are written."""
        changes = {}
        for key in self._kind.keys:
            value = getattr(line, key.member)
            if isinstance(key.shape, Numbered):
                changes[key.member] = placed(value, key.shape.most)
            elif isinstance(key.shape, Repeat):
                write = group_writer(key.shape.group)
                changes[key.member] = tuple([group for group in value if write(group) is not None])
        return replace(line, **changes)


_DATA = _LineWriter(DATA)
_INFO = _LineWriter(INFO)
_FLEET = _LineWriter(FLEET)
_HELLO = _LineWriter(HELLO)
_HEALTH = _LineWriter(HEALTH)
_SETTINGS = _LineWriter(SETTINGS)
_ACK = _LineWriter(ACK)
_ANNOUNCE = _LineWriter(ANNOUNCE)
