"""The relay's page of metrics: the fleet as its line says it, the engine, and the boards.

The machines themselves are in the engine, which is asked by whoever reads this page as well.
"""

from __future__ import annotations

from typing import Iterable, Mapping

from inktop_protocol.model import Fleet

from .. import __version__
from ..metrics.page import Page
from ..metrics.rows import Of, Row, write_boards, write_rows
from ..server.connection import Connection

_MIB = 1 << 20
#: Of the line itself, and of its groups.
FLEET = Of(
    "",
    (
        Row("busy_percent", "inktop_fleet_gpu_busy_ratio", "How busy the GPUs are.", "ratio", by=100),
        Row("wrong", "inktop_fleet_faults", "Things that are wrong."),
    ),
)
GROUPS = (
    Of(
        "machines",
        (
            Row("up", "inktop_fleet_machines_up", "Machines that answer."),
            Row("total", "inktop_fleet_machines", "Machines in all."),
        ),
    ),
    Of(
        "gpus",
        (
            Row("up", "inktop_fleet_gpus_up", "GPUs that are reported."),
            Row("total", "inktop_fleet_gpus", "GPUs in all, with those that are lost."),
        ),
    ),
    Of(
        "power",
        (
            Row("drawn_w", "inktop_fleet_power_watts", "Power that the GPUs draw.", "watts"),
            Row("limit_w", "inktop_fleet_power_limit_watts", "Power that they may draw.", "watts"),
        ),
    ),
    Of(
        "vram",
        (
            Row(
                "used_mib", "inktop_fleet_gpu_memory_used_bytes", "Memory of the GPUs in use.", "bytes", _MIB
            ),
            Row("total_mib", "inktop_fleet_gpu_memory_size_bytes", "Memory of the GPUs.", "bytes", _MIB),
        ),
    ),
)


def write_page(
    openmetrics: bool,
    fleet: Fleet,
    answered_s: float,
    servers: Mapping[str, Iterable[Connection]],
    lines: int,
    now: float,
) -> bytes:
    """The page. ``answered_s``: since the engine answered last; ``servers``: the connections of each port by
    its name; ``lines``: how many were sent of each; ``now``: monotonic."""
    page = Page(openmetrics)
    page.add("inktop_relay", "info", "The relay.", 1, {"version": __version__, "fleet": fleet.host})
    page.add("inktop_lines", "counter", "Lines that were due and written.", lines, {})
    page.add(
        "inktop_relay_engine_up", "gauge", "1 when the engine's answers are new.", int(not fleet.source), {}
    )
    about = "Time since the engine answered."
    page.add("inktop_relay_answer_age_seconds", "gauge", about, round(answered_s, 3), {}, "seconds")
    write_rows(page, FLEET, fleet, {})
    for of in GROUPS:
        group = getattr(fleet, of.member)
        if group is not None:
            write_rows(page, of, group, {})
    for one in fleet.worst:
        labels = {"machine": one.host, "what": one.what, "part": one.part or ""}
        page.add("inktop_fleet_fault_active", "gauge", "One of the worst things that are wrong.", 1, labels)
    for name, boards in servers.items():
        write_boards(page, boards, now, name)
    return page.text()
