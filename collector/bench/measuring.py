"""What the measurements share: figures, the CPU and memory of a process, a server that is measured."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Dict, List, Optional

ROOM = Path(__file__).resolve().parent.parent
PROJECT = ROOM.parent
PATHS = [str(ROOM), str(PROJECT / "protocol")]
WORK = PROJECT / "build" / "bench"
#: Started as the service starts: no site, no environment.
BARE = [sys.executable, "-I", "-S"]
SERVE = (
    f"import sys; sys.path[:0] = {PATHS!r}\nfrom inktop_collector.cli import run\nsys.exit(run(sys.argv[1:]))"
)
#: Every figure so far: name, value, what it was measured beside, target, whether that was met.
rows: List[Dict[str, object]] = []


def say(name: str, value: str, target: str, good: Optional[bool], beside: str = "") -> None:
    """One line of the result."""
    mark = "" if good is None else "ok" if good else "MISSED"
    rows.append({"name": name, "value": value, "baseline": beside, "target": target, "met": good})
    print(f"{name:<62} {value:>16}   target {target:<12} {mark}", flush=True)
    if beside:
        print(f"    ({beside})", flush=True)


def finish(part: str) -> int:
    """Writes the figures for the table of `make bench`; the exit code, 1 when a target was missed."""
    WORK.mkdir(parents=True, exist_ok=True)
    (WORK / f"{part}.json").write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    return 1 if any(row["met"] is False for row in rows) else 0


def resident_kib(pid: int) -> int:
    """Resident memory of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def cpu_s(pid: int) -> float:
    """CPU time of a process and all its threads, from the scheduler's own clock (ns)."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def per_call_us(*calls: Callable[[], object], count: int = 100, rounds: int = 21) -> List[float]:
    """CPU time of each call, all threads, µs: the best of some rounds, in turns, so that noise meets all."""
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for number, call in enumerate(calls):
            call()
            before = time.process_time()
            for _ in range(count):
                call()
            best[number] = min(best[number], (time.process_time() - before) / count * 1e6)
    return best


class Process:
    """A process that is measured, ended at the end."""

    def __init__(self, command: List[str], **more: object) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **more,  # type: ignore[call-overload]
        )
        self.pid: int = self.process.pid

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        return int(asking.getsockname()[1])


def connect(port: int, seconds: float = 10.0) -> socket.socket:
    """A connection to a server that is starting."""
    end = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=5)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
