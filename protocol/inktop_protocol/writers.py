"""A writer for each row of the table: from the value of a member to its text in a line."""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from typing import Any, Callable, FrozenSet, List, Optional, Tuple

from .forms import ALPHABETS, FORMS
from .schema import NAME, PRINTABLE, Cells, Form, Group, Item, Key, Number, Numbered, Repeat, Row, Text, Value
from .shed import average_levels

_LEVELS = "0123456789abcdef"

#: Gives the text of a value, ``None`` when there is no way to say it.
Writer = Callable[[Any], Optional[str]]


def placed(groups: Tuple[Any, ...], most: int) -> Tuple[Any, ...]:
    """The groups that have a place, ascending; of several at one place the first."""
    places = {group.index: group for group in reversed(groups) if 0 <= group.index < most}
    return tuple([places[index] for index in sorted(places)])


def key_writer(key: Key) -> Writer:
    """Gives ``key=value``, for numbered groups all of them; nothing when the key is left out."""
    start = f"{key.key}="
    shape, always, required = key.shape, key.always, key.required
    if isinstance(shape, Numbered):
        return _numbered_writer(key.key, shape)
    if isinstance(shape, Number):
        nothing = start + "-" if always else None
        write_number = _number_writer(shape, nothing, start)
        if not required:
            return write_number

        def write_needed(value: Any) -> str:
            text = write_number(value)
            if text is None:
                raise ValueError(f"{key.member} {value}: give one of {shape.low} to {shape.high}")
            return text

        return write_needed
    write = _shape_writer(key)

    def write_key(value: Any) -> Optional[str]:
        text = None if value is None else write(value)
        if text:
            return start + text
        if required:
            raise ValueError(f"{key.member} {value}: a line needs one")
        return start + "-" if always else None

    return write_key


def _shape_writer(key: Key) -> Writer:
    shape = key.shape
    if isinstance(shape, Group):
        return group_writer(shape)
    if isinstance(shape, Row):
        return _row_writer(shape)
    if isinstance(shape, Cells):
        return _cells_writer(shape)
    if isinstance(shape, Repeat):
        return _repeat_writer(shape)
    assert not isinstance(shape, Numbered)
    return _value_writer(shape, _stand_in(shape) if key.required else None)


def _stand_in(value: Value) -> Optional[str]:
    """What is written for an empty text where there must be one."""
    if not isinstance(value, Text) or value.letters not in (PRINTABLE, NAME):
        return None
    return "_" if NAME in (value.letters, value.mapped) else "-"


def _value_writer(value: Value, nothing: Optional[str], separators: str = "|") -> Writer:
    """``nothing`` is what is written for a value that is unknown, empty, or cannot be said."""
    if isinstance(value, Number):
        return _number_writer(value, nothing)
    if isinstance(value, Form):
        has_form = FORMS[value.name]
        return lambda text: text if text is not None and has_form(text) else nothing
    if value.letters in (PRINTABLE, NAME):
        return _mapped_writer(value, nothing, separators)
    letters, most = ALPHABETS[value.letters], value.most
    instead = value.instead or nothing
    return lambda text: text if text and len(text) <= most and letters.issuperset(text) else instead


def _number_writer(value: Number, nothing: Optional[str], start: str = "") -> Writer:
    """Gives the number after ``start``."""
    low, high, decimals = value.low, value.high, value.decimals
    beyond = f"{start}{high}" if value.counter else nothing

    def write(number: Optional[int]) -> Optional[str]:
        if number is None or number < low:
            return nothing
        if number > high:
            return beyond
        return f"{start}{number}"

    # Made once: a format that is put together for each number costs more than all else.
    scale: int = 10**decimals
    form = f"{start}%d.%0{decimals}d"

    def write_fixed(number: Optional[int]) -> Optional[str]:
        if number is None or not low <= number <= high:
            return nothing
        return form % divmod(number, scale)

    return write_fixed if decimals else write


def _mapped_writer(value: Text, nothing: Optional[str], separators: str) -> Writer:
    """Cuts the text, and replaces what its place does not allow."""
    most, allowed = value.most, _allowed(value.mapped or value.letters, separators)
    other = "_" if NAME in (value.letters, value.mapped) else "?"

    def write(text: Optional[str]) -> Optional[str]:
        if not text:
            return nothing
        text = text[:most]
        if allowed.issuperset(text):
            return text
        return "".join([char if char in allowed else "_" if char in separators else other for char in text])

    return write


@cache
def _allowed(letters: str, separators: str) -> FrozenSet[str]:
    """Once for all places that allow the same: each such set takes 8 KiB."""
    return ALPHABETS[letters].difference(separators)


