"""The options of the command line, by argparse. Loaded to read them, and dropped again by a server."""

from __future__ import annotations

import argparse
from typing import Dict, List, NoReturn, Tuple

from . import __version__
from .config import CONFIG_FILE, PROGRAM, SETTINGS, UsageError

#: Settings by what they are about, and the commands with the groups that concern them.
GROUPS = {
    "reading": ("procfs", "sysfs", "interface", "gpu_order", "gpu_names", "gpu_hide", "gpu_users", "llm"),
    "serving": ("port", "bind", "interval", "allow", "key_file", "announce", "metrics", "board_ack"),
    "folders": ("state_dir", "runtime_dir"),
}
#: Flags of the relay alone; its other settings are in the file.
RELAY_FLAGS = {
    "engine": "URL of the Prometheus or VictoriaMetrics to ask",
    "hosts": "machines that get a port of their own: NAME or NAME=PORT, comma-separated, or all",
    "fleet": "name of the fleet",
}
COMMANDS: Dict[str, Tuple[str, Tuple[str, ...]]] = {
    "once": ("print one line of this machine (rates over --interval)", ("serving", "reading")),
    "serve": ("push a line a second to every board that connects", tuple(GROUPS)),
    "relay": (
        "push lines for machines without a collector, from a Prometheus or VictoriaMetrics",
        ("serving", "folders"),
    ),
    "boards": ("show the boards that are connected, and how they are", ("folders",)),
    "ack": ("acknowledge events; a GPU that is gone is forgotten", ("folders",)),
    "doctor": (
        "show what each source finds here, what it cannot read, and what to do",
        tuple(GROUPS),
    ),
    "install": ("install as a service of this machine", tuple(GROUPS)),
    "uninstall": ("remove the service; settings, key and known GPUs stay", ()),
}
#: Commands that can print JSON, and how each ends.
JSON = ("once", "boards", "doctor")
ENDS = {
    "once": "Ends with 0, or 2 for settings that cannot be used.",
    "serve": "Ends with 0 after SIGTERM, 1 when it cannot start, 2 for settings that cannot be used.",
    "relay": "Ends with 0 after SIGTERM, 1 when it cannot start, 2 for settings that cannot be used.",
    "boards": "Ends with 0, or 1 when no collector runs here.",
    "ack": "Ends with 0, or 1 when the collector could not be told.",
    "doctor": "Ends with 0, or 1 when something is broken: a source without an answer, a GPU that hangs, "
    "is lost or in reset, a service that cannot start, a port that another program has.",
    "install": "Ends with 0, or 1 when a step failed.",
    "uninstall": "Ends with 0, or 1 when a step failed.",
}
#: Columns of the help. Left to argparse, the width brings shutil with bz2 and lzma into the server.
HELP_COLUMNS = 100


class _Parser(argparse.ArgumentParser):
    """An argparse parser whose errors are one line."""

    def _get_formatter(self) -> argparse.HelpFormatter:
        return argparse.HelpFormatter(self.prog, width=HELP_COLUMNS)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (`{self.prog} --help` shows what there is)")


def _settings(names: Tuple[str, ...]) -> _Parser:
    """A parser of some settings, to be a parent of those of the commands."""
    # No defaults: a flag before the command must not be undone by the command's own parser.
    parser = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    for name in names:
        # --metrics alone is "yes"; argparse takes const for that only with nargs.
        more = {"nargs": "?", "const": "yes"} if name == "metrics" else {}
        flag = "--" + name.replace("_", "-")
        parser.add_argument(flag, metavar="VALUE", help=SETTINGS[name][2], **more)  # type: ignore[arg-type]
    if "announce" in names:
        parser.add_argument("--no-announce", action="store_true", help="the same as --announce no")
    return parser


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    config = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    config.add_argument("--config", metavar="FILE", help=f"another configuration file than {CONFIG_FILE}")
    groups = {name: _settings(names) for name, names in GROUPS.items()}
    parser = _Parser(
        PROGRAM,
        description="Samples this machine and pushes a line a second to the inktop boards.",
        epilog=f"A setting may also be in {CONFIG_FILE}, or an INKTOP_... variable.",
        allow_abbrev=False,
        parents=[*groups.values(), config],
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(prog=PROGRAM, dest="command", metavar="COMMAND", required=True)
    for name, (text, concerning) in COMMANDS.items():
        parents = [*(groups[group] for group in concerning), config]
        command = commands.add_parser(
            name, help=text, description=text, epilog=ENDS[name], allow_abbrev=False, parents=parents
        )
        for flag, about in RELAY_FLAGS.items() if name == "relay" else ():
            command.add_argument(f"--{flag}", metavar="VALUE", default=argparse.SUPPRESS, help=about)
        if name in JSON:
            command.add_argument(
                "--json", action="store_true", default=argparse.SUPPRESS, help="print JSON, for scripts"
            )
        if name in ("install", "uninstall"):
            command.add_argument(
                "--dry-run",
                action="store_true",
                default=argparse.SUPPRESS,
                help="show every step and change nothing",
            )
        if name == "install":
            command.add_argument(
                "--see-processes",
                action="store_true",
                default=argparse.SUPPRESS,
                help="let the service see every process (CAP_SYS_PTRACE), to tell who uses a GPU",
            )
            command.add_argument(
                "--relay",
                action="store_true",
                default=argparse.SUPPRESS,
                help="install the relay in place of the collector; its settings are in the file",
            )
    return parser


def parse(arguments: List[str]) -> Tuple[str, Dict[str, str]]:
    """(command, flags by name). Raises UsageError, and SystemExit for --help and --version."""
    flags = vars(make_parser().parse_args(arguments))
    command: str = flags.pop("command")
    if flags.pop("no_announce", False):
        flags["announce"] = "no"
    for name in ("dry_run", "json", "see_processes", "relay"):
        if flags.get(name):
            flags[name] = "yes"
    return command, flags
