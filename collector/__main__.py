"""Runs the collector from a checkout, nothing installed: ``python3 collector once``."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    here = Path(__file__).resolve().parent
    sys.path[:0] = [str(here), str(here.parent / "protocol")]
    from inktop_collector.__main__ import main

    sys.exit(main())
