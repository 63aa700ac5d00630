"""The status file in the runtime directory: which boards are connected and how they are."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Dict, Iterable, List, Optional

from .board_settings import in_force, refused
from .log import Log
from .server.connection import Connection
from .state import STATUS_FILE, read_rows, replace_file
from .text import number

#: How often it is written, and how soon after a board came, went or reported. More often would cost
#: as much as sampling.
STATUS_EVERY_S = 30.0
STATUS_SOON_S = 1.0
#: Columns of a board's row, after the word ``board``.
COLUMNS = (
    "id",
    "peer",
    "firmware",
    "connected_s",
    "sent",
    "dropped",
    "queued",
    "bad",
    "settings",
    "refused",
    "health_s",
    "uptime_s",
    "heap",
    "psram",
    "rssi",
    "updates",
    "washes",
    "refresh_ms",
    "errors",
    "bad_lines",
    "block",
    "low",
    "main_stack",
    "network_stack",
    "mhz",
)


def start_ticks(pid: int) -> str:
    """When a process started, as /proc says it; ``""`` if there is no such process.

    It distinguishes a process from a later one with the same number.
    """
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


class StatusFile:
    """Written now and then; without a runtime directory it is not."""

    def __init__(self, folder: str, log: Log) -> None:
        self.path = os.path.join(folder, STATUS_FILE) if folder else ""
        self._log = log
        self._written_at = -STATUS_EVERY_S
        self.changed = True
        #: How often somebody acknowledged, and how many events that dropped the last time.
        self._acks, self._acknowledged = 0, 0
        self._complained = False
        other = read_status(folder) if folder else None
        if other is not None and other.pid != os.getpid():
            self.path = ""
            log(f"no status file: that of process {other.pid} is in {folder}; --runtime-dir sets another")

    def acknowledged(self, count: int) -> None:
        """Has the next ``write`` tell it, at once: `ack` waits for that."""
        self._acks += 1
        self._acknowledged = count
        self._written_at = -STATUS_EVERY_S

    def write(self, port: int, boards: Iterable[Connection], now: float) -> None:
        """Writes it if it is time."""
        if not self.path or now - self._written_at < (STATUS_SOON_S if self.changed else STATUS_EVERY_S):
            return
        self._written_at = now
        self.changed = False
        pid = os.getpid()
        mine = (pid, start_ticks(pid), port, int(time.time()), self._acks, self._acknowledged)
        rows = [["collector", *map(str, mine)]]
        rows += [_row(board, now) for board in boards]
        text = "".join("\t".join(row) + "\n" for row in rows)
        problem = replace_file(self.path, text, outlives_power=False)
        if problem and not self._complained:
            self._complained = True
            self._log(f"no status file: {problem}; `inktop-collector boards` will not work")

    def remove(self) -> None:
        """Removes it at the end."""
        if self.path:
            try:
                os.unlink(self.path)
            except OSError:
                return


def _row(board: Connection, now: float) -> List[str]:
    hello, health = board.hello, board.health
    values: List[object] = [
        "board",
        hello.board if hello else "-",
        board.peer,
        hello.firmware if hello else "-",
        int(now - board.connected_at),
        board.sent,
        board.dropped,
        len(board.queue),
        board.bad,
        in_force(board.settings) if board.settings else "-",
        refused(board.settings) if board.settings else "-",
    ]
    if health is not None:
        values += [
            int(now - board.health_at),
            health.uptime_s,
            health.heap_bytes,
            health.psram_bytes,
            health.rssi_dbm,
            health.updates,
            health.washes,
            health.refresh_ms,
            ",".join(f"{c.kind}:{c.count}" for c in health.refresh_errors) or "none",
            ",".join(f"{c.kind}:{c.count}" for c in health.bad_lines) or "none",
            health.largest_block_bytes,
            health.lowest_heap_bytes,
            health.main_stack_bytes,
            health.network_stack_bytes,
            health.panel_mhz,
        ]
    values += [None] * (len(COLUMNS) + 1 - len(values))
    return ["-" if value is None else str(value) for value in values]


@dataclass(frozen=True)
class Status:
    """What the file says. ``boards`` maps column names to text.

    ``acks``: how often somebody acknowledged; ``acknowledged``: the events that dropped the last time.
    """

    pid: int
    port: int
    boards: List[Dict[str, str]]
    acks: int = 0
    acknowledged: int = 0


def read_status(folder: str) -> Optional[Status]:
    """The status of the collector that runs now, ``None`` if none does."""
    rows = read_rows(os.path.join(folder, STATUS_FILE))
    if not rows or rows[0][0] != "collector" or len(rows[0]) < 5:
        return None
    words = (rows[0][1], rows[0][3], rows[0][4], *(rows[0][5:7] or ("0", "0")))
    numbers = [n for n in map(number, words) if n is not None]
    if len(numbers) != 5:
        return None
    pid, port, written, acks, acknowledged = numbers
    if not rows[0][2] or start_ticks(pid) != rows[0][2]:
        return None
    boards = [dict(zip(COLUMNS, row[1:])) for row in rows[1:] if row[0] == "board"]
    age_s = max(0, int(time.time()) - written)
    for board in boards:
        for name in ("connected_s", "health_s"):  # they went on since the file was written
            seconds = number(board.get(name, "-"))
            if seconds is not None:
                board[name] = str(seconds + age_s)
    whole = [board for board in boards if len(board) == len(COLUMNS)]
    return Status(pid, port, whole, acks, acknowledged)
