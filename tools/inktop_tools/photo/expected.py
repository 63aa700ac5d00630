"""The pictures that the panel may show, drawn now by the firmware's own code."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Tuple

import numpy as np
from PIL import Image

from inktop_tools.errors import InktopError

Array = Any


def from_bits(bits: bytes, size: Tuple[int, int]) -> Array:
    """One bit a pixel to 0 and 255."""
    rows = np.unpackbits(np.frombuffer(bits, np.uint8)).reshape(size[1], size[0])
    return (rows * 255).astype(np.uint8)


def stages() -> Dict[str, Array]:
    """ST1 … ST5, what each shows. Raises InktopError when the core has not been built."""
    from inktop_tools import selftest

    test = selftest.SelfTest()
    try:
        found = {}
        for stage in selftest.STAGES:
            test.run(stage)
            found[stage] = from_bits(test.panel_bits(), test.size)
        return found
    finally:
        test.close()


def board(path: Path) -> Tuple[Array, Dict[str, Array]]:
    """The board's picture after the lines in `path`, and those that it showed shortly before."""
    from inktop_tools.virtual import host
    from inktop_tools.virtual.render import Playback
    from inktop_tools.virtual.replay import read_lines, takes_a_second

    settings = host.BoardSettings()
    size = (settings.width, settings.height)
    playback = Playback(settings)
    before: Dict[bytes, None] = {}
    for line in read_lines(path):
        playback.line(line)
        if takes_a_second(line):
            before[playback.board.frame_bits()] = None
            playback.pass_time(1000)
    playback.settle()
    now = playback.board.frame_bits()
    before.pop(now, None)
    latest = list(before)[-2:]
    names = ["an older picture", "the picture before"][-len(latest) :] if latest else []
    return from_bits(now, size), {name: from_bits(one, size) for name, one in zip(names, latest)}


def picture(path: Path) -> Array:
    """A picture of the panel from a file. Raises InktopError."""
    try:
        with Image.open(path) as image:
            grey = np.asarray(image.convert("L"))
    except (OSError, SyntaxError, ValueError) as error:
        raise InktopError(
            f"{path} cannot be read as a picture: {error}.\nMake it with inktop selftest or inktop render."
        ) from error
    if grey.shape[0] < 400 or grey.shape[1] < 640:
        raise InktopError(
            f"{path} is {grey.shape[1]}x{grey.shape[0]}, no picture of a panel.\n"
            "Make it with inktop selftest or inktop render."
        )
    return np.where(grey > 127, 255, 0).astype(np.uint8)
