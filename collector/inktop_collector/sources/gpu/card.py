"""What a maker of GPUs and a card are to the rest of the collector."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import Dict, List, Optional, Protocol, Sequence, Tuple

from inktop_protocol.forms import is_pci
from inktop_protocol.model import Gpu, GpuInfo

from ...files import MISSING, NO_ERROR, File, Roots, list_names
from ..source import ADVICE, Row, explain
from .use import Uses

LONGEST_PCI_CHARS = len("ffffffff:ff:1f.7")
#: Fields of ``Gpu`` by their names, ``None`` for a sensor that cannot be read now.
GpuValues = Dict[str, Optional[int]]


@dataclass(frozen=True)
class Found:
    """A card that was found."""

    #: How ``Maker.present`` lists it: the kernel's name, such as ``card0``.
    key: str
    #: Its PCI address, or ``key`` where it has none. A card has the same identity for
    #: every maker that finds it.
    identity: str
    #: Where its maker reads it, ``<sysfs>/class/drm/card0``.
    place: str
    integrated: bool = False

    @property
    def pci(self) -> Optional[str]:
        """Its PCI address, if it has one."""
        return self.identity if is_pci(self.identity) else None


@dataclass(frozen=True)
class Check:
    """What ``doctor`` says of one value of a card. ``found`` is "" when it was read."""

    what: str
    found: str = ""
    note: str = ""


class Card(Protocol):
    """One card. ``read`` and ``facts`` may block; they run in the card's own thread."""

    def read(self) -> Gpu:
        """All values now; ``state`` is one of those of the line (protocol/README.md) but ``stale``."""

    def facts(self) -> GpuInfo:
        """What does not change."""

    def users(self) -> Optional[Uses]:
        """Who uses it, as the maker's library tells; ``None``: it does not, /proc has to."""

    def doctor(self) -> List[Check]:
        """Every value that such a card can have, as it was when it was last read."""


class Maker(Protocol):
    """Finds the cards of one maker and opens them."""

    #: As a person says it.
    name: str

    def present(self, roots: Roots) -> Sequence[str]:
        """Keys of the devices that may be cards, now. Must neither block nor wake a card.

        It may list those of other makers, too. A key that is gone is a card that is gone; a new one
        makes the collector look with ``find``.
        """

    def find(self, roots: Roots) -> List[Found]:
        """The cards of this maker. May block, must not wake a card."""

    def guess(self, roots: Roots) -> List[Found]:
        """The same from what never blocks, for a start while a driver hangs."""

    def open(self, roots: Roots, found: Found, index: int) -> Card:
        """The card, for the slot with that index. Must not block."""

    def doctor(self, roots: Roots) -> List[Row]:
        """What keeps cards of this maker from being found, such as a missing library."""


def card_names(roots: Roots) -> List[str]:
    """The kernel's names of all makers' cards, as it numbers them now. Raises OSError if nobody can know."""
    return [name for name in list_names(f"{roots.sysfs}/class/drm") if is_card(name)]


def is_card(name: str) -> bool:
    """Whether it is a card, not a connector (``card0-DP-1``) or anything else beside it (D8)."""
    return name.startswith("card") and name[4:].isdigit() and name.isascii()


def order_key(found: Found, configured: Sequence[str]) -> Tuple[int, bool, bool, str]:
    """Sorts cards into their slots: as configured, then discrete before integrated, then by address.

    Never by the kernel's numbers: they change from boot to boot (D9).
    """
    wanted = configured.index(found.identity) if found.identity in configured else len(configured)
    # With their leading zeros, addresses and the kernel's numbers sort as text. A card without an
    # address comes last.
    return wanted, found.integrated, found.pci is None, found.identity.rjust(LONGEST_PCI_CHARS)


def check_file(what: str, file: Optional[File]) -> Check:
    """What the last read of a value's file says; ``None``: no file was found."""
    if file is None:
        return Check(what, "no file", "this card or driver does not offer it")
    if file.error in MISSING:
        return Check(what, "no file", ADVICE[errno.ENOENT])
    return Check(what) if file.error == NO_ERROR else Check(what, "unknown", explain(file.error))
