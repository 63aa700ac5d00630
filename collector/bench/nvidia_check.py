"""Puts the collector beside nvidia-smi on a real NVIDIA machine, idle and under a load that it makes.

    python3 collector/bench/nvidia_check.py

Needs Python alone and prints JSON: the machine's line, our values beside those of ``nvidia-smi``, the
CPU time of a sample beside that of one run of ``nvidia-smi --query-gpu`` (and of nvtop and gpustat where
they are installed), and what NVIDIA's library said of the first card, value and code of each call, which
the tests' fake library can repeat. No serial numbers, no UUIDs, no host name.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import shutil
import stat
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

ROOM = Path(__file__).resolve().parent.parent
PATHS = [str(ROOM), str(ROOM.parent / "protocol")]
sys.path[:0] = PATHS

from inktop_collector.config import Config  # noqa: E402
from inktop_collector.files import Roots  # noqa: E402
from inktop_collector.sampler import Sampler  # noqa: E402
from inktop_collector.sources.gpu.nvidia import LINK, Nvidia, NvidiaCard  # noqa: E402
from inktop_collector.sources.gpu.slots import USERS_EVERY_S  # noqa: E402
from inktop_protocol import encode_info, encode_snapshot  # noqa: E402

#: Field of Gpu: what nvidia-smi calls it.
QUERIES = {
    "busy_percent": "utilization.gpu",
    "vram_used_mib": "memory.used",
    "vram_total_mib": "memory.total",
    "edge_c": "temperature.gpu",
    "memory_c": "temperature.memory",
    "power_w": "power.draw",
    "fan_percent": "fan.speed",
    "core_clock_mhz": "clocks.current.graphics",
    "memory_clock_mhz": "clocks.current.memory",
}
QUERY = ["nvidia-smi", "--query-gpu=" + ",".join(QUERIES.values()), "--format=csv,noheader,nounits"]
OTHERS = {
    "nvidia-smi --query-gpu": QUERY,
    "gpustat": ["gpustat", "--no-color"],
    "nvtop": ["nvtop", "--snapshot"],
}
LOAD_S = 60
#: prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN) and prctl(PR_SET_NO_NEW_PRIVS): what the service's
#: MemoryDenyWriteExecute= and NoNewPrivileges= ask for.
HARDENED = f"""
import ctypes, os, sys
libc = ctypes.CDLL(None)
codes = libc.prctl(65, 1, 0, 0, 0), libc.prctl(38, 1, 0, 0, 0)
code = '''
import sys; sys.path[:0] = {PATHS!r}
from inktop_collector.files import Roots
from inktop_collector.sources.gpu.nvidia import Nvidia
nvidia, roots = Nvidia(), Roots()
print(nvidia.open(roots, nvidia.find(roots)[0], 0).read().state)
'''
print(codes, flush=True)
os.dup2(1, 2)
os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", code])
"""


def output(*command: str) -> str:
    """What a command says, or why it does not."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except OSError as problem:
        return str(problem)
    return done.stdout.strip() or done.stderr.strip()


def sampled() -> Dict[str, Any]:
    """The machine's line and info line, and what ``doctor`` says, once it is known who uses the cards."""
    done = threading.Event()
    sampler = Sampler(Config(), done.set)
    for pause_s in (0.0, USERS_EVERY_S + 0.2):
        time.sleep(pause_s)
        done.clear()
        sampler.begin()
        done.wait(10)
    snapshot, info = replace(sampler.snapshot(), host="server"), sampler.info()
    rows = [f"{row.title}: {row.found} {row.note}".strip() for row in sampler.doctor()]
    sampler.close()
    found = next((number for number, row in enumerate(rows) if row.startswith("gpu")), 0)
    return {
        "line": encode_snapshot(snapshot).decode().strip(),
        "info": encode_info(info).decode().strip(),
        "doctor": rows[found:],
    }


def compared(cards: List[NvidiaCard]) -> List[Dict[str, Any]]:
    """Our values, those of nvidia-smi, and ours once more."""
    before = [asdict(card.read()) for card in cards]
    rows = [line.split(",") for line in output(*QUERY).splitlines()]
    after = [asdict(card.read()) for card in cards]
    result = []
    for number, gpu in enumerate(before):
        theirs = rows[number] if number < len(rows) else []
        values = {
            name: {"before": gpu[name], "nvidia-smi": smi.strip(), "after": after[number][name]}
            for name, smi in zip(QUERIES, theirs)
        }
        result.append({"gpu": number, "state": gpu["state"], "values": values})
    return result


def cpu_us(call: Callable[[], object], count: int, pause_s: float = 0.0) -> int:
    """CPU time of one call in this process, user and system, all threads, µs."""
    call()
    before = resource.getrusage(resource.RUSAGE_SELF)
    for _ in range(count):
        call()
        if pause_s:
            time.sleep(pause_s)
    return _spent_us(before, resource.getrusage(resource.RUSAGE_SELF), count)


def child_cpu_us(command: List[str], count: int = 5) -> Optional[int]:
    """CPU time of one run of a command, µs; ``None`` where it is not installed."""
    if shutil.which(command[0]) is None:
        return None
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(count):
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return _spent_us(before, resource.getrusage(resource.RUSAGE_CHILDREN), count)


def _spent_us(before: resource.struct_rusage, after: resource.struct_rusage, count: int) -> int:
    spent_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return round(spent_s / count * 1e6)


