"""A GPU in trouble does not silence the line: states, places, events, what is remembered."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Dict, Iterator, List, Optional

import pytest
from inktop_collector.readers import STALE_S
from inktop_collector.sources.gpu.states import SlotState
from inktop_collector.state import KNOWN_FILE
from inktop_protocol import Event, Snapshot
from testkit.recorded import Machine, Sampling

FIRST, SECOND = "0000:03:00.0", "0000:07:00.0"


def files(busy: int) -> Dict[str, str]:
    return {
        "gpu_busy_percent": f"{busy}\n",
        "mem_info_vram_total": "34208743424\n",
        "mem_info_vram_used": "1048576000\n",
        "power/runtime_status": "active\n",
    }


HWMON = {"name": "amdgpu\n", "temp1_input": "50000\n", "power1_average": "30000000\n"}


class Clock:
    """Moves monotonic and wall time for the code under test, without waiting."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = 0.0
        monotonic, wall = time.monotonic, time.time
        monkeypatch.setattr(time, "monotonic", lambda: monotonic() + self.ahead)
        monkeypatch.setattr(time, "time", lambda: wall() + self.ahead)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def pair(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path / "machine")
    machine.gpu("card0", FIRST, files(11), HWMON)
    machine.gpu("card1", SECOND, files(22), HWMON)
    return machine


