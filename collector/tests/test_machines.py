"""Machines of public reports on which monitors went wrong, with the line that is right."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

import pytest
from inktop_collector.files import Roots
from inktop_collector.sampler import Sampler
from inktop_collector.sources.gpu.makers import find_cards
from inktop_protocol.encode import encode_info, encode_snapshot
from testkit.recorded import NET_DEV, Machine, Sampling

PCI = "0000:03:00.0"
DEVICE = f"devices/pci0000:00/{PCI}"
CONFIG = b"\x02\x10\x51\x75" + bytes(60)
OFF_THE_BUS = b"\xff" * 64

R9700: Dict[str, str] = {
    "vendor": "0x1002\n",
    "device": "0x7551\n",
    "revision": "0xc0\n",
    "mem_info_vram_total": "34208743424\n",
    "mem_info_vram_used": "31674335232\n",
    "power/control": "auto\n",
    "power/autosuspend_delay_ms": "5000\n",
    "power/runtime_status": "active\n",
    "power_state": "D0\n",
    "gpu_busy_percent": "95\n",
}
R9700_HWMON: Dict[str, str] = {
    "name": "amdgpu\n",
    "temp1_label": "edge\n",
    "temp2_label": "junction\n",
    "temp3_label": "mem\n",
    "fan1_max": "6000\n",
    "pwm1_max": "255\n",
    "power1_cap": "300000000\n",
    "temp1_input": "40000\n",
    "temp2_input": "45000\n",
    "temp3_input": "60000\n",
    "power1_average": "18000000\n",
    "fan1_input": "900\n",
    "pwm1": "60\n",
    "freq1_input": "50000000\n",
    "freq2_input": "96000000\n",
}
SENSORS = [name for name in R9700_HWMON if name.endswith("_input") or name in ("pwm1", "power1_average")]
GOOD = "g0=95,30207,32624,40,45,60,18,900,50,96,24"
RESET = "g0=-,30207,32624,-,-,-,-,-,-,-,-,reset"


class Bench:
    """Rounds of one machine, a second apart, and what the line says."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.machine = Machine(folder)
        self.ahead = 0.0
        monotonic = time.monotonic
        monkeypatch.setattr(time, "monotonic", lambda: monotonic() + self.ahead)
        self.samplings: List[Sampling] = []

    def round(self) -> Dict[str, str]:
        """The keys of the next line; times of events are cut off."""
        if not self.samplings:
            self.samplings.append(Sampling(self.machine))
        self.ahead += 1.0
        line = encode_snapshot(self.samplings[0].round()).decode().strip().rpartition("*")[0]
        return dict(part.split("=", 1) for part in line.split("|"))

    def gpu(self) -> str:
        return f"g0={self.round()['g0']}"

    def info(self) -> str:
        return encode_info(self.samplings[0].sampler.info()).decode()

    def sensors(self, text: str) -> None:
        """Puts that into every sensor of the card."""
        self.machine.device(PCI, "gpu_busy_percent", text)
        for name in SENSORS:
            self.machine.device(PCI, f"hwmon/hwmon3/{name}", text)

    def config(self, data: bytes) -> None:
        (self.machine.sysfs / DEVICE / "config").write_bytes(data)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    bench = Bench(tmp_path, monkeypatch)
    yield bench
    for sampling in bench.samplings:
        sampling.close()


def events(line: Dict[str, str]) -> List[str]:
    """``subject:what`` of each."""
    found = line.get("e", "")
    return [":".join(event.split(":")[:2]) for event in found.split(",") if event]


def test_a_card_in_reset_that_says_busy_is_not_asleep(bench: Bench) -> None:
    """Linux cf32515a7061 (EBUSY during a reset); ROCm/amdgpu#221 (``auto`` on a headless R9700)."""
    bench.machine.gpu("card1", PCI, R9700, R9700_HWMON)
    bench.sensors("!EBUSY\n")
    line = bench.round()
    assert f"g0={line['g0']}" == RESET
    assert events(line) == ["gpu0:reset"]


@pytest.mark.parametrize("error", ["EINVAL", "EBUSY", "EPERM", "EACCES", "EIO", "EAGAIN"])
def test_a_card_whose_resume_failed_is_in_reset_whatever_it_refuses_with(bench: Bench, error: str) -> None:
    """pm_runtime_resume_and_get gives EINVAL once runtime_error is set (Documentation/power/runtime_pm)."""
    bench.machine.gpu("card1", PCI, {**R9700, "power/runtime_status": "error\n"}, R9700_HWMON)
    bench.sensors(f"!{error}\n")
    line = bench.round()
    assert f"g0={line['g0']}" == RESET
    assert events(line) == ["gpu0:reset"]


