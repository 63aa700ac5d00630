"""Pictures on disk or on standard output: a panel, written so that nobody ever sees half of one."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Tuple

from inktop_tools.errors import InktopError

if TYPE_CHECKING:
    from PIL import Image

#: What the file's name may end in -> Pillow's format and its options.
_FORMATS: Dict[str, Tuple[str, Dict[str, Any]]] = {
    ".png": ("PNG", {"compress_level": 3}),
    ".jpg": ("JPEG", {"quality": 92}),
    ".jpeg": ("JPEG", {"quality": 92}),
    ".bmp": ("BMP", {}),
    ".tif": ("TIFF", {}),
    ".tiff": ("TIFF", {}),
}
_STDOUT = Path("-")


def check(path: Path) -> None:
    """Raises InktopError when no picture can be written there; to be asked before any work is done."""
    if path == _STDOUT:
        if sys.stdout.isatty():
            raise InktopError("a terminal shows no picture: name a file with -o, or pipe the output on.")
        return
    target = _target(path)
    if target.exists() and not target.is_file():
        raise InktopError(
            f"{path} is not a regular file. Name one for the picture; `-` is the standard output."
        )
    if path.suffix.lower() not in _FORMATS:
        raise InktopError(f"{path}: no format is known by that name. End it in one of: {', '.join(_FORMATS)}")
    beside = _beside(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        beside.touch()
        beside.unlink()
    except OSError as error:
        raise _cannot_write(path, error) from error


def save(path: Path, picture: Image.Image) -> None:
    """Writes a picture in the format of the file's name, as PNG to `-`. Raises InktopError."""
    check(path)
    if path == _STDOUT:
        picture.save(sys.stdout.buffer, "PNG", compress_level=3)
        return
    kind, options = _FORMATS[path.suffix.lower()]
    if kind == "JPEG" and picture.mode not in ("L", "RGB"):
        picture = picture.convert("L" if picture.mode == "1" else "RGB")
    target = _target(path)
    beside = _beside(target)
    try:
        picture.save(beside, kind, **options)
        beside.replace(target)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        if beside.exists():
            beside.unlink()


def write_bits(path: Path, bits: bytes, size: Tuple[int, int]) -> None:
    """Writes one bit a pixel (1 white, the left one highest, rows of whole bytes) in mode "1"."""
    _write(path, "1", bits, size)


def write_levels(path: Path, levels: bytes, size: Tuple[int, int]) -> None:
    """Writes one byte a pixel (0 black ... 255 white) in mode "L"."""
    _write(path, "L", levels, size)


def _write(path: Path, mode: str, data: bytes, size: Tuple[int, int]) -> None:
    try:
        from PIL import Image
    except ImportError as error:
        raise InktopError("Pillow is missing. Run `make venv`, then .venv/bin/inktop.") from error
    save(path, Image.frombytes(mode, size, data))


def _target(path: Path) -> Path:
    """What a link points to, so that the file is replaced and not the link."""
    return Path(os.path.realpath(path))


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}.tmp")


def _cannot_write(path: Path, error: OSError) -> InktopError:
    return InktopError(
        f"cannot write {path}: {error.strerror or error}. Choose another place for the picture."
    )
