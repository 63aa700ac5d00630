"""The time of day as a line writes it."""

from __future__ import annotations

import time
from typing import Optional


def clock(now: Optional[float] = None) -> str:
    """Local time of the server, HH:MM:SS; ``now`` in epoch seconds, the present by default."""
    return time.strftime("%H:%M:%S", time.localtime(now))
