"""The settings: flags, environment, /etc/inktop/collector.conf, in this order, and what each may be."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Callable, Dict, List, Optional, Tuple

from inktop_protocol.model import DEFAULT_PORT

from .address import DEFAULT_ALLOW, Networks, parse_address
from .board_settings import BoardSettings, board_name, check_setting, too_many
from .files import Roots

PROGRAM = "inktop-collector"
CONFIG_FILE = "/etc/inktop/collector.conf"
SECTION = "collector"
BOARD_SECTION = "board"
ENVIRONMENT_PREFIX = "INKTOP_"
#: A board gives a silent server up after 12 s.
MIN_INTERVAL_S, MAX_INTERVAL_S = 0.1, 10.0
MIN_KEY_CHARS, MAX_KEY_CHARS = 16, 64
DEFAULT_METRICS = ("127.0.0.1", 9791)


class UsageError(Exception):
    """The command line cannot be understood; the text says what to do."""


class ConfigError(Exception):
    """A setting that cannot be used: the text says where it was set and what to do."""


@dataclass
class Config:
    """All settings, checked."""

    port: int = DEFAULT_PORT
    #: Address to listen on; ``::`` is every one, IPv4 too.
    bind: str = "::"
    #: Seconds between two lines.
    interval: float = 1.0
    allow: Tuple[str, ...] = DEFAULT_ALLOW
    key: str = ""
    #: Network interface; empty: that of the default route.
    interface: str = ""
    #: PCI addresses in the order of the slots.
    gpu_order: Tuple[str, ...] = ()
    gpu_names: Dict[str, str] = field(default_factory=dict)
    gpu_hidden: Tuple[str, ...] = ()
    gpu_users: bool = True
    #: URL of the metrics of a local inference server; empty: none is watched.
    llm: str = ""
    announce: bool = True
    #: Address and port of the page of metrics; no address: there is none.
    metrics: Tuple[str, int] = ("", 0)
    #: Whether boards may acknowledge events although no key is set.
    board_ack: bool = False
    procfs: str = "/proc"
    sysfs: str = "/sys"
    #: Where known GPUs are kept; empty: nowhere.
    state_dir: str = ""
    #: Where the status file is; empty: nowhere.
    runtime_dir: str = ""
    #: What it holds for its boards.
    boards: BoardSettings = field(default_factory=dict)
    #: What can be used and should not be left as it is.
    warnings: List[str] = field(default_factory=list)

    def roots(self) -> Roots:
        """The roots of /proc and /sys."""
        return Roots(self.procfs, self.sysfs)


def _words(text: str) -> Tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def _port(text: str) -> int:
    # 0 is for tests: any port that is free.
    if not (text.isascii() and text.isdigit()) or int(text) > 65535:
        raise ValueError("must be a port, 1 to 65535")
    return int(text)


def _interval(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not MIN_INTERVAL_S <= value <= MAX_INTERVAL_S:
        raise ValueError(f"must be {MIN_INTERVAL_S:g} to {MAX_INTERVAL_S:g} seconds")
    return value


def _allow(text: str) -> Tuple[str, ...]:
    entries = _words(text)
    Networks(entries)
    if not entries:
        raise ValueError("nobody could connect: name at least one network")
    return entries


def _key(text: str) -> str:
    text = text.strip()
    if text and not (MIN_KEY_CHARS <= len(text) <= MAX_KEY_CHARS and text.isascii() and text.isprintable()):
        raise ValueError(f"must be {MIN_KEY_CHARS} to {MAX_KEY_CHARS} printable characters")
    return text


def _key_file(path: str) -> str:
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read(4096).strip()
    except (OSError, UnicodeDecodeError) as problem:
        raise ValueError(f"cannot read the key: {problem}") from None
    if not text:
        raise ValueError("the key file is empty: put 16 to 64 characters into it")
    return _key(text)


def key_file_warning(path: str) -> str:
    """What is wrong with who can read a key, "" if nothing is."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return ""
    if not mode & 0o004:
        return ""
    return f"everybody on this machine can read the key in {path}: chmod 600 {path}"


def _bind(text: str) -> str:
    if text[:1] == "[" and text[-1:] == "]":
        text = text[1:-1]  # as it is written before a port
    if parse_address(text) is None:
        raise ValueError("must be an IPv4 or IPv6 address of this machine, or :: for every one")
    return text


