"""Reads files under /proc and /sys; no other module opens one to measure it.

A read returns a value or ``None``, never an exception; ``File.error`` then holds the errno. On a
live kernel file system a file stays open and is read again with ``pread`` at offset 0. In a folder
of recorded files it is opened each time, so that it may be replaced.
"""

from __future__ import annotations

import errno
import os
from typing import List, Optional, Tuple

#: Largest attribute that sysfs can return: one page.
PAGE_BYTES = 4096
#: No file that is read whole may be larger; more is taken for damage.
MAX_FILE_BYTES = 8 << 20
#: What a file under /proc gives at once is all there is when it is this short: its buffer has at least a
#: page, and no line of these files is longer than the rest of that.
SURELY_WHOLE_BYTES = 2048
#: What a file that may be long is asked for at once; room for it costs more than a short file's read.
LONG_BYTES = 65536
#: ``File.error`` when the file was read but holds no number.
NOT_A_NUMBER = -1
#: ``File.error`` before the first read, and after one that worked.
NO_ERROR = 0
#: ``File.error`` of a file that is not there.
MISSING = (errno.ENOENT, errno.ENOTDIR)


#: What may be around the text of a file. Some recordings are padded with NUL to a whole page.
PADDING = b"\0 \t\n\r\v\f"


def unpadded(data: bytes) -> bytes:
    """A text without surrounding white space and a recording's padding."""
    return data.strip(PADDING)


def recorded_error(data: bytes) -> int:
    """The errno that a recorded file holds, 0 if it is an ordinary file.

    A recording must be able to hold a read that failed: text such as ``!EBUSY`` or ``!EBUSY(16)``
    means that the read failed with that errno.
    """
    if not data.startswith(b"!E"):
        return NO_ERROR
    name = unpadded(data[1:].split(b"(")[0]).decode("ascii", "replace")
    number = getattr(errno, name, NO_ERROR)
    return number if isinstance(number, int) else NO_ERROR


