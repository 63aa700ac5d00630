"""Text from outside: what a file, a driver or a person wrote, made fit to be shown and kept."""

from __future__ import annotations

from typing import Optional

#: More digits than any number here has; Python itself refuses to read some thousands of them.
MAX_DIGITS = 15


def printable(text: str) -> str:
    """The text with ``?`` for control characters and for what was not UTF-8."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


def number(text: str) -> Optional[int]:
    """A number of ASCII digits, ``None`` for all else.

    ``isdigit`` alone lets a superscript two pass, which ``int`` does not take.
    """
    fit = text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS
    return int(text) if fit else None
