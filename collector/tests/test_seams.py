"""Where something is added: a source, a maker of GPUs. Each is one class and one line."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import List, Optional, Sequence

import pytest
from inktop_collector.files import File, Roots
from inktop_collector.log import no_log
from inktop_collector.sources import registry
from inktop_collector.sources.gpu import makers
from inktop_collector.sources.gpu.card import Card, Check, Found
from inktop_collector.sources.gpu.use import Use, Uses
from inktop_collector.sources.memory import Memory
from inktop_collector.sources.source import Reading, Row, Source
from inktop_protocol import Gpu, GpuInfo, InfoLine, Snapshot
from testkit.recorded import Machine, Sampling, sample

AMD = {"gpu_busy_percent": "10\n", "mem_info_vram_total": "34208743424\n", "vendor": "0x1002\n"}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


# -- sources --


def test_every_source_speaks_of_fields_that_the_lines_have(machine: Machine) -> None:
    in_line = {field.name for field in fields(Snapshot)}
    in_info = {field.name for field in fields(InfoLine)}
    sources = registry.make_sources(machine.roots(), machine.config(), no_log)
    for source in sources:
        reading = source.read()
        assert in_line.issuperset(reading.values), source.name
        assert in_line.issuperset(source.base()), source.name
        assert in_info.issuperset(source.facts()), source.name
        assert source.doctor(reading), source.name
    assert len({source.name for source in sources}) == len(sources)
    assert all(source.name for source in sources)


class Added(Source):
    """A source that a test adds."""

    name = "added"

    def read(self) -> Reading:
        return Reading({"load_centi": (1, 2, 3)})

    def doctor(self, reading: Reading) -> List[Row]:
        return [Row(self.name, str(reading.values["load_centi"]))]


def test_a_new_source_is_one_class_and_one_line(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "SOURCES", (*registry.SOURCES, lambda roots, config, log: Added()))
    sampling = Sampling(machine)
    assert sampling.round().load_centi == (1, 2, 3)
    assert Row("added", "(1, 2, 3)") in sampling.sampler.doctor()
    sampling.close()


def test_a_source_with_a_fault_is_unknown_alone(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: Memory) -> Reading:
        raise RuntimeError("never seen before")

    monkeypatch.setattr(Memory, "read", broken)
    sampling = Sampling(machine)
    for _ in range(3):
        snapshot = sampling.round()
    assert snapshot.memory is not None
    assert snapshot.memory.used_milligib is None
    assert (snapshot.cpus, snapshot.load_centi) == (4, (52, 40, 31))
    assert snapshot.network is not None
    assert snapshot.network.name == "eno1"
    assert capsys.readouterr().err.count("memory: RuntimeError('never seen before')") == 1
    row = Row("memory", "no answer", "its read failed: see the log", broken=True)
    assert row in sampling.sampler.doctor()
    sampling.close()


# -- makers of GPUs --


class FakeCard:
    """A card that is not one of /sys/class/drm."""

    def __init__(self, found: Found, index: int) -> None:
        self.found, self.index = found, index

    def read(self) -> Gpu:
        return Gpu(self.index, 77)

    def facts(self) -> GpuInfo:
        return GpuInfo(self.index, "Fake", self.found.pci)

    def users(self) -> Optional[Uses]:
        return {1: Use(5 << 20, 77)}

    def doctor(self) -> List[Check]:
        return [Check("busy"), Check("fan", "unknown", "it has none")]


class FakeMaker:
    """A maker that finds its cards in a way of its own."""

    name = "Fake"

    def __init__(self, *addresses: str) -> None:
        self.addresses = list(addresses)

    def present(self, roots: Roots) -> Sequence[str]:
        return [f"fake-{address}" for address in self.addresses]

    def find(self, roots: Roots) -> List[Found]:
        return [Found(f"fake-{address}", address, "") for address in self.addresses]

    def guess(self, roots: Roots) -> List[Found]:
        return []

    def open(self, roots: Roots, found: Found, index: int) -> Card:
        return FakeCard(found, index)

    def doctor(self, roots: Roots) -> List[Row]:
        return [] if self.addresses else [Row("gpu", "no library", "install it")]


def add(monkeypatch: pytest.MonkeyPatch, maker: FakeMaker) -> None:
    monkeypatch.setattr(makers, "MAKERS", (*makers.MAKERS, maker))


def test_cards_of_all_makers_share_one_order_by_address(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(monkeypatch, FakeMaker("0000:0b:00.0", "0000:02:00.0"))
    machine.gpu("card0", "0000:03:00.0", AMD)
    machine.gpu("card1", "0000:05:00.0", {"vendor": "0x8086\n"}, driver="xe")
    sampling = Sampling(machine)
    sampling.round()
    assert [gpu.busy_percent for gpu in sampling.round().gpus] == [77, 10, None, 77]
    infos = sampling.sampler.info().gpus
    assert [info.pci for info in infos] == ["0000:02:00.0", "0000:03:00.0", "0000:05:00.0", "0000:0b:00.0"]
    assert [info.index for info in infos] == [0, 1, 2, 3]
    rows = sampling.sampler.doctor()
    assert Row("gpu 0", "Fake, 0000:02:00.0", "ok") in rows
    assert Row("  fan", "unknown", "it has none") in rows
    sampling.close()


def test_a_card_that_two_makers_find_is_shown_once(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    add(monkeypatch, FakeMaker("0000:03:00.0"))
    machine.gpu("card0", "0000:03:00.0", AMD)
    assert [gpu.busy_percent for gpu in sample(machine).gpus] == [10]


def test_doctor_says_what_keeps_a_maker_from_finding_its_cards(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(monkeypatch, FakeMaker())
    sampling = Sampling(machine)
    sampling.round()
    rows = sampling.sampler.doctor()
    names = " or ".join(maker.name for maker in makers.MAKERS)
    assert names.endswith(" or Fake")
    assert Row("gpu", "none", f"no card of {names} that has a driver") in rows
    assert Row("gpu", "no library", "install it") in rows
    sampling.close()


def test_a_machine_without_drm_cards_shows_those_that_another_maker_finds(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    maker = FakeMaker("0000:01:00.0")
    add(monkeypatch, maker)
    sampling = Sampling(machine)
    assert [gpu.busy_percent for gpu in sampling.round().gpus] == [77]
    maker.addresses.clear()
    sampling.sampler.gpus._scanned_at = float("-inf")
    snapshot = sampling.round()
    assert [gpu.state for gpu in snapshot.gpus] == ["lost"]
    assert [event.what for event in snapshot.events] == ["lost"]
    sampling.close()


def modules_of(code: str) -> List[str]:
    """The modules that a fresh Python has loaded after some code."""
    room = Path(__file__).resolve().parents[1]
    paths = [str(room), str(room.parent / "protocol")]
    code = f"import sys; sys.path[:0] = {paths!r}\n{code}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_the_code_of_a_maker_is_loaded_when_there_may_be_a_card_of_it(machine: Machine) -> None:
    code = f"""
