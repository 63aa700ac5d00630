"""Measures what the collector costs, beside others on the same machine in the same run, as ratios.

Prints one line for each figure with its target. What cannot be installed here is left out, and said so.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Optional, Sequence, Tuple

ROOM = Path(__file__).resolve().parent.parent
# In place of this folder, in which bench.py would be all of `bench`.
sys.path[:1] = [str(ROOM), str(ROOM.parent / "protocol")]

from bench.measuring import (  # noqa: E402
    BARE,
    PROJECT,
    SERVE,
    WORK,
    Process,
    connect,
    cpu_s,
    finish,
    free_port,
    per_call_us,
    resident_kib,
    say,
)

#: Files that one sample of this machine reads.
FILES = tuple(f"/proc/{name}" for name in ["stat", "meminfo", "loadavg", "uptime", "net/dev", "diskstats"])


def sampler_call(procfs: str, sysfs: str, open_files: bool = False) -> Callable[[], object]:
    """One whole sample of a machine, up to the line."""
    from inktop_collector.config import Config
    from inktop_collector.sampler import Sampler
    from inktop_protocol import encode_snapshot

    config = Config(procfs=procfs, sysfs=sysfs)
    roots = config.roots()
    if open_files:
        # As on a live /proc and /sys, whose files are kept open; pread works on recorded ones, too.
        roots.procfs_live = roots.sysfs_live = True
    config.roots = lambda: roots  # type: ignore[method-assign]
    # As the server waits: for a byte in a pipe.
    done, told = os.pipe()

    def complete() -> None:
        os.write(told, b"c")

    sampler = Sampler(config, complete)

    def call() -> object:
        sampler.begin()
        os.read(done, 1)
        return encode_snapshot(sampler.snapshot())

    return call


@contextlib.contextmanager
def on_one_cpu() -> Iterator[None]:
    """All threads of this process on one CPU, as the programs with one thread beside which they are measured.

    On two of them the caches of both must agree on every object, once for each of a hundred samples in a row:
    of a server, which has slept for a second, they are cold either way.
    """
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def bare_reads() -> None:
    """Open, read to the end and close, of the files that a sample reads."""
    for path in FILES:
        fd = os.open(path, os.O_RDONLY)
        while os.read(fd, 65536):
            pass
        os.close(fd)


def measure_server(start: List[str], key: str = "", seconds: float = 8.0) -> Tuple[float, int]:
    """(CPU µs a line, resident KiB) of a collector with one board, a line a second."""
    from inktop_protocol import Hello, encode_hello, sign_hello
    from inktop_protocol.decode import decode
    from inktop_protocol.model import InfoLine

    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        flags = ["--bind", "127.0.0.1", "--port", str(port), "--runtime-dir", folder, "--state-dir", folder]
        if key:
            key_file = Path(folder) / "key"
            key_file.touch(mode=0o600)
            key_file.write_text(key)
            flags += ["--key-file", str(key_file)]
        with Process([*start, "serve", *flags]) as process, connect(port) as board:
            info = decode(board.makefile("rb").readline())
            hello = Hello("bench", "0.1.0")
            nonce = info.nonce if isinstance(info, InfoLine) else None
            board.sendall(sign_hello(hello, key, nonce) if key and nonce else encode_hello(hello))
            time.sleep(2.5)
            before = cpu_s(process.pid)
            time.sleep(seconds)
            used = cpu_s(process.pid) - before
            return used / seconds * 1e6, resident_kib(process.pid)


def bare_python_kib() -> int:
    """Resident memory of a Python that does nothing."""
    with Process([*BARE, "-c", "import time; time.sleep(60)"]) as process:
        time.sleep(0.5)
        return resident_kib(process.pid)


#: ``once`` may take this long beyond its interval to start.
START_S = 0.35


def start_s(*starts: Sequence[str], rounds: int = 7) -> List[float]:
    """Seconds until each command has ended: the best of some rounds, in turns, so that noise meets all."""
    best = [float("inf")] * len(starts)
    for _ in range(rounds):
        for number, start in enumerate(starts):
            before = time.monotonic()
            subprocess.run(start, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            best[number] = min(best[number], time.monotonic() - before)
    return best


def measure_start(archive: Path) -> None:
    """What ``once`` takes beyond its interval, as a ratio to the start of a Python that does nothing."""
    interval_s = 0.1
    once = ["once", "--interval", str(interval_s)]
    starts = [[*BARE, "-c", "pass"], [*BARE, "-c", SERVE, *once]]
    if archive.exists():
        starts.append([*BARE, str(archive), *once])
    bare, *taken = start_s(*starts)
    for name, seconds in zip(("once, its start", "once from the one file, its start"), taken):
        beyond = seconds - interval_s
        good = beyond <= START_S
        beside = f"{beyond * 1000:.0f} ms beyond its interval, a bare Python {bare * 1000:.0f} ms"
        say(f"{name}, against a bare Python's", f"{beyond / bare:.1f} x", f"<= {START_S} s", good, beside)


def tools() -> Optional[Path]:
    """A virtual environment with psutil and glances, made when it is missing."""
    folder = WORK / "venv"
    python = folder / "bin" / "python"
    if not (folder / "bin" / "glances").exists():
        done = subprocess.run([sys.executable, "-m", "venv", str(folder)], capture_output=True)
        if done.returncode == 0:
            subprocess.run(
                [str(python), "-m", "pip", "install", "-q", "psutil", "glances"], capture_output=True
            )
    return python if (folder / "bin" / "glances").exists() else None


PSUTIL_LOOP = """
import psutil, socket, sys, time
def sample():
    psutil.cpu_percent(); psutil.cpu_percent(percpu=True); psutil.virtual_memory(); psutil.swap_memory()
    psutil.getloadavg(); psutil.net_io_counters(pernic=True)
    time.time() - psutil.boot_time(); socket.gethostname()
