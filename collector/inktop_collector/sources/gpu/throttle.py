"""Why a card is slowed down, in the words of the line: the gravest reason where there are several.

AMD says it in the binary table ``gpu_metrics`` (layouts: ``kgd_pp_interface.h``, see ``amd_metrics``), in
one of three ways:

* bits that mean the same on all cards (tables 1.3, and 2.2 and later): ``SMU_THROTTLER_*_BIT`` in
  ``amdgpu_smu.h``, sixteen each for power, current, heat and others;
* bits that each card numbers its own way. Tables 1.4 and 1.5 are the MI300's alone, whose five bits are
  known (``smu_v13_0_6_pmfw.h``); of others only whether any is set;
* counters of the time spent throttled (tables 1.6 to 1.8, and 3.0): the reason whose counter moves.

Intel's drivers have a file for each reason, 0 or 1.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from ...files import File, Roots, names_in

#: The words, the gravest first. A power cap is how a loaded card is meant to work.
HEAT, CURRENT, POWER, OTHER, NONE = "heat", "current", "power", "other", "none"
GRAVITY = (HEAT, CURRENT, POWER, OTHER)

#: Ranges of the bits that mean the same on all cards.
SIXTEENS = ((0, POWER), (16, CURRENT), (32, HEAT), (48, OTHER))
#: MI300: processor hot (an outside signal), power, and the heat of the socket, its regulators, its HBM.
MI300_BITS = (HEAT, POWER, HEAT, HEAT, HEAT)
#: Counters of the same five, in the tables that have them instead of the bits.
MI300_COUNTERS = MI300_BITS
#: An APU's: processor hot, three power limits, the heat of cores, graphics and the rest.
APU_COUNTERS = (HEAT, POWER, POWER, POWER, HEAT, HEAT, HEAT)

#: (format, content) of a table: offset of the 64 bits that are the same everywhere.
COMMON_AT = {(1, 3): 112, (2, 2): 120, (2, 3): 120, (2, 4): 120}
#: Offset of the 32 bits that are the card's own.
OWN_AT = {(1, 0): 68, (1, 1): 68, (1, 2): 68, (2, 0): 112, (2, 1): 108}
MI300_AT = {(1, 4): 40, (1, 5): 72}
#: Offset of the first counter, and what the counters count.
COUNTERS_AT = {
    (1, 6): (36, MI300_COUNTERS),
    (1, 7): (44, MI300_COUNTERS),
    (1, 8): (44, MI300_COUNTERS),
    (3, 0): (228, APU_COUNTERS),
}

#: Intel's reasons. PL1 and PL2 are limits of power, PL4 and Iccmax of current; RATL is a limit of the mean
#: temperature; p0_freq says that the clock is at its highest, which is no reason.
INTEL_WORDS = {
    "pl1": POWER,
    "pl2": POWER,
    "psys_pl1": POWER,
    "psys_pl2": POWER,
    "psys_crit": POWER,
    "pl4": CURRENT,
    "vr_tdc": CURRENT,
    "iccmax": CURRENT,
    "fastvmode": CURRENT,
    "thermal": HEAT,
    "prochot": HEAT,
    "ratl": HEAT,
    "vr_thermalert": HEAT,
    "vr_thermal": HEAT,
    "soc_thermal": HEAT,
    "soc_avg_thermal": HEAT,
    "mem_thermal": HEAT,
}
INTEL_IGNORED = ("status", "p0_freq")
#: Where a card of Intel has them, and how their names begin: i915 since 6.0, xe.
INTEL_PLACES = (("gt/gt0", "throttle_reason_"), ("device/tile0/gt0/freq0/throttle", "reason_"))


def gravest(reasons: List[str]) -> str:
    """The word for several reasons."""
    return next((reason for reason in GRAVITY if reason in reasons), NONE)


class AmdThrottle:
    """One card of AMD's, from one table after the other."""

    def __init__(self) -> None:
        self._counters: Dict[int, int] = {}

    def forget(self) -> None:
        """The next table is not compared with the last one."""
        self._counters = {}

    def of(self, table: Optional[bytes]) -> Optional[str]:
        """What the table says; ``None`` where it does not tell, or says that it does not know."""
        if table is None or len(table) < 4:
            return None
        size, version = table[0] | table[1] << 8, (table[2], table[3])
        table = table[:size]
        if version in COMMON_AT:
            bits = _number(table, COMMON_AT[version], 8)
            return None if bits is None else _by_sixteens(bits)
        if version in MI300_AT:
            bits = _number(table, MI300_AT[version], 4)
            if bits is None:
                return None
            known = [word for at, word in enumerate(MI300_BITS) if bits >> at & 1]
            return gravest(known + ([OTHER] if bits >> len(MI300_BITS) else []))
        if version in OWN_AT:
            bits = _number(table, OWN_AT[version], 4)
            return None if bits is None else OTHER if bits else NONE
        if version in COUNTERS_AT:
            return self._by_counters(table, *COUNTERS_AT[version])
        return None

    def _by_counters(self, table: bytes, first: int, words: Tuple[str, ...]) -> Optional[str]:
        before, self._counters = self._counters, {}
        reasons = []
        for number, word in enumerate(words):
            count = _number(table, first + 4 * number, 4)
            if count is None:
                continue
            self._counters[number] = count
            if number in before and count != before[number]:
                reasons.append(word)
        return gravest(reasons) if before and self._counters else None


