"""What several commands take on their command line, each checked with a sentence that says what it may be."""

from __future__ import annotations

import argparse
import re
from typing import Tuple

from inktop_tools.errors import InktopError


def port(text: str) -> int:
    """A TCP port, 0: a free one. Raises InktopError."""
    if not re.fullmatch(r"[0-9]{1,5}", text) or int(text) > 65535:
        raise InktopError(f"{text!r} is no port: 1 to 65535, 0 takes a free one.")
    return int(text)


def setting(text: str) -> Tuple[str, str]:
    """A setting of a virtual board, NAME=VALUE. Raises InktopError."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InktopError(f"{text!r} sets nothing: write NAME=VALUE, as clock=12.")
    return name, value


def add_settings(parser: argparse.ArgumentParser) -> None:
    """The option for settings of a virtual board."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the board, as `inktop configure set` takes it: span=60m, clock=12, degrees=F",
    )


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
