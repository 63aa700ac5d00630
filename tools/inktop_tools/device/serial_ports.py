"""The serial port of a board: finding it, opening it without a reset, saying why that failed.

The board's USB socket is a CH340 bridge on the chip's UART0; native USB is not wired. pyserial is an
extra of the package, so it is imported only when a port is really needed.
"""

from __future__ import annotations

import contextlib
import errno
import getpass
import grp
import importlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, List, Optional, Sequence

from inktop_tools.errors import InktopError

#: USB vendor of the CH340 family (WCH), and its products: CH340, CH341, CH340K, CH343, CH9102.
CH340_VENDOR = 0x1A86
CH340_PRODUCTS = (0x7523, 0x5523, 0x7522, 0x55D3, 0x55D4)
BAUD = 115200

INSTALL_FLASH_EXTRA = (
    "Install the flashing tools: make flash-tools (or .venv/bin/python -m pip install -e '.[flash]')"
)
OWN_SUPPLY = (
    "Every refresh of the panel pulls a current spike that can throw the CH340 off the USB bus: "
    "give the panel its own 5 V / 2 A supply and use a short cable."
)


@dataclass(frozen=True)
class Port:
    """One serial port of this machine; `vendor` and `product` are None where it is not USB."""

    device: str
    vendor: Optional[int] = None
    product: Optional[int] = None
    serial_number: Optional[str] = None
    description: str = ""

    @property
    def is_ch340(self) -> bool:
        return self.vendor == CH340_VENDOR and self.product in CH340_PRODUCTS


@dataclass(frozen=True)
class Adapter:
    """A CH340 on the USB bus as sysfs tells it: the driver that holds it, the tty that it became."""

    name: str
    driver: Optional[str]
    tty: Optional[str]


class Machine:
    """What an explanation looks at. The roots are parameters: a folder of files is a machine."""

    def __init__(
        self,
        sysfs: Path = Path("/sys"),
        procfs: Path = Path("/proc"),
        os_release: Path = Path("/etc/os-release"),
    ) -> None:
        self.sysfs = sysfs
        self.procfs = procfs
        self.os_release = os_release

    def adapters(self) -> List[Adapter]:
        """Every CH340 that the kernel sees on the USB bus, also one that has no tty."""
        found = []
        for device in sorted((self.sysfs / "bus/usb/devices").glob("*")):
            try:
                vendor = int((device / "idVendor").read_text(), 16)
                product = int((device / "idProduct").read_text(), 16)
            except (OSError, ValueError):
                continue  # an interface, not a device
            if vendor != CH340_VENDOR or product not in CH340_PRODUCTS:
                continue
            # The interface is beside its device in bus/usb/devices, and below it in the tree.
            driver: Optional[str] = None
            tty: Optional[str] = None
            for folder in (device.parent, device):
                for interface in sorted(folder.glob(f"{device.name}:*")):
                    link = interface / "driver"
                    if driver is None and link.exists():
                        driver = link.resolve().name
                    for child in sorted(interface.glob("tty*")):
                        tty = tty or child.name
            found.append(Adapter(device.name, driver, tty))
        return found

    def runs(self, program: str) -> bool:
        """Whether a process of this name runs."""
        for comm in self.procfs.glob("[0-9]*/comm"):
            try:
                if comm.read_text().strip() == program:
                    return True
            except OSError:
                continue  # it ended, or it is not ours to read
        return False

    def holders(self, device: str) -> List[str]:
        """The processes that have `device` open, as "name (pid)"; only those that may be looked at."""
        target = os.path.realpath(device)
        names = []
        for link in self.procfs.glob("[0-9]*/fd/*"):
            try:
                if os.path.realpath(link) != target:
                    continue
                process = link.parent.parent
                pid = process.name
                if pid == str(os.getpid()):
                    continue
                name = f"{(process / 'comm').read_text().strip()} ({pid})"
            except OSError:
                continue
            if name not in names:
                names.append(name)
        return names

    def device_group(self, device: str) -> Optional[str]:
        """The group that owns the device file, None where it cannot be told."""
        try:
            return Path(device).group()
        except (OSError, KeyError, NotImplementedError):
            return None

    def serial_group(self, device: str) -> str:
        """The group whose members may use `device`: its own group, else what the distribution uses."""
        group = self.device_group(device)
        if group and group not in ("root", "tty"):
            return group
        words: List[str] = []
        try:
            for line in self.os_release.read_text().splitlines():
                key, _, value = line.partition("=")
                if key in ("ID", "ID_LIKE"):
                    words += value.strip().strip("\"'").split()
        except OSError:
            pass
        return "uucp" if any(word in ("arch", "manjaro", "artix") for word in words) else "dialout"

    def waits_for_login(self, group: str) -> bool:
        """Whether the user is in `group` already, but this login began before that."""
        try:
            entry = grp.getgrnam(group)
            return getpass.getuser() in entry.gr_mem and entry.gr_gid not in os.getgroups()
        except (KeyError, OSError):
            return False


