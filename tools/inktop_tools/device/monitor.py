"""`inktop monitor`: the board's log over the serial port, with times, hints, and through re-plugging.

The log is UART0 of the chip behind the CH340. The port is opened with DTR and RTS low, because any edge on
them resets the board (A4); nothing is sent.
"""

from __future__ import annotations

import argparse
import datetime
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, List, Optional, Set, Tuple

from inktop_protocol import (
    Announcement,
    Count,
    Fleet,
    Health,
    Hello,
    InfoLine,
    LineError,
    Memory,
    Snapshot,
    UpOf,
    decode,
)

from inktop_tools import arguments
from inktop_tools.device import serial_ports
from inktop_tools.device.serial_ports import BAUD, OWN_SUPPLY, Machine
from inktop_tools.errors import InktopError

#: A line longer than this without an end is noise (a wrong baud rate); it is shown in pieces.
MAX_LINE_BYTES = 2048
#: A line that has not ended is shown after this long (a prompt, or the chip stopped in the middle).
PARTIAL_AFTER_S = 0.7
#: After this long without a byte the person is told what to try, once.
SILENT_AFTER_S = 10.0

_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_INKTOP_LINE = re.compile(r"(?:hello|health|info|announce|h)=[ -~]*\*[0-9A-F]{4}$")

#: What a log line means and what to do: each is said once a connection.
HINTS: Tuple[Tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), text)
    for pattern, text in (
        (
            r"waiting for download",
            "the chip is in its ROM loader: press RST (or cut the power) to start the firmware. "
            "Right after flashing this is normal on this board.",
        ),
        (
            r"cache line size|reducing the pixel clock|epd: lut size|PG is up",
            "the display library says this at each start: it is normal.",
        ),
        (
            r"brownout",
            "the supply voltage broke down. " + OWN_SUPPLY,
        ),
        (
            r"invalid header: 0x|flash read err|no bootable app",
            "there is no firmware in the flash: inktop flash",
        ),
        (
            r"rst:0x\w+ \((?:TG\d?WDT|RTC_?WDT|TG\d_?WDT|INT_?WDT|SUPER_?WDT)",
            "a watchdog reset the board; the lines before this reset say what it was doing.",
        ),
        (
            r"guru meditation|abort\(\) was called|assert failed",
            "the firmware crashed. For the place in the source keep the Backtrace line and call: "
            "xtensa-esp32s3-elf-addr2line -pfiaC -e .pio/build/v7/firmware.elf ADDRESSES",
        ),
        (
            r"WL_NO_SSID_AVAIL|NO_AP_FOUND",
            "the board does not see that network: the ESP32-S3 has 2.4 GHz only.",
        ),
        (
            r"psram.*(?:not found|fail)|PSRAM ID read error",
            "no PSRAM: wrong board or memory type (platformio.ini: memory_type = qio_opi).",
        ),
        (
            r"wifi: (?:connection lost|wrong password)",
            "a first join that fails is tried once again by Arduino itself: normal when Wi-Fi is up next.",
        ),
        (
            r"power enable failed",
            "the power chip gave up on a voltage for the panel: look at the 5 V supply and the flat cable.",
        ),
        (
            r"did not answer on its I2C bus",
            "a transfer to the power chip was disturbed, and the library ended the start. Once in a while "
            "this is nothing; often, it is supply or cable, or a board without the chip: "
            "inktop flash --env v7_nopmic",
        ),
        (
            r"the last refresh did not end",
            "the display library lost its feed and the watchdog restarted the board. Once, this is nothing; "
            "again, keep the log: this is a bug.",
        ),
        (
            r"power.?good|supply did not come up",
            "the panel's supply did not come up: look at its 5 V supply and cable. A board without the I2C "
            "power chip needs the environment v7_nopmic: inktop flash --env v7_nopmic",
        ),
    )
)


@dataclass
class Options:
    """What to follow and how to show it."""

    port: Optional[str] = None
    baud: int = BAUD
    timestamps: bool = True
    seconds: Optional[float] = None
    log: Optional[Path] = None
    #: How often a port that went away is looked for.
    retry_s: float = 0.5


