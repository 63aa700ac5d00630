"""Runs the collector: ``python3 -m inktop_collector``, and what the installed command calls."""

from __future__ import annotations

import sys


def main() -> int:
    """The command line; the exit code."""
    from inktop_collector.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