class Bench:
    """Samplings of one machine, all closed at the end."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.samplings: List[Sampling] = []

    def start(self, machine: Machine, state: Optional[Path] = None, **settings: object) -> Sampling:
        sampling = Sampling(machine, state, **settings)  # type: ignore[arg-type]
        self.samplings.append(sampling)
        return sampling

    def after(self, sampling: Sampling, seconds: float = 2.1) -> Snapshot:
        self.clock.ahead += seconds
        return sampling.round()

    def settled(self, sampling: Sampling) -> Snapshot:
        """After the next look for cards, and a read of those that it found."""
        self._looked(sampling)  # one that is under way may have begun before the card came
        self.after(sampling)
        self._looked(sampling)
        return sampling.round()

    def _looked(self, sampling: Sampling) -> None:
        while sampling.sampler.gpus._scanner.busy_since is not None:
            time.sleep(0.001)


@pytest.fixture
def bench(clock: Clock) -> Iterator[Bench]:
    bench = Bench(clock)
    yield bench
    for sampling in bench.samplings:
        sampling.close()


def shown(snapshot: Snapshot) -> List[object]:
    return [(gpu.index, gpu.busy_percent, gpu.state) for gpu in snapshot.gpus]


def events(snapshot: Snapshot) -> List[str]:
    return [f"{event.subject}:{event.what}" for event in snapshot.events]


def test_a_card_that_vanishes_keeps_its_place_and_is_lost(pair: Machine, bench: Bench) -> None:
    sampling = bench.start(pair)
    assert shown(sampling.round()) == [(0, 11, "ok"), (1, 22, "ok")]
    pair.remove("class/drm/card0")
    snapshot = bench.after(sampling)
    assert shown(snapshot) == [(0, None, "lost"), (1, 22, "ok")]
    assert events(snapshot) == ["gpu0:lost"]
    assert snapshot.gpus[0].vram_total_mib is None
    assert shown(bench.after(sampling, 3600.0))[0] == (0, None, "lost")


def test_a_lost_event_has_the_time_at_which_it_was_lost(pair: Machine, bench: Bench) -> None:
    sampling = bench.start(pair)
    sampling.round()
    pair.remove("class/drm/card0")
    first = bench.after(sampling).events
    assert len(first) == 1
    assert bench.after(sampling, 86400.0 / 2).events == first


def test_a_card_that_comes_back_takes_its_old_place(pair: Machine, bench: Bench) -> None:
    sampling = bench.start(pair)
    sampling.round()
    pair.remove("class/drm/card0")
    bench.after(sampling)
    # The kernel counts on: the same device is another card now.
    pair.gpu("card2", FIRST, files(33), HWMON)
    snapshot = bench.settled(sampling)
    assert shown(snapshot) == [(0, 33, "ok"), (1, 22, "ok")]
    assert events(snapshot) == ["gpu0:back"]
    # Ten minutes from the look that found it; some of them have passed.
    assert events(bench.after(sampling, 595)) == ["gpu0:back"]
    assert events(bench.after(sampling, 5)) == []


def test_a_new_card_is_added_behind_the_others(pair: Machine, bench: Bench) -> None:
    sampling = bench.start(pair)
    sampling.round()
    pair.gpu("card7", "0000:01:00.0", files(44), HWMON)
    assert shown(bench.settled(sampling)) == [(0, 11, "ok"), (1, 22, "ok"), (2, 44, "ok")]


def test_a_card_that_comes_while_a_look_hangs_is_found_after_it(pair: Machine, bench: Bench) -> None:
    sampling = bench.start(pair)
    sampling.round()
    slots = sampling.sampler.gpus
    look, begun, go_on = slots._scanner._read, threading.Event(), threading.Event()

    def hang() -> object:
        found = look()
        begun.set()
        go_on.wait(10)
        return found

    slots._scanner._read = hang
    pair.gpu("card7", "0000:01:00.0", files(44), HWMON)
    bench.after(sampling)
    assert begun.wait(10)
    pair.gpu("card8", "0000:02:00.0", files(55), HWMON)
    assert shown(bench.after(sampling)) == [(0, 11, "ok"), (1, 22, "ok")]
    go_on.set()
    assert shown(bench.settled(sampling)) == [
        (0, 11, "ok"),
        (1, 22, "ok"),
        (2, 44, "ok"),
        (3, 55, "ok"),
    ]


def test_a_card_that_did_not_come_back_after_a_reboot_is_lost(
    pair: Machine, bench: Bench, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    bench.start(pair, state).round()
    pair.remove("class/drm/card0")
    snapshot = bench.start(pair, state).round()
    assert shown(snapshot) == [(0, None, "lost"), (1, 22, "ok")]
    assert events(snapshot) == ["gpu0:lost"]


def test_the_time_of_a_loss_outlives_a_restart(pair: Machine, bench: Bench, tmp_path: Path) -> None:
    state = tmp_path / "state"
    sampling = bench.start(pair, state)
    sampling.round()
    pair.remove("class/drm/card0")
    lost = bench.after(sampling).events
    bench.clock.ahead += 5000
    assert bench.start(pair, state).round().events == lost


def test_without_a_state_directory_nothing_is_remembered(pair: Machine, bench: Bench) -> None:
    bench.start(pair).round()
    pair.remove("class/drm/card0")
    assert shown(bench.start(pair).round()) == [(0, 22, "ok")]


def test_an_acknowledged_card_is_forgotten(pair: Machine, bench: Bench, tmp_path: Path) -> None:
    state = tmp_path / "state"
    sampling = bench.start(pair, state)
    sampling.round()
    pair.remove("class/drm/card0")
    bench.after(sampling)
    assert sampling.sampler.acknowledge() == 1
    snapshot = sampling.round()
    # The place of the other does not change while the collector runs.
    assert shown(snapshot) == [(1, 22, "ok")]
    assert events(snapshot) == []
    assert shown(bench.start(pair, state).round()) == [(0, 22, "ok")]


def test_a_card_that_is_late_at_the_start_was_not_lost(pair: Machine, bench: Bench, tmp_path: Path) -> None:
    """Its driver is still loading when the collector starts."""
    state = tmp_path / "state"
    bench.start(pair, state).round()
    pair.remove("class/drm/card0")
    sampling = bench.start(pair, state)
    sampling.round()
    pair.gpu("card0", FIRST, files(11), HWMON)
    snapshot = bench.settled(sampling)
    assert shown(snapshot) == [(0, 11, "ok"), (1, 22, "ok")]
    assert events(snapshot) == []


def test_a_rebuilt_machine_is_ordered_anew(pair: Machine, bench: Bench, tmp_path: Path) -> None:
    state = tmp_path / "state"
    bench.start(pair, state).round()
    pair.gpu("card2", "0000:01:00.0", files(44), HWMON)
    assert shown(bench.start(pair, state).round()) == [(0, 44, "ok"), (1, 11, "ok"), (2, 22, "ok")]


@pytest.mark.parametrize(
    "damage", ["", "\n\n", "x", "\t\t\t\n", "0000:03:00.0\tA\tdiscrete\tnever\n", "\0\xff"]
)
def test_a_damaged_state_file_is_no_trouble(pair: Machine, bench: Bench, tmp_path: Path, damage: str) -> None:
    (tmp_path / KNOWN_FILE).write_text(damage)
    assert shown(bench.start(pair, tmp_path).round()) == [(0, 11, "ok"), (1, 22, "ok")]


def test_a_state_directory_that_cannot_be_written_is_said_once(
    pair: Machine, bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    sampling = bench.start(pair, tmp_path / "file")
    for _ in range(3):
        sampling.round()
    assert len([text for text in sampling.log if "remember" in text]) == 1


def test_a_reset_is_an_event_for_ten_minutes_after_its_end(pair: Machine, bench: Bench) -> None:
    sampling = bench.start(pair)
    sampling.round()
    for name in ("gpu_busy_percent", "hwmon/hwmon3/temp1_input", "hwmon/hwmon3/power1_average"):
        pair.device(FIRST, name, "!EPERM\n")
    snapshot = bench.after(sampling, 1.0)
    assert snapshot.gpus[0].state == "reset"
    assert snapshot.gpus[0].vram_used_mib == 1000
    assert events(snapshot) == ["gpu0:reset"]
    assert events(bench.after(sampling, 6000)) == ["gpu0:reset"]
    for name, text in (
        ("gpu_busy_percent", "5\n"),
        ("hwmon/hwmon3/temp1_input", "50000\n"),
        ("hwmon/hwmon3/power1_average", "30000000\n"),
    ):
        pair.device(FIRST, name, text)
    snapshot = bench.after(sampling, 1.0)
    assert snapshot.gpus[0].state == "ok"
    assert events(snapshot) == ["gpu0:reset"]
    assert events(bench.after(sampling, 595)) == ["gpu0:reset"]
    assert events(bench.after(sampling, 5)) == []


def test_an_event_whose_cause_is_over_stays_600_s_to_the_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    for state, what in (("reset", "reset"), ("lost", "back")):
        slot = SlotState(0)
        slot.become(state)
        assert [began.event.what for began in slot.events(now + 86400)] == [state]
        slot.become("ok")
        assert [began.event.what for began in slot.events(now + 599.9)] == [what]
        assert slot.events(now + 600.0) == []


def test_a_state_is_new_once() -> None:
    slot = SlotState(0)
    assert [slot.become(state) for state in ("ok", "reset", "reset", "ok")] == [False, True, False, True]
    assert slot.lost_at == 0
    assert [slot.lose(1000), slot.lose(1000)] == [True, False]
    assert slot.lost_at == 1000


def test_an_acknowledged_read_that_still_hangs_goes_on_being_told() -> None:
    slot = SlotState(0)
    slot.become("reset")
    slot.become("stale")
    assert slot.acknowledge() == 2
    assert [began.event.what for began in slot.events(time.monotonic())] == ["stale"]
    slot.become("ok")
    slot.become("reset")
    assert slot.acknowledge() == 1
    assert slot.events(time.monotonic()) == []


@pytest.mark.parametrize(("after_s", "told"), [(119.9, []), (120.0, ["back"]), (3600.0, ["back"])])
def test_a_card_that_comes_within_two_minutes_of_the_start_was_late_not_lost(
    monkeypatch: pytest.MonkeyPatch, after_s: float, told: List[str]
) -> None:
    now = 5000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    slot = SlotState(0)
    slot.miss(0)
    now += after_s
    slot.become("ok")
    assert [began.event.what for began in slot.events(now)] == told


def test_a_card_that_falls_asleep_and_wakes_is_no_event(pair: Machine, bench: Bench) -> None:
    sampling = bench.start(pair)
    sampling.round()
    pair.device(FIRST, "power/runtime_status", "suspended\n")
    snapshot = sampling.round()
    assert (snapshot.gpus[0].state, events(snapshot)) == ("asleep", [])
    pair.device(FIRST, "power/runtime_status", "active\n")
    snapshot = sampling.round()
    assert (shown(snapshot)[0], events(snapshot)) == ((0, 11, "ok"), [])
    assert sampling.log == []


def test_a_read_that_hangs_makes_its_card_stale_and_no_other(pair: Machine, bench: Bench) -> None:
    """prometheus/node_exporter#1507: a read in the kernel that never returns, here of a pipe."""
    sampling = bench.start(pair)
    sampling.round()
    path = pair.sysfs / f"devices/pci0000:00/{FIRST}/hwmon/hwmon3/power1_average"
    path.unlink()
    os.mkfifo(path)
    # For three seconds the last values stay, then they are unknown.
    assert shown(sampling.round(0.2)) == [(0, 11, "ok"), (1, 22, "ok")]
    assert shown(bench.after(sampling, STALE_S - 1)) == [(0, 11, "ok"), (1, 22, "ok")]
    for _ in range(3):
        snapshot = bench.after(sampling, STALE_S)
        assert shown(snapshot) == [(0, None, "stale"), (1, 22, "ok")]
        assert events(snapshot) == ["gpu0:stale"]
        assert snapshot.memory is not None
    with path.open("w") as pipe:
        pipe.write("40000000\n")
    deadline = time.monotonic() + 2
    while sampling.round().gpus[0].state != "ok" and time.monotonic() < deadline:
        path.unlink(missing_ok=True)
        pair.device(FIRST, "hwmon/hwmon3/power1_average", "30000000\n")
        time.sleep(0.01)
    snapshot = sampling.round()
    assert (shown(snapshot)[0], events(snapshot)) == ((0, 11, "ok"), [])


