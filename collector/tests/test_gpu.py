"""GPUs: values that are absent, refused, empty or sentinels; cards numbered from anywhere; states."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Dict, List, Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inktop_collector.sources.gpu.amd import AmdCard
from inktop_collector.sources.gpu.amd_metrics import parse_metrics
from inktop_collector.sources.gpu.card import Found, is_card, order_key
from inktop_collector.sources.gpu.intel import IntelCard
from inktop_collector.sources.gpu.makers import find_cards
from inktop_collector.sources.gpu.plausible import RANGES, plausible
from inktop_protocol import Gpu
from testkit.recorded import Machine, listing, sample

PCI = "0000:03:00.0"
R9700_VRAM = "34208743424"

#: A discrete card with everything, under load.
FULL: Dict[str, str] = {
    "gpu_busy_percent": "95\n",
    "mem_info_vram_total": f"{R9700_VRAM}\n",
    "mem_info_vram_used": "31674335232\n",
    "mem_info_gtt_total": "67000000000\n",
    "mem_info_gtt_used": "20000000\n",
    "power/runtime_status": "active\n",
    "vendor": "0x1002\n",
    "device": "0x7551\n",
    "revision": "0xc0\n",
}
FULL_HWMON: Dict[str, str] = {
    "name": "amdgpu\n",
    "temp1_input": "67000\n",
    "temp1_label": "edge\n",
    "temp1_crit": "100000\n",
    "temp2_input": "81000\n",
    "temp2_label": "junction\n",
    "temp2_crit": "110000\n",
    "temp3_input": "92000\n",
    "temp3_label": "mem\n",
    "temp3_crit": "108000\n",
    "power1_average": "209000000\n",
    "power1_cap": "300000000\n",
    "fan1_input": "2990\n",
    "fan1_max": "6000\n",
    "pwm1": "117\n",
    "pwm1_max": "255\n",
    "freq1_input": "2786000000\n",
    "freq1_label": "sclk\n",
    "freq2_input": "1258000000\n",
    "freq2_label": "mclk\n",
}
RX9070 = """
gpu_busy_percent = 25|
hwmon/fan1_input = 1944|
hwmon/fan1_max = 6000|
hwmon/fan1_min = 0|
hwmon/fan1_target = 1944|
hwmon/freq1_input = 900000000|
hwmon/freq1_label = sclk|
hwmon/freq2_input = 1124000000|
hwmon/freq2_label = mclk|
hwmon/in0_input = 790|
hwmon/in0_label = vddgfx|
hwmon/name = amdgpu|
hwmon/power1_average = 49000000|
hwmon/power1_cap = 200000000|
hwmon/power1_cap_default = 220000000|
hwmon/power1_label = PPT|
hwmon/pwm1 = 117|
hwmon/pwm1_max = 255|
hwmon/temp1_crit = 110000|
hwmon/temp1_input = 48000|
hwmon/temp1_label = edge|
hwmon/temp2_crit = 110000|
hwmon/temp2_input = 52000|
hwmon/temp2_label = junction|
hwmon/temp3_crit = 108000|
hwmon/temp3_input = 72000|
hwmon/temp3_label = mem|
mem_info_vram_vendor = hynix|
pp_dpm_mclk = 0: 96Mhz|1: 456Mhz|2: 772Mhz|3: 875Mhz|4: 1124Mhz *|5: 1258Mhz|
pp_dpm_sclk = S: 500Mhz|1: 789Mhz *|2: 2070Mhz|
vendor = 0x1002|
"""
RX7900XTX = """
gpu_busy_percent = 3|
hwmon/fan1_enable = 0|
hwmon/fan1_input = 0|
hwmon/fan1_max = 3200|
hwmon/fan1_min = 0|
hwmon/freq1_input = 31000000|
hwmon/freq1_label = sclk|
hwmon/freq2_input = 1249000000|
hwmon/freq2_label = mclk|
hwmon/in0_input = 686|
hwmon/in0_label = vddgfx|
hwmon/name = amdgpu|
hwmon/power1_average = 68000000|
hwmon/power1_cap = 290000000|
hwmon/power1_label = PPT|
hwmon/pwm1 = 0|
hwmon/pwm1_enable = 2|
hwmon/pwm1_max = 255|
hwmon/temp1_crit = 100000|
hwmon/temp1_crit_hyst = -273150|
hwmon/temp1_input = 53000|
hwmon/temp1_label = edge|
hwmon/temp2_crit = 110000|
hwmon/temp2_input = 61000|
hwmon/temp2_label = junction|
hwmon/temp3_crit = 108000|
hwmon/temp3_input = 68000|
hwmon/temp3_label = mem|
pp_dpm_sclk = 0: 500Mhz|1: 31Mhz *|2: 2219Mhz|
vendor = 0x1002|
"""
RX9070_METRICS = (
    "780001033000340048002e0031003600190000000000310000000000000000004ae5da17402000008403ffffbe081800"
    "1800000000008403b004640419001900190019000000000098071000a000ffffffffffffffffffffffffffffffffffff"
    "ffffffffffffffffff4a0316034105ffff0000000000000000"
)
PHOENIX_METRICS = (
    "78000201c409b10ae9092e09c4092109d00947091b0a4709dd09ffff4f000000e09fe5f671710100490dffffe7024902"
    "01000000000000000000010000000900200390019001900120032003ffffffffffffffffffffffff7805780578057805"
    "78057805780578057805ffff00000000ffffffffffffffff"
)


def split(text: str) -> tuple[Dict[str, str], Dict[str, str]]:
    """Files of the device folder, and those of its sensors."""
    files = listing(text)
    hwmon = {name[6:]: value for name, value in files.items() if name.startswith("hwmon/")}
    return {n: v for n, v in files.items() if not n.startswith("hwmon/")}, hwmon


def with_metrics(machine: Machine, data: bytes, address: str = PCI) -> None:
    (machine.sysfs / f"devices/pci0000:00/{address}/gpu_metrics").write_bytes(data)


def card_at(machine: Machine, name: str) -> Found:
    return Found(name, PCI, f"{machine.sysfs}/class/drm/{name}")


def only(machine: Machine) -> Gpu:
    (gpu,) = sample(machine).gpus
    return gpu


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_every_value_of_a_loaded_r9700(machine: Machine) -> None:
    machine.gpu("card0", PCI, FULL, FULL_HWMON)
    assert only(machine) == Gpu(0, 95, 30207, 32624, 67, 81, 92, 209, 2990, 2786, 1258, 46, "ok")


def test_the_tree_of_an_rx_9070(machine: Machine) -> None:
    """ilya-zlobintsev/LACT (MIT), snapshot rx9070: no VRAM files were recorded."""
    machine.gpu("card1", PCI, *split(RX9070), sensors="hwmon2")
    assert only(machine) == Gpu(0, 25, None, None, 48, 52, 72, 49, 1944, 900, 1124, 46, "ok")


def test_the_tree_of_an_rx_7900_xtx(machine: Machine) -> None:
    """ilya-zlobintsev/LACT (MIT), snapshot rx7900xtx: a stopped fan reads 0."""
    machine.gpu("card0", PCI, *split(RX7900XTX), sensors="hwmon8")
    assert only(machine) == Gpu(0, 3, None, None, 53, 61, 68, 68, 0, 31, 1249, 0, "ok")


def test_a_tree_without_links_is_known_by_its_vendor(tmp_path: Path) -> None:
    """The same snapshot as plain folders: no driver link, no address."""
    machine = Machine(tmp_path)
    files, hwmon = split(RX7900XTX)
    for name, text in files.items():
        machine.sys(f"class/drm/card0/device/{name}", text)
    for name, text in hwmon.items():
        machine.sys(f"class/drm/card0/device/hwmon/hwmon8/{name}", text)
    assert only(machine).junction_c == 61


def test_the_tree_of_a_vega_64(machine: Machine) -> None:
    """prometheus/procfs (Apache-2.0), fixture sys/class/drm/card0: no sensors, a list of clocks."""
    files = {
        "gpu_busy_percent": "4\n",
        "mem_info_gtt_total": "8573157376\n",
        "mem_info_gtt_used": "144560128\n",
        "mem_info_vram_total": "8573157376\n",
        "mem_info_vram_used": "1490378752\n",
        "power_state": "D0\n",
        "unique_id": "0123456789abcdef\n",
        "pp_dpm_sclk": "0: 852Mhz *\n1: 991Mhz \n2: 1084Mhz \n3: 1138Mhz \n",
    }
    machine.gpu("card0", "0000:09:00.0", files)
    machine.sys(
        "devices/pci0000:00/0000:09:00.0/uevent",
        "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:687F\nPCI_SLOT_NAME=0000:09:00.0\n",
    )
    assert only(machine) == Gpu(0, 4, 1421, 8176, core_clock_mhz=852)


def test_a_card_without_fan_files_has_no_fan(machine: Machine) -> None:
    """Umio-Yasuno/amdgpu_top#123: RDNA4 on the first kernels."""
    files = {"gpu_busy_percent": "9\n", "pp_dpm_sclk": "0: 500Mhz\n1: 0Mhz *\n2: 2520Mhz\n"}
    hwmon = {
        "name": "amdgpu\n",
        "freq1_input": "59000000\n",
        "freq1_label": "sclk\n",
        "freq2_input": "96000000\n",
        "freq2_label": "mclk\n",
        "power1_average": "19000000\n",
        "power1_cap": "330000000\n",
        "temp1_input": "39000\n",
        "temp2_input": "42000\n",
        "temp3_input": "62000\n",
    }
    machine.gpu("card1", PCI, files, hwmon)
    assert only(machine) == Gpu(0, 9, None, None, 39, 42, 62, 19, None, 59, 96, None, "ok")
    with_metrics(machine, bytes.fromhex(RX9070_METRICS))
    assert only(machine).fan_rpm == 1944


