"""NVIDIA's cards against a stand-in for their library that counts every call."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

import pytest
from inktop_collector.files import Roots
from inktop_collector.readers import STALE_S
from inktop_collector.sources.gpu import makers
from inktop_collector.sources.gpu.nvidia import Nvidia, NvidiaCard
from inktop_collector.sources.gpu.throttle import nvidia_throttle
from inktop_collector.sources.gpu.use import Use, Uses
from inktop_collector.sources.source import Row
from inktop_protocol import Gpu, encode_snapshot
from testkit.nvidia import FakeLibrary, as_observed, build, nvidia_card
from testkit.recorded import Machine, Sampling

FIRST, SECOND = "0000:41:00.0", "0000:61:00.0"
#: What a data centre card may say: made up. Its fans are not its own.
CARD: Dict[str, int] = {
    "total": 143771 << 20,
    "reserved": 650 << 20,
    "limit_mw": 700000,
    "fan_rpm_code": 2,
    "fan_percent_code": 3,
    "memory_mhz": 3201,
    "slowdown": 89,
    "memory_max": 95,
    "link_generation": 5,
    "link_width": 16,
}
IDLE: Dict[str, int] = {
    **CARD,
    "used": 0,
    "busy": 0,
    "temperature": 35,
    "memory_temperature": 36,
    "power_mw": 77950,
    "core_mhz": 345,
    "throttling": 1,
}
LOADED: Dict[str, int] = {
    **CARD,
    "used": 21709 << 20,
    "busy": 100,
    "temperature": 56,
    "memory_temperature": 47,
    "power_mw": 691282,
    "core_mhz": 1440,
    "throttling": 4,
}


#: What the library said of an H200, driver 580.159.04, idle and while bench/nvidia_load.py ran: value and
#: code of each call, as bench/nvidia_check.py prints them. No serial number, no UUID.
H200: Dict[str, Any] = json.loads((Path(__file__).parent / "nvidia_h200.json").read_text())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("nvml") / "libnvidia-ml.so.1")


@pytest.fixture
def library(built: Path, tmp_path: Path) -> Iterator[FakeLibrary]:
    """Of its own for each test: the loader tells libraries apart by their files."""
    fake = FakeLibrary(Path(shutil.copy(built, tmp_path / "libnvidia-ml.so.1")))
    for card, address in enumerate((FIRST, SECOND)):
        fake.set(card, address=address, product="NVIDIA H200")
        fake.set(card, **LOADED)
    yield fake
    if fake.is_open():
        fake.set(hang=0)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path / "machine")
    nvidia_card(machine, FIRST)
    return machine


@pytest.fixture
def nvidia(library: FakeLibrary, monkeypatch: pytest.MonkeyPatch) -> Nvidia:
    maker = Nvidia(str(library.path))
    monkeypatch.setattr(makers, "MAKERS", (*makers.MAKERS[:2], maker))
    return maker


class Clock:
    """Moves monotonic time for the code under test, without waiting."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = 0.0
        monotonic = time.monotonic
        monkeypatch.setattr(time, "monotonic", lambda: monotonic() + self.ahead)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def open_card(machine: Machine, nvidia: Nvidia, number: int = 0) -> NvidiaCard:
    roots = machine.roots()
    return nvidia.open(roots, nvidia.find(roots)[number], number)


def line(sampling: Sampling) -> List[str]:
    text = encode_snapshot(sampling.round()).decode()
    return [field for field in text.rpartition("*")[0].split("|") if field.startswith("g")]


# -- values --


@pytest.mark.parametrize(
    ("said", "field"),
    [
        (IDLE, "g0=0,0,143771,35,-,36,78,-,345,3201,-,ok,none,5,16"),
        (LOADED, "g0=100,21709,143771,56,-,47,691,-,1440,3201,-,ok,power,5,16"),
    ],
)
def test_the_line_says_what_the_library_says(
    said: Dict[str, int], field: str, machine: Machine, nvidia: Nvidia, library: FakeLibrary
) -> None:
    library.set(**said)
    sampling = Sampling(machine)
    assert line(sampling) == [field]
    info = sampling.sampler.info().gpus[0]
    assert (info.name, info.pci) == ("H200", FIRST)
    assert (info.power_cap_w, info.edge_critical_c, info.memory_critical_c) == (700, 89, 95)
    assert (info.link_generation, info.link_width) == (5, 16)
    sampling.close()
    assert library.get("misuse") == 0


