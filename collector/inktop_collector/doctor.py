"""Owns ``doctor``: a table of what each source finds here, what it cannot read and why, and what to
do.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
import time
from typing import List, Optional, Tuple

from . import __version__
from .address import local_address
from .boards import find_status
from .config import CONFIG_FILE, Config
from .files import NO_ERROR, NOT_A_NUMBER, File, names_in
from .gpus import Place
from .preflight import missing
from .sampler import Sampler, SystemReading

Row = Tuple[str, str, str]

#: What an error of a read means to a person.
ADVICE = {
    errno.ENOENT: "this kernel or card does not have it",
    errno.EACCES: "not allowed: is the collector in a sandbox or container without /sys or /proc?",
    errno.EPERM: "the driver refuses: is the card being reset? `dmesg` tells",
    errno.EBUSY: "the card is asleep",
    errno.EINVAL: "the driver has no value for it on this card",
    errno.EOPNOTSUPP: "the driver does not support it on this card",
    errno.ENODEV: "the device is gone: `dmesg` tells why",
    errno.EIO: "the device does not answer: `dmesg` tells why",
}
#: How long a card may take to answer here.
PATIENCE_S = 3.5


def explain(error: int) -> str:
    """An errno as a person reads it."""
    if error == NOT_A_NUMBER:
        return "holds no number"
    # One number, two names: drivers and the kernel's documentation use the longer one.
    name = "EOPNOTSUPP" if error == errno.EOPNOTSUPP else errno.errorcode.get(error, str(error))
    return f"{name}: {ADVICE.get(error, os.strerror(error))}"


def table(rows: List[Row]) -> List[str]:
    """The rows as aligned lines; the last column is not cut."""
    first = max(len(row[0]) for row in rows)
    second = min(44, max(len(row[1]) for row in rows))
    return [f"{a:<{first}}  {b:<{second}}  {c}".rstrip() for a, b, c in rows]


def _or_unknown(value: Optional[object], unit: str = "") -> str:
    return "unknown" if value is None else f"{value}{unit}"


def _problem(file: Optional[File], what: str) -> str:
    if file is None:
        return ""
    file.read(64)
    return "" if file.error == NO_ERROR else f"{what}: {explain(file.error)}"


def system_rows(config: Config, sampler: Sampler, reading: Optional[SystemReading]) -> List[Row]:
    """CPU, memory, load and network."""
    roots = config.roots()
    if reading is None:
        return [("system", "no answer", f"reads under {roots.procfs} hang: `dmesg` tells why")]
    cpu, memory, network = reading.cpu, reading.memory, reading.network
    info = sampler.info()
    rows = [
        ("host", sampler.host, ""),
        (
            "cpu",
            f"{_or_unknown(cpu.cpus)} online, {info.cpu_model or 'model unknown'}",
            _problem(roots.proc("stat"), "/proc/stat"),
        ),
        (
            "memory",
            "unknown" if memory.total_kb is None else f"{memory.total_kb / 1048576:.1f} GiB",
            _problem(roots.proc("meminfo"), "/proc/meminfo"),
        ),
        (
            "swap",
            f"{memory.swap_total_kb / 1048576:.1f} GiB" if memory.swap_total_kb else "none",
            "",
        ),
        ("load", "read" if reading.load else "unknown", _problem(roots.proc("loadavg"), "/proc/loadavg")),
        (
            "uptime",
            _or_unknown(None if reading.uptime_s is None else int(reading.uptime_s), " s"),
            _problem(roots.proc("uptime"), "/proc/uptime"),
        ),
    ]
    name = network.name
    address = local_address(roots, name) or "no address"
    advice = "" if name else "no interface found: set one (interface = eth0), or bring one up"
    there = names_in(f"{roots.sysfs}/class/net")
    if config.interface and there and config.interface not in there:
        advice = f"it is not there now: `interface` can be {', '.join(there)}"
    rows.append(("network", f"{name}, {address}" if name else "none", advice))
    return rows


def gpu_rows(place: Place, now: float) -> List[Row]:
    """One card: a row for it, and one for each value that cannot be read."""
    title = f"gpu {place.index}"
    name = f"{place.name}, {place.identity}"
    reader, source = place.reader, place.source
    if reader is None or source is None:
        advice = "it was here and is gone: look at its seat and power; `inktop-collector ack` forgets it"
        return [(title, name, f"lost: {advice}")]
    if reader.hung(now, PATIENCE_S - 0.5):
        return [(title, name, "stale: a read hangs in the kernel: `dmesg` tells why")]
    rows = [(title, name, place.state)]
    if place.state == "asleep":
        return rows
    found = []
    for what, file in source.card.files():
        if file is None:
            rows.append((f"  {what}", "no file", "this card or driver does not offer it"))
        elif file.error in (errno.ENOENT, errno.ENOTDIR):
            rows.append((f"  {what}", "no file", ADVICE[errno.ENOENT]))
        elif file.error != NO_ERROR:
            rows.append((f"  {what}", "unknown", explain(file.error)))
        else:
            found.append(what)
    rows.insert(1, ("  read", ", ".join(found) or "nothing", ""))
    return rows


def server_rows(config: Config) -> List[Row]:
    """The port, the boards, the settings."""
    rows: List[Row] = []
    status = find_status(config)
    port = status.port if status else config.port
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            greeted = connection.recv(16).startswith(b"info=")
        answer = "answers" if greeted else "open, but not a collector's"
        advice = "" if greeted else "another program has this port: choose one with port = N"
        rows.append(("port", f"{port} {answer}", advice))
    except OSError as problem:
        advice = (
            f"{problem.strerror or problem}: is the collector running? `systemctl status inktop-collector`"
        )
        rows.append(("port", f"{port} closed", advice))
    if status is None:
        rows.append(("boards", "unknown", "no collector with a status file runs here"))
    else:
        ids = ", ".join(board["id"] for board in status.boards)
        advice = (
            "" if ids else "on the board: `set servers` to this machine's address; port open in the firewall?"
        )
        rows.append(("boards", ids or "none connected", advice))
    there = "there" if os.path.exists(CONFIG_FILE) else "not there: defaults"
    rows.append(("settings", f"{CONFIG_FILE} {there}", ""))
    rows.append(
        ("key", "set" if config.key else "none", "" if config.key else "networks in `allow` may read")
    )
    rows.append(("allow", ", ".join(config.allow), ""))
    return rows


def doctor(config: Config) -> int:
    """Prints the table; 1 when CPU or memory cannot be read, else 0."""
    print(f"inktop-collector {__version__}, Python {sys.version.split()[0]}, {config.procfs}, {config.sysfs}")
    sampler = Sampler(
        config.roots(),
        lambda: None,
        config.interface,
        config.gpu_order,
        config.gpu_names,
        config.gpu_hidden,
    )
    deadline = time.monotonic() + PATIENCE_S
    sampler.begin()
    readers = [*sampler.gpus.readers(), sampler.system]
    while any(reader.busy_since is not None for reader in readers) and time.monotonic() < deadline:
        time.sleep(0.01)
    now = time.monotonic()
    sampler.gpus.collect(now)
    reading = sampler.system.value
    rows: List[Row] = [("SOURCE", "FOUND", "NOTE")]
    rows += system_rows(config, sampler, reading if isinstance(reading, SystemReading) else None)
    if not sampler.gpus.places:
        rows.append(("gpu", "none", "no AMD or Intel card with a driver in /sys/class/drm"))
    for place in sampler.gpus.places:
        rows += gpu_rows(place, now)
    rows += server_rows(config)
    for line in table(rows):
        print(line)
    problem = missing(config.roots())
    if problem:
        print(f"inktop-collector: {problem}", file=sys.stderr)
    whole = isinstance(reading, SystemReading)
    return 0 if whole and not problem else 1
