"""What ``inktop decode`` prints for a line: one JSON object (section 13 of the specification).

Written by hand, without ``json``: the C++ decoder writes the same bytes, and the texts of a line
are printable ASCII, of which JSON escapes only two characters.
"""

from __future__ import annotations

from .decode import LineError, decode
from .model import (
    Announcement,
    Health,
    Hello,
    InfoLine,
    Line,
    OtherVersion,
    Snapshot,
    UnknownKind,
)
from .record import fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KINDS = {
    Snapshot: "data",
    InfoLine: "info",
    Hello: "hello",
    Health: "health",
    Announcement: "announce",
}
#: ``-`` and a missing key mean the same for these: they are always written.
_ALWAYS = frozenset(("cpu_permille", "rssi_dbm", "refresh_ms"))


def line_to_json(line: Line) -> str:
    """The JSON object of a decoded line."""
    if isinstance(line, OtherVersion):
        return f'{{"kind":"{line.kind}","version":{line.version}}}'
    if isinstance(line, UnknownKind):
        return f'{{"kind":"unknown","key":"{line.key}"}}'
    items = [f'"kind":"{_KINDS[type(line)]}"']
    for name in fields(line):
        value = getattr(line, name)
        if value is not None or name in _ALWAYS:
            items.append(f'"{name}":{_json(value)}')
    return "{" + ",".join(items) + "}"


def error_to_json(kind: str) -> str:
    """The JSON object of a dropped line."""
    return f'{{"error":"{kind}"}}'


def decode_to_json(line: bytes) -> str:
    """The JSON object of a line, good or bad; never raises."""
    try:
        return line_to_json(decode(line))
    except LineError as error:
        return error_to_json(error.kind)


def _json(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, tuple):
        return "[" + ",".join([_json(item) for item in value]) + "]"
    if isinstance(value, int):
        return str(value)
    items = [f'"{name}":{_json(getattr(value, name))}' for name in fields(value)]
    return "{" + ",".join(items) + "}"
