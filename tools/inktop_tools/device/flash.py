"""`inktop flash`: builds the firmware and writes it to a board, and explains every way that this fails.

PlatformIO (from a checkout) or esptool (a prebuilt image) do the work, as subprocesses; this module
finds the port, checks what can be checked before, reads what they print, and says what comes next.
"""

from __future__ import annotations

import argparse
import configparser
import contextlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Deque, List, Optional, Tuple

from inktop_tools import arguments
from inktop_tools.device import serial_ports
from inktop_tools.device.serial_ports import INSTALL_FLASH_EXTRA, OWN_SUPPLY, Machine
from inktop_tools.errors import InktopError

DEFAULT_ENV = "v7"

#: First byte of an ESP image, and the chip id of the ESP32-S3 at bytes 12 and 13 (little endian).
IMAGE_MAGIC = 0xE9
CHIP_ESP32S3 = 9
#: The partition table lies at 0x8000 and begins with these bytes; an application starts at 0x10000.
PARTITION_TABLE_AT = 0x8000
PARTITION_MAGIC = b"\xaa\x50"
APPLICATION_AT = 0x10000

DOWNLOAD_MODE = (
    "Put the chip into download mode by hand: hold BOOT, press and release RST, release BOOT.\n"
    "Then flash again. How to tell: inktop monitor shows `waiting for download`."
)

AFTER_FLASHING = """\
The firmware is written. Now press RST (or cut the board's power and give it back): the line
"Hard resetting via RTS" above does nothing on this board, the chip is still in its ROM loader.
How to tell: inktop monitor{port} shows `waiting for download` as long as RST was not pressed,
and inktop's own first lines once it runs. The panel needs its own 5 V / 2 A supply."""


@dataclass(frozen=True)
class Cause:
    """A failure that can be told from what the tools print: `pattern`, and what to tell the person."""

    name: str
    pattern: re.Pattern[str]
    advice: str


def _cause(name: str, pattern: str, advice: str) -> Cause:
    return Cause(name, re.compile(pattern, re.IGNORECASE), advice)


#: The first that matches wins, so the particular stand before the general. The patterns are what
#: esptool 4 and 5 and PlatformIO 6 print.
CAUSES: Tuple[Cause, ...] = (
    _cause(
        "secrets",
        r"inktop secrets init|secrets\.h: No such file",
        "The build has no secrets header: run inktop secrets init "
        "(Wi-Fi name, password and server, kept outside the tree), then flash again.",
    ),
    _cause("permission", r"(?:port|tty|/dev/).*permission denied|permission denied.*/dev/", ""),
    # esptool says "the port is busy or doesn't exist" for every reason; the errno in the next line tells.
    _cause("gone", r"\[errno (?:2|6|19)\]|the port (?:doesn't|does not) exist", ""),
    _cause(
        "not-serial",
        r"inappropriate ioctl",
        "That is not a serial port: leave --port out to find the board by its USB id.",
    ),
    _cause("busy", r"port is busy|resource busy|could not exclusively lock", ""),
    _cause(
        "wrong-chip",
        r"this chip is (?!esp32-s3)|unexpected chip id|chip id .* does not match|not esp32-?s3",
        "The chip on this port is not an ESP32-S3, so this is not the board: look at --port.",
    ),
    _cause(
        "vanished",
        r"device disconnected|readiness to read but returned no data|input/output error|"
        r"device not configured|no such device",
        "The port went away in the middle. " + OWN_SUPPLY,
    ),
    _cause(
        "download-mode",
        r"wrong boot mode|no serial data received|timed out waiting for packet|failed to connect to esp|"
        r"invalid head of packet|no sync reply",
        "The chip did not answer. " + DOWNLOAD_MODE,
    ),
    _cause(
        "unreliable",
        r"chip stopped responding|serial data stream stopped|md5 of file does not match|hash of data|"
        r"serial noise or corruption|packet content transfer stopped",
        "The data did not arrive whole. Try a shorter cable, another USB socket, and with --image a slower "
        "line (--baud 115200). " + OWN_SUPPLY,
    ),
    _cause(
        "environment",
        r"unknown environment names?|UnknownEnvNames",
        "platformio.ini has no such environment: inktop flash --help lists them.",
    ),
    _cause(
        "network",
        r"internet connection|HTTPClientError|could not resolve host|name resolution|"
        r"failed to establish a new connection|UnknownPackage",
        "PlatformIO could not fetch what it needs. The first build downloads the compiler and the libraries "
        "(some 500 MB): it needs the Internet once, later builds do not.",
    ),
    _cause(
        "too-big",
        r"program size .*is greater than maximum allowed|region .* overflowed",
        "The program does not fit the flash partition; it was changed locally? Build the released version.",
    ),
    _cause(
        "compiler",
        r"\berror:|\*\*\* \[.*\] Error",
        "The firmware did not compile: the first `error:` above says where.",
    ),
)


