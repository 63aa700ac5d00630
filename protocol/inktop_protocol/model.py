"""What a line says, as data: one frozen dataclass for each kind of line.

Made by protocol/generate.py from inktop_protocol/table.py: change that, then `make generate`.

Every number is an integer with its unit in its name. ``None`` for a number of a group means
"the sensor exists but cannot be read now" (``-`` on the wire), or that the list ended before it;
``None`` for a whole group means that the machine has no such thing (no key on the wire).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple, Union

#: Longest line with its newline, bytes.
MAX_LINE_BYTES = 1024
#: Longest hello with its newline, bytes.
MAX_HELLO_BYTES = 256
#: GPUs that a line can carry: g0 ... g15.
MAX_GPUS = 16
#: Cells of `k`: more CPUs are averaged into this many.
MAX_CPU_LEVELS = 256
#: Items of `e`.
MAX_EVENTS = 8
#: Items of `d`: file systems that a line can carry.
MAX_DISKS = 4
#: Items of `err` and of `bad`.
MAX_COUNTS = 12
#: Items of `set`.
MAX_SETTINGS = 20
#: Items of `not`.
MAX_REFUSALS = 8
#: Items of `x`: what is wrong in a fleet.
MAX_WORST = 8
#: TCP port of the collector, UDP port of the announcements.
DEFAULT_PORT = 7910
#: What a versioned line says first.
PROTOCOL_VERSION = 1
#: Hexadecimal digits of a seal's mac: 128 bits.
SEAL_MAC_DIGITS = 32
#: Longest seal: `|q=` with 10 digits, `|mac=` with its own.
MAX_SEAL_BYTES = 50


@dataclass(frozen=True)
class Memory:
    """Memory in thousandths of a GiB."""

    used_milligib: Optional[int] = None
    total_milligib: Optional[int] = None
    cache_milligib: Optional[int] = None


@dataclass(frozen=True)
class Swap:
    """Swap in thousandths of a GiB."""

    used_milligib: Optional[int] = None
    total_milligib: Optional[int] = None


@dataclass(frozen=True)
class Network:
    """One interface; its name is `-` when none was chosen."""

    name: str
    received_bytes_s: Optional[int] = None
    sent_bytes_s: Optional[int] = None


@dataclass(frozen=True)
class Disk:
    """One file system; total is what can be used: used + what is free for everybody, as `df` counts."""

    used_mib: int
    total_mib: int
    name: str


@dataclass(frozen=True)
class DiskTraffic:
    """What all disks together read and write."""

    read_bytes_s: Optional[int] = None
    written_bytes_s: Optional[int] = None


@dataclass(frozen=True)
class Gpu:
    """One GPU at its place on the board."""

    index: int
    busy_percent: Optional[int] = None
    vram_used_mib: Optional[int] = None
    vram_total_mib: Optional[int] = None
    edge_c: Optional[int] = None
    junction_c: Optional[int] = None
    memory_c: Optional[int] = None
    power_w: Optional[int] = None
    fan_rpm: Optional[int] = None
    core_clock_mhz: Optional[int] = None
    memory_clock_mhz: Optional[int] = None
    fan_percent: Optional[int] = None
    state: str = "ok"
    throttle: Optional[str] = None
    link_generation: Optional[int] = None
    link_width: Optional[int] = None


@dataclass(frozen=True)
class GpuUser:
    """The process that uses most of one GPU's memory."""

    index: int
    name: str
    vram_mib: Optional[int] = None
    busy_percent: Optional[int] = None
    others: Optional[int] = None


@dataclass(frozen=True)
class ModelServer:
    """What a local inference server is doing."""

    name: str
    running: Optional[int] = None
    waiting: Optional[int] = None
    generated_tokens_s: Optional[int] = None
    prompt_tokens_s: Optional[int] = None
    cache_percent: Optional[int] = None


@dataclass(frozen=True)
class Event:
    """An event that lasts (section 5): `time` is the server's local HH:MM:SS at which it began."""

    subject: str
    what: str
    time: str


@dataclass(frozen=True)
class Clock:
    """`time` (local HH:MM:SS) was read at `uptime_s`."""

    time: str
    uptime_s: int


@dataclass(frozen=True)
class GpuInfo:
    """Static facts of one GPU."""

    index: int
    name: str
    pci: Optional[str] = None
    power_cap_w: Optional[int] = None
    edge_critical_c: Optional[int] = None
    junction_critical_c: Optional[int] = None
    memory_critical_c: Optional[int] = None
    link_generation: Optional[int] = None
    link_width: Optional[int] = None


@dataclass(frozen=True)
class Count:
    """How often something happened."""

    kind: str
    count: int


@dataclass(frozen=True)
class Assignment:
    """A setting of a board and its value, as both are typed at its console."""

    name: str
    value: str


@dataclass(frozen=True)
class Refusal:
    """A setting that a board did not take from its server."""

    name: str
    why: str