class File:
    """One file, read again and again. Not to be shared between threads."""

    __slots__ = ("path", "error", "_live", "_fd", "_part_bytes")

    def __init__(self, path: str, live: bool) -> None:
        self.path = path
        #: errno of the last read, ``NO_ERROR``, or ``NOT_A_NUMBER``.
        self.error = NO_ERROR
        self._live = live
        self._fd = -1
        #: What is asked for first: a page, once the file was seen to be short.
        self._part_bytes = LONG_BYTES

    def read(self, size: int = PAGE_BYTES) -> Optional[bytes]:
        """The first ``size`` bytes, with a single read call; ``None`` if it fails."""
        try:
            fd = self._fd
            if fd < 0:
                fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
                self._fd = fd
            if self._live:
                data = os.pread(fd, size, 0)
            else:
                data = os.read(fd, size)
                self.close()
                self.error = recorded_error(data)
                return None if self.error else data
        except OSError as problem:
            self.error = problem.errno or errno.EIO
            self.close()  # a device that was replaced needs a new descriptor
            return None
        self.error = NO_ERROR
        return data

    def read_all(self, enough: bytes = b"") -> Optional[bytes]:
        """The whole file (st_size says nothing in /proc), or as far as ``enough`` appears in it."""
        try:
            fd = self._fd
            if fd < 0:
                fd = self._fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            data = part = os.pread(fd, self._part_bytes, 0) if self._live else os.read(fd, LONG_BYTES)
            # A seq_file returns what fits its buffer of a page or more, not what was asked for. Well below a
            # page that was all; else only an empty read is the end.
            if self._live and len(part) <= SURELY_WHOLE_BYTES:
                self._part_bytes = PAGE_BYTES
                self.error = NO_ERROR
                return data
            self._part_bytes = LONG_BYTES
            while part and not (enough and enough in data) and len(data) < MAX_FILE_BYTES:
                part = os.pread(fd, LONG_BYTES, len(data)) if self._live else os.read(fd, LONG_BYTES)
                data += part
            if not self._live:
                self.close()
                self.error = recorded_error(data)
                return None if self.error else data
        except OSError as problem:
            self.error = problem.errno or errno.EIO
            self.close()
            return None
        self.error = NO_ERROR
        return data

    def read_int(self) -> Optional[int]:
        """The file's only number, or ``None``."""
        data = self.read(64)
        if data is None:
            return None
        try:
            return int(unpadded(data))
        except ValueError:
            self.error = NOT_A_NUMBER
            return None

    def read_text(self) -> Optional[str]:
        """The file's text without white space around it, or ``None``; what is not UTF-8 is escaped."""
        data = self.read()
        return None if data is None else unpadded(data).decode("utf-8", "surrogateescape")

    def __del__(self) -> None:
        self.close()  # a card that is gone leaves its descriptors to nobody else

    def close(self) -> None:
        """Closes the descriptor; the next read opens the file again."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            try:
                os.close(fd)
            except OSError as problem:
                self.error = problem.errno or errno.EIO


class Roots:
    """Where /proc and /sys are: the real ones, or folders of recorded files."""

    __slots__ = ("procfs", "sysfs", "procfs_live", "sysfs_live")

    def __init__(self, procfs: str = "/proc", sysfs: str = "/sys") -> None:
        self.procfs = procfs
        self.sysfs = sysfs
        self.procfs_live = os.path.ismount(procfs)
        self.sysfs_live = os.path.ismount(sysfs)

    @property
    def this_machine(self) -> bool:
        """Whether these are this machine's own files: then system calls tell about it, too."""
        return self.procfs == "/proc"

    def proc(self, name: str) -> File:
        """A file under the procfs root."""
        return File(f"{self.procfs}/{name}", self.procfs_live)

    def sys(self, name: str) -> File:
        """A file under the sysfs root."""
        return File(f"{self.sysfs}/{name}", self.sysfs_live)

    def at(self, path: str) -> File:
        """A file in a folder that was found under the sysfs root."""
        return File(path, self.sysfs_live)

    def there(self, path: str) -> Optional[File]:
        """The same, kept for reading again; ``None`` if there is no such file. One that refuses is there."""
        file = self.at(path)
        return None if file.read(64) is None and file.error in MISSING else file

    def int_at(self, path: str) -> Optional[int]:
        """The number in such a file, read once."""
        file = self.at(path)
        value = file.read_int()
        file.close()
        return value

    def text_at(self, path: str) -> str:
        """The text in such a file, read once; ``""`` if it cannot be read."""
        file = self.at(path)
        text = file.read_text()
        file.close()
        return text or ""


def is_folder(path: str) -> bool:
    """Whether a folder, such as a device's, is there now."""
    return os.path.isdir(path)


def list_names(folder: str) -> List[str]:
    """Names in a folder, sorted; empty if it is not there.

    Raises OSError if it cannot be read: then nobody knows what is in it.
    """
    try:
        return sorted(os.listdir(folder))
    except OSError as problem:
        if problem.errno in MISSING:
            return []
        raise


def names_in(folder: str) -> List[str]:
    """The same, empty also if it cannot be read."""
    try:
        return list_names(folder)
    except OSError:
        return []


def names_or_error(folder: str) -> Tuple[List[str], int]:
    """Names in a folder as the kernel lists them, and the errno if it may not be seen."""
    try:
        return os.listdir(folder), NO_ERROR
    except OSError as problem:
        return [], problem.errno or errno.EIO


def link_name(path: str) -> str:
    """Last part of what a symbolic link points to, ``""`` if it is none."""
    try:
        return os.readlink(path).rstrip("/").rsplit("/", 1)[-1]
    except OSError:
        return ""


def link_target(path: str) -> str:
    """What a symbolic link points to, as written in it; ``""`` if it is none."""
    try:
        return os.readlink(path)
    except OSError:
        return ""