def explain_output(lines: List[str]) -> Optional[Cause]:
    """The cause of a failed run, from the last lines that it printed; None when nothing is known."""
    text = "\n".join(lines)
    for cause in CAUSES:
        if cause.pattern.search(text):
            return cause
    return None


def find_checkout(start: Path) -> Optional[Path]:
    """The folder with platformio.ini: this package's own checkout, else `start` or a folder above it."""
    for folder in (Path(__file__).resolve().parents[3], start.resolve(), *start.resolve().parents):
        if (folder / "platformio.ini").is_file():
            return folder
    return None


def environments(project: Path) -> List[str]:
    """The names of the environments of `project`/platformio.ini, in its order.

    Raises InktopError when the file cannot be read.
    """
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    path = project / "platformio.ini"
    try:
        parser.read_string(path.read_text(encoding="utf-8"))
    except (OSError, configparser.Error) as error:
        raise InktopError(
            f"{path} cannot be read: {error}.\nRestore it: git checkout platformio.ini"
        ) from error
    return [name[4:] for name in parser.sections() if name.startswith("env:")]


def platformio_command() -> List[str]:
    """How to call PlatformIO: beside this Python, on the PATH, or where its installer puts it."""
    if importlib.util.find_spec("platformio") is not None:
        return [sys.executable, "-m", "platformio"]
    for name in ("pio", "platformio"):
        if shutil.which(name):
            return [name]
    own = Path.home() / ".platformio/penv/bin/pio"
    if own.is_file():
        return [str(own)]
    raise InktopError(f"PlatformIO is not installed.\n{INSTALL_FLASH_EXTRA}")


def esptool_command() -> List[str]:
    """How to call esptool; see `platformio_command`."""
    if importlib.util.find_spec("esptool") is not None:
        return [sys.executable, "-m", "esptool"]
    for name in ("esptool", "esptool.py"):
        if shutil.which(name):
            return [name]
    raise InktopError(f"esptool is not installed.\n{INSTALL_FLASH_EXTRA}")


def write_command() -> str:
    """esptool's word for writing: it changed in version 5, which still takes the old one with a warning."""
    try:
        major = importlib.metadata.version("esptool").split(".")[0]
    except importlib.metadata.PackageNotFoundError:
        return "write_flash"
    return "write-flash" if major.isdigit() and int(major) >= 5 else "write_flash"


def secrets_folder() -> Path:
    """Where the build looks for secrets.h: $INKTOP_SECRETS_DIR, else ~/.config/inktop."""
    named = os.environ.get("INKTOP_SECRETS_DIR", "").strip()
    return Path(named).expanduser() if named else Path.home() / ".config/inktop"