for _ in range(20):
    sample()
best = 9e9
for _ in range(7):
    before = time.process_time()
    for _ in range(200):
        sample()
    best = min(best, (time.process_time() - before) / 200)
print(best * 1e6)
for line in open("/proc/self/status"):
    if line.startswith("VmRSS"):
        print(line.split()[1])
"""


def measure_glances(python: Path, seconds: float = 10.0) -> Tuple[float, int]:
    """(CPU µs a second, resident KiB) of glances as people run it, printing the same values."""
    command = [str(python.parent / "glances"), "--stdout", "cpu,percpu,mem,memswap,load,network", "-t", "1"]
    command.append("--disable-check-update")
    with Process(command) as process:
        time.sleep(6.0)
        if process.process.poll() is not None:
            raise OSError("glances ended")
        before = cpu_s(process.pid)
        time.sleep(seconds)
        return (cpu_s(process.pid) - before) / seconds * 1e6, resident_kib(process.pid)


def node_exporter() -> Optional[Path]:
    """The program out of Debian's package, unpacked and not installed: no service is started."""
    found = list(WORK.glob("node/usr/bin/prometheus-node-exporter"))
    if not found:
        folder = WORK / "node"
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", "prometheus-node-exporter"], cwd=folder, capture_output=True)
        for package in folder.glob("*.deb"):
            subprocess.run(["dpkg", "-x", str(package), str(folder)], capture_output=True)
        found = list(WORK.glob("node/usr/bin/prometheus-node-exporter"))
    return found[0] if found else None


def measure_node_exporter(program: Path) -> Tuple[float, int]:
    """(CPU µs a scrape, resident KiB) of node_exporter as people run it."""
    import urllib.request

    port = free_port()
    command = [str(program), f"--web.listen-address=127.0.0.1:{port}"]
    with Process(command) as process:
        connect(port).close()

        def scrape() -> None:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5).read()

        for _ in range(20):
            scrape()
        before = cpu_s(process.pid)
        for _ in range(100):
            scrape()
            time.sleep(0.02)
        return (cpu_s(process.pid) - before) / 100 * 1e6, resident_kib(process.pid)


