"""`inktop secrets`: writes the header with Wi-Fi, servers and passwords, outside the tree.

The firmware's build takes its defaults from secrets.h in `$INKTOP_SECRETS_DIR` (else ~/.config/inktop);
what each value may be is the firmware's rule (firmware/core/console/settings.cpp), held here too, so that a
mistake shows before anything is flashed.
"""

from __future__ import annotations

import argparse
import contextlib
import getpass
import os
import re
import string
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

from inktop_tools.addresses import parse_server
from inktop_tools.device.build import secrets_folder
from inktop_tools.errors import InktopError
from inktop_tools.keys import read_key

HEADER_NAME = "secrets.h"
MOST_SERVERS = 4


def _printable(text: str) -> bool:
    return all(" " <= char <= "~" for char in text)


def check_ssid(text: str) -> Optional[str]:
    """What is wrong with a network's name, None: nothing."""
    if len(text.encode("utf-8")) > 32 or any(char < " " or char == "\x7f" for char in text):
        return "a network's name is 1 to 32 bytes"
    return None


def check_password(text: str) -> Optional[str]:
    if not text or (len(text) == 64 and all(char in string.hexdigits for char in text)):
        return None
    if not 8 <= len(text) <= 63 or not _printable(text):
        return "a WPA password is 8 to 63 printable characters or 64 hexadecimal digits"
    return None


def check_servers(text: str) -> Optional[str]:
    items = text.split(",") if text else []
    if len(items) > MOST_SERVERS:
        return f"at most {MOST_SERVERS} servers"
    for item in items:
        try:
            host, _ = parse_server(item)
        except InktopError as error:
            return str(error).rstrip(".")
        if ":" in host:
            return f"{item!r}: the board speaks IPv4, give a name or an IPv4 address"
    return None


def check_ota_password(text: str) -> Optional[str]:
    if text and not (8 <= len(text) <= 63 and _printable(text)):
        return "a password for updates is 8 to 63 printable characters"
    return None


def check_key(text: str) -> Optional[str]:
    if text and not (16 <= len(text) <= 64 and _printable(text)):
        return "a key is 16 to 64 printable characters, the same as on the server"
    return None


@dataclass(frozen=True)
class Field:
    """One value of the header: its macro, the question for it, and what it may be."""

    macro: str
    question: str
    check: Callable[[str], Optional[str]]
    secret: bool = False


FIELDS: Tuple[Field, ...] = (
    Field("INKTOP_WIFI_SSID", "Wi-Fi name (2.4 GHz)", check_ssid),
    Field("INKTOP_WIFI_PASSWORD", "Wi-Fi password (empty: open network)", check_password, secret=True),
    Field(
        "INKTOP_SERVERS",
        "server, host or host:port, up to 4 by commas (empty: found by itself)",
        check_servers,
    ),
    Field("INKTOP_STREAM_KEY", "key of the stream (empty: none)", check_key, secret=True),
    Field(
        "INKTOP_OTA_PASSWORD",
        "password for updates over the air (empty: off)",
        check_ota_password,
        secret=True,
    ),
)


def c_string(text: str) -> str:
    """`text` as a C string literal; bytes beyond ASCII octal, so that none runs into what follows."""
    out = ""
    for byte in text.encode("utf-8"):
        char = chr(byte)
        if char in '"\\?':  # with ? no trigraph can come about
            out += "\\" + char
        elif 0x20 <= byte < 0x7F:
            out += char
        else:
            out += f"\\{byte:03o}"
    return f'"{out}"'


def header_text(values: Dict[str, str]) -> str:
    """The header with the values that are not empty. Raises InktopError when one is not what it may be."""
    lines = ["// Secrets of a board, written by `inktop secrets init`. Keep it out of every repository.", ""]
    for field in FIELDS:
        value = values.get(field.macro, "")
        problem = field.check(value)
        if problem:
            raise InktopError(f"{field.macro}: {problem}.")
        if value:
            lines.append(f"#define {field.macro} {c_string(value)}")
    return "\n".join(lines) + "\n"


