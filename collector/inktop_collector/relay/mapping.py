"""Which metric is which value of the line: one table, each row of which the configuration can replace.

An expression is PromQL, and gives base units (bytes, ratio, seconds, celsius, watts, hertz). In it ``$hosts``
stands for the matchers of the machines that are asked for, ``$label`` for the label that names a machine and
``$range`` for the time that a rate is taken over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Mapping, Sequence, Tuple

#: Labels of every answer. A key parts the values of one machine: a GPU, an interface, a file system.
HOST, KEY, TEXT = "inktop_host", "inktop_key", "inktop_text"


@dataclass(frozen=True)
class Source:
    """One place that a value may come from.

    ``key``: the label that is the key. ``text``: the label that is the value, where that is no number.
    ``family``: an exporter of GPUs; the same card goes by another key in each.
    """

    expression: str
    key: str = ""
    text: str = ""
    family: str = ""


@dataclass(frozen=True)
class Row:
    """A member of the line (``gpu.`` of one of its GPUs), and where it may come from, the best first.

    The value of the line is that of the expression times ``scale``.
    """

    member: str
    sources: Tuple[Source, ...]
    scale: float = 1.0


#: The families of GPU exporters, the best first: of a machine that has a better one the others are not used.
#: DCGM's and AMD's are peers: a machine may have cards of both.
FAMILIES = (("inktop",), ("dcgm", "amd"), ("drm",))

_MIB = 1 / (1 << 20)
_MILLIGIB = 1000 / (1 << 30)
_IDLE = 'node_cpu_seconds_total{mode="idle",$hosts}'
_REST = 'node_cpu_seconds_total{mode=~"idle|iowait",$hosts}'
_LINKS = 'device!~"lo|veth.*|docker.*|br-.*|virbr.*|cni.*|cali.*|flannel.*|tap.*|tun.*|bond.*|team.*"'
_DISKS = 'fstype=~"ext.|xfs|btrfs|zfs|f2fs|bcachefs|jfs|reiserfs|vfat"'
_DEVICES = 'device!~"loop.*|dm-.*|md.*|zram.*|sr.*|ram.*"'
_PACKAGE = 'node_hwmon_chip_names{chip_name=~"coretemp|k10temp|zenpower",$hosts}'


def _of(expression: str, key: str = "", text: str = "") -> Tuple[Source, ...]:
    return (Source(expression, key, text),)


def _gpu(
    inktop: str = "", dcgm: str = "", amd: str = "", drm: str = "", text: str = ""
) -> Tuple[Source, ...]:
    """``text``: the labels that hold a text, of our page, DCGM's and AMD's exporter."""
    labels = (text.split() + ["", "", ""])[:3]
    found = [
        Source(inktop, "gpu", labels[0], "inktop"),
        Source(dcgm, "gpu", labels[1], "dcgm"),
        Source(amd, "gpu_id", labels[2], "amd"),
        Source(drm, "card", "", "drm"),
    ]
    return tuple([source for source in found if source.expression])


def _amd(name: str, scale: str = "") -> str:
    """AMD's device-metrics-exporter, whose names may have a prefix."""
    return f'{{__name__=~"(amd_)?{name}",$hosts}}{scale}'


