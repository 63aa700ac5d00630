"""CPU counters that jump, shrink, restart or have holes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import List, Optional, Tuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inktop_collector.files import Roots
from inktop_collector.sources.cpu import Cpu, CpuSample, count_list, parse_stat
from testkit.recorded import STAT_0, STAT_1, Machine


class Ticks:
    """A CPU source over /proc/stat texts that follow one another, a second apart."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.machine = Machine(folder)
        self.now = 1000.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        self.cpu = Cpu(self.machine.roots())

    def see(self, stat: str, after_s: float = 1.0) -> CpuSample:
        self.now += after_s
        self.machine.proc("stat", stat)
        return self.cpu.measure()


@pytest.fixture
def ticks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ticks:
    return Ticks(tmp_path, monkeypatch)


def line(name: str, *fields: int) -> str:
    return " ".join([name, *map(str, fields)]) + "\n"


def test_busy_is_total_minus_idle_minus_iowait(ticks: Ticks) -> None:
    """Pitfall D3: an idle machine showed 50 %."""
    ticks.see(STAT_0)
    sample = ticks.see(STAT_1)
    assert sample.permille == 125
    assert sample.levels == (8, 0, 0, 0)
    assert sample.cpus == 4


def test_an_idle_machine_shows_zero(ticks: Ticks) -> None:
    """Pitfall D3."""
    ticks.see(line("cpu", 100, 0, 100, 5000, 50, 0, 0, 0, 0, 0))
    assert ticks.see(line("cpu", 100, 0, 100, 5090, 60, 0, 0, 0, 0, 0)).permille == 0


def test_the_first_look_only_takes_the_baseline(ticks: Ticks) -> None:
    sample = ticks.see(STAT_0)
    assert sample.permille is None
    assert sample.levels == (None, None, None, None)


def test_counters_that_do_not_move_are_unknown_not_idle(ticks: Ticks) -> None:
    ticks.see(STAT_0)
    sample = ticks.see(STAT_0)
    assert sample.permille is None
    assert sample.levels == (None,) * 4


def test_guest_time_is_not_counted_twice(ticks: Ticks) -> None:
    """prometheus/node_exporter, fixture proc/stat: guest time is inside user and nice."""
    before = (301854, 612, 111922, 8979004, 3552, 2, 3944, 0, 44, 36)
    # 100 ticks of a guest: they are in user (60) and nice (40) already. 100 more idle.
    after = (301914, 652, 111922, 8979104, 3552, 2, 3944, 0, 104, 76)
    ticks.see(line("cpu", *before))
    assert ticks.see(line("cpu", *after)).permille == 500


def test_the_total_is_the_sum_of_the_first_eight_fields() -> None:
    """prometheus/node_exporter, fixture proc/stat."""
    text = (
        "cpu  301854 612 111922 8979004 3552 2 3944 0 44 36\n"
        "cpu0 44490 19 21045 1087069 220 1 3410 0 2 1\n"
        "cpu1 47869 23 16474 1110787 591 0 46 0 3 2\n"
    )
    together, each = parse_stat(text.encode())
    assert together is not None
    assert sum(together) == 301854 + 612 + 111922 + 8979004 + 3552 + 2 + 3944
    assert sorted(each) == [0, 1]
    assert sum(each[0]) == 44490 + 19 + 21045 + 1087069 + 220 + 1 + 3410


def test_idle_that_falls_after_a_suspend_gives_no_value_and_never_100(ticks: Ticks) -> None:
    """giampaolo/psutil#2172."""
    ticks.see(line("cpu", 1466797, 6445, 708626, 6221847, 7998, 0, 8095, 0, 0, 0))
    woken = (1466867, 6445, 708691, 5873386, 7624, 0, 8095, 0, 0, 0)
    assert ticks.see(line("cpu", *woken), 7.4).permille is None
    later = (1466877, 6445, 708691, 5873476, 7624, 0, 8095, 0, 0, 0)
    assert ticks.see(line("cpu", *later)).permille == 100


def test_iowait_that_falls_alone_after_a_suspend_gives_no_value(ticks: Ticks) -> None:
    """A sibling of giampaolo/psutil#2172: only one of the two fields fell."""
    ticks.see(line("cpu", 1000, 0, 1000, 50000, 7998, 0, 0, 0))
    assert ticks.see(line("cpu", 1070, 0, 1065, 50600, 7624, 0, 0, 0)).permille is None


@pytest.mark.parametrize("field", range(7))
def test_any_field_that_restarts_gives_no_value(ticks: Ticks, field: int) -> None:
    fields = [5000, 4000, 3000, 90000, 2000, 1000, 1500, 0]
    ticks.see(line("cpu", *fields))
    fields = [f + 10000 for f in fields]
    fields[field] = 3
    assert ticks.see(line("cpu", *fields)).permille is None
    fields = [f + 10 for f in fields]
    assert ticks.see(line("cpu", *fields)).permille is not None


