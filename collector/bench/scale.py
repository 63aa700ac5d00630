"""Eight collectors on this machine, sixteen boards each, for as long as told (a minute).

Ends with exit code 1 when any board had to wait more than 2 s for a line, lost its connection or got a line
that it cannot read.
"""

from __future__ import annotations

import contextlib
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import List

ROOM = Path(__file__).resolve().parent.parent
# In place of this folder, in which bench.py would be all of `bench`.
sys.path[:1] = [str(ROOM), str(ROOM.parent / "protocol")]

from bench.measuring import cpu_s, finish, say  # noqa: E402
from bench.soak import MOST_SILENCE_S, SERVE  # noqa: E402
from inktop_protocol import Hello, LineError, Snapshot, encode_hello  # noqa: E402
from inktop_protocol.decode import decode  # noqa: E402

COLLECTORS, BOARDS = 8, 16
START_S = 30.0


class Collector:
    """A collector of this machine, as a process of its own."""

    def __init__(self, folder: Path) -> None:
        """Waits until it listens. Raises RuntimeError with what it said when it does not."""
        folder.mkdir()
        log = folder / "log"
        command = [sys.executable, "-I", "-S", "-c", SERVE, "serve", "--bind", "127.0.0.1", "--port", "0"]
        command += ["--no-announce", "--config", "/dev/null"]
        command += ["--runtime-dir", str(folder), "--state-dir", str(folder)]
        with log.open("wb") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        end = time.monotonic() + START_S
        while True:
            said = log.read_text()
            found = re.search(r"listening on \S*:(\d+)", said)
            if found is not None:
                self.port = int(found[1])
                return
            if self.process.poll() is not None or time.monotonic() > end:
                self.process.kill()
                raise RuntimeError(f"a collector did not start: {said}")
            time.sleep(0.02)


class Board:
    """One board: it says hello and reads. How long it went without a line is counted from its hello on."""

    def __init__(self, name: str, port: int) -> None:
        """Waits for the server's greeting: a server drops those who come in a crowd and say nothing."""
        self.name = name
        self.lines, self.silence_s = 0, 0.0
        self.problem = ""
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self._rest = self.socket.recv(65536)
        self.socket.sendall(encode_hello(Hello(name, "0.1.0")))
        self.socket.setblocking(False)
        self._heard_at = time.monotonic()

    def read(self) -> bool:
        """Takes what has come. False: that was the end of the connection."""
        try:
            data = self.socket.recv(65536)
        except OSError as error:
            self.problem = str(error)
            return False
        if not data:
            self.problem = "the connection ended"
            return False
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            try:
                if isinstance(decode(line), Snapshot):
                    self.lines += 1
                    self.waited()
            except LineError as error:
                self.problem = f"a bad line: {error}"
        return True

    def waited(self) -> None:
        """A line came, or the run is over."""
        now = time.monotonic()
        self.silence_s = max(self.silence_s, now - self._heard_at)
        self._heard_at = now

    def fault(self) -> str:
        """What was not as it must be."""
        if self.problem:
            return f"{self.name}: {self.problem}"
        if self.silence_s > MOST_SILENCE_S:
            return f"{self.name}: {self.silence_s:.2f} s of silence"
        return ""


def listen(boards: List[Board], seconds: float) -> None:
    """Lets all boards read for that long."""
    with selectors.DefaultSelector() as selector:
        for board in boards:
            selector.register(board.socket, selectors.EVENT_READ, board)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for key, _ in selector.select(0.2):
                if not key.data.read():
                    selector.unregister(key.fileobj)
    for board in boards:
        board.waited()


def main() -> int:
    """Runs it; the exit code."""
    seconds = float(sys.argv[sys.argv.index("--seconds") + 1]) if "--seconds" in sys.argv else 60.0
    collectors: List[Collector] = []
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as ending:
        for number in range(COLLECTORS):
            collectors.append(Collector(Path(folder, str(number))))
            ending.callback(collectors[-1].process.wait)
            ending.callback(collectors[-1].process.terminate)
        boards: List[Board] = []
        for number in range(BOARDS):
            for place, collector in enumerate(collectors):
                boards.append(Board(f"server{place}-board{number}", collector.port))
                ending.callback(boards[-1].socket.close)
        before = sum(cpu_s(collector.process.pid) for collector in collectors)
        listen(boards, seconds)
        spent = sum(cpu_s(collector.process.pid) for collector in collectors) - before
    faults = [board.fault() for board in boards if board.fault()]
    worst = max(boards, key=lambda board: board.silence_s)
    lines = sum(board.lines for board in boards)
    say(
        f"{COLLECTORS} collectors with {BOARDS} boards each for {seconds:.0f} s, longest silence",
        f"{worst.silence_s:.2f} s",
        f"<= {MOST_SILENCE_S:g} s",
        not faults,
        f"{lines} lines, {worst.name}, CPU of all collectors {1000 * spent / seconds:.0f} ms a second",
    )
    for fault in faults:
        print(f"FAULT: {fault}")
    return finish("scale")


if __name__ == "__main__":
    sys.exit(main())