def big_machine(folder: Path) -> None:
    """64 CPUs and 8 GPUs as recorded files."""
    from testkit.recorded import Machine

    machine = Machine(folder)
    cpus = "".join(f"cpu{n} {1000 + n} 2 300 90000 44 0 12 0 0 0\n" for n in range(64))
    machine.proc("stat", "cpu  64000 128 19200 5760000 2816 0 768 0 0 0\n" + cpus + "intr 1 2 3\n")
    files: Dict[str, str] = {
        "gpu_busy_percent": "95\n",
        "mem_info_vram_total": "34208743424\n",
        "mem_info_vram_used": "31674335232\n",
        "mem_info_gtt_total": "67000000000\n",
        "mem_info_gtt_used": "20000000\n",
        "power/runtime_status": "active\n",
        "vendor": "0x1002\n",
        "device": "0x7551\n",
    }
    hwmon: Dict[str, str] = {"name": "amdgpu\n", "power1_average": "209000000\n", "fan1_input": "2990\n"}
    hwmon.update({"fan1_max": "6000\n", "pwm1": "117\n", "pwm1_max": "255\n"})
    hwmon.update({"freq1_input": "2786000000\n", "freq2_input": "1258000000\n"})
    for number, label in ((1, "edge"), (2, "junction"), (3, "mem")):
        hwmon[f"temp{number}_input"] = f"{50 + number}000\n"
        hwmon[f"temp{number}_label"] = f"{label}\n"
    for number in range(8):
        machine.gpu(f"card{number}", f"0000:{number + 3:02x}:00.0", files, hwmon)


def shares(sample_us: float) -> None:
    """Where a sample's CPU goes: each part measured alone, what is left over is between the threads."""
    from inktop_collector.config import Config
    from inktop_collector.sampler import Sampler
    from inktop_protocol import encode_snapshot

    sampler = Sampler(Config(), lambda: None)
    (share,) = sampler.system.shares
    share.read()
    time.sleep(0.5)
    share.read()
    open_files = [os.open(path, os.O_RDONLY) for path in FILES]

    def kernel() -> None:
        for fd in open_files:
            os.pread(fd, 65536, 0)

    snapshots = [sampler.snapshot()]

    def join() -> None:
        snapshots.append(sampler.snapshot())
        del snapshots[:-2]

    def encode() -> None:
        # Two lines in turn, of two seconds: nothing of one is the other's but what does not change.
        snapshots.reverse()
        encode_snapshot(snapshots[0])

    join()
    read_us, kernel_us, join_us, line_us = per_call_us(share.read, kernel, join, encode)
    parts = (
        ("the kernel, which writes the files", kernel_us),
        ("calls that read, and parsing", read_us - kernel_us),
        ("joining the sources' values", join_us),
        ("the line", line_us),
        ("the reading thread: asked, woken, awaited", sample_us - read_us - join_us - line_us),
    )
    for name, us in parts:
        say(f"of a sample's CPU: {name}", f"{100 * us / sample_us:.0f} %", "", None, f"{us:.0f} µs")


