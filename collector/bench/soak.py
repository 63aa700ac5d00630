"""A real soak: a collector, eight boards of which two are dead slow, for as long as told (10 minutes).

Ends with exit code 1 when the line drifted, when the collector grew, or when a board that reads had to wait
more than 2 s for a line.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import List

ROOM = Path(__file__).resolve().parent.parent
PATHS = [str(ROOM), str(ROOM.parent / "protocol")]
SERVE = (
    f"import sys; sys.path[:0] = {PATHS!r}\nfrom inktop_collector.cli import run\nsys.exit(run(sys.argv[1:]))"
)
BOARDS, SLOW = 8, 2
MOST_SILENCE_S = 2.0
#: The grid is that of the collector's own clock: what a reader sees is late by its own scheduling, no more.
MOST_DRIFT_S = 0.5
MOST_GROWTH_KIB = 512


class Board(threading.Thread):
    """One board. A slow one takes 20 bytes a second, far less than it is sent."""

    def __init__(self, port: int, name: str, slow: bool) -> None:
        super().__init__(daemon=True)
        self.port, self.board, self.slow = port, name, slow
        self.times: List[float] = []
        self.bad = 0
        self.problem = ""

    def run(self) -> None:
        """Connects, says hello and reads until the end."""
        try:
            self._read()
        except OSError as problem:
            self.problem = str(problem)

    def _read(self) -> None:
        from inktop_protocol import Hello, Snapshot, encode_hello
        from inktop_protocol.decode import LineError, decode

        connection = socket.socket()
        if self.slow:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.settimeout(30)
        connection.connect(("127.0.0.1", self.port))
        connection.sendall(encode_hello(Hello(self.board, "0.1.0")))
        rest = b""
        while True:
            data = connection.recv(20 if self.slow else 65536)
            if not data:
                return
            if self.slow:
                time.sleep(1.0)
                continue
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                try:
                    if isinstance(decode(line), Snapshot):
                        self.times.append(time.monotonic())
                except LineError:
                    self.bad += 1


def resident_kib(pid: int) -> int:
    """Resident memory of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def judge(boards: List[Board], sizes: List[int], files: List[int]) -> List[str]:
    """What was not as it must be."""
    faults = []
    for board in boards:
        if board.slow:
            continue
        gaps = [b - a for a, b in zip(board.times, board.times[1:])]
        if board.problem or board.bad or len(gaps) < 3:
            faults.append(f"{board.board}: {board.problem or 'bad lines'} ({board.bad}), {len(gaps)} lines")
            continue
        drift = board.times[-1] - board.times[0] - len(gaps)
        if max(gaps) > MOST_SILENCE_S:
            faults.append(f"{board.board}: {max(gaps):.2f} s of silence")
        if abs(drift) > MOST_DRIFT_S:
            faults.append(f"{board.board}: drifted by {drift:.2f} s in {len(gaps)} lines")
    # The first samples are left out: queues of slow boards fill up to their limit.
    settled = sizes[len(sizes) // 2 :]
    if settled and settled[-1] - settled[0] > MOST_GROWTH_KIB:
        faults.append(f"resident memory grew from {settled[0]} to {settled[-1]} KiB")
    if files[-1] > files[len(files) // 2]:
        faults.append(f"descriptors grew from {files[len(files) // 2]} to {files[-1]}")
    return faults


def main() -> int:
    """Runs it; the exit code."""
    sys.path[:0] = PATHS
    seconds = float(sys.argv[sys.argv.index("--seconds") + 1]) if "--seconds" in sys.argv else 600.0
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        port = int(asking.getsockname()[1])
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-I",
            "-S",
            "-c",
            SERVE,
            "serve",
            "--bind",
            "127.0.0.1",
            "--port",
            str(port),
        ]
        command += ["--runtime-dir", folder, "--state-dir", folder]
        collector = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            time.sleep(1.0)
            boards = [Board(port, f"board{n}", n < SLOW) for n in range(BOARDS)]
            for board in boards:
                board.start()
            sizes, files = [], []
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                time.sleep(min(2.0, seconds / 10))
                sizes.append(resident_kib(collector.pid))
                files.append(len(list(Path(f"/proc/{collector.pid}/fd").iterdir())))
            faults = judge(boards, sizes, files)
        finally:
            collector.terminate()
            code = collector.wait(10)
    if code:
        faults.append(f"the collector ended with {code}")
    lines = sum(len(board.times) for board in boards)
    memory = f"resident {sizes[0]} to {sizes[-1]} KiB"
    print(f"{seconds:.0f} s, {BOARDS} boards ({SLOW} slow), {lines} lines, {memory}")
    for fault in faults:
        print(f"FAULT: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