def test_the_binary_table_of_an_rx_9070_agrees_with_its_sensors() -> None:
    """ilya-zlobintsev/LACT (MIT), snapshot rx9070, version 1.3."""
    assert parse_metrics(bytes.fromhex(RX9070_METRICS)) == {
        "edge_c": 48,
        "junction_c": 52,
        "memory_c": 72,
        "busy_percent": 25,
        "power_w": 49,
        "core_clock_mhz": 900,
        "memory_clock_mhz": 1124,
        "fan_rpm": 1944,
    }


def test_the_binary_table_of_an_apu_is_not_read_as_that_of_a_card() -> None:
    """ilya-zlobintsev/LACT (MIT), snapshot phoenix, version 2.1."""
    assert parse_metrics(bytes.fromhex(PHOENIX_METRICS)) == {}


@pytest.mark.parametrize(
    "data", [None, b"", b"\x78", b"\x78\x00\x01\x03", bytes(120), bytes.fromhex(RX9070_METRICS)[:80]]
)
def test_a_binary_table_that_is_cut_or_empty_says_nothing(data: Optional[bytes]) -> None:
    """flightlessmango/MangoHud#2121: it opens, and reads as nothing."""
    assert parse_metrics(data) == {}


@pytest.mark.parametrize("revision", [4, 5, 8, 255])
def test_later_versions_of_the_binary_table_are_laid_out_in_other_ways(revision: int) -> None:
    data = bytearray.fromhex(RX9070_METRICS)
    data[3] = revision
    assert parse_metrics(bytes(data)) == {}


@given(st.binary(max_size=200))
def test_no_binary_table_breaks_the_parser_or_gives_what_cannot_be(data: bytes) -> None:
    for name, value in parse_metrics(data).items():
        assert -40 <= value <= 40000, name


def test_a_busy_file_that_is_not_supported_is_unknown_not_zero(machine: Machine) -> None:
    """aristocratos/btop#1794: the file exists; gpu_metrics is version 2.2, its activity 0xFFFF."""
    files = {"vendor": "0x1002\n", "device": "0x13fe\n", "gpu_busy_percent": "!EOPNOTSUPP(95)\n"}
    machine.gpu("card0", PCI, files)
    data = bytearray.fromhex(PHOENIX_METRICS)
    data[3] = 2
    with_metrics(machine, bytes(data))
    gpu = only(machine)
    assert (gpu.busy_percent, gpu.state) == (None, "ok")