def main() -> int:
    """All figures; the exit code is 1 when a target was missed."""
    WORK.mkdir(parents=True, exist_ok=True)
    cpus = os.sched_getaffinity(0)
    with on_one_cpu():
        sample, bare = per_call_us(sampler_call("/proc", "/sys"), bare_reads)
    say(
        "sample, CPU against open, read, close of its files",
        f"{sample / bare:.2f} x",
        "<= 2",
        sample <= 2 * bare,
        f"a sample {sample:.0f} µs, the bare reads {bare:.0f} µs",
    )
    if len(cpus) > 1:
        apart, bare = per_call_us(sampler_call("/proc", "/sys"), bare_reads)
        name = "the same where its two threads may run on two CPUs"
        say(name, f"{apart / bare:.2f} x", "", None, f"a sample {apart:.0f} µs, the bare reads {bare:.0f} µs")
    with on_one_cpu():
        shares(sample)

    python_kib = bare_python_kib()
    measure_server([*BARE, "-c", SERVE], "", 0.1)  # the first start compiles, which takes memory once
    server_us, server_kib = measure_server([*BARE, "-c", SERVE])
    beside = f"a bare Python {python_kib / 1024:.1f} MiB"
    say("server, resident", f"{server_kib / 1024:.1f} MiB", "<= 16 MiB", server_kib <= 16 << 10, beside)
    _, keyed_kib = measure_server([*BARE, "-c", SERVE], "correct horse battery staple", 1.0)
    say("server with a key, resident", f"{keyed_kib / 1024:.1f} MiB", "<= 20 MiB", keyed_kib <= 20 << 10)
    archive = PROJECT / "dist" / "inktop-collector.pyz"
    if archive.exists():
        for name, secret, limit_mib in (("", "", 16), (" with a key", "correct horse battery staple", 20)):
            _, kib = measure_server([*BARE, str(archive)], secret, 1.0)
            mib, limit = f"{kib / 1024:.1f} MiB", f"<= {limit_mib} MiB"
            say(f"server from the one file{name}, resident", mib, limit, kib <= limit_mib << 10)

    measure_start(archive)

    with tempfile.TemporaryDirectory() as folder, on_one_cpu():
        big_machine(Path(folder))
        roots = (f"{folder}/proc", f"{folder}/sys")
        calls = sampler_call(*roots, open_files=True), sampler_call(*roots)
        for how, us in zip(("kept open", "opened each time"), per_call_us(*calls, count=20)):
            ms = us / 1000
            say(f"64 CPUs and 8 GPUs, files {how}, CPU a sample", f"{ms:.2f} ms", "<= 3 ms", ms <= 3)

    scans = subprocess.run([sys.executable, ROOM / "bench/gpu_users.py"], capture_output=True, check=True)
    for what, scan in zip(("this /proc", "files"), map(float, scans.stdout.split())):
        say(f"GPU users, a scan of {what}, 500 processes", f"{scan:.1f} ms", "<= 10 ms", scan <= 10)

    beside_others(sample, server_us)
    return finish("collector")


def beside_others(sample: float, server_us: float) -> None:
    """The same values by other programs. Both in µs: a sample, and a whole second of the server."""
    python = tools()
    if python is None:
        say("psutil, glances", "not installed", "", None)
    else:
        loop = [str(python), "-c", PSUTIL_LOOP]
        with on_one_cpu():
            out = subprocess.run(loop, capture_output=True, text=True, check=True).stdout
        us, kib = float(out.split()[0]), int(out.split()[1])
        name, beside = "sample, CPU against a psutil loop", f"psutil {us:.0f} µs, {kib / 1024:.1f} MiB"
        say(name, f"{sample / us:.2f} x", "<= 0.5", sample <= us / 2, beside)
        try:
            us, kib = measure_glances(python)
        except OSError as problem:
            say("glances", str(problem), "", None)
        else:
            beside = f"glances {us:.0f} µs a second, {kib / 1024:.1f} MiB"
            name = "sample, CPU against a second of glances"
            say(name, f"1/{us / sample:.0f}", "<= 1/20", sample <= us / 20, beside)
            # Why this one is not 1/20: docs/performance.md.
            name, beside = "server, a whole second, CPU against glances", f"the server {server_us:.0f} µs"
            say(name, f"1/{us / server_us:.0f}", "<= 1/10", server_us <= us / 10, beside)
    program = node_exporter()
    if program is None:
        say("node_exporter", "not installed", "", None)
    else:
        us, kib = measure_node_exporter(program)
        name, beside = "sample, CPU against a scrape of node_exporter", f"{us:.0f} µs, {kib / 1024:.1f} MiB"
        say(name, f"1/{us / sample:.0f}", "<= 1/20", sample <= us / 20, beside)


if __name__ == "__main__":
    sys.exit(main())