def test_a_link_is_asked_for_every_ten_seconds(
    machine: Machine, nvidia: Nvidia, library: FakeLibrary, clock: Clock
) -> None:
    library.set(**LOADED)
    card = open_card(machine, nvidia)
    for seconds, expected in ((0, (5, 16)), (9, (5, 16)), (2, (1, 4))):
        clock.ahead += seconds
        gpu = card.read()
        assert (gpu.link_generation, gpu.link_width) == expected
        library.set(link_generation=1, link_width=4)
    library.set(link_generation=0, link_width=0)
    clock.ahead += 11
    gpu = card.read()
    assert (gpu.link_generation, gpu.link_width) == (None, None)


@pytest.mark.parametrize(
    ("bits", "word"),
    [
        (0, "none"),
        (0x1, "none"),
        (0x2, "none"),
        (0x10, "none"),
        (0x100, "none"),
        (0x4, "power"),
        (0x4 | 0x20, "heat"),
        (0x8 | 0x40, "heat"),
        (0x8 | 0x80, "power"),
        (0x8, "other"),
    ],
)
def test_the_reasons_of_the_library_are_one_word(bits: int, word: str) -> None:
    assert nvidia_throttle(bits) == word


@pytest.mark.parametrize(
    ("when", "field"),
    [
        ("idle", "g0=0,0,143771,40,-,43,81,-,345,3201,-,ok,none,5,16"),
        ("loaded", "g0=100,21007,143771,49,-,44,292,-,1980,3201,-,ok,none,5,16"),
    ],
)
def test_the_line_says_what_the_library_said_on_an_h200(
    when: str, field: str, machine: Machine, nvidia: Nvidia, library: FakeLibrary
) -> None:
    library.set(**as_observed(H200[when]))
    processes, code = H200[when]["processes"]
    assert code == 0
    library.processes([(700, size, share) for size, share in zip(processes, H200[when]["process_busy"])])
    machine.proc("700/comm", "python3\n")
    sampling = Sampling(machine)
    assert line(sampling) == [field]
    info = sampling.sampler.info().gpus[0]
    assert (info.name, info.pci) == ("H200", FIRST)
    assert (info.power_cap_w, info.edge_critical_c, info.memory_critical_c) == (700, 89, 95)
    users = users_of_first(sampling)
    assert users == ({} if when == "idle" else {700: Use(22017998848, 96)})
    sampling.close()
    assert library.get("misuse") == 0


def users_of_first(sampling: Sampling) -> Optional[Uses]:
    return sampling.sampler.gpus.places()[0].users


def test_a_card_with_fans_tells_their_speed_and_duty(
    machine: Machine, nvidia: Nvidia, library: FakeLibrary
) -> None:
    library.set(fan_rpm=1830, fan_rpm_code=0, fan_percent=46, fan_percent_code=0)
    gpu = open_card(machine, nvidia).read()
    assert (gpu.fan_rpm, gpu.fan_percent) == (1830, 46)


def test_vram_that_the_driver_keeps_for_itself_is_not_used(
    machine: Machine, nvidia: Nvidia, library: FakeLibrary
) -> None:
    assert open_card(machine, nvidia).read().vram_used_mib == 21709
    assert library.get("memory_calls") == 0


def test_a_library_without_the_second_memory_call_is_asked_by_the_first(
    machine: Machine, tmp_path: Path
) -> None:
    old = FakeLibrary(build(tmp_path / "old.so", "-DOLD"))
    old.set(address=FIRST, used=1 << 30, total=8 << 30, reserved=1 << 28)
    gpu = open_card(machine, Nvidia(str(old.path))).read()
    assert (gpu.vram_used_mib, gpu.vram_total_mib) == (1280, 8192)