def test_a_busy_file_stuck_at_100_is_shown_with_the_power_beside_it(machine: Machine) -> None:
    """aristocratos/btop#914: one file cannot tell."""
    machine.gpu(
        "card0", PCI, {"gpu_busy_percent": "100\n"}, {"name": "amdgpu\n", "power1_average": "66000000\n"}
    )
    gpu = only(machine)
    assert (gpu.busy_percent, gpu.power_w) == (100, 66)


def test_sensors_that_refuse_are_unknown_one_by_one(machine: Machine) -> None:
    """lm-sensors/lm-sensors#144: an APU on an old kernel."""
    hwmon = {
        "name": "amdgpu\n",
        "fan1_input": "!EINVAL\n",
        "in0_input": "!EINVAL\n",
        "power1_average": "!EINVAL\n",
        "pwm1": "0\n",
        "pwm1_enable": "0\n",
        "temp1_crit": "80000\n",
        "temp1_input": "28000\n",
    }
    machine.gpu("card0", PCI, {}, hwmon, sensors="hwmon0")
    gpu = only(machine)
    assert (gpu.edge_c, gpu.fan_rpm, gpu.power_w, gpu.fan_percent, gpu.state) == (28, None, None, 0, "ok")


@pytest.mark.parametrize(
    "error", ["EBUSY", "EPERM", "EINVAL", "EOPNOTSUPP", "EIO", "ENODATA", "EAGAIN", "EACCES"]
)
@pytest.mark.parametrize(
    "name", sorted(n for n in FULL_HWMON if n.endswith("input") or n in ("pwm1", "power1_average"))
)
def test_one_value_that_is_refused_takes_no_other_with_it(machine: Machine, name: str, error: str) -> None:
    machine.gpu("card0", PCI, FULL, {**FULL_HWMON, name: f"!{error}\n"})
    gpu = only(machine)
    whole = Gpu(0, 95, 30207, 32624, 67, 81, 92, 209, 2990, 2786, 1258, 46, "ok")
    different = [field for field in vars(whole) if getattr(gpu, field) != getattr(whole, field)]
    assert len(different) == 1
    assert getattr(gpu, different[0]) is None


@pytest.mark.parametrize("text", ["", "\n", "nonsense\n", "0x12\n", "1 2\n", "12.5\n"])
def test_a_value_that_is_empty_or_no_number_is_unknown(machine: Machine, text: str) -> None:
    machine.gpu("card0", PCI, {**FULL, "gpu_busy_percent": text}, FULL_HWMON)
    assert only(machine).busy_percent is None


@pytest.mark.parametrize(
    ("name", "text", "field"),
    [
        ("temp1_input", "511000\n", "edge_c"),
        ("temp2_input", "511000\n", "junction_c"),
        ("temp3_input", "0\n", "memory_c"),
        ("temp1_input", "-273150\n", "edge_c"),
        ("temp1_input", "65535000\n", "edge_c"),
        ("power1_average", "4294967295000000\n", "power_w"),
        ("power1_average", "-1\n", "power_w"),
        ("freq1_input", "65535000000\n", "core_clock_mhz"),
        ("freq2_input", "4294967295000000\n", "memory_clock_mhz"),
        ("fan1_input", "65535\n", "fan_rpm"),
        ("fan1_input", "-1\n", "fan_rpm"),
        ("pwm1", "256\n", "fan_percent"),
        ("pwm1", "-1\n", "fan_percent"),
    ],
)
def test_sentinels_are_unknown(machine: Machine, name: str, text: str, field: str) -> None:
    machine.gpu("card0", PCI, FULL, {**FULL_HWMON, name: text})
    assert getattr(only(machine), field) is None


@pytest.mark.parametrize("busy", ["101\n", "255\n", "65535\n", "-1\n"])
def test_more_than_all_is_unknown(machine: Machine, busy: str) -> None:
    machine.gpu("card0", PCI, {**FULL, "gpu_busy_percent": busy}, FULL_HWMON)
    assert only(machine).busy_percent is None


@pytest.mark.parametrize(
    ("fan", "pwm", "rpm"),
    [
        ("65535", None, None),
        ("65535", "0", 0),
        ("65535", "80", None),
        ("7001", "100", None),
        ("7001", "0", 0),
        ("7000", "255", 7000),
    ],
)
def test_a_zero_rpm_fan_that_reads_65535_stands_still_or_is_unknown(
    machine: Machine, fan: str, pwm: Optional[str], rpm: Optional[int]
) -> None:
    """lm-sensors/lm-sensors#310: an RX 5700 XT."""
    hwmon = {
        "name": "amdgpu\n",
        "fan1_input": f"{fan}\n",
        "fan1_min": "0\n",
        "fan1_max": "3500\n",
        "temp1_input": "81000\n",
        "temp1_crit_hyst": "-273150\n",
        "temp2_input": "82000\n",
        "temp3_input": "84000\n",
        "power1_average": "30000000\n",
        "power1_cap": "210000000\n",
    }
    if pwm is not None:
        hwmon["pwm1"] = f"{pwm}\n"
    machine.gpu("card0", PCI, {}, hwmon)
    gpu = only(machine)
    assert (gpu.edge_c, gpu.junction_c, gpu.memory_c, gpu.power_w) == (81, 82, 84, 30)
    assert gpu.fan_rpm == rpm


def test_a_fan_that_turns_and_reads_0_shows_its_duty(machine: Machine) -> None:
    """lm-sensors/lm-sensors#378."""
    hwmon = {
        "name": "amdgpu\n",
        "fan1_input": "0\n",
        "pwm1_enable": "2\n",
        "pwm1": "112\n",
        "pwm1_max": "255\n",
        "temp1_input": "70000\n",
        "power1_average": "125000000\n",
    }
    machine.gpu("card0", PCI, {}, hwmon)
    gpu = only(machine)
    assert (gpu.fan_rpm, gpu.fan_percent) == (0, 44)


