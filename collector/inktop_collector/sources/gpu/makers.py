"""The makers of GPUs that the collector knows. A new one is added here.

One physical card may be found by two makers' ways (a DRM node and a vendor's library): the maker
that comes first in the list has it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, List, Sequence, Tuple

from ...files import Roots
from ..source import Row
from .amd import Amd
from .card import Found, Maker, order_key
from .intel import Intel
from .nvidia import Nvidia

MAKERS: Tuple[Maker, ...] = (Amd(), Intel(), Nvidia())

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
