"""Builds dist/inktop-collector.pyz, the collector as one file, from a checkout."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

if __name__ == "__main__":
    sys.path[:0] = [str(HERE), str(HERE.parent / "protocol")]
    from inktop_collector.pack import build

    where = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent / "dist/inktop-collector.pyz"
    build(where)
    print(where)
