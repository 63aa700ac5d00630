"""The sources of the line, in the order in which ``doctor`` lists them. A new one is added here.

GPUs are not in this list: they come and go, and each is read in a thread of its own (``gpu/slots``).
"""

from __future__ import annotations

from typing import Callable, List, Tuple

from ..config import Config
from ..files import Roots
from ..log import Log
from .cpu import Cpu
from .cpu_heat import CpuHeat
from .cpu_model import CpuModel
from .disk_traffic import DiskRates
from .disks import Disks
from .host import Host
from .load import Load
from .memory import Memory
from .network import NetworkSource
from .oom import OutOfMemory
from .source import Source
from .uptime import Uptime

SOURCES: Tuple[Callable[[Roots, Config, Log], Source], ...] = (
    lambda roots, config, log: Host(roots),
    lambda roots, config, log: Cpu(roots),
    lambda roots, config, log: CpuModel(roots),
    lambda roots, config, log: CpuHeat(roots),
    lambda roots, config, log: Memory(roots),
    lambda roots, config, log: Load(roots),
    lambda roots, config, log: Uptime(roots),
    lambda roots, config, log: NetworkSource(roots, config.interface, log),
    lambda roots, config, log: Disks(roots),
    lambda roots, config, log: DiskRates(roots),
    lambda roots, config, log: OutOfMemory(roots),
)


def make_sources(roots: Roots, config: Config, log: Log) -> List[Source]:
    """One of each."""
    return [make(roots, config, log) for make in SOURCES]
