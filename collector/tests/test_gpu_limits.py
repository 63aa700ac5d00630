"""What holds a card back: its PCIe link, and why it is slowed down."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import pytest
from inktop_collector.sources.gpu.amd import Amd, AmdCard
from inktop_collector.sources.gpu.card import Found
from inktop_collector.sources.gpu.intel import IntelCard
from inktop_collector.sources.gpu.link import Link
from inktop_collector.sources.gpu.throttle import COUNTERS_AT, AmdThrottle
from testkit.recorded import Machine

PCI = "0000:03:00.0"
#: ilya-zlobintsev/LACT (MIT), snapshot rx9070: 25 % busy, not slowed down.
RX9070_TABLE = bytes.fromhex(
    "780001033000340048002e0031003600190000000000310000000000000000004ae5da17402000008403ffffbe081800"
    "1800000000008403b004640419001900190019000000000098071000a000ffffffffffffffffffffffffffffffffffff"
    "ffffffffffffffff4a0316034105ffff0000000000000000"
)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


# -- the link --

#: Speed and width now, and at most, of one PCI device.
Port = Tuple[str, str, str, str]
FULL: Port = ("16.0 GT/s PCIe", "16", "16.0 GT/s PCIe", "16")


def ports(machine: Machine, *way: Tuple[str, str, Optional[Port]], root: str = "pci0000:00") -> str:
    """PCI devices below each other, the card last: address, vendor, link. The card's folder."""
    folder = f"devices/{root}"
    for address, vendor, port in way:
        folder += f"/{address}"
        machine.sys(f"{folder}/vendor", f"{vendor}\n")
        for name, text in zip(
            ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width"), port or ()
        ):
            machine.sys(f"{folder}/{name}", f"{text}\n")
    return f"{machine.sysfs}/{folder}"


def link_of(machine: Machine, folder: str) -> Link:
    return Link(machine.roots(), folder, Clock())


