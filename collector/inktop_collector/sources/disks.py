"""How full the file systems are: /proc/self/mountinfo says which there are, ``statvfs`` how full.

Only those on disks of this machine: a file system of another machine, of memory or of an image says
nothing about a disk. What is mounted twice, as a bind mount, counts once.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Callable, Dict, List, Optional, Tuple

from inktop_protocol.model import MAX_DISKS, Disk

from ..files import File, Roots
from .source import Reading, Row, Source, Values, problem

#: A disk does not fill in a second, and ``statvfs`` may wake one up.
AGAIN_S = 10.0
MIB = 1 << 20
NAME_CHARS = 15
#: Types that lie on a disk of this machine. FAT is left out: it is the firmware's, or a stick's.
TYPES = frozenset(
    b"ext2 ext3 ext4 xfs btrfs zfs bcachefs f2fs jfs nilfs2 reiserfs ntfs3 fuseblk apfs hfsplus".split()
)
#: (used, total) MiB of what is mounted at a path.
Usage = Callable[[str], Optional[Tuple[int, int]]]
#: Where a path goes on that is longer than a name may be.
CUT = "~"


@dataclass(frozen=True)
class Mount:
    """One file system: ``device`` as major:minor, ``root`` the part of it that is mounted."""

    device: bytes
    root: bytes
    path: str


def _unescaped(text: bytes) -> str:
    """A path as mountinfo writes it: space, tab, newline and backslash as octal numbers."""
    for code in (b"040", b"011", b"012", b"134"):
        text = text.replace(b"\\" + code, bytes([int(code, 8)]))
    return text.decode("utf-8", "surrogateescape")


def parse_mounts(data: bytes) -> List[Mount]:
    """File systems on disks, each once, by its whole and shortest mount.

    A mount hides what was mounted at its place before, even if it is of no interest itself.
    """
    at: Dict[bytes, Optional[Mount]] = {}
    for line in data.splitlines():
        front, _, back = line.partition(b" - ")
        words, kind = front.split(), back.split()
        if len(words) < 6 or len(kind) < 2:
            continue
        on_disk = kind[0] in TYPES and not kind[1].startswith(b"/dev/loop")
        at.pop(words[4], None)
        at[words[4]] = Mount(words[2], words[3], _unescaped(words[4])) if on_disk else None
    best: Dict[bytes, Mount] = {}
    for mount in at.values():
        if mount is None:
            continue
        before = best.get(mount.device)
        if before is None or _rank(mount) < _rank(before):
            best[mount.device] = mount
    return list(best.values())


def _rank(mount: Mount) -> Tuple[bool, int, str]:
    return mount.root != b"/", len(mount.path), mount.path


def short_name(path: str) -> str:
    """A mount point as the line can say it: printable, a long one by its end."""
    text = "".join(c if " " <= c <= "~" and c not in ",:|" else "_" for c in path)
    return text if len(text) <= NAME_CHARS else CUT + text[-(NAME_CHARS - 1) :]


def usage(path: str) -> Optional[Tuple[int, int]]:
    """(used, total) MiB of the file system there, as ``df`` counts; ``None`` if it does not say."""
    try:
        found = os.statvfs(path)
    except OSError:
        return None
    used = (found.f_blocks - found.f_bfree) * found.f_frsize // MIB
    total = used + found.f_bavail * found.f_frsize // MIB
    return (used, total) if total > 0 else None


class Disks(Source):
    """The fullest file systems."""

    name = "disks"

    def __init__(self, roots: Roots, ask: Optional[Usage] = None) -> None:
        self._file: File = roots.proc("self/mountinfo")
        #: Nobody, where a recorded machine's file systems are not here to be asked.
        self._usage = ask or (usage if roots.this_machine else None)
        self._found: Tuple[Disk, ...] = ()
        self._mounts = 0
        self._asked_at = -AGAIN_S

    def read(self) -> Reading:
        """``disks``."""
        now = time.monotonic()
        if self._usage is not None and now - self._asked_at >= AGAIN_S:
            self._asked_at = now
            self._found = self._measure(self._usage)
        return Reading({"disks": self._found})

    def _measure(self, usage: Usage) -> Tuple[Disk, ...]:
        mounts = parse_mounts(self._file.read_all() or b"")
        self._mounts = len(mounts)
        found: List[Tuple[float, str, Disk]] = []
        for mount in mounts:
            size = usage(mount.path)
            if size is not None:
                found.append((-size[0] / size[1], mount.path, Disk(*size, short_name(mount.path))))
        return tuple(disk for _, _, disk in sorted(found)[:MAX_DISKS])

    def base(self) -> Values:
        """A file system that does not answer is not shown."""
        return {"disks": ()}

    def doctor(self, reading: Reading) -> List[Row]:
        """The fullest."""
        found = ", ".join(f"{disk.name} {100 * disk.used_mib // disk.total_mib} %" for disk in self._found)
        return [Row(self.name, found or "none", problem(self._file, "/proc/self/mountinfo"))]
