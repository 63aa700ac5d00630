"""Both decoders, the board's (C++) and the collector's (Python), must say the same of any bytes.

The lines to start from are what libFuzzer has found for the C++ side; here they are changed at random.
"""

from __future__ import annotations

import binascii
import ctypes
import os
import random
import re
import time
from pathlib import Path
from typing import List, Optional, Sequence

from inktop_protocol import decode_to_json

PROJECT = Path(__file__).resolve().parents[2]
#: What always suffices for the JSON of a line (decode_api.h).
JSON_BYTES = 32768
EDGES = ("65536", "4294967295", "4294967296", "99999999999999999999")
#: Bytes that mean something in a line, and numbers at the edge of a range.
PIECES = tuple(
    piece.encode() for piece in ("| = , / * - . : 0 -1 00 1.5 100 100.1 255 256 " + " ".join(EDGES)).split()
)
SEPARATORS = re.compile(rb"([|=,/:.])")


def close(body: bytes) -> bytes:
    """The body with its checksum."""
    return body + b"*%04X" % binascii.crc_hqx(body, 0xFFFF)


class Board:
    """The board's decoder, out of the host library."""

    def __init__(self, library: Optional[Path] = None) -> None:
        path = library or os.environ.get("INKTOP_HOST_LIB") or PROJECT / "build/native/libinktop_host.so"
        self._library = ctypes.CDLL(str(path))
        self._out = ctypes.create_string_buffer(JSON_BYTES)

    def decode(self, line: bytes) -> str:
        """The JSON of a line."""
        length = self._library.inktop_decode(line, len(line), self._out, JSON_BYTES)
        return self._out.raw[:length].decode() if length >= 0 else "no room"

    def disagrees(self, line: bytes) -> Optional[str]:
        """What each decoder says, when that is not the same."""
        ours, theirs = self.decode(line), decode_to_json(line)
        return None if ours == theirs else f"{line!r}\n  C++:    {ours}\n  Python: {theirs}"


def lines_of(data: bytes) -> List[bytes]:
    """The lines that an input of the `lines` target stands for."""
    if data[:1] and data[0] % 2 == 0:
        return [close(data[1:].split(b"\0")[0])]
    return [line for line in data[1:].split(b"\n") if line]


def body_of(line: bytes) -> bytes:
    """The line without its checksum."""
    return line[:-5] if line[-5:-4] == b"*" else line


def change(chance: random.Random, bodies: Sequence[bytes]) -> bytes:
    """A body with a few parts changed, repeated, left out, or taken from another one."""
    parts = SEPARATORS.split(chance.choice(bodies))
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(parts))
        what = chance.randrange(6)
        if what == 0:
            parts[at] = chance.choice(PIECES)
        elif what == 1:
            parts.insert(at, chance.choice(PIECES))
        elif what == 2 and len(parts) > 1:
            del parts[at]
        elif what == 3:
            other = SEPARATORS.split(chance.choice(bodies))
            start = chance.randrange(len(other))
            parts[at:at] = other[start : start + chance.randint(1, 12)]
        elif what == 4:
            parts[at:at] = parts[at : at + chance.randint(1, 12)]
        elif parts[at]:
            spot = chance.randrange(len(parts[at]))
            parts[at] = parts[at][:spot] + bytes([chance.randrange(256)]) + parts[at][spot + 1 :]
    return b"".join(parts).replace(b"\n", b"")[:1100]


def explore(lines: Sequence[bytes], seconds: float, seed: int) -> Optional[str]:
    """Compares on each line, then on changed ones until the time is over; what was found, or None."""
    board = Board()
    for line in lines:
        found = board.disagrees(line)
        if found:
            return found
    chance = random.Random(seed)
    bodies = [body_of(line) for line in lines]
    end = time.monotonic() + seconds
    count = 0
    while count % 256 or time.monotonic() < end:
        found = board.disagrees(close(change(chance, bodies)))
        if found:
            return found
        count += 1
    print(f"decoders: {count} changed lines of {len(lines)}, both say the same", flush=True)
    return None
