"""The host name."""

from __future__ import annotations

import os
import time
from typing import List

from ..files import Roots
from .source import Reading, Row, Source, Values

MAX_CHARS = 63
ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
#: A machine may be renamed, or moved to another time zone, while it runs.
AGAIN_S = 60.0


def clean_host(name: str) -> str:
    """A host name for the line: other than ``[A-Za-z0-9._-]`` becomes ``_``; 1 to 63 characters."""
    name = name.rstrip("\r\n\0")
    return "".join(c if c in ALPHABET else "_" for c in name[:MAX_CHARS]) or "-"


def host_name(roots: Roots) -> str:
    """The machine's own name. Never getfqdn: that asks a name server, and fails on odd names."""
    if not roots.this_machine:
        recorded = roots.proc("sys/kernel/hostname").read_text()
        if recorded:
            return clean_host(recorded)
    return clean_host(os.uname().nodename)


class Host(Source):
    """Reads the name once a minute, and the time zone with it."""

    name = "host"

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._reading = Reading({"host": "-"})
        self._again_at = 0.0

    def read(self) -> Reading:
        """``host``."""
        now = time.monotonic()
        if now >= self._again_at:
            self._again_at = now + AGAIN_S
            time.tzset()
            self._reading = Reading({"host": host_name(self._roots)})
        return self._reading

    def base(self) -> Values:
        """The name as it was last read, ``-`` before that."""
        return self._reading.values

    def doctor(self, reading: Reading) -> List[Row]:
        """The name."""
        return [Row(self.name, reading.values["host"])]
