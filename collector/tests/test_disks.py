"""File systems, disk traffic and the CPU's heat, from recorded machines."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Dict, Optional, Tuple

import pytest
from inktop_collector.readers import Round
from inktop_collector.sources.cpu_heat import CpuHeat
from inktop_collector.sources.disk_traffic import DiskRates
from inktop_collector.sources.disks import Disks, parse_mounts, short_name, usage
from inktop_collector.sources.group import Group
from inktop_collector.sources.uptime import Uptime
from inktop_protocol import Disk, DiskTraffic
from testkit.recorded import Machine

MOUNTS = r"""24 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw
25 24 0:22 / /proc rw - proc proc rw
26 24 0:5 / /dev rw - devtmpfs udev rw
27 24 8:1 / /boot/efi rw - vfat /dev/sda1 rw
28 24 8:3 / /home rw - xfs /dev/sda3 rw
29 24 8:3 /alice /srv/alice rw - xfs /dev/sda3 rw
30 24 7:4 / /snap/core/1 ro - squashfs /dev/loop4 ro
31 24 7:5 / /mnt/image rw - ext4 /dev/loop5 rw
32 24 0:50 / /var/lib/docker/overlay2/x/merged rw - overlay overlay rw
33 24 0:51 / /mnt/nas rw - nfs4 nas:/export rw
34 24 0:60 /@ /tank\040one rw - btrfs /dev/sdb rw
35 24 0:60 /@old /tank\040one/.snapshots rw - btrfs /dev/sdb rw
36 24 8:17 / /mnt/hidden rw - ext4 /dev/sdb1 rw
37 24 0:70 / /mnt/hidden rw - tmpfs tmpfs rw
nonsense
"""
SIZES = {"/": (100, 1000), "/home": (950, 1000), "/tank one": (500, 1000), "/mnt/nas": (999, 1000)}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.proc("self/mountinfo", MOUNTS)
    return machine


def test_only_file_systems_on_disks_count_and_each_once() -> None:
    assert [mount.path for mount in parse_mounts(MOUNTS.encode())] == ["/", "/home", "/tank one"]


def test_the_fullest_comes_first(machine: Machine) -> None:
    assert Disks(machine.roots(), SIZES.get).read().values == {
        "disks": (Disk(950, 1000, "/home"), Disk(500, 1000, "/tank one"), Disk(100, 1000, "/"))
    }


def test_a_file_system_that_cannot_be_asked_is_left_out(machine: Machine) -> None:
    sizes: Dict[str, Tuple[int, int]] = {"/": (1, 2)}
    assert Disks(machine.roots(), sizes.get).read().values == {"disks": (Disk(1, 2, "/"),)}


def test_no_more_than_the_line_can_carry(machine: Machine) -> None:
    many = "".join(f"{n} 1 8:{n} / /d{n} rw - ext4 /dev/sd{n} rw\n" for n in range(20))
    machine.proc("self/mountinfo", many)
    disks = Disks(machine.roots(), lambda path: (int(path[2:]), 100)).read().values["disks"]
    assert [disk.name for disk in disks] == ["/d19", "/d18", "/d17", "/d16"]


def test_the_disks_of_a_recorded_machine_are_not_those_of_this_one(machine: Machine) -> None:
    assert Disks(machine.roots()).read().values == {"disks": ()}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/", "/"),
        ("/var/lib/docker", "/var/lib/docker"),
        ("/srv/storage/photos", "~storage/photos"),
        ("/a,b:c|d", "/a_b_c_d"),
        ("/M\u00fcll", "/M_ll"),
    ],
)
def test_a_name_that_the_line_cannot_say_is_shortened(path: str, name: str) -> None:
    assert short_name(path) == name


def test_used_and_free_are_those_of_df(tmp_path: Path) -> None:
    size = usage(str(tmp_path))
    assert size is not None
    assert 0 <= size[0] <= size[1]
    assert usage(str(tmp_path / "missing")) is None


def test_a_file_system_that_hangs_holds_no_other_value(machine: Machine) -> None:
    """A disk, or a parent of its mount point on a dead server, may never answer."""
    machine.proc("uptime", "1051200.00 1.00\n")
    free = threading.Event()

    def hang(path: str) -> Optional[Tuple[int, int]]:
        free.wait(20)
        return None

    group = Group([Disks(machine.roots(), hang), Uptime(machine.roots())])
    end = time.monotonic() + 10
    rounds = Round(lambda: None)
    while group.collect(time.monotonic()).values.get("uptime_s") is None and time.monotonic() < end:
        rounds.begin(group.readers(time.monotonic()))
        time.sleep(0.02)
    values = group.collect(time.monotonic()).values
    free.set()
    group.close()
    assert values["uptime_s"] == 1051200
    assert values["disks"] == ()


# -- traffic --

DISKSTATS = """   8       0 sda 100 0 {read} 50 200 0 {written} 70 0 120 120
   8       1 sda1 100 0 {read} 50 200 0 {written} 70 0 120 120
 253       0 dm-0 100 0 {read} 50 200 0 {written} 70 0 120 120
   7       0 loop0 100 0 999999 50 0 0 0 0 0 0 0
 259       0 nvme0n1 10 0 {read} 5 20 0 0 7 0 12 12
