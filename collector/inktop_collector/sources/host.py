"""Owns who the machine is: host name, CPU model, time of day."""

from __future__ import annotations

import os
import time

from ..files import Roots
from .cpu import count_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

MAX_HOST_CHARS = 63
MAX_CPU_MODEL_CHARS = 47
HOST_ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
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


def clean_host(name: str) -> str:
    """A host name for the line: anything outside ``[A-Za-z0-9._-]`` becomes ``_``, cut at 63, never
    empty.
    """
    name = name.rstrip("\r\n\0")
    return "".join(c if c in HOST_ALPHABET else "_" for c in name[:MAX_HOST_CHARS]) or "-"


def host_name(roots: Roots) -> str:
    """The machine's own name. Never getfqdn: that asks a name server, and fails on odd names."""
    if not roots.this_machine:
        recorded = roots.proc("sys/kernel/hostname").read_text()
        if recorded:
            return clean_host(recorded)
    return clean_host(os.uname().nodename)


def clock(now: Optional[float] = None) -> str:
    """Local time of the server, HH:MM:SS."""
    local = time.localtime(now)
    return f"{local.tm_hour:02d}:{local.tm_min:02d}:{local.tm_sec:02d}"


def shorten_model(model: str) -> str:
    """``Intel(R) Xeon(R) CPU E5-2683 v4 @ 2.10GHz`` as ``E5-2683 v4``."""
    text = model.split("@")[0]
    for mark in ("(R)", "(TM)", "(r)", "(tm)", "\u00ae", "\u2122"):
        text = text.replace(mark, " ")
    words = [w for w in text.split() if w not in NOISE and not w.endswith("-Core")]
    if len(words) > 1 and words[0] == "Xeon":
        words = words[1:]
    text = " ".join(words) or " ".join(model.split())
    return "".join(c if " " <= c <= "~" and c != "|" else "?" for c in text)[:MAX_CPU_MODEL_CHARS]


def cpu_model(roots: Roots) -> Optional[str]:
    """CPU model and how many of it, ``2x E5-2683 v4``; ``None`` if the machine does not say.

    Asked once: /proc/cpuinfo is slow on many machines, since the kernel asks every CPU for its
    clock.
    """
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
    return (f"{count}x {model}" if count > 1 else model)[:MAX_CPU_MODEL_CHARS]
