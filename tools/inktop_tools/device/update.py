"""`inktop update`: the firmware over the air, to a board that runs.

Speaks what the board's ArduinoOTA (Arduino core 2.0.14) listens for: an invitation by UDP, answered or
challenged; then the board connects and takes the program by TCP. The password itself is never sent, and
is never an argument, where every process and the shell's history would see it.
"""

from __future__ import annotations

import argparse
import getpass
import hashlib
import secrets
import socket
import sys
import time
from pathlib import Path
from typing import Callable, Optional

from inktop_tools.addresses import parse_server
from inktop_tools.device import build, flash
from inktop_tools.errors import InktopError

PORT = 3232
_FLASH, _AUTHENTICATE = 0, 200
_CHUNK_BYTES = 1024
_INVITATIONS = 5
_ANSWER_S = 2.0
#: The board checks the password, erases, then connects.
_CONNECT_S = 15.0
#: A chunk is written to flash before it is answered.
_CHUNK_S = 20.0
#: The whole program is checked before the last answer.
_END_S = 60.0

_NO_ANSWER = (
    "Is it on (its address is in the collector's `boards`), on this network, and has its firmware a password "
    "for updates (`inktop secrets init`)? Without one it does not listen."
)


def _md5(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


class Update:
    """One program for one board."""

    def __init__(self, host: str, program: bytes, password: str, say: Callable[[str], None]) -> None:
        self._host = host
        self._program = program
        self._password = password
        self._say = say
        self._digest = hashlib.md5(program).hexdigest()

    def send(self, port: int = PORT) -> None:
        """Raises InktopError; the firmware that the board has then goes on."""
        try:
            address = socket.getaddrinfo(self._host, port, socket.AF_INET, socket.SOCK_DGRAM)[0][4]
        except OSError as error:
            raise InktopError(f"no address is known for {self._host}: {error}.") from error
        with socket.socket(socket.AF_INET) as listener, socket.socket(type=socket.SOCK_DGRAM) as asking:
            listener.bind(("", 0))
            listener.listen(1)
            listener.settimeout(_CONNECT_S)
            asking.connect(address)
            asking.settimeout(_ANSWER_S)
            self._invite(asking, listener.getsockname()[1])
            self._say("the board takes it")
            try:
                connection, peer = listener.accept()
            except socket.timeout:
                raise InktopError(
                    f"{self._host} agreed, but did not connect: is a firewall in front of this machine? "
                    f"It comes from the board to port {listener.getsockname()[1]}, another one each time."
                ) from None
            with connection:
                if peer[0] != asking.getpeername()[0]:
                    raise InktopError(f"{peer[0]} connected and not the board: nothing was sent. Try again.")
                self._transfer(connection)

    def _invite(self, asking: socket.socket, port: int) -> None:
        invitation = f"{_FLASH} {port} {len(self._program)} {self._digest}\n".encode()
        for _ in range(_INVITATIONS):
            answer = _ask(asking, invitation)
            if answer:
                break
        else:
            raise InktopError(f"{self._host} does not answer on UDP port {PORT}. {_NO_ANSWER}")
        if answer.startswith("AUTH "):
            nonce = answer.split()[1]
            own = secrets.token_hex(16)
            response = _md5(f"{_md5(self._password)}:{nonce}:{own}")
            answer = _ask(asking, f"{_AUTHENTICATE} {own} {response}\n".encode()) or "no answer"
            if answer != "OK":
                raise InktopError(
                    f"{self._host} refused the password ({answer}): it is the one for updates in the secrets "
                    "that its firmware was built with, not that of the Wi-Fi."
                )
        if answer != "OK":
            raise InktopError(f"{self._host} answered {answer!r}: is it a board?")

    def _transfer(self, connection: socket.socket) -> None:
        connection.settimeout(_CHUNK_S)
        said = -1
        heard = b""  # how much it has written, after each piece; in the end OK, or what went wrong
        try:
            for start in range(0, len(self._program), _CHUNK_BYTES):
                connection.sendall(self._program[start : start + _CHUNK_BYTES])
                heard = connection.recv(64)
                if not heard:
                    raise self._broken("it ended the connection")
                tenth = 10 * (start + _CHUNK_BYTES) // len(self._program)
                if tenth > said:
                    said = tenth
                    self._say(f"{min(100, 10 * tenth)} %")
            connection.settimeout(_END_S)
            while b"OK" not in heard:
                more = connection.recv(64)
                if not more:
                    raise self._broken(
                        heard.decode("ascii", "replace").strip("0123456789 \r\n") or "no reason"
                    )
                heard += more
        except OSError as error:
            raise self._broken(str(error)) from error

    def _broken(self, why: str) -> InktopError:
        return InktopError(
            f"the update broke off ({why}): the firmware that {self._host} has goes on. Try again, nearer to "
            "the access point if it was slow."
        )


def _ask(asking: socket.socket, text: bytes) -> Optional[str]:
    """The answer, ``None`` if there is none in time."""
    try:
        asking.send(text)
        return asking.recv(64).decode("ascii", "replace").strip()
    except socket.timeout:
        return None
    except OSError:  # the host is there and says that nobody listens
        time.sleep(_ANSWER_S / 4)
        return None


def read_password(path: Optional[Path]) -> str:
    """From the first line of the file, else asked for without echo; from a pipe, its first line."""
    if path is not None:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
            everybody = path.stat().st_mode & 0o007
        except (OSError, UnicodeDecodeError) as error:
            raise InktopError(f"cannot read the password in {path}: {error}.") from error
        if everybody:
            print(f"warning: everybody on this machine can read it: chmod 600 {path}", file=sys.stderr)
        password = lines[0] if lines else ""
    elif sys.stdin.isatty():
        password = getpass.getpass("Password for updates: ")
    else:
        password = sys.stdin.readline().rstrip("\n")
    if not password:
        raise InktopError("no password: it is the one for updates that `inktop secrets init` asked for.")
    return password


def read_program(path: Path) -> bytes:
    """A program for the board. Raises InktopError for anything else."""
    if build.image_offset(path) == 0:
        raise InktopError(
            f"{path} is a whole flash image: over the air goes the program alone, "
            ".pio/build/ENV/firmware.bin of a build."
        )
    return path.read_bytes()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("host", metavar="HOST", help="the board: its IPv4 address, or its name")
    parser.add_argument("--image", type=Path, help="send this program, build nothing")
    parser.add_argument("--env", default=build.DEFAULT_ENV, help=f"what to build ({build.DEFAULT_ENV})")
    parser.add_argument("--project", type=Path, help="folder with platformio.ini")
    parser.add_argument(
        "--password-file",
        type=Path,
        metavar="FILE",
        help="the password for updates is its first line (default: it is asked for)",
    )
    parser.add_argument("--port", type=int, default=PORT, help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Builds if there is no image, and sends; status 0 when the board has taken it."""

    def say(text: str) -> None:
        print(text, flush=True)

    host, _ = parse_server(args.host)
    if ":" in args.host:
        raise InktopError(f"{args.host!r}: give the board's name or IPv4 address alone.")
    password = read_password(args.password_file)
    path: Path = args.image if args.image is not None else flash.build_only(args, say)
    program = read_program(path)
    say(f"{path}: {len(program):,} bytes to {host}")
    Update(host, program, password, say).send(args.port)
    say("The board has the new firmware and restarts by itself. Its secrets are those of this build.")
    return 0
