"""From a value's change in /proc to the panel: a collector on recorded files, a virtual board, wall time.

The board is a panel model that takes a real one's time for each refresh. What is awaited is that the memory
panel shows something else and the refresh is over.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import List

ROOM = Path(__file__).resolve().parent.parent
# In place of this folder, in which bench.py would be all of `bench`.
sys.path[:1] = [str(ROOM), str(ROOM.parent / "protocol"), str(ROOM.parent / "tools")]

from bench.measuring import BARE, SERVE, connect, finish, free_port, say  # noqa: E402
from inktop_tools.virtual import host  # noqa: E402
from inktop_tools.virtual.virtual_board import SimulatedClock, VirtualBoard  # noqa: E402
from testkit.recorded import Machine  # noqa: E402

CHANGES = 40
#: A sample may have been missed by a moment, a line waits for the refresh before it, an update may be due in
#: 2 s and takes 0.2 s.
MEDIAN_S, WORST_S = 2.0, 4.0
TOTAL_KB = 64 << 20


class Files:
    """The recorded files that change, each at once: a reader sees the old one or the new one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "proc"

    def _write(self, name: str, text: str) -> None:
        fresh = self._folder / f"{name}.new"
        fresh.write_text(text)
        fresh.rename(self._folder / name)

    def memory(self, used_kb: int) -> None:
        """So much is in use."""
        free = TOTAL_KB - used_kb
        self._write("meminfo", f"MemTotal: {TOTAL_KB} kB\nMemFree: 0 kB\nMemAvailable: {free} kB\n")

    def uptime(self) -> None:
        """Time goes on: a board takes a line with the uptime of the one before for the same second."""
        self._write("uptime", f"{time.monotonic() + 3600:.2f} 0.00\n")


def measure(files: Files, board: VirtualBoard) -> List[float]:
    """Seconds of each change."""
    chance = random.Random(17)
    taken: List[float] = []

    def seen() -> List[bytes]:
        """What the panel shows of the memory, without its graph."""
        places = {each["name"]: each for each in board.app.elements()}
        whole, graph = places["mem"], places["mem graph"]
        bits, pitch = board.app.panel_bits(), board.size[0] // 8
        first, last = whole["x"] // 8, (whole["x"] + whole["width"]) // 8
        return [bits[row * pitch + first : row * pitch + last] for row in range(whole["y"], graph["y"])]

    def step() -> None:
        files.uptime()
        board.step()

    def run(until_s: float) -> None:
        while time.monotonic() < until_s:
            step()

    run(time.monotonic() + 8.0)  # the first wash, and the first update after it
    for number in range(CHANGES):
        before = seen()
        changed_at = time.monotonic()
        files.memory((24 if number % 2 == 0 else 8) << 20)

        while seen() == before:
            step()
            if time.monotonic() - changed_at > 30:
                raise SystemExit("the panel does not show the change")
        # Now the refresh begins that shows it; in the list it is when its time on the panel is over.
        newest = board.refreshes[0]
        while board.refreshes[0] is newest:
            step()
        taken.append(time.monotonic() - changed_at)
        run(time.monotonic() + chance.uniform(0.5, 2.5))
    return taken


def main() -> int:
    """Median and worst; the exit code is 1 when a target was missed."""
    with tempfile.TemporaryDirectory() as folder:
        Machine(Path(folder))
        files = Files(Path(folder))
        files.uptime()
        files.memory(8 << 20)
        port = free_port()
        serve = [
            "serve",
            "--bind",
            "127.0.0.1",
            "--port",
            str(port),
            "--no-announce",
            "--config",
            "/dev/null",
        ]
        serve += ["--procfs", f"{folder}/proc", "--sysfs", f"{folder}/sys", "--runtime-dir", folder]
        collector = subprocess.Popen([*BARE, "-c", SERVE, *serve], stderr=subprocess.DEVNULL)
        try:
            connect(port).close()
            board = VirtualBoard(f"127.0.0.1:{port}", host.BoardSettings(), SimulatedClock())
            taken = measure(files, board)
            board.close()
        finally:
            collector.terminate()
            collector.wait()
    for name, value, limit in (
        ("median", statistics.median(taken), MEDIAN_S),
        ("worst", max(taken), WORST_S),
    ):
        name = f"from a change in /proc to the panel, {name} of {CHANGES}"
        say(name, f"{value:.2f} s", f"<= {limit:g} s", value <= limit)
    return finish("latency")


if __name__ == "__main__":
    sys.exit(main())