def require_pyserial() -> Any:
    """The module `serial`; an InktopError that names the extra where it is not installed."""
    try:
        return importlib.import_module("serial")
    except ImportError:
        raise InktopError(f"pyserial is not installed.\n{INSTALL_FLASH_EXTRA}") from None


def list_ports() -> List[Port]:
    """The serial ports of this machine, CH340 first."""
    require_pyserial()
    comports = importlib.import_module("serial.tools.list_ports").comports
    ports = [Port(p.device, p.vid, p.pid, p.serial_number, p.description or "") for p in comports()]
    return sorted(ports, key=lambda port: (not port.is_ch340, port.device))


def _brltty(where: str) -> str:
    return (
        f"{where}, but brltty (the Braille display driver) holds it: "
        "it takes a CH340 for a Braille display.\n"
        "If you use no Braille display: sudo systemctl mask --now brltty-udev.service brltty.service\n"
        "(or sudo apt remove brltty), then pull the USB plug and put it back."
    )


def explain_no_port(machine: Machine) -> str:
    """Why no port of a board is there, and what to do about it."""
    adapters = machine.adapters()
    if not adapters:
        return (
            "no board found: no CH340 on the USB bus.\n"
            "Plug in the board's USB cable (one with data lines: many carry only power); "
            "its power LED must shine.\n"
            "Another adapter, or a board that you see elsewhere? Name its port: --port /dev/ttyUSB0"
        )
    adapter = adapters[0]
    where = f"a CH340 is on the USB bus ({adapter.name})"
    if adapter.tty:
        return (
            f"{where} and is {adapter.tty}, but /dev/{adapter.tty} is not here.\n"
            f"In a container? Start it with --device=/dev/{adapter.tty}. Else pull the plug and put it back."
        )
    if adapter.driver == "usbfs" or machine.runs("brltty"):
        return _brltty(where)
    return (
        f"{where}, but no driver has made a serial port of it.\n"
        "Load the driver: sudo modprobe ch341. If the port comes and goes at once, "
        "look for brltty in: sudo dmesg | tail"
    )


def choose_port(requested: Optional[str], ports: Sequence[Port], machine: Machine) -> str:
    """The port to use: the requested one, else the only CH340.

    Raises InktopError when there is none or more than one.
    """
    if requested:
        if Path(requested).exists() or any(port.device == requested for port in ports):
            return requested
        have = ", ".join(port.device for port in ports) or "none"
        raise InktopError(
            f"no port {requested} (ports here: {have}).\n"
            "Leave --port out to find the board by its USB id. " + explain_no_port(machine)
            if not ports
            else f"no port {requested} (ports here: {have}).\n"
            "Leave --port out to find the board by its USB id, or name one of these."
        )
    boards = [port for port in ports if port.is_ch340]
    if len(boards) == 1:
        return boards[0].device
    if boards:
        listed = "\n".join(f"  --port {port.device}   {port.description}" for port in boards)
        raise InktopError(f"{len(boards)} boards are plugged in; say which one:\n{listed}")
    text = explain_no_port(machine)
    others = [port for port in ports if port.vendor is not None]
    if others:
        listed = "\n".join(f"  --port {port.device}   {port.description}" for port in others)
        text += f"\nOther USB serial ports are here; is one of them the board?\n{listed}"
    raise InktopError(text)


