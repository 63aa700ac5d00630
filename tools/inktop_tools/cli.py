"""The `inktop` command: one module a sub-command, imported only when it is called.

Each module has ``add_arguments(parser)`` and ``run(args) -> int`` (the exit status).
"""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import Dict, List, Optional, Tuple

from inktop_tools.errors import InktopError

#: name -> (module, one-line help)
COMMANDS: Dict[str, Tuple[str, str]] = {
    "demo": ("virtual.demo", "this machine (or a recording) live on the virtual board"),
    "board": ("virtual.board", "a virtual board that connects to a collector"),
    "render": ("virtual.render", "draw recorded lines into a picture"),
    "decode": ("lines.decode", "lines from standard input to one JSON object a line"),
    "tail": ("lines.tail", "follow a collector's stream, human-readable"),
    "flash": ("device.flash", "build the firmware and write it to a board"),
    "monitor": ("device.monitor", "the board's log over the serial port"),
    "configure": ("device.configure", "settings of a board over the serial port"),
    "secrets": ("device.secrets", "Wi-Fi name, passwords and keys, outside the tree"),
    "selftest": ("selftest", "the self-test stages, drawn on this machine"),
    "diagnose": ("diagnose", "from a photo of the panel to the layer at fault"),
    "fonts": ("fonts", "generate the font tables from their npm packages"),
}


def main(argv: Optional[List[str]] = None) -> int:
    """Runs one sub-command; returns its exit status (1 on an error, 2 on wrong usage, 130 on Ctrl-C)."""
    arguments = sys.argv[1:] if argv is None else argv
    parser = argparse.ArgumentParser(prog="inktop", description="btop on e-ink: the tools.")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    # Only the module of the command that was asked for is imported: `inktop decode` needs no Pillow.
    wanted = next((word for word in arguments if word in COMMANDS), None)
    modules = {}
    for name, (module_name, summary) in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=summary, description=summary)
        if name == wanted:
            modules[name] = importlib.import_module(f"inktop_tools.{module_name}")
            modules[name].add_arguments(subparser)
    args = parser.parse_args(arguments)
    try:
        return int(modules[args.command].run(args))
    except InktopError as error:
        print(f"inktop {args.command}: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
