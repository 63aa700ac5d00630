"""The CPU's temperature: the sensors under /sys/class/hwmon that are a CPU's."""

from __future__ import annotations

import time
from typing import List, Optional, Tuple

from ..files import File, Roots, names_in
from .source import Reading, Row, Source, or_unknown

#: Drivers of CPU sensors, and the labels to look at, the best first; none of them there: all inputs.
DRIVERS = {
    "k10temp": ("Tdie", "Tctl"),
    "zenpower": ("Tdie", "Tctl"),
    "coretemp": ("Package id",),
    "k8temp": (),
    "via_cputemp": (),
    "cpu_thermal": (),
    "cpu-thermal": (),
    "soc_thermal": (),
    "cputemp": (),
}
#: A driver may be loaded, or its device renumbered, at any time.
AGAIN_S = 60.0
#: Beyond this a reading is a fault of the sensor.
LOWEST_C, HIGHEST_C = -40, 150


class CpuHeat(Source):
    """The hottest of all packages."""

    name = "CPU heat"

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._folder = f"{roots.sysfs}/class/hwmon"
        self._inputs: Tuple[File, ...] = ()
        self._found_at = -AGAIN_S
        self._hottest: Optional[int] = None

    def read(self) -> Reading:
        """``cpu_c``."""
        now = time.monotonic()
        if now - self._found_at >= AGAIN_S:
            self._found_at = now
            self._inputs = tuple(self._find())
        readings = [self._celsius(file) for file in self._inputs]
        self._hottest = max((value for value in readings if value is not None), default=None)
        return Reading({"cpu_c": self._hottest})

    def _celsius(self, file: File) -> Optional[int]:
        milli = file.read_int()
        if milli is None:
            return None
        celsius = (milli + 500) // 1000
        return celsius if LOWEST_C <= celsius <= HIGHEST_C else None

    def _find(self) -> List[File]:
        found: List[File] = []
        for name in names_in(self._folder):
            folder = f"{self._folder}/{name}"
            labels = DRIVERS.get(self._roots.text_at(f"{folder}/name"))
            if labels is not None:
                found += [self._roots.at(path) for path in self._inputs_of(folder, labels)]
        return found

    def _inputs_of(self, folder: str, labels: Tuple[str, ...]) -> List[str]:
        starts = sorted(
            name[: -len("_input")]
            for name in names_in(folder)
            if name.startswith("temp") and name.endswith("_input")
        )
        told = [(start, self._roots.text_at(f"{folder}/{start}_label")) for start in starts]
        for label in labels:
            chosen = [start for start, text in told if text.startswith(label)]
            if chosen:
                return [f"{folder}/{start}_input" for start in chosen]
        return [f"{folder}/{start}_input" for start in starts]

    def doctor(self, reading: Reading) -> List[Row]:
        """The temperature, or that there is no sensor."""
        note = "" if self._inputs else "no sensor of a CPU: is its driver (k10temp, coretemp) loaded?"
        return [Row(self.name, or_unknown(self._hottest, " °C"), note)]
