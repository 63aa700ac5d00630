"""The range of each GPU sensor. Raw values of sysfs in, whole units out.

A value outside its range is a sentinel or damage, and therefore unknown.
"""

from __future__ import annotations

from typing import Optional

from inktop_protocol.table import limits

#: name: (raw units in one unit of the line, lowest, highest), the bounds in the unit of the line.
#: * temperatures: 511 °C is what a read-out without a sensor says, -273 one that was never set;
#:   silicon shuts itself off near 125 °C.
#: * power: the largest accelerator module is below 1.5 kW.
#: * fan: 65535 is 0xFFFF; the fastest server fans turn below 30,000 rpm.
#: * clocks: 0xFFFF again, and 0xFFFFFFFF; no core or memory clock is above 10 GHz.
#: * busy and VRAM: what a line can carry.
RANGES = {
    "busy": (1, *limits("data", "g", "busy_percent")),
    "vram": (1 << 20, *limits("data", "g", "vram_used_mib")),
    "temperature": (1000, -40, 150),
    "critical": (1000, 30, 150),
    "power": (1_000_000, 0, 3000),
    "cap": (1_000_000, 1, 3000),
    "fan": (1, 0, 40000),
    "clock": (1_000_000, 0, 10000),
    "clock_mhz": (1, 0, 10000),
    "celsius": (1, -40, 150),
    "watt": (1, 0, 3000),
}
#: A register of all ones says that no device answered. No true reading in thousandths or smaller ends so.
ALL_ONES = (-1, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF)


def plausible(kind: str, raw: Optional[int]) -> Optional[int]:
    """``raw`` in the unit of the line, rounded half up; ``None`` if it cannot be true."""
    if raw is None:
        return None
    unit, low, high = RANGES[kind]
    if raw < low * unit or raw > high * unit or (unit > 1 and raw in ALL_ONES):
        return None
    value = (2 * raw + unit) // (2 * unit)
    if value == 0 and kind in ("temperature", "celsius"):
        return None  # a sensor that is not there, not one that freezes
    return value
