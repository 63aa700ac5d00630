"""Whether a GPU of AMD is an APU: its VRAM is a carve-out of the machine's memory then.

amdgpu shows an APU no fan, no power limit and no second temperature, and a discrete card no voltage
named vddnb (``hwmon_attributes_visible`` in drivers/gpu/drm/amd/pm/amdgpu_pm.c).
"""

from __future__ import annotations

from typing import Optional

from ...files import Roots, names_in
from .amd_metrics import format_revision

#: A card with no more VRAM than this may be an APU's carve-out.
CARVE_OUT_BYTES = 2 << 30
#: Sensors that only a discrete card has, read or not.
DISCRETE = ("pwm1", "fan1_input", "power1_cap", "temp2_input", "temp3_input")


def is_apu(roots: Roots, device: str, hwmon: str, awake: bool) -> bool:
    """By the files that are there, and by what they say where the card may be asked."""
    if awake and hwmon and roots.text_at(f"{hwmon}/in1_label") == "vddnb":
        return True
    if any(name in DISCRETE for name in names_in(hwmon)):
        return False
    revision = format_revision(roots.at(f"{device}/gpu_metrics").read()) if awake else 0
    if revision:
        return revision != 1
    vram = _bytes(roots, device, "vram_total")
    if vram is None or vram > CARVE_OUT_BYTES:
        return False
    visible = _bytes(roots, device, "vis_vram_total")
    if visible is not None and visible < vram:
        return False  # the CPU sees all of a carve-out, but of a card only what its window shows
    gtt = _bytes(roots, device, "gtt_total")
    return gtt is None or gtt > vram


def _bytes(roots: Roots, device: str, what: str) -> Optional[int]:
    return roots.int_at(f"{device}/mem_info_{what}")