def test_a_blower_that_stands_still_under_load_reads_0(machine: Machine) -> None:
    """kyuz0/amd-r9700-ai-toolboxes#5: 0 rpm is a value; the alarm is the board's."""
    machine.gpu("card0", PCI, FULL, {**FULL_HWMON, "fan1_input": "0\n", "pwm1": "0\n"})
    gpu = only(machine)
    assert (gpu.fan_rpm, gpu.junction_c) == (0, 81)


@pytest.mark.parametrize(
    ("average", "now", "watts"),
    [
        (None, "31000000", 31),
        ("9087000", "9087000", 9),
        ("209000000", "300000000", 209),
        ("!EOPNOTSUPP", "31000000", 31),
        ("!EINVAL", "!EINVAL", None),
        (None, None, None),
    ],
)
def test_power_is_the_average_else_the_input(
    machine: Machine, average: Optional[str], now: Optional[str], watts: Optional[int]
) -> None:
    """Syllo/nvtop#244: since 6.6 an RX 580 has power1_input only; some APUs have both."""
    hwmon = {"name": "amdgpu\n", "temp1_input": "40000\n"}
    if average is not None:
        hwmon["power1_average"] = f"{average}\n"
    if now is not None:
        hwmon["power1_input"] = f"{now}\n"
    machine.gpu("card0", PCI, {}, hwmon)
    assert only(machine).power_w == watts


def test_units_are_hz_microwatts_and_millidegrees(machine: Machine) -> None:
    """lm-sensors/lm-sensors#261."""
    hwmon = {
        "name": "amdgpu\n",
        "freq1_input": "351590000\n",
        "freq2_input": "300000000\n",
        "power1_average": "9103000\n",
        "in0_input": "750\n",
        "temp1_input": "48500\n",
    }
    machine.gpu("card0", PCI, {}, hwmon)
    gpu = only(machine)
    assert (gpu.core_clock_mhz, gpu.memory_clock_mhz, gpu.power_w, gpu.edge_c) == (352, 300, 9, 49)


APU: Dict[str, str] = {
    "mem_info_vram_total": "536870912\n",
    "mem_info_vram_used": "514580480\n",
    "mem_info_gtt_total": "16441004032\n",
    "mem_info_gtt_used": "3946811392\n",
    "gpu_busy_percent": "3\n",
}
APU_HWMON = {
    "name": "amdgpu\n",
    "in1_label": "vddnb\n",
    "power1_average": "9087000\n",
    "power1_input": "9087000\n",
    "temp1_input": "38000\n",
    "freq1_input": "848000000\n",
}


@pytest.mark.parametrize("label", [True, False])
def test_an_apu_counts_its_carve_out_and_gtt_together(machine: Machine, label: bool) -> None:
    """flightlessmango/MangoHud#883: a Strix Point; models live in GTT."""
    hwmon = dict(APU_HWMON)
    if not label:
        del hwmon["in1_label"]
    machine.gpu("card1", "0000:c4:00.0", APU, hwmon, sensors="hwmon6")
    gpu = only(machine)
    assert (gpu.vram_used_mib, gpu.vram_total_mib) == (
        (514580480 + 3946811392 + (1 << 19)) >> 20,
        (536870912 + 16441004032 + (1 << 19)) >> 20,
    )
    assert (gpu.busy_percent, gpu.power_w, gpu.edge_c, gpu.core_clock_mhz) == (3, 9, 38, 848)


def test_an_apu_with_a_large_carve_out_is_known_by_its_label(machine: Machine) -> None:
    files = {**APU, "mem_info_vram_total": f"{96 << 30}\n", "mem_info_gtt_total": f"{16 << 30}\n"}
    machine.gpu("card0", "0000:c4:00.0", files, APU_HWMON)
    assert only(machine).vram_total_mib == (96 + 16) << 10


def test_a_small_card_of_its_own_is_no_apu(machine: Machine) -> None:
    files = {**APU, "mem_info_vram_total": f"{2 << 30}\n"}
    machine.gpu("card0", PCI, files, {"name": "amdgpu\n", "fan1_input": "900\n", "temp1_input": "40000\n"})
    assert only(machine).vram_total_mib == 2048


@pytest.mark.parametrize(("used", "shown"), [("40000000000\n", 32624), ("-5\n", None), ("!EINVAL\n", None)])
def test_vram_beyond_its_size_is_full_and_nothing_else_is_made_up(
    machine: Machine, used: str, shown: Optional[int]
) -> None:
    machine.gpu("card0", PCI, {**FULL, "mem_info_vram_used": used}, FULL_HWMON)
    assert only(machine).vram_used_mib == shown


@pytest.mark.parametrize(
    ("name", "card"),
    [
        ("card0", True),
        ("card9", True),
        ("card10", True),
        ("card128", True),
        ("card", False),
        ("card0-DP-4", False),
        ("card1-HDMI-A-1", False),
        ("card0-eDP-1", False),
        ("renderD128", False),
        ("ttm", False),
        ("version", False),
        ("cardx", False),
        ("card\u0661", False),
    ],
)
def test_a_card_is_no_connector(name: str, card: bool) -> None:
    """Pitfall D8; flightlessmango/MangoHud#464."""
    assert is_card(name) is card


def test_connectors_beside_the_cards_are_no_cards(machine: Machine) -> None:
    """Pitfall D8; mgalgs/gnome-shell-system-monitor-next-applet#54: card1 without a card0."""
    machine.gpu("card1", PCI, FULL, FULL_HWMON)
    for name in ("card1-DP-1", "card1-DP-2", "card1-DP-3", "card1-HDMI-A-1", "renderD128"):
        machine.link(f"class/drm/{name}", f"../../devices/pci0000:00/{PCI}/drm/{name}")
    machine.link("class/drm/ttm", "../../devices/virtual/drm/ttm")
    machine.sys("class/drm/version", "drm 1.1.0 20060810\n")
    assert len(sample(machine).gpus) == 1


