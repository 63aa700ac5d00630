"""Who may stay when there is no room: boards have places, strangers a small pool of their own.

A client is a stranger until its hello is right. However many of them there are, they take no place
from a board, and one host takes little of the pool from the others.
"""

from __future__ import annotations

from typing import Iterable, List, Optional

from .connection import Connection

MAX_BOARDS = 16
#: Strangers at a time, and of them from one host: as many boards may sit behind one router.
MAX_STRANGERS = 32
MAX_STRANGERS_OF_HOST = 8
#: A board that took nothing for so long gives way to a new one when all places are taken.
STUCK_S = 15.0


def strangers_over(connections: Iterable[Connection], new: Connection) -> List[Connection]:
    """The strangers that must go so that the new one may stay: the oldest, its own host's first."""
    strangers = [c for c in connections if not c.greeted]
    same_host = [c for c in strangers if c.origin == new.origin]
    over = same_host[: max(0, len(same_host) + 1 - MAX_STRANGERS_OF_HOST)]
    rest = [c for c in strangers if c not in over]
    return over + rest[: max(0, len(rest) + 1 - MAX_STRANGERS)]


def longest_stuck(boards: Iterable[Connection], now: float) -> Optional[Connection]:
    """The board that has not taken what waits for it for longest, if any has not for ``STUCK_S``."""
    stuck = [b for b in boards if (b.rest or b.queue) and now - b.progress_at > STUCK_S]
    return min(stuck, key=lambda b: b.progress_at) if stuck else None