from inktop_collector.files import File, Roots
from inktop_collector.sampler import Sampler
sampler = Sampler(Roots({str(machine.procfs)!r}, {str(machine.sysfs)!r}), lambda: None)
sampler.begin()
"""
    gpu = "inktop_collector.sources.gpu."
    found = modules_of(code)
    assert gpu + "makers" in found
    assert not {gpu + name for name in ("amd", "intel", "nvidia", "users", "fdinfo")} & set(found)
    machine.gpu("card0", "0000:03:00.0", AMD)
    found = modules_of(code)
    assert {gpu + name for name in ("amd", "users", "fdinfo")} <= set(found)
    assert gpu + "nvidia" not in found


def test_a_server_keeps_nothing_of_what_read_its_options() -> None:
    code = """
from inktop_collector import cli
cli._serve = lambda config: 0
cli.run(["serve", "--port", "7911"])
"""
    found = modules_of(code)
    assert "inktop_collector.config" in found
    assert not {"argparse", "gettext", "inktop_collector.options"} & set(found)


def test_a_live_file_that_grows_beyond_a_page_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "grows"
    file = File(str(path), live=True)
    for count in (10, 2047, 2049, 5000, 200_000, 10):
        text = bytes(n % 251 for n in range(count))
        path.write_bytes(text)
        assert file.read_all() == text
        assert file.read_all() == text
    file.close()