@dataclass
class LineCutter:
    """Cuts a stream of bytes, noise included, into printable lines."""

    _waiting: bytearray = field(default_factory=bytearray)
    _since: float = 0.0

    def feed(self, data: bytes, now: float) -> List[str]:
        """The lines that `data` completes."""
        if data and not self._waiting:
            self._since = now
        self._waiting += data
        lines = []
        while True:
            end = self._waiting.find(b"\n")
            if end < 0 and len(self._waiting) < MAX_LINE_BYTES:
                break
            cut = end if 0 <= end < MAX_LINE_BYTES else MAX_LINE_BYTES
            lines.append(printable(bytes(self._waiting[:cut])))
            del self._waiting[: cut + (1 if cut == end else 0)]
            self._since = now
        return lines

    def stale(self, now: float) -> Optional[str]:
        """What has waited too long for its end, once."""
        if not self._waiting or now - self._since < PARTIAL_AFTER_S:
            return None
        return self.rest()

    def rest(self) -> Optional[str]:
        """What is left without an end, None when nothing is."""
        if not self._waiting:
            return None
        text = printable(bytes(self._waiting))
        self._waiting.clear()
        return text


def printable(raw: bytes) -> str:
    """Log bytes as one safe line of text: colours removed, everything unprintable as \\xNN."""
    text = _ESCAPES.sub("", raw.rstrip(b"\r\n").decode("utf-8", "backslashreplace"))
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def looks_like_noise(text: str) -> bool:
    """Whether a line is mostly unprintable, as at a wrong baud rate."""
    escapes = text.count("\\x")
    return escapes >= 8 and escapes * 4 * 2 > len(text)


def describe_line(text: str) -> Optional[str]:
    """A short account of a protocol line in the log, None when there is none.

    A line whose checksum is wrong is named as such: the log of a board that receives bad lines shows them.
    """
    found = _INKTOP_LINE.search(text)
    if found is None:
        return None
    try:
        line = decode(found.group(0).encode("ascii"))
    except LineError as error:
        if error.kind == "checksum":
            return "a protocol line with a wrong checksum"
        return f"a protocol line that would be dropped ({error})"
    if isinstance(line, Health):
        return _describe_health(line)
    if isinstance(line, Hello):
        return (
            f"hello: board {line.board}, firmware {line.firmware}, "
            f"start {_or(line.boots, '?')}, last reset {line.reset or '?'}"
        )
    if isinstance(line, Announcement):
        return f"announcement: {line.host} at {line.address}:{line.port}"
    if isinstance(line, InfoLine):
        return "info line of the server"
    if isinstance(line, Snapshot):
        memory = line.memory or Memory()
        return (
            f"data: {line.host} at {line.time or '?'}, CPU {_scaled(line.cpu_permille, 10)} %, "
            f"memory {_scaled(memory.used_milligib, 1000)}/{_scaled(memory.total_milligib, 1000)} GiB, "
            f"{len(line.gpus)} GPUs"
        )
    if isinstance(line, Fleet):
        up = line.machines or UpOf()
        return f"data: {line.host} at {line.time or '?'}, {_or(up.up, '?')}/{_or(up.total, '?')} machines up"
    return "a line of another version"


def _describe_health(health: Health) -> str:
    def counts(items: Tuple[Count, ...]) -> Optional[str]:
        return ",".join(f"{item.kind}:{item.count}" for item in items) or None

    words = [f"board {health.board}"]
    if health.uptime_s is not None:
        words.append(f"up {_duration(health.uptime_s)}")
    rows = (
        ("heap", health.heap_bytes, " B free"),
        ("PSRAM", health.psram_bytes, " B free"),
        ("Wi-Fi", _or(health.rssi_dbm, "unknown"), " dBm"),
        ("updates", health.updates, ""),
        ("washes", health.washes, ""),
        ("refresh errors", counts(health.refresh_errors), ""),
        ("last refresh", _or(health.refresh_ms, "unknown"), " ms"),
        ("bad lines", counts(health.bad_lines), ""),
        ("largest block", health.largest_block_bytes, " B"),
        ("lowest heap", health.lowest_heap_bytes, " B"),
        ("main stack", health.main_stack_bytes, " B free"),
        ("network stack", health.network_stack_bytes, " B free"),
        ("panel clock", health.panel_mhz, " MHz"),
    )
    for name, value, unit in rows:
        if value is not None:
            words.append(f"{name} {value}" + (unit if value != "unknown" else ""))
    return "health: " + ", ".join(words)


def _or(value: Optional[int], otherwise: str) -> str:
    return otherwise if value is None else str(value)


def _scaled(value: Optional[int], parts: int) -> str:
    return "?" if value is None else f"{value / parts:.1f}"


def _duration(total: int) -> str:
    days, rest = divmod(total, 86400)
    hours, rest = divmod(rest, 3600)
    return (f"{days} d " if days else "") + f"{hours}:{rest // 60:02d}:{rest % 60:02d}"


