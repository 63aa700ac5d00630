"""amdgpu's ``gpu_metrics``: a binary table, read only where the text files have no answer.

Layout: ``struct gpu_metrics_v1_0`` … ``v1_3`` in drivers/gpu/drm/amd/include/kgd_pp_interface.h,
little-endian. Header: u16 size, u8 format revision, u8 content revision. 1.4 and later, and 2.x and
3.x (APUs), have other layouts and are not read.
"""

from __future__ import annotations

from typing import Dict, Optional

from .plausible import plausible

#: Everything that is read lies below this.
NEEDED_BYTES = 74
#: Byte offsets of the u16 values: 1.0 has a 64-bit counter before the temperatures, later ones after.
OFFSETS_1_0 = {
    "edge_c": 16,
    "junction_c": 18,
    "memory_c": 20,
    "busy_percent": 28,
    "power_w": 34,
    "core_clock_mhz": 54,
    "memory_clock_mhz": 58,
    "fan_rpm": 72,
}
OFFSETS_1_1 = {
    "edge_c": 4,
    "junction_c": 6,
    "memory_c": 8,
    "busy_percent": 16,
    "power_w": 22,
    "core_clock_mhz": 54,
    "memory_clock_mhz": 58,
    "fan_rpm": 72,
}
#: Which range of ``plausible`` belongs to which value.
KINDS = {
    "edge_c": "celsius",
    "junction_c": "celsius",
    "memory_c": "celsius",
    "busy_percent": "busy",
    "power_w": "watt",
    "core_clock_mhz": "clock_mhz",
    "memory_clock_mhz": "clock_mhz",
    "fan_rpm": "fan",
}
ABSENT = 0xFFFF


def format_revision(data: Optional[bytes]) -> int:
    """1: a discrete card, 2 and 3: an APU, 0: not a table."""
    if data is None or len(data) < 4 or data[0] | data[1] << 8 > len(data):
        return 0
    return data[2]


def parse_metrics(data: Optional[bytes]) -> Dict[str, int]:
    """What a table of version 1.0 to 1.3 says, without absent values; empty for others."""
    if data is None or format_revision(data) != 1 or data[3] > 3:
        return {}
    if len(data) < NEEDED_BYTES or data[0] | data[1] << 8 < NEEDED_BYTES:
        return {}
    values = {}
    for name, at in (OFFSETS_1_1 if data[3] else OFFSETS_1_0).items():
        raw = data[at] | data[at + 1] << 8
        value = None if raw == ABSENT else plausible(KINDS[name], raw)
        if value is not None:
            values[name] = value
    return values
