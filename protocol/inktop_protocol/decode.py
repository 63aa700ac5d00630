"""From a line to its data, or to the kind of error for which it is dropped.

The specification is protocol/README.md; the checks run in the order of its section 11: first the
syntax of every field, then the values of the known keys, then what is missing, so that the kind of
an error does not depend on the order of the fields. What each key holds is said in ``table``: a
reader is made here for each of its rows.
"""

from __future__ import annotations

import binascii
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import model
from .forms import ALPHABETS, FORMS, is_hex, is_key, is_uint
from .model import MAX_LINE_BYTES, PROTOCOL_VERSION, Line, OtherVersion, UnknownKind
from .schema import Cells, Form, Group, Key, Kind, Number, Numbered, Repeat, Row, Text, Value
from .table import KINDS

_UPPER_HEX = frozenset(b"0123456789ABCDEF")
_PRINTABLE = bytes(range(0x20, 0x7F))
_MAX_DIGITS = 15

#: Gives the value of a text, raises ``_BadValueError`` outside its type or range.
_Reader = Callable[[str], Any]


class LineError(Exception):
    """A line that a receiver drops; ``kind`` is the word of section 11 for why."""

    def __init__(self, kind: str, why: str = "") -> None:
        super().__init__(f"{kind}: {why}" if why else kind)
        self.kind = kind


class _BadValueError(Exception):
    pass


def decode(line: bytes) -> Line:
    """What the line says; its newline at the end may be there or not. Raises LineError."""
    if line.endswith(b"\n"):
        line = line[:-1]
    if len(line) >= MAX_LINE_BYTES:
        raise LineError("overlong", f"more than {MAX_LINE_BYTES} bytes with the newline")
    if line.translate(None, _PRINTABLE):
        raise LineError("charset", "a byte outside printable ASCII")
    body, closing = line[:-5], line[-5:]
    if len(closing) < 5 or closing[:1] != b"*" or not _UPPER_HEX.issuperset(closing[1:]):
        raise LineError("checksum", "no * and four upper-case hexadecimal digits at the end")
    if int(closing[1:], 16) != binascii.crc_hqx(body, 0xFFFF):
        raise LineError("checksum", f"{closing[1:].decode()} does not match")
    return _decode_body(body.decode("ascii"))


def _decode_body(body: str) -> Line:
    texts = body.split("|")
    first, version_text = _field(texts[0])
    reader = _READERS.get(first)
    versioned = reader is not None and reader.kind.versioned
    has_version = is_uint(version_text)
    if versioned and has_version and int(version_text) != PROTOCOL_VERSION:
        # A later version may have another syntax: only its number is read.
        return OtherVersion(first, int(version_text))
    fields: Dict[str, str] = {}
    for text in texts:
        key, value = _field(text)
        if key in fields:
            raise LineError("syntax", f"key {key} repeated")
        fields[key] = value
    if reader is None:
        return UnknownKind(first)
    if versioned and not has_version:
        raise LineError("value", f"{first}={version_text}")
    return reader.read(fields)


def _field(text: str) -> Tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not is_key(key):
        raise LineError("syntax", f"field {text!r}")
    return key, value


