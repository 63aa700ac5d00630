"""From data to the line: everything that is written goes through here, shed to 1024 bytes.

The specification is protocol/README.md. An encoder never fails and never writes a line that a
receiver would drop: a measured value outside its range becomes ``-`` (or its key is left out
where ``-`` is not allowed), a counter stays at its maximum, text is mapped to what its place
allows. What each key holds is said in ``table``: a writer is made here for each of its rows.
"""

from __future__ import annotations

import binascii
from dataclasses import replace
from operator import attrgetter
from typing import Any, Callable, List, Optional, Tuple

from .forms import ALPHABETS, FORMS
from .model import MAX_LINE_BYTES, Announcement, Health, Hello, InfoLine, Snapshot
from .schema import (
    NAME,
    PRINTABLE,
    Cells,
    Form,
    Group,
    Item,
    Key,
    Kind,
    Number,
    Numbered,
    Repeat,
    Row,
    Text,
    Value,
)
from .shed import average_levels, smaller
from .table import ANNOUNCE, DATA, HEALTH, HELLO, INFO

#: ``*``, four hexadecimal digits and the newline.
_CLOSING_BYTES = 6
_MAX_BODY = MAX_LINE_BYTES - _CLOSING_BYTES
_LEVELS = "0123456789abcdef"

#: Gives the text of a value, ``None`` when there is no way to say it.
_Writer = Callable[[Any], Optional[str]]


def close_line(body: str) -> bytes:
    """The line of a body: its checksum (CRC-16/CCITT-FALSE) and the newline appended."""
    data = body.encode("ascii")
    return b"%s*%04X\n" % (data, binascii.crc_hqx(data, 0xFFFF))


def encode_snapshot(snapshot: Snapshot) -> bytes:
    """A data line of at most 1024 bytes with its newline; sheds as section 10 says."""
    return _DATA.encode(snapshot)


def encode_info(info: InfoLine) -> bytes:
    """An info line of at most 1024 bytes with its newline; sheds as section 10 says."""
    return _INFO.encode(info)


def hello_text(hello: Hello) -> str:
    """All of a hello line before ``|mac=``: what the keyed hello signs."""
    return _HELLO.body(hello, with_last=False)


def encode_hello(hello: Hello) -> bytes:
    """A hello line; ``mac`` is written as given (``auth.sign_hello`` computes it)."""
    return _HELLO.encode(hello)


def encode_health(health: Health) -> bytes:
    """A health line."""
    return _HEALTH.encode(health)


def announcement_text(announcement: Announcement) -> str:
    """All of an announcement before ``|mac=``: what a keyed announcement signs.

    Raises ValueError for a port outside 1 to 65535: there is no line that could say it.
    """
    return _ANNOUNCE.body(announcement, with_last=False)


def encode_announcement(announcement: Announcement) -> bytes:
    """The payload of the broadcast datagram; ``mac`` is written as given."""
    return _ANNOUNCE.encode(announcement)