def test_iowait_that_jitters_back_counts_as_standing_still(ticks: Ticks) -> None:
    """prometheus/node_exporter#1372: the field in ticks, at each look ten seconds apart."""
    user, idle = 1000, 100000
    seen: List[Optional[int]] = []
    for iowait in (548281, 548281, 548282, 548281, 548282, 548282, 548282):
        user, idle = user + 100, idle + 900
        seen.append(ticks.see(line("cpu", user, 0, 0, idle, iowait, 0, 0, 0), 10.0).permille)
    assert seen[0] is None
    assert all(value in (99, 100) for value in seen[1:])


def test_a_total_that_falls_is_skipped_and_becomes_the_baseline(ticks: Ticks) -> None:
    """influxdata/telegraf, testcase cpu_times_decrease: the old baseline was kept for ever."""
    texts = [
        "cpu 18 0 0 100 80 2 0 0 0 0\ncpu0 18 0 0 100 80 2 0 0 0 0\n",
        "cpu 38 0 0 100 40 1 0 0 0 0\ncpu0 38 0 0 100 40 1 0 0 0 0\n",
        "cpu 56 0 0 100 120 3 0 0 0 0\ncpu0 56 0 0 100 120 3 0 0 0 0\n",
    ]
    ticks.see(texts[0])
    first = ticks.see(texts[1])
    assert (first.permille, first.levels) == (None, (None,))
    second = ticks.see(texts[2])
    assert (second.permille, second.levels) == (200, (3,))


def test_a_container_that_restarts_its_counters_is_skipped_once(ticks: Ticks) -> None:
    """lxcfs counts from the start of the container."""
    ticks.see(line("cpu", 900000, 0, 300000, 9000000, 100, 0, 0, 0))
    assert ticks.see(line("cpu", 5, 0, 2, 90, 0, 0, 0, 0)).permille is None
    assert ticks.see(line("cpu", 25, 0, 7, 165, 0, 0, 0, 0)).permille == 250


@pytest.mark.parametrize("per_second", [-832457433, -396408302, -515330792, 35312117399])
def test_garbage_in_steal_is_left_out(ticks: Ticks, per_second: int) -> None:
    """influxdata/telegraf#3885, prometheus/node_exporter#742: steal in some guests is noise."""
    steal = 35312117399
    ticks.see(line("cpu", 5653582, 827, 3220601, 1281540974, 85144, 0, 90281, steal, 0, 0))
    text = line("cpu", 5653592, 827, 3220611, 1281541054, 85144, 0, 90281, steal + per_second, 0, 0)
    assert ticks.see(text).permille == 200


def test_garbage_in_steal_of_one_cpu_spoils_no_other(ticks: Ticks) -> None:
    """influxdata/telegraf, PR #3342: the sum is smaller than one of its CPUs."""
    ticks.see(
        "cpu  144718161 824 31704023 1158093470 147685 0 2596711 47014973794 0 0\n"
        "cpu0 75929654 429 16652163 576318362 62144 0 26748 92166828454 0 0\n"
        "cpu1 68788506 394 15051860 581775108 85541 0 2569963 1799522552711 0 0\n"
    )
    sample = ticks.see(
        "cpu  144718211 824 31704023 1158093620 147685 0 2596711 47214973794 0 0\n"
        "cpu0 75929704 429 16652163 576318412 62144 0 26748 92166828450 0 0\n"
        "cpu1 68788506 394 15051860 581775208 85541 0 2569963 1799922552711 0 0\n"
    )
    assert sample.permille == 250
    assert sample.levels == (8, 0)


def test_true_steal_counts_as_busy(ticks: Ticks) -> None:
    ticks.see(line("cpu", 1000, 0, 0, 5000, 0, 0, 0, 300))
    assert ticks.see(line("cpu", 1020, 0, 0, 5020, 0, 0, 0, 360)).permille == 800


@pytest.mark.parametrize(
    ("present", "online"),
    [
        ((0, 2, 4, 6), "0,2,4,6"),
        ((0, 16, 17, 18, 19, 20, 21, 22, 23), "0,16-23"),
    ],
)
def test_offline_cpus_leave_holes_that_shift_nobody(
    ticks: Ticks, present: Tuple[int, ...], online: str
) -> None:
    """lxqt/qps#439, Atoptool/atop#261: CPUs are known by their number, not by their place."""
    before = "".join(line(f"cpu{n}", 100, 0, 0, 1000, 0, 0, 0, 0) for n in present)
    # Only the last one is busy.
    after = "".join(
        line(f"cpu{n}", 200, 0, 0, 1000, 0, 0, 0, 0)
        if n == present[-1]
        else line(f"cpu{n}", 100, 0, 0, 1100, 0, 0, 0, 0)
        for n in present
    )
    ticks.see(before)
    sample = ticks.see(after)
    assert sample.levels == (0,) * (len(present) - 1) + (15,)
    assert sample.cpus == len(present) == count_list(online.encode())


