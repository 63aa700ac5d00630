"""What ``inktop decode`` prints for a line: one JSON object (section 13 of the specification).

Written without ``json``: the C++ decoder writes the same bytes, and the texts of a line are
printable ASCII, of which JSON escapes only two characters.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Dict

from . import model
from .decode import LineError, decode
from .model import Line, OtherVersion, UnknownKind
from .schema import Kind
from .table import KINDS

_KINDS: Dict[type, Kind] = {getattr(model, kind.type): kind for kind in KINDS}
#: ``-`` and a missing key mean the same for these: they are written even when unknown.
_ALWAYS = frozenset(key.member for kind in KINDS for key in kind.keys if key.always)


def line_to_json(line: Line) -> str:
    """The JSON object of a decoded line."""
    if isinstance(line, OtherVersion):
        return f'{{"kind":"{line.kind}","version":{line.version}}}'
    if isinstance(line, UnknownKind):
        return f'{{"kind":"unknown","key":"{line.key}"}}'
    items = [f'"kind":"{_KINDS[type(line)].name}"']
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
    if isinstance(value, int):
        return str(value)
    items = [f'"{field.name}":{_json(getattr(value, field.name))}' for field in fields(value)]
    return "{" + ",".join(items) + "}"
