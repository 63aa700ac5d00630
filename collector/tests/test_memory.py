"""Memory fields that are missing, zero or inconsistent."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inktop_collector.sources.memory import Memory, MemorySample, milligib
from testkit.recorded import MEMINFO, Machine

ARC_HEADER = "6 1 0x01 91 4368 5266997922 97951858082072\nname                            type data\n"


def meminfo(**fields: int) -> str:
    return "".join(f"{name + ':':<16}{value:>8} kB\n" for name, value in fields.items())


def arcstats(**fields: int) -> str:
    return ARC_HEADER + "".join(f"{name:<32}4    {value}\n" for name, value in fields.items())


def read(machine: Machine) -> MemorySample:
    return Memory(machine.roots()).measure()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_used_is_total_minus_available(machine: Machine) -> None:
    sample = read(machine)
    assert sample.total_kb == 131961396
    assert sample.used_kb == 131961396 - 124726272
    assert sample.cache_kb == 20000000 + 500000 + 1000000
    assert (milligib(sample.used_kb), milligib(sample.total_kb)) == (6900, 125848)


def test_without_memavailable_free_and_cached_stand_in(machine: Machine) -> None:
    """giampaolo/psutil#1010: an OpenVZ container has four lines."""
    machine.proc("meminfo", meminfo(MemTotal=1048576, MemFree=834036, SwapTotal=0, SwapFree=0))
    sample = read(machine)
    assert sample.used_kb == 214540
    assert sample.cache_kb is None
    assert sample.swap_total_kb == 0


def test_memavailable_of_zero_is_as_good_as_missing(machine: Machine) -> None:
    """giampaolo/psutil#1915."""
    machine.proc(
        "meminfo", meminfo(MemTotal=8000000, MemFree=3000000, MemAvailable=0, Buffers=0, Cached=1000000)
    )
    assert read(machine).used_kb == 4000000


def test_memavailable_of_the_host_does_not_count_in_a_container(machine: Machine) -> None:
    """A sibling of lxc/lxcfs#175: more is available than there is."""
    machine.proc("meminfo", meminfo(MemTotal=524288, MemFree=300000, MemAvailable=60000000, Cached=14000))
    assert read(machine).used_kb == 524288 - 314000


def test_cached_of_the_host_does_not_count_in_a_container(machine: Machine) -> None:
    machine.proc("meminfo", meminfo(MemTotal=524288, MemFree=300000, Cached=60000000))
    sample = read(machine)
    assert sample.used_kb == 224288
    assert sample.cache_kb is None


def test_shared_memory_of_the_host_changes_nothing(machine: Machine) -> None:
    """lxc/lxcfs#222: 956 MB shared in a container of 512 MB."""
    machine.proc(
        "meminfo",
        meminfo(
            MemTotal=512 * 1024,
            MemFree=292 * 1024,
            MemAvailable=292 * 1024,
            Cached=14 * 1024,
            Shmem=956 * 1024,
        ),
    )
    assert read(machine).used_kb == 220 * 1024


def test_huge_pages_agree_with_free(machine: Machine) -> None:
    """htop-dev/htop#447: they are used as free(1) has it, total minus available."""
    machine.proc(
        "meminfo",
        meminfo(MemTotal=593026380, MemFree=22093964, MemAvailable=34258672, Cached=13545432)
        + "HugePages_Total:       2\nHugePages_Free:        2\nHugepagesize:    1048576 kB\n"
        "Hugetlb:         4194304 kB\n",
    )
    assert read(machine).used_kb == 593026380 - 34258672


def test_the_zfs_cache_is_not_used_memory(machine: Machine) -> None:
    """htop-dev/htop#1002; the label is matched whole: data_size and hdr_size end in size, too."""
    machine.proc("meminfo", meminfo(MemTotal=32000000, MemFree=5000000, MemAvailable=9000000, Cached=4000000))
    machine.proc(
        "spl/kstat/zfs/arcstats",
        arcstats(
            data_size=999999999999, c_min=33554432, c_max=8367976448, size=1603939792, hdr_size=7, anon_size=9
        ),
    )
    sample = read(machine)
    assert sample.used_kb == 32000000 - 9000000 - (1603939792 - 33554432) // 1024
    assert sample.cache_kb == 4000000 + 1603939792 // 1024


