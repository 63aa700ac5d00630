"""Checked before the start: a sandbox without /proc would show zeros for ever."""

from __future__ import annotations

import errno
import threading
from typing import List, Optional

from .files import Roots

PATIENCE_S = 1.0
NEEDED = ("stat", "meminfo")


def missing(roots: Roots) -> Optional[str]:
    """What keeps this machine from being sampled and what to do, ``None`` if nothing does.

    A read that hangs does not: that is what the threads are for.
    """
    found: List[Optional[str]] = []
    look = threading.Thread(target=lambda: found.append(_missing(roots)), daemon=True)
    try:
        look.start()
    except RuntimeError:
        return None  # no thread can be had: the sources will say so
    look.join(PATIENCE_S)
    return found[0] if found else None


def _missing(roots: Roots) -> Optional[str]:
    gone = []
    for name in NEEDED:
        file = roots.proc(name)
        file.read(64)
        if file.error in (errno.ENOENT, errno.EACCES):
            gone.append(f"{roots.procfs}/{name}")
        file.close()
    if len(gone) < len(NEEDED):
        return None
    if not roots.procfs_live:
        return (
            f"{', '.join(gone)} are missing: is --procfs the right folder? "
            "(The /proc of a sandbox with ProcSubset=pid lacks them, too.)"
        )
    return (
        f"{', '.join(gone)} cannot be read: is the service sandboxed with ProcSubset=pid? "
        "Set ProcSubset=all in its unit (and no hidepid=/subset=pid on /proc)"
    )
