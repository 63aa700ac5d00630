"""Owns which GPUs there are: finds the cards, tells whose they are, and puts them in order.

Order: as configured, then discrete before integrated, then by PCI address: the kernel's card
numbers
change from boot to boot.
"""

from __future__ import annotations

import os

from ..files import Roots, link_name, link_target, names_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Optional, Tuple

VENDOR_AMD, VENDOR_INTEL = 0x1002, 0x8086
DRIVERS_AMD = ("amdgpu", "radeon")
DRIVERS_INTEL = ("i915", "xe")
#: A card with no more VRAM than this may be an APU's carve-out.
CARVE_OUT_BYTES = 2 << 30
#: What Linux says of a device that is powered; all else is asleep or on its way
#: (Documentation/power/runtime_pm).
AWAKE = ("active", "unsupported", "error")


class GpuValues:
    """One reading of a card: items 0 to 10 of the line's GPU list, each ``None`` if unknown, and
    the state.
    """

    __slots__ = (
        "busy_percent",
        "vram_used_mib",
        "vram_total_mib",
        "edge_c",
        "junction_c",
        "memory_c",
        "power_w",
        "fan_rpm",
        "core_clock_mhz",
        "memory_clock_mhz",
        "fan_percent",
        "state",
    )

    def __init__(self, state: str = "ok") -> None:
        self.busy_percent: Optional[int] = None
        self.vram_used_mib: Optional[int] = None
        self.vram_total_mib: Optional[int] = None
        self.edge_c: Optional[int] = None
        self.junction_c: Optional[int] = None
        self.memory_c: Optional[int] = None
        self.power_w: Optional[int] = None
        self.fan_rpm: Optional[int] = None
        self.core_clock_mhz: Optional[int] = None
        self.memory_clock_mhz: Optional[int] = None
        self.fan_percent: Optional[int] = None
        self.state = state


