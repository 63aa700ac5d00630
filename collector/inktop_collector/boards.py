"""``boards`` and ``ack``: what a person asks of the collector that runs on this machine."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Dict, List, Optional

from .board_settings import ORIGINS, REFUSALS, read_in_force, read_refused
from .config import Config
from .folders import SERVICE_RUNTIME, SERVICE_STATE, runtime_folder, state_folder
from .state import KNOWN_FILE, read_rows, replace_file
from .status import Status, read_status
from .text import number, printable

NOT_RUNNING = (
    "no collector is running here that keeps a status file: "
    "`systemctl status inktop-collector` tells of the service"
)
#: Column of the status file, what it is, and how many bytes there should at least be. The largest block
#: that the firmware's libraries take after the start has 4 KiB; the Wi-Fi driver takes and gives back
#: some ten buffers of 1.6 KiB; below 1 KiB a stack has no room for one more nested call of printf.
MEMORY_FLOORS = (
    ("block", "largest free block", 8192),
    ("low", "lowest free memory", 16384),
    ("main_stack", "free stack of the main task", 1024),
    ("network_stack", "free stack of the network task", 1024),
)

#: How long `ack` waits for the number of events: the collector writes it with its next line.
ACK_WITHIN_S = 3.0


def find_status(config: Config) -> Optional[Status]:
    """Status of the service, or of a collector started by hand."""
    folders = [config.runtime_dir] if config.runtime_dir else [SERVICE_RUNTIME, runtime_folder()]
    for folder in folders:
        status = read_status(folder)
        if status is not None:
            return status
    return None


def duration(text: str) -> str:
    """Seconds for people: ``42 s``, ``5 min``, ``3 h 20 min``, ``2 d 4 h``."""
    seconds = number(text)
    if seconds is None:
        return "-"
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min"
    if seconds < 86400:
        return f"{seconds // 3600} h {seconds % 3600 // 60} min"
    return f"{seconds // 86400} d {seconds % 86400 // 3600} h"


def _board_lines(board: Dict[str, str]) -> List[str]:
    lines = [
        f"{board['id']}  {board['peer']}  firmware {board['firmware']}  "
        f"connected {duration(board['connected_s'])}",
        f"  lines: {board['sent']} sent, {board['queued']} waiting, {board['dropped']} dropped, "
        f"{board['bad']} bad from it",
    ]
    lines += _settings_lines(board)
    if board["health_s"] == "-":
        return [*lines, "  health: none yet (a board reports every 30 s)"]
    return [
        *lines,
        f"  health {duration(board['health_s'])} ago: up {duration(board['uptime_s'])}, "
        f"Wi-Fi {board['rssi']} dBm, free {board['heap']} + {board['psram']} bytes PSRAM",
        f"  panel: {board['updates']} updates, {board['washes']} washes, "
        f"last {board['refresh_ms']} ms, "
        f"errors {board['errors']}, clock {board['mhz']} MHz; lines it dropped: {board['bad_lines']}",
        *_memory_lines(board),
    ]


def _settings_lines(board: Dict[str, str]) -> List[str]:
    """What is in force on the board, by whose it is; and what it did not take."""
    by_origin: Dict[str, List[str]] = {}
    for name, origin, value in read_in_force(board["settings"]):
        by_origin.setdefault(origin, []).append(f"{name} {value}")
    lines = [f"  settings, {ORIGINS[of][1]}: {', '.join(said)}" for of, said in by_origin.items()]
    lines += [
        f"  NOT TAKEN: {name}: {REFUSALS.get(why, why)}" for name, why in read_refused(board["refused"])
    ]
    return lines


def _memory_lines(board: Dict[str, str]) -> List[str]:
    known = [(name, board[column], floor) for column, name, floor in MEMORY_FLOORS if board[column].isdigit()]
    if not known:
        return []
    lines = ["  memory: " + ", ".join(f"{name} {value}" for name, value, _ in known) + " bytes"]
    lines += [
        f"  ALARM: {name} {value} bytes, it should be at least {floor}: restart the board, and when this "
        "comes back report it with these lines"
        for name, value, floor in known
        if int(value) < floor
    ]
    return lines


def _board_json(board: Dict[str, str]) -> Dict[str, object]:
    """A board's row with numbers as numbers, and unknown as null."""
    whole: Dict[str, object] = {}
    for name, text in board.items():
        if name in ("errors", "bad_lines"):
            pairs = (pair.partition(":") for pair in text.split(",") if ":" in pair)
            whole[name] = None if text == "-" else {kind: int(count) for kind, _, count in pairs}
        elif name == "settings":
            force = read_in_force(text)
            whole[name] = (
                None
                if text == "-"
                else {name: {"value": value, "from": ORIGINS[of][0]} for name, of, value in force}
            )
        elif name == "refused":
            whole[name] = None if text == "-" else dict(read_refused(text))
        elif name in ("id", "peer", "firmware"):
            whole[name] = None if text == "-" else text
        else:
            whole[name] = None if text == "-" else int(text)
    return whole


def boards(config: Config, as_json: bool = False) -> int:
    """Prints the boards; 1 when no collector runs."""
    status = find_status(config)
    if status is None:
        print(NOT_RUNNING, file=sys.stderr)
        return 1
    if as_json:
        import json

        found = [_board_json(board) for board in status.boards]
        print(json.dumps({"port": status.port, "process": status.pid, "boards": found}, indent=2))
        return 0
    count = len(status.boards)
    print(f"collector on port {status.port} (process {status.pid}): {count} board{'s' * (count != 1)}")
    for board in status.boards:
        for line in _board_lines(board):
            print(printable(line))
    return 0


def acknowledge(config: Config) -> int:
    """Has the running collector drop its events; without one, forgets lost GPUs itself."""
    status = find_status(config)
    if status is not None:
        try:
            os.kill(status.pid, signal.SIGUSR1)
        except PermissionError:
            print(f"process {status.pid} belongs to another user: use sudo", file=sys.stderr)
            return 1
        except ProcessLookupError:
            print(NOT_RUNNING, file=sys.stderr)
            return 1
        print(f"{_acknowledged(config, status)}: the events leave the boards with the next line")
        return 0
    folders = [config.state_dir] if config.state_dir else [SERVICE_STATE, state_folder()]
    forgotten = 0
    for folder in dict.fromkeys(folders):
        path = os.path.join(folder, KNOWN_FILE)
        rows = read_rows(path)
        kept = [row for row in rows if len(row) < 4 or row[3] in ("", "0")]
        if len(kept) != len(rows):
            problem = replace_file(path, "".join("\t".join(row) + "\n" for row in kept))
            if problem:
                print(f"{problem}: use sudo", file=sys.stderr)
                return 1
            forgotten += len(rows) - len(kept)
    print(f"no collector is running; {forgotten} lost GPU{'s' * (forgotten != 1)} forgotten")
    return 0


def _acknowledged(config: Config, before: Status) -> str:
    """How many events the collector has dropped, as soon as it says so."""
    deadline = time.monotonic() + ACK_WITHIN_S
    while time.monotonic() < deadline:
        status = find_status(config)
        if status is not None and status.acks != before.acks:
            return f"acknowledged {status.acknowledged} event{'s' * (status.acknowledged != 1)}"
        time.sleep(0.05)
    return "acknowledged"
