"""``doctor``: a table of what each source finds here, what it cannot read and why, and what to do."""

from __future__ import annotations

import os
import socket
import sys
import time
from typing import List

from . import __version__
from .boards import find_status
from .config import CONFIG_FILE, Config
from .preflight import missing
from .readers import STALE_S
from .sampler import Sampler
from .sources.source import Row

#: How long the sources may take to answer: a card that has not by then is stale.
PATIENCE_S = STALE_S + 0.5
#: A longer FOUND moves only its own NOTE.
MAX_FOUND_CHARS = 44


def table(rows: List[Row]) -> List[str]:
    """The rows as aligned lines."""
    first = max(len(row.title) for row in rows)
    second = min(MAX_FOUND_CHARS, max(len(row.found) for row in rows))
    return [f"{row.title:<{first}}  {row.found:<{second}}  {row.note}".rstrip() for row in rows]


def server_rows(config: Config) -> List[Row]:
    """The port, the boards, the settings."""
    rows: List[Row] = []
    status = find_status(config)
    port = status.port if status else config.port
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            greeted = connection.recv(16).startswith(b"info=")
        answer = "answers" if greeted else "open, but not a collector's"
        advice = "" if greeted else "another program has this port: choose one with port = N"
        rows.append(Row("port", f"{port} {answer}", advice))
    except OSError as problem:
        advice = (
            f"{problem.strerror or problem}: is the collector running? `systemctl status inktop-collector`"
        )
        rows.append(Row("port", f"{port} closed", advice))
    if status is None:
        rows.append(Row("boards", "unknown", "no collector with a status file runs here"))
    else:
        ids = ", ".join(board["id"] for board in status.boards)
        advice = (
            "" if ids else "on the board: `set servers` to this machine's address; port open in the firewall?"
        )
        rows.append(Row("boards", ids or "none connected", advice))
    there = "there" if os.path.exists(CONFIG_FILE) else "not there: defaults"
    rows.append(Row("settings", f"{CONFIG_FILE} {there}"))
    rows.append(
        Row("key", "set" if config.key else "none", "" if config.key else "networks in `allow` may read")
    )
    rows.append(Row("allow", ", ".join(config.allow)))
    return rows


def doctor(config: Config) -> int:
    """Prints the table; 1 when a source of the machine gives no answer, else 0."""
    print(f"inktop-collector {__version__}, Python {sys.version.split()[0]}, {config.procfs}, {config.sysfs}")
    sampler = Sampler(config, lambda: None)
    deadline = time.monotonic() + PATIENCE_S
    sampler.begin()
    while sampler.busy() and time.monotonic() < deadline:
        time.sleep(0.01)
    sampler.snapshot()
    rows = [Row("SOURCE", "FOUND", "NOTE"), *sampler.doctor(), *server_rows(config)]
    for line in table(rows):
        print(line)
    problem = missing(config.roots())
    if problem:
        print(f"inktop-collector: {problem}", file=sys.stderr)
    return 0 if sampler.system.complete() and not problem else 1