def image_offset(path: Path) -> int:
    """Where a prebuilt image goes: 0 for a whole flash (bootloader, partitions, program), else 0x10000.

    Raises InktopError when the file is not an image for the ESP32-S3.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InktopError(
            f"{path} cannot be read: {error.strerror}.\nName the image: --image firmware.bin"
        ) from error
    if len(data) < 24 or data[0] != IMAGE_MAGIC:
        raise InktopError(
            f"{path} is not an ESP image (it does not begin with 0xE9).\n"
            "Take firmware.bin of a build (.pio/build/ENV/firmware.bin), not the .elf or an archive."
        )
    chip = int.from_bytes(data[12:14], "little")
    if chip != CHIP_ESP32S3:
        raise InktopError(
            f"{path} is an image for another chip (id {chip}; the ESP32-S3 is {CHIP_ESP32S3}).\n"
            "Build it with inktop's platformio.ini."
        )
    whole = data[PARTITION_TABLE_AT : PARTITION_TABLE_AT + 2] == PARTITION_MAGIC
    return 0 if whole else APPLICATION_AT


def run_and_watch(command: List[str], cwd: Optional[Path]) -> Tuple[int, List[str]]:
    """Runs `command`, passing its output on as it comes; returns its exit status and its last 200 lines."""
    last: Deque[str] = deque(maxlen=200)
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise InktopError(
            f"{command[0]} cannot be started: {error.strerror}.\n{INSTALL_FLASH_EXTRA}"
        ) from error
    assert process.stdout is not None
    try:
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            last.append(line.rstrip("\n"))
        return process.wait(), list(last)
    except KeyboardInterrupt:
        process.wait()
        raise
    finally:
        process.stdout.close()


def build_command(args: argparse.Namespace, port: str) -> Tuple[List[str], Optional[Path]]:
    """What writes the firmware, and the folder to run it in.

    Raises InktopError when a tool, the checkout, the environment or the secrets are missing.
    """
    if args.image is not None:
        offset = image_offset(args.image)
        command = esptool_command() + ["--chip", "esp32s3", "--port", port]
        command += ["--baud", str(args.baud or 460800), write_command()]
        return command + [hex(offset), str(args.image)], None
    project = args.project or find_checkout(Path.cwd())
    if project is None or not (project / "platformio.ini").is_file():
        where = f"{project} has" if project else "here is"
        raise InktopError(
            f"{where} no platformio.ini, so there is nothing to build.\n"
            "Run this from a checkout of inktop, or write a prebuilt image: inktop flash --image firmware.bin"
        )
    known = environments(project)
    if args.env not in known:
        raise InktopError(
            f"no environment {args.env} in {project / 'platformio.ini'}.\n"
            f"There are: {', '.join(known) or 'none'}. v7 is the board with the I2C power chip, "
            "v7_nopmic the one without (power enable on GPIO46)."
        )
    secrets = secrets_folder() / "secrets.h"
    if not secrets.is_file():
        raise InktopError(
            f"no secrets header: {secrets} is missing.\n"
            "Run inktop secrets init (Wi-Fi name, password and server, kept outside the tree). "
            "An empty file will do: Wi-Fi then comes from the serial console (inktop configure)."
        )
    command = platformio_command() + ["run", "-d", str(project), "-e", args.env, "-t", "upload"]
    command += ["--upload-port", port]
    return command, project


def explain_failure(status: int, lines: List[str], port: str, machine: Machine) -> InktopError:
    """The error to show after the tools ended with `status`."""
    cause = explain_output(lines)
    if cause is None:
        return InktopError(
            f"flashing failed (exit status {status}); the lines above say why.\n"
            "If they tell of the port or of time-outs: " + DOWNLOAD_MODE
        )
    advice = cause.advice
    if cause.name == "permission":
        advice = serial_ports.explain_open_failure(port, PermissionError(13, "denied"), machine)
    elif cause.name == "gone" or (cause.name == "busy" and not Path(port).exists()):
        advice = serial_ports.explain_open_failure(port, OSError(2, "No such file"), machine)
    elif cause.name == "busy":
        advice = serial_ports.explain_open_failure(port, OSError(16, "busy"), machine)
    return InktopError(f"flashing failed (exit status {status}).\n{advice}")


def flash(
    args: argparse.Namespace,
    machine: Machine,
    say: Callable[[str], None],
    run_tool: Callable[[List[str], Optional[Path]], Tuple[int, List[str]]] = run_and_watch,
) -> str:
    """Writes the firmware, once more when the port went away in the middle; returns the port.

    Raises InktopError with the next step.
    """
    # What needs no board comes first: nobody should plug in a board to learn that a tool is missing.
    build_command(args, args.port or "PORT")
    port = serial_ports.wait_for_port(args.port, machine, args.wait, say)
    serial_ports.check_access(port, machine)
    for attempt in (1, 2):
        command, folder = build_command(args, port)
        say(f"writing to {port}: {' '.join(command)}")
        status, lines = run_tool(command, folder)
        if status == 0:
            return port
        error = explain_failure(status, lines, port, machine)
        cause = explain_output(lines)
        if attempt == 2 or cause is None or cause.name not in ("vanished", "gone"):
            raise error
        say(f"{error}\nwaiting for the port to come back, then once more ...")
        port = serial_ports.wait_for_port(args.port, machine, args.wait, say)
        serial_ports.check_access(port, machine)
    raise AssertionError("unreachable")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    project = find_checkout(Path.cwd())
    known = "v7, v7_nopmic"
    if project is not None:
        with contextlib.suppress(InktopError):  # it is told when flashing
            known = ", ".join(environments(project)) or known
    parser.add_argument("--port", help="serial port (default: the one CH340 on the USB bus)")
    parser.add_argument("--env", default=DEFAULT_ENV, help=f"one of: {known} (default: {DEFAULT_ENV})")
    parser.add_argument("--image", type=Path, help="write this prebuilt image with esptool, build nothing")
    parser.add_argument("--baud", type=int, help="with --image: bits/s (default: 460800)")
    parser.add_argument(
        "--wait", type=arguments.seconds, default=10, help="wait S seconds for the port (default: 10)"
    )
    parser.add_argument("--monitor", action="store_true", help="show the board's log afterwards")
    parser.add_argument("--project", type=Path, help="folder with platformio.ini")


def run(args: argparse.Namespace) -> int:
    machine = Machine()

    def say(text: str) -> None:
        print(text, flush=True)

    port = flash(args, machine, say)
    say("")
    say(AFTER_FLASHING.format(port=f" --port {args.port}" if args.port else ""))
    if args.monitor:
        from inktop_tools.device import monitor

        return monitor.follow(monitor.Options(port=port), machine, say)
    return 0