class GpuFacts:
    """What does not change: for the info line. ``None`` is unknown."""

    __slots__ = (
        "name",
        "power_cap_w",
        "edge_critical_c",
        "junction_critical_c",
        "memory_critical_c",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self.power_cap_w: Optional[int] = None
        self.edge_critical_c: Optional[int] = None
        self.junction_critical_c: Optional[int] = None
        self.memory_critical_c: Optional[int] = None


class CardPlace:
    """Where a card is: ``identity`` is its PCI address, or the kernel's name where it has none."""

    __slots__ = ("card", "folder", "identity", "driver", "integrated")

    def __init__(self, card: str, folder: str, identity: str, driver: str, integrated: bool) -> None:
        self.card = card
        #: <sysfs>/class/drm/cardN
        self.folder = folder
        self.identity = identity
        #: ``amd`` or ``intel``
        self.driver = driver
        self.integrated = integrated


def is_card(name: str) -> bool:
    """Whether it is a card and not one of its connectors (``card0-DP-1``) or anything else beside
    it.
    """
    return name.startswith("card") and name[4:].isdigit() and name.isascii()


def is_pci_address(text: str) -> bool:
    """Whether it is written ``dddd:bb:dd.f``."""
    return (
        len(text) == 12
        and text[4] == text[7] == ":"
        and text[10] == "."
        and all(c in "0123456789abcdef" for c in text[:4] + text[5:7] + text[8:10] + text[11])
    )


def card_names(roots: Roots) -> List[str]:
    """Names of the cards, as the kernel numbers them now."""
    return [name for name in names_in(f"{roots.sysfs}/class/drm") if is_card(name)]


def find_cards(roots: Roots) -> List[CardPlace]:
    """Every GPU that can be read, unordered. Asks nothing that would wake a sleeping card."""
    found: List[CardPlace] = []
    for name in card_names(roots):
        place = look_at(roots, name)
        if place is not None:
            if place.identity in [other.identity for other in found]:
                place.identity = name  # parts of one device: each needs a place of its own
            found.append(place)
    return found


def find_linked_cards(roots: Roots) -> List[CardPlace]:
    """The same by their links alone, for when a read hangs: all are taken for discrete."""
    found = []
    for name in card_names(roots):
        folder = f"{roots.sysfs}/class/drm/{name}"
        driver = link_name(f"{folder}/device/driver")
        maker = "amd" if driver in DRIVERS_AMD else "intel" if driver in DRIVERS_INTEL else ""
        if maker:
            found.append(CardPlace(name, folder, _address(folder, {}) or name, maker, False))
    return found


def look_at(roots: Roots, name: str) -> Optional[CardPlace]:
    """What one card is, ``None`` for one that no source here can read (a server's VGA chip, another
    maker's).
    """
    folder = f"{roots.sysfs}/class/drm/{name}"
    device = f"{folder}/device"
    uevent = _uevent(roots.at(f"{device}/uevent").read_text() or "")
    driver = link_name(f"{device}/driver") or uevent.get("DRIVER", "")
    if not driver:
        driver = _driver_by_maker(roots, device, uevent)
    identity = _address(folder, uevent) or name
    if driver in DRIVERS_AMD:
        return CardPlace(name, folder, identity, "amd", _amd_integrated(roots, device))
    if driver in DRIVERS_INTEL:
        # Intel's integrated graphics is always device 2 of the root bus.
        return CardPlace(name, folder, identity, "intel", identity[4:10] == ":00:02")
    return None


def _driver_by_maker(roots: Roots, device: str, uevent: dict[str, str]) -> str:
    """The driver that such a card has, for a recording without its link: by vendor, else by sensors."""
    vendor = _hex(roots.at(f"{device}/vendor").read_text())
    if vendor < 0:
        vendor = _hex(uevent.get("PCI_ID", "").partition(":")[0])
    if vendor >= 0:
        return {VENDOR_AMD: "amdgpu", VENDOR_INTEL: "i915"}.get(vendor, "")
    for hwmon in hwmon_folders(device):
        name = roots.at(f"{hwmon}/name").read_text() or ""
        if name in DRIVERS_AMD + DRIVERS_INTEL:
            return name
    return ""


def _address(folder: str, uevent: dict[str, str]) -> str:
    """PCI address, ``""`` if none is found: from the links, whole or not, or from uevent."""
    device = link_name(f"{folder}/device")
    if is_pci_address(device):
        return device
    slot = uevent.get("PCI_SLOT_NAME", "").lower()
    if is_pci_address(slot):
        return slot
    for path in (link_target(folder), os.path.realpath(f"{folder}/device")):
        for part in reversed(path.split("/")):
            if is_pci_address(part):
                return part
    return ""


def _amd_integrated(roots: Roots, device: str) -> bool:
    """By what can be asked of a sleeping card; the card's own source knows it better later."""
    vram = roots.at(f"{device}/mem_info_vram_total").read_int()
    gtt = roots.at(f"{device}/mem_info_gtt_total").read_int()
    if vram is None or vram > CARVE_OUT_BYTES:
        return (
            any(_says_vddnb(roots, hwmon) for hwmon in hwmon_folders(device))
            if is_awake(roots, device)
            else False
        )
    return gtt is None or gtt > vram


def _says_vddnb(roots: Roots, hwmon: str) -> bool:
    return roots.at(f"{hwmon}/in1_label").read_text() == "vddnb"


def is_awake(roots: Roots, device: str) -> bool:
    """Whether the card may be asked anything more than whether it is awake."""
    status = roots.at(f"{device}/power/runtime_status").read_text()
    return status in AWAKE or (
        not status and roots.at(f"{device}/power_state").read_text() not in ("D3hot", "D3cold")
    )


def hwmon_folders(device: str) -> List[str]:
    """Folders of the sensors of a device: below ``hwmon``, or, as old kernels and flat recordings
    have them, beside it or in it.
    """
    inside = names_in(f"{device}/hwmon")
    found = [f"{device}/hwmon/{name}" for name in inside if name.startswith("hwmon")]
    if not found and "name" in inside:
        found = [f"{device}/hwmon"]
    if not found:
        beside = [name for name in names_in(device) if name.startswith("hwmon")]
        found = [f"{device}/{name}" for name in beside if name[5:].strip(":").isalnum()]
    return found


def order_key(place: CardPlace, configured: List[str]) -> Tuple[int, bool, bool, str]:
    """Sorts cards into their places on the board."""
    try:
        wanted = configured.index(place.identity)
    except ValueError:
        wanted = len(configured)
    # Addresses have leading zeros and sort as text. A card without one comes last, by its number.
    plain = not is_pci_address(place.identity)
    return wanted, place.integrated, plain, place.identity.rjust(12) if plain else place.identity


def gpu_name(roots: Roots, device: str, vendor_word: str, awake: bool) -> str:
    """A name to show: the card's own (asked only when awake), that of its ids, or ``AMD 7551``."""
    own = roots.at(f"{device}/product_name").read_text() if awake else None
    if own:
        return own[:31]
    vendor = _hex(roots.at(f"{device}/vendor").read_text())
    model = _hex(roots.at(f"{device}/device").read_text())
    revision = _hex(roots.at(f"{device}/revision").read_text())
    if vendor < 0 or model < 0:
        uevent = _uevent(roots.at(f"{device}/uevent").read_text() or "")
        ids = uevent.get("PCI_ID", "").partition(":")
        vendor, model = _hex(ids[0]), _hex(ids[2])
    if model < 0:
        return vendor_word
    from .gpu_names import look_up

    return (look_up(vendor, model, revision) or f"{vendor_word} {model:04x}")[:31]


def _uevent(text: str) -> dict[str, str]:
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