def test_a_cpu_that_is_plugged_in_is_unknown_for_one_tick(ticks: Ticks) -> None:
    two = line("cpu", 200, 0, 0, 2000, 0, 0, 0, 0) + line("cpu0", 100, 0, 0, 1000, 0, 0, 0, 0)
    two += line("cpu2", 100, 0, 0, 1000, 0, 0, 0, 0)
    # CPU 1 comes back with an hour of idle time, which the kernel's sum takes in at once.
    three = line("cpu", 350, 0, 0, 362150, 0, 0, 0, 0) + line("cpu0", 150, 0, 0, 1050, 0, 0, 0, 0)
    three += line("cpu1", 50, 0, 0, 360050, 0, 0, 0, 0) + line("cpu2", 150, 0, 0, 1050, 0, 0, 0, 0)
    ticks.see(two)
    sample = ticks.see(three)
    assert sample.levels == (8, None, 8)
    assert sample.permille == 500
    assert sample.cpus == 3


def test_a_cpu_that_is_unplugged_leaves_the_others_right(ticks: Ticks) -> None:
    three = line("cpu", 300, 0, 0, 3000, 0, 0, 0, 0)
    three += "".join(line(f"cpu{n}", 100, 0, 0, 1000, 0, 0, 0, 0) for n in range(3))
    two = line("cpu", 225, 0, 0, 2175, 0, 0, 0, 0)
    two += line("cpu0", 200, 0, 0, 1000, 0, 0, 0, 0) + line("cpu2", 125, 0, 0, 1075, 0, 0, 0, 0)
    ticks.see(three)
    sample = ticks.see(two)
    assert sample.levels == (15, 4)
    assert sample.permille == 625
    assert sample.cpus == 2


def test_without_a_sum_the_cpus_are_added_up(ticks: Ticks) -> None:
    ticks.see(line("cpu0", 100, 0, 0, 1000, 0, 0, 0, 0) + line("cpu1", 100, 0, 0, 1000, 0, 0, 0, 0))
    sample = ticks.see(line("cpu0", 200, 0, 0, 1000, 0, 0, 0, 0) + line("cpu1", 100, 0, 0, 1100, 0, 0, 0, 0))
    assert sample.permille == 500


def test_a_counter_that_jumps_by_hours_gives_no_value(ticks: Ticks) -> None:
    ticks.see(line("cpu", 100, 0, 0, 1000, 0, 0, 0, 0))
    assert ticks.see(line("cpu", 150, 0, 0, 361000, 0, 0, 0, 0)).permille is None


def test_lines_with_fewer_fields_are_read(ticks: Ticks) -> None:
    ticks.see("cpu 100 0 100 1000\n")
    assert ticks.see("cpu 120 0 110 1070\n").permille == 300


@pytest.mark.parametrize("damage", ["", "cpu\n", "cpu a b c d\n", "cpux 1 2 3 4\n", "nothing\n", "cpu 1 2\n"])
def test_a_damaged_file_is_unknown(ticks: Ticks, damage: str) -> None:
    ticks.see(damage)
    sample = ticks.see(damage)
    assert sample.permille is None
    assert sample.levels is None


def test_a_sandbox_without_proc_stat_is_unknown(ticks: Ticks) -> None:
    """ProcSubset=pid, marcpope/borgbackupserver#485; the count still comes from /sys."""
    ticks.machine.sys("devices/system/cpu/online", "0-7\n")
    sample = ticks.see("!ENOENT\n")
    assert (sample.permille, sample.levels, sample.cpus) == (None, None, 8)


def test_the_clock_of_the_cpus_is_never_asked(tmp_path: Path) -> None:
    """htop-dev/htop#471: scaling_cur_freq takes 16 ms a core. No source names it."""
    import inktop_collector

    for path in Path(inktop_collector.__file__).parent.rglob("*.py"):
        assert "scaling_cur_freq" not in path.read_text()


@pytest.mark.parametrize(
    ("text", "count"),
    [("0", 1), ("0-7", 8), ("0,2,4,6", 4), ("0,16-23", 9), ("", None), ("x", None), ("3-1", None)],
)
def test_a_kernel_list_is_counted(text: str, count: Optional[int]) -> None:
    assert count_list(text.encode()) == count


counters = st.lists(st.integers(0, 2**63), min_size=8, max_size=8)


@given(counters, counters, st.integers(0, 10**6), st.integers(1, 512))
def test_whatever_the_counters_do_a_share_is_between_none_and_all(
    before: List[int], after: List[int], elapsed: int, cpus: int
) -> None:
    share = Cpu(Roots("/nowhere", "/nowhere")).share(tuple(before), tuple(after), elapsed, cpus)
    if share is not None:
        busy, total = share
        assert 0 <= busy <= total
        assert total > 0
