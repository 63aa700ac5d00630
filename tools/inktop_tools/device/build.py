"""How the firmware is built, and where what a board runs comes from: checkout, tools, secrets, images.

PlatformIO (from a checkout) or esptool (a prebuilt image) do the work, as subprocesses.
"""

from __future__ import annotations

import argparse
import configparser
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import Deque, List, Optional, Tuple

from inktop_tools.device.serial_ports import INSTALL_FLASH_EXTRA
from inktop_tools.errors import InktopError

DEFAULT_ENV = "v7"

#: First byte of an ESP image, and the chip id of the ESP32-S3 at bytes 12 and 13 (little endian).
IMAGE_MAGIC = 0xE9
CHIP_ESP32S3 = 9
#: The partition table lies at 0x8000 and begins with these bytes; an application starts at 0x10000.
PARTITION_TABLE_AT = 0x8000
PARTITION_MAGIC = b"\xaa\x50"
APPLICATION_AT = 0x10000

#: What PlatformIO says of a program that was linked.
_SIZE = re.compile(r"^(RAM|Flash):.*?([0-9.]+)% \(used (\d+) bytes from (\d+) bytes\)")


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


def build_command(args: argparse.Namespace, port: Optional[str]) -> Tuple[List[str], Optional[Path]]:
    """What builds the firmware and writes it to the port (``None``: to none), and the folder to run it in.

    Raises InktopError when a tool, the checkout, the environment or the secrets are missing.
    """
    if args.image is not None:
        offset = image_offset(args.image)
        command = esptool_command() + ["--chip", "esp32s3", "--port", port or "PORT"]
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
    command = platformio_command() + ["run", "-d", str(project), "-e", args.env]
    if port is not None:
        command += ["-t", "upload", "--upload-port", port]
    return command, project


def firmware_path(project: Path, environment: str) -> Path:
    """Where PlatformIO puts the program."""
    return project / ".pio/build" / environment / "firmware.bin"


def sizes(lines: List[str]) -> List[str]:
    """How large the program is, in sentences, from what PlatformIO has printed."""
    found = [match.groups() for match in map(_SIZE.match, lines) if match is not None]
    words = {"Flash": "the program takes {} of the {} bytes of its place in the flash ({} %)"}
    words["RAM"] = "its variables take {} of {} bytes of internal RAM ({} %)"
    return [
        words[kind].format(f"{int(used):,}", f"{int(most):,}", share) for kind, share, used, most in found
    ]