"""


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> Dict[str, float]:
    now = {"now": 100.0}
    monkeypatch.setattr(time, "monotonic", lambda: now["now"])
    return now


def test_traffic_is_that_of_whole_disks_together(machine: Machine, seconds: Dict[str, float]) -> None:
    for name in ("sda", "nvme0n1", "dm-0"):
        machine.sys(f"block/{name}/size", "1\n")
    machine.proc("diskstats", DISKSTATS.format(read=1000, written=500))
    source = DiskRates(machine.roots())
    assert source.read().values == {"disk_traffic": DiskTraffic(None, None)}
    seconds["now"] += 2
    machine.proc("diskstats", DISKSTATS.format(read=1400, written=600))
    # Two disks read 400 sectors each in two seconds, one wrote 100.
    assert source.read().values == {"disk_traffic": DiskTraffic(2 * 400 * 512 // 2, 100 * 512 // 2)}


def test_a_disk_that_is_plugged_in_makes_no_traffic_of_its_past(
    machine: Machine, seconds: Dict[str, float]
) -> None:
    machine.sys("block/sda/size", "1\n")
    machine.proc("diskstats", DISKSTATS.format(read=1000, written=500).split("\n")[0] + "\n")
    source = DiskRates(machine.roots())
    source.read()
    seconds["now"] += 1
    machine.sys("block/nvme0n1/size", "1\n")
    machine.proc("diskstats", DISKSTATS.format(read=1000, written=500))
    assert source.read().values == {"disk_traffic": DiskTraffic(None, None)}


def test_a_disk_that_takes_the_place_of_another_makes_no_traffic_of_its_past(
    machine: Machine, seconds: Dict[str, float]
) -> None:
    """The file has as many lines as before."""
    line = "   8       0 {} 100 0 {} 50 200 0 {} 70 0 120 120\n"
    for name in ("sda", "sdb"):
        machine.sys(f"block/{name}/size", "1\n")
    machine.proc("diskstats", line.format("sda", 1000, 500))
    source = DiskRates(machine.roots())
    source.read()
    seconds["now"] += 1
    machine.proc("diskstats", line.format("sdb", 9000, 9000))
    assert source.read().values == {"disk_traffic": DiskTraffic(None, None)}
    seconds["now"] += 1
    machine.proc("diskstats", line.format("sdb", 9002, 9001))
    assert source.read().values == {"disk_traffic": DiskTraffic(1024, 512)}


def test_a_disk_whose_line_is_no_numbers_is_left_out_and_makes_no_jump_when_it_is_back(
    machine: Machine, seconds: Dict[str, float]
) -> None:
    for name in ("sda", "nvme0n1"):
        machine.sys(f"block/{name}/size", "1\n")
    machine.proc("diskstats", DISKSTATS.format(read=1000, written=500))
    source = DiskRates(machine.roots())
    source.read()
    broken = DISKSTATS.format(read=1000, written=500).replace("nvme0n1 10 0 1000", "nvme0n1 10 0 ?")
    rates = []
    for text, passed in (
        (broken, 1),
        (DISKSTATS.format(read=1000, written=500), 10),
        (DISKSTATS.format(read=1001, written=500), 1),
    ):
        seconds["now"] += passed
        machine.proc("diskstats", text)
        rates.append(source.read().values["disk_traffic"])
    assert rates == [DiskTraffic(None, None), DiskTraffic(None, None), DiskTraffic(1024, 0)]


def test_a_disk_whose_name_is_in_the_place_of_another_is_found_after_a_while(
    machine: Machine, seconds: Dict[str, float]
) -> None:
    """A loop device went as a disk came: as many lines, and no disk that was counted is missing."""
    first = DISKSTATS.format(read=1000, written=500)
    machine.sys("block/sda/size", "1\n")
    machine.proc("diskstats", first)
    source = DiskRates(machine.roots())
    source.read()
    machine.sys("block/sdb/size", "1\n")
    machine.proc("diskstats", first.replace("loop0 100 0 999999", "sdb 100 0 2000"))
    seconds["now"] += 1
    assert source.read().values == {"disk_traffic": DiskTraffic(0, 0)}
    seconds["now"] += 10
    assert source.read().values == {"disk_traffic": DiskTraffic(None, None)}
    assert source.doctor(source.read())[0].found == "sda, sdb"


def test_a_machine_without_disks_says_nothing_of_traffic(machine: Machine) -> None:
    machine.proc("diskstats", "   7       0 loop0 100 0 999999 50 0 0 0 0 0 0 0\n")
    assert DiskRates(machine.roots()).read().values == {"disk_traffic": None}


# -- heat --


def hwmon(machine: Machine, number: int, driver: str, inputs: Dict[str, str]) -> None:
    machine.sys(f"class/hwmon/hwmon{number}/name", driver + "\n")
    for name, text in inputs.items():
        machine.sys(f"class/hwmon/hwmon{number}/{name}", text + "\n")


def heat(machine: Machine) -> Optional[int]:
    celsius: Optional[int] = CpuHeat(machine.roots()).read().values["cpu_c"]
    return celsius


def test_of_two_packages_the_hotter_one_counts_and_no_core(machine: Machine) -> None:
    for number, milli in ((0, "61000"), (1, "64500")):
        inputs = {"temp1_input": milli, "temp1_label": f"Package id {number}"}
        inputs.update({"temp2_input": "99000", "temp2_label": "Core 0"})
        hwmon(machine, number, "coretemp", inputs)
    hwmon(machine, 2, "nvme", {"temp1_input": "80000"})
    assert heat(machine) == 65


def test_a_ryzen_says_tdie_where_it_has_it_else_tctl(machine: Machine) -> None:
    inputs = {"temp1_input": "82000", "temp1_label": "Tctl", "temp3_input": "55000", "temp3_label": "Tccd1"}
    hwmon(machine, 0, "k10temp", inputs)
    assert heat(machine) == 82
    hwmon(machine, 0, "k10temp", {"temp2_input": "72000", "temp2_label": "Tdie"})
    assert heat(machine) == 72


def test_an_arm_board_has_one_sensor_without_a_label(machine: Machine) -> None:
    hwmon(machine, 0, "cpu_thermal", {"temp1_input": "48312"})
    assert heat(machine) == 48


def test_a_sensor_that_cannot_be_right_is_no_sensor(machine: Machine) -> None:
    hwmon(machine, 0, "k10temp", {"temp1_input": "255000", "temp1_label": "Tctl"})
    assert heat(machine) is None


def test_a_machine_without_a_sensor_has_no_heat(machine: Machine) -> None:
    assert heat(machine) is None