def test_an_address_is_found_in_a_dangling_link(machine: Machine) -> None:
    """flightlessmango/MangoHud#464: a listing alone."""
    machine.sys("class/drm/version", "drm\n")
    folder = machine.sysfs / "class/drm"
    (folder / "card0").mkdir()
    machine.sys("class/drm/card0/device/vendor", "0x1002\n")
    ((card, _),) = find_cards(machine.roots())
    assert card.identity == "card0"
    machine.sys("class/drm/card0/device/uevent", "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:0A:00.0\n")
    ((card, _),) = find_cards(machine.roots())
    assert card.identity == "0000:0a:00.0"


def test_cards_are_ordered_by_address_not_by_number(machine: Machine) -> None:
    """Pitfall D9; the numbers of the kernel change from boot to boot."""
    addresses = ["0000:83:00.0", "0000:03:00.0", "0000:c3:00.0", "0001:01:00.0", "0000:0a:00.0"]
    for number, address in zip((0, 1, 2, 10, 11), addresses):
        machine.gpu(f"card{number}", address, {**FULL, "gpu_busy_percent": f"{number}\n"}, FULL_HWMON)
    assert [gpu.busy_percent for gpu in sample(machine).gpus] == [1, 11, 0, 2, 10]


def test_a_pair_of_r9700_comes_before_the_integrated_one(machine: Machine) -> None:
    """AlexsJones/llmfit#638: only the first was shown, or the integrated one."""
    machine.gpu("card2", "0000:03:00.0", FULL, FULL_HWMON)
    machine.gpu("card1", "0000:07:00.0", {**FULL, "gpu_busy_percent": "96\n"}, FULL_HWMON)
    integrated = {**APU, "gpu_busy_percent": "1\n"}
    machine.gpu("card0", "0000:02:00.0", integrated, APU_HWMON)
    assert [gpu.busy_percent for gpu in sample(machine).gpus] == [95, 96, 1]


def test_an_integrated_one_without_gtt_files_is_still_the_last(machine: Machine) -> None:
    files = {"mem_info_vram_total": "536870912\n", "gpu_busy_percent": "1\n", "vendor": "0x1002\n"}
    machine.gpu("card0", "0000:01:00.0", files)
    machine.gpu("card1", "0000:03:00.0", FULL, FULL_HWMON)
    assert [gpu.busy_percent for gpu in sample(machine).gpus] == [95, 1]


def test_the_configured_order_comes_first(machine: Machine) -> None:
    for number, address in enumerate(("0000:03:00.0", "0000:07:00.0", "0000:13:00.0")):
        machine.gpu(f"card{number}", address, {**FULL, "gpu_busy_percent": f"{number}\n"}, FULL_HWMON)
    gpus = sample(machine, gpu_order=("0000:13:00.0", "0000:07:00.0")).gpus
    assert [gpu.busy_percent for gpu in gpus] == [2, 1, 0]


def test_a_hidden_card_is_not_shown(machine: Machine) -> None:
    machine.gpu("card0", "0000:03:00.0", FULL, FULL_HWMON)
    machine.gpu("card1", "0000:07:00.0", FULL, FULL_HWMON)
    assert len(sample(machine, gpu_hidden=("0000:03:00.0",)).gpus) == 1


def test_an_i915_without_sensors_beside_an_amd_card(machine: Machine) -> None:
    """chestm007/amdgpu-fan#1: card0 has no hwmon folder."""
    machine.gpu("card0", "0000:00:02.0", {"vendor": "0x8086\n"}, driver="i915")
    machine.gpu("card1", "0000:03:00.0", FULL, FULL_HWMON)
    first, second = sample(machine).gpus
    assert (first.busy_percent, first.state) == (95, "ok")
    assert second == Gpu(1)


def test_a_server_vga_chip_is_no_gpu(machine: Machine) -> None:
    machine.gpu("card0", "0000:02:00.0", {"vendor": "0x1a03\n"}, driver="ast")
    assert sample(machine).gpus == ()


