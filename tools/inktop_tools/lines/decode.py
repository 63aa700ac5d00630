"""`inktop decode`: lines from standard input, of any bytes, to one JSON object a line."""

from __future__ import annotations

import argparse
import os
import sys
from typing import List, Protocol

from inktop_protocol import Framer, decode_to_json, error_to_json

_CHUNK_BYTES = 65536


class Decoder(Protocol):
    """Bytes to JSON texts."""

    def feed(self, data: bytes) -> List[str]:
        """One JSON object for each line that ended or was dropped."""

    def closed(self) -> List[str]:
        """The input has ended."""


class PythonDecoder:
    """The collector's side of the protocol; `host.CoreDecoder` is the board's."""

    def __init__(self) -> None:
        self._framer = Framer()

    def feed(self, data: bytes) -> List[str]:
        """One JSON object for each line that ended or was dropped."""
        return [
            error_to_json(found) if isinstance(found, str) else decode_to_json(found)
            for found in self._framer.feed(data)
        ]

    def closed(self) -> List[str]:
        """The input has ended: a line without its newline is `cut`."""
        return [error_to_json(str(found)) for found in self._framer.closed()]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    # As for the commands that print words without it: a script need not know which ones those are.
    parser.add_argument("--json", action="store_true", help="one JSON object a line, as without it")
    parser.add_argument("--core", action="store_true", help="with the board's own decoder (C++)")


def run(args: argparse.Namespace) -> int:
    """Prints a JSON object for each line; a bad one is {"error": KIND}, and ends it with status 1."""
    decoder: Decoder
    if args.core:
        from inktop_tools.virtual.host import CoreDecoder

        decoder = CoreDecoder()
    else:
        decoder = PythonDecoder()
    bad = 0
    while True:
        # Read what is there: lines of a live stream come out at once.
        data = os.read(sys.stdin.fileno(), _CHUNK_BYTES)
        for text in decoder.feed(data) if data else decoder.closed():
            sys.stdout.write(text + "\n")
            bad += text.startswith('{"error"')
        sys.stdout.flush()
        if not data:
            return 1 if bad else 0
