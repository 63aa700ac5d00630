"""NVIDIA's cards, through its management library (``nvml.py``).

The kernel says which cards there are and whether they sleep; only of one that is awake is the library
asked anything. It is not loaded on a machine without such a card.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Sequence, Set, Tuple

from inktop_protocol.forms import is_pci
from inktop_protocol.model import Gpu, GpuInfo

from ...files import Roots, link_name, names_in
from ..memory import field as meminfo_field
from ..source import Row
from .card import Check, Found, GpuValues
from .drm import gpu_name
from .idle import Idle
from .link import AGAIN_S as LINK_AGAIN_S
from .nvidia_advice import failure, reason, throttles
from .plausible import plausible
from .power import Power
from .throttle import nvidia_throttle
from .use import Uses, by_pid

if TYPE_CHECKING:
    from ctypes import c_void_p

    from .nvml import Answer, Library, Session

VENDOR = "0x10de"
#: PCI classes of display controllers: VGA, 3D.
DISPLAY = ("0x0300", "0x0302")
#: A card that fell off the bus or needs a reset is asked again after this.
AGAIN_S = 60.0
#: Codes after which the card as a whole is not asked again for a minute: nvml.GPU_IS_LOST, RESET_REQUIRED.
FATAL = (15, 16)
#: nvml.NOT_SUPPORTED; and what else says that there is no such value: no fan of that number (invalid
#: argument), a function that the library does not have.
NOT_SUPPORTED = 3
ABSENT = (NOT_SUPPORTED, 2, 13)
# Numbers of enumerations of the library.
GRAPHICS, MEMORY = 0, 2
SLOWDOWN, MEMORY_MAX = 1, 2
#: Of the PCIe link: now, and what the card and its slot can do together.
LINK = ("CurrPcieLinkGeneration", "CurrPcieLinkWidth")
LINK_MOST = ("MaxPcieLinkGeneration", "MaxPcieLinkWidth")


class Nvidia:
    """The maker. ``library`` is the path of NVIDIA's library; empty: wherever the loader finds it."""

    name = "NVIDIA"

    def __init__(self, library: str = "") -> None:
        self._path = library
        self._library: Optional[Library] = None

    def library(self) -> Library:
        """The library, shared by all cards."""
        if self._library is None:
            # Here, because ctypes alone takes half a MiB that other machines need not spend.
            from . import nvml

            self._library = nvml.Library(self._path or nvml.LIBRARY)
        return self._library

    def present(self, roots: Roots) -> Sequence[str]:
        """PCI addresses of the cards that NVIDIA's driver has, from the PCI bus or from the driver."""
        names = set(names_in(f"{roots.sysfs}/bus/pci/drivers/nvidia"))
        names |= set(names_in(f"{roots.procfs}/driver/nvidia/gpus"))
        return sorted(name for name in names if is_pci(name.lower()))

    def find(self, roots: Roots) -> List[Found]:
        """The same: none of them is integrated, not even one whose memory is the machine's."""
        place = f"{roots.sysfs}/bus/pci/devices"
        return [Found(pci, pci.lower(), f"{place}/{pci}") for pci in self.present(roots)]

    guess = find

    def open(self, roots: Roots, found: Found, index: int) -> NvidiaCard:
        """The card."""
        return NvidiaCard(roots, found, index, self.library())

    def doctor(self, roots: Roots) -> List[Row]:
        """Cards of NVIDIA that its driver does not have."""
        rows = []
        for pci in sorted(set(self.plugged(roots)) - set(self.present(roots))):
            driver = link_name(f"{roots.sysfs}/bus/pci/devices/{pci}/driver")
            if driver == "vfio-pci":
                note = "it is lent to a virtual machine: only that one can read it"
            else:
                note = "it needs NVIDIA's own driver; then `inktop-collector install` again"
            rows.append(Row("gpu", f"NVIDIA, {pci}", f"driver {driver or 'none'}: {note}"))
        return rows

    def plugged(self, roots: Roots) -> Sequence[str]:
        """PCI addresses of all of NVIDIA's cards, whatever driver they have."""
        found = set(self.present(roots))
        folder = f"{roots.sysfs}/bus/pci/devices"
        for pci in names_in(folder):
            if roots.text_at(f"{folder}/{pci}/vendor") == VENDOR:
                kind = roots.text_at(f"{folder}/{pci}/class")
                found |= {pci} if kind.startswith(DISPLAY) else set()
        return sorted(found)


