"""Holds instruction counts, stack and size of the core on Xtensa against counts.json.

One that grows by more than 3 % fails, until counts.json says so too: --accept writes what was measured.
The rows for the bench table go to build/bench/xtensa.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Dict, List

ROOM = Path(__file__).resolve().parent
PROJECT = ROOM.parents[1]
KEPT = ROOM / "counts.json"
GROWTH = 1.03
#: Instructions of the loop by which counts.cpp tells what a tick of the emulated counter is.
LOOP = 2_000_000
#: Most that the second may be of the first.
RATIOS = (
    (
        "instructions, drawing an update, one server",
        "instructions, drawing an update, eight servers in a grid",
        2.0,
    ),
)
#: Sections of the program that go into flash; the rest is the memory that counts.cpp hands to the app.
FLASH = (".text", ".rodata", ".data", ".init_array")


def measured(told: str, sizes: str) -> Dict[str, int]:
    """Name to number, from what the program and `size -A` print."""
    rows = [line.rsplit(" ", 1) for line in told.splitlines()]
    ticks = next(int(value) for name, value in rows if name == "ticks")
    found: Dict[str, int] = {}
    deepest = 0
    for name, value in rows:
        if name.startswith("count "):
            found["instructions, " + name[len("count ") :]] = round(int(value) * LOOP / ticks)
        if name.startswith("stack "):
            deepest = max(deepest, int(value))
    found["bytes, deepest stack"] = deepest
    sections = {
        words[0]: int(words[1])
        for words in map(str.split, sizes.splitlines())
        if len(words) == 3 and words[1].isdigit()
    }
    found["bytes, code and constants"] = sum(sections.get(name, 0) for name in FLASH)
    return found


def compare(kept: Dict[str, int], now: Dict[str, int]) -> List[str]:
    """What has grown too much, is new, or is gone."""
    wrong = [f"{name}: {value:,} is not in counts.json" for name, value in now.items() if name not in kept]
    wrong += [f"{name}: not measured any more" for name in kept if name not in now]
    for name, value in now.items():
        if value > kept.get(name, value) * GROWTH:
            wrong.append(
                f"{name}: {value:,}, {100 * value / kept[name] - 100:.1f} % more than {kept[name]:,}"
            )
    for one, other, most in RATIOS:
        if now.get(other, 0) > most * now.get(one, 0):
            wrong.append(f"{other}: {now[other]:,} is more than {most:g}x of {one}")
    return wrong


def main() -> int:
    """1 when something has grown."""
    paths = [Path(word) for word in sys.argv[1:] if not word.startswith("--")]
    now = measured(paths[0].read_text(), paths[1].read_text())
    if "--accept" in sys.argv:
        KEPT.write_text(json.dumps(now, indent=2) + "\n")
        print(f"wrote {KEPT.relative_to(PROJECT)}")
    kept: Dict[str, int] = json.loads(KEPT.read_text()) if KEPT.is_file() else {}
    wrong = compare(kept, now)
    rows = []
    for name, value in now.items():
        before = kept.get(name)
        share = f"{100 * value / before - 100:+.1f} %" if before else "new"
        print(f"{name:<40} {value:>12,}   {share}")
        met = before is not None and value <= before * GROWTH
        baseline = f"counts.json: {before:,}" if before else ""
        rows.append(
            {"name": name, "value": f"{value:,}", "baseline": baseline, "target": "<= +3 %", "met": met}
        )
    target = PROJECT / "build" / "bench" / "xtensa.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(rows, indent=2) + "\n")
    if wrong:
        print("error: the core costs more on Xtensa:", *wrong, sep="\n  ", file=sys.stderr)
        print("  If that is worth it: make xtensa ARGS=--accept, and commit counts.json.", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
