"""`inktop tail`: a collector's live stream in words, one line a second, reconnecting for ever."""

from __future__ import annotations

import argparse
import socket
import sys
import time
from pathlib import Path
from typing import Callable, Optional, Tuple

from inktop_protocol import (
    Fleet,
    Framer,
    Gpu,
    Hello,
    InfoLine,
    KeyedStream,
    LineError,
    Network,
    OtherVersion,
    SettingsLine,
    Snapshot,
    UnknownKind,
    UpOf,
    decode,
    encode_hello,
    new_nonce,
    sign_hello,
)

from inktop_tools import arguments
from inktop_tools.addresses import parse_server
from inktop_tools.errors import InktopError
from inktop_tools.keys import read_key

#: A collector says a line a second; after this long without one the connection is dead.
SILENCE_S = 12.0
#: After this long without one the person is told.
_QUIET_S = 3.0
_CONNECT_S = 4.0
_PAUSE_S = 1.0


def is_bad(line: bytes) -> bool:
    """Whether no collector writes such a line."""
    try:
        decode(line)
    except LineError:
        return True
    return False


def in_words(line: bytes) -> str:
    """A line for a person; a bad one says why it is bad."""
    try:
        decoded = decode(line)
    except LineError as error:
        # Whoever sends it could drive the terminal.
        begin = "".join(chr(c) if 0x20 <= c <= 0x7E else f"\\x{c:02x}" for c in line[:60])
        return f"bad line ({error.kind}): {begin}"
    if isinstance(decoded, Snapshot):
        return _snapshot(decoded)
    if isinstance(decoded, Fleet):
        return _fleet(decoded)
    if isinstance(decoded, InfoLine):
        gpus = ", ".join(f"GPU{gpu.index} {gpu.name or ''}".rstrip() for gpu in decoded.gpus)
        facts = [f"collector {decoded.collector}" if decoded.collector else "", decoded.cpu_model or "", gpus]
        return "-- " + ", ".join(fact for fact in facts if fact)
    if isinstance(decoded, SettingsLine):
        held = ", ".join(f"{item.name} {item.value}" for item in decoded.values)
        return f"-- settings held for this board: {held or 'none'}"
    if isinstance(decoded, OtherVersion):
        return f"-- a {decoded.kind} line of version {decoded.version}: newer than this program, update it"
    if isinstance(decoded, UnknownKind):
        return f"-- a line of an unknown kind ({decoded.key}): ignored"
    return f"-- {line.decode('ascii')}"


def _percent(permille: Optional[int]) -> str:
    return "--" if permille is None else f"{permille / 10:.0f}%"


def _gib(milligib: Optional[int]) -> str:
    return "--" if milligib is None else f"{milligib / 1000:.1f}"


def _rate(bytes_s: Optional[int]) -> str:
    if bytes_s is None:
        return "--"
    value = float(bytes_s)
    for unit in ("B/s", "kB/s", "MB/s", "GB/s"):
        if value < 1000 or unit == "GB/s":
            return f"{value:.0f} {unit}" if value >= 100 or unit == "B/s" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError


def _number(value: Optional[int]) -> str:
    return "--" if value is None else str(value)


def _gpu(gpu: Gpu) -> str:
    if gpu.state != "ok":
        return f"GPU{gpu.index} {gpu.state.upper() if gpu.state in ('lost', 'reset') else gpu.state}"
    busy = "--" if gpu.busy_percent is None else f"{gpu.busy_percent}%"
    return f"GPU{gpu.index} {busy} {_number(gpu.junction_c)} C {_number(gpu.power_w)} W"


def _network(network: Network) -> str:
    return f"{network.name} in {_rate(network.received_bytes_s)} out {_rate(network.sent_bytes_s)}"


def _snapshot(snapshot: Snapshot) -> str:
    parts = [f"{snapshot.time or '--:--'} {snapshot.host}", f"cpu {_percent(snapshot.cpu_permille)}"]
    if snapshot.memory is not None:
        parts.append(f"mem {_gib(snapshot.memory.used_milligib)}/{_gib(snapshot.memory.total_milligib)} GiB")
    if snapshot.network is not None:
        parts.append(_network(snapshot.network))
    parts += [_gpu(gpu) for gpu in snapshot.gpus]
    parts += [f"! {event.subject} {event.what} since {event.time}" for event in snapshot.events]
    return "  ".join(parts)


def _of(pair: Optional[UpOf]) -> str:
    return f"{_number(pair.up if pair else None)}/{_number(pair.total if pair else None)}"


