"""Owns reading the stream's key from its file."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

from inktop_tools.errors import InktopError


def read_key(path: Optional[Path]) -> Optional[str]:
    """The stream's key from its file. Raises InktopError."""
    if path is None:
        return None
    try:
        key = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InktopError(
            f"cannot read the key in {path}: {error}. Name the collector's --key-file."
        ) from error
    if not 16 <= len(key) <= 64:
        raise InktopError(f"the key in {path} has {len(key)} characters: 16 to 64 are a key.")
    return key
