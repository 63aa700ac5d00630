"""A machine with NVIDIA's cards, and a stand-in for NVIDIA's library, built from ``fake_nvml.c``."""

from __future__ import annotations

import ctypes
import os
import subprocess
from _ctypes import dlclose
from pathlib import Path
from typing import Any, Dict, Optional, Sequence, Tuple, Union

from testkit.recorded import Machine

SOURCE = Path(__file__).with_name("fake_nvml.c")
CARDS = 2
#: Globals of the library that are no unsigned int for each card.
LONG = ("used", "total", "reserved")
TEXT = {"address": 32, "product": 96}
SINGLE = ("init_code", "init_calls", "shutdown_calls", "hang", "misuse", "compute_count", "graphics_count")


def build(path: Path, *flags: str) -> Path:
    """Compiles the library."""
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", *flags, "-o", path, SOURCE], check=True)
    return path


class FakeLibrary:
    """The globals of the library at a path: what it answers, and how often it was asked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._library: Optional[ctypes.CDLL] = ctypes.CDLL(str(path))

    def close(self) -> None:
        """Lets the loader forget it, once nobody else has it open."""
        if self._library is not None:
            dlclose(self._library._handle)
            self._library = None

    def is_open(self) -> bool:
        """Whether its globals are there."""
        return self._library is not None

    def get(self, name: str, card: int = 0) -> int:
        """A global."""
        if name in SINGLE:
            return ctypes.c_int.in_dll(self._open(), name).value
        return int(self._array(name)[card])

    def set(self, card: int = 0, **values: Union[int, str]) -> None:
        """Sets globals, those of one card where each has its own."""
        for name, value in values.items():
            if isinstance(value, str):
                size = TEXT[name]
                row = (ctypes.c_char * size * CARDS).in_dll(self._open(), name)[card]
                row.value = value.encode()
            elif name in SINGLE:
                ctypes.c_int.in_dll(self._open(), name).value = value
            else:
                self._array(name)[card] = value

    def _open(self) -> ctypes.CDLL:
        assert self._library is not None, "it was closed"
        return self._library

    def _array(self, name: str) -> ctypes.Array[ctypes.c_uint]:
        if name in LONG:
            return (ctypes.c_ulonglong * CARDS).in_dll(self._open(), name)  # type: ignore[return-value]
        return (ctypes.c_uint * CARDS).in_dll(self._open(), name)

    def processes(
        self, compute: Sequence[Tuple[int, int, int]], graphics: Sequence[Tuple[int, int, int]] = ()
    ) -> None:
        """Process id, memory in bytes and share in % of those that every card lists."""
        pids = (ctypes.c_uint * 16 * 2).in_dll(self._open(), "pids")
        sizes = (ctypes.c_ulonglong * 16 * 2).in_dll(self._open(), "sizes")
        shares = (ctypes.c_uint * 16 * 2).in_dll(self._open(), "shares")
        self.set(compute_count=len(compute), graphics_count=len(graphics))
        for kind, listed in enumerate((compute, graphics)):
            for at, (pid, size, share) in enumerate(listed):
                pids[kind][at], sizes[kind][at], shares[kind][at] = pid, size, share

    def calls(self) -> int:
        """How often a card was asked for a value, altogether."""
        names = ("busy", "temperature", "power_mw", "memory_v2", "core_mhz")
        return sum(self.get(f"{name}_calls", card) for name in names for card in range(CARDS))


def nvidia_card(machine: Machine, address: str, driver: str = "nvidia", **files: str) -> None:
    """One of NVIDIA's cards as the PCI bus and its driver show it."""
    device = f"devices/pci0000:00/{address}"
    machine.sys(f"{device}/uevent", f"DRIVER={driver}\nPCI_SLOT_NAME={address}\n")
    machine.sys(f"{device}/vendor", "0x10de\n")
    machine.sys(f"{device}/device", "0x2335\n")
    machine.sys(f"{device}/class", "0x030200\n")
    machine.sys(f"{device}/power/runtime_status", files.pop("status", "active") + "\n")
    machine.sys(f"{device}/power/control", files.pop("control", "on") + "\n")
    machine.link(f"bus/pci/devices/{address}", f"../../../{device}")
    machine.link(f"bus/pci/drivers/{driver}/{address}", f"../../../../{device}")
    machine.link(f"{device}/driver", f"../../../bus/pci/drivers/{driver}")
    if driver == "nvidia":
        machine.proc(f"driver/nvidia/gpus/{address}/power", "Runtime D3 status: Disabled by default\n")


def as_observed(said: Dict[str, Any]) -> Dict[str, int]:
    """What bench/nvidia_check.py kept of a real card (``said``), as globals of the library."""
    used, total, code = said["memory"]
    values = {"used": used, "total": total, "memory_v2_code": code, "mig": int(said["mig"])}
    for name, answer in said.items():
        if name not in ("memory", "name", "mig", "processes", "process_busy"):
            values[name], values[f"{name}_code"] = answer[0] or 0, answer[1]
    return values
