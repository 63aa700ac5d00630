"""Files that outlive a moment: the known GPUs (state directory) and the status (runtime directory).

Both hold lines of fields parted by tabs. A file is replaced as a whole, so that a reader never sees
half of one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import List, Optional, Sequence

from .log import Log

KNOWN_FILE = "gpus.tsv"
STATUS_FILE = "status.tsv"


def replace_file(path: str, text: str) -> Optional[str]:
    """Writes a file whole; what went wrong, ``None`` if nothing did."""
    fresh = f"{path}.{os.getpid()}.new"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(fresh, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(fresh, path)
    except OSError as problem:
        return f"{path}: {problem.strerror}"
    return None


def read_rows(path: str) -> List[List[str]]:
    """Fields of every line, none if the file is not there or damaged."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return [line.rstrip("\n").split("\t") for line in file.readlines(1 << 20)]
    except OSError:
        return []


@dataclass(frozen=True)
class KnownGpu:
    """One card; ``lost_at`` is in epoch seconds, 0 if it was there."""

    identity: str
    name: str
    integrated: bool
    lost_at: int


class KnownGpus:
    """The file of the cards that this machine has, in the order of their slots."""

    def __init__(self, folder: str, log: Log) -> None:
        self.path = os.path.join(folder, KNOWN_FILE)
        self._log = log
        self._written = ""
        self._complained = False

    def load(self) -> List[KnownGpu]:
        """The cards of the last run; a line that is damaged is left out."""
        found: List[KnownGpu] = []
        for row in read_rows(self.path):
            if len(row) >= 4 and row[0] and row[3].isdigit() and row[0] not in {k.identity for k in found}:
                found.append(KnownGpu(row[0], row[1], row[2] == "integrated", int(row[3])))
        return found

    def save(self, cards: Sequence[KnownGpu]) -> None:
        """Writes them, if anything changed. A folder that cannot be written is logged once."""
        text = "".join(
            f"{c.identity}\t{c.name}\t{'integrated' if c.integrated else 'discrete'}\t{c.lost_at}\n"
            for c in cards
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
