"""Owns pictures on disk: a frame or a panel as PNG, written so that nobody ever sees half of one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Tuple

from inktop_tools.errors import InktopError


def write_bits(path: Path, bits: bytes, size: Tuple[int, int]) -> None:
    """Writes one bit a pixel (1 white, the left one highest, rows of whole bytes) as a PNG of mode "1"."""
    _write(path, "1", bits, size)


def write_levels(path: Path, levels: bytes, size: Tuple[int, int]) -> None:
    """Writes one byte a pixel (0 black … 255 white) as a PNG of mode "L"."""
    _write(path, "L", levels, size)


def _write(path: Path, mode: str, data: bytes, size: Tuple[int, int]) -> None:
    try:
        from PIL import Image
    except ImportError as error:
        raise InktopError("Pillow is missing. Run `make venv`, then .venv/bin/inktop.") from error
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.frombytes(mode, size, data).save(beside, "PNG", compress_level=3)
        beside.replace(path)
    except OSError as error:
        raise InktopError(
            f"cannot write {path}: {error.strerror or error}. Choose another place for the picture."
        ) from error
    finally:
        if beside.exists():
            beside.unlink()
