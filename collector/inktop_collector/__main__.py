"""Runs the collector: ``python3 -m inktop_collector``, and what the installed command calls."""

from __future__ import annotations

import os
import signal
import sys


def main() -> int:
    """The command line; the exit code."""
    # While the modules load, Ctrl-C ends the process without a word; where it is ignored, it stays so.
    breaks = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if breaks:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.stdout is None or sys.stderr is None:
        _open_streams()
    from inktop_collector.cli import run

    if breaks:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return run(sys.argv[1:])


def _open_streams() -> None:
    """A stream that was closed takes what is written to it, and the first socket does not take its place."""
    while True:
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere > 2:
            os.close(nowhere)
            break
        os.set_inheritable(nowhere, True)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8")  # noqa: SIM115


if __name__ == "__main__":
    sys.exit(main())
