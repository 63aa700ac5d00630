"""Machines that the collector is shown to be right on: how each is built, and its GPU fields."""

from __future__ import annotations

from typing import Callable, Dict, Tuple

from testkit.recorded import Machine

Tree = Tuple[Callable[[Machine], None], Dict[str, str]]


def _sensors(edge: int, junction: int, memory: int, **more: str) -> Dict[str, str]:
    files = {"name": "amdgpu\n"}
    for number, (label, value) in enumerate((("edge", edge), ("junction", junction), ("mem", memory)), 1):
        files[f"temp{number}_label"] = f"{label}\n"
        files[f"temp{number}_input"] = f"{value * 1000}\n"
    files.update({name: f"{value}\n" for name, value in more.items()})
    return files


def r9700_pair(machine: Machine) -> None:
    """Two R9700 under load (Tanguille/cluster#4132 for the second), an integrated GPU beside them."""
    vram = {"mem_info_vram_total": "34208743424\n", "power/runtime_status": "active\n"}
    ids = {"vendor": "0x1002\n", "device": "0x7551\n", "revision": "0xc0\n"}
    machine.gpu(
        "card1",
        "0000:03:00.0",
        {**vram, **ids, "gpu_busy_percent": "95\n", "mem_info_vram_used": "31674335232\n"},
        _sensors(
            67,
            81,
            92,
            power1_average="209000000",
            fan1_input="2990",
            fan1_max="6000",
            pwm1="117",
            pwm1_max="255",
            freq1_input="2786000000",
            freq2_input="1258000000",
        ),
    )
    machine.gpu(
        "card2",
        "0000:07:00.0",
        {**vram, **ids, "gpu_busy_percent": "96\n", "mem_info_vram_used": "33046310912\n"},
        _sensors(
            66, 70, 80, power1_average="209000000", fan1_input="3549", pwm1="150", freq1_input="2790000000"
        ),
    )
    machine.gpu(
        "card0",
        "0000:13:00.0",
        {"mem_info_vram_total": "536870912\n", "mem_info_vram_used": "10485760\n", "gpu_busy_percent": "0\n"},
        {"name": "amdgpu\n", "in1_label": "vddnb\n", "temp1_input": "41000\n"},
    )


def rx9070(machine: Machine) -> None:
    """ilya-zlobintsev/LACT (MIT), snapshot rx9070."""
    machine.gpu(
        "card1",
        "0000:03:00.0",
        {"gpu_busy_percent": "25\n", "vendor": "0x1002\n"},
        _sensors(
            48,
            52,
            72,
            power1_average="49000000",
            fan1_input="1944",
            fan1_max="6000",
            pwm1="117",
            pwm1_max="255",
            freq1_input="900000000",
            freq2_input="1124000000",
        ),
        sensors="hwmon2",
    )


def rx7900xtx(machine: Machine) -> None:
    """ilya-zlobintsev/LACT (MIT), snapshot rx7900xtx: its fan is stopped."""
    machine.gpu(
        "card0",
        "0000:09:00.0",
        {"gpu_busy_percent": "3\n", "vendor": "0x1002\n"},
        _sensors(
            53,
            61,
            68,
            power1_average="68000000",
            fan1_input="0",
            fan1_max="3200",
            pwm1="0",
            pwm1_max="255",
            freq1_input="31000000",
            freq2_input="1249000000",
        ),
        sensors="hwmon8",
    )


def strix_point(machine: Machine) -> None:
    """ilya-zlobintsev/LACT (MIT), snapshot strixpoint: VRAM and GTT together."""
    machine.gpu(
        "card1",
        "0000:c4:00.0",
        {
            "mem_info_vram_total": "536870912\n",
            "mem_info_vram_used": "514580480\n",
            "mem_info_gtt_total": "16441004032\n",
            "mem_info_gtt_used": "3946811392\n",
            "gpu_busy_percent": "3\n",
        },
        {
            "name": "amdgpu\n",
            "in1_label": "vddnb\n",
            "power1_average": "9087000\n",
            "power1_input": "9087000\n",
            "temp1_input": "38000\n",
            "freq1_input": "848000000\n",
        },
        sensors="hwmon6",
    )


def suspended_laptop(machine: Machine) -> None:
    """A laptop: an integrated GPU awake, the one of its own suspended (nicolargo/glances#3590)."""
    strix_point(machine)
    machine.gpu(
        "card0",
        "0000:03:00.0",
        {
            "mem_info_vram_total": "8573157376\n",
            "mem_info_vram_used": "25165824\n",
            "power/runtime_status": "suspended\n",
            "power/control": "auto\n",
            "power_state": "D3cold\n",
            "gpu_busy_percent": "!EBUSY(16)\n",
        },
        {"name": "amdgpu\n", "temp1_input": "!EBUSY(16)\n"},
    )


TREES: Dict[str, Tree] = {
    "r9700-pair": (
        r9700_pair,
        {
            "g0": "95,30207,32624,67,81,92,209,2990,2786,1258,46",
            "g1": "96,31515,32624,66,70,80,209,3549,2790,-,59",
            "g2": "0,10,512,41,-,-,-,-,-",
        },
    ),
    "rx9070": (rx9070, {"g0": "25,-,-,48,52,72,49,1944,900,1124,46"}),
    "rx7900xtx": (rx7900xtx, {"g0": "3,-,-,53,61,68,68,0,31,1249,0"}),
    "apu": (strix_point, {"g0": "3,4255,16191,38,-,-,9,-,848"}),
    "suspended-laptop": (
        suspended_laptop,
        {"g0": "-,24,8176,-,-,-,-,-,-,-,-,asleep", "g1": "3,4255,16191,38,-,-,9,-,848"},
    ),
}