def test_a_card_that_has_no_value_for_its_sensors_is_ok(bench: Bench) -> None:
    bench.machine.gpu("card1", PCI, R9700, R9700_HWMON)
    bench.sensors("!EINVAL\n")
    line = bench.round()
    assert line["g0"] == "-,30207,32624,-,-,-,-,-,-"
    assert events(line) == []


def test_a_card_whose_resume_failed_but_that_answers_is_ok(bench: Bench) -> None:
    bench.machine.gpu("card1", PCI, {**R9700, "power/runtime_status": "error\n"}, R9700_HWMON)
    assert bench.gpu() == GOOD


#: What the driver of a lost card may answer with: errors, all ones, or what it read last.
ANSWERS = ["!EPERM\n", "!EBUSY\n", "!EINVAL\n", "-1\n", "65535\n", "4294967295\n", "0\n", "!ENODATA\n"]


@pytest.mark.parametrize("later", ANSWERS)
def test_a_lost_card_stays_lost_whatever_its_driver_answers(bench: Bench, later: str) -> None:
    """Its configuration space reads as all ones; cf32515a7061 made its refusal EBUSY."""
    bench.machine.gpu("card1", PCI, R9700, R9700_HWMON)
    bench.config(CONFIG)
    assert bench.gpu() == GOOD
    bench.config(OFF_THE_BUS)
    for answer in ("!EPERM\n", later, later):
        bench.sensors(answer)
        line = bench.round()
        assert line["g0"] == "-,-,-,-,-,-,-,-,-,-,-,lost"
        assert events(line) == ["gpu0:lost"]


def test_a_lost_card_whose_driver_puts_it_to_sleep_stays_lost(bench: Bench) -> None:
    bench.machine.gpu("card1", PCI, R9700, R9700_HWMON)
    bench.config(OFF_THE_BUS)
    assert bench.gpu().endswith(",lost")
    bench.machine.device(PCI, "power/runtime_status", "suspended\n")
    line = bench.round()
    assert (line["g0"][-5:], events(line)) == (",lost", ["gpu0:lost"])


def test_a_card_that_answers_on_the_bus_again_is_back(bench: Bench) -> None:
    bench.machine.gpu("card1", PCI, R9700, R9700_HWMON)
    bench.config(OFF_THE_BUS)
    assert bench.gpu().endswith(",lost")
    bench.config(CONFIG)
    line = bench.round()
    assert (f"g0={line['g0']}", events(line)) == (GOOD, ["gpu0:back"])


def test_a_card_with_sleep_allowed_is_not_asked_on_the_bus_while_it_sleeps(bench: Bench) -> None:
    """A read of the configuration space wakes a card in D3cold."""
    bench.machine.gpu("card1", PCI, {**R9700, "power/runtime_status": "suspended\n"}, R9700_HWMON)
    bench.config(OFF_THE_BUS)
    assert bench.gpu() == "g0=-,30207,32624,-,-,-,-,-,-,-,-,asleep"


def test_a_virtual_function_is_not_off_the_bus(bench: Bench) -> None:
    """Its id is all ones by definition (SR-IOV specification)."""
    bench.machine.gpu("card1", PCI, R9700, R9700_HWMON)
    bench.machine.link(f"{DEVICE}/physfn", "../0000:02:00.0")
    bench.config(OFF_THE_BUS)
    assert bench.gpu() == GOOD


INTEL: Dict[str, str] = {
    "vendor": "0x8086\n",
    "device": "0xe211\n",
    "revision": "0x00\n",
    "power/runtime_status": "active\n",
    "tile0/gt0/freq0/act_freq": "400\n",
}
INTEL_HWMON: Dict[str, str] = {
    "name": "xe\n",
    "energy1_label": "card\n",
    "energy2_label": "pkg\n",
    "energy1_input": "1000000\n",
    "energy2_input": "1000000\n",
    "power1_label": "card\n",
    "power1_cap": "200000000\n",
    "power1_crit": "400000000\n",
    "temp2_label": "pkg\n",
    "temp2_input": "50000\n",
    "temp2_crit": "100000\n",
    "temp3_label": "vram\n",
    "temp3_input": "60000\n",
    "temp3_crit": "105000\n",
}