def test_unified_memory_is_the_memory_of_the_machine(
    machine: Machine, nvidia: Nvidia, library: FakeLibrary
) -> None:
    # NVIDIA GB10, driver 580.173.02 (XuehaiPan/nvitop#208): both memory calls say NOT_SUPPORTED.
    machine.proc("meminfo", "MemTotal:       127600748 kB\nMemAvailable:   118566368 kB\n")
    library.set(memory_code=3, memory_v2_code=3)
    card = open_card(machine, nvidia)
    for _ in range(3):
        gpu = card.read()
        assert (gpu.state, gpu.vram_used_mib, gpu.vram_total_mib) == ("ok", 8823, 124610)
    assert "VRAM" in [check.what for check in card.doctor() if not check.found]
    assert (library.get("memory_calls"), library.get("memory_v2_calls")) == (1, 1)


def test_a_value_that_the_card_does_not_offer_is_asked_for_once_a_minute_and_explained(
    machine: Machine, nvidia: Nvidia, library: FakeLibrary
) -> None:
    card = open_card(machine, nvidia)
    for _ in range(5):
        card.read()
    assert library.get("fan_percent_calls") == 1
    assert library.get("fan_rpm_calls") == 1
    missing = {check.what: check.note for check in card.doctor() if check.found == "unknown"}
    assert missing["duty"] == missing["fan"] == "this card or driver does not offer it"
    card.facts()
    card.read()
    assert library.get("fan_percent_calls") == 2


def test_a_value_that_fails_once_is_unknown_and_the_others_are_not(
    machine: Machine, nvidia: Nvidia, library: FakeLibrary
) -> None:
    library.set(power_mw_code=999)
    card = open_card(machine, nvidia)
    gpu = card.read()
    assert (gpu.state, gpu.power_w, gpu.busy_percent) == ("ok", None, 100)
    library.set(power_mw_code=0)
    assert card.read().power_w == 691


def test_doctor_says_what_slows_a_card_down_and_that_it_lacks_lanes(
    machine: Machine, nvidia: Nvidia, library: FakeLibrary
) -> None:
    library.set(throttling=0x4 | 0x20, link_width=8)
    sampling = Sampling(machine)
    sampling.round()
    rows = sampling.sampler.doctor()
    sampling.close()
    assert Row("  throttled", "power cap, heat") in rows
    note = "fewer lanes than it could have: check its slot and riser"
    assert Row("  PCIe", "gen 5 x8 of gen 5 x16", note) in rows


# -- states --


@pytest.mark.parametrize(
    ("code", "state", "advice"),
    [
        (18, "mismatch", "the driver was updated"),
        (9, "nodriver", "no driver"),
        (4, "denied", "inktop-collector install"),
        (999, "nodriver", "nvidia-smi"),
    ],
)
def test_a_library_that_does_not_start_is_a_state_with_advice_and_is_tried_once_a_minute(
    code: int, state: str, advice: str, machine: Machine, nvidia: Nvidia, library: FakeLibrary, clock: Clock
) -> None:
    library.set(init_code=code)
    sampling = Sampling(machine)
    for _ in range(3):
        assert line(sampling) == [f"g0=-,-,-,-,-,-,-,-,-,-,-,{state}"]
    assert library.get("init_calls") == 1
    row = next(row for row in sampling.sampler.doctor() if row.title == "  driver")
    assert row.found == state
    assert advice in row.note
    library.set(init_code=0)
    assert line(sampling)[0].endswith(state)
    clock.ahead += 61
    assert line(sampling) == ["g0=100,21709,143771,56,-,47,691,-,1440,3201,-,ok,power,5,16"]
    sampling.close()


def test_after_an_update_the_new_library_is_loaded_without_a_restart(
    machine: Machine, nvidia: Nvidia, library: FakeLibrary, built: Path, clock: Clock
) -> None:
    library.set(init_code=18)
    card = open_card(machine, nvidia)
    assert card.read().state == "mismatch"
    assert library.get("init_calls") == 1
    library.close()
    fresh = library.path.with_name("fresh")
    shutil.copy(built, fresh)
    fresh.replace(library.path)
    clock.ahead += 61
    # The new one knows no card: that it was asked at all is the point.
    assert card.read().state == "nodriver"
    assert FakeLibrary(library.path).get("init_calls") == 1


def test_a_missing_library_is_a_state_with_advice(machine: Machine, tmp_path: Path) -> None:
    card = open_card(machine, Nvidia(str(tmp_path / "none.so")))
    assert card.read().state == "nodriver"
    assert "libnvidia-ml.so.1 is missing" in card.doctor()[0].note