def _metrics(text: str) -> Tuple[str, int]:
    """``yes``, a port of the loopback, or address and port."""
    if text.lower() in ("no", "off", "false", ""):
        return "", 0
    if text.lower() in ("yes", "on", "true"):
        return DEFAULT_METRICS
    host, colon, port = text.rpartition(":")
    try:
        return _bind(host) if colon else DEFAULT_METRICS[0], _port(port)
    except ValueError:
        raise ValueError(
            "must be yes, a port, or an address and a port such as 127.0.0.1:9791 or [::1]:9791"
        ) from None


def _interface(text: str) -> str:
    if len(text) > 15 or "/" in text or text.split() != [text] * bool(text):
        raise ValueError("must be the name of a network interface, as `ip link` shows it")
    return text


def _switch(text: str) -> bool:
    word = text.lower()
    if word not in ("yes", "no", "on", "off", "true", "false", "1", "0"):
        raise ValueError("must be yes or no")
    return word in ("yes", "on", "true", "1")


def _gpus(text: str) -> Tuple[str, ...]:
    from inktop_protocol.forms import is_pci

    from .sources.gpu.card import is_card

    entries = tuple(word.lower() for word in _words(text))
    for entry in entries:
        if not is_pci(entry) and not is_card(entry):
            raise ValueError(f"{entry!r} is not a PCI address: write it as 0000:03:00.0")
    return entries


def _gpu_names(text: str) -> Dict[str, str]:
    names = {}
    for part in text.split(","):
        if not part.strip():
            continue
        address, equals, name = part.partition("=")
        if not equals or not name.strip():
            raise ValueError("must be names as in 0000:03:00.0=Left, 0000:07:00.0=Right")
        names[_gpus(address)[0] if address.strip() else ""] = name.strip()[:31]
    if "" in names:
        raise ValueError("must be names as in 0000:03:00.0=Left, 0000:07:00.0=Right")
    return names


def _llm(text: str) -> str:
    """A port alone is that of a server on this machine, which is where one belongs."""
    if text.isascii() and text.isdigit() and 0 < int(text) <= 65535:
        return f"http://127.0.0.1:{text}/metrics"
    scheme, colons, rest = text.partition("://")
    host = rest.partition("/")[0]
    if text and (scheme != "http" or not colons or not host or "@" in host or text.split() != [text]):
        raise ValueError("must be a URL such as http://127.0.0.1:8000/metrics, or a port of this machine")
    port = host.rpartition(":")[2]
    if not host.endswith("]") and ":" in host and not (port.isdigit() and 0 < int(port) <= 65535):
        raise ValueError("must have a port from 1 to 65535")
    return text


def _folder(text: str) -> str:
    if not os.path.isdir(text):
        raise ValueError("no such folder")
    return text.rstrip("/") or "/"


def _path(text: str) -> str:
    return text


#: Every setting: (attribute of Config, what reads its text, what it is).
SETTINGS: Dict[str, Tuple[str, Callable[[str], object], str]] = {
    "port": ("port", _port, "TCP port"),
    "bind": ("bind", _bind, "address to listen on, :: for all"),
    "interval": ("interval", _interval, "seconds between two lines"),
    "allow": ("allow", _allow, "networks that may connect"),
    "key": ("key", _key, "key of the stream, 16 to 64 characters"),
    "key_file": ("key", _key_file, "file that holds the key"),
    "interface": ("interface", _interface, "network interface to show"),
    "gpu_order": ("gpu_order", _gpus, "PCI addresses in the order of their slots"),
    "gpu_names": ("gpu_names", _gpu_names, "names to show: ADDRESS=NAME, comma-separated"),
    "gpu_hide": ("gpu_hidden", _gpus, "PCI addresses not to show"),
    "gpu_users": ("gpu_users", _switch, "tell which process uses most of each GPU"),
    "llm": ("llm", _llm, "metrics of an inference server: http://127.0.0.1:8000/metrics, or its port"),
    "announce": ("announce", _switch, "tell boards by UDP broadcast where this server is"),
    "metrics": (
        "metrics",
        _metrics,
        "page of metrics: yes (127.0.0.1:9791), a port, or ADDRESS:PORT",
    ),
    "board_ack": ("board_ack", _switch, "whether boards may acknowledge events without a key, yes or no"),
    "procfs": ("procfs", _folder, "where /proc is, or a folder of recorded files"),
    "sysfs": ("sysfs", _folder, "where /sys is, or a folder of recorded files"),
    "state_dir": ("state_dir", _path, "folder for what outlives a restart"),
    "runtime_dir": ("runtime_dir", _path, "folder for the status file"),
}