def test_an_arc_tells_its_cap_and_its_critical_temperatures(bench: Bench) -> None:
    """Syllo/nvtop#493 (Arc Pro B60, kernel 7.1) and the LACT snapshot b580: power1_cap alone."""
    bench.machine.gpu("card0", PCI, INTEL, INTEL_HWMON, driver="xe")
    bench.round()
    assert "|g0=Arc Pro B60,0000:03:00.0,200,100,-,105*" in bench.info()


@pytest.mark.parametrize(
    ("limits", "cap"),
    [
        ({"power1_max": "190000000\n"}, 190),
        ({"power1_max": "0\n"}, 200),
        ({"power1_rated_max": "150000000\n"}, 200),
        ({"power1_cap": "0\n", "power2_cap": "120000000\n"}, 120),
        ({"power1_cap": "!EINVAL\n", "power1_rated_max": "150000000\n"}, 150),
    ],
)
def test_the_sustained_limit_of_an_arc_comes_first(bench: Bench, limits: Dict[str, str], cap: int) -> None:
    bench.machine.gpu("card0", PCI, INTEL, {**INTEL_HWMON, **limits}, driver="xe")
    bench.round()
    assert f",0000:03:00.0,{cap},100,-,105*" in bench.info()


def test_the_power_of_an_arc_is_that_of_the_card_when_the_package_stands_still(bench: Bench) -> None:
    bench.machine.gpu("card0", PCI, INTEL, INTEL_HWMON, driver="xe")
    bench.round()
    bench.machine.device(PCI, "hwmon/hwmon3/energy1_input", "34500000\n")
    assert bench.round()["g0"].split(",")[6] == "33"
    bench.machine.device(PCI, "hwmon/hwmon3/energy1_input", "68000000\n")
    bench.machine.device(PCI, "hwmon/hwmon3/energy2_input", "22000000\n")
    # The package's now tells of two seconds: it moved again.
    assert bench.round()["g0"].split(",")[6] in ("20", "21")
    assert bench.round()["g0"].split(",")[6] == "-"


def test_an_energy_counter_at_zero_for_one_look_gives_no_power(bench: Bench) -> None:
    hwmon = {name: text for name, text in INTEL_HWMON.items() if not name.startswith("energy1")}
    bench.machine.gpu("card0", PCI, INTEL, {**hwmon, "energy2_input": "900000000\n"}, driver="xe")
    seen = []
    for energy in (910_000_000, 0, 930_000_000, 940_000_000):
        seen.append(bench.round()["g0"].split(",")[6])
        bench.machine.device(PCI, "hwmon/hwmon3/energy2_input", f"{energy}\n")
    seen.append(bench.round()["g0"].split(",")[6])
    assert seen[0] == seen[2] == seen[3] == "-"
    assert seen[4] in ("9", "10")


@pytest.mark.parametrize("answer", ["65535000\n", "0\n", "!ENODEV\n"])
def test_an_arc_off_the_bus_is_lost(bench: Bench, answer: str) -> None:
    bench.machine.gpu("card0", PCI, INTEL, INTEL_HWMON, driver="xe")
    bench.config(CONFIG)
    bench.round()
    bench.config(OFF_THE_BUS)
    for name in ("temp2_input", "temp3_input"):
        bench.machine.device(PCI, f"hwmon/hwmon3/{name}", answer)
    line = bench.round()
    assert (line["g0"][-5:], events(line)) == (",lost", ["gpu0:lost"])


def test_an_arc_whose_resume_failed_is_in_reset(bench: Bench) -> None:
    hwmon = {name: "!EINVAL\n" if name.endswith("_input") else text for name, text in INTEL_HWMON.items()}
    files = {**INTEL, "power/runtime_status": "error\n", "tile0/gt0/freq0/act_freq": "!EINVAL\n"}
    bench.machine.gpu("card0", PCI, files, hwmon, driver="xe")
    assert bench.gpu() == "g0=-,-,-,-,-,-,-,-,-,-,-,reset"


R7_240: Dict[str, str] = {
    "vendor": "0x1002\n",
    "device": "0x6617\n",
    "revision": "0x87\n",
    "mem_info_vram_total": "2147483648\n",
    "mem_info_vram_used": "495321088\n",
    "mem_info_vis_vram_total": "268435456\n",
    "mem_info_gtt_total": "4069261312\n",
    "mem_info_gtt_used": "116916224\n",
    "power_state": "D0\n",
}
R7_240_HWMON: Dict[str, str] = {
    "name": "amdgpu\n",
    "pwm1": "103\n",
    "pwm1_max": "255\n",
    "temp1_label": "edge\n",
    "temp1_input": "52000\n",
    "freq1_label": "sclk\n",
    "freq1_input": "400000000\n",
    "freq2_label": "mclk\n",
    "freq2_input": "1150000000\n",
}