class _LineWriter:
    """Writes one kind of line."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._version = f"{kind.key}=%d" if kind.versioned else ""
        self._keys = [(key.member, _key_writer(key)) for key in kind.keys]
        self._last = {key.member for key in kind.keys if key.last}

    def body(self, line: Any, with_last: bool = True) -> str:
        """The line without its checksum; or without what must be last, too."""
        fields = [self._version % line.version] if self._version else []
        for member, write in self._keys:
            text = write(getattr(line, member))
            if text and (with_last or member not in self._last):
                fields.append(text)
        return "|".join(fields)

    def encode(self, line: Any) -> bytes:
        body = self.body(line)
        if len(body) > _MAX_BODY:
            for less in smaller(self._kind, self._writable(line)):
                body = self.body(less)
                if len(body) <= _MAX_BODY:
                    break
        return close_line(body)

    def _writable(self, line: Any) -> Any:
        """The line with only those groups in its lists that are written."""
        changes = {}
        for key in self._kind.keys:
            value = getattr(line, key.member)
            if isinstance(key.shape, Numbered):
                changes[key.member] = _placed(value, key.shape.most)
            elif isinstance(key.shape, Repeat):
                write = _group_writer(key.shape.group)
                changes[key.member] = tuple([group for group in value if write(group) is not None])
        return replace(line, **changes)


def _placed(groups: Tuple[Any, ...], most: int) -> Tuple[Any, ...]:
    """The groups that have a place, ascending; of several at one place the first."""
    places = {group.index: group for group in reversed(groups) if 0 <= group.index < most}
    return tuple([places[index] for index in sorted(places)])


def _key_writer(key: Key) -> _Writer:
    """Gives ``key=value``, for numbered groups all of them; nothing when the key is left out."""
    if isinstance(key.shape, Numbered):
        return _numbered_writer(key.key, key.shape)
    write = _shape_writer(key)
    start = f"{key.key}="
    always, required = key.always, key.required
    number = key.shape if isinstance(key.shape, Number) else None
    needed = f"give one of {number.low} to {number.high}" if number else "a line needs one that it can say"

    def write_key(value: Any) -> Optional[str]:
        # An empty text or list is one that is not there.
        if not (always or required) and (value is None or value == "" or value == ()):
            return None
        text = write(value)
        if text is None:
            if not required:
                return None
            raise ValueError(f"{key.member} {value}: {needed}")
        return start + text

    return write_key


def _shape_writer(key: Key) -> _Writer:
    shape = key.shape
    if isinstance(shape, Group):
        return _group_writer(shape)
    if isinstance(shape, Row):
        return _row_writer(shape)
    if isinstance(shape, Cells):
        return _cells_writer(shape)
    if isinstance(shape, Repeat):
        return _repeat_writer(shape)
    assert not isinstance(shape, Numbered)
    return _value_writer(shape, "-" if key.always else None)


def _value_writer(value: Value, nothing: Optional[str], separators: str = "|") -> _Writer:
    """``nothing`` is what is written for a value that is unknown or cannot be said."""
    if isinstance(value, Number):
        return _number_writer(value, nothing)
    if isinstance(value, Form):
        has_form = FORMS[value.name]
        return lambda text: text if text is not None and has_form(text) else nothing
    if value.letters in (PRINTABLE, NAME):
        return _mapped_writer(value, nothing, separators)
    letters, most = ALPHABETS[value.letters], value.most
    instead = value.instead or nothing
    return lambda text: text if 1 <= len(text) <= most and letters.issuperset(text) else instead


def _number_writer(value: Number, nothing: Optional[str]) -> _Writer:
    low, high, decimals = value.low, value.high, value.decimals
    if value.counter:
        return lambda number: nothing if number is None or number < low else str(min(number, high))
    if decimals:
        return lambda number: (
            nothing if number is None or not low <= number <= high else _fixed(number, decimals)
        )
    return lambda number: str(number) if number is not None and low <= number <= high else nothing


def _fixed(number: int, decimals: int) -> str:
    whole, rest = divmod(number, 10**decimals)
    return f"{whole}.{rest:0{decimals}d}"


def _mapped_writer(value: Text, nothing: Optional[str], separators: str) -> _Writer:
    """Cuts the text, and replaces what its place does not allow; an empty one gives ``-`` or ``_``."""
    most, allowed = value.most, ALPHABETS[value.mapped or value.letters].difference(separators)
    name = value.mapped == NAME or value.letters == NAME
    empty = "_" if name else "-"

    def write(text: Optional[str]) -> Optional[str]:
        if text is None:
            return nothing
        text = text[:most]
        if text and allowed.issuperset(text):
            return text
        mapped = [char if char in allowed else "_" if name or char in separators else "?" for char in text]
        return "".join(mapped) or empty

    return write


def _item_writer(item: Item, separators: str) -> _Writer:
    nothing = None if item.required or item.default is not None else "-"
    return _value_writer(item.value, nothing, separators)


def _group_writer(group: Group, separators: str = "|") -> _Writer:
    separator, least = group.separator, group.least
    separators += separator
    writers = [_item_writer(item, separators) for item in group.items]
    #: What is left off at the end of the list.
    silent = [item.default or "-" for item in group.items]
    values = attrgetter(*[item.member for item in group.items])
    coarse = _coarse_writer(group, separators) if group.decimals_by else None

    def write_group(value: Any) -> Optional[str]:
        if coarse is not None:
            texts = coarse(value)
        else:
            texts = [write(item) for write, item in zip(writers, values(value))]
        if None in texts:
            return None
        last = len(texts)
        while last > least and texts[last - 1] == silent[last - 1]:
            last -= 1
        return separator.join(texts[:last])  # type: ignore[arg-type]

    return write_group


def _coarse_writer(group: Group, separators: str) -> Callable[[Any], List[Optional[str]]]:
    """Writes the items of a group whose fixed(3) have fewer decimals the larger one of them is."""
    decide = attrgetter(*group.decimals_by)
    rows = []
    for item in group.items:
        number = item.value
        plain = (
            None if isinstance(number, Number) and number.decimals == 3 else _item_writer(item, separators)
        )
        high = number.high if isinstance(number, Number) else 0
        rows.append((attrgetter(item.member), high, plain))

    def write(value: Any) -> List[Optional[str]]:
        size = next((number for number in decide(value) if number is not None), 0)
        decimals = 3 if size < 1000 else 2 if size < 10000 else 1
        step = 10 ** (3 - decimals)
        texts: List[Optional[str]] = []
        for get, high, plain in rows:
            number = get(value)
            if plain is not None:
                texts.append(plain(number))
            elif number is None or not 0 <= number <= high:
                texts.append("-")
            else:
                # Rounded half up.
                texts.append(_fixed((number + step // 2) // step, decimals))
        return texts

    return write


def _row_writer(row: Row) -> _Writer:
    write = _number_writer(row.value, "-")
    separator = row.separator
    return lambda values: separator.join(map(write, values))  # type: ignore[arg-type]


def _cells_writer(cells: Cells) -> _Writer:
    most = cells.most

    def write(levels: Tuple[Optional[int], ...]) -> str:
        if len(levels) > most:
            levels = average_levels(levels, most)
        return "".join(
            [_LEVELS[level] if level is not None and 0 <= level <= 15 else "-" for level in levels]
        )

    return write


def _repeat_writer(repeat: Repeat) -> _Writer:
    write_group = _group_writer(repeat.group, "|,")
    kept = slice(-repeat.most, None) if repeat.newest else slice(repeat.most)

    def write(groups: Tuple[Any, ...]) -> Optional[str]:
        texts = [text for text in map(write_group, groups) if text is not None]
        return ",".join(texts[kept]) or None

    return write


def _numbered_writer(key: str, numbered: Numbered) -> _Writer:
    write_group = _group_writer(numbered.group)
    most = numbered.most
    starts = [f"{key}{index}=" for index in range(most)]

    def write(groups: Tuple[Any, ...]) -> str:
        texts = []
        last = -1
        for group in groups:
            if not last < group.index < most:
                return write(_placed(groups, most))
            last = group.index
            texts.append(starts[last] + (write_group(group) or "-"))
        return "|".join(texts)

    return write


_DATA = _LineWriter(DATA)
_INFO = _LineWriter(INFO)
_HELLO = _LineWriter(HELLO)
_HEALTH = _LineWriter(HEALTH)
_ANNOUNCE = _LineWriter(ANNOUNCE)
