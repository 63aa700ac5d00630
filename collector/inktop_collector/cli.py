"""The command line: which command, which settings. What a command does is in its own module."""

from __future__ import annotations

import gc
import os
import sys
from typing import AbstractSet, Dict, List, Tuple, Union

from .config import PROGRAM, Config, ConfigError, UsageError, load


def run(arguments: List[str]) -> int:
    """One run of the command; its exit code: 0, 1 failed, 2 not understood, 130 Ctrl-C."""
    try:
        before = set(sys.modules)
        understood = _understood(arguments)
        if isinstance(understood, int):
            return understood
        command, flags = understood
        if command == "serve":
            _forget(set(sys.modules) - before)
        config = load(flags, dict(os.environ))
        for warning in config.warnings:
            print(f"{PROGRAM}: warning: {warning}", file=sys.stderr)
        done = _command(command, config, flags)
        sys.stdout.flush()
        return done
    except (UsageError, ConfigError) as problem:
        print(f"{PROGRAM}: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        _forget_output()
        return 130
    except BrokenPipeError:
        # The reader has gone (`doctor | head`).
        _forget_output()
        return 0
    except OSError as problem:
        _forget_output()
        print(f"{PROGRAM}: {problem.strerror or problem}", file=sys.stderr)
        return 1


def _understood(arguments: List[str]) -> Union[int, Tuple[str, Dict[str, str]]]:
    """(command, flags by name), or the exit code when there is nothing more to do."""
    from . import options

    if not arguments:
        options.make_parser().print_help()
        return 2
    try:
        return options.parse(arguments)
    except SystemExit:  # --help, --version
        return 0


def _forget(modules: AbstractSet[str]) -> None:
    """Drops what read the options: it takes a third of a MiB, and a server runs for months without it."""
    for name in modules:
        package, _, module = name.rpartition(".")
        del sys.modules[name]
        if package:
            delattr(sys.modules[package], module)
    gc.collect()


def _forget_output() -> None:
    """Drops what could not be written: the interpreter must not try again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _command(command: str, config: Config, flags: Dict[str, str]) -> int:
    # Each command imports only its own modules: the others would stay in the server's memory.
    as_json = "json" in flags
    if command == "once":
        return _once(config, as_json)
    if command == "serve":
        return _serve(config)
    if command == "relay":
        return _relay(config, flags)
    if command == "boards":
        from .boards import boards

        return boards(config, as_json)
    if command == "ack":
        from .boards import acknowledge

        return acknowledge(config)
    if command == "doctor":
        from .doctor import doctor

        return doctor(config, as_json)
    from .install import install, uninstall

    if command == "install":
        return install(config, flags, "dry_run" in flags)
    return uninstall("dry_run" in flags)


def _once(config: Config, as_json: bool) -> int:
    from .once import once
    from .preflight import missing

    problem = missing(config.roots())
    if problem:
        print(f"{PROGRAM}: {problem}", file=sys.stderr)
    line = once(config)
    if as_json:
        from inktop_protocol.to_json import decode_to_json

        line = decode_to_json(line).encode() + b"\n"
    sys.stdout.buffer.write(line)
    return 0


def _serve(config: Config) -> int:
    from .preflight import missing
    from .server.listener import ListenError
    from .server.loop import Server

    problem = missing(config.roots())
    if problem:
        print(f"{PROGRAM}: {problem}", file=sys.stderr)
        return 1
    _default_folders(config)
    try:
        server = Server(config)
    except ListenError as why:
        print(f"{PROGRAM}: {why}", file=sys.stderr)
        return 1
    server.wake.catch_signals()
    server.run()
    # A reading thread may hang in the kernel: nothing waits for it.
    os._exit(0)


def _relay(config: Config, flags: Dict[str, str]) -> int:
    from .relay.loop import Relay
    from .relay.settings import read_settings
    from .server.listener import ListenError

    settings = read_settings(config.relay, flags, os.environ.get("CREDENTIALS_DIRECTORY", ""))
    _default_folders(config)
    try:
        relay = Relay(config, settings)
    except ListenError as why:
        print(f"{PROGRAM}: {why}", file=sys.stderr)
        return 1
    relay.wake.catch_signals()
    relay.run()
    # The engine may keep its thread waiting: nothing waits for that.
    os._exit(0)


def _default_folders(config: Config) -> None:
    """Where a collector that a person started on its own machine keeps its files."""
    from .folders import runtime_folder, state_folder

    if config.procfs == "/proc" and config.sysfs == "/sys":
        config.state_dir = config.state_dir or state_folder()
        config.runtime_dir = config.runtime_dir or runtime_folder()