def test_the_link_of_a_navi_is_that_of_the_switch_before_it(machine: Machine) -> None:
    folder = ports(
        machine,
        ("0000:00:01.0", "0x8086", ("8.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "16")),
        ("0000:01:00.0", "0x1002", ("8.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "16")),
        ("0000:02:00.0", "0x1002", FULL),
        (PCI, "0x1002", FULL),
    )
    link = link_of(machine, folder)
    assert link.read() == (3, 4)
    assert link.most == (4, 16)


def test_the_link_inside_an_arc_says_nothing(machine: Machine) -> None:
    inner: Port = ("2.5 GT/s PCIe", "1", "2.5 GT/s PCIe", "1")
    folder = ports(
        machine,
        ("0000:00:01.0", "0x8086", FULL),
        ("0000:01:00.0", "0x8086", ("16.0 GT/s PCIe", "8", "16.0 GT/s PCIe", "8")),
        ("0000:02:01.0", "0x8086", inner),
        (PCI, "0x8086", inner),
    )
    link = link_of(machine, folder)
    assert link.read() == (4, 8)
    assert link.most == (4, 8)


def test_a_card_that_can_do_more_than_its_slot_is_not_narrow(machine: Machine) -> None:
    slot: Port = ("8.0 GT/s PCIe", "8", "8.0 GT/s PCIe", "8")
    folder = ports(
        machine,
        ("0000:00:03.0", "0x8086", slot),
        (PCI, "0x1002", ("8.0 GT/s PCIe", "8", "32.0 GT/s PCIe", "16")),
    )
    link = link_of(machine, folder)
    assert link.read() == (3, 8)
    assert link.most == (3, 8)


def test_a_bridge_between_card_and_processor_may_be_the_narrow_place(machine: Machine) -> None:
    folder = ports(
        machine,
        ("0000:00:01.0", "0x8086", ("8.0 GT/s PCIe", "1", "8.0 GT/s PCIe", "8")),
        ("0000:01:00.0", "0x10b5", ("8.0 GT/s PCIe", "1", "8.0 GT/s PCIe", "8")),
        ("0000:02:08.0", "0x10b5", ("8.0 GT/s PCIe", "16", "8.0 GT/s PCIe", "16")),
        (PCI, "0x10de", ("8.0 GT/s PCIe", "16", "8.0 GT/s PCIe", "16")),
    )
    link = link_of(machine, folder)
    assert link.read() == (3, 1)
    assert link.most == (3, 8)


@pytest.mark.parametrize(
    ("port", "now", "most"),
    [
        (("8 GT/s", "16", "16 GT/s", "16"), (3, 16), (4, 16)),  # a kernel before 5.8
        (("2.5 GT/s PCIe", "1", "64.0 GT/s PCIe", "32"), (1, 1), (6, 32)),
        (("32.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16"), (5, 16), (5, 16)),
        (("Unknown", "0", "Unknown", "255"), (None, None), (None, None)),
        (("Unknown speed", "63", "16.0 GT/s PCIe", "16"), (None, None), (4, 16)),
        (("", "", "", ""), (None, None), (None, None)),
        (("!EINVAL(22)", "!EINVAL(22)", "16.0 GT/s PCIe", "16"), (None, None), (4, 16)),
        # Through Thunderbolt a link may claim less than it does.
        (("8.0 GT/s PCIe", "4", "2.5 GT/s PCIe", "1"), (3, 4), (3, 4)),
    ],
)
def test_a_link_by_what_its_files_say(
    machine: Machine, port: Port, now: Tuple[Optional[int], ...], most: Tuple[Optional[int], ...]
) -> None:
    link = link_of(machine, ports(machine, (PCI, "0x1002", port)))
    assert link.read() == now
    assert link.most == most


def test_a_card_without_files_of_a_link_has_none(machine: Machine) -> None:
    link = link_of(machine, ports(machine, (PCI, "0x1002", None)))
    assert link.read() == (None, None)
    assert link_of(machine, f"{machine.sysfs}/nowhere").read() == (None, None)


def test_a_link_is_read_again_after_ten_seconds(machine: Machine) -> None:
    folder = ports(machine, ("0000:00:01.0", "0x8086", FULL), (PCI, "0x1002", FULL))
    clock = Clock()
    link = Link(machine.roots(), folder, clock)
    assert link.read() == (4, 16)
    machine.sys(f"devices/pci0000:00/0000:00:01.0/{PCI}/current_link_width", "4\n")
    clock.now += 9.9
    assert link.read() == (4, 16)
    clock.now += 0.2
    assert link.read() == (4, 4)
    link.forget()
    assert link.most == (None, None)


def amd_card(machine: Machine, clock: Clock, integrated: bool = False) -> AmdCard:
    """A card whose link can be x16 and is x4."""
    device = {"vendor": "0x1002\n", "gpu_busy_percent": "90\n", "power/runtime_status": "active\n"}
    machine.gpu("card0", PCI, device, {"name": "amdgpu\n", "temp2_input": "70000\n", "pwm1": "100\n"})
    ports(machine, (PCI, "0x1002", ("16.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "16")))
    found = Found("card0", PCI, f"{machine.sysfs}/class/drm/card0", integrated)
    return AmdCard(machine.roots(), found, 0, clock)


def test_the_line_has_the_link_and_the_info_line_what_it_can_be(machine: Machine) -> None:
    card = amd_card(machine, Clock())
    gpu, facts = card.read(), card.facts()
    assert (gpu.link_generation, gpu.link_width) == (4, 4)
    assert (facts.link_generation, facts.link_width) == (4, 16)


def test_the_link_of_an_integrated_gpu_is_not_told(machine: Machine) -> None:
    card = amd_card(machine, Clock(), integrated=True)
    assert card.read().link_width is None
    assert card.facts().link_width is None


def test_no_file_of_a_sleeping_cards_link_is_read(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """They read the configuration space, which wakes the card."""
    opened: List[str] = []
    really_open = os.open

    def note(path: str, *more: int) -> int:
        opened.append(path)
        return really_open(path, *more)

    monkeypatch.setattr(os, "open", note)
    clock = Clock()
    card = amd_card(machine, clock)
    assert card.read().link_width == 4
    assert [path for path in opened if "_link_" in path]
    machine.device(PCI, "power/runtime_status", "suspended\n")
    opened.clear()
    clock.now += 60
    gpu = card.read()
    assert (gpu.state, gpu.link_generation, gpu.link_width, gpu.throttle) == ("asleep", None, None, None)
    sleeper = Amd().open(machine.roots(), Found("card0", PCI, f"{machine.sysfs}/class/drm/card0"), 0)
    assert sleeper.read().link_width is None
    assert sleeper.facts().link_width is None
    assert not [path for path in opened if "_link_" in path or path.endswith("gpu_metrics")]


# -- why it is slowed down --


def table(version: Tuple[int, int], size: int, at: int, value: int, width: int = 4) -> bytes:
    """A table of that version with one number; the others are all ones, as the driver leaves them."""
    data = bytearray(b"\xff" * size)
    data[:4] = struct.pack("<HBB", size, *version)
    data[at : at + width] = value.to_bytes(width, "little")
    return bytes(data)


def common(*bits: int) -> bytes:
    return table((1, 3), 120, 112, sum(1 << bit for bit in bits), 8)


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (RX9070_TABLE, "none"),
        (common(), "none"),
        (common(0), "power"),  # PPT0
        (common(7), "power"),  # SPPT_APU
        (common(16), "current"),  # TDC_GFX
        (common(23), "current"),  # APCC
        (common(36), "heat"),  # TEMP_HOTSPOT
        (common(47), "heat"),  # PROCHOT_GFX
        (common(56), "other"),  # PPM
        (common(0, 16, 56), "current"),
        (common(0, 16, 34), "heat"),
        (table((1, 3), 120, 112, 2**64 - 1, 8), None),  # the driver does not know
        (common(0)[:118], None),  # cut
        (table((2, 2), 128, 120, 1 << 5, 8), "power"),
        (table((2, 3), 152, 120, 1 << 33, 8), "heat"),
        (table((2, 4), 168, 120, 0, 8), "none"),
        # Bits of the card's own numbering: only that there are some.
        (table((1, 1), 96, 68, 0), "none"),
        (table((1, 2), 104, 68, 0x10), "other"),
        (table((2, 1), 120, 108, 0x10), "other"),
        (table((2, 0), 120, 112, 0), "none"),
        (table((1, 2), 104, 68, 0xFFFFFFFF), None),
        # MI300.
        (table((1, 4), 288, 40, 0b10), "power"),
        (table((1, 4), 288, 40, 0b10010), "heat"),
        (table((1, 5), 328, 72, 0b100000), "other"),
        (table((1, 5), 328, 72, 0), "none"),
        # Nothing that can be read.
        (table((1, 9), 64, 8, 1), None),
        (table((9, 9), 64, 8, 1), None),
        (b"\x78\x00\x01", None),
        (b"", None),
        (None, None),
    ],
)
def test_a_table_of_amdgpu_says_why(data: Optional[bytes], word: Optional[str]) -> None:
    assert AmdThrottle().of(data) == word


def counters(version: Tuple[int, int], counts: List[int]) -> bytes:
    first, _ = COUNTERS_AT[version]
    data = bytearray(table(version, 400, first, 0))
    data[first : first + 4 * len(counts)] = struct.pack(f"<{len(counts)}I", *counts)
    return bytes(data)


@pytest.mark.parametrize(
    ("version", "moving", "word"),
    [
        ((1, 6), 0, "heat"),
        ((1, 6), 1, "power"),
        ((1, 7), 2, "heat"),
        ((1, 8), 4, "heat"),
        ((3, 0), 0, "heat"),
        ((3, 0), 2, "power"),
        ((3, 0), 5, "heat"),
    ],
)
def test_the_counter_that_moves_says_why(version: Tuple[int, int], moving: int, word: str) -> None:
    counts = [10] * len(COUNTERS_AT[version][1])
    throttle = AmdThrottle()
    assert throttle.of(counters(version, counts)) is None  # of one look alone nothing can be said
    assert throttle.of(counters(version, counts)) == "none"
    counts[moving] += 3
    assert throttle.of(counters(version, counts)) == word
    assert throttle.of(counters(version, counts)) == "none"
    throttle.forget()
    assert throttle.of(counters(version, counts)) is None


def test_counters_that_the_driver_does_not_keep_say_nothing() -> None:
    throttle = AmdThrottle()
    for _ in range(2):
        assert throttle.of(table((3, 0), 256, 4, 0)) is None


def test_the_table_is_read_every_five_seconds_while_the_card_works(machine: Machine) -> None:
    clock = Clock()
    card = amd_card(machine, clock)
    file = machine.sysfs / f"devices/pci0000:00/{PCI}/gpu_metrics"

    def told(bits: Tuple[int, ...], later_s: float) -> Optional[str]:
        file.write_bytes(common(*bits))
        clock.now += later_s
        return card.read().throttle

    assert told((0,), 0) == "power"
    assert told((36,), 4) == "power"
    assert told((36,), 2) == "heat"
    machine.device(PCI, "gpu_busy_percent", "0\n")
    assert told((), 6) == "none"
    # An idle card is not asked: nothing slows it down.
    assert told((36,), 6) == "none"
    machine.device(PCI, "gpu_busy_percent", "50\n")
    assert told((36,), 0) == "heat"


def test_a_card_without_a_table_says_nothing(machine: Machine) -> None:
    assert amd_card(machine, Clock()).read().throttle is None


I915 = "drm/card0/gt/gt0/throttle_reason_"
XE = "tile0/gt0/freq0/throttle/reason_"


@pytest.mark.parametrize(
    ("driver", "status", "reasons", "word"),
    [
        ("i915", "1", {"pl1": "1", "thermal": "0"}, "power"),
        ("i915", "1", {"pl1": "1", "thermal": "1"}, "heat"),
        ("i915", "1", {"pl4": "1", "pl2": "1"}, "current"),
        ("i915", "1", {"ratl": "1"}, "heat"),
        ("i915", "1", {"vr_tdc": "1"}, "current"),
        ("i915", "1", {"prochot": "1"}, "heat"),
        ("i915", "0", {"pl1": "0", "thermal": "0"}, "none"),
        # The file for all of them says first that there is none.
        ("xe", "0", {"thermal": "1"}, "none"),
        ("xe", "1", {"psys_pl1": "1"}, "power"),
        ("xe", "1", {"iccmax": "1", "psys_pl1": "1"}, "current"),
        ("xe", "1", {"mem_thermal": "1"}, "heat"),
        ("xe", "1", {"moonlight": "1"}, "other"),
        ("xe", "1", {"p0_freq": "1", "pl1": "0"}, "none"),
        ("xe", "!EIO(5)", {"pl1": "!EIO(5)"}, None),
        ("xe", "!EIO(5)", {"pl1": "1"}, "power"),
        ("xe", None, {"pl2": "1"}, "power"),
        ("xe", None, {}, None),
    ],
)
def test_an_intel_card_says_why_in_a_file_each(
    machine: Machine, driver: str, status: Optional[str], reasons: Dict[str, str], word: Optional[str]
) -> None:
    start = I915 if driver == "i915" else XE
    files = {f"{start}{name}": f"{text}\n" for name, text in reasons.items()}
    if status is not None:
        files[f"{start}status" if driver == "i915" else "tile0/gt0/freq0/throttle/status"] = f"{status}\n"
        files[start.rsplit("/", 1)[0] + "/reasons"] = "pl1 thermal\n"
    machine.gpu("card0", PCI, {"vendor": "0x8086\n", **files}, {"name": f"{driver}\n"}, driver=driver)
    card = IntelCard(machine.roots(), Found("card0", PCI, f"{machine.sysfs}/class/drm/card0"))
    assert card.read().throttle == word


def test_an_intel_cards_link_is_told_and_an_integrated_ones_is_not(machine: Machine) -> None:
    machine.gpu("card0", PCI, {"vendor": "0x8086\n"}, {"name": "xe\n"}, driver="xe")
    ports(machine, (PCI, "0x8086", ("16.0 GT/s PCIe", "8", "32.0 GT/s PCIe", "8")))
    place = f"{machine.sysfs}/class/drm/card0"
    card = IntelCard(machine.roots(), Found("card0", PCI, place))
    gpu, facts = card.read(), card.facts()
    assert (gpu.link_generation, gpu.link_width) == (4, 8)
    assert (facts.link_generation, facts.link_width) == (5, 8)
    inside = IntelCard(machine.roots(), Found("card0", PCI, place, integrated=True))
    assert inside.read().link_width is None