def test_a_small_card_without_a_tachometer_is_no_apu(bench: Bench) -> None:
    """ilya-zlobintsev/LACT, snapshot r7-240."""
    bench.machine.gpu("card1", PCI, R7_240, R7_240_HWMON)
    assert bench.gpu() == "g0=-,472,2048,52,-,-,-,-,400,1150,40"
    assert [found.integrated for found, _ in find_cards(bench.machine.roots())] == [False]


NO_FAN = {name: text for name, text in R7_240_HWMON.items() if not name.startswith("pwm1")}
WHOLE_WINDOW = {**R7_240, "mem_info_vis_vram_total": "2147483648\n"}


@pytest.mark.parametrize(
    ("files", "hwmon"),
    [
        (R7_240, NO_FAN),
        (WHOLE_WINDOW, {**NO_FAN, "pwm1": "!EINVAL\n"}),
        (WHOLE_WINDOW, {**NO_FAN, "fan1_input": "!ENODATA\n"}),
        (WHOLE_WINDOW, {**NO_FAN, "power1_cap": "30000000\n"}),
        (WHOLE_WINDOW, {**NO_FAN, "temp2_input": "60000\n"}),
        ({**R7_240, "power/runtime_status": "suspended\n"}, R7_240_HWMON),
        ({**WHOLE_WINDOW, "power/runtime_status": "suspended\n"}, R7_240_HWMON),
    ],
)
def test_a_small_card_is_known_by_any_of_its_signs(
    bench: Bench, files: Dict[str, str], hwmon: Dict[str, str]
) -> None:
    """Passively cooled, in a laptop, behind a resized window, asleep."""
    bench.machine.gpu("card1", PCI, files, hwmon)
    assert bench.gpu().startswith("g0=-,472,2048,")
    assert [found.integrated for found, _ in find_cards(bench.machine.roots())] == [False]


@pytest.mark.parametrize(
    ("vram", "metrics"), [(512 << 20, b""), (512 << 20, b"\x78\x00\x02\x02"), (8 << 30, b"\x78\x00\x03\x00")]
)
def test_an_apu_is_still_an_apu(bench: Bench, vram: int, metrics: bytes) -> None:
    files = {**WHOLE_WINDOW, "mem_info_vram_total": f"{vram}\n", "mem_info_vis_vram_total": f"{vram}\n"}
    bench.machine.gpu("card1", PCI, files, {**NO_FAN, "temp1_crit": "100000\n"})
    (bench.machine.sysfs / DEVICE / "gpu_metrics").write_bytes(metrics.ljust(0x78, b"\0"))
    assert bench.gpu().startswith(f"g0=-,{(495321088 + 116916224 + (1 << 19)) >> 20},")
    assert [found.integrated for found, _ in find_cards(bench.machine.roots())] == [True]


RX6900XT: Dict[str, str] = {
    "vendor": "0x1002\n",
    "device": "0x73bf\n",
    "revision": "0xc0\n",
    "uevent": "DRIVER=amdgpu\nPCI_ID=1002:73BF\nPCI_SLOT_NAME=0000:0c:00.0\n",
    "gpu_busy_percent": "3\n",
    "mem_info_vram_total": "17163091968\n",
    "mem_info_vram_used": "668274688\n",
    "power/runtime_status": "active\n",
    "power_state": "D0\n",
    "pp_dpm_sclk": "0: 500Mhz *\n1: 2660Mhz \n",
    "hwmon/hwmon5/name": "amdgpu\n",
    "hwmon/hwmon5/temp1_label": "edge\n",
    "hwmon/hwmon5/temp1_input": "56000\n",
    "hwmon/hwmon5/temp2_label": "junction\n",
    "hwmon/hwmon5/temp2_input": "59000\n",
    "hwmon/hwmon5/temp3_label": "mem\n",
    "hwmon/hwmon5/temp3_input": "54000\n",
    "hwmon/hwmon5/power1_average": "36000000\n",
    "hwmon/hwmon5/power1_cap": "289000000\n",
    "hwmon/hwmon5/fan1_input": "0\n",
    "hwmon/hwmon5/fan1_max": "3400\n",
    "hwmon/hwmon5/pwm1": "0\n",
    "hwmon/hwmon5/pwm1_max": "255\n",
    "hwmon/hwmon5/freq1_label": "sclk\n",
    "hwmon/hwmon5/freq1_input": "500000000\n",
    "hwmon/hwmon5/freq2_label": "mclk\n",
    "hwmon/hwmon5/freq2_input": "1000000000\n",
}


