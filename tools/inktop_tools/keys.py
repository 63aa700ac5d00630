"""Reads the stream's key from its file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Optional

from inktop_tools.errors import InktopError


def read_key(path: Optional[Path]) -> Optional[str]:
    """The stream's key from its file; warns when others can read it. Raises InktopError."""
    if path is None:
        return None
    try:
        key = path.read_text(encoding="ascii").strip()
        mode = path.stat().st_mode
    except (OSError, UnicodeDecodeError) as error:
        raise InktopError(
            f"cannot read the key in {path}: {error}. Name the collector's --key-file."
        ) from error
    if not 16 <= len(key) <= 64:
        raise InktopError(f"the key in {path} has {len(key)} characters: 16 to 64 are a key.")
    if mode & 0o007:
        print(f"warning: everybody on this machine can read the key: chmod 600 {path}", file=sys.stderr)
    return key
