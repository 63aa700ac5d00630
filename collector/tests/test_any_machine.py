"""Any content of a machine's files gives a line that every board accepts."""

from __future__ import annotations

from pathlib import Path
from typing import Dict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inktop_protocol import InfoLine, Snapshot, encode_info, encode_snapshot
from inktop_protocol.decode import decode
from testkit.recorded import Machine, Sampling

PROC = (
    "stat",
    "meminfo",
    "loadavg",
    "uptime",
    "net/dev",
    "net/route",
    "cpuinfo",
    "sys/kernel/hostname",
    "vmstat",
)
DEVICE = (
    "gpu_busy_percent",
    "mem_info_vram_total",
    "mem_info_vram_used",
    "mem_info_gtt_total",
    "mem_info_gtt_used",
    "power/runtime_status",
    "power_state",
    "uevent",
    "vendor",
    "device",
    "revision",
    "product_name",
    "pp_dpm_sclk",
)
HWMON = (
    "name",
    "temp1_input",
    "temp1_label",
    "temp1_crit",
    "temp2_input",
    "temp2_label",
    "temp3_input",
    "power1_average",
    "power1_input",
    "power1_cap",
    "fan1_input",
    "fan1_max",
    "pwm1",
    "pwm1_max",
    "freq1_input",
    "freq1_label",
    "in1_label",
    "energy1_input",
)
ERRORS = ("EBUSY", "EPERM", "EINVAL", "EOPNOTSUPP", "EIO", "ENODEV", "EACCES", "ENOENT")
contents = st.one_of(
    st.sampled_from([f"!{name}\n" for name in ERRORS]),
    st.sampled_from(
        ["", "\n", "0\n", "-1\n", "65535\n", "511000\n", "4294967295\n", "amdgpu\n", "vddnb\n", "edge\n"]
    ),
    st.integers(-(2**70), 2**70).map(lambda value: f"{value}\n"),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    st.text("0123456789 \t\ncpu:,.-", max_size=200),
)


def names(of: tuple[str, ...]) -> st.SearchStrategy[Dict[str, str]]:
    return st.dictionaries(st.sampled_from(of), contents, max_size=len(of))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    first=names(PROC),
    second=names(PROC),
    device=names(DEVICE),
    hwmon=names(HWMON),
    driver=st.sampled_from(["amdgpu", "i915", "xe"]),
)
def test_any_content_of_any_file_gives_a_line_that_is_accepted(
    tmp_path_factory: pytest.TempPathFactory,
    first: Dict[str, str],
    second: Dict[str, str],
    device: Dict[str, str],
    hwmon: Dict[str, str],
    driver: str,
) -> None:
    machine = Machine(tmp_path_factory.mktemp("m"))
    for name, text in first.items():
        machine.proc(name, text)
    machine.gpu("card0", "0000:03:00.0", device, hwmon, driver=driver)
    sampling = Sampling(machine)
    for files in ({}, second, first):
        for name, text in files.items():
            machine.proc(name, text)
        assert isinstance(decode(encode_snapshot(sampling.round())), Snapshot)
        assert isinstance(decode(encode_info(sampling.sampler.info())), InfoLine)
    faults = sampling.sampler.system.faults.names.union(
        *(slot.reader.faults.names for slot in sampling.sampler.gpus.slots if slot.reader is not None)
    )
    assert not faults, "a fault in a source was caught"
    sampling.close()


def test_folders_in_place_of_all_files_are_unknown(tmp_path: Path) -> None:
    machine = Machine(tmp_path, bare=True)
    for name in PROC:
        (machine.procfs / name).mkdir(parents=True)
    for name in DEVICE:
        (machine.sysfs / "class/drm/card0/device" / name).mkdir(parents=True)
    for name in HWMON:
        (machine.sysfs / "class/drm/card0/device/hwmon/hwmon0" / name).mkdir(parents=True)
    sampling = Sampling(machine)
    sampling.round()
    snapshot = sampling.round()
    sampling.close()
    assert isinstance(decode(encode_snapshot(snapshot)), Snapshot)
    assert snapshot.cpu_permille is None
    assert snapshot.memory is not None
    assert snapshot.memory.total_milligib is None


def test_a_machine_of_512_cpus_and_16_gpus_fits(tmp_path: Path) -> None:
    machine = Machine(tmp_path)

    def stat(busy: int) -> str:
        cpus = "".join(f"cpu{n} {busy + n} 0 0 {1000 + busy} 0 0 0 0 0 0\n" for n in range(512))
        return f"cpu {busy * 512} 0 0 {(1000 + busy) * 512} 0 0 0 0 0 0\n{cpus}intr 1\n"

    machine.proc("stat", stat(100))
    for number in range(16):
        files = {
            "gpu_busy_percent": "100\n",
            "mem_info_vram_total": "206158430208\n",
            "mem_info_vram_used": "206158430208\n",
        }
        hwmon = {
            "name": "amdgpu\n",
            "temp1_input": "100000\n",
            "power1_average": "1000000000\n",
            "fan1_input": "12345\n",
        }
        machine.gpu(f"card{number}", f"0000:{number:02x}:00.0", files, hwmon)
    sampling = Sampling(machine)
    sampling.round()
    machine.proc("stat", stat(150))
    snapshot = sampling.round()
    sampling.close()
    assert len(snapshot.gpus) == 16
    assert snapshot.cpus == 512
    line = encode_snapshot(snapshot)
    assert len(line) <= 1024
    assert isinstance(decode(line), Snapshot)
