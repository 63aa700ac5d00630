"""Intel cards, i915 or xe: as far as sysfs tells, which is no load and no VRAM.

Power is the difference of an energy counter (µJ); clocks are in MHz, temperatures in m°C.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from inktop_protocol.model import Gpu, GpuInfo

from ...files import File, Roots, is_folder
from ..source import Row
from .card import Check, Found, GpuValues, check_file
from .drm import AWAKE, Family, card_names, find_family, gpu_name, guess_family, hwmon_folders
from .plausible import plausible

FAMILY = Family(0x8086, ("i915", "xe"))
#: Where the actual clock is: xe, i915 since 6.0, i915 before; else the requested clock.
CLOCK_FILES = (
    "device/tile0/gt0/freq0/act_freq",
    "gt/gt0/rps_act_freq_mhz",
    "gt_act_freq_mhz",
    "device/tile0/gt0/freq0/cur_freq",
    "gt_cur_freq_mhz",
)
#: Sensors of one kind that a card may have.
SENSORS = range(1, 10)


class Intel:
    """The maker."""

    name = "Intel"

    def present(self, roots: Roots) -> Sequence[str]:
        """All cards of the kernel."""
        return card_names(roots)

    def find(self, roots: Roots) -> List[Found]:
        """Those with one of Intel's drivers."""
        # Intel's integrated graphics is always device 2 of the root bus.
        return [
            replace(found, integrated=found.identity[4:10] == ":00:02")
            for found in find_family(roots, FAMILY)
        ]

    def guess(self, roots: Roots) -> List[Found]:
        """The same by their links; all are taken for discrete."""
        return guess_family(roots, FAMILY)

    def open(self, roots: Roots, found: Found, index: int) -> IntelCard:
        """The card."""
        return IntelCard(roots, found, index)

    def doctor(self, roots: Roots) -> List[Row]:
        """Nothing: the kernel lists every card."""
        return []


class IntelCard:
    """One card."""

    def __init__(
        self, roots: Roots, found: Found, index: int = 0, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._roots = roots
        self._found = found
        self._index = index
        self._now = now
        self._folder = found.place
        self._device = f"{found.place}/device"
        self._status = roots.at(f"{self._device}/power/runtime_status")
        self._bound = False
        self._hwmon = ""
        self._clock: Optional[File] = None
        self._energy: Optional[File] = None
        self._before: Optional[Tuple[int, float]] = None
        self._edge: Optional[File] = None
        self._memory: Optional[File] = None
        self._fans: List[File] = []

    def facts(self) -> GpuInfo:
        """Name, and the power limit where there is one."""
        name = gpu_name(self._roots, self._device, Intel.name, self._bound)
        return GpuInfo(self._index, name, self._found.pci, self._power_cap_w())

    def _power_cap_w(self) -> Optional[int]:
        if self._bound and self._hwmon:
            for name in ("power1_max", "power2_max", "power1_rated_max"):
                cap_w = plausible("cap", self._roots.int_at(f"{self._hwmon}/{name}"))
                if cap_w is not None:
                    return cap_w
        return None

    def _labelled(self, kind: str, suffix: str, labels: Tuple[str, ...]) -> Optional[File]:
        """The sensor of a kind with the first of the labels that exists; ``""`` is one without."""
        found: Dict[str, File] = {}
        for number in SENSORS:
            file = self._roots.there(f"{self._hwmon}/{kind}{number}{suffix}")
            if file is not None:
                label = self._roots.text_at(f"{self._hwmon}/{kind}{number}_label")
                found.setdefault(label, file)
        for label in labels:
            if label in found:
                return found[label]
        return None

    def _bind(self) -> None:
        self._bound = True
        for name in CLOCK_FILES:
            self._clock = self._roots.there(f"{self._folder}/{name}")
            if self._clock is not None:
                break
        folders = hwmon_folders(self._device)
        named = [f for f in folders if self._roots.text_at(f"{f}/name") in FAMILY.drivers]
        self._hwmon = (named or folders or [""])[0]
        if not self._hwmon:
            return  # integrated graphics have no sensors of their own
        self._energy = self._labelled("energy", "_input", ("pkg", "card", ""))
        self._edge = self._labelled("temp", "_input", ("pkg", ""))
        self._memory = self._labelled("temp", "_input", ("vram",))
        fans = (self._roots.there(f"{self._hwmon}/fan{number}_input") for number in SENSORS)
        self._fans = [file for file in fans if file is not None]

    def read(self) -> Gpu:
        """All values now. ``state`` is ``ok``, ``asleep`` or ``lost``."""
        status = self._status.read_text()
        if status and status not in AWAKE:
            self._before = None
            return Gpu(self._index, state="asleep")
        if not self._bound:
            self._bind()
        values: GpuValues = {}
        if self._clock is not None:
            values["core_clock_mhz"] = plausible("clock_mhz", self._clock.read_int())
        if self._energy is not None:
            values["power_w"] = self._watts(self._energy.read_int())
        if self._edge is not None:
            values["edge_c"] = plausible("temperature", self._edge.read_int())
        if self._memory is not None:
            values["memory_c"] = plausible("temperature", self._memory.read_int())
        # Some fans that the driver lists are not there and read 0: the fastest one counts.
        speeds = [plausible("fan", fan.read_int()) for fan in self._fans]
        values["fan_rpm"] = max((s for s in speeds if s is not None), default=None)
        if values.get("core_clock_mhz") is None and not is_folder(self._device):
            self._bound = False
            return Gpu(self._index, state="lost")
        return Gpu(self._index, **values, state="ok")

    def doctor(self) -> List[Check]:
        """Each value by its file."""
        files = {
            "edge": self._edge,
            "memory": self._memory,
            "power": self._energy,
            "fan": self._fans[0] if self._fans else None,
            "clock": self._clock,
        }
        return [check_file(what, file) for what, file in files.items()]

    def _watts(self, energy_uj: Optional[int]) -> Optional[int]:
        now = self._now()
        before, self._before = self._before, None
        if energy_uj is None:
            return None
        self._before = (energy_uj, now)
        if before is None or now <= before[1] or energy_uj < before[0] or energy_uj == 0:
            return None
        return plausible("power", int((energy_uj - before[0]) / (now - before[1])))
