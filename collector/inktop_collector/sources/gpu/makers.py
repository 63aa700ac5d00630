"""The makers of GPUs that the collector knows. A new one is added here.

One physical card may be found by two makers' ways (a DRM node and a vendor's library): the maker
that comes first in the list has it.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from ...files import Roots, is_folder
from ..source import Row
from .card import Card, Found, Maker, card_names, order_key


class Later:
    """A maker whose module is loaded once ``glance`` says that there may be a card for it.

    All of them take half a MiB, which a machine without a GPU need not spend.
    """

    def __init__(self, name: str, module: str, maker: str, glance: Callable[[Roots], object]) -> None:
        self.name = name
        self._place = module, maker
        self._glance = glance
        self._maker: Optional[Maker] = None

    def _load(self) -> Maker:
        if self._maker is None:
            module, maker = self._place
            self._maker = getattr(import_module(f".{module}", __package__), maker)()
        return self._maker

    def _asked(self, roots: Roots) -> Optional[Maker]:
        return self._load() if self._maker or self._glance(roots) else None

    def present(self, roots: Roots) -> Sequence[str]:
        """As the maker says it; nothing while there is no sign of a card."""
        maker = self._asked(roots)
        return maker.present(roots) if maker else []

    def find(self, roots: Roots) -> List[Found]:
        """Likewise."""
        maker = self._asked(roots)
        return maker.find(roots) if maker else []

    def guess(self, roots: Roots) -> List[Found]:
        """Likewise."""
        maker = self._asked(roots)
        return maker.guess(roots) if maker else []

    def open(self, roots: Roots, found: Found, index: int) -> Card:
        """The card."""
        return self._load().open(roots, found, index)

    def doctor(self, roots: Roots) -> List[Row]:
        """What the maker says: it is loaded to be asked."""
        return self._load().doctor(roots)


def _has_nvidia(roots: Roots) -> bool:
    places = (f"{roots.sysfs}/bus/pci/drivers/nvidia", f"{roots.procfs}/driver/nvidia/gpus")
    return any(map(is_folder, places))


MAKERS: Tuple[Maker, ...] = (
    Later("AMD", "amd", "Amd", card_names),
    Later("Intel", "intel", "Intel", card_names),
    Later("NVIDIA", "nvidia", "Nvidia", _has_nvidia),
)

#: Cards in the order of their slots, each with its maker.
Cards = List[Tuple[Found, Maker]]


def present(roots: Roots) -> List[str]:
    """Keys of all devices that may be cards, now."""
    return list(dict.fromkeys(key for maker in MAKERS for key in maker.present(roots)))


def doctor(roots: Roots, any_found: bool) -> List[Row]:
    """What keeps cards from being found."""
    rows = [row for maker in MAKERS for row in maker.doctor(roots)]
    if not any_found:
        names = " or ".join(maker.name for maker in MAKERS)
        rows.insert(0, Row("gpu", "none", f"no card of {names} that has a driver"))
    return rows


def find_cards(roots: Roots, order: Sequence[str] = ()) -> Cards:
    """Every card that some maker can read. May block."""
    return _merged([(found, maker) for maker in MAKERS for found in maker.find(roots)], order)


def guess_cards(roots: Roots, order: Sequence[str] = ()) -> Cards:
    """The same from what never blocks."""
    return _merged([(found, maker) for maker in MAKERS for found in maker.guess(roots)], order)


def _merged(cards: Cards, order: Sequence[str]) -> Cards:
    """Each card once, by its identity, in the order of the slots."""
    merged: Dict[str, Tuple[Found, Maker]] = {}
    for found, maker in cards:
        other = merged.get(found.identity)
        if other is None:
            merged[found.identity] = found, maker
        elif other[1] is maker:
            # Parts of one device: each needs a slot of its own.
            merged[found.key] = replace(found, identity=found.key), maker
    return sorted(merged.values(), key=lambda card: order_key(card[0], order))
