"""Characters and forms of the grammar (section 2): what a text may hold."""

from __future__ import annotations

from typing import Callable, Dict, FrozenSet

from .schema import LETTERS, LETTERS_DIGITS, NAME, PRINTABLE

_AZ = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = frozenset("0123456789")
_HEX = frozenset("0123456789abcdef")
#: ``|`` and the separator of a list cannot be in a value that was cut out of a line.
ALPHABETS: Dict[str, FrozenSet[str]] = {
    PRINTABLE: frozenset(map(chr, range(0x20, 0x7F))),
    NAME: frozenset(_AZ + _AZ.upper() + "0123456789._-"),
    LETTERS: frozenset(_AZ),
    LETTERS_DIGITS: frozenset(_AZ + "0123456789"),
}


def is_key(text: str) -> bool:
    """Whether the text is a key: a letter, then at most 15 letters and digits."""
    return 1 <= len(text) <= 16 and text[0] in _AZ and ALPHABETS[LETTERS_DIGITS].issuperset(text)


def is_uint(text: str) -> bool:
    """1 to 15 decimal digits."""
    return 1 <= len(text) <= 15 and _DIGITS.issuperset(text)


def is_hex(text: str) -> bool:
    """Lower-case hexadecimal digits, or nothing."""
    return _HEX.issuperset(text)


def _is_minute(text: str) -> bool:
    return (
        len(text) == 5
        and text[2] == ":"
        and _DIGITS.issuperset(text[:2] + text[3:])
        and text[:2] <= "23"
        and text[3:] <= "59"
    )


def _is_second(text: str) -> bool:
    return (
        len(text) == 8
        and _is_minute(text[:5])
        and text[5] == ":"
        and _DIGITS.issuperset(text[6:])
        and text[6:] <= "59"
    )


def is_pci(text: str) -> bool:
    """Whether it is a PCI address, with a domain of 4 digits, or of 5 to 8 without a leading zero."""
    domain, rest = text[:-8], text[-8:]
    return (
        (len(domain) == 4 or (5 <= len(domain) <= 8 and domain[0] != "0"))
        and rest[0] == rest[3] == ":"
        and rest[6] == "."
        and is_hex(domain + rest[1:3] + rest[4:6] + rest[7])
    )


def _is_size(text: str) -> bool:
    width, cross, height = text.partition("x")
    return (
        cross == "x" and 1 <= len(width) <= 5 and 1 <= len(height) <= 5 and _DIGITS.issuperset(width + height)
    )


#: Name of a form in the table to whether a text has it.
FORMS: Dict[str, Callable[[str], bool]] = {
    "HH:MM": _is_minute,
    "HH:MM:SS": _is_second,
    "dddd:bb:dd.f": is_pci,
    "WxH": _is_size,
    "32 hex": lambda text: len(text) == 32 and is_hex(text),
    "64 hex": lambda text: len(text) == 64 and is_hex(text),
}
