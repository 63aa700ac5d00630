"""The kernel's list of graphics cards, /sys/class/drm, and what all drivers there have in common."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Dict, List, Optional, Sequence, Tuple

from inktop_protocol.forms import is_pci

from ...files import Roots, link_name, link_target, names_in
from ...text import printable
from ..source import Row
from .card import Found, card_names
from .names import look_up


@dataclass(frozen=True)
class Family:
    """The cards of one maker here: its drivers, the usual one first, and its PCI vendor number."""

    vendor: int
    drivers: Tuple[str, ...]


def find_family(roots: Roots, family: Family) -> List[Found]:
    """The cards of one maker. Asks nothing that would wake a sleeping card."""
    cards = []
    for name in card_names(roots):
        folder = f"{roots.sysfs}/class/drm/{name}"
        device = f"{folder}/device"
        uevent = _uevent(roots.at(f"{device}/uevent").read_text() or "")
        driver = link_name(f"{device}/driver") or uevent.get("DRIVER", "")
        if driver in family.drivers or (not driver and _is_made_by(roots, device, uevent, family)):
            cards.append(Found(name, _address(folder, uevent) or name, folder))
    return cards


def guess_family(roots: Roots, family: Family) -> List[Found]:
    """The same by their links alone, which are the kernel's own and never hang."""
    cards = []
    for name in card_names(roots):
        folder = f"{roots.sysfs}/class/drm/{name}"
        if link_name(f"{folder}/device/driver") in family.drivers:
            cards.append(Found(name, _address(folder, {}) or name, folder))
    return cards


class DrmMaker:
    """What makers have in common whose cards are in the kernel's list: all of ``Maker`` but ``open``."""

    name: str
    family: Family

    def is_integrated(self, roots: Roots, found: Found) -> bool:
        """Whether the card is part of the CPU. May block, must not wake it."""
        raise NotImplementedError

    def present(self, roots: Roots) -> Sequence[str]:
        """All cards of the kernel."""
        return card_names(roots)

    def find(self, roots: Roots) -> List[Found]:
        """Those with one of the maker's drivers."""
        return [
            replace(found, integrated=self.is_integrated(roots, found))
            for found in find_family(roots, self.family)
        ]

    def guess(self, roots: Roots) -> List[Found]:
        """The same by their links; all are taken for discrete."""
        return guess_family(roots, self.family)

    def doctor(self, roots: Roots) -> List[Row]:
        """Nothing: the kernel lists every card."""
        return []


def _is_made_by(roots: Roots, device: str, uevent: Dict[str, str], family: Family) -> bool:
    """For a recording without the driver's link: by the vendor's number, else by its sensors."""
    vendor = _hex(roots.at(f"{device}/vendor").read_text())
    if vendor < 0:
        vendor = _hex(uevent.get("PCI_ID", "").partition(":")[0])
    if vendor >= 0:
        return vendor == family.vendor
    names = (roots.at(f"{hwmon}/name").read_text() or "" for hwmon in hwmon_folders(device))
    return any(name in family.drivers for name in names)


def _address(folder: str, uevent: Dict[str, str]) -> str:
    """PCI address, ``""`` if none is found: from the links, whole or not, or from uevent."""
    device = link_name(f"{folder}/device")
    if is_pci(device):
        return device
    slot = uevent.get("PCI_SLOT_NAME", "").lower()
    if is_pci(slot):
        return slot
    for path in (link_target(folder), os.path.realpath(f"{folder}/device")):
        for part in reversed(path.split("/")):
            if is_pci(part):
                return part
    return ""


def hwmon_folders(device: str) -> List[str]:
    """Folders of a device's sensors: below ``hwmon``, or beside or in it (old kernels, recordings)."""
    inside = names_in(f"{device}/hwmon")
    found = [f"{device}/hwmon/{name}" for name in inside if name.startswith("hwmon")]
    if not found and "name" in inside:
        found = [f"{device}/hwmon"]
    if not found:
        beside = [name for name in names_in(device) if name.startswith("hwmon")]
        found = [f"{device}/{name}" for name in beside if name[5:].strip(":").isalnum()]
    return found


def sensor_folder(roots: Roots, device: str, family: Family) -> str:
    """The folder of the sensors that the card's own driver has, ``""`` if there are none."""
    folders = hwmon_folders(device)
    named = [folder for folder in folders if roots.text_at(f"{folder}/name") in family.drivers]
    return (named or folders or [""])[0]


def gpu_name(roots: Roots, device: str, vendor_word: str, awake: bool) -> str:
    """A name to show: the card's own (asked only when awake), that of its ids, or ``AMD 7551``."""
    own = roots.at(f"{device}/product_name").read_text() if awake else None
    if own:
        return printable(own)[:31]
    vendor = _hex(roots.at(f"{device}/vendor").read_text())
    model = _hex(roots.at(f"{device}/device").read_text())
    revision = _hex(roots.at(f"{device}/revision").read_text())
    if vendor < 0 or model < 0:
        uevent = _uevent(roots.at(f"{device}/uevent").read_text() or "")
        ids = uevent.get("PCI_ID", "").partition(":")
        vendor, model = _hex(ids[0]), _hex(ids[2])
    if model < 0:
        return vendor_word
    return (look_up(vendor, model, revision) or f"{vendor_word} {model:04x}")[:31]


def _uevent(text: str) -> Dict[str, str]:
    pairs = {}
    for line in text.splitlines():
        key, _, value = line.partition("=")
        pairs[key.strip()] = value.strip()
    return pairs


def _hex(text: Optional[str]) -> int:
    try:
        return int(text or "", 16)
    except ValueError:
        return -1