ROWS: Tuple[Row, ...] = (
    Row(
        "uptime_s",
        _of("inktop_uptime_seconds{$hosts}")
        + _of("node_time_seconds{$hosts} - node_boot_time_seconds{$hosts}"),
    ),
    Row(
        "cpu_permille",
        _of("inktop_cpu_busy_ratio{$hosts}")
        + _of(f"1 - sum by ($label) (rate({_REST}[$range])) / count by ($label) ({_IDLE})"),
        1000,
    ),
    Row("cpus", _of("inktop_cpus{$hosts}") + _of(f"count by ($label) ({_IDLE})")),
    Row("load.0", _of("inktop_load1{$hosts}") + _of("node_load1{$hosts}"), 100),
    Row("load.1", _of("inktop_load5{$hosts}") + _of("node_load5{$hosts}"), 100),
    Row("load.2", _of("inktop_load15{$hosts}") + _of("node_load15{$hosts}"), 100),
    Row(
        "memory.used_milligib",
        _of("inktop_memory_used_bytes{$hosts}")
        + _of("node_memory_MemTotal_bytes{$hosts} - node_memory_MemAvailable_bytes{$hosts}"),
        _MILLIGIB,
    ),
    Row(
        "memory.total_milligib",
        _of("inktop_memory_size_bytes{$hosts}") + _of("node_memory_MemTotal_bytes{$hosts}"),
        _MILLIGIB,
    ),
    Row(
        "memory.cache_milligib",
        _of("inktop_memory_cache_bytes{$hosts}")
        + _of("node_memory_Cached_bytes{$hosts} + node_memory_Buffers_bytes{$hosts}"),
        _MILLIGIB,
    ),
    Row(
        "swap.used_milligib",
        _of("inktop_swap_used_bytes{$hosts}")
        + _of("node_memory_SwapTotal_bytes{$hosts} - node_memory_SwapFree_bytes{$hosts}"),
        _MILLIGIB,
    ),
    Row(
        "swap.total_milligib",
        _of("inktop_swap_size_bytes{$hosts}") + _of("node_memory_SwapTotal_bytes{$hosts}"),
        _MILLIGIB,
    ),
    Row(
        "network.received_bytes_s",
        _of("inktop_network_received_bytes_per_second{$hosts}", "interface")
        + _of(f"rate(node_network_receive_bytes_total{{{_LINKS},$hosts}}[$range])", "device"),
    ),
    Row(
        "network.sent_bytes_s",
        _of("inktop_network_sent_bytes_per_second{$hosts}", "interface")
        + _of(f"rate(node_network_transmit_bytes_total{{{_LINKS},$hosts}}[$range])", "device"),
    ),
    Row(
        "cpu_c",
        _of("inktop_cpu_temperature_celsius{$hosts}")
        + _of(f"node_hwmon_temp_celsius{{$hosts}} * on ($label, chip) group_left () {_PACKAGE}"),
    ),
    Row(
        "disks.used_mib",
        _of("inktop_filesystem_used_bytes{$hosts}", "mountpoint")
        + _of(
            f"node_filesystem_size_bytes{{{_DISKS},$hosts}} - node_filesystem_free_bytes{{{_DISKS},$hosts}}",
            "mountpoint",
        ),
        _MIB,
    ),
    Row(
        "disks.total_mib",
        _of("inktop_filesystem_size_bytes{$hosts}", "mountpoint")
        + _of(
            f"node_filesystem_size_bytes{{{_DISKS},$hosts}} - node_filesystem_free_bytes{{{_DISKS},$hosts}}"
            f" + node_filesystem_avail_bytes{{{_DISKS},$hosts}}",
            "mountpoint",
        ),
        _MIB,
    ),
    Row(
        "disk_traffic.read_bytes_s",
        _of("inktop_disk_read_bytes_per_second{$hosts}")
        + _of(f"sum by ($label) (rate(node_disk_read_bytes_total{{{_DEVICES},$hosts}}[$range]))"),
    ),
    Row(
        "disk_traffic.written_bytes_s",
        _of("inktop_disk_written_bytes_per_second{$hosts}")
        + _of(f"sum by ($label) (rate(node_disk_written_bytes_total{{{_DEVICES},$hosts}}[$range]))"),
    ),
    Row(
        "cpu_model",
        _of("inktop_collector_info{$hosts}", "", "cpu_model")
        + _of("node_cpu_info{$hosts}", "", "model_name"),
    ),
    Row(
        "gpu.busy_percent",
        _gpu(
            "inktop_gpu_busy_ratio{$hosts}",
            "DCGM_FI_DEV_GPU_UTIL{$hosts} / 100",
            _amd("gpu_gfx_activity", " / 100"),
            "node_drm_gpu_busy_percent{$hosts} / 100",
        ),
        100,
    ),
    Row(
        "gpu.vram_used_mib",
        _gpu(
            "inktop_gpu_memory_used_bytes{$hosts}",
            "DCGM_FI_DEV_FB_USED{$hosts} * 1048576",
            _amd("gpu_used_vram", " * 1048576"),
            "node_drm_memory_vram_used_bytes{$hosts}",
        ),
        _MIB,
    ),
    Row(
        "gpu.vram_total_mib",
        _gpu(
            "inktop_gpu_memory_size_bytes{$hosts}",
            "(DCGM_FI_DEV_FB_USED{$hosts} + DCGM_FI_DEV_FB_FREE{$hosts}) * 1048576",
            _amd("gpu_total_vram", " * 1048576"),
            "node_drm_memory_vram_size_bytes{$hosts}",
        ),
        _MIB,
    ),
    Row(
        "gpu.edge_c",
        _gpu(
            'inktop_gpu_temperature_celsius{sensor="edge",$hosts}',
            "DCGM_FI_DEV_GPU_TEMP{$hosts}",
            _amd("gpu_edge_temperature"),
        ),
    ),
    Row(
        "gpu.junction_c",
        _gpu(
            'inktop_gpu_temperature_celsius{sensor="junction",$hosts}', "", _amd("gpu_junction_temperature")
        ),
    ),
    Row(
        "gpu.memory_c",
        _gpu(
            'inktop_gpu_temperature_celsius{sensor="memory",$hosts}',
            "DCGM_FI_DEV_MEMORY_TEMP{$hosts}",
            _amd("gpu_memory_temperature"),
        ),
    ),
    Row(
        "gpu.power_w",
        _gpu(
            "inktop_gpu_power_watts{$hosts}",
            "DCGM_FI_DEV_POWER_USAGE{$hosts}",
            _amd("(gpu_package_power|gpu_average_package_power)"),
        ),
    ),
    Row("gpu.fan_rpm", _gpu("inktop_gpu_fan_rpm{$hosts}")),
    Row(
        "gpu.core_clock_mhz",
        _gpu(
            'inktop_gpu_clock_hertz{domain="core",$hosts}',
            "DCGM_FI_DEV_SM_CLOCK{$hosts} * 1e6",
            '{__name__=~"(amd_)?gpu_clock",clock_type=~"(GPU_CLOCK_TYPE_)?SYSTEM",$hosts} * 1e6',
        ),
        1e-6,
    ),
    Row(
        "gpu.memory_clock_mhz",
        _gpu(
            'inktop_gpu_clock_hertz{domain="memory",$hosts}',
            "DCGM_FI_DEV_MEM_CLOCK{$hosts} * 1e6",
            '{__name__=~"(amd_)?gpu_clock",clock_type=~"(GPU_CLOCK_TYPE_)?MEMORY",$hosts} * 1e6',
        ),
        1e-6,
    ),
    Row("gpu.fan_percent", _gpu("inktop_gpu_fan_duty_ratio{$hosts}"), 100),
    Row(
        "gpu.power_cap_w",
        _gpu(
            "inktop_gpu_power_limit_watts{$hosts}",
            '{__name__=~"DCGM_FI_DEV_(ENFORCED_POWER_LIMIT|POWER_MGMT_LIMIT)",$hosts}',
        ),
    ),
    Row("gpu.state", _gpu("inktop_gpu_state{$hosts} == 1", text="inktop_gpu_state")),
    Row(
        "gpu.name",
        _gpu(
            "inktop_gpu_info{$hosts}",
            "DCGM_FI_DEV_GPU_TEMP{$hosts}",
            _amd("gpu_gfx_activity"),
            text="name modelName card_model",
        ),
    ),
)
MEMBERS = {row.member: row for row in ROWS}