class Watcher:
    """Turns log lines into what is shown: the line, what it means, and each hint once."""

    def __init__(self) -> None:
        self._told: Set[str] = set()
        self._noise = 0

    def lines(self, text: str) -> List[str]:
        """`text` and, below it, lines that begin with an arrow."""
        out = [text]
        meaning = describe_line(text)
        if meaning is not None:
            out.append(f"  -> {meaning}")
        for pattern, hint in HINTS:
            if hint not in self._told and pattern.search(text):
                self._told.add(hint)
                out.append(f"  -> {hint}")
        self._noise = self._noise + 1 if looks_like_noise(text) else 0
        if self._noise == 3:
            out.append(f"  -> this looks like a wrong speed; the board's log comes at {BAUD} baud")
        return out

    def reset(self) -> None:
        """A new connection: hints may be told again."""
        self._told.clear()
        self._noise = 0


def follow(
    options: Options,
    machine: Machine,
    say: Callable[[str], None],
    open_port: Callable[..., Any] = serial_ports.open_quietly,
    ports: Callable[[], List[serial_ports.Port]] = serial_ports.list_ports,
) -> int:
    """Shows the log until Ctrl-C or `options.seconds`; returns 0.

    Raises InktopError when the port cannot be opened at the start. A port that goes away later
    is waited for: it may come back under another name, so without --port it is looked for by its USB id.
    """
    serial = serial_ports.require_pyserial()
    end = None if options.seconds is None else time.monotonic() + options.seconds
    device = serial_ports.choose_port(options.port, ports(), machine)
    port = open_port(device, machine, options.baud)
    log = None if options.log is None else options.log.open("a", encoding="utf-8")
    watcher = Watcher()
    cutter = LineCutter()

    def show(text: str) -> None:
        stamp = datetime.datetime.now().strftime("%H:%M:%S.%f")[:-3] + "  "
        for number, line in enumerate(watcher.lines(text)):
            lead = (stamp if number == 0 else " " * len(stamp)) if options.timestamps else ""
            say(lead + line)
            if log is not None:
                log.write(lead + line + "\n")
                log.flush()

    def over() -> bool:
        return end is not None and time.monotonic() >= end

    say(f"--- {device} at {options.baud} baud, Ctrl-C ends ---")
    heard = time.monotonic()
    try:
        while not over():
            try:
                data = port.read(max(1, min(port.in_waiting, 4096)))
            except (OSError, serial.SerialException, TypeError):
                # TypeError: pyserial's own, when the file descriptor went away between two of its calls.
                for text in [cutter.rest()]:
                    if text is not None:
                        show(text)
                port.close()
                say(f"--- {device} went away; waiting for it to come back ---")
                say(f"    {OWN_SUPPLY}")
                again = _reopen(options, machine, open_port, ports, over)
                if again is None:
                    return 0
                device, port = again
                watcher.reset()
                say(f"--- {device} is back ---")
                heard = time.monotonic()
                continue
            now = time.monotonic()
            if data:
                heard = now
            for text in cutter.feed(data, now):
                show(text)
            late = cutter.stale(now)
            if late is not None:
                show(late)
            if now - heard >= SILENT_AFTER_S:
                heard = float("inf")
                say(
                    f"--- nothing for {SILENT_AFTER_S:.0f} s. A running board logs once in a while; press "
                    "RST to see it start. Still nothing: is this its port, and does its power LED shine? ---"
                )
    except KeyboardInterrupt:
        say("")
    finally:
        rest = cutter.rest()
        if rest is not None:
            show(rest)
        port.close()
        if log is not None:
            log.close()
    return 0


def _reopen(
    options: Options,
    machine: Machine,
    open_port: Callable[..., Any],
    ports: Callable[[], List[serial_ports.Port]],
    over: Callable[[], bool],
) -> Optional[Tuple[str, Any]]:
    """Waits until the port is there again and opens it; None when the time is over."""
    while not over():
        time.sleep(options.retry_s)
        try:
            device = serial_ports.choose_port(options.port, ports(), machine)
            return device, open_port(device, machine, options.baud)
        except InktopError:
            continue  # not there yet, or udev has not set its group yet
    return None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", help="serial port (default: the one CH340 on the USB bus)")
    parser.add_argument("--baud", type=int, default=BAUD, help=f"bits per second (default: {BAUD})")
    parser.add_argument("--no-timestamps", action="store_true", help="show the lines as they come")
    parser.add_argument("--seconds", type=arguments.seconds, help="end after that long (default: Ctrl-C)")
    parser.add_argument("--log", type=Path, help="append what is shown to this file as well")


def run(args: argparse.Namespace) -> int:
    options = Options(
        port=args.port,
        baud=args.baud,
        timestamps=not args.no_timestamps,
        seconds=args.seconds,
        log=args.log,
    )
    return follow(options, Machine(), lambda text: print(text, flush=True))
