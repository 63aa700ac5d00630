"""The whole way: a collector's page of metrics, a real Prometheus, the relay, a board."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator, List

import pytest
from inktop_protocol import Snapshot, decode
from inktop_tools.virtual import host
from inktop_tools.virtual.virtual_board import SimulatedClock, VirtualBoard
from testkit.live import free_port
from testkit.prometheus import Prometheus

ROOT = Path(__file__).resolve().parents[3]
#: As it is copied to a server: one file, nothing installed.
ONE_FILE = [sys.executable, "-I", "-S", str(ROOT / "dist" / "inktop-collector.pyz")]


@pytest.fixture
def started() -> Iterator[List[subprocess.Popen[str]]]:
    processes: List[subprocess.Popen[str]] = []
    yield processes
    for process in reversed(processes):
        process.terminate()
        assert process.wait(10) == 0


def start(started: List[subprocess.Popen[str]], folder: Path, *arguments: str) -> subprocess.Popen[str]:
    folders = ("--config", os.devnull, "--state-dir", str(folder), "--runtime-dir", str(folder))
    process = subprocess.Popen(
        [*ONE_FILE, *arguments, "--bind", "127.0.0.1", "--no-announce", *folders],
        stderr=subprocess.PIPE,
        text=True,
    )
    started.append(process)
    return process


def ports(relay: subprocess.Popen[str], count: int) -> List[int]:
    """The ports of its log: of the machines, then of the fleet."""
    found: List[int] = []
    assert relay.stderr is not None
    while len(found) < count:
        line = relay.stderr.readline()
        assert line, "the relay has ended"
        found += [int(port) for port in re.findall(r"on port (\d+)", line)]
    return found


def shown(port: int, within_s: int) -> Snapshot:
    """What a board at that port has drawn, once the machine's CPU is in it."""
    clock = SimulatedClock(1.0, 1000)
    settings = host.BoardSettings(width=960, height=544, id="desk")
    board = VirtualBoard(f"127.0.0.1:{port}", settings, clock)
    try:
        while clock.now_ms() < within_s * 1000:
            board.step()
            if board.last_line.startswith("h="):
                said = decode(board.last_line.encode("ascii"))
                if isinstance(said, Snapshot) and said.cpu_permille is not None and board.refreshes:
                    return said
        raise AssertionError(f"nothing was drawn; the newest line is {board.last_line}")
    finally:
        board.close()


def test_a_board_shows_a_machine_that_the_relay_knows_from_a_real_prometheus(
    tmp_path: Path, started: List[subprocess.Popen[str]]
) -> None:
    pages = f"127.0.0.1:{free_port()}"
    start(started, tmp_path / "serve", "serve", "--port", "0", "--metrics", pages)
    with Prometheus(tmp_path, {"inktop": [pages]}) as prometheus:
        prometheus.wait_for("inktop_cpu_busy_ratio")
        relay = start(
            started,
            tmp_path / "relay",
            "relay",
            "--port",
            "0",
            "--engine",
            prometheus.url,
            "--hosts",
            "127.0.0.1",
        )
        machine, fleet = ports(relay, 2)
        assert machine != fleet
        said = shown(machine, 60)
        assert said.host == "127.0.0.1"  # the name of the target that Prometheus scrapes
        assert said.cpus == os.cpu_count()
        assert said.memory is not None
        total = re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())
        assert total is not None
        assert said.memory.total_milligib == pytest.approx(int(total[1]) * 1000 / (1 << 20), rel=0.01)