class Questions:
    """The queries for the rows, as the settings have them."""

    def __init__(self, label: str, range_s: int, replaced: Mapping[str, Source]) -> None:
        """``label`` names a machine; ``replaced``: the one source of a row, instead of those of the table."""
        self._label = label
        self._range = f"{range_s}s"
        self.rows: Dict[str, Row] = {
            row.member: Row(row.member, (replaced[row.member],), row.scale) if row.member in replaced else row
            for row in ROWS
        }

    def machines(self, expression: str) -> str:
        """An expression with a value for each machine, by ``HOST`` alone; of several the largest."""
        return f"max by ({HOST}) ({self._named(expression)})"

    def of(self, member: str, hosts: Sequence[str] = ()) -> str:
        """All values of a member by ``HOST`` and ``KEY``; ``hosts``: of these machines only."""
        sources = self.rows[member].sources
        if not any(source.family for source in sources):
            return " or ".join([self._source(source, hosts) for source in sources])
        better: List[str] = []
        parts: List[str] = []
        for peers in FAMILIES:
            these = [self._source(source, hosts) for source in sources if source.family in peers]
            if not these:
                continue
            one = " or ".join(these)
            parts.append(f"(({one}) unless on ({HOST}) ({' or '.join(better)}))" if better else one)
            better += these
        return " or ".join(parts)

    def _source(self, source: Source, hosts: Sequence[str]) -> str:
        expression = source.expression
        if "$hosts" not in expression or not hosts:
            expression = expression.replace("$hosts", "")
        else:
            expression = expression.replace("$hosts", self.matcher(hosts))
        expression = self._named(expression.replace("$range", self._range))
        by = [HOST, KEY] if source.key else [HOST]
        if source.key:
            prefix = f"{source.family}:" if source.family else ""
            expression = f'label_replace({expression}, "{KEY}", "{prefix}$1", "{source.key}", "(.+)")'
        if source.text:
            by.append(TEXT)
            expression = f'label_replace({expression}, "{TEXT}", "$1", "{source.text}", "(.+)")'
        return f"max by ({', '.join(by)}) ({expression})"

    def _named(self, expression: str) -> str:
        """With the name of the machine, without a port, as ``HOST``."""
        expression = expression.replace("$label", self._label)
        return f'label_replace({expression}, "{HOST}", "$1", "{self._label}", "(.+?)(:[0-9]+)?")'

    def matcher(self, hosts: Sequence[str]) -> str:
        """The matcher of some machines."""
        names = "|".join([_quoted(host) for host in hosts])
        return f'{self._label}=~"({names})(:[0-9]+)?"'


def _quoted(host: str) -> str:
    """For a regular expression in a string of PromQL."""
    return "".join([c if c.isalnum() or c in "_-:" else f"\\\\{c}" for c in host])