def test_a_hanging_card_costs_no_more_than_one_thread(pair: Machine, bench: Bench) -> None:
    sampling = bench.start(pair)
    path = pair.sysfs / f"devices/pci0000:00/{FIRST}/gpu_busy_percent"
    path.unlink()
    os.mkfifo(path)
    sampling.round(0.2)

    def threads() -> int:
        return len(list(Path("/proc/self/task").iterdir()))

    before = threads()
    for _ in range(50):
        sampling.round()
    assert threads() == before
    with path.open("w") as pipe:
        pipe.write("1\n")


def test_a_source_with_a_fault_does_not_end_the_line(
    pair: Machine, bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    sampling = bench.start(pair)
    reader = sampling.sampler.gpus.slots[0].reader
    assert reader is not None

    def broken() -> object:
        raise RuntimeError("never seen before")

    reader._read = broken
    for _ in range(3):
        sampling.round()
    snapshot = bench.after(sampling, STALE_S + 1)
    assert shown(snapshot)[1] == (1, 22, "ok")
    assert snapshot.gpus[0].busy_percent is None
    assert capsys.readouterr().err.count("never seen before") == 1


def test_a_fresh_start_of_the_machine_is_an_event(pair: Machine, bench: Bench) -> None:
    pair.proc("uptime", "30.25 100.0\n")
    sampling = bench.start(pair)
    assert events(sampling.round()) == ["sys:boot"]
    pair.proc("uptime", "601.0 100.0\n")
    assert events(bench.after(sampling, 571)) == []


def test_a_process_killed_for_want_of_memory_is_an_event(pair: Machine, bench: Bench) -> None:
    pair.proc("vmstat", "nr_free_pages 1\noom_kill 3\nunevictable 0\n")
    sampling = bench.start(pair)
    assert events(sampling.round()) == []
    pair.proc("vmstat", "nr_free_pages 1\noom_kill 4\nunevictable 0\n")
    snapshot = bench.after(sampling, 10.1)
    assert events(snapshot) == ["mem:oom"]
    assert sampling.sampler.acknowledge() == 1
    assert events(sampling.round()) == []
    pair.proc("vmstat", "nr_free_pages 1\noom_kill 5\nunevictable 0\n")
    assert events(bench.after(sampling, 10.1)) == ["mem:oom"]
    assert events(bench.after(sampling, 595)) == ["mem:oom"]
    assert events(bench.after(sampling, 5)) == []


@pytest.mark.parametrize("order", [("oom", FIRST, SECOND), (SECOND, "oom", FIRST), (SECOND, FIRST, "oom")])
def test_events_are_in_the_order_in_which_they_began(pair: Machine, bench: Bench, order: List[str]) -> None:
    """Not by subject: neither sources before cards, nor the first card before the second."""
    pair.proc("vmstat", "x 1\noom_kill 3\n")
    sampling = bench.start(pair)
    sampling.round()
    names = {"oom": "mem:oom", FIRST: "gpu0:lost", SECOND: "gpu1:lost"}
    for what in order:
        if what == "oom":
            pair.proc("vmstat", "x 1\noom_kill 9\n")
        else:
            pair.remove(f"class/drm/card{int(what == SECOND)}")
        snapshot = bench.after(sampling, 10.1)
    assert events(snapshot) == [names[what] for what in order]
    assert all(isinstance(event, Event) for event in snapshot.events)


def test_a_card_that_is_back_is_told_for_ten_minutes(pair: Machine, bench: Bench) -> None:
    sampling = bench.start(pair)
    sampling.round()
    pair.remove("class/drm/card0")
    bench.after(sampling)
    pair.gpu("card2", FIRST, files(33), HWMON)
    assert events(bench.settled(sampling)) == ["gpu0:back"]
    assert events(bench.after(sampling, 595)) == ["gpu0:back"]
    assert events(bench.after(sampling, 6)) == []


def test_a_process_killed_is_told_for_ten_minutes(pair: Machine, bench: Bench) -> None:
    pair.proc("vmstat", "x 1\noom_kill 3\n")
    sampling = bench.start(pair)
    sampling.round()
    pair.proc("vmstat", "x 1\noom_kill 4\n")
    assert events(bench.after(sampling, 10.1)) == ["mem:oom"]
    assert events(bench.after(sampling, 595)) == ["mem:oom"]
    assert events(bench.after(sampling, 6)) == []


@pytest.mark.parametrize(("uptime", "shown"), [("599.9", ["sys:boot"]), ("600.0", [])])
def test_a_fresh_start_is_told_for_ten_minutes(
    pair: Machine, bench: Bench, uptime: str, shown: List[str]
) -> None:
    pair.proc("uptime", f"{uptime} 100.0\n")
    assert events(bench.start(pair).round()) == shown


def test_a_card_that_cannot_even_say_what_it_is_keeps_its_place(pair: Machine, bench: Bench) -> None:
    """A driver that hangs in its removal holds the device: reading its uevent does not return."""
    pair.device(FIRST, "vendor", "0x1002\n")
    pair.device(FIRST, "device", "0x7551\n")
    path = pair.sysfs / f"devices/pci0000:00/{FIRST}/uevent"
    path.unlink()
    os.mkfifo(path)
    started = time.monotonic()
    sampling = bench.start(pair)
    assert time.monotonic() - started < 1.5
    assert shown(sampling.round()) == [(0, 11, "ok"), (1, 22, "ok")]
    pair.remove("class/drm/card1")
    assert shown(bench.after(sampling)) == [(0, 11, "ok"), (1, None, "lost")]
    assert shown(bench.after(sampling)) == [(0, 11, "ok"), (1, None, "lost")]
    with path.open("w") as pipe:
        pipe.write("DRIVER=amdgpu\n")
