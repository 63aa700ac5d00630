"""A card's PCIe link now and at most, from the PCI devices in sysfs: generation and lanes.

Every device says how its own link towards the processor runs, and a bridge between them may be the narrow
place, so all of them are asked and the lowest counts. Not among them is the link inside a card: AMD's and
Intel's cards have a switch of their own before the GPU, whose inner link says nothing of the slot (amdgpu
passes over it too, ``amdgpu_device_partner_bandwidth``; on Intel's it always claims 2.5 GT/s x1).

The files read a device's configuration space, which wakes it: ask only of a card that is awake.
"""

from __future__ import annotations

import os
from typing import Callable, List, Optional, Tuple

from inktop_protocol.forms import is_pci

from ...files import File, Roots

#: The link is read again after this. It changes with the load, and every file takes a read of the bus.
AGAIN_S = 10.0
#: ``pci_speed_string`` in drivers/pci/probe.c, without its unit; older kernels leave the ``.0`` off.
GENERATIONS = {"2.5": 1, "5": 2, "8": 3, "16": 4, "32": 5, "64": 6}
#: Widths that a link can have (PCI Express specification, Link Capabilities); 0 and 255: there is none.
WIDTHS = (1, 2, 4, 8, 12, 16, 32)
#: The two ports of the switch inside a card.
INNER_BRIDGES = 2

#: Generation and lanes, ``None`` where unknown.
Speed = Tuple[Optional[int], Optional[int]]
NOTHING: Speed = (None, None)


class Link:
    """The link of the card in a folder of sysfs."""

    def __init__(self, roots: Roots, device: str, now: Callable[[], float]) -> None:
        self._roots = roots
        self._device = device
        self._now = now
        self._again_at = 0.0
        self._last: Speed = NOTHING
        #: Files of each link on the way that say how it runs; ``None``: not looked for.
        self._files: Optional[List[Tuple[File, File]]] = None
        #: What both ends of every link can do.
        self.most: Speed = NOTHING

    def forget(self) -> None:
        """The card is gone: another one, or another slot, may follow."""
        self._files = None
        self._last = self.most = NOTHING
        self._again_at = 0.0

    def read(self) -> Speed:
        """How it runs now, or ran up to ten seconds ago."""
        if self._now() < self._again_at:
            return self._last
        self._again_at = self._now() + AGAIN_S
        if self._files is None:
            self._find()
        now = [(generation(speed), width(lanes)) for speed, lanes in self._files or ()]
        self._last = _lowest(now)
        # A link that runs faster than it says it can: believe what it does.
        self.most = _highest(self.most, self._last)
        return self._last

    def _find(self) -> None:
        way = outside(self._roots, way_up(self._device))
        # A port towards the card says the same of their link as the card does.
        self._files = [
            (self._roots.at(f"{end}/current_link_speed"), self._roots.at(f"{end}/current_link_width"))
            for end in way
        ]
        self.most = _lowest(
            [
                (
                    generation(self._roots.at(f"{end}/max_link_speed")),
                    width(self._roots.at(f"{end}/max_link_width")),
                )
                for end in way
            ]
        )


def way_up(device: str) -> List[str]:
    """Folders of a device and of the bridges above it, up to the port of the processor."""
    folders = []
    folder = os.path.realpath(device)
    while is_pci(os.path.basename(folder).lower()):
        folders.append(folder)
        folder = os.path.dirname(folder)
    return folders or [device]


def outside(roots: Roots, way: List[str]) -> List[str]:
    """The same without what is inside the card: bridges of its own maker below the processor's port."""
    maker = roots.text_at(f"{way[0]}/vendor")
    inner = 0
    for bridge in way[1:-1][:INNER_BRIDGES]:
        if not maker or roots.text_at(f"{bridge}/vendor") != maker:
            break
        inner += 1
    return way[inner:]


def generation(file: File) -> Optional[int]:
    """Of a file such as ``16.0 GT/s PCIe``."""
    words = (file.read_text() or "").split()
    if len(words) < 2 or words[1] != "GT/s":
        return None
    return GENERATIONS.get(words[0][:-2] if words[0].endswith(".0") else words[0])


def width(file: File) -> Optional[int]:
    """Lanes of a file such as ``16``."""
    lanes = file.read_int()
    return lanes if lanes in WIDTHS else None


def _lowest(links: List[Speed]) -> Speed:
    generations = [one for one, _ in links if one is not None]
    widths = [one for _, one in links if one is not None]
    return min(generations, default=None), min(widths, default=None)


def _highest(a: Speed, b: Speed) -> Speed:
    def higher(one: Optional[int], other: Optional[int]) -> Optional[int]:
        return max(one, other) if one is not None and other is not None else one

    return higher(a[0], b[0]), higher(a[1], b[1])