def _item_writer(item: Item, separators: str) -> Writer:
    if item.required:
        return _value_writer(item.value, _stand_in(item.value), separators)
    return _value_writer(item.value, item.default or "-", separators)


def group_writer(group: Group, separators: str = "|") -> Writer:
    separator, least = group.separator, group.least
    separators += separator
    #: What is left off at the end of the list.
    silent = [item.default or "-" for item in group.items]
    values = attrgetter(*[item.member for item in group.items])
    items_writer = _coarse_writer if group.decimals_by else _items_writer
    write_items = items_writer(group, separators)
    last = len(silent)
    needed = any(item.required for item in group.items)

    def write_group(value: Any) -> Optional[str]:
        texts = write_items(values(value))
        if needed and None in texts:
            return None
        end = last
        while end > least and texts[end - 1] == silent[end - 1]:
            end -= 1
        return separator.join(texts if end == last else texts[:end])  # type: ignore[arg-type]

    return write_group


def _items_writer(group: Group, separators: str) -> Callable[[Tuple[Any, ...]], List[Optional[str]]]:
    ranges = []
    for item in group.items:
        number = item.value
        if not isinstance(number, Number) or item.required or number.counter or number.decimals:
            break
        ranges.append((number.low, number.high))
    writers = [_item_writer(item, separators) for item in group.items[len(ranges) :]]
    if group.closed:
        # The last item of a closed group is all that is left: its separator in it parts nothing.
        writers[-1] = _item_writer(group.items[-1], separators.replace(group.separator, ""))
    plain = len(ranges)

    def write(values: Tuple[Any, ...]) -> List[Optional[str]]:
        # Whole numbers that may be unknown, most of a GPU: a call for each would cost more than all else.
        texts: List[Optional[str]] = [
            str(number) if number is not None and low <= number <= high else "-"
            for number, (low, high) in zip(values, ranges)
        ]
        for write_item, value in zip(writers, values[plain:]):
            texts.append(write_item(value))
        return texts

    return write if plain else lambda values: [write(value) for write, value in zip(writers, values)]


def _coarse_writer(group: Group, separators: str) -> Callable[[Tuple[Any, ...]], List[Optional[str]]]:
    """Writes the items of a group whose fixed(3) have fewer decimals the larger one of them is."""
    decide = [[item.member for item in group.items].index(member) for member in group.decimals_by]
    rows: List[Tuple[int, Optional[Writer]]] = []
    for item in group.items:
        if isinstance(item.value, Number) and item.value.decimals == 3:
            rows.append((item.value.high, None))
        else:
            rows.append((0, _item_writer(item, separators)))

    def write(values: Tuple[Any, ...]) -> List[Optional[str]]:
        size = 0
        for at in decide:
            if values[at] is not None:
                size = values[at]
                break
        step, scale, form = (
            (1, 1000, "%d.%03d")
            if size < 1000
            else (10, 100, "%d.%02d")
            if size < 10000
            else (100, 10, "%d.%d")
        )
        texts: List[Optional[str]] = []
        for value, (high, write_other) in zip(values, rows):
            if write_other is not None:
                texts.append(write_other(value))
            elif value is None or not 0 <= value <= high:
                texts.append("-")
            else:
                # Rounded half up.
                texts.append(form % divmod((value + step // 2) // step, scale))
        return texts

    return write


def _row_writer(row: Row) -> Writer:
    write = _number_writer(row.value, "-")
    separator = row.separator
    return lambda values: separator.join(map(write, values))  # type: ignore[arg-type]


def _cells_writer(cells: Cells) -> Writer:
    most = cells.most

    def write(levels: Tuple[Optional[int], ...]) -> str:
        if len(levels) > most:
            levels = average_levels(levels, most)
        return "".join(
            [_LEVELS[level] if level is not None and 0 <= level <= 15 else "-" for level in levels]
        )

    return write


def _repeat_writer(repeat: Repeat) -> Writer:
    write_group = group_writer(repeat.group, "|,")
    kept = slice(-repeat.most, None) if repeat.newest else slice(repeat.most)

    def write(groups: Tuple[Any, ...]) -> Optional[str]:
        texts = [text for text in map(write_group, groups) if text is not None]
        return ",".join(texts[kept]) or None

    return write


def _numbered_writer(key: str, numbered: Numbered) -> Writer:
    write_group = group_writer(numbered.group)
    most = numbered.most
    starts = [f"{key}{index}=" for index in range(most)]

    def write(groups: Tuple[Any, ...]) -> str:
        texts = []
        last = -1
        for group in groups:
            if not last < group.index < most:
                return write(placed(groups, most))
            last = group.index
            texts.append(starts[last] + (write_group(group) or "-"))
        return "|".join(texts)

    return write
