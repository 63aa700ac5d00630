"""From a line to its data, or to the kind of error for which it is dropped.

The specification is protocol/README.md; the checks run in the order of its section 11: first the
syntax of every field, then the values of the known keys, then what is missing, so that the kind of
an error does not depend on the order of the fields.
"""

from __future__ import annotations

import binascii

from .model import (
    MAX_CPU_LEVELS,
    MAX_EVENTS,
    MAX_GPUS,
    MAX_LINE_BYTES,
    PROTOCOL_VERSION,
    Announcement,
    Clock,
    Count,
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, FrozenSet, List, Optional, Tuple

    _Fields = Dict[str, str]

_MAX_U32 = 4294967295
_MAX_MILLIGIB = 1048576000
_MAX_CENTI_LOAD = 9999999
_MAX_RATE = 10**14
_MAX_COUNTS = 12
_MAX_DIGITS = 15
_MAX_KEY = 16
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_DIGITS = frozenset("0123456789")
_LETTERS_OR_DIGITS = _LETTERS | _DIGITS
_NAME = _LETTERS_OR_DIGITS | frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ._-")
_HEX = _DIGITS | frozenset("abcdef")
_UPPER_HEX = frozenset(b"0123456789ABCDEF")
_PRINTABLE = bytes(range(0x20, 0x7F))

#: Key of a GPU to its place: a larger number, or one with a leading zero, is an unknown key.
_GPU_KEYS = {f"g{index}": index for index in range(MAX_GPUS)}


class LineError(Exception):
    """A line that a receiver drops; ``kind`` is the word of section 11 for why."""

    def __init__(self, kind: str, why: str = "") -> None:
        super().__init__(f"{kind}: {why}" if why else kind)
        self.kind = kind


def decode(line: bytes) -> Line:
    """What the line says; its newline at the end may be there or not. Raises LineError."""
    if line.endswith(b"\n"):
        line = line[:-1]
    if len(line) >= MAX_LINE_BYTES:
        raise LineError("overlong", f"more than {MAX_LINE_BYTES} bytes with the newline")
    if line.translate(None, _PRINTABLE):
        raise LineError("charset", "a byte outside printable ASCII")
    body, closing = line[:-5], line[-5:]
    if len(closing) < 5 or closing[:1] != b"*" or not _UPPER_HEX.issuperset(closing[1:]):
        raise LineError("checksum", "no * and four upper-case hexadecimal digits at the end")
    if int(closing[1:], 16) != binascii.crc_hqx(body, 0xFFFF):
        raise LineError("checksum", f"{closing[1:].decode()} does not match")
    return _decode_body(body.decode("ascii"))


def _decode_body(body: str) -> Line:
    texts = body.split("|")
    kind, version_text = _field(texts[0])
    reader = _READERS.get(kind)
    version = None
    if reader is not None and kind != "h" and _is_uint(version_text):
        version = int(version_text)
        if version != PROTOCOL_VERSION:
            # A later version may have another syntax: only its number is read.
            return OtherVersion(kind, version)
    fields: _Fields = {}
    for text in texts:
        key, value = _field(text)
        if key in fields:
            raise LineError("syntax", f"key {key} repeated")
        fields[key] = value
    if reader is None:
        return UnknownKind(kind)
    if kind != "h" and version is None:
        raise _bad(kind, version_text)
    return reader(fields)


def _field(text: str) -> Tuple[str, str]:
    key, equals, value = text.partition("=")
    if (
        not equals
        or not 1 <= len(key) <= _MAX_KEY
        or key[0] not in _LETTERS
        or not _LETTERS_OR_DIGITS.issuperset(key)
    ):
        raise LineError("syntax", f"field {text!r}")
    return key, value


def _read_data(fields: _Fields) -> Snapshot:
    busy = fields.get("c", "-")
    gpus = [_gpu(index, fields[key]) for key, index in _GPU_KEYS.items() if key in fields]
    return Snapshot(
        host=_text("h", fields["h"], 63),
        address=_optional_text(fields, "i", 45),
        time=_time("t", fields["t"], 5) if "t" in fields else None,
        uptime_s=_counter(fields, "u"),
        cpu_permille=None if busy == "-" else _fixed("c", busy, 1, 1000),
        cpus=_uint("n", fields["n"], 1, 65535) if "n" in fields else None,
        cpu_levels=_levels(fields["k"]) if "k" in fields else None,
        load_centi=_load(fields["l"]) if "l" in fields else None,
        memory=_memory(fields["m"]) if "m" in fields else None,
        swap=_swap(fields["s"]) if "s" in fields else None,
        network=_network(fields["w"]) if "w" in fields else None,
        gpus=tuple(gpus),
        events=_events(fields["e"]) if "e" in fields else (),
    )


def _read_info(fields: _Fields) -> InfoLine:
    nonce = fields.get("nonce")
    if nonce is not None and not _is_all(nonce, _HEX, 32, 32):
        raise _bad("nonce", nonce)
    gpus = [_gpu_info(index, fields[key]) for key, index in _GPU_KEYS.items() if key in fields]
    return InfoLine(
        collector=_optional_text(fields, "v", 15),
        nonce=nonce,
        clock=_clock(fields["clock"]) if "clock" in fields else None,
        cpu_model=_optional_text(fields, "cpu", 47),
        gpus=tuple(gpus),
    )


def _read_hello(fields: _Fields) -> Hello:
    board = _optional_text(fields, "id", 31, _NAME)
    firmware = _optional_text(fields, "fw", 15)
    panel = fields.get("panel")
    if panel is not None:
        width, cross, height = panel.partition("x")
        if not cross or not (_is_all(width, _DIGITS, 1, 5) and _is_all(height, _DIGITS, 1, 5)):
            raise _bad("panel", panel)
    boots = _counter(fields, "boots")
    reset = _optional_text(fields, "reset", 15)
    mac = _mac(fields)
    return Hello(
        board=_required("id", board),
        firmware=_required("fw", firmware),
        panel=panel,
        boots=boots,
        reset=reset,
        mac=mac,
    )


def _read_health(fields: _Fields) -> Health:
    board = _optional_text(fields, "id", 31, _NAME)
    rssi = fields.get("rssi", "-")
    last_ms = fields.get("ms", "-")
    health = Health(
        board=board or "",
        uptime_s=_counter(fields, "u"),
        heap_bytes=_counter(fields, "heap"),
        psram_bytes=_counter(fields, "psram"),
        rssi_dbm=None if rssi == "-" else _int("rssi", rssi, -127, 0),
        updates=_counter(fields, "upd"),
        washes=_counter(fields, "wash"),
        refresh_errors=_counts(fields, "err"),
        refresh_ms=None if last_ms == "-" else _uint("ms", last_ms, 0, _MAX_U32),
        bad_lines=_counts(fields, "bad"),
        receive_high_water_bytes=_counter(fields, "buf"),
    )
    _required("id", board)
    return health


def _read_announcement(fields: _Fields) -> Announcement:
    host = _optional_text(fields, "h", 63)
    address = _optional_text(fields, "i", 45)
    port = _uint("port", fields["port"], 1, 65535) if "port" in fields else None
    mac = _mac(fields)
    if port is None:
        raise LineError("missing", "key port")
    return Announcement(host=_required("h", host), address=_required("i", address), port=port, mac=mac)


_READERS: Dict[str, Callable[[_Fields], Line]] = {
    "h": _read_data,
    "info": _read_info,
    "hello": _read_hello,
    "health": _read_health,
    "announce": _read_announcement,
}


def _gpu(index: int, text: str) -> Gpu:
    key = f"g{index}"
    items = text.split(",")
    state = "ok"
    if len(items) > 11:
        state = items[11]
        if not _is_all(state, _LETTERS, 1, 8):
            raise _bad(key, text)
    return Gpu(
        index=index,
        busy_percent=_number(key, items, 0, 0, 100),
        vram_used_mib=_number(key, items, 1, 0, 16777216),
        vram_total_mib=_number(key, items, 2, 0, 16777216),
        edge_c=_number(key, items, 3, -99, 999),
        junction_c=_number(key, items, 4, -99, 999),
        memory_c=_number(key, items, 5, -99, 999),
        power_w=_number(key, items, 6, 0, 9999),
        fan_rpm=_number(key, items, 7, 0, 99999),
        core_clock_mhz=_number(key, items, 8, 0, 99999),
        memory_clock_mhz=_number(key, items, 9, 0, 99999),
        fan_percent=_number(key, items, 10, 0, 100),
        state=state,
    )


def _gpu_info(index: int, text: str) -> GpuInfo:
    key = f"g{index}"
    items = text.split(",")
    pci: Optional[str] = None
    if len(items) > 1 and items[1] != "-":
        pci = items[1]
        form = "".join(["h" if char in _HEX else char for char in pci])
        if form != "hhhh:hh:hh.h":
            raise _bad(key, text)
    return GpuInfo(
        index=index,
        name=_text(key, items[0], 31),
        pci=pci,
        power_cap_w=_number(key, items, 2, 0, 9999),
        edge_critical_c=_number(key, items, 3, -99, 999),
        junction_critical_c=_number(key, items, 4, -99, 999),
        memory_critical_c=_number(key, items, 5, -99, 999),
    )


def _levels(text: str) -> Tuple[Optional[int], ...]:
    if not _is_all(text, _HEX | {"-"}, 1, MAX_CPU_LEVELS):
        raise _bad("k", text)
    return tuple([None if char == "-" else int(char, 16) for char in text])


def _load(text: str) -> Tuple[Optional[int], Optional[int], Optional[int]]:
    items = text.split(",")
    return (
        _list_fixed("l", items, 0, 2, _MAX_CENTI_LOAD),
        _list_fixed("l", items, 1, 2, _MAX_CENTI_LOAD),
        _list_fixed("l", items, 2, 2, _MAX_CENTI_LOAD),
    )


def _memory(text: str) -> Memory:
    items = text.split("/")
    return Memory(
        used_milligib=_list_fixed("m", items, 0, 3, _MAX_MILLIGIB),
        total_milligib=_list_fixed("m", items, 1, 3, _MAX_MILLIGIB),
        cache_milligib=_list_fixed("m", items, 2, 3, _MAX_MILLIGIB),
    )


def _swap(text: str) -> Swap:
    items = text.split("/")
    return Swap(
        used_milligib=_list_fixed("s", items, 0, 3, _MAX_MILLIGIB),
        total_milligib=_list_fixed("s", items, 1, 3, _MAX_MILLIGIB),
    )


def _network(text: str) -> Network:
    items = text.split(",")
    return Network(
        name=_text("w", items[0], 15),
        received_bytes_s=_number("w", items, 1, 0, _MAX_RATE),
        sent_bytes_s=_number("w", items, 2, 0, _MAX_RATE),
    )


def _events(text: str) -> Tuple[Event, ...]:
    items = text.split(",")
    if len(items) > MAX_EVENTS:
        raise _bad("e", text)
    events = []
    for item in items:
        subject, what, time = (item.split(":", 2) + ["", ""])[:3]
        if not _is_all(subject, _LETTERS_OR_DIGITS, 1, 8) or not _is_all(what, _LETTERS, 1, 8):
            raise _bad("e", item)
        events.append(Event(subject, what, _time("e", time, 8)))
    return tuple(events)


def _clock(text: str) -> Clock:
    items = text.split(",")
    if len(items) < 2:
        raise _bad("clock", text)
    return Clock(_time("clock", items[0], 8), _uint("clock", items[1], 0, _MAX_U32))


def _counts(fields: _Fields, key: str) -> Tuple[Count, ...]:
    if key not in fields:
        return ()
    items = fields[key].split(",")
    if len(items) > _MAX_COUNTS:
        raise _bad(key, fields[key])
    counts = []
    for item in items:
        kind, _, count = item.partition(":")
        if not _is_all(kind, _LETTERS, 1, 12):
            raise _bad(key, item)
        counts.append(Count(kind, _uint(key, count, 0, _MAX_U32)))
    return tuple(counts)


def _mac(fields: _Fields) -> Optional[str]:
    mac = fields.get("mac")
    # What it signs is all before it, so that nothing may follow.
    if mac is not None and (not _is_all(mac, _HEX, 64, 64) or list(fields)[-1] != "mac"):
        raise _bad("mac", mac)
    return mac


def _required(key: str, value: Optional[str]) -> str:
    if value is None:
        raise LineError("missing", f"key {key}")
    return value


def _bad(key: str, text: str) -> LineError:
    return LineError("value", f"{key}={text}")


def _is_all(text: str, allowed: FrozenSet[str], least: int, most: int) -> bool:
    return least <= len(text) <= most and allowed.issuperset(text)


def _text(key: str, text: str, most: int, allowed: Optional[FrozenSet[str]] = None) -> str:
    if not 1 <= len(text) <= most or (allowed is not None and not allowed.issuperset(text)):
        raise _bad(key, text)
    return text


def _optional_text(
    fields: _Fields, key: str, most: int, allowed: Optional[FrozenSet[str]] = None
) -> Optional[str]:
    return _text(key, fields[key], most, allowed) if key in fields else None


def _time(key: str, text: str, length: int) -> str:
    """``HH:MM`` (length 5) or ``HH:MM:SS`` (length 8)."""
    parts = text.split(":")
    if (
        len(text) != length
        or len(parts) != (length + 1) // 3
        or not all(_is_all(part, _DIGITS, 2, 2) for part in parts)
        or parts[0] > "23"
        or max(parts[1:]) > "59"
    ):
        raise _bad(key, text)
    return text


def _is_uint(text: str) -> bool:
    return _is_all(text, _DIGITS, 1, _MAX_DIGITS)


def _uint(key: str, text: str, low: int, high: int) -> int:
    if not _is_uint(text) or not low <= int(text) <= high:
        raise _bad(key, text)
    return int(text)


def _int(key: str, text: str, low: int, high: int) -> int:
    if not text.startswith("-"):
        return _uint(key, text, low, high)
    return -_uint(key, text[1:], -high, -low)


def _counter(fields: _Fields, key: str) -> Optional[int]:
    return _uint(key, fields[key], 0, _MAX_U32) if key in fields else None


def _number(key: str, items: List[str], at: int, low: int, high: int) -> Optional[int]:
    """An item that may be ``-`` or missing; an int where ``low`` is negative, else a uint."""
    if at >= len(items) or items[at] == "-":
        return None
    return (_int if low < 0 else _uint)(key, items[at], low, high)


def _fixed(key: str, text: str, decimals: int, high: int) -> int:
    """A decimal number as a multiple of 10^-decimals, rounded half up."""
    whole, point, rest = text.partition(".")
    if (
        not _is_all(whole, _DIGITS, 1, _MAX_DIGITS)
        or (point and not _is_all(rest, _DIGITS, 1, 6))
        or len(whole) + len(rest) > _MAX_DIGITS
    ):
        raise _bad(key, text)
    value = int(whole + (rest + "0" * decimals)[:decimals])
    if rest[decimals : decimals + 1] >= "5":
        value += 1
    if value > high:
        raise _bad(key, text)
    return value


def _list_fixed(key: str, items: List[str], at: int, decimals: int, high: int) -> Optional[int]:
    if at >= len(items) or items[at] == "-":
        return None
    return _fixed(key, items[at], decimals, high)
