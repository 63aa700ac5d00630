"""`inktop configure`: a board's settings over its serial console.

The console (firmware/core/console/console.h) takes one command a line. Lines of its reply begin with "# ";
the last is "# ok" or "# error: ". All else on the wire is the log. A board answers late while it refreshes.
"""

from __future__ import annotations

import argparse
import getpass
import sys
import time
from typing import Any, Callable, List, Optional

from inktop_tools import arguments
from inktop_tools.device import serial_ports
from inktop_tools.device.secrets import check_password, check_ssid
from inktop_tools.device.serial_ports import Machine
from inktop_tools.errors import InktopError

#: Values that are asked for without echo, and never taken from the command line by accident.
SECRET_SETTINGS = ("password", "key")
#: A clear and a wash take some seconds; the console is heard between two refreshes.
DEFAULT_TIMEOUT_S = 20.0
#: What the console takes in one line, and what the chip's receive buffer holds meanwhile.
MOST_COMMAND_BYTES = 310


class Console:
    """The console of a board behind an open serial port (pyserial's Serial, or anything like it)."""

    def __init__(
        self,
        port: Any,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        log: Optional[Callable[[str], None]] = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._port = port
        self._timeout_s = timeout_s
        self._log = log
        self._clock = clock
        self._rest = b""

    def command(self, text: str) -> List[str]:
        """Sends one command; returns the lines of the reply, without "# ", the last one being "ok ...".

        Raises InktopError with the board's own words when it refuses, and when it does not answer.
        """
        if any(char < " " or char == "\x7f" for char in text):
            raise InktopError("a setting cannot hold control characters or line ends.")
        data = text.encode("utf-8")
        if len(data) > MOST_COMMAND_BYTES:
            raise InktopError(
                f"that is too long for the console ({len(data)} bytes, {MOST_COMMAND_BYTES} fit)."
            )
        self._write(b"\n" + data + b"\n")  # the first newline ends half a line that may be there
        reply: List[str] = []
        deadline = self._clock() + self._timeout_s
        heard = False
        while self._clock() < deadline:
            for line in self._read_lines():
                heard = True
                if "waiting for download" in line.lower():
                    raise InktopError(
                        "the chip is in its ROM loader: press RST to start the firmware, then try again."
                    )
                if not line.startswith("# "):
                    if self._log and line:
                        self._log(line)
                    continue
                said = line[2:]
                if said.startswith("error: "):
                    raise InktopError(f"the board says: {said[len('error: ') :]}.")
                reply.append(said)
                if said == "ok" or said.startswith("ok,"):
                    return reply
        raise InktopError(
            f"no answer within {self._timeout_s:.0f} s, "
            + (
                "but a log: this firmware has no such console, or it is busy; try again.\n"
                if heard
                else "not a byte.\n"
            )
            + "Press RST once and try again; inktop monitor shows what the board does."
        )

    def _write(self, data: bytes) -> None:
        try:
            self._port.write(data)
            self._port.flush()
        except OSError as error:
            raise InktopError(f"the port went away: {error}.\n{serial_ports.OWN_SUPPLY}") from error

    def _read_lines(self) -> List[str]:
        try:
            data = self._port.read(1) + self._port.read(self._port.in_waiting or 0)
        except OSError as error:  # pyserial's own error is one
            raise InktopError(f"the port went away: {error}.\n{serial_ports.OWN_SUPPLY}") from error
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [line.decode("utf-8", "replace").strip("\r") for line in lines]


def _ask_secret(what: str) -> str:
    if sys.stdin.isatty():
        return getpass.getpass(f"{what}: ")
    return sys.stdin.readline().rstrip("\r\n")


def _ask(what: str) -> str:
    if sys.stdin.isatty():
        return input(f"{what}: ")
    return sys.stdin.readline().rstrip("\r\n")


def commands_for(args: argparse.Namespace) -> List[str]:
    """What to send for what was asked. Raises InktopError where that cannot be right."""
    if args.action in (None, "list"):
        return ["list"]
    if args.action == "wifi":
        ssid = _ask("Wi-Fi name (2.4 GHz)")
        password = _ask_secret("Wi-Fi password (empty: open network)")
        for problem in (check_ssid(ssid), check_password(password)):
            if problem:
                raise InktopError(f"{problem}.")
        return [f"set ssid {ssid}", f"set password {password}", "restart"]
    if args.action == "set":
        value = args.value
        if value is None:
            value = _ask_secret(args.name) if args.name in SECRET_SETTINGS else ""
        return [f"set {args.name} {value}"] + (["restart"] if args.restart else [])
    if args.action in ("get", "hold", "release"):
        return [f"{args.action} {args.name}"]
    if args.action == "reset":
        return [f"reset {args.name}"] + (["restart"] if args.restart else [])
    return [str(args.action)]


def configure(commands: List[str], console: Console, say: Callable[[str], None]) -> None:
    """Sends the commands one by one and shows the replies. Raises InktopError at the first refusal."""
    restart_due = False
    for command in commands:
        reply = console.command(command)
        for line in reply[:-1]:
            say(line)
        restart_due = "from the next start on" in reply[-1]
    if restart_due:
        say("ok; it acts from the next start on: inktop configure restart")
    else:
        say(reply[-1])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", help="the serial port (default: the only CH340)")
    parser.add_argument(
        "--timeout",
        type=arguments.seconds,
        default=DEFAULT_TIMEOUT_S,
        metavar="S",
        help="seconds to wait for an answer",
    )
    parser.add_argument("--log", action="store_true", help="show the board's log meanwhile")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    actions.add_parser("list", help="every setting, its value and its range (the default)")
    actions.add_parser("wifi", help="ask for the network and its password, set them, restart")
    setter = actions.add_parser(
        "set", help="set NAME VALUE; password and key are asked for when VALUE is left out"
    )
    setter.add_argument("name")
    setter.add_argument("value", nargs="?")
    setter.add_argument("--restart", action="store_true", help="restart the board afterwards")
    getter = actions.add_parser("get", help="one setting")
    getter.add_argument("name")
    resetter = actions.add_parser("reset", help="one setting, or `all`, back to the defaults of the build")
    resetter.add_argument("name")
    resetter.add_argument("--restart", action="store_true", help="restart the board afterwards")
    holder = actions.add_parser("hold", help="the board's own value wins over its server's")
    holder.add_argument("name")
    releaser = actions.add_parser("release", help="the server's value, where it holds one, acts again")
    releaser.add_argument("name")
    actions.add_parser("buttons", help="the raw reading of the buttons' pin now: hold one while asking")
    actions.add_parser("restart", help="restart the board")
    actions.add_parser("selftest", help="restart into the self-test, where it is built in")


def run(args: argparse.Namespace) -> int:
    commands = commands_for(args)
    machine = Machine()
    device = serial_ports.choose_port(args.port, serial_ports.list_ports(), machine)
    port = serial_ports.open_quietly(device, machine)
    try:
        log = (lambda line: print(f"  | {line}", file=sys.stderr)) if args.log else None
        configure(commands, Console(port, args.timeout, log), print)
    finally:
        port.close()
    return 0
