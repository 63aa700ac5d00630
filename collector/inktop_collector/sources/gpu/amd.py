"""AMD cards: amdgpu's files in sysfs, each value on its own.

Documentation/gpu/amdgpu in the kernel describes the files. Units: m°C, µW, Hz.
"""

from __future__ import annotations

import errno
import time
from typing import Callable, List, Optional

from inktop_protocol.model import Gpu, GpuInfo

from ...files import MISSING, File, Roots
from .amd_metrics import parse_metrics
from .apu import is_apu
from .card import Check, Found, GpuValues, check_file
from .drm import DrmMaker, Family, gpu_name, hwmon_folders, sensor_folder
from .idle import Idle
from .link import NOTHING, Link
from .plausible import ALL_ONES, plausible
from .power import Power
from .throttle import NONE, AmdThrottle
from .use import Uses

FAMILY = Family(0x1002, ("amdgpu", "radeon"))
#: A fan's duty register counts to this unless the card says otherwise.
PWM_MAX = 255
#: 0xFFFF: what the fan register holds while a zero-rpm fan is stopped.
NO_TACHOMETER = 65535
#: A table without a value is read again after this …
METRICS_AGAIN_S = 60.0
#: … and for the reason why a busy card is slowed down, after this.
THROTTLE_AGAIN_S = 5.0
#: Sensors that were not there yet, or went, are looked for again after this: a driver registers them
#: late, and under another number when it is loaded again.
BIND_AGAIN_S = 10.0


class Amd(DrmMaker):
    """The maker."""

    name = "AMD"
    family = FAMILY

    def is_integrated(self, roots: Roots, found: Found) -> bool:
        """Whether it is an APU."""
        device = f"{found.place}/device"
        if Power(roots, device).asleep():
            return is_apu(roots, device, "".join(hwmon_folders(device)[:1]), awake=False)
        return is_apu(roots, device, sensor_folder(roots, device, FAMILY), awake=True)

    def open(self, roots: Roots, found: Found, index: int) -> AmdCard:
        """The card."""
        return AmdCard(roots, found, index)


