"""Owns memory and swap: /proc/meminfo, and the ZFS cache that it counts as used."""

from __future__ import annotations

from ..files import File, Roots, link_target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

#: The first pid namespace of a kernel (PROC_PID_INIT_INO in include/linux/proc_ns.h).
INIT_PID_NAMESPACE = "pid:[4026531836]"


class MemorySample:
    """All in kB as in /proc/meminfo; ``None`` is unknown. ``swap_total_kb`` 0: there is no swap."""

    __slots__ = ("used_kb", "total_kb", "cache_kb", "swap_used_kb", "swap_total_kb")

    def __init__(self) -> None:
        self.used_kb: Optional[int] = None
        self.total_kb: Optional[int] = None
        self.cache_kb: Optional[int] = None
        self.swap_used_kb: Optional[int] = None
        self.swap_total_kb: Optional[int] = None


def field(data: bytes, name: bytes) -> Optional[int]:
    """Value of one line of meminfo, kB. ``data`` must begin with a newline: names are matched
    whole.
    """
    at = data.find(b"\n" + name + b":")
    if at < 0:
        return None
    at += len(name) + 2
    end = data.find(b"\n", at)
    try:
        value = int(data[at : end if end >= 0 else len(data)].split()[0])
    except (ValueError, IndexError):
        return None
    return value if value >= 0 else None


def arc_field(data: bytes, name: bytes) -> Optional[int]:
    """Value of one line ``name type data`` of arcstats, bytes. The name is matched whole
    (``data_size`` is not ``size``).
    """
    for line in data.splitlines():
        words = line.split()
        if len(words) == 3 and words[0] == name:
            try:
                return int(words[2])
            except ValueError:
                return None
    return None


def in_container(roots: Roots) -> bool:
    """Whether /proc/meminfo may be a container's while the ZFS statistics are its host's."""
    if roots.this_machine and link_target("/proc/self/ns/pid") not in ("", INIT_PID_NAMESPACE):
        return True
    mounts = roots.proc("mounts").read_all() or roots.proc("self/mounts").read_all() or b""
    if b"lxcfs /proc/meminfo" in mounts or b"lxcfs /proc/" in mounts:
        return True
    if b"container=" in (roots.proc("1/environ").read() or b""):
        return True
    # OpenVZ: /proc/vz is on the host and in the container, /proc/bc on the host only.
    return _is_folder(roots.proc("vz")) and not _is_folder(roots.proc("bc"))


def _is_folder(file: File) -> bool:
    import errno

    file.read()
    return file.error == errno.EISDIR


class Memory:
    """Reads both files; nothing is remembered but where they are."""

    def __init__(self, roots: Roots) -> None:
        self._file = roots.proc("meminfo")
        self._arc: Optional[File] = roots.proc("spl/kstat/zfs/arcstats")
        if self._arc.read_all() is None or in_container(roots):
            self._arc = None  # no ZFS here, or not ours: a look at every sample would be wasted

    def read(self) -> MemorySample:
        """Memory now. Every value stands alone."""
        sample = MemorySample()
        data = self._file.read_all()
        if data is None:
            return sample
        data = b"\n" + data
        sample.swap_total_kb = field(data, b"SwapTotal")
        if sample.swap_total_kb is None:
            sample.swap_total_kb = 0  # a kernel without swap has no such line
        swap_free = field(data, b"SwapFree")
        if swap_free is not None and swap_free <= sample.swap_total_kb:
            sample.swap_used_kb = sample.swap_total_kb - swap_free
        total = field(data, b"MemTotal")
        if not total:
            return sample
        sample.total_kb = total
        free = field(data, b"MemFree")
        cached = field(data, b"Cached")
        arc_total, arc_spare = self._arc_kb(total)
        # 0 is as good as missing (some kernels); more than there is comes from a container's host.
        candidates = [field(data, b"MemAvailable"), (free or 0) + (cached or 0), free]
        for available in candidates:
            if available and available <= total:
                sample.used_kb = total - min(total, available + arc_spare)
                break
        if cached is not None:
            cache = cached + (field(data, b"Buffers") or 0) + (field(data, b"SReclaimable") or 0)
            cache += arc_total
            sample.cache_kb = cache if cache <= total else None
        return sample

    def _arc_kb(self, total_kb: int) -> tuple[int, int]:
        """(size, what of it would be given back) of the ZFS cache, kB."""
        if self._arc is None:
            return 0, 0
        data = self._arc.read_all() or b""
        size = arc_field(data, b"size")
        least = arc_field(data, b"c_min")
        if size is None or size < 0 or size // 1024 > total_kb:
            return 0, 0
        return size // 1024, max(0, size - (least or 0)) // 1024