def load(flags: Dict[str, str], environment: Dict[str, str]) -> Config:
    """The settings of one start: a flag before a variable before the file. Raises ConfigError."""
    config = Config()
    folder = environment.get("CREDENTIALS_DIRECTORY")
    path = flags.get("config") or environment.get("INKTOP_CONFIG") or ""
    if not path and folder and os.path.exists(f"{folder}/config"):
        path = f"{folder}/config"
    if path or os.path.exists(CONFIG_FILE):
        settings, config.boards = read_ini(path or CONFIG_FILE)
        for name, value, where in settings:
            _set(config, name, value, where)
    if folder and os.path.exists(f"{folder}/key"):
        _set(config, "key_file", f"{folder}/key", "the unit's LoadCredential=key")
    for name in SETTINGS:
        variable = ENVIRONMENT_PREFIX + name.upper()
        if environment.get(variable):
            _set(config, name, environment[variable], variable)
    for name in SETTINGS:
        if name in flags:
            _set(config, name, flags[name], "--" + name.replace("_", "-"))
    if not config.state_dir:
        config.state_dir = environment.get("STATE_DIRECTORY", "").split(":")[0]
    if not config.runtime_dir:
        config.runtime_dir = environment.get("RUNTIME_DIRECTORY", "").split(":")[0]
    return config


def _set(config: Config, name: str, text: str, where: str) -> None:
    attribute, read, _ = SETTINGS[name]
    try:
        setattr(config, attribute, read(text))
        if name == "key_file":
            config.warnings = [warning for warning in [key_file_warning(text)] if warning]
    except ValueError as problem:
        # A key is never shown; a reason that names the bad entry does not need the whole value before it.
        shown = "" if name.startswith("key") or str(problem)[0] in "'\"" else f" {text!r}"
        raise ConfigError(f"{where}:{shown} {problem}") from None


def read_ini(path: str) -> Tuple[List[Tuple[str, str, str]], BoardSettings]:
    """(name, value, where) of every setting in the file, and what it holds for boards.

    Raises ConfigError with file and line. Not with configparser, which does not tell the line of a value.
    """
    try:
        # Editors of other systems begin a file with a byte order mark.
        with open(path, encoding="utf-8-sig") as file:
            lines = file.read(1 << 16).split("\n")
    except (OSError, UnicodeDecodeError) as problem:
        raise ConfigError(f"{path}: cannot be read: {problem}") from None
    found: List[Tuple[str, str, str]] = []
    boards: BoardSettings = {}
    seen: Dict[Tuple[Optional[str], str], int] = {}
    begun = False
    board: Optional[str] = None
    for number, line in enumerate(lines, 1):
        text = line.strip()
        where = f"{path}:{number}"
        if not text or text[0] in "#;":
            continue
        if text[0] == "[":
            board, begun = _section(text, where), True
            continue
        if not begun:
            raise ConfigError(f"{where}: a setting before the section: begin with [{SECTION}]")
        name, equals, value = text.partition("=")
        name = name.strip().lower().replace("-", "_")
        if not equals:
            raise ConfigError(f"{where}: {text!r}: write name = value")
        if (board, name) in seen:
            raise ConfigError(f"{where}: {name} is already set in line {seen[board, name]}: keep one of them")
        seen[board, name] = number
        if board is None:
            if name not in SETTINGS:
                raise ConfigError(f"{where}: {name!r} is not a setting; there are {', '.join(SETTINGS)}")
            found.append((name, _value(value), where))
            continue
        try:
            check_setting(name, _value(value))
        except ValueError as problem:
            raise ConfigError(f"{where}: {problem}") from None
        boards.setdefault(board, {})[name] = _value(value)
    if too_many(boards):
        raise ConfigError(f"{path}: {too_many(boards)}")
    return found, boards


def _section(text: str, where: str) -> Optional[str]:
    """Whose settings follow: ``None`` the collector's, "" those of all boards, or a board's id."""
    kind, _, name = (text[1:-1].strip() if text[-1] == "]" else "").partition(" ")
    if kind == SECTION and not name:
        return None
    if kind != BOARD_SECTION:
        raise ConfigError(
            f"{where}: {text}: the sections are [{SECTION}], [{BOARD_SECTION}] and [{BOARD_SECTION} NAME]"
        )
    try:
        return board_name(name.strip().strip("\"'"))
    except ValueError as problem:
        raise ConfigError(f"{where}: {text}: {problem}") from None


def _value(text: str) -> str:
    """A value without a comment behind it and without quotes around it."""
    for mark in (" #", " ;", "\t#", "\t;"):
        text = text.split(mark)[0]
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    return text
