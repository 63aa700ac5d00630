"""What one process uses of one GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Optional


@dataclass(frozen=True)
class Use:
    """``None`` is unknown."""

    vram_bytes: Optional[int]
    busy_percent: Optional[int] = None


#: By process id.
Uses = Dict[int, Use]


def by_pid(vram: Dict[int, Optional[int]], busy: Optional[Dict[int, int]]) -> Uses:
    """Two lists of a library as one; a process without a sample did nothing."""
    return {
        pid: Use(size, None if busy is None else min(100, busy.get(pid, 0))) for pid, size in vram.items()
    }