def _by_sixteens(bits: int) -> str:
    return gravest([word for at, word in SIXTEENS if bits >> at & 0xFFFF])


def _number(table: bytes, at: int, size: int) -> Optional[int]:
    """A number of a table; ``None`` beyond its end, and for all ones, with which the driver fills it."""
    data = table[at : at + size]
    return None if len(data) < size or data == b"\xff" * size else int.from_bytes(data, "little")


class IntelThrottle:
    """One card of Intel's, in the folder of the kernel's list of cards."""

    def __init__(self, roots: Roots, folder: str) -> None:
        self._status: Optional[File] = None
        self._reasons: List[Tuple[File, str]] = []
        for place, start in INTEL_PLACES:
            for name in names_in(f"{folder}/{place}"):
                word = name[len(start) :]
                if name.startswith(start) and word not in INTEL_IGNORED:
                    file = roots.at(f"{folder}/{place}/{name}")
                    self._reasons.append((file, INTEL_WORDS.get(word, OTHER)))
            if self._reasons:
                status = "throttle_reason_status" if start == "throttle_reason_" else "status"
                self._status = roots.there(f"{folder}/{place}/{status}")
                break

    def read(self) -> Optional[str]:
        """The reason now; ``None`` where the card or its driver does not tell."""
        if not self._reasons:
            return None
        # One read where it is not slowed down, which is nearly always.
        if self._status is not None and self._status.read_int() == 0:
            return NONE
        answers = [(file.read_int(), word) for file, word in self._reasons]
        if all(answer is None for answer, _ in answers):
            return None
        return gravest([word for answer, word in answers if answer])


#: Bits of NVML's clocks event reasons. A clock that idles or was set is not slowed down.
NVIDIA_BITS = (
    (0x4, POWER),  # its power cap
    (0x20, HEAT),  # the driver's limit
    (0x40, HEAT),  # the hardware's
    (0x80, POWER),  # the power brake: a signal of the supply's
)
#: The hardware slows it down; the reason is among the others, or was one that has no bit.
NVIDIA_SLOWDOWN = 0x8


def nvidia_throttle(bits: Optional[int]) -> Optional[str]:
    """The word for the bits."""
    if bits is None:
        return None
    reasons = [word for bit, word in NVIDIA_BITS if bits & bit]
    return gravest(reasons or ([OTHER] if bits & NVIDIA_SLOWDOWN else []))
