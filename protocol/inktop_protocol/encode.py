"""From data to the line: everything that is written goes through here, shed to 1024 bytes.

The specification is protocol/README.md. An encoder never fails and never writes a line that a
receiver would drop: a measured value outside its range becomes ``-`` (or its key is left out
where ``-`` is not allowed), a counter stays at its maximum, text is mapped to what its place
allows. Counts and units are those of the dataclasses in ``model``.
"""

from __future__ import annotations

import binascii

from .model import (
    MAX_CPU_LEVELS,
    MAX_EVENTS,
    MAX_GPUS,
    MAX_LINE_BYTES,
    Announcement,
    Count,
    Event,
    Gpu,
    GpuInfo,
    Health,
    Hello,
    InfoLine,
    Memory,
    Network,
    Snapshot,
    Swap,
)
from .record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, List, Optional, Sequence, Tuple

#: ``*``, four hexadecimal digits and the newline.
_CLOSING_BYTES = 6
_MAX_BODY = MAX_LINE_BYTES - _CLOSING_BYTES
_MAX_U32 = 4294967295
_MAX_MILLIGIB = 1048576000
_MAX_RATE = 10**14
_MAX_COUNTS = 12
_NAME_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_SUBJECT_CHARACTERS = _LETTERS | frozenset("0123456789")
_HEX_DIGITS = frozenset("0123456789abcdef")
_LEVELS = "0123456789abcdef"
#: Ranges of the GPU items 0 to 10 (section 3 of the specification).
_GPU_RANGES = (
    (0, 100),
    (0, 16777216),
    (0, 16777216),
    (-99, 999),
    (-99, 999),
    (-99, 999),
    (0, 9999),
    (0, 99999),
    (0, 99999),
    (0, 99999),
    (0, 100),
)


def close_line(body: str) -> bytes:
    """The line of a body: its checksum (CRC-16/CCITT-FALSE) and the newline appended."""
    data = body.encode("ascii")
    return b"%s*%04X\n" % (data, binascii.crc_hqx(data, 0xFFFF))


def encode_snapshot(snapshot: Snapshot) -> bytes:
    """A data line of at most 1024 bytes with its newline; sheds as section 10 says."""
    body = _snapshot_body(snapshot)
    if len(body) > _MAX_BODY:
        for smaller in _shed(snapshot):
            body = _snapshot_body(smaller)
            if len(body) <= _MAX_BODY:
                break
    return close_line(body)


def encode_info(info: InfoLine) -> bytes:
    """An info line of at most 1024 bytes with its newline; sheds as section 10 says."""
    body = _info_body(info, 31)
    if len(body) > _MAX_BODY:
        # 16 GPUs with every item as long as it can be take 937 bytes then: always enough.
        body = _info_body(info, 15)
    return close_line(body)


def hello_text(hello: Hello) -> str:
    """All of a hello line before ``|mac=``: what the keyed hello signs."""
    fields = [
        f"hello={hello.version}",
        f"id={_name(hello.board, 31)}",
        f"fw={_text(hello.firmware, 15) or '-'}",
    ]
    if hello.panel is not None and _is_panel(hello.panel):
        fields.append(f"panel={hello.panel}")
    _add_counter(fields, "boots", hello.boots)
    _add_text(fields, "reset", hello.reset, 15)
    return "|".join(fields)


def encode_hello(hello: Hello) -> bytes:
    """A hello line; ``mac`` is written as given (``auth.sign_hello`` computes it)."""
    return close_line(_with_mac(hello_text(hello), hello.mac))


def encode_health(health: Health) -> bytes:
    """A health line."""
    rssi, last_ms = health.rssi_dbm, health.refresh_ms
    fields = [f"health={health.version}", f"id={_name(health.board, 31)}"]
    _add_counter(fields, "u", health.uptime_s)
    _add_counter(fields, "heap", health.heap_bytes)
    _add_counter(fields, "psram", health.psram_bytes)
    fields.append(f"rssi={_number(rssi, -127, 0)}")
    _add_counter(fields, "upd", health.updates)
    _add_counter(fields, "wash", health.washes)
    _add_counts(fields, "err", health.refresh_errors)
    fields.append(f"ms={_number(last_ms, 0, _MAX_U32)}")
    _add_counts(fields, "bad", health.bad_lines)
    _add_counter(fields, "buf", health.receive_high_water_bytes)
    return close_line("|".join(fields))


