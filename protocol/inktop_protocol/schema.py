"""What a row of the table can say: the kinds of value, and how values make a key, a list, a line.

``table`` is written in these words; ``encode``, ``decode`` and ``generate.py`` read them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple, Union

#: What a text may hold; anything else is a bad value. PRINTABLE: all that a value (an item of a
#: list: without its separator) can hold.
PRINTABLE = "printable"
NAME = "name"  # A-Z a-z 0-9 . _ -
LETTERS = "letters"  # a-z
LETTERS_DIGITS = "letters_digits"  # a-z 0-9


@dataclass(frozen=True)
class Number:
    """A uint, an int where ``low`` is negative, or fixed(``decimals``): then a multiple of 10^-decimals.

    ``low`` and ``high`` are in units of the member, after rounding.
    """

    low: int
    high: int
    unit: str = ""
    decimals: int = 0
    #: What an encoder does with a number above the range: a counter stays at its
    #: maximum, others become unknown.
    counter: bool = False


@dataclass(frozen=True)
class Text:
    """1 to ``most`` characters of ``letters``."""

    most: int
    letters: str = PRINTABLE
    #: What an encoder maps the text to when that is less than a decoder takes.
    mapped: Optional[str] = None
    #: Written for a text outside its letters. Without it, such a word is not written at all.
    instead: Optional[str] = None


@dataclass(frozen=True)
class Form:
    """A text with a grammar of its own (``forms``): its name and its longest text."""

    name: str
    most: int


Value = Union[Number, Text, Form]


@dataclass(frozen=True)
class Item:
    """One value of a group. One that is not required may be ``-`` or missing: it is unknown then."""

    member: str
    value: Value
    meaning: str
    required: bool = False
    #: What a missing item means, and what is left off at the end of the list; such an item cannot be ``-``.
    default: Optional[str] = None


@dataclass(frozen=True)
class Group:
    """Several values in one: a dataclass in Python, a struct in C++."""

    type: str
    doc: str
    items: Tuple[Item, ...]
    separator: str = ","
    #: Items that encoders always write: unknown ones at the end beyond them are left off.
    least: int = 1
    #: Whether more items than these are a bad value; else they are ignored.
    closed: bool = False
    #: The members, the first known of which says how many decimals encoders write: one from 10 units
    #: up, two below that, three below 1.
    decimals_by: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """A fixed count of numbers of one sort, each of which may be unknown."""

    value: Number
    count: int
    separator: str = ","


@dataclass(frozen=True)
class Cells:
    """1 to ``most`` hexadecimal digits, each of which may be ``-``. Encoders average more into ``most``."""

    most: int


@dataclass(frozen=True)
class Repeat:
    """1 to ``most`` groups by ``,``: more are a bad value. Encoders keep the first ones, or the newest."""

    group: Group
    most: int
    newest: bool = False


@dataclass(frozen=True)
class Numbered:
    """A group for each of the keys ``key0`` … ``key(most-1)``; the number becomes ``index``."""

    group: Group
    most: int


Shape = Union[Value, Group, Row, Cells, Repeat, Numbered]


@dataclass(frozen=True)
class Key:
    """One key of a kind of line and the member that holds it."""

    key: str
    member: str
    shape: Shape
    meaning: str
    required: bool = False
    #: Always written, ``-`` when unknown; missing and ``-`` are the same.
    always: bool = False
    #: Must be the last field: what it signs is all before it.
    last: bool = False
    #: The flag in C++ that says whether the key was there, where it is not ``has_`` and the member.
    flag: str = ""


@dataclass(frozen=True)
class Unknown:
    """Shedding: these items of a group become ``-``."""

    key: str
    members: Tuple[str, ...]


@dataclass(frozen=True)
class Average:
    """Shedding: cells are averaged into fewer."""

    key: str
    cells: int


@dataclass(frozen=True)
class Newest:
    """Shedding: a repeated group keeps its newest."""

    key: str
    count: int


@dataclass(frozen=True)
class LeaveOut:
    """Shedding: the key is left out."""

    key: str


@dataclass(frozen=True)
class DropLast:
    """Shedding: groups go from the end (the highest number) down, one a step; the first stays."""

    key: str


@dataclass(frozen=True)
class Cut:
    """Shedding: a text of a group is cut."""

    key: str
    member: str
    most: int


Shed = Union[Unknown, Average, Newest, LeaveOut, DropLast, Cut]


@dataclass(frozen=True)
class Kind:
    """One kind of line. ``keys`` are in the order in which encoders write them."""

    name: str
    key: str
    type: str
    doc: str
    keys: Tuple[Key, ...]
    #: What an encoder does, one after the other, until the line fits: the steps of the specification.
    shedding: Tuple[Tuple[Shed, ...], ...] = ()
    #: Whether the first key holds the version. It is a member too: the first, or else the last.
    versioned: bool = True
    version_first: bool = False
    #: Whether the board writes it: the C++ encoder is for these.
    from_board: bool = False
