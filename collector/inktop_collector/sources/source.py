"""What a source is: something that is measured for the line.

A source is made from the settings, once (``registry.SOURCES``), and read every second in a thread. Its values
have the names of the fields of ``Snapshot`` or ``InfoLine``, so no other place needs to know a new source.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from inktop_protocol.model import Event

from ..files import NO_ERROR, NOT_A_NUMBER, File

#: Fields of ``Snapshot`` or of ``InfoLine`` by their names.
Values = Dict[str, Any]


@dataclass(frozen=True)
class Began:
    """An event on the board and the moment it began (monotonic seconds)."""

    at: float
    event: Event


@dataclass
class Reading:
    """What one read of a source gives: fields of ``Snapshot``, and the events that are on."""

    values: Values
    events: Tuple[Began, ...] = ()


@dataclass(frozen=True)
class Row:
    """One row of ``doctor``: what it is about, what was found, what is wrong and what to do.

    ``broken``: something that worked, or was asked for, does not work.
    """

    title: str
    found: str
    note: str = ""
    broken: bool = False


class Source:
    """One thing that is measured. ``read`` may block; ``base`` and ``facts`` must not."""

    name = ""

    def read(self) -> Reading:
        """Measures once, in a thread."""
        raise NotImplementedError

    def base(self) -> Values:
        """What the line says while there is no fresh reading, or none with values."""
        return {}

    def facts(self) -> Values:
        """Fields of ``InfoLine``, from what ``read`` has seen."""
        return {}

    def doctor(self, reading: Reading) -> List[Row]:
        """What ``read`` found and what it could not read."""
        return [Row(self.name, "read")]


#: What an errno of a read means to a person.
ADVICE = {
    errno.ENOENT: "this kernel or card does not have it",
    errno.EACCES: "not allowed: is the collector in a sandbox or container without /sys or /proc?",
    errno.EPERM: "the driver refuses: is the card being reset? `dmesg` tells",
    errno.EBUSY: "the card is asleep",
    errno.EINVAL: "the driver has no value for it on this card",
    errno.EOPNOTSUPP: "the driver does not support it on this card",
    errno.ENODEV: "the device is gone: `dmesg` tells why",
    errno.EIO: "the device does not answer: `dmesg` tells why",
}


def explain(error: int) -> str:
    """An errno as a person reads it."""
    if error == NOT_A_NUMBER:
        return "holds no number"
    # Linux gives this number two names; drivers and the kernel's documentation use this one.
    name = "EOPNOTSUPP" if error == errno.EOPNOTSUPP else errno.errorcode.get(error, str(error))
    return f"{name}: {ADVICE.get(error, os.strerror(error))}"


def problem(file: File, what: str) -> str:
    """What went wrong with the last read of a file, ``""`` if nothing did."""
    return "" if file.error == NO_ERROR else f"{what}: {explain(file.error)}"


def or_unknown(value: Optional[object], unit: str = "") -> str:
    """A value with its unit for a row."""
    return "unknown" if value is None else f"{value}{unit}"