class AmdCard:
    """One card."""

    def __init__(
        self, roots: Roots, found: Found, index: int = 0, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._roots = roots
        self._found = found
        self._index = index
        self._now = now
        device = f"{found.place}/device"
        self._device = device
        self.power = Power(roots, device)
        self._busy = roots.at(f"{device}/gpu_busy_percent")
        self._vram_used = roots.at(f"{device}/mem_info_vram_used")
        self._gtt_used = roots.at(f"{device}/mem_info_gtt_used")
        self._metrics = roots.at(f"{device}/gpu_metrics")
        self._metrics_at = 0.0
        self._throttle = AmdThrottle()
        self._throttle_at = 0.0
        self._throttled: Optional[str] = None
        self._link = Link(roots, device, now)
        self._speed = NOTHING
        self._vram_total: Optional[int] = None
        self._gtt_total: Optional[int] = None
        self._bound = False
        self._bind_again_at = 0.0
        self._moved = False
        self._apu = False
        self._hwmon = ""
        self._edge: Optional[File] = None
        self._junction: Optional[File] = None
        self._memory: Optional[File] = None
        self._power: List[File] = []
        self._fan: Optional[File] = None
        self._fan_max: Optional[int] = None
        self._pwm: Optional[File] = None
        self._pwm_max = PWM_MAX
        self._sclk: Optional[File] = None
        self._mclk: Optional[File] = None
        self._dpm_sclk = roots.at(f"{device}/pp_dpm_sclk")
        self._dpm_mclk = roots.at(f"{device}/pp_dpm_mclk")
        self._idle = Idle(roots, device, now)
        self._last: GpuValues = {}

    # -- what does not change --

    def facts(self) -> GpuInfo:
        """Name, power cap, critical temperatures: the last three only of a card that is awake."""
        name = gpu_name(self._roots, self._device, Amd.name, self._bound)
        generation, lanes = self._link.most
        if not self._bound or not self._hwmon:
            link = {"link_generation": generation, "link_width": lanes}
            return GpuInfo(self._index, name, self._found.pci, **link)
        return GpuInfo(
            self._index,
            name,
            self._found.pci,
            plausible("cap", self._roots.int_at(f"{self._hwmon}/power1_cap")),
            self._critical("edge"),
            self._critical("junction"),
            self._critical("mem"),
            generation,
            lanes,
        )

    def _critical(self, label: str) -> Optional[int]:
        index = self._temperature_index(label)
        return plausible("critical", self._roots.int_at(f"{self._hwmon}/temp{index}_crit")) if index else None

    def _temperature_index(self, label: str) -> int:
        """Number of the sensor with that label, amdgpu's own where there are no labels; 0: none."""
        labels = [self._roots.text_at(f"{self._hwmon}/temp{i}_label") for i in (1, 2, 3)]
        if label in labels:
            return labels.index(label) + 1
        usual = ("edge", "junction", "mem").index(label) + 1
        return usual if not labels[usual - 1] else 0

    def _bind(self) -> None:
        """Finds the sensors. Only of a card that is awake."""
        self._bound = True
        self._moved = False
        self._bind_again_at = self._now() + BIND_AGAIN_S
        self._hwmon = sensor_folder(self._roots, self._device, FAMILY)
        self._vram_total = self._roots.int_at(f"{self._device}/mem_info_vram_total")
        self._gtt_total = self._roots.int_at(f"{self._device}/mem_info_gtt_total")
        if self._hwmon:
            self._bind_sensors(self._hwmon)
        self._apu = is_apu(self._roots, self._device, self._hwmon, awake=True)

    def _bind_sensors(self, at: str) -> None:
        def temperature(label: str) -> Optional[File]:
            index = self._temperature_index(label)
            return self._roots.there(f"{at}/temp{index}_input") if index else None

        self._edge = temperature("edge")
        self._junction = temperature("junction")
        self._memory = temperature("mem")
        # power1_average is the older name; since 6.6 many cards have only power1_input, some both.
        both = (self._roots.there(f"{at}/power1_average"), self._roots.there(f"{at}/power1_input"))
        self._power = [file for file in both if file is not None]
        self._fan = self._roots.there(f"{at}/fan1_input")
        self._fan_max = self._roots.int_at(f"{at}/fan1_max")
        self._pwm = self._roots.there(f"{at}/pwm1")
        self._pwm_max = self._roots.int_at(f"{at}/pwm1_max") or PWM_MAX
        self._sclk = self._roots.there(f"{at}/freq1_input")
        self._mclk = self._roots.there(f"{at}/freq2_input")
        label = self._roots.text_at(f"{at}/freq1_label")
        if label == "mclk":
            self._sclk, self._mclk = self._mclk, self._sclk

    # -- what changes --

    def read(self) -> Gpu:
        """All values now. ``state`` is ``ok``, ``asleep``, ``reset`` or ``lost``."""
        if self.power.still_off():
            return self._lost()
        if self.power.asleep():
            self._idle.asleep()
            self._forget_limits()
            return self._gpu(self._read_vram(), "asleep")
        if self._last and self._idle.left_alone():
            return self._gpu({**self._last, **self._read_vram()}, "ok")
        if self.power.off_the_bus():
            return self._lost()
        if not self._bound or ((self._moved or not self._hwmon) and self._now() >= self._bind_again_at):
            self._bind()
        values = self._read_vram()
        errors: List[int] = []
        self._read_sensors(values, errors)
        state = self.power.judge(errors)
        if state == "reset" and self._vram_used.error == errno.ENODEV:
            state = "lost"  # a driver answers for its own bookkeeping after a hang, not after a removal
        if state == "lost":
            return self._lost()
        if state == "ok":
            self._fill_from_metrics(values)
            self._look_at_limits(values["busy_percent"])
        else:
            self._forget_limits()
        self._last = values
        self._idle.note(state == "ok" and values["busy_percent"] == 0)
        return self._gpu(values, state)

    def _lost(self) -> Gpu:
        self._bound = False
        self._last = {}
        self._forget_limits()
        self._link.forget()
        return Gpu(self._index, state="lost")

    def _gpu(self, values: GpuValues, state: str) -> Gpu:
        generation, lanes = self._speed
        return Gpu(
            self._index,
            **values,
            state=state,
            throttle=self._throttled,
            link_generation=generation,
            link_width=lanes,
        )

    def _look_at_limits(self, busy_percent: Optional[int]) -> None:
        """What holds it back, of a card that answers. An APU has no link."""
        if not self._found.integrated and not self._apu:
            self._speed = self._link.read()
        # An idle card is not slowed down; a table costs as much as all other files together.
        idle = busy_percent == 0 and self._throttled in (None, NONE)
        if self._now() >= self._throttle_at and not idle:
            self._throttle_at = self._now() + THROTTLE_AGAIN_S
            self._throttled = self._throttle.of(self._metrics.read())

    def _forget_limits(self) -> None:
        self._speed = NOTHING
        self._throttled = None
        self._throttle_at = 0.0
        self._throttle.forget()

    def _read_vram(self) -> GpuValues:
        """VRAM is the driver's own bookkeeping: it is answered asleep, and after a hang."""
        if self._vram_total is None:
            self._vram_total = self._roots.int_at(f"{self._device}/mem_info_vram_total")
        used, total = _counted(self._vram_used.read_int()), _counted(self._vram_total)
        if self._apu:
            gtt, gtt_total = _counted(self._gtt_used.read_int()), _counted(self._gtt_total)
            if used is not None and gtt is not None:
                used += gtt
            if total is not None and gtt_total is not None:
                total += gtt_total
        if not total or total < 0:
            total = None
        if used is not None and total is not None and used > total:
            used = total
        return {"vram_used_mib": plausible("vram", used), "vram_total_mib": plausible("vram", total)}

    def _sensor(self, file: Optional[File], errors: List[int]) -> Optional[int]:
        if file is None:
            return None
        value = file.read_int()
        if file.error not in MISSING:
            errors.append(file.error)
        elif file is not self._busy:
            self._moved = True  # it was there when it was found
        return value

    def _read_sensors(self, values: GpuValues, errors: List[int]) -> None:
        """Fills in ``values``; ``errors`` gets the errno of each sensor that is there, 0 if it was read."""
        values["busy_percent"] = plausible("busy", self._sensor(self._busy, errors))
        values["edge_c"] = plausible("temperature", self._sensor(self._edge, errors))
        values["junction_c"] = plausible("temperature", self._sensor(self._junction, errors))
        values["memory_c"] = plausible("temperature", self._sensor(self._memory, errors))
        values["power_w"] = None
        for file in self._power:
            watts = plausible("power", self._sensor(file, errors))
            if watts is not None:
                values["power_w"] = watts
            if watts:
                break  # an average that is not kept reads 0: use the momentary value
        pwm = self._sensor(self._pwm, errors)
        if pwm is not None and 0 <= pwm <= self._pwm_max:
            values["fan_percent"] = (200 * pwm + self._pwm_max) // (2 * self._pwm_max)
        values["fan_rpm"] = self._rpm(self._sensor(self._fan, errors), pwm)
        core = plausible("clock", self._sensor(self._sclk, errors))
        memory = plausible("clock", self._sensor(self._mclk, errors))
        values["core_clock_mhz"] = chosen_clock(self._dpm_sclk) if core is None else core
        values["memory_clock_mhz"] = chosen_clock(self._dpm_mclk) if memory is None else memory

    def _rpm(self, raw: Optional[int], pwm: Optional[int]) -> Optional[int]:
        """0xFFFF, and twice what the fan can do, come from a stopped fan, or from no fan."""
        if raw is None:
            return None
        if raw == NO_TACHOMETER or (self._fan_max and raw > 2 * self._fan_max):
            return 0 if pwm == 0 else None
        return plausible("fan", raw)

    def _fill_from_metrics(self, values: GpuValues) -> None:
        """Asks the binary table for values that are missing."""
        wanted = ("busy_percent", "edge_c", "power_w", "fan_rpm")
        if all(values[name] is not None for name in wanted) or self._now() < self._metrics_at:
            return
        table = parse_metrics(self._metrics.read())
        if not table:
            self._metrics_at = self._now() + METRICS_AGAIN_S
        for name, value in table.items():
            if values.get(name) is None:
                values[name] = value

    def users(self) -> Optional[Uses]:
        """The kernel's descriptors tell them (``fdinfo``)."""
        return None

    def doctor(self) -> List[Check]:
        """Each value by its file."""
        files = {
            "busy": self._busy,
            "VRAM": self._vram_used,
            "edge": self._edge,
            "junction": self._junction,
            "memory": self._memory,
            "power": self._power[0] if self._power else None,
            "fan": self._fan,
            "duty": self._pwm,
            "clock": self._sclk,
            "memory clock": self._mclk,
        }
        return [check_file(what, file) for what, file in files.items()]


def _counted(raw: Optional[int]) -> Optional[int]:
    """A number of bytes, ``None`` for a register of all ones."""
    return None if raw in ALL_ONES else raw


def chosen_clock(file: File) -> Optional[int]:
    """The clock with the star in a list such as ``0: 500Mhz|1: 789Mhz *`` (one a line), MHz."""
    for line in (file.read() or b"").splitlines():
        if b"*" in line:
            text = line.partition(b":")[2].strip().lower()
            digits = text.split(b"mhz")[0].strip()
            return plausible("clock_mhz", int(digits)) if digits.isdigit() else None
    return None
