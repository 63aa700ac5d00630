"""Intel cards, i915 or xe: as far as sysfs tells, which is no load and no VRAM.

Power is the difference of an energy counter (µJ); clocks are in MHz, temperatures in m°C.
"""

from __future__ import annotations

import time
from typing import Callable, Dict, List, Optional, Tuple

from inktop_protocol.model import Gpu, GpuInfo

from ...files import MISSING, File, Roots
from ..counter import Counter
from .card import Check, Found, GpuValues, check_file
from .drm import DrmMaker, Family, gpu_name, sensor_folder
from .link import Link
from .plausible import plausible
from .power import Power
from .throttle import IntelThrottle
from .use import Uses

FAMILY = Family(0x8086, ("i915", "xe"))
#: Where the actual clock is: xe, i915 since 6.0, i915 before; else the requested clock.
CLOCK_FILES = (
    "device/tile0/gt0/freq0/act_freq",
    "gt/gt0/rps_act_freq_mhz",
    "gt_act_freq_mhz",
    "device/tile0/gt0/freq0/cur_freq",
    "gt_cur_freq_mhz",
)
EDGE_LABELS = ("pkg", "")
MEMORY_LABELS = ("vram",)
#: What limits the power: the sustained limit, which may be unset, the one of bursts, the factory's.
CAP_FILES = (
    "power1_max",
    "power2_max",
    "power1_cap",
    "power2_cap",
    "power1_rated_max",
    "power2_rated_max",
)
#: Sensors of one kind that a card may have.
SENSORS = range(1, 10)


class Intel(DrmMaker):
    """The maker."""

    name = "Intel"
    family = FAMILY

    def is_integrated(self, roots: Roots, found: Found) -> bool:
        """Intel's integrated graphics is always device 2 of the root bus."""
        return found.identity[4:10] == ":00:02"

    def open(self, roots: Roots, found: Found, index: int) -> IntelCard:
        """The card."""
        return IntelCard(roots, found, index, time.monotonic)


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
        self.power = Power(roots, self._device)
        self._bound = False
        self._hwmon = ""
        self._clock: Optional[File] = None
        #: Energy counters, the best one first: that of the package, that of the whole card.
        self._energy: List[Tuple[File, Counter]] = []
        self._edge: Optional[File] = None
        self._memory: Optional[File] = None
        self._fans: List[File] = []
        self._throttle: Optional[IntelThrottle] = None
        self._link = Link(roots, self._device, now)

    def facts(self) -> GpuInfo:
        """Name, and the power limit and critical temperatures where there are any."""
        name = gpu_name(self._roots, self._device, Intel.name, self._bound)
        generation, lanes = self._link.most
        if not self._bound or not self._hwmon:
            link = {"link_generation": generation, "link_width": lanes}
            return GpuInfo(self._index, name, self._found.pci, **link)
        return GpuInfo(
            self._index,
            name,
            self._found.pci,
            self._power_cap_w(),
            self._critical(EDGE_LABELS),
            None,
            self._critical(MEMORY_LABELS),
            generation,
            lanes,
        )

    def _power_cap_w(self) -> Optional[int]:
        caps = (plausible("cap", self._roots.int_at(f"{self._hwmon}/{name}")) for name in CAP_FILES)
        return next((cap for cap in caps if cap is not None), None)

    def _critical(self, labels: Tuple[str, ...]) -> Optional[int]:
        file = self._labelled("temp", "_crit", labels)
        if file is None:
            return None
        value = file.read_int()
        file.close()
        return plausible("critical", value)

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
        self._throttle = IntelThrottle(self._roots, self._folder)
        for name in CLOCK_FILES:
            self._clock = self._roots.there(f"{self._folder}/{name}")
            if self._clock is not None:
                break
        self._hwmon = sensor_folder(self._roots, self._device, FAMILY)
        if not self._hwmon:
            return  # integrated graphics have no sensors of their own
        counters = [self._labelled("energy", "_input", labels) for labels in (("pkg",), ("card",), ("",))]
        self._energy = [(file, Counter()) for file in counters if file is not None]
        self._edge = self._labelled("temp", "_input", EDGE_LABELS)
        self._memory = self._labelled("temp", "_input", MEMORY_LABELS)
        fans = (self._roots.there(f"{self._hwmon}/fan{number}_input") for number in SENSORS)
        self._fans = [file for file in fans if file is not None]

    def read(self) -> Gpu:
        """All values now. ``state`` is ``ok``, ``asleep``, ``reset`` or ``lost``."""
        if self.power.still_off():
            return self._lost()
        if self.power.asleep():
            for _, counter in self._energy:
                counter.forget()
            return Gpu(self._index, state="asleep")
        if self.power.off_the_bus():
            return self._lost()
        if not self._bound:
            self._bind()
        errors: List[int] = []
        values: GpuValues = {
            "core_clock_mhz": plausible("clock_mhz", _sensor(self._clock, errors)),
            "power_w": self._watts(errors),
            "edge_c": plausible("temperature", _sensor(self._edge, errors)),
            "memory_c": plausible("temperature", _sensor(self._memory, errors)),
        }
        # Some fans that the driver lists are not there and read 0: the fastest one counts.
        speeds = [plausible("fan", _sensor(fan, errors)) for fan in self._fans]
        values["fan_rpm"] = max((s for s in speeds if s is not None), default=None)
        state = self.power.judge(errors)
        if state == "lost":
            return self._lost()
        if state != "ok" or self._throttle is None:
            return Gpu(self._index, **values, state=state, throttle=None)
        if not self._found.integrated:
            values["link_generation"], values["link_width"] = self._link.read()
        return Gpu(self._index, **values, state=state, throttle=self._throttle.read())

    def _lost(self) -> Gpu:
        self._bound = False
        self._link.forget()
        return Gpu(self._index, state="lost")

    def users(self) -> Optional[Uses]:
        """The kernel's descriptors tell them (``fdinfo``)."""
        return None

    def doctor(self) -> List[Check]:
        """Each value by its file."""
        files = {
            "edge": self._edge,
            "memory": self._memory,
            "power": self._energy[0][0] if self._energy else None,
            "fan": self._fans[0] if self._fans else None,
            "clock": self._clock,
        }
        return [check_file(what, file) for what, file in files.items()]

    def _watts(self, errors: List[int]) -> Optional[int]:
        """From the first counter that moves: on some kernels one of them never does, or reads 0."""
        now = self._now()
        rates = [counter.rate(_sensor(file, errors) or None, now) for file, counter in self._energy]
        return next((plausible("power", int(rate)) for rate in rates if rate), None)


def _sensor(file: Optional[File], errors: List[int]) -> Optional[int]:
    """A sensor's number. ``errors`` gets the errno of one that is there, 0 if it was read."""
    if file is None:
        return None
    value = file.read_int()
    if file.error not in MISSING:
        errors.append(file.error)
    return value
