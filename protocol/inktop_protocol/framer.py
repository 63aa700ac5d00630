"""From bytes in any portions to whole lines; what is too long or cut is named and skipped."""

from __future__ import annotations

from typing import List, Union

from .model import MAX_LINE_BYTES


class Framer:
    """One connection's bytes on their way to lines.

    ``limit`` is the most bytes of a line with its newline (1024; a collector allows 256 for the
    hello). Holds at most ``limit`` bytes between two calls.
    """

    __slots__ = ("_rest", "_skipping", "limit")

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        #: May be changed between two feeds.
        self.limit = limit
        self._rest = b""
        self._skipping = False

    def feed(self, data: bytes) -> List[Union[bytes, str]]:
        """In order: each whole line without its newline (bytes), or ``"overlong"`` (str)."""
        found: List[Union[bytes, str]] = []
        *lines, rest = data.split(b"\n")
        for line in lines:
            if self._skipping:
                self._skipping = False
            elif len(self._rest) + len(line) >= self.limit:
                found.append("overlong")
            else:
                found.append(self._rest + line)
            self._rest = b""
        if not self._skipping:
            self._rest += rest
            if len(self._rest) >= self.limit:
                found.append("overlong")
                self._skipping = True
                self._rest = b""
        return found

    def closed(self) -> List[Union[bytes, str]]:
        """The connection has ended: ``["cut"]`` in the middle of a line, else nothing.

        An overlong line that the end cuts was already counted. The framer is then ready
        for the next connection.
        """
        cut = bool(self._rest)
        self._rest = b""
        self._skipping = False
        return ["cut"] if cut else []
