"""`inktop completion`: what a shell needs to complete `inktop` and `inktop-collector` with the Tab key."""

from __future__ import annotations

import argparse
from pathlib import Path

from inktop_tools.errors import InktopError

SHELLS = ("bash", "zsh", "tcsh")
#: Of a command, and of the collector's.
PROGRAMS = ("inktop", "inktop-collector")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that reads what is printed")
    parser.add_argument(
        "--for", dest="program", choices=PROGRAMS, default="inktop", help="the command (inktop)"
    )


def script(program: str, shell: str) -> str:
    """The text that a shell reads. Raises InktopError when shtab is not installed."""
    try:
        import shtab
    except ImportError:
        raise InktopError(
            "shtab, which writes completions, is not installed. Install it beside inktop: "
            "`.venv/bin/pip install shtab` in a checkout, `pipx inject inktop shtab` with pipx."
        ) from None
    if program == "inktop":
        from inktop_tools.cli import COMMANDS, make_parser

        parser = make_parser(COMMANDS)[0]
    else:
        from inktop_collector.options import make_parser as collector_parser

        parser = collector_parser()
    _mark_files(parser, shtab.FILE)
    return str(shtab.complete(parser, shell))


def _mark_files(parser: argparse.ArgumentParser, mark: object) -> None:
    """Options and arguments that are paths are completed with names of files."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _mark_files(command, mark)
        elif action.type is Path or str(action.metavar).lower().endswith("file"):
            action.complete = mark  # type: ignore[attr-defined]


def run(args: argparse.Namespace) -> int:
    """Prints it."""
    print(script(args.program, args.shell))
    return 0