def test_a_zfs_cache_at_its_minimum_gives_nothing_back(machine: Machine) -> None:
    machine.proc("spl/kstat/zfs/arcstats", arcstats(c_min=2 << 30, size=1 << 30))
    assert read(machine).used_kb == 131961396 - 124726272


@pytest.mark.parametrize(
    "files",
    [
        {"mounts": "lxcfs /proc/meminfo fuse.lxcfs rw,nosuid 0 0\n"},
        {"self/mounts": "lxcfs /proc/meminfo fuse.lxcfs rw,nosuid 0 0\n"},
        {"1/environ": "PATH=/bin\0container=lxc\0TERM=linux\0"},
        {"vz/version": "1\n"},
    ],
)
def test_the_zfs_cache_of_the_host_does_not_count_in_a_container(
    machine: Machine, files: Dict[str, str]
) -> None:
    machine.proc("spl/kstat/zfs/arcstats", arcstats(c_min=0, size=8 << 30))
    for name, text in files.items():
        machine.proc(name, text)
    assert read(machine).used_kb == 131961396 - 124726272


def test_a_zfs_cache_larger_than_the_machine_is_somebody_elses(machine: Machine) -> None:
    machine.proc("meminfo", meminfo(MemTotal=524288, MemFree=100000, MemAvailable=200000))
    machine.proc("spl/kstat/zfs/arcstats", arcstats(c_min=0, size=64 << 30))
    assert read(machine).used_kb == 324288


def test_a_damaged_zfs_file_changes_nothing(machine: Machine) -> None:
    machine.proc("spl/kstat/zfs/arcstats", "size\nsize 4\nsize 4 many\nc_min 4 -\n")
    assert read(machine).used_kb == 131961396 - 124726272


def test_without_a_swap_there_is_none(machine: Machine) -> None:
    machine.proc("meminfo", meminfo(MemTotal=8000000, MemFree=1, MemAvailable=1))
    assert read(machine).swap_total_kb == 0


@pytest.mark.parametrize(("free", "used"), [(2000, 6000), (8000, 0), (9000, None)])
def test_swap_that_is_free_beyond_its_size_is_unknown(
    machine: Machine, free: int, used: Optional[int]
) -> None:
    machine.proc("meminfo", meminfo(MemTotal=8000000, MemAvailable=1, SwapTotal=8000, SwapFree=free))
    assert read(machine).swap_used_kb == used


@pytest.mark.parametrize("text", ["", "!EACCES\n", "MemTotal:\n", "MemTotal: many kB\n", "MemTotal: 0 kB\n"])
def test_a_damaged_file_is_unknown_not_zero(machine: Machine, text: str) -> None:
    machine.proc("meminfo", text)
    sample = read(machine)
    assert (sample.used_kb, sample.total_kb, sample.cache_kb) == (None, None, None)


def test_swapcached_is_not_cached(machine: Machine) -> None:
    machine.proc("meminfo", "SwapCached: 77 kB\nMemTotal: 1000 kB\nMemFree: 500 kB\n")
    assert read(machine).used_kb == 500


def test_a_folder_in_place_of_the_file_is_unknown(machine: Machine) -> None:
    (machine.procfs / "meminfo").unlink()
    (machine.procfs / "meminfo").mkdir()
    assert read(machine).total_kb is None


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "MemTotal",
                "MemFree",
                "MemAvailable",
                "Cached",
                "Buffers",
                "SReclaimable",
                "SwapTotal",
                "SwapFree",
            ]
        ),
        st.integers(-1, 2**40),
    )
)
def test_whatever_the_fields_say_used_is_at_most_total(
    tmp_path_factory: pytest.TempPathFactory, fields: Dict[str, int]
) -> None:
    machine = Machine(tmp_path_factory.mktemp("m"), bare=True)
    machine.proc("meminfo", meminfo(**fields))
    sample = read(machine)
    if sample.used_kb is not None:
        assert sample.total_kb is not None
        assert 0 <= sample.used_kb < sample.total_kb
    if sample.swap_used_kb is not None:
        assert sample.swap_total_kb is not None
        assert 0 <= sample.swap_used_kb <= sample.swap_total_kb
    if sample.cache_kb is not None:
        assert sample.total_kb is not None
        assert 0 <= sample.cache_kb <= sample.total_kb


def test_the_usual_file_parses(machine: Machine) -> None:
    assert "MemAvailable" in MEMINFO
    assert read(machine).swap_used_kb == 0
