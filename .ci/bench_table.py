"""All figures of `make bench` in one table, build/bench.md and bench.json; 1 when a target is missed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Dict, List

PROJECT = Path(__file__).resolve().parent.parent
WORK = PROJECT / "build" / "bench"
PARTS = {
    "collector": "the collector",
    "latency": "from /proc to the panel",
    "relay": "the relay",
    "scale": "many boards",
    "core": "the core on this PC",
    "xtensa": "the core on Xtensa",
}
#: Of the panel (docs/performance.md): rows and blank lines of a frame, and what a line takes at 8 MHz.
LINES, PIXEL_HZ, CLOCKS_OF_LINE = 1094, 8_000_000, 240 + 7
PHASES = {"update (DU)": 5, "wash (GC16 twice)": 60, "clear and wash (GC16 three times)": 90}


def refreshes() -> List[Dict[str, Any]]:
    """What each refresh takes, computed: phases x lines x line time."""
    line_us = CLOCKS_OF_LINE * 1_000_000 // PIXEL_HZ + 1
    return [
        {
            "name": f"a refresh on the panel, computed: {name}",
            "value": f"{phases * LINES * line_us / 1e6:.2f} s",
            "baseline": f"{phases} phases x {LINES} lines x {line_us} µs",
            "target": "",
            "met": None,
        }
        for name, phases in PHASES.items()
    ]


def table(parts: Dict[str, List[Dict[str, Any]]]) -> str:
    """As Markdown."""
    lines = ["# Figures", "", "`make bench` wrote this; docs/performance.md explains it.", ""]
    for title, rows in parts.items():
        lines += [f"## {title}", "", "| what | figure | beside | target | |", "|---|---|---|---|---|"]
        for row in rows:
            mark = {True: "met", False: "**MISSED**", None: ""}[row["met"]]
            cells = [row["name"], row["value"], row.get("baseline", ""), row["target"], mark]
            lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    """Gathers; 1 when a target is missed or a part is not there."""
    parts: Dict[str, List[Dict[str, Any]]] = {}
    wrong: List[str] = []
    for name, title in PARTS.items():
        path = WORK / f"{name}.json"
        if path.is_file():
            parts[title] = json.loads(path.read_text(encoding="utf-8"))
        else:
            wrong.append(f"{title}: not measured")
    parts["the panel"] = refreshes()
    wrong += [
        f"{row['name']}: {row['value']}" for rows in parts.values() for row in rows if row["met"] is False
    ]
    (PROJECT / "build" / "bench.md").write_text(table(parts), encoding="utf-8")
    (PROJECT / "build" / "bench.json").write_text(json.dumps(parts, indent=2) + "\n", encoding="utf-8")
    print("\nbuild/bench.md, build/bench.json")
    if wrong:
        print("error: missed:", *wrong, sep="\n  ", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