def test_a_card_that_fell_off_the_bus_is_lost_and_asked_again_after_a_minute(
    machine: Machine, nvidia: Nvidia, library: FakeLibrary, clock: Clock
) -> None:
    sampling = Sampling(machine)
    assert sampling.round().gpus[0].state == "ok"
    library.set(busy_code=15)
    snapshot = sampling.round()
    assert snapshot.gpus[0] == Gpu(0, state="lost")
    assert [(event.subject, event.what) for event in snapshot.events] == [("gpu0", "lost")]
    asked = library.calls()
    sampling.round()
    assert library.calls() == asked
    library.set(busy_code=0)
    clock.ahead += 61
    snapshot = sampling.round()
    assert snapshot.gpus[0].busy_percent == 100
    assert [event.what for event in snapshot.events] == ["back"]
    sampling.close()
    assert library.get("misuse") == 0


def test_a_card_that_needs_a_reset_says_so(machine: Machine, nvidia: Nvidia, library: FakeLibrary) -> None:
    library.set(handle_code=16)
    card = open_card(machine, nvidia)
    assert card.read().state == "reset"
    assert "nvidia-smi --gpu-reset" in card.doctor()[0].note


def test_a_card_that_is_cut_into_instances_says_so_and_keeps_its_values(
    machine: Machine, nvidia: Nvidia, library: FakeLibrary
) -> None:
    library.set(mig=1, busy_code=3)
    card = open_card(machine, nvidia)
    gpu = card.read()
    assert (gpu.state, gpu.busy_percent, gpu.power_w) == ("mig", None, 691)
    assert "MIG" in [check.what for check in card.doctor()]


def test_a_call_that_hangs_makes_its_card_stale_and_the_line_goes_on(
    machine: Machine, nvidia: Nvidia, library: FakeLibrary, clock: Clock
) -> None:
    machine.gpu("card0", "0000:03:00.0", {"gpu_busy_percent": "7\n", "vendor": "0x1002\n"})
    sampling = Sampling(machine)
    sampling.round()
    library.set(hang=1)
    sampling.round(0.2)
    clock.ahead += STALE_S + 0.1
    gpus = sampling.round(0.2).gpus
    library.set(hang=0)
    assert [(gpu.busy_percent, gpu.state) for gpu in gpus] == [(7, "ok"), (None, "stale")]
    sampling.close()


# -- sleep --


def test_a_sleeping_card_is_asked_nothing(machine: Machine, nvidia: Nvidia, library: FakeLibrary) -> None:
    machine.device(FIRST, "power/runtime_status", "suspended\n")
    sampling = Sampling(machine)
    for _ in range(3):
        assert sampling.round().gpus[0].state == "asleep"
    assert library.get("init_calls") == library.get("handle_calls") == library.calls() == 0
    sampling.close()


def test_an_idle_card_that_may_sleep_is_let_go_and_asked_again_when_somebody_wakes_it(
    machine: Machine, nvidia: Nvidia, library: FakeLibrary, clock: Clock
) -> None:
    machine.device(FIRST, "power/control", "auto\n")
    library.set(**IDLE)
    card = open_card(machine, nvidia)
    card.read()
    assert library.get("shutdown_calls") == 0
    clock.ahead += 11
    card.read()
    assert library.get("shutdown_calls") == 1
    asked = library.calls()
    clock.ahead += 5
    assert card.read().edge_c == 35
    assert library.calls() == asked
    machine.device(FIRST, "power/runtime_status", "suspended\n")
    assert card.read().state == "asleep"
    clock.ahead += 600
    assert card.read().state == "asleep"
    assert library.calls() == asked
    machine.device(FIRST, "power/runtime_status", "active\n")
    library.set(**LOADED)
    assert card.read().busy_percent == 100
    assert (library.get("init_calls"), library.get("misuse")) == (2, 0)


def test_a_card_that_may_not_sleep_keeps_the_library_open(
    machine: Machine, nvidia: Nvidia, library: FakeLibrary, clock: Clock
) -> None:
    library.set(**IDLE)
    card = open_card(machine, nvidia)
    for _ in range(5):
        card.read()
        clock.ahead += 30
    assert (library.get("init_calls"), library.get("shutdown_calls")) == (1, 0)


