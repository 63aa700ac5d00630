"""The pictures that the panel may show, drawn now by the firmware's own code."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
from PIL import Image

from inktop_tools.errors import InktopError

Array = Any

STAGES = ("ST1", "ST2", "ST3", "ST4", "ST5")
#: Seconds that a server is listened to: a greeting and two lines.
_LISTEN_S = 3.5
_SMALLEST = (640, 400)


@dataclass
class Wanted:
    """What may be on the panel: name -> picture, 0 (ink) or 255 (paper)."""

    pictures: Dict[str, Array]
    #: What may have been there before, and shine through.
    before: Dict[str, Array] = field(default_factory=dict)
    #: Features of the pictures, kept from photo to photo.
    templates: Dict[str, Any] = field(default_factory=dict)

    def before_of(self, name: str) -> Dict[str, Array]:
        """Those before `name`, as 0 … 1."""
        size = self.pictures[name].shape
        return {
            other: (one > 127).astype(np.float32)
            for other, one in self.before.items()
            if other != name and one.shape == size and not np.array_equal(one, self.pictures[name])
        }


def from_file(path: Path) -> Wanted:
    """A picture of the panel from a file. Raises InktopError."""
    try:
        with Image.open(path) as image:
            grey = np.asarray(image.convert("L"))
    except FileNotFoundError:
        raise InktopError(f"there is no {path}.\nMake it with inktop selftest or inktop render.") from None
    except (OSError, SyntaxError, ValueError, MemoryError) as error:
        raise InktopError(
            f"{path} cannot be read as a picture: {error}.\nMake it with inktop selftest or inktop render."
        ) from error
    if grey.shape[1] < _SMALLEST[0] or grey.shape[0] < _SMALLEST[1]:
        raise InktopError(
            f"{path} is {grey.shape[1]}x{grey.shape[0]}, no picture of a panel.\n"
            "Make it with inktop selftest or inktop render."
        )
    picture = np.where(grey > 127, 255, 0).astype(np.uint8)
    return Wanted({path.name: picture}, _stages_with(picture))


def _stages_with(picture: Array) -> Dict[str, Array]:
    """All stages, when it is one of them: then the others may have been there before."""
    try:
        every = _stages()
    except InktopError:  # the core has not been built
        return {}
    return every if any(np.array_equal(picture, one) for one in every.values()) else {}


def stages(only: Optional[str] = None) -> Wanted:
    """ST1 … ST5 as each must be. Raises InktopError when the core has not been built."""
    name = (only or "").upper()
    if name and name not in STAGES:
        raise InktopError(f"there is no stage {only}.\nThere are: {', '.join(STAGES)}")
    every = _stages()
    return Wanted({name: every[name]} if name else dict(every), every)


def _stages() -> Dict[str, Array]:
    from inktop_tools import selftest

    test = selftest.SelfTest()
    try:
        found = {}
        for stage in STAGES:
            test.run(stage)
            found[stage] = from_bits(test.panel_bits(), test.size)
        return found
    finally:
        test.close()


def any_screen() -> Wanted:
    """The stages, and what a board shows while it has no data."""
    wanted = stages()
    wanted.pictures.update(_without_data())
    return wanted


def _without_data() -> Dict[str, Array]:
    from inktop_tools.virtual import host

    settings = host.BoardSettings()
    size = (settings.width, settings.height)
    found = {}
    for name, steps in (("a board that looks for its server", 0), ("a board that waits for data", 1)):
        app = host.App(settings)
        link = host.Link("192.0.2.17", settings, app)
        link.next(0)
        if steps:
            link.connected(0)
        for now_ms in range(0, 20_000, 1000):
            app.receive()
            app.refresh(now_ms)
        found[name] = from_bits(app.frame_bits(), size)
    return found


def after_lines(path: Path) -> Wanted:
    """The board's picture after the lines in `path`, and those that it showed shortly before."""
    from inktop_tools.virtual.replay import read_lines

    return _after(read_lines(path))


def of_server(server: str, key_file: Optional[Path]) -> Wanted:
    """The board's picture after the lines that a collector sends now. Raises InktopError."""
    from inktop_tools.addresses import parse_server
    from inktop_tools.keys import read_key
    from inktop_tools.lines.tail import Tail, is_bad

    lines: List[bytes] = []
    said: List[str] = []
    tail = Tail(parse_server(server), read_key(key_file), said.append, lines.append)
    tail.follow(_LISTEN_S)
    lines = [line.rstrip(b"\r\n") + b"\n" for line in lines if not is_bad(line)]
    if all(line.startswith(b"info=") for line in lines):
        why = f" ({said[-1].lstrip('- ')})" if said else ""
        raise InktopError(f"no line came from {server}{why}.\nOn the server: inktop-collector doctor")
    return _after(lines)


def _after(lines: List[bytes]) -> Wanted:
    from inktop_tools.virtual import host
    from inktop_tools.virtual.render import Playback
    from inktop_tools.virtual.replay import takes_a_second

    settings = host.BoardSettings()
    size = (settings.width, settings.height)
    playback = Playback(settings)
    shown: Dict[bytes, None] = {}
    for line in lines:
        playback.line(line)
        if takes_a_second(line):
            shown[playback.app.frame_bits()] = None
            playback.pass_time(1000)
    playback.settle()
    now = playback.app.frame_bits()
    shown.pop(now, None)
    latest = list(shown)[-2:]
    names = ["an older picture", "the picture before"][-len(latest) :] if latest else []
    return Wanted(
        {"the board": from_bits(now, size)}, {name: from_bits(one, size) for name, one in zip(names, latest)}
    )


def from_bits(bits: bytes, size: Tuple[int, int]) -> Array:
    """One bit a pixel to 0 and 255."""
    rows = np.unpackbits(np.frombuffer(bits, np.uint8)).reshape(size[1], size[0])
    return (rows * 255).astype(np.uint8)
