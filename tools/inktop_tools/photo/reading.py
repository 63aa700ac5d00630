"""Photos from files, whatever a phone or a mistake put there."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from inktop_tools.errors import InktopError

Array = Any

_MOST_PIXELS = 220_000_000
#: More pixels than this tell no more about the panel; they are averaged.
_USEFUL_PIXELS = 13_000_000
_LEAST_SIDE = 300
_LONGEST_SHAPE = 4.0


def read(path: Path) -> Array:
    """The photo as BGR bytes, turned as the camera meant it. Raises InktopError that names what is wrong."""
    if path.suffix.lower() in (".heic", ".heif"):
        _register_heif()
    Image.MAX_IMAGE_PIXELS = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(path) as image:
                _check_shape(path, image)
                image.draft("RGB", _useful(image))
                image.load()
                return _as_bgr(ImageOps.exif_transpose(image))
    except FileNotFoundError:
        raise InktopError(f"no file {path}.\nName the photo: inktop diagnose photo.jpg") from None
    except UnidentifiedImageError as error:
        raise InktopError(f"{path} is not a picture that can be read.\nSave it as JPEG or PNG.") from error
    except (OSError, SyntaxError, ValueError, MemoryError) as error:
        raise InktopError(
            f"{path} cannot be read: {error}.\nCopy it again, or save it as JPEG or PNG."
        ) from error


def _register_heif() -> None:
    try:
        from pillow_heif import register_heif_opener
    except ImportError as error:
        raise InktopError(
            "pillow-heif (for HEIC) is missing.\nRun `make photo-tools` or pip install 'inktop[photo]'."
        ) from error
    register_heif_opener()


def _check_shape(path: Path, image: Image.Image) -> None:
    width, height = image.size
    if width * height > _MOST_PIXELS:
        raise InktopError(f"{path} has {width}x{height} pixels.\nSave it smaller: 12 megapixels suffice.")
    if min(width, height) < _LEAST_SIDE:
        raise InktopError(f"{path} has only {width}x{height} pixels.\nTake the photo at full resolution.")
    if max(width, height) > _LONGEST_SHAPE * min(width, height):
        raise InktopError(
            f"{path} is a strip of {width}x{height} pixels.\nTake the whole panel, not a part of it."
        )


def _useful(image: Image.Image) -> Any:
    share = min(1.0, (_USEFUL_PIXELS / (image.width * image.height)) ** 0.5)
    return int(image.width * share), int(image.height * share)


def _as_bgr(image: Image.Image) -> Array:
    if image.mode.startswith(("I", "F")):  # 16-bit grey, or floats
        values = np.asarray(image, np.float32)
        low, high = float(values.min()), float(values.max())
        image = Image.fromarray(((values - low) * (255 / max(high - low, 1e-6))).astype(np.uint8))
    elif image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        ground = Image.new("RGBA", image.size, "white")
        ground.alpha_composite(image.convert("RGBA"))
        image = ground
    size = _useful(image)
    if size[0] < image.width:
        image = image.resize(size, Image.Resampling.BOX)
    return np.ascontiguousarray(np.asarray(image.convert("RGB"))[:, :, ::-1])
