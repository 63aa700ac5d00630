"""What is on the page: everything that is on the line, and the health of the boards.

Names and base units are those of the OpenMetrics conventions. A new key of the line is a row here.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Mapping, Optional, Tuple, Union

from inktop_protocol.model import GpuInfo, Hello, InfoLine

from ..server.connection import Connection
from .page import Number, Page


@dataclass(frozen=True)
class Row:
    """A number of the line: its member, and the family that it is a sample of.

    The value on the page is that of the member times ``times``, by ``by``; of both whole numbers it is whole.
    """

    member: str
    name: str
    text: str
    unit: str = ""
    times: int = 1
    by: int = 1
    kind: str = "gauge"
    labels: Tuple[Tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Of:
    """A group of the line, or several of them; ``labels``: label and the member that is its value."""

    member: str
    rows: Tuple[Row, ...]
    labels: Tuple[Tuple[str, str], ...] = ()


def _bytes(member: str, name: str, text: str, times: int = 1, by: int = 1) -> Row:
    return Row(member, name + "_bytes", text, "bytes", times, by)


def _mib(member: str, name: str, text: str) -> Row:
    return _bytes(member, name, text, 1 << 20)


def _rate(member: str, name: str, text: str) -> Row:
    return Row(member, name + "_bytes_per_second", text, "bytes_per_second")


def _percent(member: str, name: str, text: str) -> Row:
    return Row(member, name + "_ratio", text, "ratio", by=100)


def _celsius(member: str, name: str, text: str, sensor: str = "") -> Row:
    labels = (("sensor", sensor),) if sensor else ()
    return Row(member, name + "_celsius", text, "celsius", labels=labels)


def _count(member: str, name: str, text: str) -> Row:
    return Row(member, name, text, kind="counter")


_MILLIGIB = {"times": 1 << 30, "by": 1000}
_GPU_HEAT = "Temperature of a GPU."
_GPU_LIMIT = "Critical temperature of a GPU."
_GPU_CLOCK = "Clock of a GPU."
_BY_GPU = (("gpu", "index"),)

MACHINE = Of(
    "",
    (
        Row("uptime_s", "inktop_uptime_seconds", "Time since the machine was started.", "seconds"),
        Row("cpu_permille", "inktop_cpu_busy_ratio", "CPU busy, all CPUs together.", "ratio", by=1000),
        Row("cpus", "inktop_cpus", "Logical CPUs online."),
        _celsius("cpu_c", "inktop_cpu_temperature", "Temperature of the hottest CPU package."),
    ),
)
#: In the order of the page.
GROUPS: Tuple[Of, ...] = (
    Of(
        "memory",
        (
            _bytes("used_milligib", "inktop_memory_used", "Memory in use.", **_MILLIGIB),
            _bytes("total_milligib", "inktop_memory_size", "Memory in all.", **_MILLIGIB),
            _bytes("cache_milligib", "inktop_memory_cache", "Memory used as cache.", **_MILLIGIB),
        ),
    ),
    Of(
        "swap",
        (
            _bytes("used_milligib", "inktop_swap_used", "Swap in use.", **_MILLIGIB),
            _bytes("total_milligib", "inktop_swap_size", "Swap in all.", **_MILLIGIB),
        ),
    ),
    Of(
        "network",
        (
            _rate("received_bytes_s", "inktop_network_received", "Received by the interface shown."),
            _rate("sent_bytes_s", "inktop_network_sent", "Sent by the interface shown."),
        ),
        (("interface", "name"),),
    ),
    Of(
        "disks",
        (
            _mib("used_mib", "inktop_filesystem_used", "Used of a file system."),
            _mib("total_mib", "inktop_filesystem_size", "Size of a file system: used and free for all."),
        ),
        (("mountpoint", "name"),),
    ),
    Of(
        "disk_traffic",
        (
            _rate("read_bytes_s", "inktop_disk_read", "Read by all disks together."),
            _rate("written_bytes_s", "inktop_disk_written", "Written by all disks together."),
        ),
    ),
    Of(
        "gpus",
        (
            _percent("busy_percent", "inktop_gpu_busy", "How busy a GPU is."),
            _mib("vram_used_mib", "inktop_gpu_memory_used", "Memory of a GPU in use."),
            _mib("vram_total_mib", "inktop_gpu_memory_size", "Memory of a GPU."),
            _celsius("edge_c", "inktop_gpu_temperature", _GPU_HEAT, "edge"),
            _celsius("junction_c", "inktop_gpu_temperature", _GPU_HEAT, "junction"),
            _celsius("memory_c", "inktop_gpu_temperature", _GPU_HEAT, "memory"),
            Row("power_w", "inktop_gpu_power_watts", "Power that a GPU draws.", "watts"),
            Row("fan_rpm", "inktop_gpu_fan_rpm", "Speed of a GPU's fan, revolutions a minute."),
            Row(
                "core_clock_mhz",
                "inktop_gpu_clock_hertz",
                _GPU_CLOCK,
                "hertz",
                10**6,
                labels=(("domain", "core"),),
            ),
            Row(
                "memory_clock_mhz",
                "inktop_gpu_clock_hertz",
                _GPU_CLOCK,
                "hertz",
                10**6,
                labels=(("domain", "memory"),),
            ),
            _percent("fan_percent", "inktop_gpu_fan_duty", "Duty of a GPU's fan."),
            Row("link_generation", "inktop_gpu_link_generation", "Generation of a GPU's PCIe link now."),
            Row("link_width", "inktop_gpu_link_lanes", "Lanes of a GPU's PCIe link now."),
        ),
        _BY_GPU,
    ),
    Of(
        "gpu_users",
        (
            _mib("vram_mib", "inktop_gpu_user_memory", "Memory of a GPU that its top user has."),
            _percent("busy_percent", "inktop_gpu_user_busy", "Share of a GPU's time that its top user has."),
            Row("others", "inktop_gpu_other_users", "Processes on a GPU besides its top user."),
        ),
        (*_BY_GPU, ("process", "name")),
    ),
    Of(
        "model_server",
        (
            Row("running", "inktop_model_server_requests_running", "Requests running."),
            Row("waiting", "inktop_model_server_requests_waiting", "Requests waiting."),
            Row(
                "generated_tokens_s",
                "inktop_model_server_generated_tokens_per_second",
                "Tokens generated.",
                "tokens_per_second",
            ),
            Row(
                "prompt_tokens_s",
                "inktop_model_server_prompt_tokens_per_second",
                "Tokens of prompts read.",
                "tokens_per_second",
            ),
            _percent("cache_percent", "inktop_model_server_cache_used", "Use of the KV cache."),
        ),
        (("server", "name"),),
    ),
)
GPU_FACTS = Of(
    "gpus",
    (
        Row("power_cap_w", "inktop_gpu_power_limit_watts", "Power that a GPU may draw.", "watts"),
        _celsius("edge_critical_c", "inktop_gpu_temperature_critical", _GPU_LIMIT, "edge"),
        _celsius("junction_critical_c", "inktop_gpu_temperature_critical", _GPU_LIMIT, "junction"),
        _celsius("memory_critical_c", "inktop_gpu_temperature_critical", _GPU_LIMIT, "memory"),
        Row("link_generation", "inktop_gpu_link_generation_limit", "Generation of its PCIe link at most."),
        Row("link_width", "inktop_gpu_link_lanes_limit", "Lanes of a GPU's PCIe link at most."),
    ),
    _BY_GPU,
)
#: Of a connection.
BOARD = Of(
    "",
    (
        _count("sent", "inktop_board_lines_sent", "Lines that a board has taken."),
        _count("dropped", "inktop_board_lines_dropped", "Lines dropped because a board did not take them."),
        _count("bad", "inktop_board_bad_lines_received", "Bad lines from a board."),
    ),
)
#: Of what a board says of itself.
HEALTH = Of(
    "",
    (
        Row("uptime_s", "inktop_board_uptime_seconds", "Time since a board was started.", "seconds"),
        _bytes("heap_bytes", "inktop_board_heap_free", "Free internal memory of a board."),
        _bytes("psram_bytes", "inktop_board_psram_free", "Free PSRAM of a board."),
        _bytes("largest_block_bytes", "inktop_board_heap_largest_free", "Largest free block of a board."),
        _bytes("lowest_heap_bytes", "inktop_board_heap_lowest_free", "Least free memory since its start."),
        _bytes(
            "main_stack_bytes", "inktop_board_main_stack_free", "Stack of a board's main task never used."
        ),
        _bytes("network_stack_bytes", "inktop_board_network_stack_free", "The same of its network task."),
        _bytes("receive_high_water_bytes", "inktop_board_queue_most", "Most bytes waiting in its queue."),
        Row("rssi_dbm", "inktop_board_wifi_signal_dbm", "Wi-Fi signal at a board, dBm."),
        _count("updates", "inktop_board_updates", "Updates of a board's panel."),
        _count("washes", "inktop_board_washes", "Washes of a board's panel."),
        Row("refresh_ms", "inktop_board_refresh_seconds", "Time of its last refresh.", "seconds", by=1000),
        Row("panel_mhz", "inktop_board_panel_clock_hertz", "Clock of a panel's bus.", "hertz", 10**6),
    ),
)
#: Members of the line that are no number of a row: written below, or no fact of the machine.
ELSEWHERE = ("host", "address", "time", "cpu_levels", "load_centi", "events")
STATES = ("ok", "asleep", "reset", "stale", "lost", "mig", "mismatch", "denied", "nodriver")
THROTTLES = ("none", "heat", "current", "power", "other")

Values = Mapping[str, Any]


def write_page(
    openmetrics: bool,
    values: Values,
    info: InfoLine,
    boards: Iterable[Connection],
    lines: int,
    now: float,
) -> bytes:
    """The page. ``values``: fields of a Snapshot; ``lines``: how many were sent; ``now``: monotonic."""
    page = Page(openmetrics)
    facts = {
        "version": info.collector or "",
        "host": values.get("host", ""),
        "cpu_model": info.cpu_model or "",
    }
    page.add("inktop_collector", "info", "The collector and its machine.", 1, facts)
    page.add("inktop_lines", "counter", "Lines that were due and written.", lines, {})
    page.add(
        "inktop_time_seconds",
        "gauge",
        "Clock of the machine, since 1970.",
        round(time.time(), 3),
        {},
        "seconds",
    )
    write_rows(page, MACHINE, values, {})
    _write_lists(page, values)
    for of in GROUPS:
        given = values.get(of.member)
        groups = given if isinstance(given, tuple) else () if given is None else (given,)
        for group in groups:
            write_rows(page, of, group, {label: getattr(group, member) for label, member in of.labels})
    for gpu in values.get("gpus", ()):
        _write_word(page, "inktop_gpu_state", "State of a GPU.", gpu.index, gpu.state, STATES)
        if gpu.throttle:
            why = "Why a GPU is slowed down."
            _write_word(page, "inktop_gpu_throttle", why, gpu.index, gpu.throttle, THROTTLES)
    for gpu in info.gpus:
        _write_facts(page, gpu)
    for event in values.get("events", ()):
        labels = {"subject": event.subject, "what": event.what, "began": event.time}
        page.add("inktop_event_active", "gauge", "An event that is on.", 1, labels)
    write_boards(page, boards, now)
    return page.text()


def write_rows(page: Page, of: Of, group: Any, labels: Dict[str, object]) -> None:
    """The numbers of one group."""
    for row in of.rows:
        value = group.get(row.member) if isinstance(group, Mapping) else getattr(group, row.member)
        page.add(
            row.name, row.kind, row.text, _scaled(value, row), {**labels, **dict(row.labels)}, unit=row.unit
        )


def _scaled(value: Optional[int], row: Row) -> Optional[Number]:
    if value is None:
        return None
    if row.by == 1:
        return value * row.times
    return (
        (2 * value * row.times + row.by) // (2 * row.by)
        if row.unit == "bytes"
        else value * row.times / row.by
    )


def _write_lists(page: Page, values: Values) -> None:
    for minutes, load in zip((1, 5, 15), values.get("load_centi") or ()):
        value = None if load is None else load / 100
        page.add(f"inktop_load{minutes}", "gauge", f"Load average over {minutes} min.", value, {})
    for cell, level in enumerate(values.get("cpu_levels") or ()):
        value = None if level is None else level / 15
        text = "Busy of each CPU, in 15ths; of more than 256 CPUs each cell is several."
        page.add("inktop_cpu_cell_busy_ratio", "gauge", text, value, {"cell": cell}, "ratio")


def _write_word(page: Page, name: str, text: str, gpu: int, word: str, words: Tuple[str, ...]) -> None:
    for one in words if word in words else (*words, word):
        page.add(name, "stateset", text, int(one == word), {"gpu": gpu, name: one})


def _write_facts(page: Page, gpu: GpuInfo) -> None:
    labels = {"gpu": gpu.index, "name": gpu.name, "pci": gpu.pci or ""}
    page.add("inktop_gpu", "info", "What a GPU is.", 1, labels)
    write_rows(page, GPU_FACTS, gpu, {"gpu": gpu.index})


def write_boards(page: Page, boards: Iterable[Connection], now: float, server: str = "") -> None:
    """The boards that have said hello, and what each says of itself.

    ``server`` tells the servers of one process apart: a board may be connected to several of them.
    """
    for board in boards:
        if board.greeted and board.hello is not None:
            _write_board(page, board, board.hello, now, {"server": server} if server else {})


def _write_board(page: Page, board: Connection, hello: Hello, now: float, more: Dict[str, object]) -> None:
    # One board has one connection from one host: its port would make a new series of each.
    labels: Dict[str, object] = {
        "board": hello.board,
        "address": board.peer.rpartition(":")[0].strip("[]"),
        **more,
    }
    firmware: Dict[str, object] = {**labels, "firmware": hello.firmware}
    page.add("inktop_board", "info", "A board that is connected.", 1, firmware)
    _seconds(
        page, "inktop_board_connected", "Time since a board connected.", now - board.connected_at, labels
    )
    page.add("inktop_board_lines_queued", "gauge", "Lines that wait for a board.", len(board.queue), labels)
    write_rows(page, BOARD, board, labels)
    health = board.health
    if health is None:
        return
    age_s = now - board.health_at
    _seconds(page, "inktop_board_health_age", "Time since a board reported its health.", age_s, labels)
    write_rows(page, HEALTH, health, labels)
    for one in health.refresh_errors:
        page.add(
            "inktop_board_refresh_errors",
            "counter",
            "Refreshes of a board's panel that failed.",
            one.count,
            {**labels, "kind": one.kind},
        )
    for one in health.bad_lines:
        page.add(
            "inktop_board_bad_lines",
            "counter",
            "Lines that a board dropped.",
            one.count,
            {**labels, "kind": one.kind},
        )


def _seconds(page: Page, name: str, text: str, value: Union[int, float], labels: Dict[str, object]) -> None:
    page.add(name + "_seconds", "gauge", text, round(value, 3), labels, "seconds")
