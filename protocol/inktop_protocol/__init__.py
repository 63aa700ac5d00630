"""The line between collector and board in Python: data, encoder, decoder, framer, key.

Standard library only; the specification is protocol/README.md.
"""

from __future__ import annotations

from dataclasses import replace

from .auth import (
    announcement_mac,
    hello_mac,
    new_nonce,
    sign_announcement,
    sign_hello,
    verify_announcement,
    verify_hello,
)
from .decode import LineError, decode
from .encode import (
    close_line,
    encode_ack,
    encode_announcement,
    encode_health,
    encode_hello,
    encode_info,
    encode_snapshot,
)
from .framer import Framer
from .model import (
    DEFAULT_PORT,
    MAX_CPU_LEVELS,
    MAX_DISKS,
    MAX_EVENTS,
    MAX_GPUS,
    MAX_HELLO_BYTES,
    MAX_LINE_BYTES,
    PROTOCOL_VERSION,
    Ack,
    Announcement,
    Clock,
    Count,
    Disk,
    DiskTraffic,
    Event,
    Gpu,
    GpuInfo,
    Health,
    Hello,
    InfoLine,
    Line,
    Memory,
    Network,
    OtherVersion,
    Snapshot,
    Swap,
    UnknownKind,
)
from .shed import average_levels
from .to_json import decode_to_json, error_to_json, line_to_json

__all__ = [
    "DEFAULT_PORT",
    "MAX_CPU_LEVELS",
    "MAX_DISKS",
    "MAX_EVENTS",
    "MAX_GPUS",
    "MAX_HELLO_BYTES",
    "MAX_LINE_BYTES",
    "PROTOCOL_VERSION",
    "Ack",
    "Announcement",
    "Clock",
    "Count",
    "Disk",
    "DiskTraffic",
    "Event",
    "Framer",
    "Gpu",
    "GpuInfo",
    "Health",
    "Hello",
    "InfoLine",
    "Line",
    "LineError",
    "Memory",
    "Network",
    "OtherVersion",
    "Snapshot",
    "Swap",
    "UnknownKind",
    "announcement_mac",
    "average_levels",
    "close_line",
    "decode",
    "decode_to_json",
    "encode_ack",
    "encode_announcement",
    "encode_health",
    "encode_hello",
    "encode_info",
    "encode_snapshot",
    "error_to_json",
    "hello_mac",
    "line_to_json",
    "new_nonce",
    "replace",
    "sign_announcement",
    "sign_hello",
    "verify_announcement",
    "verify_hello",
]