def _fleet(fleet: Fleet) -> str:
    busy = "--" if fleet.busy_percent is None else f"{fleet.busy_percent}%"
    parts = [f"{fleet.time or '--:--'} {fleet.host}", f"machines {_of(fleet.machines)}"]
    parts += [f"GPUs {_of(fleet.gpus)}", f"busy {busy}"]
    if fleet.power is not None:
        parts.append(f"{_number(fleet.power.drawn_w)}/{_number(fleet.power.limit_w)} W")
    if fleet.vram is not None:
        used, total = (
            None if mib is None else mib * 1000 // 1024 for mib in (fleet.vram.used_mib, fleet.vram.total_mib)
        )
        parts.append(f"VRAM {_gib(used)}/{_gib(total)} GiB")
    if fleet.source is not None:
        parts.append(f"! source {fleet.source}")
    for one in fleet.worst:
        words = [one.host, one.part or "", one.what, "" if one.value is None else str(one.value)]
        parts.append("! " + " ".join(word for word in words if word))
    more = (fleet.wrong or 0) - len(fleet.worst)
    return "  ".join(parts + ([f"! {more} more"] if more > 0 else []))


class Tail:
    """One stream, over any number of connections."""

    def __init__(
        self,
        address: Tuple[str, int],
        key: Optional[str],
        say: Callable[[str], None],
        take: Optional[Callable[[bytes], None]] = None,
    ) -> None:
        """`say` is told what happens; `take` gets each line, by default it is said in words."""
        self._address = address
        self._key = key
        self._say = say
        self._take = take or (lambda line: say(in_words(line)))
        self._framer = Framer()
        #: Good lines so far, info lines among them.
        self.lines = 0

    def follow(self, seconds: Optional[float] = None) -> None:
        """Connects, says each line, connects again; ends after `seconds`."""
        end_s = float("inf") if seconds is None else time.monotonic() + seconds
        said = ""
        while time.monotonic() < end_s:
            try:
                ended = self._connection(end_s)
            except OSError as error:
                ended = f"cannot reach {self._where()}: {error.strerror or error}"
            if ended and ended != said:
                self._say(f"-- {ended}; trying again, Ctrl-C ends")
            said = ended
            time.sleep(max(0.0, min(_PAUSE_S, end_s - time.monotonic())))

    def _where(self) -> str:
        host, port = self._address
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def _connection(self, end_s: float) -> str:
        with socket.create_connection(self._address, _CONNECT_S) as connection:
            self._framer.closed()
            greeted = lines = 0
            stream: Optional[KeyedStream] = None
            told = False
            heard_s = time.monotonic()
            while time.monotonic() < end_s:
                connection.settimeout(max(0.01, min(1.0, end_s - time.monotonic())))
                try:
                    data = connection.recv(16384)
                except socket.timeout:
                    if time.monotonic() - heard_s > SILENCE_S:
                        return f"no line from {self._where()} for {SILENCE_S:.0f} s"
                    if not told and time.monotonic() - heard_s > _QUIET_S:
                        told = True
                        self._say(f"-- connected to {self._where()}, which sends nothing: is it a collector?")
                    continue
                if not data:
                    if greeted and not lines:
                        return (
                            f"{self._where()} ends the connection after the hello: "
                            "has it a key (--key-file) or does `allow` leave this machine out?"
                        )
                    return f"{self._where()} ended the connection"
                heard_s = time.monotonic()
                for found in self._framer.feed(data):
                    if isinstance(found, str):
                        self._say(f"bad line ({found})")
                        continue
                    if not greeted and found.startswith(b"info="):
                        hello, stream = self._hello(found)
                        connection.sendall(hello)
                        greeted = 1
                    elif stream is not None and not is_bad(found) and not stream.opens(found):
                        return f"{self._where()} does not prove the key: another one, or an old collector?"
                    self._take(found)
                    self.lines += not is_bad(found)
                    lines += found.startswith(b"h=")
        return ""

    def _hello(self, info: bytes) -> Tuple[bytes, Optional[KeyedStream]]:
        """The hello, and with a key what checks the lines after it."""
        hello = Hello(board="tail", firmware="tools", panel="0x0", nonce=new_nonce() if self._key else None)
        try:
            greeting = decode(info)
        except LineError:
            return encode_hello(hello), None
        nonce = greeting.nonce if isinstance(greeting, InfoLine) else None
        if not self._key or not nonce:
            return encode_hello(hello), None
        return sign_hello(hello, self._key, nonce), KeyedStream(self._key, hello.nonce or "", nonce)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("server", metavar="HOST[:PORT]", help="the collector (port 7910)")
    parser.add_argument("--key-file", type=Path, help="the stream's key, when the collector has one")
    parser.add_argument("--seconds", type=arguments.seconds, help="end after that long")


def run(args: argparse.Namespace) -> int:
    """Follows until the time is over or Ctrl-C; status 0 when a line came, else 1."""

    def say(text: str) -> None:
        print(text, flush=True)

    tail = Tail(parse_server(args.server), read_key(args.key_file), say)
    try:
        tail.follow(args.seconds)
    except KeyboardInterrupt:
        print(file=sys.stderr)
    if tail.lines == 0:
        raise InktopError("no line came. On the server: inktop-collector doctor")
    return 0
