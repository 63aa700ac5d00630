"""AMD cards: amdgpu's files in sysfs, each value on its own.

Documentation/gpu/amdgpu in the kernel describes the files; temperatures are in m°C, power in µW,
clocks in Hz.
"""

from __future__ import annotations

import errno
import time
from dataclasses import replace
from typing import Callable, List, Optional, Sequence

from inktop_protocol.model import Gpu, GpuInfo

from ...files import MISSING, File, Roots, is_folder
from ..source import Row
from .amd_metrics import format_revision, parse_metrics
from .card import Check, Found, GpuValues, check_file
from .drm import (
    AWAKE,
    Family,
    card_names,
    find_family,
    gpu_name,
    guess_family,
    hwmon_folders,
    is_awake,
)
from .idle import Idle
from .plausible import ALL_ONES, plausible

FAMILY = Family(0x1002, ("amdgpu", "radeon"))
#: A card with no more VRAM than this may be an APU's carve-out.
CARVE_OUT_BYTES = 2 << 30
#: A fan's duty register counts to this unless the card says otherwise.
PWM_MAX = 255
#: 0xFFFF: what the fan register holds while a zero-rpm fan is still.
NO_TACHOMETER = 65535
#: Errors that a driver gives while it resets the card, and afterwards if that failed. EBUSY means
#: asleep, but a card that never sleeps is in reset: newer kernels say EBUSY there instead of EPERM
#: (Linux commit cf32515a7061).
REFUSED = (errno.EBUSY, errno.EPERM, errno.EIO, errno.ENODEV, errno.ETIMEDOUT, errno.ETIME)
#: A table that had nothing to say is asked again after this.
METRICS_AGAIN_S = 60.0
#: Sensors that were not there yet, or went, are looked for again after this: a driver registers them
#: late, and under another number when it is loaded again.
BIND_AGAIN_S = 10.0


class Amd:
    """The maker."""

    name = "AMD"

    def present(self, roots: Roots) -> Sequence[str]:
        """All cards of the kernel."""
        return card_names(roots)

    def find(self, roots: Roots) -> List[Found]:
        """Those with one of AMD's drivers."""
        return [
            replace(found, integrated=_looks_integrated(roots, f"{found.place}/device"))
            for found in find_family(roots, FAMILY)
        ]

    def guess(self, roots: Roots) -> List[Found]:
        """The same by their links; all are taken for discrete."""
        return guess_family(roots, FAMILY)

    def open(self, roots: Roots, found: Found, index: int) -> AmdCard:
        """The card."""
        return AmdCard(roots, found, index)

    def doctor(self, roots: Roots) -> List[Row]:
        """Nothing: the kernel lists every card."""
        return []


def _looks_integrated(roots: Roots, device: str) -> bool:
    """By what can be asked of a sleeping card; the card itself knows it better later."""
    vram = roots.at(f"{device}/mem_info_vram_total").read_int()
    gtt = roots.at(f"{device}/mem_info_gtt_total").read_int()
    if vram is None or vram > CARVE_OUT_BYTES:
        return is_awake(roots, device) and any(_says_vddnb(roots, hwmon) for hwmon in hwmon_folders(device))
    return gtt is None or gtt > vram


