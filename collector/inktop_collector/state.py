"""Files that outlive a moment: the known GPUs (state directory) and the status (runtime directory).

Both hold lines of fields separated by tabs. A file is replaced as a whole: a reader never sees half of one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence

from .log import Log
from .text import number, printable

KNOWN_FILE = "gpus.tsv"
STATUS_FILE = "status.tsv"
#: More is damage, as are more cards than this.
MAX_STATE_CHARS = 1 << 16
MAX_KNOWN = 64
#: The year 9999: no calendar goes on after it.
MAX_EPOCH_S = 253_402_300_799
MAX_IDENTITY_CHARS, MAX_NAME_CHARS = 32, 64


def replace_file(path: str, text: str, outlives_power: bool = True) -> Optional[str]:
    """Writes a file whole; what went wrong, ``None`` if nothing did.

    With ``outlives_power`` the content is on the disk before the name is: after a power cut there is
    the old file or the new one, not an empty one.
    """
    fresh = f"{path}.{os.getpid()}.new"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            with open(fresh, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
                file.flush()
                if outlives_power:
                    os.fsync(file.fileno())
            os.replace(fresh, path)
        except OSError:
            _forget(fresh)
            raise
    except OSError as problem:
        return f"{path}: {problem.strerror}"
    return None


def _forget(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def read_rows(path: str) -> List[List[str]]:
    """Fields of every line, none if the file is not there or damaged."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return [line.split("\t") for line in file.read(MAX_STATE_CHARS).split("\n") if line]
    except OSError:
        return []


@dataclass(frozen=True)
class KnownGpu:
    """One card; ``lost_at`` is in epoch seconds, 0 if it was there."""

    identity: str
    name: str
    integrated: bool
    lost_at: int


def _known(row: Sequence[str]) -> Optional[KnownGpu]:
    """The card of one line, ``None`` if the line is damaged."""
    lost_at = number(row[3]) if len(row) >= 4 else None
    if lost_at is None or lost_at > MAX_EPOCH_S or not 0 < len(row[0]) <= MAX_IDENTITY_CHARS:
        return None
    if not row[0].isprintable() or " " in row[0]:
        return None
    return KnownGpu(row[0], printable(row[1])[:MAX_NAME_CHARS], row[2] == "integrated", lost_at)


class KnownGpus:
    """The file of the cards that this machine has, in the order of their slots."""

    def __init__(self, folder: str, log: Log) -> None:
        self.path = os.path.join(folder, KNOWN_FILE)
        self._log = log
        self._written = ""
        self._complained = False

    def load(self) -> List[KnownGpu]:
        """The cards of the last run; a line that is damaged is left out, and the log says so."""
        found: Dict[str, KnownGpu] = {}
        damaged = 0
        for row in read_rows(self.path):
            card = _known(row)
            if card is None or card.identity in found or len(found) >= MAX_KNOWN:
                damaged += 1
            else:
                found[card.identity] = card
        if damaged:
            self._log(f"{self.path}: {damaged} damaged lines are left out")
        return list(found.values())

    def save(self, cards: Sequence[KnownGpu]) -> None:
        """Writes them, if anything changed. A folder that cannot be written is logged once."""
        kinds = {True: "integrated", False: "discrete"}
        text = "".join(
            f"{c.identity}\t{printable(c.name)}\t{kinds[c.integrated]}\t{c.lost_at}\n" for c in cards
        )
        if text == self._written:
            return
        first, self._written = not self._written, text
        if first and not text and not os.path.exists(self.path):
            return
        problem = replace_file(self.path, text)
        if problem and not self._complained:
            self._complained = True
            self._log(f"cannot remember the GPUs: {problem}; set a state directory that can be written")