def write_header(folder: Path, text: str, replace: bool) -> Path:
    """Writes the header for its owner only (mode 600), whole or not at all. Raises InktopError."""
    path = folder / HEADER_NAME
    if path.exists() and not replace:
        raise InktopError(f"{path} is there already: --force replaces it, or edit it by hand.")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(
            prefix=HEADER_NAME, dir=str(folder)
        )  # mode 600 from its first byte on
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(text)
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise InktopError(
            f"cannot write {path}: {error.strerror or error}. "
            "Name another folder with INKTOP_SECRETS_DIR; the build reads the same variable."
        ) from error
    return path


def ask(field: Field) -> str:
    """The person's answer, asked again until it fits; from a pipe: one line, which must fit."""
    while True:
        if not sys.stdin.isatty():
            value = sys.stdin.readline().rstrip("\r\n")
        elif field.secret:
            value = getpass.getpass(f"{field.question}: ")
        else:
            value = input(f"{field.question}: ")
        problem = field.check(value)
        if problem is None:
            return value
        if not sys.stdin.isatty():
            raise InktopError(f"{field.question}: {problem}.")
        print(f"  {problem}", file=sys.stderr)


def _init(args: argparse.Namespace) -> int:
    folder = secrets_folder()
    if (folder / HEADER_NAME).exists() and not args.force:
        write_header(folder, "", replace=False)  # says so before any question
    values: Dict[str, str] = {}
    if not args.empty:
        key = read_key(args.key_file)
        for field in FIELDS:
            if field.macro == "INKTOP_STREAM_KEY" and key is not None:
                values[field.macro] = key
            else:
                values[field.macro] = ask(field)
    path = write_header(folder, header_text(values), args.force)
    given = [field.macro for field in FIELDS if values.get(field.macro)]
    print(f"wrote {path} (readable by you only): {', '.join(given) or 'empty'}")
    if "INKTOP_WIFI_SSID" not in given:
        print("No Wi-Fi in it: after flashing, inktop configure wifi sets it over the serial port.")
    print("Next: inktop flash (--env v7_nopmic for a board without the I2C power chip).")
    return 0


def _check(_: argparse.Namespace) -> int:
    path = secrets_folder() / HEADER_NAME
    try:
        text = path.read_text(encoding="utf-8")
        mode = path.stat().st_mode & 0o777
    except OSError as error:
        raise InktopError(
            f"{path} cannot be read ({error.strerror}): inktop secrets init writes it."
        ) from error
    print(path)
    known: List[str] = [field.macro for field in FIELDS]
    for macro in known:
        is_set = re.search(rf'^\s*#define\s+{macro}\s+"(?!")', text, re.MULTILINE)
        print(f"  {macro:22} {'set' if is_set else 'not set'}")
    for macro in re.findall(r"^\s*#define\s+(\w+)", text, re.MULTILINE):
        if macro not in known:
            print(f"  {macro:22} is not known to the firmware: misspelt?")
    if mode & 0o077:
        raise InktopError(f"others on this machine can read {path}: chmod 600 {path}")
    return 0


def _path(_: argparse.Namespace) -> int:
    print(secrets_folder() / HEADER_NAME)
    return 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    init = actions.add_parser("init", help="ask for the values and write the header")
    init.add_argument("--force", action="store_true", help="replace the header that is there")
    init.add_argument(
        "--empty",
        action="store_true",
        help="no values: for an image that can be shared; Wi-Fi by inktop configure",
    )
    init.add_argument("--key-file", type=Path, help="file with the stream's key, as the collector has it")
    init.set_defaults(act=_init)
    actions.add_parser("check", help="what is set, and who can read it").set_defaults(act=_check)
    actions.add_parser("path", help="where the header is").set_defaults(act=_path)


def run(args: argparse.Namespace) -> int:
    return int(args.act(args))
