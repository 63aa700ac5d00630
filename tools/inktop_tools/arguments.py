"""What several commands take on their command line, each checked with a sentence that says what it may be."""

from __future__ import annotations

import re

from inktop_tools.errors import InktopError


def port(text: str) -> int:
    """A TCP port, 0: a free one. Raises InktopError."""
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > 65535:
        raise InktopError(f"{text!r} is no port: 1 to 65535, 0 takes a free one.")
    return int(text)


def seconds(text: str) -> float:
    """A duration, at least 0. Raises InktopError."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1e9:
        raise InktopError(f"{text!r} is no duration: give seconds, as 20 or 0.5.")
    return value


def board_id(text: str) -> str:
    """A board's name. Raises InktopError."""
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,31}", text):
        raise InktopError(
            f"{text!r} is no name for a board: 1 to 31 letters, digits, dots, hyphens and underscores."
        )
    return text