def costs(card: NvidiaCard) -> Dict[str, Any]:
    """CPU time in µs: of our samples, back to back and 50 ms apart, and of one run of others."""
    others = {name: child_cpu_us(command) for name, command in OTHERS.items()}
    return {
        "one sample of one card, of 200": cpu_us(card.read, 200),
        "the same, 50 ms apart": cpu_us(card.read, 200, 0.05),
        "nothing, 50 ms apart": cpu_us(lambda: None, 200, 0.05),
        "its facts, once a minute": cpu_us(card.facts, 50),
        **{f"one run of {name}": "not installed" if us is None else us for name, us in others.items()},
    }


def said(nvidia: Nvidia, card: NvidiaCard) -> Tuple[Dict[str, Any], Dict[str, int]]:
    """What the library says of a card, by the names of the fake library; and the CPU time of each call."""
    with nvidia.library().use() as (session, code):
        handle = card.handle
        if session is None or handle is None:
            return {"open": code}, {}
        calls: Dict[str, Callable[[], Any]] = {
            "busy": lambda: session.busy_percent(handle),
            "memory": lambda: session.memory_bytes(handle),
            "temperature": lambda: session.temperature_c(handle),
            "memory_temperature": lambda: session.memory_temperature_c(handle),
            "power_mw": lambda: session.number("PowerUsage", handle),
            "limit_mw": lambda: session.number("EnforcedPowerLimit", handle),
            "fan_rpm": lambda: session.fan_rpm(handle),
            "fan_percent": lambda: session.number("FanSpeed", handle),
            "core_mhz": lambda: session.number("ClockInfo", handle, 0),
            "memory_mhz": lambda: session.number("ClockInfo", handle, 2),
            "slowdown": lambda: session.number("TemperatureThreshold", handle, 1),
            "memory_max": lambda: session.number("TemperatureThreshold", handle, 2),
            "throttling": lambda: session.throttle_reasons(handle),
            "link_generation": lambda: session.number(LINK[0], handle),
            "link_width": lambda: session.number(LINK[1], handle),
        }
        values = {name: call() for name, call in calls.items()}
        spent = {name: cpu_us(call, 100) for name, call in calls.items()}
        processes, processes_code = session.processes(handle)
        spent["processes"] = cpu_us(lambda: session.processes(handle), 100)
        spent["process_busy"] = cpu_us(lambda: session.process_busy(handle, 0), 100)
        values["name"] = session.name(handle)
        values["mig"] = session.mig(handle)
        values["processes"] = [sorted(str(used) for used in processes.values()), processes_code]
        values["process_busy"] = sorted((session.process_busy(handle, 0)[0] or {}).values())
        return values, spent


@contextmanager
def load() -> Iterator[str]:
    """The load, in another process: its word, ``""`` where it does not run."""
    command = [sys.executable, str(Path(__file__).with_name("nvidia_load.py")), str(LOAD_S)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def resident_kib() -> int:
    """Of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def devices() -> List[str]:
    """The driver's device files: mode and numbers."""
    found = []
    for path in sorted(Path("/dev").glob("nvidia*")):
        status = path.stat()
        numbers = f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
        found.append(f"{path} {stat.filemode(status.st_mode)} {numbers}")
    return found


def around(roots: Roots, nvidia: Nvidia) -> Dict[str, Any]:
    """What the source meets on this machine."""
    pci = nvidia.find(roots)[0].pci
    device = Path("/sys/bus/pci/devices") / str(pci)
    files = ("power/runtime_status", "power/control", "power_state", "power/runtime_usage", "class")
    with nvidia.library().use() as (session, code):
        driver = session.driver_version() if session else f"code {code}"
    return {
        "driver": driver,
        "kernel": platform.release(),
        "python": platform.python_version(),
        "cards": len(nvidia.find(roots)),
        "device": {name: roots.text_at(str(device / name)) for name in files},
        "power": roots.text_at(f"/proc/driver/nvidia/gpus/{pci}/power").splitlines(),
        "drm": sorted(path.name for path in (device / "drm").glob("*")),
        "device files": devices(),
        "device numbers": [
            line for line in Path("/proc/devices").read_text().splitlines() if "nvidia" in line
        ],
        "hardened": output(sys.executable, "-c", HARDENED).splitlines(),
    }


def main() -> int:
    """Runs all of it."""
    roots, nvidia = Roots(), Nvidia()
    found = nvidia.find(roots)
    if not found:
        print("no card of NVIDIA: neither /sys/bus/pci/drivers/nvidia nor /proc/driver/nvidia/gpus has one")
        return 1
    before, began = resident_kib(), time.perf_counter()
    cards = [nvidia.open(roots, one, index) for index, one in enumerate(found)]
    states = [card.read().state for card in cards]
    result: Dict[str, Any] = {
        "states": states,
        "first look, ms": round((time.perf_counter() - began) * 1000),
        "memory that the library takes, KiB": resident_kib() - before,
        "machine": around(roots, nvidia),
    }

    def measure() -> Dict[str, Any]:
        values, spent = said(nvidia, cards[0])
        return {
            **sampled(),
            "beside nvidia-smi": compared(cards),
            "CPU time, us": costs(cards[0]),
            "CPU time of each call, us": spent,
            "said": values,
        }

    result["idle"] = measure()
    with load() as word:
        result["load"] = word or "none: see the error above"
        if word:
            # The driver's means are over up to a second; temperatures take longer.
            time.sleep(8)
            result["loaded"] = measure()
    print(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