def test_one_card_that_is_let_go_does_not_blind_the_other(
    machine: Machine, nvidia: Nvidia, library: FakeLibrary, clock: Clock
) -> None:
    nvidia_card(machine, SECOND, control="auto")
    library.set(1, **IDLE)
    busy, idle = open_card(machine, nvidia, 0), open_card(machine, nvidia, 1)
    for _ in range(4):
        assert busy.read().busy_percent == 100
        assert idle.read().busy_percent == 0
        clock.ahead += 6
    # The library was closed once and opened again, but the card that rests was not asked about.
    assert (library.get("shutdown_calls"), library.get("init_calls")) == (1, 2)
    assert (library.get("handle_calls", 0), library.get("handle_calls", 1)) == (2, 1)
    assert library.get("misuse") == 0


# -- who is there --


def test_cards_of_amd_and_nvidia_share_one_order_by_address(
    machine: Machine, nvidia: Nvidia, library: FakeLibrary
) -> None:
    machine.gpu("card0", "0000:03:00.0", {"gpu_busy_percent": "7\n", "vendor": "0x1002\n"})
    machine.gpu("card1", "0000:51:00.0", {"gpu_busy_percent": "9\n", "vendor": "0x1002\n"})
    nvidia_card(machine, SECOND)
    library.set(1, **IDLE)
    sampling = Sampling(machine)
    assert [gpu.busy_percent for gpu in sampling.round().gpus] == [7, 100, 9, 0]
    infos = sampling.sampler.info().gpus
    assert [info.pci for info in infos] == ["0000:03:00.0", FIRST, "0000:51:00.0", SECOND]
    sampling.close()


def test_a_card_that_the_kernel_lists_as_well_is_shown_once(machine: Machine, nvidia: Nvidia) -> None:
    for driver in ("nvidia", "nvidia-drm"):
        machine.gpu("card0", FIRST, {"vendor": "0x10de\n"}, driver=driver)
        sampling = Sampling(machine)
        assert [gpu.busy_percent for gpu in sampling.round().gpus] == [100]
        sampling.close()


def test_a_card_without_nvidias_driver_is_named_by_doctor(tmp_path: Path, nvidia: Nvidia) -> None:
    machine = Machine(tmp_path / "other")
    nvidia_card(machine, FIRST, driver="nouveau")
    machine.gpu("card0", FIRST, {"vendor": "0x10de\n"}, driver="nouveau")
    nvidia_card(machine, SECOND, driver="vfio-pci")
    sampling = Sampling(machine)
    assert sampling.round().gpus == ()
    rows = sampling.sampler.doctor()
    sampling.close()
    notes = {row.found: row.note for row in rows if row.title == "gpu"}
    assert "nouveau: it needs NVIDIA's own driver" in notes[f"NVIDIA, {FIRST}"]
    assert "virtual machine" in notes[f"NVIDIA, {SECOND}"]


def test_a_container_without_sysfs_finds_its_cards_by_the_driver(
    tmp_path: Path, library: FakeLibrary, nvidia: Nvidia
) -> None:
    machine = Machine(tmp_path / "container")
    machine.proc(f"driver/nvidia/gpus/{FIRST}/information", "Model: NVIDIA H200\n")
    sampling = Sampling(machine)
    assert sampling.round().gpus[0].busy_percent == 100
    sampling.close()


def test_a_machine_without_nvidia_loads_nothing_for_it(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "amd")
    machine.gpu("card0", "0000:03:00.0", {"gpu_busy_percent": "7\n", "vendor": "0x1002\n"})
    room = Path(__file__).parents[1]
    code = (
        f"import sys; sys.path[:0] = {[str(room), str(room.parent / 'protocol')]!r}\n"
        "from pathlib import Path\nfrom testkit.recorded import Machine, sample\n"
        f"assert sample(Machine(Path({str(machine.folder)!r}))).gpus[0].busy_percent == 7\n"
        "assert not {'ctypes', 'inktop_collector.sources.gpu.nvml'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)


def test_roots_that_are_empty_have_no_card(tmp_path: Path) -> None:
    assert Nvidia().present(Roots(str(tmp_path), str(tmp_path))) == []