@pytest.mark.parametrize("status", ["suspended\n", "suspending\n", "resuming\n"])
def test_a_suspended_card_is_asleep_and_only_its_vram_is_read(
    machine: Machine, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Syllo/nvtop#267: a monitor must not wake it. nicolargo/glances#3590: nor die of EBUSY."""
    files = {
        **FULL,
        "power/runtime_status": status,
        "power/control": "auto\n",
        "gpu_busy_percent": "!EBUSY(16)\n",
    }
    machine.gpu("card0", PCI, files, FULL_HWMON)
    opened: List[str] = []
    real = os.open

    def watched(path: str, *arguments: int) -> int:
        opened.append(str(path))
        return real(path, *arguments)

    monkeypatch.setattr(os, "open", watched)
    gpu = only(machine)
    assert gpu == Gpu(0, vram_used_mib=30207, vram_total_mib=32624, state="asleep")
    inside = {path.rsplit("/device/", 1)[1] for path in opened if "/device/" in path}
    harmless = {"uevent", "vendor", "device", "revision"}
    assert inside - harmless <= {
        "power/runtime_status",
        "mem_info_vram_used",
        "mem_info_vram_total",
        "mem_info_gtt_total",
    }


def test_a_card_in_d3cold_without_a_status_is_asleep(machine: Machine) -> None:
    files = {name: text for name, text in FULL.items() if name != "power/runtime_status"}
    machine.gpu("card0", PCI, {**files, "power_state": "D3cold\n"}, FULL_HWMON)
    assert only(machine).state == "asleep"


@pytest.mark.parametrize("status", ["active\n", "unsupported\n", "error\n", "!EINVAL\n"])
def test_a_card_that_is_not_suspended_is_read(machine: Machine, status: str) -> None:
    machine.gpu("card0", PCI, {**FULL, "power/runtime_status": status}, FULL_HWMON)
    assert only(machine).busy_percent == 95


def test_the_power_folder_of_the_sensors_says_nothing_about_sleep(machine: Machine) -> None:
    """Syllo/nvtop#211: hwmon/hwmonN/power/runtime_status is always "unsupported"."""
    machine.gpu(
        "card0",
        PCI,
        {**FULL, "power/runtime_status": "suspended\n"},
        {**FULL_HWMON, "power/runtime_status": "unsupported\n"},
    )
    assert only(machine).state == "asleep"


def test_a_card_that_falls_asleep_between_look_and_read_is_asleep(machine: Machine) -> None:
    refused = {
        name: "!EBUSY\n"
        for name in FULL_HWMON
        if name.endswith("input") or name in ("pwm1", "power1_average")
    }
    files = {name: text for name, text in FULL.items() if name != "power/runtime_status"}
    machine.gpu("card0", PCI, {**files, "gpu_busy_percent": "!EBUSY\n"}, {**FULL_HWMON, **refused})
    gpu = only(machine)
    assert (gpu.state, gpu.vram_used_mib, gpu.edge_c) == ("asleep", 30207, None)


@pytest.mark.parametrize("error", ["EPERM", "EIO", "ENODEV", "ETIMEDOUT"])
def test_a_hung_card_that_refuses_its_sensors_is_in_reset(machine: Machine, error: str) -> None:
    """Ricks-Lab/gpu-utils#160: errno 1 on every sensor, VRAM is still answered."""
    refused = dict.fromkeys(("power1_average", "temp1_input"), f"!{error}\n")
    files = {
        "gpu_busy_percent": f"!{error}\n",
        "mem_info_vram_total": "17163091968\n",
        "mem_info_vram_used": "1074409472\n",
    }
    machine.gpu("card0", PCI, files, {"name": "amdgpu\n", **refused})
    assert only(machine) == Gpu(0, vram_used_mib=1025, vram_total_mib=16368, state="reset")


@pytest.mark.parametrize("error", ["EINVAL", "EOPNOTSUPP", "EACCES"])
def test_a_card_whose_sensors_are_not_there_for_us_is_ok(machine: Machine, error: str) -> None:
    refused = dict.fromkeys(("power1_average", "temp1_input"), f"!{error}\n")
    machine.gpu("card0", PCI, {**FULL, "gpu_busy_percent": f"!{error}\n"}, {"name": "amdgpu\n", **refused})
    gpu = only(machine)
    assert (gpu.state, gpu.vram_used_mib, gpu.power_w) == ("ok", 30207, None)


def test_a_card_that_fell_off_the_bus_is_lost(machine: Machine) -> None:
    """Its configuration space reads as all ones."""
    refused = dict.fromkeys(("power1_average", "temp1_input"), "!ENODEV\n")
    machine.gpu("card0", PCI, {**FULL, "gpu_busy_percent": "!ENODEV\n"}, {"name": "amdgpu\n", **refused})
    path = machine.sysfs / f"devices/pci0000:00/{PCI}/config"
    path.write_bytes(b"\x02\x10\x51\x75")
    assert only(machine).state == "reset"
    path.write_bytes(b"\xff" * 64)
    assert only(machine).state == "lost"


def test_a_card_whose_driver_knows_no_device_any_more_is_lost(machine: Machine) -> None:
    """After a removal even the driver's bookkeeping answers ENODEV."""
    refused = dict.fromkeys(("power1_average", "temp1_input"), "!ENODEV\n")
    files = {**FULL, "gpu_busy_percent": "!ENODEV\n", "mem_info_vram_used": "!ENODEV\n"}
    machine.gpu("card0", PCI, files, {"name": "amdgpu\n", **refused})
    assert only(machine) == Gpu(0, state="lost")


def test_an_idle_card_that_may_sleep_is_left_alone_for_a_while(machine: Machine) -> None:
    """Umio-Yasuno/amdgpu_top#90: each read of a sensor keeps an idle card awake."""
    files = {
        **FULL,
        "gpu_busy_percent": "0\n",
        "power/control": "auto\n",
        "power/runtime_usage": "0\n",
        "power/autosuspend_delay_ms": "5000\n",
    }
    machine.gpu("card0", PCI, files, FULL_HWMON)
    now = [1000.0]
    card = AmdCard(machine.roots(), card_at(machine, "card0"), now=lambda: now[0])
    temperatures = []
    for second in range(80):
        machine.device(PCI, "hwmon/hwmon3/temp1_input", f"{(40 + second) * 1000}\n")
        temperatures.append(card.read().edge_c)
        now[0] += 1
    quiet = [i for i in range(1, 80) if temperatures[i] == temperatures[i - 1]]
    assert quiet == list(range(11, 17)) + list(range(71, 77))


def test_a_card_in_use_is_never_left_alone(machine: Machine) -> None:
    files = {**FULL, "gpu_busy_percent": "0\n", "power/control": "auto\n", "power/runtime_usage": "1\n"}
    machine.gpu("card0", PCI, files, FULL_HWMON)
    now = [1000.0]
    card = AmdCard(machine.roots(), card_at(machine, "card0"), now=lambda: now[0])
    for second in range(80):
        machine.device(PCI, "hwmon/hwmon3/temp1_input", f"{(40 + second) * 1000}\n")
        assert card.read().edge_c == 40 + second
        now[0] += 1


I915 = {
    "../gt_act_freq_mhz": "600\n",
    "../gt_cur_freq_mhz": "600\n",
    "../gt_max_freq_mhz": "2450\n",
    "vendor": "0x8086\n",
    "device": "0x56a5\n",
}


class Intel:
    """An Intel card and its clock."""

    def __init__(self, machine: Machine) -> None:
        self.now = 100.0
        self.card = IntelCard(machine.roots(), card_at(machine, "card1"), now=lambda: self.now)


def test_an_arc_a380_with_i915(machine: Machine) -> None:
    """ilya-zlobintsev/LACT (MIT), snapshot a380-i915: power is the difference of an energy counter."""
    hwmon = {
        "name": "i915\n",
        "energy1_input": "25637161804\n",
        "temp1_input": "55000\n",
        "fan1_input": "0\n",
        "power1_max": "55000000\n",
    }
    machine.gpu("card1", PCI, I915, hwmon, driver="i915", sensors="hwmon1")
    intel = Intel(machine)
    values = intel.card.read()
    assert (values.power_w, values.edge_c, values.fan_rpm, values.core_clock_mhz) == (None, 55, 0, 600)
    assert (values.busy_percent, values.vram_used_mib, values.state) == (None, None, "ok")
    machine.device(PCI, "hwmon/hwmon1/energy1_input", f"{25637161804 + 62_000_000}\n")
    intel.now += 2.0
    assert intel.card.read().power_w == 31
    assert intel.card.facts().power_cap_w == 55
    assert intel.card.facts().name == "Arc A380"


@pytest.mark.parametrize("energy", ["5\n", "0\n", "!EINVAL\n", "99999999999999999\n"])
def test_an_energy_counter_that_restarts_or_refuses_is_unknown(machine: Machine, energy: str) -> None:
    hwmon = {"name": "i915\n", "energy1_input": "25637161804\n"}
    machine.gpu("card1", PCI, I915, hwmon, driver="i915", sensors="hwmon1")
    intel = Intel(machine)
    intel.card.read()
    machine.device(PCI, "hwmon/hwmon1/energy1_input", energy)
    intel.now += 1.0
    assert intel.card.read().power_w is None


@pytest.mark.parametrize(
    ("hwmon", "edge", "memory", "fan"),
    [
        (
            {
                "energy2_input": "59540970520\n",
                "energy2_label": "pkg\n",
                "temp2_input": "56000\n",
                "temp2_label": "pkg\n",
                "temp3_input": "54000\n",
                "temp3_label": "vram\n",
                "fan1_input": "945\n",
                "fan2_input": "0\n",
            },
            56,
            54,
            945,
        ),
        (
            {
                "energy1_input": "0\n",
                "energy1_label": "card\n",
                "energy2_input": "59540970520\n",
                "energy2_label": "pkg\n",
                "fan1_input": "0\n",
                "fan2_input": "418\n",
                "fan3_input": "0\n",
                "temp2_input": "46000\n",
                "temp2_label": "pkg\n",
                "temp3_input": "48000\n",
                "temp3_label": "vram\n",
            },
            46,
            48,
            418,
        ),
    ],
)
def test_an_arc_with_xe(machine: Machine, hwmon: Dict[str, str], edge: int, memory: int, fan: int) -> None:
    """ilya-zlobintsev/LACT (MIT), snapshots a380-xe and b580-6.16: the sensor labelled pkg counts."""
    files = {"tile0/gt0/freq0/act_freq": "0\n", "tile0/gt0/freq0/cur_freq": "300\n"}
    machine.gpu("card1", PCI, files, {"name": "xe\n", **hwmon}, driver="xe", sensors="hwmon0")
    intel = Intel(machine)
    intel.card.read()
    machine.device(PCI, "hwmon/hwmon0/energy2_input", f"{59540970520 + 17_000_000}\n")
    intel.now += 1.0
    values = intel.card.read()
    assert (values.edge_c, values.memory_c, values.fan_rpm, values.power_w) == (edge, memory, fan, 17)
    assert values.core_clock_mhz == 0


def test_a_suspended_intel_card_is_asleep(machine: Machine) -> None:
    machine.gpu("card1", PCI, {**I915, "power/runtime_status": "suspended\n"}, driver="i915")
    assert only(machine) == Gpu(0, state="asleep")


def test_the_ranges_hold_in_both_directions() -> None:
    for kind, (unit, low, high) in RANGES.items():
        assert plausible(kind, (high + 1) * unit) is None
        assert plausible(kind, (low - 1) * unit) is None
        assert plausible(kind, high * unit) == high
        assert plausible(kind, None) is None


@given(st.sampled_from(sorted(RANGES)), st.integers(-(2**64), 2**64))
def test_no_raw_value_gives_one_outside_its_range(kind: str, raw: int) -> None:
    value = plausible(kind, raw)
    if value is not None:
        assert RANGES[kind][1] <= value <= RANGES[kind][2]


@given(
    st.lists(st.sampled_from(["0000:03:00.0", "0000:0a:00.0", "0000:a0:00.0", "0001:00:00.0"]), unique=True)
)
def test_the_order_of_discovery_never_matters(addresses: List[str]) -> None:
    cards = [Found(f"card{i}", address, "") for i, address in enumerate(addresses)]
    ordered = sorted(cards, key=lambda card: order_key(card, []))
    assert [card.identity for card in ordered] == sorted(addresses)


@pytest.mark.parametrize("raw", ["-1", "65535", "4294967295", "18446744073709551615"])
@pytest.mark.parametrize(
    ("name", "field"),
    [("temp1_input", "edge_c"), ("power1_average", "power_w"), ("freq1_input", "core_clock_mhz")],
)
def test_a_register_of_all_ones_is_unknown_in_every_sensor(
    machine: Machine, raw: str, name: str, field: str
) -> None:
    machine.gpu("card0", PCI, FULL, {**FULL_HWMON, name: f"{raw}\n"})
    assert getattr(only(machine), field) is None


@pytest.mark.parametrize("raw", ["4294967295", "18446744073709551615"])
def test_vram_of_all_ones_is_unknown_and_not_full(machine: Machine, raw: str) -> None:
    machine.gpu("card0", PCI, {**FULL, "mem_info_vram_used": f"{raw}\n"}, FULL_HWMON)
    gpu = only(machine)
    assert (gpu.vram_used_mib, gpu.vram_total_mib) == (None, 32624)


@pytest.mark.parametrize("raw", ["1", "-1", "-400", "499", "0"])
def test_a_temperature_that_rounds_to_zero_is_no_sensor(machine: Machine, raw: str) -> None:
    machine.gpu("card0", PCI, FULL, {**FULL_HWMON, "temp2_input": f"{raw}\n"})
    assert only(machine).junction_c is None


@pytest.mark.parametrize("folder", ["hwmon/hwmon17", "hwmon", "hwmon2", "hwmon:hwmon0"])
def test_sensors_are_found_wherever_a_kernel_or_a_recording_has_them(machine: Machine, folder: str) -> None:
    device = "class/drm/card0/device"
    for name, text in FULL.items():
        machine.sys(f"{device}/{name}", text)
    for name, text in FULL_HWMON.items():
        machine.sys(f"{device}/{folder}/{name}", text)
    gpu = only(machine)
    assert (gpu.edge_c, gpu.power_w, gpu.fan_rpm, gpu.core_clock_mhz) == (67, 209, 2990, 2786)


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"hwmon/hwmon2/name": "amdgpu\n"}, ["amd"]),
        ({"hwmon/hwmon2/name": "i915\n"}, ["intel"]),
        ({"hwmon/hwmon2/name": "nouveau\n"}, []),
        ({"uevent": "PCI_ID=1002:7551\n"}, ["amd"]),
        ({"uevent": "PCI_ID=10DE:2204\n", "hwmon/hwmon2/name": "amdgpu\n"}, []),
        ({"uevent": "DRIVER=ast\nPCI_ID=1A03:2000\n"}, []),
        ({"uevent": "DRIVER=vfio-pci\nPCI_ID=1002:7551\n"}, []),
        ({"vendor": "0x1a03\n"}, []),
        ({"gpu_busy_percent": "5\n"}, []),
    ],
)
def test_a_recording_without_links_is_known_by_what_it_has(
    machine: Machine, files: Dict[str, str], found: List[str]
) -> None:
    for name, text in files.items():
        machine.sys(f"class/drm/card0/device/{name}", text)
    assert [maker.name.lower() for _, maker in find_cards(machine.roots())] == found


