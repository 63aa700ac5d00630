"""The CPU model and how many of it: /proc/cpuinfo, read once.

The file is slow on many machines, since the kernel asks every CPU for its clock.
"""

from __future__ import annotations

import re
from typing import List, Optional

from ..files import Roots
from .cpu import count_list
from .source import Reading, Row, Source, Values

MAX_CHARS = 47
#: Words of a CPU's name that say nothing where there is room for 47 characters.
NOISE = frozenset(
    [
        "(R)",
        "(TM)",
        "(r)",
        "(tm)",
        "CPU",
        "Processor",
        "processor",
        "Intel",
        "AMD",
        "Genuine",
        "Gen",
        "with",
        "Radeon",
        "Graphics",
        "Authentic",
        "APU",
        "1st",
        "2nd",
        "3rd",
        "4th",
        "5th",
        "6th",
        "7th",
        "8th",
        "9th",
        "10th",
        "11th",
        "12th",
        "13th",
        "14th",
        "15th",
    ]
)
#: The GPU of an APU comes after its name: ``w/ Radeon 8060S``, ``with Radeon Graphics``, ``Radeon R7``.
GRAPHICS = re.compile(r"(?<=\S)[\s,]+(?:w/|with\s|Radeon\b)")


class CpuModel(Source):
    """Asks once, in the thread."""

    name = "cpu model"

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._asked = False
        self._model: Optional[str] = None

    def read(self) -> Reading:
        """Says nothing in the line; the model goes into the info line."""
        if not self._asked:
            self._model = cpu_model(self._roots)
            self._asked = True
        return Reading({})

    def facts(self) -> Values:
        """``cpu_model``."""
        return {"cpu_model": self._model}

    def doctor(self, reading: Reading) -> List[Row]:
        """The model as the board shows it."""
        return [Row(self.name, self._model or "unknown")]


def shorten_model(model: str) -> str:
    """``Intel(R) Xeon(R) CPU E5-2683 v4 @ 2.10GHz`` as ``E5-2683 v4``."""
    text = GRAPHICS.split(model.split("@")[0])[0]
    for mark in ("(R)", "(TM)", "(r)", "(tm)", "\u00ae", "\u2122"):
        text = text.replace(mark, " ")
    words = [w for w in text.split() if w not in NOISE and not w.endswith(("-Core", "-Cores"))]
    if len(words) > 1 and words[0] == "Xeon":
        words = words[1:]
    text = " ".join(words) or " ".join(model.split())
    return "".join(c if " " <= c <= "~" and c != "|" else "?" for c in text)[:MAX_CHARS]


def cpu_model(roots: Roots) -> Optional[str]:
    """CPU model and how many of it, ``2x E5-2683 v4``; ``None`` if the machine does not say."""
    data = roots.proc("cpuinfo").read_all()
    if data is None:
        return None
    model = ""
    packages = set()
    for line in data.decode("utf-8", "replace").splitlines():
        name, _, value = line.partition(":")
        name, value = name.strip(), value.strip()
        if name == "physical id":
            packages.add(value)
        elif not model and value and name in ("model name", "cpu model", "cpu", "Model", "Hardware", "uarch"):
            model = value
    model = shorten_model(model)
    if not model:
        return None
    count = len(packages)
    if not count:
        cpus = count_list(roots.sys("devices/system/cpu/online").read() or b"")
        topology = "devices/system/cpu/cpu0/topology/"
        mine = roots.sys(topology + "package_cpus_list").read()
        inside = count_list(mine or roots.sys(topology + "core_siblings_list").read() or b"")
        count = -(-cpus // inside) if cpus and inside else 1
    return (f"{count}x {model}" if count > 1 else model)[:MAX_CHARS]
