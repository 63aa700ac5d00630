"""Machines made of recorded files, and how they are sampled in tests."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import Dict, List, Optional

from inktop_collector.config import Config
from inktop_collector.files import Roots
from inktop_collector.sampler import Sampler
from inktop_collector.state import KnownGpus
from inktop_protocol import Snapshot

#: Two looks at a machine with four CPUs, one second apart: 12.5 % busy.
STAT_0 = """\
cpu  1000 0 500 8000 100 0 0 0 0 0
cpu0 250 0 125 2000 25 0 0 0 0 0
cpu1 250 0 125 2000 25 0 0 0 0 0
cpu2 250 0 125 2000 25 0 0 0 0 0
cpu3 250 0 125 2000 25 0 0 0 0 0
intr 123456 0 0 0
ctxt 987654
btime 1700000000
"""
STAT_1 = """\
cpu  1040 0 510 8345 105 0 0 0 0 0
cpu0 290 0 135 2045 30 0 0 0 0 0
cpu1 250 0 125 2100 25 0 0 0 0 0
cpu2 250 0 125 2100 25 0 0 0 0 0
cpu3 250 0 125 2100 25 0 0 0 0 0
intr 123456 0 0 0
ctxt 987654
btime 1700000000
"""
MEMINFO = """\
MemTotal:       131961396 kB
MemFree:        100000000 kB
MemAvailable:   124726272 kB
Buffers:          500000 kB
Cached:         20000000 kB
SwapCached:            0 kB
SwapTotal:       8388604 kB
SwapFree:        8388604 kB
SReclaimable:    1000000 kB
"""
NET_DEV = """\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo
 colls carrier compressed
    lo: 9477513   53050    0    0    0     0          0         0  9477513   53050    0    0    0
    0       0          0
  eno1: {received}   1000    0    0    0     0          0         0  {sent}   1000    0    0    0
  0       0          0
"""  # noqa: E501 (as the kernel writes it)
NET_ROUTE = """\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eno1\t00000000\t0100A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
eno1\t0000A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
"""


class Machine:
    """A machine as two folders, ``proc`` and ``sys``. A new one has four CPUs and no GPU."""

    def __init__(self, folder: Path, bare: bool = False) -> None:
        self.folder = folder
        self.procfs = folder / "proc"
        self.sysfs = folder / "sys"
        self.procfs.mkdir(parents=True, exist_ok=True)
        self.sysfs.mkdir(parents=True, exist_ok=True)
        if bare:
            return
        self.proc("stat", STAT_0)
        self.proc("meminfo", MEMINFO)
        self.proc("loadavg", "0.52 0.40 0.31 1/523 12345\n")
        self.proc("uptime", "1051200.42 4000000.00\n")
        self.proc("net/dev", NET_DEV.format(received=1000, sent=500))
        self.proc("net/route", NET_ROUTE)
        self.proc("sys/kernel/hostname", "t7910\n")
        self.proc("cpuinfo", "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) CPU E5-2683 v4 @ 2.10GHz\n")
        self.link("class/net/eno1", "../../devices/pci0000:00/0000:00:19.0/net/eno1")

    def proc(self, name: str, text: str) -> Path:
        """Writes a file under /proc."""
        return self._write(self.procfs / name, text)

    def sys(self, name: str, text: str) -> Path:
        """Writes a file under /sys."""
        return self._write(self.sysfs / name, text)

    def _write(self, path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(path.name + ".new")
        fresh.write_bytes(text.encode("utf-8", "surrogateescape"))
        fresh.replace(path)
        return path

    def link(self, name: str, target: str) -> None:
        """Makes a symbolic link under /sys, whole or dangling."""
        path = self.sysfs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(target)

    def remove(self, name: str) -> None:
        """Removes a file, link or folder under /sys."""
        path = self.sysfs / name
        if path.is_symlink() or path.is_file():
            path.unlink()
        else:
            shutil.rmtree(path)

    def gpu(
        self,
        card: str,
        address: str,
        files: Dict[str, str],
        hwmon: Optional[Dict[str, str]] = None,
        driver: str = "amdgpu",
        sensors: str = "hwmon3",
    ) -> None:
        """A graphics card as the kernel shows one: a PCI device, and links to it.

        ``files`` are those of the device folder, ``../name`` of the card's; ``hwmon`` its sensors.
        """
        device = f"devices/pci0000:00/{address}"
        self.sys(f"{device}/uevent", f"DRIVER={driver}\nPCI_SLOT_NAME={address}\n")
        self.link(f"{device}/driver", f"../../../bus/pci/drivers/{driver}")
        (self.sysfs / device / "drm" / card).mkdir(parents=True, exist_ok=True)
        self.link(f"{device}/drm/{card}/device", f"../../../{address}")
        self.link(f"class/drm/{card}", f"../../{device}/drm/{card}")
        for name, text in files.items():
            place = f"drm/{card}/{name[3:]}" if name.startswith("../") else name
            self.sys(f"{device}/{place}", text)
        for name, text in (hwmon or {}).items():
            self.sys(f"{device}/hwmon/{sensors}/{name}", text)

    def device(self, address: str, name: str, text: str) -> None:
        """Writes one file of a card's device folder."""
        self.sys(f"devices/pci0000:00/{address}/{name}", text)

    def roots(self) -> Roots:
        """The folders as the collector takes them."""
        return Roots(str(self.procfs), str(self.sysfs))

    def config(self, **settings: object) -> Config:
        """Settings that have the machine sampled."""
        config = Config(procfs=str(self.procfs), sysfs=str(self.sysfs))
        for name, value in settings.items():
            setattr(config, name, value)
        return config

    def flags(self) -> List[str]:
        """The folders as flags of the command."""
        return ["--procfs", str(self.procfs), "--sysfs", str(self.sysfs)]


def listing(text: str) -> Dict[str, str]:
    """``name = value`` lines as in a listing of a folder; ``|`` in a value means a newline."""
    found = {}
    for line in text.strip().splitlines():
        name, _, value = line.partition(" = ")
        found[name.strip()] = value.strip().replace("|", "\n")
    return found


class Sampling:
    """A sampler whose rounds a test begins and waits for."""

    def __init__(
        self,
        machine: Machine,
        state: Optional[Path] = None,
        log: Optional[List[str]] = None,
        **settings: object,
    ) -> None:
        self._done = threading.Event()
        self.log: List[str] = [] if log is None else log
        known = KnownGpus(str(state), self.log.append) if state else None
        self.sampler = Sampler(machine.config(**settings), self._done.set, known, self.log.append)

    def round(self, timeout_s: float = 2.0) -> Snapshot:
        """One round of reads, and what it says. A reader that hangs is waited for that long."""
        self._done.clear()
        self.sampler.begin()
        self._done.wait(timeout_s)
        return self.sampler.snapshot()

    def close(self) -> None:
        """Ends the threads."""
        self.sampler.close()


def sample(machine: Machine, **settings: object) -> Snapshot:
    """The second round of a machine at rest."""
    sampling = Sampling(machine, **settings)  # type: ignore[arg-type]
    sampling.round()
    snapshot = sampling.round()
    sampling.close()
    return snapshot