def announcement_text(announcement: Announcement) -> str:
    """All of an announcement before ``|mac=``: what a keyed announcement signs.

    Raises ValueError for a port outside 1 to 65535: there is no line that could say it.
    """
    if not 1 <= announcement.port <= 65535:
        raise ValueError(f"port {announcement.port}: announce one of 1 to 65535")
    return "|".join(
        (
            f"announce={announcement.version}",
            f"h={_name(announcement.host, 63)}",
            f"i={_text(announcement.address, 45) or '-'}",
            f"port={announcement.port}",
        )
    )


def encode_announcement(announcement: Announcement) -> bytes:
    """The payload of the broadcast datagram; ``mac`` is written as given."""
    return close_line(_with_mac(announcement_text(announcement), announcement.mac))


def average_levels(levels: Sequence[Optional[int]], cells: int) -> Tuple[Optional[int], ...]:
    """Levels averaged into ``cells`` groups of neighbours (fewer than there are levels).

    Cell j covers the levels j*n/cells to (j+1)*n/cells - 1, both rounded down; unknown ones do
    not count, a group of unknown ones is unknown; rounded half up.
    """
    averaged: List[Optional[int]] = []
    size = len(levels)
    for cell in range(cells):
        group = levels[cell * size // cells : (cell + 1) * size // cells]
        known = [level for level in group if level is not None]
        averaged.append((2 * sum(known) + len(known)) // (2 * len(known)) if known else None)
    return tuple(averaged)


def _snapshot_body(snapshot: Snapshot) -> str:
    fields = [f"h={_name(snapshot.host, 63)}"]
    _add_text(fields, "i", snapshot.address, 45)
    if snapshot.time is not None and _is_minute(snapshot.time):
        fields.append(f"t={snapshot.time}")
    _add_counter(fields, "u", snapshot.uptime_s)
    busy = snapshot.cpu_permille
    if busy is None or not 0 <= busy <= 1000:
        fields.append("c=-")
    else:
        fields.append(f"c={busy // 10}.{busy % 10}")
    if snapshot.cpus is not None and 1 <= snapshot.cpus <= 65535:
        fields.append(f"n={snapshot.cpus}")
    if snapshot.cpu_levels:
        levels: Sequence[Optional[int]] = snapshot.cpu_levels
        if len(levels) > MAX_CPU_LEVELS:
            levels = average_levels(levels, MAX_CPU_LEVELS)
        fields.append("k=" + "".join([_level(level) for level in levels]))
    if snapshot.load_centi is not None:
        fields.append("l=" + ",".join([_centi(load) for load in snapshot.load_centi]))
    if snapshot.memory is not None:
        fields.append(_memory(snapshot.memory))
    if snapshot.swap is not None:
        fields.append(_swap(snapshot.swap))
    if snapshot.network is not None:
        fields.append(_network(snapshot.network))
    last = -1
    for gpu in snapshot.gpus:
        if not last < gpu.index < MAX_GPUS:
            return _snapshot_body(replace(snapshot, gpus=_placed(snapshot.gpus)))
        last = gpu.index
        fields.append(_gpu(gpu))
    if snapshot.events:
        events = [text for text in map(_event, snapshot.events) if text]
        if events:
            fields.append("e=" + ",".join(events[-MAX_EVENTS:]))
    return "|".join(fields)


def _placed(gpus: Tuple[Gpu, ...]) -> Tuple[Gpu, ...]:
    """The GPUs that a line can carry: one at each place, ascending."""
    places = {gpu.index: gpu for gpu in reversed(gpus) if 0 <= gpu.index < MAX_GPUS}
    return tuple(places[index] for index in sorted(places))


def _shed(snapshot: Snapshot) -> Iterator[Snapshot]:
    """The snapshot with less and less in it: the steps of section 10 in their order."""
    snapshot = replace(
        snapshot,
        gpus=tuple(replace(gpu, memory_clock_mhz=None, fan_percent=None) for gpu in _placed(snapshot.gpus)),
    )
    yield snapshot
    if snapshot.memory is not None:
        snapshot = replace(snapshot, memory=replace(snapshot.memory, cache_milligib=None))
        yield snapshot
    all_levels = snapshot.cpu_levels or ()
    for cells in (128, 64, 32):
        if len(all_levels) > cells:
            snapshot = replace(snapshot, cpu_levels=average_levels(all_levels, cells))
            yield snapshot
    events = tuple(event for event in snapshot.events if _event(event))
    for newest in (4, 1):
        snapshot = replace(snapshot, events=events[-newest:])
        yield snapshot
    snapshot = replace(snapshot, gpus=tuple(replace(gpu, core_clock_mhz=None) for gpu in snapshot.gpus))
    yield snapshot
    snapshot = replace(snapshot, gpus=tuple(replace(gpu, fan_rpm=None) for gpu in snapshot.gpus))
    yield snapshot
    snapshot = replace(snapshot, gpus=tuple(replace(gpu, memory_c=None) for gpu in snapshot.gpus))
    yield snapshot
    snapshot = replace(snapshot, cpu_levels=None)
    yield snapshot
    snapshot = replace(snapshot, swap=None)
    yield snapshot
    snapshot = replace(snapshot, events=())
    yield snapshot
    while len(snapshot.gpus) > 1:
        snapshot = replace(snapshot, gpus=snapshot.gpus[:-1])
        yield snapshot


def _gpu(gpu: Gpu) -> str:
    values = (
        gpu.busy_percent,
        gpu.vram_used_mib,
        gpu.vram_total_mib,
        gpu.edge_c,
        gpu.junction_c,
        gpu.memory_c,
        gpu.power_w,
        gpu.fan_rpm,
        gpu.core_clock_mhz,
        gpu.memory_clock_mhz,
        gpu.fan_percent,
    )
    items = [
        str(value) if value is not None and low <= value <= high else "-"
        for value, (low, high) in zip(values, _GPU_RANGES)
    ]
    if gpu.state != "ok":
        items.append(_state(gpu.state))
    elif items[10] == "-":
        del items[9 if items[9] == "-" else 10 :]
    return f"g{gpu.index}=" + ",".join(items)


def _state(state: str) -> str:
    if 1 <= len(state) <= 8 and _LETTERS.issuperset(state):
        return state
    # Shown as it stands: a board must not take a state that it cannot read for "ok".
    return "unknown"


def _memory(memory: Memory) -> str:
    decimals = _decimals(memory.total_milligib, memory.used_milligib)
    text = f"m={_milligib(memory.used_milligib, decimals)}/{_milligib(memory.total_milligib, decimals)}"
    cache = _milligib(memory.cache_milligib, decimals)
    return text if cache == "-" else f"{text}/{cache}"


def _swap(swap: Swap) -> str:
    decimals = _decimals(swap.total_milligib, swap.used_milligib)
    return f"s={_milligib(swap.used_milligib, decimals)}/{_milligib(swap.total_milligib, decimals)}"


def _network(network: Network) -> str:
    name = _text(network.name, 15, ",") or "-"
    received = _number(network.received_bytes_s, 0, _MAX_RATE)
    return f"w={name},{received},{_number(network.sent_bytes_s, 0, _MAX_RATE)}"


def _event(event: Event) -> str:
    """The event as it is written, or nothing when it does not fit the grammar of section 5."""
    if (
        1 <= len(event.subject) <= 8
        and 1 <= len(event.what) <= 8
        and _SUBJECT_CHARACTERS.issuperset(event.subject)
        and _LETTERS.issuperset(event.what)
        and _is_second(event.time)
    ):
        return f"{event.subject}:{event.what}:{event.time}"
    return ""


def _info_body(info: InfoLine, name_length: int) -> str:
    fields = [f"info={info.version}"]
    _add_text(fields, "v", info.collector, 15)
    if info.nonce is not None and _is_hex(info.nonce, 32):
        fields.append(f"nonce={info.nonce}")
    if info.clock is not None and _is_second(info.clock.time) and info.clock.uptime_s >= 0:
        fields.append(f"clock={info.clock.time},{min(info.clock.uptime_s, _MAX_U32)}")
    _add_text(fields, "cpu", info.cpu_model, 47)
    fields += [_gpu_info(gpu, name_length) for gpu in _placed_info(info.gpus)]
    return "|".join(fields)


def _gpu_info(gpu: GpuInfo, name_length: int) -> str:
    items = [
        _text(gpu.name, name_length, ",") or "-",
        gpu.pci if gpu.pci is not None and _is_pci(gpu.pci) else "-",
        _number(gpu.power_cap_w, 0, 9999),
        _number(gpu.edge_critical_c, -99, 999),
        _number(gpu.junction_critical_c, -99, 999),
        _number(gpu.memory_critical_c, -99, 999),
    ]
    while len(items) > 1 and items[-1] == "-":
        del items[-1]
    return f"g{gpu.index}=" + ",".join(items)


def _placed_info(gpus: Tuple[GpuInfo, ...]) -> Tuple[GpuInfo, ...]:
    places = {gpu.index: gpu for gpu in reversed(gpus) if 0 <= gpu.index < MAX_GPUS}
    return tuple(places[index] for index in sorted(places))


def _with_mac(text: str, mac: Optional[str]) -> str:
    return f"{text}|mac={mac}" if mac is not None and _is_hex(mac, 64) else text


def _add_text(fields: List[str], key: str, value: Optional[str], most: int) -> None:
    if value:
        fields.append(f"{key}={_text(value, most)}")


def _add_counter(fields: List[str], key: str, value: Optional[int]) -> None:
    if value is not None and value >= 0:
        fields.append(f"{key}={min(value, _MAX_U32)}")


def _add_counts(fields: List[str], key: str, counts: Tuple[Count, ...]) -> None:
    items = [
        f"{item.kind}:{min(item.count, _MAX_U32)}"
        for item in counts
        if 1 <= len(item.kind) <= 12 and _LETTERS.issuperset(item.kind) and item.count >= 0
    ]
    if items:
        fields.append(f"{key}=" + ",".join(items[:_MAX_COUNTS]))


def _text(value: str, most: int, separator: str = "|") -> str:
    """Printable ASCII, cut at ``most``: ``|`` and the separator become ``_``, all else ``?``."""
    value = value[:most]
    if value.isascii() and value.isprintable() and "|" not in value and separator not in value:
        return value
    return "".join(
        ["_" if char in ("|", separator) else char if " " <= char <= "~" else "?" for char in value]
    )


def _name(value: str, most: int) -> str:
    """A host name or board id: anything outside ``[A-Za-z0-9._-]`` becomes ``_``."""
    value = value[:most]
    if value and _NAME_CHARACTERS.issuperset(value):
        return value
    return "".join([char if char in _NAME_CHARACTERS else "_" for char in value]) or "_"


def _number(value: Optional[int], low: int, high: int) -> str:
    return str(value) if value is not None and low <= value <= high else "-"


def _level(level: Optional[int]) -> str:
    return _LEVELS[level] if level is not None and 0 <= level <= 15 else "-"


def _centi(value: Optional[int]) -> str:
    if value is None or not 0 <= value <= 9999999:
        return "-"
    return f"{value // 100}.{value % 100:02d}"


def _decimals(total_milligib: Optional[int], used_milligib: Optional[int]) -> int:
    size = total_milligib if total_milligib is not None else used_milligib
    if size is None or size < 1000:
        return 3
    return 2 if size < 10000 else 1


def _milligib(value: Optional[int], decimals: int) -> str:
    """GiB with that many decimals, rounded half up."""
    if value is None or not 0 <= value <= _MAX_MILLIGIB:
        return "-"
    step = 10 ** (3 - decimals)
    whole, rest = divmod((value + step // 2) // step, 1000 // step)
    return f"{whole}.{rest:0{decimals}d}"


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _is_minute(text: str) -> bool:
    return (
        len(text) == 5
        and text[2] == ":"
        and _is_digits(text[:2] + text[3:])
        and text[:2] <= "23"
        and text[3:] <= "59"
    )


def _is_second(text: str) -> bool:
    return (
        len(text) == 8
        and _is_minute(text[:5])
        and text[5] == ":"
        and _is_digits(text[6:])
        and text[6:] <= "59"
    )


def _is_hex(text: str, length: int) -> bool:
    return len(text) == length and _HEX_DIGITS.issuperset(text)


def _is_pci(text: str) -> bool:
    """``dddd:bb:dd.f``."""
    return (
        len(text) == 12
        and text[4] == text[7] == ":"
        and text[10] == "."
        and _HEX_DIGITS.issuperset(text[:4] + text[5:7] + text[8:10] + text[11])
    )


def _is_panel(text: str) -> bool:
    """``WxH``, each of 1 to 5 digits."""
    width, cross, height = text.partition("x")
    return cross == "x" and 1 <= len(width) <= 5 and 1 <= len(height) <= 5 and _is_digits(width + height)