def wait_for_port(
    requested: Optional[str],
    machine: Machine,
    seconds: float,
    say: Callable[[str], None],
    ports: Optional[Callable[[], List[Port]]] = None,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> str:
    """`choose_port` that asks again for `seconds` while there is none."""
    deadline = clock() + seconds
    told = False
    while True:
        found = (ports or list_ports)()
        try:
            return choose_port(requested, found, machine)
        except InktopError as error:
            several = sum(port.is_ch340 for port in found) > 1 and not requested
            if several or clock() >= deadline:
                raise
            if not told:
                say(f"{str(error).splitlines()[0]}\nwaiting {seconds:.0f} s for it ...")
                told = True
        sleep(0.25)


def explain_open_failure(device: str, error: BaseException, machine: Machine) -> str:
    """Why `device` could not be opened, and the next step.

    `error` is an OSError or pyserial's SerialException (whose `errno` may be None).
    """
    number = getattr(error, "errno", None)
    text = str(error)
    if number in (errno.EACCES, errno.EPERM) or "ermission denied" in text:
        group = machine.serial_group(device)
        if machine.waits_for_login(group):
            return (
                f"no permission for {device}: you are in the group {group}, "
                "but this login began before that.\n"
                f"Log out and in again (or, for this shell only: newgrp {group})."
            )
        return (
            f"no permission for {device}: it belongs to the group {group}.\n"
            f'Join it: sudo usermod -aG {group} "$USER", then log out and in again '
            "(Debian and Ubuntu name this group dialout, Arch uucp)."
        )
    if number in (errno.EBUSY, errno.EAGAIN) or "xclusively lock" in text or "busy" in text.lower():
        holders = machine.holders(device)
        if any(holder.startswith("brltty ") for holder in holders) or (
            not holders and machine.runs("brltty")
        ):
            return _brltty(f"{device} is there")
        who = f" by {', '.join(holders)}" if holders else ""
        return f"{device} is in use{who}.\nClose that program (another monitor?) and try again."
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.EIO) or "No such file" in text:
        return f"{device} went away.\n{OWN_SUPPLY}\n" + explain_no_port(machine)
    return f"{device} cannot be opened: {text}.\nPull the USB plug, put it back, and try again."


def check_access(device: str, machine: Machine) -> None:
    """Raises InktopError when another program would not be able to open `device`; opens nothing."""
    if not Path(device).exists():
        raise InktopError(explain_open_failure(device, OSError(errno.ENOENT, "No such file"), machine))
    if not os.access(device, os.R_OK | os.W_OK):
        raise InktopError(explain_open_failure(device, OSError(errno.EACCES, "denied"), machine))
    if machine.holders(device):
        raise InktopError(explain_open_failure(device, OSError(errno.EBUSY, "busy"), machine))


def open_quietly(
    device: str,
    machine: Machine,
    baud: int = BAUD,
    timeout_s: float = 0.2,
    serial_class: Optional[Callable[[], Any]] = None,
) -> Any:
    """Opens `device` with DTR and RTS low before the port is open: any edge on them resets the board.

    Returns a pyserial `Serial`; reads end after `timeout_s`. Raises InktopError with the next step.
    """
    serial = require_pyserial()
    port = (serial_class or serial.Serial)()
    port.port = device
    port.baudrate = baud
    port.timeout = timeout_s
    port.write_timeout = 2
    port.dtr = False
    port.rts = False
    with contextlib.suppress(AttributeError, ValueError):  # Windows has no choice in this
        port.exclusive = True
    try:
        port.open()
    except (OSError, serial.SerialException) as error:
        raise InktopError(explain_open_failure(device, error, machine)) from error
    return port
