"""Owns reading one Intel card, i915 or xe: as far as sysfs tells, which is no load and no VRAM.

Power is the difference of an energy counter (µJ), clocks are in MHz, temperatures in m°C.
"""

from __future__ import annotations

import time

from ..files import File, Roots, is_folder
from .gpu import AWAKE, GpuFacts, GpuValues, gpu_name, hwmon_folders
from .plausible import plausible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, List, Optional, Tuple

#: Where the actual clock stands: xe, i915 since 6.0, i915 before; the requested clock where there
#: is no other.
CLOCK_FILES = (
    "device/tile0/gt0/freq0/act_freq",
    "gt/gt0/rps_act_freq_mhz",
    "gt_act_freq_mhz",
    "device/tile0/gt0/freq0/cur_freq",
    "gt_cur_freq_mhz",
)
#: Sensors of one kind that a card may have.
SENSORS = range(1, 10)


class IntelCard:
    """One card. ``read`` may block, so it runs in a thread of its own."""

    def __init__(self, roots: Roots, folder: str, now: Callable[[], float] = time.monotonic) -> None:
        self._roots = roots
        self._now = now
        self._folder = folder
        self._device = f"{folder}/device"
        self._status = roots.at(f"{self._device}/power/runtime_status")
        self._bound = False
        self._hwmon = ""
        self._clock: Optional[File] = None
        self._energy: Optional[File] = None
        self._before: Optional[Tuple[int, float]] = None
        self._edge: Optional[File] = None
        self._memory: Optional[File] = None
        self._fans: List[File] = []

    def facts(self) -> GpuFacts:
        """Name, and the power limit where there is one."""
        facts = GpuFacts(gpu_name(self._roots, self._device, "Intel", self._bound))
        if self._bound and self._hwmon:
            for name in ("power1_max", "power2_max", "power1_rated_max"):
                facts.power_cap_w = plausible("cap", self._roots.int_at(f"{self._hwmon}/{name}"))
                if facts.power_cap_w is not None:
                    break
        return facts

    def _labelled(self, kind: str, suffix: str, labels: Tuple[str, ...]) -> Optional[File]:
        """The sensor of a kind with the first of the labels that exists; ``""`` is one without a
        label.
        """
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
        named = [f for f in folders if self._roots.text_at(f"{f}/name") in ("i915", "xe")]
        self._hwmon = (named or folders or [""])[0]
        if not self._hwmon:
            return  # integrated graphics have no sensors of their own
        self._energy = self._labelled("energy", "_input", ("pkg", "card", ""))
        self._edge = self._labelled("temp", "_input", ("pkg", ""))
        self._memory = self._labelled("temp", "_input", ("vram",))
        fans = (self._roots.there(f"{self._hwmon}/fan{number}_input") for number in SENSORS)
        self._fans = [file for file in fans if file is not None]

    def read(self) -> GpuValues:
        """All values now. ``state`` is ``ok``, ``asleep`` or ``lost``."""
        values = GpuValues()
        status = self._status.read_text()
        if status and status not in AWAKE:
            values.state = "asleep"
            self._before = None
            return values
        if not self._bound:
            self._bind()
        if self._clock is not None:
            values.core_clock_mhz = plausible("clock_mhz", self._clock.read_int())
        if self._energy is not None:
            values.power_w = self._watts(self._energy.read_int())
        if self._edge is not None:
            values.edge_c = plausible("temperature", self._edge.read_int())
        if self._memory is not None:
            values.memory_c = plausible("temperature", self._memory.read_int())
        # Some of the fans that the driver lists are not there and read 0: the fastest one speaks
        # for all.
        speeds = [plausible("fan", fan.read_int()) for fan in self._fans]
        values.fan_rpm = max((s for s in speeds if s is not None), default=None)
        if values.core_clock_mhz is None and not is_folder(self._device):
            values.state = "lost"
            self._bound = False
        return values

    def files(self) -> List[Tuple[str, Optional[File]]]:
        """Where each value comes from, for a person who looks for the cause; ``None``: no file."""
        return [
            ("edge", self._edge),
            ("memory", self._memory),
            ("power", self._energy),
            ("fan", self._fans[0] if self._fans else None),
            ("clock", self._clock),
        ]

    def _watts(self, energy_uj: Optional[int]) -> Optional[int]:
        now = self._now()
        before, self._before = self._before, None
        if energy_uj is None:
            return None
        self._before = (energy_uj, now)
        if before is None or now <= before[1] or energy_uj < before[0] or energy_uj == 0:
            return None
        return plausible("power", int((energy_uj - before[0]) / (now - before[1])))
