"""What this collector holds for its boards: ``[board]`` for all of them, ``[board NAME]`` for one.

Which settings there are, and what each may be, is the board's to say: it answers with what is in force
and what it did not take (protocol, section 14). Here is checked only what could not be sent.
"""

from __future__ import annotations

from typing import Dict, List, Tuple

from inktop_protocol.forms import ALPHABETS
from inktop_protocol.model import MAX_SETTINGS, Assignment, SettingsLine
from inktop_protocol.schema import NAME

#: The settings of each board by its id; of all boards under "".
BoardSettings = Dict[str, Dict[str, str]]

MAX_NAME, MAX_VALUE, MAX_BOARD = 15, 23, 31
#: What no board takes from a server, because it could cut the board off; some of it is secret, too.
CABLE_ONLY = ("ssid", "password", "servers", "key", "id")
#: What the letters of a board's answer mean, in a word and for a person.
ORIGINS = {
    "s": ("server", "from here"),
    "o": ("board", "set on the board"),
    "h": ("held", "held on the board"),
    "d": ("default", "default"),
}
REFUSALS = {
    "unknown": "its firmware does not know it",
    "value": "out of range",
    "cable": "set over the cable only",
}


def board_name(text: str) -> str:
    """The id in ``[board ID]``. Raises ValueError."""
    if not (len(text) <= MAX_BOARD and ALPHABETS[NAME].issuperset(text)):
        raise ValueError(f"a board's id has up to {MAX_BOARD} characters of A-Z a-z 0-9 . _ -")
    return text


def check_setting(name: str, value: str) -> None:
    """Whether it can be sent. Raises ValueError."""
    if name in CABLE_ONLY:
        raise ValueError(f"{name} is set over the cable: inktop configure set {name}")
    if not 1 <= len(name) <= MAX_NAME or not ALPHABETS[NAME].issuperset(name):
        raise ValueError(f"{name!r} is no name of a setting: inktop configure list shows them")
    if not 1 <= len(value) <= MAX_VALUE or not (value.isascii() and value.isprintable()):
        raise ValueError(f"{name} must be 1 to {MAX_VALUE} printable characters")
    if set(value) & set(",|"):
        raise ValueError(f"{name} must not hold , or |")


def too_many(boards: BoardSettings) -> str:
    """Why not all of them can be sent, "" if they can."""
    for board in boards:
        if len(_merged(boards, board)) > MAX_SETTINGS:
            of = f"board {board} has" if board else "there are"
            return f"{of} more than {MAX_SETTINGS} settings, which is what one line holds"
    return ""


def settings_line(boards: BoardSettings, board: str) -> SettingsLine:
    """All that is held for a board."""
    values = _merged(boards, board)
    return SettingsLine(values=tuple([Assignment(name, value) for name, value in values.items()]))


def _merged(boards: BoardSettings, board: str) -> Dict[str, str]:
    return {**boards.get("", {}), **boards.get(board, {})}


# -- a board's answer, in the status file and for a person --


def in_force(answer: SettingsLine) -> str:
    """``name:origin:value``, by commas; "none" when it names none."""
    origins = answer.origins or ""
    return (
        ",".join(
            f"{item.name}:{origin}:{item.value}"
            for item, origin in zip(answer.values, origins.ljust(len(answer.values), "d"))
        )
        or "none"
    )


def refused(answer: SettingsLine) -> str:
    """``name:why``, by commas; "none" when it took all."""
    return ",".join(f"{item.name}:{item.why}" for item in answer.refusals) or "none"


def read_in_force(text: str) -> List[Tuple[str, str, str]]:
    """(name, letter of its origin, value) of what ``in_force`` wrote."""
    found = []
    for item in text.split(","):
        name, origin, value = (item.split(":", 2) + ["", ""])[:3]
        if value and origin in ORIGINS:
            found.append((name, origin, value))
    return found


def read_refused(text: str) -> List[Tuple[str, str]]:
    """(name, why) of what ``refused`` wrote."""
    pairs = [item.partition(":") for item in text.split(",") if ":" in item]
    return [(name, why) for name, _, why in pairs]
