"""Runs the collector from a checkout, nothing installed: ``python3 collector once``."""

# ruff: noqa: PTH100, PTH118, PTH120

from __future__ import annotations

import os.path
import sys

if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:0] = [here, os.path.join(os.path.dirname(here), "protocol")]
    from inktop_collector.__main__ import main

    sys.exit(main())
