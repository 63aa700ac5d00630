"""A year on simulated time: no value that cannot be, no growth, no line left out."""

from __future__ import annotations

import gc
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

import pytest
from inktop_protocol import Snapshot, encode_info, encode_snapshot
from inktop_protocol.decode import decode
from testkit.live import open_files, threads
from testkit.recorded import NET_DEV, Machine, Sampling

#: Minutes, not seconds: `make check` runs them, `make test` does not.
pytestmark = pytest.mark.soak

YEAR_S = 365 * 86400
START = 1_700_000_000
GPUS = ("0000:03:00.0", "0000:07:00.0")
#: Length of the steps between them: a minute in `make soak-year`, which takes ten minutes.
STEP_S = int(os.environ.get("INKTOP_SOAK_STEP_S", "3600"))
#: So many seconds around each moment of interest are lived second by second.
WINDOW_S = 15


class World:
    """A machine whose clocks and counters a test moves."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.machine = Machine(folder / "machine")
        self.monotonic = 1000.0
        self.wall = float(START)
        self.uptime = 700.0
        #: Clock ticks of two CPUs: user and idle each.
        self.ticks = [[0, 0], [0, 0]]
        # Near the end of 32 bits, so that it wraps within the year.
        self.net = [2**32 - 10**9, 0]
        self.chance = random.Random(2024)
        monkeypatch.setattr(time, "monotonic", lambda: self.monotonic)
        monkeypatch.setattr(time, "time", lambda: self.wall)
        localtime = time.localtime
        monkeypatch.setattr(time, "localtime", lambda now=None: localtime(self.wall if now is None else now))
        for address in GPUS:
            self.plug(address)

    def plug(self, address: str) -> None:
        number = GPUS.index(address)
        files = {
            "gpu_busy_percent": "50\n",
            "mem_info_vram_total": "34208743424\n",
            "mem_info_vram_used": "1048576000\n",
            "power/runtime_status": "active\n",
        }
        self.machine.gpu(f"card{number}", address, files, {"name": "amdgpu\n", "temp1_input": "50000\n"})

    def pass_time(self, seconds: float, asleep: bool = False) -> None:
        """Lets time pass; asleep, the monotonic clock and the counters stop."""
        self.wall += seconds
        if asleep:
            return
        self.monotonic += seconds
        self.uptime += seconds
        for cpu in self.ticks:
            busy = int(seconds * 100 * self.chance.random())
            cpu[0] += busy
            cpu[1] += int(seconds * 100) - busy
        for direction in (0, 1):
            self.net[direction] = (self.net[direction] + self.chance.randrange(10**6)) % 2**32
        self.write()

    def write(self) -> None:
        rows = [f"cpu{n} {busy} 0 0 {idle} 0 0 0 0 0 0" for n, (busy, idle) in enumerate(self.ticks)]
        whole = [sum(cpu[0] for cpu in self.ticks), sum(cpu[1] for cpu in self.ticks)]
        self.put("stat", "\n".join([f"cpu {whole[0]} 0 0 {whole[1]} 0 0 0 0 0 0", *rows, "intr 1", ""]))
        self.put("uptime", f"{self.uptime:.2f} 1.0\n")
        self.put("net/dev", NET_DEV.format(received=self.net[0], sent=self.net[1]))

    def put(self, name: str, text: str) -> None:
        (self.machine.procfs / name).write_text(text)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    # In memory where there is such a place: a disk would take most of the time.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield from world_in(Path(folder), monkeypatch)


def world_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A world in a folder, with the time zone of Berlin."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    world = World(folder, monkeypatch)
    yield world
    monkeypatch.undo()
    time.tzset()


def steps() -> Iterator[Tuple[float, str]]:
    """The year: long steps, and windows of one second each around what happens."""
    happenings: List[Tuple[int, str]] = [
        (3 * 86400, "ntp+"),
        (10 * 86400, "ntp-"),
        (40 * 86400, "suspend"),
        (41 * 86400, "lose"),
        (42 * 86400, "return"),
        (90 * 86400, "cpus restart"),
        (137 * 86400, "summer"),  # 2024-03-31 in Berlin, from START
        (200 * 86400, "net reset"),
        (300 * 86400, "lose"),
        (301 * 86400, "acknowledge"),
        (302 * 86400, "return"),
        (348 * 86400, "winter"),
        (360 * 86400, "suspend"),
    ]
    now = 0
    for at, what in happenings:
        while now < at - WINDOW_S:
            step = min(STEP_S, at - WINDOW_S - now)
            now += step
            yield float(step), ""
        for second in range(2 * WINDOW_S):
            now += 1
            yield 1.0, what if second == WINDOW_S else ""
    while now < YEAR_S:
        now += STEP_S
        yield float(STEP_S), ""


def happen(world: World, sampling: Sampling, what: str) -> None:
    """One of the moments of interest."""
    if what == "ntp+":
        world.wall += 86400
    elif what == "ntp-":
        world.wall -= 86400 - 3
    elif what == "suspend":
        world.pass_time(8 * 3600, asleep=True)
        for cpu in world.ticks:
            cpu[1] -= 5000  # giampaolo/psutil#2172
    elif what == "cpus restart":
        world.ticks = [[1, 1], [1, 1]]
    elif what == "net reset":
        world.net = [0, 0]
    elif what == "lose":
        world.machine.remove("class/drm/card0")
    elif what == "return":
        world.plug(GPUS[0])
    elif what == "acknowledge":
        sampling.sampler.acknowledge()
    world.write()


def test_a_year_passes(world: World, tmp_path: Path) -> None:
    world.write()
    sampling = Sampling(world.machine, tmp_path / "state")
    unknown: Dict[str, int] = {}
    last_uptime, lines = 0, 0
    sizes: List[Tuple[int, int, int]] = []
    for step, what in steps():
        if what:
            happen(world, sampling, what)
        world.pass_time(step)
        snapshot = sampling.round()
        line = encode_snapshot(snapshot)
        decoded = decode(line)
        assert isinstance(decoded, Snapshot)
        encode_info(sampling.sampler.info())
        lines += 1
        assert snapshot.uptime_s is not None
        assert snapshot.uptime_s >= last_uptime, what
        last_uptime = snapshot.uptime_s
        if snapshot.cpu_permille is None:
            unknown["cpu"] = unknown.get("cpu", 0) + 1
        assert snapshot.network is not None
        for rate in (snapshot.network.received_bytes_s, snapshot.network.sent_bytes_s):
            if rate is None:
                unknown["network"] = unknown.get("network", 0) + 1
            else:
                assert rate <= 10**6 + 1
        if lines % 1000 == 0:
            gc.collect()
            sizes.append((len(gc.get_objects()), open_files(), threads()))
    # The baseline, two suspends and the restart; of the network the baseline, the reset and each 32-bit wrap.
    assert unknown["cpu"] == 4
    assert unknown["network"] < 3 + 2 * lines * 10**6 / 2**32
    assert lines > YEAR_S / STEP_S
    first, last = sizes[2], sizes[-1]
    assert last[0] - first[0] < 500, "objects grow"
    assert last[1] <= first[1], "descriptors grow"
    assert last[2] <= first[2], "threads grow"
    assert [gpu.state for gpu in snapshot.gpus][-1] == "ok"
    sampling.close()


def test_summer_time_changes_the_clock_and_nothing_else(world: World) -> None:
    """2024-03-31 01:59:58 in Berlin: two seconds later it is 03:00."""
    world.wall = 1711846798.0
    world.write()
    sampling = Sampling(world.machine)
    shown = []
    for _ in range(4):
        world.pass_time(1.0)
        snapshot = sampling.round()
        shown.append((snapshot.time, snapshot.uptime_s))
    assert shown == [("01:59", 701), ("03:00", 702), ("03:00", 703), ("03:00", 704)]
    sampling.close()


def test_a_step_of_the_clock_changes_no_rate(world: World) -> None:
    world.write()
    sampling = Sampling(world.machine)
    sampling.round()
    world.wall += 86400
    world.net = [world.net[0] + 5000, world.net[1] + 500]
    world.monotonic += 1
    world.uptime += 1
    world.write()
    network = sampling.round().network
    assert network is not None
    assert (network.received_bytes_s, network.sent_bytes_s) == (5000, 500)
    sampling.close()


def test_a_short_soak_finds_no_fault() -> None:
    """A part of `make soak`: eight boards, two of them dead slow. INKTOP_SOAK_S is its length."""
    import subprocess

    script = Path(__file__).resolve().parent.parent / "bench" / "soak.py"
    seconds = os.environ.get("INKTOP_SOAK_S", "15")
    done = subprocess.run(
        [sys.executable, str(script), "--seconds", seconds], capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr
