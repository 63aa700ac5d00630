"""Finding and opening the board's port: every failure names the next step."""

from __future__ import annotations

import errno
import importlib
import os
from pathlib import Path
from typing import Any, List, Optional, Tuple

import pytest
from inktop_tools.device import serial_ports
from inktop_tools.device.serial_ports import Adapter, Machine, Port
from inktop_tools.errors import InktopError

BOARD = Port("/dev/ttyUSB0", 0x1A86, 0x7523, None, "USB Serial")
SECOND_BOARD = Port("/dev/ttyUSB1", 0x1A86, 0x55D4, None, "USB Serial")
OTHER = Port("/dev/ttyUSB2", 0x10C4, 0xEA60, None, "CP2102")
ONBOARD = Port("/dev/ttyS0")


class FakeMachine(Machine):
    """A machine in a folder, whose device files belong to `group`."""

    def __init__(self, root: Path, group: Optional[str] = None) -> None:
        super().__init__(root / "sys", root / "proc", root / "os-release")
        self.root = root
        self.group = group

    def device_group(self, device: str) -> Optional[str]:
        return self.group

    def plug_in(self, product: str = "7523", driver: Optional[str] = None, tty: Optional[str] = None) -> None:
        devices = self.sysfs / "bus/usb/devices"
        device = devices / "1-2"
        device.mkdir(parents=True)
        (device / "idVendor").write_text("1a86\n")
        (device / "idProduct").write_text(product + "\n")
        interface = devices / "1-2:1.0"
        interface.mkdir()
        if driver:
            target = self.sysfs / "bus/usb/drivers" / driver
            target.mkdir(parents=True)
            (interface / "driver").symlink_to(target)
        if tty:
            (interface / tty).mkdir()

    def start(self, name: str, pid: int = 4242, opened: Optional[Path] = None) -> None:
        process = self.procfs / str(pid)
        (process / "fd").mkdir(parents=True)
        (process / "comm").write_text(name + "\n")
        if opened is not None:
            (process / "fd/5").symlink_to(opened)


@pytest.fixture
def machine(tmp_path: Path) -> FakeMachine:
    return FakeMachine(tmp_path)


def test_the_only_ch340_is_the_board(machine: FakeMachine) -> None:
    assert serial_ports.choose_port(None, [ONBOARD, OTHER, BOARD], machine) == BOARD.device


def test_two_boards_need_a_choice_and_both_are_named(machine: FakeMachine) -> None:
    with pytest.raises(InktopError) as error:
        serial_ports.choose_port(None, [BOARD, SECOND_BOARD], machine)
    assert "--port /dev/ttyUSB0" in str(error.value)
    assert "--port /dev/ttyUSB1" in str(error.value)


def test_a_requested_port_is_taken_as_it_is(machine: FakeMachine) -> None:
    assert serial_ports.choose_port(OTHER.device, [BOARD, OTHER], machine) == OTHER.device


def test_a_requested_port_that_is_not_there_lists_those_that_are(machine: FakeMachine) -> None:
    with pytest.raises(InktopError, match=r"no port /dev/nowhere.*\(ports here: /dev/ttyUSB0\)"):
        serial_ports.choose_port("/dev/nowhere", [BOARD], machine)


def test_another_usb_adapter_is_offered_not_taken(machine: FakeMachine) -> None:
    with pytest.raises(InktopError, match="--port /dev/ttyUSB2   CP2102"):
        serial_ports.choose_port(None, [ONBOARD, OTHER], machine)


def test_no_adapter_on_the_bus_points_to_the_cable(machine: FakeMachine) -> None:
    assert "cable" in serial_ports.explain_no_port(machine)


def test_an_adapter_held_through_usbfs_is_brltty(machine: FakeMachine) -> None:
    machine.plug_in(driver="usbfs")
    assert machine.adapters() == [Adapter("1-2", "usbfs", None)]
    text = serial_ports.explain_no_port(machine)
    assert "brltty" in text
    assert "sudo systemctl mask --now brltty-udev.service" in text


def test_an_adapter_without_driver_while_brltty_runs_is_brltty(machine: FakeMachine) -> None:
    machine.plug_in()
    machine.start("brltty")
    assert "sudo apt remove brltty" in serial_ports.explain_no_port(machine)


def test_an_adapter_without_driver_needs_the_module(machine: FakeMachine) -> None:
    machine.plug_in()
    machine.start("bash")
    text = serial_ports.explain_no_port(machine)
    assert "sudo modprobe ch341" in text
    assert "mask" not in text


def test_a_tty_that_is_not_in_dev_points_to_the_container(machine: FakeMachine) -> None:
    machine.plug_in(driver="ch341", tty="ttyUSB7")
    assert "--device=/dev/ttyUSB7" in serial_ports.explain_no_port(machine)


@pytest.mark.parametrize(
    ("release", "group"),
    [
        ("ID=debian\n", "dialout"),
        ('ID=ubuntu\nID_LIKE="debian"\n', "dialout"),
        ("ID=arch\n", "uucp"),
        ('ID="manjaro"\nID_LIKE=arch\n', "uucp"),
        ('ID=endeavouros\nID_LIKE="arch"\n', "uucp"),
        ("NAME=nothing\n", "dialout"),
    ],
)
def test_a_permission_error_names_the_group_of_the_distribution(
    machine: FakeMachine, release: str, group: str
) -> None:
    machine.os_release.write_text(release)
    text = serial_ports.explain_open_failure(
        BOARD.device, PermissionError(errno.EACCES, "Permission denied"), machine
    )
    assert f'sudo usermod -aG {group} "$USER"' in text
    assert "log out and in again" in text


def test_the_group_of_the_device_file_wins_over_the_distribution(tmp_path: Path) -> None:
    machine = FakeMachine(tmp_path, group="plugdev")
    machine.os_release.write_text("ID=arch\n")
    assert machine.serial_group(BOARD.device) == "plugdev"


def test_a_group_joined_after_login_needs_only_a_new_login(
    machine: FakeMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Machine, "waits_for_login", lambda self, group: True)
    text = serial_ports.explain_open_failure(BOARD.device, PermissionError(13, "no"), machine)
    assert "Log out and in again" in text
    assert "usermod" not in text


def test_pyserials_text_alone_is_enough_to_tell_a_permission_error(machine: FakeMachine) -> None:
    error = Exception("could not open port /dev/ttyUSB0: [Errno 13] Permission denied")
    assert "usermod" in serial_ports.explain_open_failure(BOARD.device, error, machine)


def test_a_busy_port_names_the_program_that_holds_it(tmp_path: Path, machine: FakeMachine) -> None:
    device = tmp_path / "ttyUSB0"
    device.touch()
    machine.start("screen", 77, device)
    text = serial_ports.explain_open_failure(str(device), OSError(errno.EBUSY, "busy"), machine)
    assert "screen (77)" in text
    assert "Close that program" in text


def test_a_busy_port_held_by_brltty_says_how_to_stop_it(tmp_path: Path, machine: FakeMachine) -> None:
    device = tmp_path / "ttyUSB0"
    device.touch()
    machine.start("brltty", 77, device)
    text = serial_ports.explain_open_failure(str(device), OSError(errno.EBUSY, "busy"), machine)
    assert "mask --now brltty-udev.service" in text


def test_a_port_that_vanished_points_to_the_panels_supply(machine: FakeMachine) -> None:
    for number in (errno.ENOENT, errno.ENODEV, errno.EIO):
        text = serial_ports.explain_open_failure(BOARD.device, OSError(number, "gone"), machine)
        assert "5 V / 2 A" in text


def test_check_access_finds_a_port_that_another_program_holds(tmp_path: Path, machine: FakeMachine) -> None:
    device = tmp_path / "ttyUSB0"
    device.touch()
    serial_ports.check_access(str(device), machine)
    machine.start("minicom", 78, device)
    with pytest.raises(InktopError, match=r"minicom \(78\)"):
        serial_ports.check_access(str(device), machine)


def test_check_access_refuses_a_port_that_may_not_be_written(
    tmp_path: Path, machine: FakeMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = tmp_path / "ttyUSB0"
    device.touch()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(InktopError, match="dialout"):
        serial_ports.check_access(str(device), machine)


def test_waiting_finds_a_board_that_is_plugged_in_meanwhile(machine: FakeMachine) -> None:
    answers: List[List[Port]] = [[], [], [BOARD]]
    said: List[str] = []
    port = serial_ports.wait_for_port(
        None,
        machine,
        10,
        said.append,
        ports=lambda: answers.pop(0),
        sleep=lambda s: None,
        clock=lambda: 0.0,
    )
    assert port == BOARD.device
    assert len(said) == 1
    assert "waiting 10 s" in said[0]


def test_waiting_ends_with_the_reason(machine: FakeMachine) -> None:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    with pytest.raises(InktopError, match="no CH340 on the USB bus"):
        serial_ports.wait_for_port(
            None,
            machine,
            3,
            lambda text: None,
            ports=lambda: [],
            sleep=sleep,
            clock=lambda: now[0],
        )
    assert now[0] == pytest.approx(3, abs=0.5)


def test_waiting_does_not_wait_when_the_person_must_choose(machine: FakeMachine) -> None:
    def sleep(seconds: float) -> None:
        raise AssertionError("waited")

    with pytest.raises(InktopError, match="2 boards"):
        serial_ports.wait_for_port(None, machine, 10, print, ports=lambda: [BOARD, SECOND_BOARD], sleep=sleep)


class RecordingSerial:
    """A pyserial port that records the order of what is done to it."""

    fail: Optional[OSError] = None

    def __init__(self) -> None:
        object.__setattr__(self, "calls", [])

    def __setattr__(self, name: str, value: Any) -> None:
        calls: List[Tuple[str, Any]] = object.__getattribute__(self, "calls")
        calls.append((name, value))
        object.__setattr__(self, name, value)

    def open(self) -> None:
        self.calls.append(("open", None))  # type: ignore[attr-defined]
        if self.fail is not None:
            raise self.fail


def test_dtr_and_rts_are_low_before_the_port_opens_so_that_the_board_is_not_reset(
    machine: FakeMachine,
) -> None:
    """PITFALLS A4: any DTR or RTS edge resets the board."""
    port = serial_ports.open_quietly(BOARD.device, machine, serial_class=RecordingSerial)
    calls: List[Tuple[str, Any]] = port.calls
    opened = calls.index(("open", None))
    assert calls.index(("dtr", False)) < opened
    assert calls.index(("rts", False)) < opened
    assert not [call for call in calls if call[0] in ("dtr", "rts") and call[1]]
    assert not calls[opened + 1 :]


def test_a_port_that_cannot_be_opened_is_explained(machine: FakeMachine) -> None:
    class Refused(RecordingSerial):
        fail = PermissionError(errno.EACCES, "Permission denied")

    with pytest.raises(InktopError, match="sudo usermod -aG dialout"):
        serial_ports.open_quietly(BOARD.device, machine, serial_class=Refused)


def test_a_pseudo_terminal_opens_with_the_real_pyserial(machine: FakeMachine) -> None:
    leader, follower = os.openpty()
    try:
        port = serial_ports.open_quietly(os.ttyname(follower), machine)
        os.write(leader, b"hello\n")
        assert port.read(6) == b"hello\n"
        port.close()
    finally:
        os.close(leader)
        os.close(follower)


def test_a_second_opener_of_the_same_port_is_told_that_it_is_in_use(machine: FakeMachine) -> None:
    leader, follower = os.openpty()
    try:
        first = serial_ports.open_quietly(os.ttyname(follower), machine)
        with pytest.raises(InktopError, match="is in use"):
            serial_ports.open_quietly(os.ttyname(follower), machine)
        first.close()
    finally:
        os.close(leader)
        os.close(follower)


def test_a_missing_pyserial_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(InktopError, match=r"pip install -e '\.\[flash\]'"):
        serial_ports.require_pyserial()