def padded(machine: Machine, folder: str, files: Dict[str, str]) -> None:
    for name, text in files.items():
        machine.sys(f"{folder}/{name}", text.ljust(4096, "\0"))


def test_a_recording_padded_with_nul_is_read(bench: Bench) -> None:
    """ilya-zlobintsev/LACT, snapshot rx6900xt: every file filled up to a page."""
    padded(bench.machine, "class/drm/card0/device", RX6900XT)
    assert bench.gpu() == "g0=3,637,16368,56,59,54,36,0,500,1000,0"
    assert "0000:0c:00.0,289" in bench.info()


def test_a_padded_recording_holds_errors_lists_and_clocks_too(bench: Bench) -> None:
    files = {name: text for name, text in RX6900XT.items() if "freq1" not in name}
    padded(bench.machine, "class/drm/card0/device", {**files, "gpu_busy_percent": "!EOPNOTSUPP\n"})
    for name, text in {"proc/sys/kernel/hostname": "box\n", "proc/loadavg": "0.52 0.40 0.31\n"}.items():
        (bench.machine.folder / name).write_bytes(text.encode().ljust(4096, b"\0"))
    bench.machine.proc("stat", "!ENOENT\n")
    bench.machine.sys("devices/system/cpu/online", "0-7\n".ljust(4096, "\0"))
    line = bench.round()
    assert line["g0"] == "-,637,16368,56,59,54,36,0,500,1000,0"
    assert (line["h"], line["l"], line["n"]) == ("box", "0.52,0.40,0.31", "8")


@pytest.mark.parametrize("address", ["10000:01:00.0", "ffffffff:ff:1f.7"])
def test_a_pci_domain_may_have_more_than_four_digits(bench: Bench, address: str) -> None:
    """The domains behind Intel's VMD begin at 0x10000 (drivers/pci/controller/vmd.c)."""
    bench.machine.gpu("card1", address, R9700, R9700_HWMON)
    bench.machine.gpu("card0", "ffff:01:00.0", R9700, R9700_HWMON)
    bench.round()
    assert [found.identity for found, _ in find_cards(bench.machine.roots())] == ["ffff:01:00.0", address]
    assert f",{address},300" in bench.info()


def test_the_model_of_a_strix_halo_has_no_gpu_in_it(bench: Bench) -> None:
    """signerless/llm-checker#75."""
    model = "AMD RYZEN AI MAX+ 395 w/ Radeon 8060S"
    bench.machine.proc("cpuinfo", f"processor\t: 0\nmodel name\t: {model}\nphysical id\t: 0\n")
    bench.round()
    assert "|cpu=RYZEN AI MAX+ 395*" in bench.info()


Counters = Tuple[int, int]


def rates(bench: Bench, looks: List[Counters]) -> List[Tuple[str, str]]:
    seen = []
    for received, sent in looks:
        bench.machine.proc("net/dev", NET_DEV.format(received=received, sent=sent))
        _, got, given = bench.round()["w"].split(",")
        seen.append((got, given))
    return seen


def about(text: str, value: int) -> bool:
    return text != "-" and value * 0.8 <= int(text) <= value * 1.1


