"""The names of GPUs: a few built in, else those in the machine's own id files."""

from __future__ import annotations

from typing import Optional

#: (vendor, device, revision, -1 for any): the cards that the board was made for, and common ones.
BUILT_IN = {
    (0x1002, 0x7551, 0xC0): "Radeon AI PRO R9700",
    (0x1002, 0x7551, -1): "Radeon AI PRO R9700",
    (0x1002, 0x7550, 0xC0): "Radeon RX 9070 XT",
    (0x1002, 0x7550, 0xC3): "Radeon RX 9070",
    (0x1002, 0x744C, 0xC8): "Radeon RX 7900 XTX",
    (0x1002, 0x744C, 0xCC): "Radeon RX 7900 XT",
    (0x1002, 0x687F, -1): "Radeon RX Vega",
    (0x1002, 0x13C0, -1): "Radeon Graphics",
    (0x1002, 0x164E, -1): "Radeon Graphics",
    (0x8086, 0x56A0, -1): "Arc A770",
    (0x8086, 0x56A1, -1): "Arc A750",
    (0x8086, 0x56A5, -1): "Arc A380",
    (0x8086, 0xE20B, -1): "Arc B580",
    (0x8086, 0xE20C, -1): "Arc B570",
    (0x8086, 0xE211, -1): "Arc Pro B60",
    (0x8086, 0xE212, -1): "Arc Pro B50",
}
#: Lines ``device,\trevision,\tname`` (libdrm).
AMDGPU_IDS = ("/usr/share/libdrm/amdgpu.ids",)
#: Vendors at the beginning of a line, their devices behind one tab (pci.ids).
PCI_IDS = ("/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids")


def look_up(vendor: int, device: int, revision: int) -> Optional[str]:
    """The name that people know a card by, ``None`` if neither list has it."""
    return (
        BUILT_IN.get((vendor, device, revision))
        or (_in_amdgpu_ids(device, revision) if vendor == 0x1002 else None)
        or BUILT_IN.get((vendor, device, -1))
        or _in_pci_ids(vendor, device)
    )


def _in_amdgpu_ids(device: int, revision: int) -> Optional[str]:
    for path in AMDGPU_IDS:
        try:
            with open(path, encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    words = line.split(",", 2)
                    ids = [word.strip().upper() for word in words[:2]]
                    if len(words) == 3 and ids == [f"{device:04X}", f"{revision:02X}"]:
                        return _short(words[2])
        except OSError:
            continue
    return None


def _in_pci_ids(vendor: int, device: int) -> Optional[str]:
    mine, wanted = f"{vendor:04x}  ", f"\t{device:04x}  "
    for path in PCI_IDS:
        try:
            with open(path, encoding="utf-8", errors="replace") as lines:
                inside = False
                for line in lines:
                    if line[:1] not in ("\t", "#", "\n"):
                        inside = line.startswith(mine)
                    elif inside and line.startswith(wanted):
                        name = line[len(wanted) :]
                        # The name of the chip, then those of the cards in brackets.
                        return _short(name.rpartition("[")[2].rstrip().rstrip("]"))
        except OSError:
            continue
    return None


def _short(name: str) -> str:
    words = name.split()
    while words and words[0] in ("AMD", "Intel", "ATI", "Advanced", "Micro", "Devices,", "Inc."):
        words = words[1:]
    return " ".join(words)