class _LineReader:
    """Reads the known keys of one kind of line."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._type = getattr(model, kind.type)
        self._required = [key.key for key in kind.keys if key.required]
        self._last = [key.key for key in kind.keys if key.last]
        self._single: List[Tuple[str, str, _Reader]] = []
        self._numbered: List[Tuple[str, Dict[str, int], Callable[[int, str], Any]]] = []
        for key in kind.keys:
            if isinstance(key.shape, Numbered):
                # A larger number, or one with a leading zero, is an unknown key.
                places = {f"{key.key}{index}": index for index in range(key.shape.most)}
                self._numbered.append((key.member, places, _numbered_reader(key.shape.group)))
            else:
                self._single.append((key.key, key.member, _key_reader(key)))

    def read(self, fields: Dict[str, str]) -> Line:
        values: Dict[str, Any] = {}
        key = ""
        try:
            for key, member, read in self._single:
                if key in fields:
                    values[member] = read(fields[key])
            for member, places, read_at in self._numbered:
                found = []
                for key, index in places.items():
                    if key in fields:
                        found.append(read_at(index, fields[key]))
                values[member] = tuple(found)
        except _BadValueError:
            raise LineError("value", f"{key}={fields[key]}") from None
        for key in self._last:
            if key in fields and next(reversed(fields)) != key:
                raise LineError("value", f"{key} is not the last field")
        for key in self._required:
            if key not in fields:
                raise LineError("missing", f"key {key}")
        line: Line = self._type(**values)
        return line


def _key_reader(key: Key) -> _Reader:
    shape = key.shape
    if isinstance(shape, Group):
        return _group_reader(shape)
    if isinstance(shape, Row):
        return _row_reader(shape)
    if isinstance(shape, Cells):
        return _cells_reader(shape)
    if isinstance(shape, Repeat):
        return _repeat_reader(shape)
    assert not isinstance(shape, Numbered)
    read = _value_reader(shape)
    return _or_unknown(read) if key.always else read


def _or_unknown(read: _Reader) -> _Reader:
    return lambda text: None if text == "-" else read(text)


def _value_reader(value: Value) -> _Reader:
    if isinstance(value, Number):
        return _fixed_reader(value) if value.decimals else _whole_reader(value)
    return _text_reader(value)


def _text_reader(value: Value) -> _Reader:
    if isinstance(value, Form):
        has_form = FORMS[value.name]

        def read_form(text: str) -> str:
            if not has_form(text):
                raise _BadValueError
            return text

        return read_form
    assert isinstance(value, Text)
    most, letters = value.most, ALPHABETS[value.letters]

    def read_text(text: str) -> str:
        if not 1 <= len(text) <= most or not letters.issuperset(text):
            raise _BadValueError
        return text

    return read_text


def _whole_reader(value: Number) -> _Reader:
    low, high = value.low, value.high

    def read(text: str) -> int:
        negative = low < 0 and text.startswith("-")
        digits = text[1:] if negative else text
        if not is_uint(digits):
            raise _BadValueError
        number = -int(digits) if negative else int(digits)
        if not low <= number <= high:
            raise _BadValueError
        return number

    return read


def _fixed_reader(value: Number) -> _Reader:
    decimals, low, high = value.decimals, value.low, value.high

    def read(text: str) -> int:
        """A multiple of 10^-decimals, rounded half up."""
        whole, point, rest = text.partition(".")
        if not is_uint(whole) or (point and not (is_uint(rest) and len(rest) <= 6)):
            raise _BadValueError
        if len(whole) + len(rest) > _MAX_DIGITS:
            raise _BadValueError
        number = int(whole + (rest + "0" * decimals)[:decimals])
        if rest[decimals : decimals + 1] >= "5":
            number += 1
        if not low <= number <= high:
            raise _BadValueError
        return number

    return read


def _group_values(group: Group) -> Callable[[str], List[Any]]:
    separator = group.separator
    rows = [
        (_value_reader(item.value), item.required, item.default, not item.required and item.default is None)
        for item in group.items
    ]
    splits = len(rows) - 1 if group.closed else -1

    def read(text: str) -> List[Any]:
        texts = text.split(separator, splits)
        count = len(texts)
        values: List[Any] = []
        for at, (read_item, required, default, may_be_unknown) in enumerate(rows):
            if at >= count:
                if required:
                    raise _BadValueError
                values.append(default)
            elif may_be_unknown and texts[at] == "-":
                values.append(None)
            else:
                values.append(read_item(texts[at]))
        return values

    return read


def _group_reader(group: Group) -> _Reader:
    of = getattr(model, group.type)
    read = _group_values(group)
    return lambda text: of(*read(text))


def _numbered_reader(group: Group) -> Callable[[int, str], Any]:
    of = getattr(model, group.type)
    read = _group_values(group)
    return lambda index, text: of(index, *read(text))


def _row_reader(row: Row) -> _Reader:
    read_number = _or_unknown(_value_reader(row.value))
    separator, count = row.separator, row.count

    def read(text: str) -> Tuple[Optional[int], ...]:
        texts = [*text.split(separator)[:count], *["-"] * count][:count]
        return tuple([read_number(item) for item in texts])

    return read


def _cells_reader(cells: Cells) -> _Reader:
    most = cells.most

    def read(text: str) -> Tuple[Optional[int], ...]:
        if not 1 <= len(text) <= most or not is_hex(text.replace("-", "")):
            raise _BadValueError
        return tuple([None if char == "-" else int(char, 16) for char in text])

    return read


def _repeat_reader(repeat: Repeat) -> _Reader:
    read_group = _group_reader(repeat.group)
    most = repeat.most

    def read(text: str) -> Tuple[Any, ...]:
        texts = text.split(",")
        if len(texts) > most:
            raise _BadValueError
        return tuple([read_group(item) for item in texts])

    return read


_READERS: Dict[str, _LineReader] = {kind.key: _LineReader(kind) for kind in KINDS}