@pytest.mark.parametrize("status", ["", "\n", "!EIO\n"])
def test_a_status_that_says_nothing_is_not_taken_for_sleep(machine: Machine, status: str) -> None:
    machine.gpu("card0", PCI, {**FULL, "power/runtime_status": status}, FULL_HWMON)
    gpu = only(machine)
    assert (gpu.state, gpu.edge_c) == ("ok", 67)


def test_sensors_that_come_late_or_under_another_number_are_found(machine: Machine) -> None:
    """A driver registers its sensors after its card, and renumbers them when it is loaded again."""
    machine.gpu("card0", PCI, FULL)
    now = [100.0]
    card = AmdCard(machine.roots(), card_at(machine, "card0"), now=lambda: now[0])
    assert card.read().edge_c is None
    for number, gone in (("hwmon3", ""), ("hwmon9", "hwmon3")):
        if gone:
            machine.remove(f"devices/pci0000:00/{PCI}/hwmon/{gone}")
            assert card.read().edge_c is None
        for name, text in FULL_HWMON.items():
            machine.device(PCI, f"hwmon/{number}/{name}", text)
        now[0] += 11.0
        card.read()
        values = card.read()
        assert (values.edge_c, values.fan_rpm, values.state) == (67, 2990, "ok")


@pytest.mark.parametrize(
    ("average", "momentary", "watts"),
    [("0", "55000000", 55), ("0", "0", 0), ("0", "!EINVAL", 0), ("0", None, 0), ("70000000", "55000000", 70)],
)
def test_an_average_of_nothing_gives_way_to_the_momentary_power(
    machine: Machine, average: str, momentary: Optional[str], watts: int
) -> None:
    more = {} if momentary is None else {"power1_input": f"{momentary}\n"}
    machine.gpu("card0", PCI, FULL, {**FULL_HWMON, "power1_average": f"{average}\n", **more})
    assert only(machine).power_w == watts