class NvidiaCard:
    """One card."""

    def __init__(self, roots: Roots, found: Found, index: int, library: Library) -> None:
        self._roots = roots
        self._found = found
        self._index = index
        self._library = library
        self._power = Power(roots, found.place)
        self._idle = Idle(roots, found.place, time.monotonic, library=True)
        self._meminfo = roots.proc("meminfo")
        #: The handle, and the session that it is of.
        self.handle: Optional[c_void_p] = None
        self._session: Optional[Session] = None
        #: Code of the last call for each value.
        self._codes: Dict[str, int] = {}
        #: Values that the card does not offer: not asked for again before the facts are.
        self._absent: Set[str] = set()
        #: What keeps the card from being read at all, and when it is asked again.
        self._failure = 0
        self._again_at = 0.0
        self._last = Gpu(index)
        self._mig = False
        #: Time of the library's newest sample of who keeps it busy.
        self._busy_until_us = 0
        #: What slows it down now, as bits.
        self.throttled = 0
        #: Generation and width of its PCIe link now and at most, ``None`` where unknown.
        self.link: Tuple[Optional[int], ...] = (None, None)
        self.link_most: Tuple[Optional[int], ...] = (None, None)
        self._link_at = 0.0

    # -- what changes --

    def read(self) -> Gpu:
        """All values now. ``state`` is ``ok`` or ``mig``, ``asleep``, or why there are none."""
        if self._power.asleep():
            self._let_go()
            self._idle.asleep()
            self._last = Gpu(self._index, state="asleep")
        elif not self._idle.left_alone() and time.monotonic() >= self._again_at:
            self._last = self._asked()
            self._idle.note(self._last.busy_percent == 0)
            if self._idle.left_alone():
                self._let_go()
        return self._last

    def _let_go(self) -> None:
        """Closes the library, which keeps every card awake that it was asked about."""
        if self._session is not None:
            self._session = self.handle = None
            self._library.close()

    def _asked(self) -> Gpu:
        throttle: Optional[str] = None
        with self._library.use() as (session, code):
            values: GpuValues = {}
            if session is not None:
                code = self._open(session)
                if self.handle is not None:
                    values = self._values(session, self.handle)
                    throttle = self._throttle(session, self.handle)
                    code = next((code for code in self._codes.values() if code in FATAL), 0)
        self._failure = code
        if not code:
            state = "mig" if self._mig else "ok"
            return Gpu(self._index, **values, state=state, throttle=throttle)
        self._again_at = time.monotonic() + AGAIN_S
        self._let_go()
        return Gpu(self._index, state=failure(code)[0])

    def _open(self, session: Session) -> int:
        if session is self._session and self.handle is not None:
            return 0
        self._session = session
        self.handle, code = session.handle(self._found.identity)
        self._absent.clear()
        if self.handle is not None:
            self._mig = session.mig(self.handle)
        return code

    def _ask(self, what: str, call: Callable[..., Answer], *arguments: object) -> Optional[int]:
        """One number. Its code is kept for ``doctor``."""
        if what in self._absent:
            return None
        value, code = call(*arguments)
        self._codes[what] = code
        if code in ABSENT:
            self._absent.add(what)
        return value

    def _values(self, session: Session, card: c_void_p) -> GpuValues:
        ask, number = self._ask, session.number
        used, total = self._memory(session, card)
        if time.monotonic() >= self._link_at:
            self._link_at = time.monotonic() + LINK_AGAIN_S
            self.link = tuple(on_the_line(session.number(what, card)[0]) for what in LINK)
        milliwatts = ask("power", number, "PowerUsage", card)
        core_mhz = ask("clock", number, "ClockInfo", card, GRAPHICS)
        memory_mhz = ask("memory clock", number, "ClockInfo", card, MEMORY)
        return {
            "busy_percent": plausible("busy", ask("busy", session.busy_percent, card)),
            "vram_used_mib": plausible("vram", used),
            "vram_total_mib": plausible("vram", total),
            "edge_c": plausible("celsius", ask("temperature", session.temperature_c, card)),
            "memory_c": plausible("celsius", ask("memory", session.memory_temperature_c, card)),
            "power_w": plausible("power", None if milliwatts is None else milliwatts * 1000),
            "fan_rpm": plausible("fan", ask("fan", session.fan_rpm, card)),
            "fan_percent": plausible("busy", ask("duty", number, "FanSpeed", card)),
            "core_clock_mhz": plausible("clock_mhz", core_mhz),
            "memory_clock_mhz": plausible("clock_mhz", memory_mhz),
            "link_generation": self.link[0],
            "link_width": self.link[1],
        }

    def _throttle(self, session: Session, card: c_void_p) -> Optional[str]:
        bits = self._ask("throttling", session.throttle_reasons, card)
        self.throttled = bits or 0
        return nvidia_throttle(bits)

    def _memory(self, session: Session, card: c_void_p) -> Tuple[Optional[int], Optional[int]]:
        """VRAM used and total in bytes; the machine's memory where the card has none of its own."""
        if "VRAM" not in self._absent:
            used, total, code = session.memory_bytes(card)
            self._codes["VRAM"] = code
            if code != NOT_SUPPORTED:
                return used, total
            self._absent.add("VRAM")
        data = b"\n" + (self._meminfo.read() or b"")
        total_kb, free_kb = meminfo_field(data, b"\nMemTotal:"), meminfo_field(data, b"\nMemAvailable:")
        if total_kb is None or free_kb is None:
            return None, None
        self._codes["VRAM"] = 0
        return (total_kb - free_kb) << 10, total_kb << 10

    # -- what does not change --

    def facts(self) -> GpuInfo:
        """Name, power limit, critical temperatures; besides, what changes seldom and is no field."""
        # From its ids, which are read without waking it.
        name = gpu_name(self._roots, self._found.place, Nvidia.name, awake=False)
        card, session = self.handle, self._session
        if card is None or session is None:
            return GpuInfo(self._index, name, self._found.pci)
        with self._library.use() as (open_now, _):
            if open_now is not session:
                return GpuInfo(self._index, name, self._found.pci)
            self._absent.clear()
            self._mig = session.mig(card)
            self.link_most = tuple(on_the_line(session.number(what, card)[0]) for what in LINK_MOST)
            cap_mw = session.number("EnforcedPowerLimit", card)[0]
            own_name = session.name(card)
            return GpuInfo(
                self._index,
                short_name(own_name) or name,
                self._found.pci,
                plausible("cap", None if cap_mw is None else cap_mw * 1000),
                plausible("celsius", session.number("TemperatureThreshold", card, SLOWDOWN)[0]),
                None,
                plausible("celsius", session.number("TemperatureThreshold", card, MEMORY_MAX)[0]),
                *self.link_most,
            )

    def users(self) -> Optional[Uses]:
        """All processes with memory on it, whoever they belong to."""
        card, session = self.handle, self._session
        if card is None or session is None:
            return None
        with self._library.use() as (open_now, _):
            if open_now is not session:
                return None
            vram, code = session.processes(card)
            if code:
                return None
            busy, self._busy_until_us = session.process_busy(card, self._busy_until_us)
        return by_pid(vram, busy)

    def doctor(self) -> List[Check]:
        """Each value by its code, and what slows the card down."""
        if self._failure:
            return [Check("driver", *failure(self._failure))]
        checks = [
            Check(what, "unknown", reason(code)) if code else Check(what)
            for what, code in self._codes.items()
        ]
        if self._mig:
            checks.append(Check("MIG", "on", "the card is cut into instances and has no load of its own"))
        if throttles(self.throttled):
            checks.append(Check("throttled", ", ".join(throttles(self.throttled))))
        (generation, width), (most_generation, most_width) = self.link, self.link_most
        if width and most_width and width < most_width:
            found = f"gen {generation} x{width} of gen {most_generation} x{most_width}"
            checks.append(Check("PCIe", found, "fewer lanes than it could have: check its slot and riser"))
        return checks


def on_the_line(number: Optional[int]) -> Optional[int]:
    """A generation or a width; 0: the card has no such link."""
    return number or None


def short_name(name: str) -> str:
    """Without the maker, who need not be told: ``H200``, ``GeForce RTX 4090``."""
    return name[7:38] if name.startswith("NVIDIA ") else name[:31]
