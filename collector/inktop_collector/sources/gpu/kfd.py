"""Who computes on AMD's cards: the processes of the kernel's compute driver, in /sys/class/kfd.

Their memory may be listed only here, and anybody may read it. How busy a process keeps a card is not listed.
"""

from __future__ import annotations

from typing import Dict, List

from ...files import Roots, names_in
from .use import Use, Uses


class Kfd:
    """The compute driver's processes."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._folder = f"{roots.sysfs}/class/kfd/kfd"
        #: PCI addresses by the driver's own numbers of the cards.
        self._cards: Dict[str, str] = {}

    def scan(self) -> Dict[str, Uses]:
        """By PCI address."""
        found: Dict[str, Uses] = {}
        for pid in names_in(f"{self._folder}/proc"):
            if not pid.isdigit():
                continue
            for name in names_in(f"{self._folder}/proc/{pid}"):
                if not name.startswith("vram_"):
                    continue
                used = self._roots.int_at(f"{self._folder}/proc/{pid}/{name}")
                pci = self._card(name[5:])
                if used and pci:
                    found.setdefault(pci, {})[int(pid)] = Use(used)
        return found

    def _card(self, number: str) -> str:
        if number not in self._cards:
            self._cards = self._find_cards()
        return self._cards.get(number, "")

    def _find_cards(self) -> Dict[str, str]:
        nodes = f"{self._folder}/topology/nodes"
        found = {}
        for node in names_in(nodes):
            number = self._roots.text_at(f"{nodes}/{node}/gpu_id")
            words: List[List[str]] = [
                line.split() for line in self._roots.text_at(f"{nodes}/{node}/properties").splitlines()
            ]
            values = {pair[0]: pair[1] for pair in words if len(pair) == 2 and pair[1].isdigit()}
            if number not in ("", "0") and "location_id" in values:
                # location_id: bus, device and function in 8, 5 and 3 bits.
                at = int(values["location_id"])
                domain = int(values.get("domain", "0"))
                found[number] = f"{domain:04x}:{at >> 8 & 255:02x}:{at >> 3 & 31:02x}.{at & 7}"
        return found
