"""Owns the command line: which command, which settings. What a command does is in a module of its
own.

Parsed here and not by argparse: that would stay in memory for as long as the server runs.
"""

from __future__ import annotations

import os
import sys

from . import __version__
from .config import SETTINGS, Config, ConfigError, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Tuple

COMMANDS = {
    "once": "print one line of this machine (rates over --interval)",
    "serve": "push a line a second to every board that connects",
    "boards": "show the boards that are connected, and how they are",
    "ack": "acknowledge standing events; a GPU that is gone is forgotten",
    "doctor": "show what each source finds here, what it cannot read, and what to do",
    "install": "install as a service of this machine (--dry-run shows what it would do)",
    "uninstall": "remove the service (--dry-run shows what it would do)",
}
#: Flags without a value.
SWITCHES = ("dry_run", "help", "version", "no_announce")


class UsageError(Exception):
    """The command line cannot be understood; the text says what to do."""


def usage() -> str:
    """The help text."""
    lines = ["usage: inktop-collector COMMAND [--SETTING VALUE ...]", "", "commands:"]
    lines += [f"  {name:<10} {text}" for name, text in COMMANDS.items()]
    lines += ["", "settings (also in /etc/inktop/collector.conf, and as INKTOP_... variables):"]
    for name, (_, _, text) in SETTINGS.items():
        lines.append(f"  --{name.replace('_', '-'):<12} {text}")
    lines += [
        f"  --{'config':<12} another configuration file",
        f"  --{'no-announce':<12} the same as --announce no",
        f"  --{'dry-run':<12} install, uninstall: change nothing, show all",
        f"  --{'version':<12} the version",
    ]
    return "\n".join(lines)


def parse(arguments: List[str]) -> Tuple[str, Dict[str, str]]:
    """(command, flags by name). Raises UsageError."""
    command = ""
    flags: Dict[str, str] = {}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "-h":
            word = "--help"
        if not word.startswith("--"):
            if command:
                raise UsageError(f"{word!r}: the command is {command!r} already")
            if word not in COMMANDS:
                raise UsageError(f"{word!r} is no command; there are {', '.join(COMMANDS)}")
            command = word
            continue
        name, equals, value = word[2:].partition("=")
        name = name.replace("-", "_")
        if name in SWITCHES:
            flags[name] = "yes"
            continue
        if name not in SETTINGS and name != "config":
            raise UsageError(f"{word!r} is no setting; --help shows them")
        if not equals:
            if not rest:
                raise UsageError(f"{word} needs a value")
            value = rest.pop(0)
        flags[name] = value
    return command, flags


def run(arguments: List[str]) -> int:
    """One run of the command; its exit code: 0, 1 failed, 2 not understood."""
    try:
        command, flags = parse(arguments)
    except UsageError as problem:
        print(f"inktop-collector: {problem}", file=sys.stderr)
        return 2
    if "version" in flags:
        print(__version__)
        return 0
    if "help" in flags or not command:
        print(usage())
        return 0 if "help" in flags else 2
    if "no_announce" in flags:
        flags["announce"] = "no"
    try:
        config = load(flags, dict(os.environ))
    except ConfigError as problem:
        print(f"inktop-collector: {problem}", file=sys.stderr)
        return 2
    try:
        done = _command(command, config, flags)
        sys.stdout.flush()
        return done
    except BrokenPipeError:
        # The reader has seen enough (`doctor | head`); the interpreter must not try the pipe again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _command(command: str, config: Config, flags: Dict[str, str]) -> int:
    # Each command brings only its own modules: those of the others would stay in the server's
    # memory.
    if command == "once":
        from .once import once
        from .preflight import missing

        problem = missing(config.roots())
        if problem:
            print(f"inktop-collector: {problem}", file=sys.stderr)
        sys.stdout.buffer.write(once(config))
        sys.stdout.flush()
        return 0
    if command == "serve":
        return _serve(config)
    if command == "boards":
        from .boards import boards

        return boards(config)
    if command == "ack":
        from .boards import acknowledge

        return acknowledge(config)
    if command == "doctor":
        from .doctor import doctor

        return doctor(config)
    from .install import install, uninstall

    if command == "install":
        return install(config, flags, "dry_run" in flags)
    return uninstall("dry_run" in flags)


def _serve(config: Config) -> int:
    from .preflight import missing
    from .server import ListenError, Server

    problem = missing(config.roots())
    if problem:
        print(f"inktop-collector: {problem}", file=sys.stderr)
        return 1
    _default_folders(config)
    try:
        server = Server(config)
    except ListenError as why:
        print(f"inktop-collector: {why}", file=sys.stderr)
        return 1
    server.catch_signals()
    server.run()
    # A reading thread may hang in the kernel: nothing waits for it.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _default_folders(config: Config) -> None:
    """Where a collector that was started by hand on its own machine keeps its files."""
    from .folders import runtime_folder, state_folder

    if config.procfs == "/proc" and config.sysfs == "/sys":
        config.state_dir = config.state_dir or state_folder()
        config.runtime_dir = config.runtime_dir or runtime_folder()
