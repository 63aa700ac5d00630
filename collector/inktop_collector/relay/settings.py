"""The settings of the relay: the sections ``[relay]`` and ``[relay metrics]``, and its flags."""

from __future__ import annotations

from dataclasses import dataclass, field
from os.path import exists
from typing import Callable, Dict, List, Tuple
from urllib.parse import urlsplit

from inktop_protocol.forms import ALPHABETS
from inktop_protocol.schema import NAME

from ..config import ConfigError
from .mapping import MEMBERS, Source

#: Of which ports are opened at most.
MAX_HOSTS = 512
RELAY, METRICS = "[relay]", "[relay metrics]"


@dataclass
class RelaySettings:
    """All of them, checked."""

    engine: str = ""
    token: str = ""
    login: str = ""
    #: Machines that get a port of their own, with it or 0 for the next one; ``all``: every one there is.
    hosts: Tuple[Tuple[str, int], ...] = ()
    all_hosts: bool = False
    fleet: str = "fleet"
    every_s: int = 5
    range_s: int = 120
    label: str = "instance"
    machines: str = "up"
    stale_s: int = 180
    #: From where on something is wrong.
    hot_c: int = 95
    vram_percent: int = 98
    mem_percent: int = 95
    disk_percent: int = 95
    cpu_percent: int = 98
    replaced: Dict[str, Source] = field(default_factory=dict)


def _engine(text: str) -> str:
    parts = urlsplit(text)
    try:
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.username
        good = good and (parts.port is None or parts.port > 0) and not parts.query
    except ValueError:
        good = False
    if not good:
        raise ValueError("must be the URL of a Prometheus, such as http://127.0.0.1:9090; no password in it")
    return text


def _secret(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read(4096).strip()
    except (OSError, UnicodeDecodeError) as problem:
        raise ValueError(f"cannot be read: {problem}") from None
    if not text.isascii() or not text.isprintable() or not text:
        raise ValueError("holds no line of printable characters")
    return text


def _hosts(text: str) -> Tuple[Tuple[str, int], ...]:
    found: Dict[str, int] = {}
    for word in text.replace(",", " ").split():
        name, equals, port = word.partition("=")
        if equals and not (port.isascii() and port.isdigit() and 0 < int(port) <= 65535):
            raise ValueError(f"{word!r}: write NAME, or NAME=PORT")
        if name in found:
            raise ValueError(f"{name} is there twice")
        found[name] = int(port) if equals else 0
    if len(found) > MAX_HOSTS:
        raise ValueError(f"at most {MAX_HOSTS} machines have a port of their own")
    return tuple(found.items())


def _fleet(text: str) -> str:
    if not 1 <= len(text) <= 63 or not ALPHABETS[NAME].issuperset(text):
        raise ValueError("must be a name of 1 to 63 characters of A-Z a-z 0-9 . _ -")
    return text


def _label(text: str) -> str:
    if not text.replace("_", "a").isalnum() or not text.isascii() or text[0].isdigit():
        raise ValueError("must be the name of a label, such as instance")
    return text


def _expression(text: str) -> str:
    if not text:
        raise ValueError("must be an expression of PromQL")
    return text


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not low <= int(text) <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return int(text)

    return read


_READ: Dict[str, Tuple[str, Callable[[str], object]]] = {
    "engine": ("engine", _engine),
    "token_file": ("token", _secret),
    "login_file": ("login", _secret),
    "hosts": ("hosts", _hosts),
    "fleet": ("fleet", _fleet),
    "every": ("every_s", _whole(1, 60)),
    "range": ("range_s", _whole(10, 3600)),
    "host_label": ("label", _label),
    "machines": ("machines", _expression),
    "stale": ("stale_s", _whole(10, 86400)),
    "hot": ("hot_c", _whole(30, 150)),
    "vram": ("vram_percent", _whole(1, 100)),
    "mem": ("mem_percent", _whole(1, 100)),
    "disk": ("disk_percent", _whole(1, 100)),
    "cpu": ("cpu_percent", _whole(1, 100)),
}


def source_of(member: str, text: str) -> Source:
    """``EXPRESSION [by LABEL] [text LABEL]``, in place of all sources of a row."""
    text_label = by = ""
    while True:
        head, _, label = text.rpartition(" ")
        head, _, word = head.rpartition(" ")
        if word == "text" and label.isidentifier() and not text_label:
            text, text_label = head, label
        elif word == "by" and label.isidentifier() and not by:
            text, by = head, label
        else:
            break
    if not text.strip():
        raise ValueError("must be EXPRESSION, or EXPRESSION by LABEL")
    return Source(text.strip(), by or ("gpu" if member.startswith("gpu.") else ""), text_label)


def read_settings(
    rows: List[Tuple[str, str, str, str]], flags: Dict[str, str], credentials: str = ""
) -> RelaySettings:
    """``rows``: section, name, value, where it is in the file. A flag goes first. Raises ConfigError.

    ``credentials``: folder in which systemd hands the service the files that only root can read.
    """
    settings = RelaySettings()
    if credentials:
        handed = [f"{credentials}/{name}" for _, name, _, _ in rows]
        rows = [(*row[:2], path if exists(path) else row[2], row[3]) for row, path in zip(rows, handed)]
    given = [*rows, *((RELAY, name, flags[name], f"--{name}") for name in _READ if name in flags)]
    for section, name, value, where in given:
        known = MEMBERS if section == METRICS else _READ
        if name not in known:
            raise ConfigError(
                f"{where}: {name!r} is not a setting of {section}; there are {', '.join(known)}"
            )
        try:
            if section == METRICS:
                settings.replaced[name] = source_of(name, value)
            elif name == "hosts" and value.strip() == "all":
                settings.all_hosts = True
            else:
                attribute, read = _READ[name]
                setattr(settings, attribute, read(value))
        except ValueError as problem:
            raise ConfigError(f"{where}: {problem}") from None
    if not settings.engine:
        raise ConfigError("relay: which Prometheus? --engine http://127.0.0.1:9090, or engine in [relay]")
    return settings