@dataclass(frozen=True)
class UpOf:
    """How many there are, and how many of them answer."""

    up: Optional[int] = None
    total: Optional[int] = None


@dataclass(frozen=True)
class FleetPower:
    """What the GPUs of a fleet draw together."""

    drawn_w: Optional[int] = None
    limit_w: Optional[int] = None


@dataclass(frozen=True)
class FleetVram:
    """The memory of the GPUs of a fleet."""

    used_mib: Optional[int] = None
    total_mib: Optional[int] = None


@dataclass(frozen=True)
class Worst:
    """One thing that is wrong in a fleet (section 16)."""

    host: str
    what: str
    value: Optional[int] = None
    part: Optional[str] = None


@dataclass(frozen=True)
class Snapshot:
    """A data line: one machine, one second."""

    host: str
    address: Optional[str] = None
    time: Optional[str] = None
    uptime_s: Optional[int] = None
    cpu_permille: Optional[int] = None
    cpus: Optional[int] = None
    cpu_levels: Optional[Tuple[Optional[int], ...]] = None
    load_centi: Optional[Tuple[Optional[int], Optional[int], Optional[int]]] = None
    memory: Optional[Memory] = None
    swap: Optional[Swap] = None
    network: Optional[Network] = None
    cpu_c: Optional[int] = None
    disks: Tuple[Disk, ...] = ()
    disk_traffic: Optional[DiskTraffic] = None
    gpus: Tuple[Gpu, ...] = ()
    gpu_users: Tuple[GpuUser, ...] = ()
    model_server: Optional[ModelServer] = None
    events: Tuple[Event, ...] = ()


@dataclass(frozen=True)
class InfoLine:
    """Static facts of the server, sent first and once a minute."""

    version: int = PROTOCOL_VERSION
    collector: Optional[str] = None
    nonce: Optional[str] = None
    clock: Optional[Clock] = None
    cpu_model: Optional[str] = None
    gpus: Tuple[GpuInfo, ...] = ()


@dataclass(frozen=True)
class Hello:
    """The board's answer to the info line."""

    board: str
    firmware: str
    panel: Optional[str] = None
    boots: Optional[int] = None
    reset: Optional[str] = None
    nonce: Optional[str] = None
    mac: Optional[str] = None
    version: int = PROTOCOL_VERSION


@dataclass(frozen=True)
class Health:
    """How the board is: sent every 30 s."""

    board: str
    uptime_s: Optional[int] = None
    heap_bytes: Optional[int] = None
    psram_bytes: Optional[int] = None
    rssi_dbm: Optional[int] = None
    updates: Optional[int] = None
    washes: Optional[int] = None
    refresh_errors: Tuple[Count, ...] = ()
    refresh_ms: Optional[int] = None
    bad_lines: Tuple[Count, ...] = ()
    receive_high_water_bytes: Optional[int] = None
    largest_block_bytes: Optional[int] = None
    lowest_heap_bytes: Optional[int] = None
    main_stack_bytes: Optional[int] = None
    network_stack_bytes: Optional[int] = None
    panel_mhz: Optional[int] = None
    version: int = PROTOCOL_VERSION


@dataclass(frozen=True)
class SettingsLine:
    """What a server holds for a board; and the board's answer: what is in force."""

    board: Optional[str] = None
    values: Tuple[Assignment, ...] = ()
    origins: Optional[str] = None
    refusals: Tuple[Refusal, ...] = ()
    version: int = PROTOCOL_VERSION


@dataclass(frozen=True)
class Ack:
    """Events that somebody has acknowledged on the board."""

    board: str
    events: Tuple[Event, ...] = ()
    version: int = PROTOCOL_VERSION


@dataclass(frozen=True)
class Announcement:
    """Payload of the broadcast datagram."""

    host: str
    address: str
    port: int
    time_s: Optional[int] = None
    mac: Optional[str] = None
    version: int = PROTOCOL_VERSION


@dataclass(frozen=True)
class Fleet:
    """A fleet of machines, one second: what a fleet server sends in place of data lines."""

    host: str
    address: Optional[str] = None
    time: Optional[str] = None
    uptime_s: Optional[int] = None
    source: Optional[str] = None
    machines: Optional[UpOf] = None
    gpus: Optional[UpOf] = None
    busy_percent: Optional[int] = None
    power: Optional[FleetPower] = None
    vram: Optional[FleetVram] = None
    wrong: Optional[int] = None
    worst: Tuple[Worst, ...] = ()
    version: int = PROTOCOL_VERSION


@dataclass(frozen=True)
class OtherVersion:
    """A line of a known kind in a version this receiver cannot read."""

    kind: str
    version: int


@dataclass(frozen=True)
class UnknownKind:
    """A well-formed line whose first key this receiver does not know: to be ignored."""

    key: str


Line = Union[
    Snapshot, InfoLine, Hello, Health, SettingsLine, Ack, Announcement, Fleet, OtherVersion, UnknownKind
]