@pytest.mark.parametrize("start", [10**12, 10**9, 4 * 10**6])
def test_a_counter_at_zero_for_one_look_is_no_traffic(bench: Bench, start: int) -> None:
    """netdata/netdata#6077: /proc/net/dev shows zeros for one sample."""
    counters = [(start + n * 100000, start // 2 + n * 50000) for n in range(6)]
    counters[2] = (0, 0)
    seen = rates(bench, counters)
    assert seen[0] == seen[2] == seen[3] == ("-", "-")
    assert all(about(seen[n][0], 100000) and about(seen[n][1], 50000) for n in (1, 4, 5))


def test_one_counter_at_zero_spoils_no_other(bench: Bench) -> None:
    seen = rates(bench, [(10**9, 10**9), (0, 10**9 + 9000), (0, 10**9 + 18000), (10**9, 10**9 + 27000)])
    assert [got for got, _ in seen] == ["-", "-", "0", "-"]
    assert all(about(given, 9000) for _, given in seen[1:])


@pytest.mark.parametrize(
    ("speed", "received", "shown"),
    [
        ("1000\n", 400_000_000, True),
        ("1000\n", 600_000_000, False),
        ("100000\n", 600_000_000, True),
        ("-1\n", 600_000_000, True),
        ("!EINVAL\n", 600_000_000, True),
        ("!EINVAL\n", 200_000_000_000, False),
    ],
)
def test_no_link_carries_more_than_it_can(bench: Bench, speed: str, received: int, shown: bool) -> None:
    bench.machine.sys("devices/pci0000:00/0000:00:19.0/net/eno1/speed", speed)
    seen = rates(bench, [(0, 0), (received, 0)])
    assert (seen[1][0] != "-") == shown


def stat(user: int, system: int, idle: int) -> str:
    """Four CPUs alike."""
    each = "".join(f"cpu{n} {user} 0 {system} {idle} 0 0 0 0 0 0\n" for n in range(4))
    return f"cpu  {4 * user} 0 {4 * system} {4 * idle} 0 0 0 0 0 0\n{each}"


def test_a_cpu_whose_idle_counter_stands_still_is_unknown_and_not_busy(bench: Bench) -> None:
    seen = []
    for second in range(4):
        bench.machine.proc("stat", stat(1000 + 5 * second, 500, 90000))
        line = bench.round()
        seen.append((line["c"], line["k"]))
    assert seen == [("-", "----")] * 4


def test_a_cpu_that_is_busy_all_the_time_shows_it(bench: Bench) -> None:
    for second in range(3):
        bench.machine.proc("stat", stat(1000 + 90 * second, 500 + 10 * second, 90000))
        line = bench.round()
    assert (line["c"], line["k"]) == ("100.0", "ffff")


def test_one_cpu_whose_idle_counter_stands_still_spoils_no_other(bench: Bench) -> None:
    for second in range(2):
        idle = 90000 + 50 * second
        user = 1000 + 50 * second
        text = f"cpu  {3 * user + 1000 + 5 * second} 0 0 {3 * idle + 90000} 0 0 0 0\n"
        text += f"cpu0 {1000 + 5 * second} 0 0 90000 0 0 0 0\n"
        text += "".join(f"cpu{n} {user} 0 0 {idle} 0 0 0 0\n" for n in (1, 2, 3))
        bench.machine.proc("stat", text)
        line = bench.round()
    assert (line["c"], line["k"]) == ("50.0", "-888")


def test_counters_at_zero_for_one_look_are_no_load(bench: Bench) -> None:
    """Of a machine that has run for three seconds only: the whole counter would be in reason."""
    seen = []
    for user, idle in ((100, 200), (110, 290), (0, 0), (130, 470), (140, 560)):
        bench.machine.proc("stat", stat(user, 0, idle))
        seen.append(bench.round()["c"])
    assert seen == ["-", "10.0", "-", "-", "10.0"]


def test_an_uptime_at_zero_for_one_look_is_no_start(bench: Bench) -> None:
    seen = []
    for uptime in ("90000.00", "0.00", "90002.00", "40.00", "41.00"):
        bench.machine.proc("uptime", f"{uptime} 1.00\n")
        line = bench.round()
        seen.append((int(line["u"]), events(line)))
    assert seen[0] == (90000, [])
    assert seen[1] == (90001, [])
    assert seen[2] == (90002, [])
    assert seen[3] == (90003, [])
    assert seen[4] == (41, ["sys:boot"])


def test_a_counter_of_killed_processes_at_zero_for_one_look_is_no_kill(bench: Bench) -> None:
    seen = []
    for kills in (5, 0, 5, 6):
        bench.machine.proc("vmstat", f"nr_free_pages 1\noom_kill {kills}\n")
        bench.ahead += 10.0
        seen.append(events(bench.round()))
    assert seen == [[], [], [], ["mem:oom"]]


def test_two_folders_are_a_machine_without_any_settings(bench: Bench) -> None:
    answered = threading.Event()
    sampler = Sampler(Roots(str(bench.machine.procfs), str(bench.machine.sysfs)), answered.set)
    sampler.begin()
    assert answered.wait(30)
    assert sampler.snapshot().host == "t7910"
    sampler.close()