REFUSING = ("temp1_input", "temp2_input", "temp3_input", "power1_average", "fan1_input", "pwm1")


@pytest.mark.parametrize(
    ("error", "power", "state"),
    [
        ("EBUSY", {"power/runtime_status": "unsupported\n"}, "reset"),
        ("EBUSY", {"power/control": "on\n"}, "reset"),
        ("EBUSY", {"power/control": "auto\n"}, "asleep"),
        ("EBUSY", {"power_state": "D0\n"}, "reset"),
        ("EBUSY", {"power_state": "D3hot\n"}, "asleep"),
        ("EBUSY", {}, "asleep"),
        ("EBUSY", {"power/runtime_status": "active\n", "power/control": "auto\n"}, "reset"),
        ("EBUSY", {"power/runtime_status": "error\n", "power/control": "auto\n"}, "reset"),
        ("EBUSY", {"power/runtime_status": "suspended\n"}, "asleep"),
        ("EBUSY", {"power/runtime_status": "resuming\n"}, "asleep"),
        ("EINVAL", {"power/runtime_status": "error\n"}, "reset"),
        ("EACCES", {"power/runtime_status": "error\n"}, "reset"),
        ("EINVAL", {"power/runtime_status": "active\n"}, "ok"),
    ],
)
def test_a_card_that_refuses_with_its_power_on_is_in_reset(
    machine: Machine, error: str, power: Dict[str, str], state: str
) -> None:
    """Linux commit cf32515a7061: amdgpu's refusal during a reset became EBUSY."""
    refused = {**FULL_HWMON, **dict.fromkeys((*REFUSING, "freq1_input", "freq2_input"), f"!{error}\n")}
    files = {name: text for name, text in FULL.items() if name != "power/runtime_status"}
    machine.gpu("card0", PCI, {**files, "gpu_busy_percent": f"!{error}\n", **power}, refused)
    gpu = only(machine)
    assert (gpu.state, gpu.vram_used_mib, gpu.power_w) == (state, 30207, None)


@pytest.mark.parametrize("error", ["EPERM", "EBUSY", "EIO"])
def test_a_card_that_refuses_because_it_just_fell_asleep_is_not_in_reset(
    machine: Machine, error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = {**FULL_HWMON, **dict.fromkeys((*REFUSING, "freq1_input", "freq2_input"), f"!{error}\n")}
    machine.gpu("card0", PCI, {**FULL, "gpu_busy_percent": f"!{error}\n"}, refused)
    card = AmdCard(machine.roots(), card_at(machine, "card0"))
    looks = iter([False, True])
    monkeypatch.setattr(card.power, "asleep", lambda: next(looks))
    assert card.read().state == "asleep"


def test_two_cards_with_one_address_keep_two_places(machine: Machine) -> None:
    for card in ("card0", "card1"):
        machine.sys(f"class/drm/{card}/device/uevent", f"DRIVER=amdgpu\nPCI_SLOT_NAME={PCI}\n")
    assert [card.identity for card, _ in find_cards(machine.roots())] == [PCI, "card1"]