def _says_vddnb(roots: Roots, hwmon: str) -> bool:
    return roots.at(f"{hwmon}/in1_label").read_text() == "vddnb"


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
        self._status = roots.at(f"{device}/power/runtime_status")
        self._power_state = roots.at(f"{device}/power_state")
        self._busy = roots.at(f"{device}/gpu_busy_percent")
        self._vram_used = roots.at(f"{device}/mem_info_vram_used")
        self._gtt_used = roots.at(f"{device}/mem_info_gtt_used")
        self._metrics = roots.at(f"{device}/gpu_metrics")
        self._metrics_at = 0.0
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
        self._no_power_state = False
        self._no_status = False
        self._idle = Idle(roots, device, now)
        self._last: GpuValues = {}

    # -- what does not change --

    def facts(self) -> GpuInfo:
        """Name, power cap, critical temperatures: the last three only of a card that is awake."""
        name = gpu_name(self._roots, self._device, Amd.name, self._bound)
        if not self._bound or not self._hwmon:
            return GpuInfo(self._index, name, self._found.pci)
        return GpuInfo(
            self._index,
            name,
            self._found.pci,
            plausible("cap", self._roots.int_at(f"{self._hwmon}/power1_cap")),
            self._critical("edge"),
            self._critical("junction"),
            self._critical("mem"),
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
        folders = hwmon_folders(self._device)
        named = [f for f in folders if self._roots.text_at(f"{f}/name") in FAMILY.drivers]
        self._hwmon = (named or folders or [""])[0]
        self._vram_total = self._roots.int_at(f"{self._device}/mem_info_vram_total")
        self._gtt_total = self._roots.int_at(f"{self._device}/mem_info_gtt_total")
        if self._hwmon:
            self._bind_sensors(self._hwmon)
        self._apu = self._is_apu()

    def _bind_sensors(self, at: str) -> None:
        def temperature(label: str) -> Optional[File]:
            index = self._temperature_index(label)
            return self._roots.there(f"{at}/temp{index}_input") if index else None

        self._edge = temperature("edge")
        self._junction = temperature("junction")
        self._memory = temperature("mem")
        # power1_average is the older name; since 6.6 many cards have power1_input alone, some have
        # both.
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

    def _is_apu(self) -> bool:
        """Whether its VRAM is a carve-out of the machine's memory."""
        if self._hwmon and self._roots.text_at(f"{self._hwmon}/in1_label") == "vddnb":
            return True
        if self._vram_total is None or self._gtt_total is None:
            return False
        if self._vram_total > CARVE_OUT_BYTES or self._gtt_total <= self._vram_total:
            return False
        # A small discrete card has little VRAM, too, but a fan that can be read, or a table of its kind.
        if self._fan is not None and self._fan.read_int() is not None:
            return False
        return format_revision(self._metrics.read()) != 1

    # -- what changes --

    def asleep(self) -> bool:
        """Whether the card is powered down: then nothing may be read that would wake it."""
        if not self._no_status:
            status = self._status.read_text()
            if status:
                return status not in AWAKE
            self._no_status = status is None and self._status.error in MISSING
        if not self._no_power_state:
            state = self._power_state.read_text()
            self._no_power_state = state is None and self._power_state.error in MISSING
            return state in ("D3hot", "D3cold")
        return False

    def read(self) -> Gpu:
        """All values now. ``state`` is ``ok``, ``asleep``, ``reset`` or ``lost``."""
        if self.asleep():
            self._idle.asleep()
            return self._gpu(self._read_vram(), "asleep")
        if not self._bound or ((self._moved or not self._hwmon) and self._now() >= self._bind_again_at):
            self._bind()
        if self._last and self._idle.left_alone():
            return self._gpu({**self._last, **self._read_vram()}, "ok")
        values = self._read_vram()
        errors: List[int] = []
        self._read_sensors(values, errors)
        state = self._judge(values, errors)
        if state == "ok":
            self._fill_from_metrics(values)
        self._last = values
        self._idle.note(state == "ok" and values["busy_percent"] == 0)
        return self._gpu(values, state)

    def _gpu(self, values: GpuValues, state: str) -> Gpu:
        return Gpu(self._index, **values, state=state)

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
                break  # an average that is not kept reads 0: the momentary value knows better
        pwm = self._sensor(self._pwm, errors)
        if pwm is not None and 0 <= pwm <= self._pwm_max:
            values["fan_percent"] = (200 * pwm + self._pwm_max) // (2 * self._pwm_max)
        values["fan_rpm"] = self._rpm(self._sensor(self._fan, errors), pwm)
        core = plausible("clock", self._sensor(self._sclk, errors))
        memory = plausible("clock", self._sensor(self._mclk, errors))
        values["core_clock_mhz"] = chosen_clock(self._dpm_sclk) if core is None else core
        values["memory_clock_mhz"] = chosen_clock(self._dpm_mclk) if memory is None else memory

    def _rpm(self, raw: Optional[int], pwm: Optional[int]) -> Optional[int]:
        """0xFFFF, and twice what the fan can do, come from a fan that is still, or from nowhere."""
        if raw is None:
            return None
        if raw == NO_TACHOMETER or (self._fan_max and raw > 2 * self._fan_max):
            return 0 if pwm == 0 else None
        return plausible("fan", raw)

    def _judge(self, values: GpuValues, errors: List[int]) -> str:
        """The state of the card as a whole, by what the errors say."""
        refused = [error for error in errors if error > 0]
        if refused and len(refused) == len(errors):
            if self.asleep() or (errno.EBUSY in refused and self._may_sleep()):
                return "asleep"  # it fell asleep between the look and the read
            if len(refused) > 1 and any(error in REFUSED for error in refused):
                # The driver answers for its own bookkeeping after a hang, but not after a removal.
                gone = self._vram_used.error == errno.ENODEV or self._off_the_bus()
                return "lost" if gone else "reset"
        elif self._says_nothing(values, errors) and not is_folder(self._device):
            self._bound = False
            return "lost"
        return "ok"

    def _says_nothing(self, values: GpuValues, errors: List[int]) -> bool:
        return (
            not errors
            and values["vram_used_mib"] is None
            and not self._roots.at(f"{self._device}/vendor").read()
        )

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

    def _may_sleep(self) -> bool:
        """Whether the kernel may power the card down while nobody uses it."""
        if self._status.read_text() == "unsupported":
            return False
        return self._roots.text_at(f"{self._device}/power/control") != "on"

    def _off_the_bus(self) -> bool:
        """A device that does not answer reads as all ones, its id in configuration space, too."""
        file = self._roots.at(f"{self._device}/config")
        data = file.read(4)
        file.close()
        return data == b"\xff\xff\xff\xff" or not is_folder(self._device)

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
