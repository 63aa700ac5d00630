"""`inktop flash`: builds the firmware and writes it to a board, and explains every way that this fails.

This module finds the port, checks what can be checked before, reads what the tools print (``build``), and
says what comes next.
"""

from __future__ import annotations

import argparse
import contextlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, List, Optional, Tuple

from inktop_tools import arguments
from inktop_tools.device import build, serial_ports
from inktop_tools.device.build import build_command
from inktop_tools.device.serial_ports import OWN_SUPPLY, Machine
from inktop_tools.errors import InktopError

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


#: The first that matches wins, so the specific come before the general. The patterns are what esptool 4 and 5
#: and PlatformIO 6 print.
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
    run_tool: Callable[[List[str], Optional[Path]], Tuple[int, List[str]]] = build.run_and_watch,
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
            _say_sizes(lines, say)
            return port
        error = explain_failure(status, lines, port, machine)
        cause = explain_output(lines)
        if attempt == 2 or cause is None or cause.name not in ("vanished", "gone"):
            raise error
        say(f"{error}\nwaiting for the port to come back, then once more ...")
        port = serial_ports.wait_for_port(args.port, machine, args.wait, say)
        serial_ports.check_access(port, machine)
    raise AssertionError("unreachable")


def build_only(
    args: argparse.Namespace,
    say: Callable[[str], None],
    run_tool: Callable[[List[str], Optional[Path]], Tuple[int, List[str]]] = build.run_and_watch,
) -> Path:
    """Builds the firmware, which needs no board; returns where it is. Raises InktopError."""
    if args.image is not None:
        raise InktopError("--build-only builds, and --image is built already: leave one of them out.")
    command, project = build_command(args, None)
    assert project is not None
    say(f"building: {' '.join(command)}")
    status, lines = run_tool(command, project)
    if status != 0:
        raise explain_failure(status, lines, "PORT", Machine())
    _say_sizes(lines, say)
    return build.firmware_path(project, args.env)


def dry_run(args: argparse.Namespace, machine: Machine, say: Callable[[str], None]) -> None:
    """Says what would be done, after the same checks; without a board that, too. Raises InktopError."""
    command, project = build_command(args, None if args.build_only else args.port or "PORT")
    if project is not None:
        say(f"secrets: {build.secrets_folder() / 'secrets.h'}")
    if not args.build_only:
        try:
            port = serial_ports.wait_for_port(args.port, machine, 0, say)
            serial_ports.check_access(port, machine)
            command = [port if word == "PORT" else word for word in command]
        except InktopError as error:
            say(f"the board: {error}")
    say(f"would run: {' '.join(command)}")


def _say_sizes(lines: List[str], say: Callable[[str], None]) -> None:
    for size in build.sizes(lines):
        say(size)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    project = build.find_checkout(Path.cwd())
    known = "v7, v7_nopmic"
    if project is not None:
        with contextlib.suppress(InktopError):  # it is told when flashing
            known = ", ".join(build.environments(project)) or known
    parser.add_argument("--port", help="serial port (default: the one CH340 on the USB bus)")
    parser.add_argument(
        "--env", default=build.DEFAULT_ENV, help=f"one of: {known} (default: {build.DEFAULT_ENV})"
    )
    parser.add_argument("--build-only", action="store_true", help="build, and write to no board")
    parser.add_argument("--dry-run", action="store_true", help="check, say what would be done, do nothing")
    parser.add_argument("--image", type=Path, help="write this prebuilt image with esptool, build nothing")
    parser.add_argument("--baud", type=int, help="with --image: bits/s (default: 460800)")
    parser.add_argument(
        "--wait", type=arguments.seconds, default=10, help="wait S seconds for the port (default: 10)"
    )
    parser.add_argument("--monitor", action="store_true", help="show the board's log afterwards")
    parser.add_argument("--project", type=Path, help="folder with platformio.ini")
    parser.add_argument(
        "--web-page",
        type=Path,
        metavar="DIR",
        help="put what was built into DIR, with a page that flashes it from a browser",
    )


def _web_page(args: argparse.Namespace) -> List[str]:
    from inktop_collector import __version__

    from inktop_tools.device import web_page

    project = args.project or build.find_checkout(Path.cwd())
    if project is None or not (project / "platformio.ini").is_file():
        raise InktopError("there is no platformio.ini here: run this from a checkout of inktop.")
    return web_page.write_page(project, args.web_page, __version__)


def run(args: argparse.Namespace) -> int:
    machine = Machine()

    def say(text: str) -> None:
        print(text, flush=True)

    if args.web_page is not None:
        names = _web_page(args)
        say(
            f"{args.web_page}: a page for {', '.join(names)}. "
            f"To try it: python3 -m http.server -d {args.web_page}"
        )
        return 0
    if args.dry_run:
        dry_run(args, machine, say)
        return 0
    if args.build_only:
        say(f"The firmware is built: {build_only(args, say)}. Plug the board in: inktop flash")
        return 0
    port = flash(args, machine, say)
    say("")
    say(AFTER_FLASHING.format(port=f" --port {args.port}" if args.port else ""))
    if args.monitor:
        from inktop_tools.device import monitor

        return monitor.follow(monitor.Options(port=port), machine, say)
    return 0
