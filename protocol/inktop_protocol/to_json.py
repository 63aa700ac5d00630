"""What ``inktop decode`` prints for a line: one JSON object (section 13 of the specification).

Written by hand, without ``json``: the C++ decoder writes the same bytes, and the texts of a line
are printable ASCII, of which JSON escapes only two characters.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

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
    for field in fields(line):
        value = getattr(line, field.name)
        if value is not None or field.name in _ALWAYS:
            items.append(f'"{field.name}":{_json(value)}')
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
    if is_dataclass(value):
        items = [f'"{field.name}":{_json(getattr(value, field.name))}' for field in fields(value)]
        return "{" + ",".join(items) + "}"
    return str(value)
