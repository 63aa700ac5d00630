"""The `inktop` command: one module a sub-command, imported only when it is called.

Each module has ``add_arguments(parser)`` and ``run(args) -> int`` (the exit status).
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from types import ModuleType
from typing import Container, Dict, List, Optional, TextIO, Tuple

from inktop_tools.errors import InktopError

#: name -> (module, one-line help)
COMMANDS: Dict[str, Tuple[str, str]] = {
    "demo": ("virtual.demo", "this machine (or a recording) live on the virtual board"),
    "board": ("virtual.board", "a virtual board that connects to a collector"),
    "render": ("virtual.render", "draw recorded lines into a picture"),
    "decode": ("lines.decode", "lines from standard input to one JSON object a line"),
    "tail": ("lines.tail", "follow a collector's stream, human-readable"),
    "record": ("lines.record", "a collector's stream into a file, to render, replay and diagnose"),
    "flash": ("device.flash", "build the firmware and write it to a board"),
    "update": ("device.update", "the firmware over the air, to a board that runs"),
    "monitor": ("device.monitor", "the board's log over the serial port"),
    "configure": ("device.configure", "settings of a board over the serial port"),
    "secrets": ("device.secrets", "Wi-Fi name, passwords and keys, outside the tree"),
    "selftest": ("selftest", "the self-test stages, drawn on this machine"),
    "diagnose": ("photo.command", "from a photo of the panel to the layer at fault"),
    "fonts": ("fonts", "generate the font tables from their npm packages"),
    "completion": ("completion", "what bash, zsh or tcsh need to complete this command by Tab"),
}

EXIT_STATUS = """\
Exit status: 0: it worked, and the answer is good. 1: it did not work (a sentence says why), or the answer
is bad (no line came, a line is bad, a picture differs). 2: wrong usage. 130: Ctrl-C."""


def main(argv: Optional[List[str]] = None) -> int:
    """Runs one sub-command; returns its exit status (1 on an error, 2 on wrong usage, 130 on Ctrl-C)."""
    arguments = sys.argv[1:] if argv is None else argv
    # Only the module of the command that was asked for is imported: `inktop decode` needs no Pillow.
    wanted = next((word for word in arguments if word in COMMANDS), None)
    name = "inktop" if wanted is None else f"inktop {wanted}"
    _prepare_streams()
    try:
        status = _run(arguments, wanted)
        sys.stdout.flush()
        return status
    except InktopError as error:
        return _fail(name, str(error))
    except BrokenPipeError:
        _forget(sys.stdout)  # the reader has gone
        return 0
    except OSError as error:
        _forget(sys.stdout)
        place = f"{error.filename}: " if error.filename is not None else ""
        return _fail(name, f"{place}{error.strerror or error}.")
    except KeyboardInterrupt:
        return 130


def make_parser(wanted: Container[str]) -> Tuple[argparse.ArgumentParser, Dict[str, ModuleType]]:
    """The parser with the options of the wanted commands, and their modules: the others are not imported."""
    parser = argparse.ArgumentParser(
        prog="inktop",
        description="btop on e-ink: the tools.",
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="say the version and end")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    modules: Dict[str, ModuleType] = {}
    for name, (module_name, summary) in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=summary, description=summary)
        if name in wanted:
            modules[name] = importlib.import_module(f"inktop_tools.{module_name}")
            modules[name].add_arguments(subparser)
    return parser, modules


def _run(arguments: List[str], wanted: Optional[str]) -> int:
    parser, modules = make_parser((wanted,) if wanted is not None else ())
    args = parser.parse_args(arguments)
    if args.version:
        print(f"inktop {_version()}")
        return 0
    if args.command is None:
        print(parser.format_help(), end="")
        return 0
    return int(modules[args.command].run(args))


def _version() -> str:
    from importlib import metadata

    try:
        return metadata.version("inktop")
    except metadata.PackageNotFoundError:  # a checkout whose `make venv` is still to come
        return "(not installed: make venv)"


def _prepare_streams() -> None:
    """No output is a reason for a traceback: not a stream that was closed, nor one that is ASCII."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _forget(stream: TextIO) -> None:
    """Lets what could not be written go, so that Python does not try again at its end."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except OSError:
        pass


def _fail(name: str, text: str) -> int:
    try:
        print(f"{name}: {text}", file=sys.stderr, flush=True)
    except OSError:
        _forget(sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
