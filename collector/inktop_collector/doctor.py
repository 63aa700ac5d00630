"""``doctor``: a table of what each source finds here, what it cannot read and why, and what to do."""

from __future__ import annotations

import os
import socket
import sys
import time
from pathlib import Path
from typing import List

from . import __version__
from .address import Networks
from .boards import find_status
from .config import CONFIG_FILE, Config
from .install import UNIT
from .preflight import missing
from .readers import STALE_S
from .sampler import Sampler
from .sources.group import HANGS_S
from .sources.source import Row
from .text import printable

#: How long the sources may take to answer: a card that has not by then is stale.
PATIENCE_S = STALE_S + 0.5
#: How long a read may take before the others go on without it.
AGAIN_S = HANGS_S + 0.05
#: A longer FOUND moves only its own NOTE.
MAX_FOUND_CHARS = 44


def table(rows: List[Row]) -> List[str]:
    """The rows as aligned lines."""
    first = max(len(row.title) for row in rows)
    second = min(MAX_FOUND_CHARS, max(len(row.found) for row in rows))
    return [f"{row.title:<{first}}  {row.found:<{second}}  {row.note}".rstrip() for row in rows]


def server_rows(config: Config) -> List[Row]:
    """The service, the port, the boards, the settings."""
    rows = service_rows()
    status = find_status(config)
    port = status.port if status else config.port
    rows.append(port_row(config, port, expected=status is not None or bool(rows)))
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
    outside = "" if "127.0.0.1" in Networks(config.allow) else "this machine itself may only ask who it is"
    rows.append(Row("allow", ", ".join(config.allow), outside))
    return rows


def service_rows(unit: Path = UNIT) -> List[Row]:
    """The service, if it is installed: whether what it runs is still there."""
    try:
        text = unit.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    starts = [
        line[len("ExecStart=") :].split() for line in text.splitlines() if line.startswith("ExecStart=")
    ]
    gone = [word for words in starts for word in words if word[0] == "/" and not os.path.exists(word)]
    if not gone:
        return [Row("service", "installed")]
    advice = "did an upgrade replace it? Install again: sudo python3 inktop-collector.pyz install"
    return [Row("service", f"cannot start: {gone[0]} is gone", advice, broken=True)]


def port_row(config: Config, port: int, expected: bool) -> Row:
    """Who answers on the port. ``expected``: a collector should."""
    address = config.bind if config.bind not in ("::", "0.0.0.0") else "127.0.0.1"
    try:
        with socket.create_connection((address, port), timeout=2) as connection:
            said = connection.recv(16)
    except OSError as problem:
        advice = (
            f"{problem.strerror or problem}: is the collector running? `systemctl status inktop-collector`"
        )
        return Row("port", f"{port} closed", advice, broken=expected)
    if said.startswith(b"info="):
        return Row("port", f"{port} answers")
    if not said and expected:
        advice = f"it does not allow {address}: a collector of another version?"
        return Row("port", f"{port} closes the connection without a word", advice, broken=True)
    advice = "another program has this port: choose one with port = N"
    return Row("port", f"{port} open, but not a collector's", advice, broken=True)


def doctor(config: Config, as_json: bool = False) -> int:
    """Prints the table; 1 when something is broken, else 0."""
    sampler = Sampler(config, lambda: None)
    deadline = time.monotonic() + PATIENCE_S
    sampler.begin()
    again_at = time.monotonic() + AGAIN_S
    while sampler.busy() and time.monotonic() < deadline:
        time.sleep(0.01)
        if time.monotonic() >= again_at:  # what waits behind a read that hangs is read beside it
            again_at += AGAIN_S
            sampler.begin()
    sampler.snapshot()
    rows = [*sampler.doctor(), *server_rows(config)]
    problem = missing(config.roots())
    broken = any(row.broken for row in rows) or problem is not None
    if as_json:
        import json

        found = [
            {"about": row.title.strip(), "found": row.found, "note": row.note, "broken": row.broken}
            for row in rows
        ]
        print(json.dumps({"collector": __version__, "broken": broken, "rows": found}, indent=2))
    else:
        python = sys.version.split()[0]
        print(f"inktop-collector {__version__}, Python {python}, {config.procfs}, {config.sysfs}")
        for line in table([Row("SOURCE", "FOUND", "NOTE"), *rows]):
            print(printable(line))
    if problem:
        print(f"inktop-collector: {problem}", file=sys.stderr)
    return 1 if broken else 0
