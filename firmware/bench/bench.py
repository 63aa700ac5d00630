"""Measures the core side by side with plain versions of itself: instructions of drawing, ink of an hour.

Instructions are counted by valgrind's callgrind, so a busy machine changes nothing. Flips are counted by the
panel model over an hour under load and an hour of idling, beside the same dashboard drawn naively, and held
against `limits.json`, which may only be lowered: `--lower` writes what is better now.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

ROOM = Path(__file__).resolve().parent
PROJECT = ROOM.parent.parent
LIMITS = ROOM / "limits.json"
WORK = PROJECT / "build" / "bench"
GENERATOR = PROJECT / "protocol" / "samples" / "generate.py"
HOUR_S = 3600
#: Name, what it is, how many times faster than the plain version it must be.
DRAWING = (
    ("fill", "fills", 20.0),
    ("difference", "one update's difference", 5.0),
    ("full-redraw", "full redraw", 3.0),
    ("turned", "full redraw for a panel that hangs turned", 3.0),
)
#: Most that such a redraw may cost of the same picture drawn upright.
TURNED = 1.5
#: Repetitions that are counted; those of one run more are subtracted, with all preparations.
COUNTS = (1, 4)
#: Most that drawing for eight servers may cost of drawing for one, and the seconds that are counted: those
#: of the first are subtracted.
SERVERS, SERVERS_COST = 8, 2.0
SECONDS = (60, 240)
HOURS = (("loaded", "inference"), ("idle", "idle"))
#: Most that the whole board may flip of what the naive one does, percent.
WHOLE_BOARD = {"loaded": 15, "idle": 37}
#: What limits.json holds of each hour.
LIMITED = ("updates", "rows", "flips", "graph_flips", "most_flips")


class Results:
    """Prints figures with their targets, and remembers which were missed."""

    def __init__(self) -> None:
        self.missed: List[str] = []
        self.rows: List[Dict[str, object]] = []

    def say(self, name: str, value: str, target: str = "", good: bool = True) -> None:
        """One line."""
        if not good:
            self.missed.append(name)
        self.rows.append(
            {"name": name.strip(), "value": value, "target": target, "met": good if target else None}
        )
        told = f"   target {target:<14} {'ok' if good else 'MISSED'}" if target else ""
        print(f"{name:<62} {value:>16}{told}", flush=True)


def instructions(program: Path, *arguments: object) -> int:
    """Instructions of one run, as callgrind counts them."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", str(program)]
        + [str(argument) for argument in arguments],
        capture_output=True,
        text=True,
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None:
        sys.exit(f"error: valgrind could not run {program}: {done.stderr.strip()[-400:]}")
    return int(found[1])


def checksum(program: Path, name: str, version: str) -> str:
    """Of what was drawn."""
    command = [str(program), name, version, str(COUNTS[1])]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def bench_drawing(program: Path, results: Results) -> None:
    """Instructions of the core's drawing against one pixel at a time; both must draw the same."""
    print("drawing: instructions against one pixel at a time", flush=True)
    for name, title, target in DRAWING:
        if checksum(program, name, "fast") != checksum(program, name, "naive"):
            results.say(f"{title}: the same bytes", "no", "yes", good=False)
        counts: Dict[str, float] = {}
        for version in ("fast", "naive"):
            first, second = (instructions(program, name, version, count) for count in COUNTS)
            counts[version] = (second - first) / (COUNTS[1] - COUNTS[0])
        ratio = counts["naive"] / counts["fast"]
        told = f"{title}: {counts['fast']:,.0f} against {counts['naive']:,.0f}"
        results.say(told, f"{ratio:.1f}x", f">= {target:.0f}x", ratio >= target)


def bench_turned(program: Path, results: Results) -> None:
    """Instructions of a tall picture in the frame of a panel that hangs turned, against one of its shape."""
    counts = {}
    for name in ("turned", "tall"):
        first, second = (instructions(program, name, "fast", count) for count in COUNTS)
        counts[name] = (second - first) / (COUNTS[1] - COUNTS[0])
    ratio = counts["turned"] / counts["tall"]
    told = f"turned against upright: {counts['turned']:,.0f} against {counts['tall']:,.0f}"
    results.say(told, f"{ratio:.2f}x", f"<= {TURNED}x", ratio <= TURNED)


def bench_seal(program: Path, results: Results) -> None:
    """Instructions of checking a line's seal, with SHA-256 in software, against parsing the line."""
    print("\na busy line of two GPUs with a key: instructions", flush=True)
    counts = {}
    for name, version in (("parsing it", "fast"), ("checking its seal", "naive")):
        first, second = (instructions(program, "seal", version, count) for count in COUNTS)
        counts[name] = (second - first) / (COUNTS[1] - COUNTS[0])
        results.say(name, f"{counts[name]:,.0f}")
    ratio = counts["checking its seal"] / counts["parsing it"]
    results.say("the seal against the parser", f"{ratio:.1f}x")


def bench_servers(program: Path, results: Results) -> None:
    """Instructions a second of a board with eight servers against one with one, without taking the lines."""
    path = record("inference")

    def a_second(show: str, what: str, servers: int) -> float:
        first, second = (
            instructions(program, "servers", path, show, what, servers, seconds) for seconds in SECONDS
        )
        return (second - first) / (SECONDS[1] - SECONDS[0])

    print(f"\na board with {SERVERS} servers against one with one: instructions a second", flush=True)
    lines = {servers: a_second("grid", "lines", servers) for servers in (1, SERVERS)}
    results.say(f"taking the lines: {lines[SERVERS]:,.0f} against {lines[1]:,.0f}", "")
    one = a_second("grid", "draw", 1) - lines[1]
    for show, title in (("grid", "all in a grid"), ("large", "one large")):
        several = a_second(show, "draw", SERVERS) - lines[SERVERS]
        ratio = several / one
        told = f"drawing {SERVERS} servers, {title}: {several:,.0f} against {one:,.0f}"
        results.say(told, f"{ratio:.2f}x", f"<= {SERVERS_COST:.0f}x", ratio <= SERVERS_COST)


def graph_flips(account: Dict[str, Any]) -> int:
    """Flips of all graphs."""
    return sum(flips for name, flips in account["elements"].items() if "graph" in name)


def record(recording: str) -> Path:
    """An hour of that recording."""
    WORK.mkdir(parents=True, exist_ok=True)
    path = WORK / f"{recording}.lines"
    command = [sys.executable, str(GENERATOR), recording, "--seconds", str(HOUR_S)]
    path.write_bytes(subprocess.run(command, capture_output=True, check=True).stdout)
    return path


def replay(program: Path, recording: str) -> Dict[str, Any]:
    """What an hour of that recording did to the panel: {"shipped": …, "naive": …}."""
    path = record(recording)
    done = subprocess.run([str(program), "economy", str(path)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"error: the replay of {path} failed: {done.stderr.strip()}")
    found: Dict[str, Any] = json.loads(done.stdout)
    return found


def percent(part: int, whole: int) -> float:
    """part of whole, in percent."""
    return 100 * part / whole if whole else 0.0


def figures(account: Dict[str, Any]) -> Dict[str, int]:
    """The numbers that limits.json holds."""
    found = {name: int(account[name]) for name in LIMITED if name != "graph_flips"}
    found["graph_flips"] = graph_flips(account)
    return found


def lowered(limits: Dict[str, Dict[str, int]], now: Dict[str, Dict[str, int]]) -> Dict[str, Dict[str, int]]:
    """The limits after a measurement: never higher than before."""
    return {
        hour: {name: min(value, limits.get(hour, {}).get(name, value)) for name, value in values.items()}
        for hour, values in now.items()
    }


def bench_economy(program: Path, results: Results, lower: bool) -> None:
    """Flips of an hour loaded and an hour idle."""
    limits: Dict[str, Dict[str, int]] = json.loads(LIMITS.read_text()) if LIMITS.exists() else {}
    measured: Dict[str, Dict[str, int]] = {}
    for hour, recording in HOURS:
        accounts = replay(program, recording)
        shipped, naive = accounts["shipped"], accounts["naive"]
        measured[hour] = figures(shipped)
        print(f"\nan hour, {hour}: pixels flipped, beside the same dashboard drawn naively")
        for name in sorted(naive["elements"], key=lambda name: -int(naive["elements"][name])):
            ours, theirs = shipped["elements"].get(name, 0), naive["elements"][name]
            results.say(f"  {name}: {ours:,} against {theirs:,}", f"{percent(ours, theirs):.1f} %")
        ours, theirs = graph_flips(shipped), graph_flips(naive)
        share = percent(ours, theirs)
        # A scrolling graph of a machine that idles is a line that hardly moves: there the slots count.
        target = ("<= 10 %", share <= 10) if hour == "loaded" else ("", True)
        results.say(f"all graphs: {ours:,} against {theirs:,}", f"{share:.1f} %", *target)
        share = percent(shipped["flips"], naive["flips"])
        told = f"the whole board: {shipped['flips']:,} against {naive['flips']:,}"
        results.say(told, f"{share:.1f} %", f"<= {WHOLE_BOARD[hour]} %", share <= WHOLE_BOARD[hour])
        told = f"updates: {shipped['updates']:,} against {naive['updates']:,}, rows driven"
        results.say(f"{told} {shipped['rows']:,} against {naive['rows']:,}", "")
        told = f"most flips of a pixel between washes, against {naive['most_flips']:,} in the hour"
        results.say(told, f"{shipped['most_flips']:,}")
        share = percent(shipped["quiet_slots"], shipped["slots"])
        target = (">= 50 %", share >= 50) if hour == "idle" else ("", True)
        results.say("2-second slots without any update", f"{share:.1f} %", *target)
        for name, value in measured[hour].items():
            limit = limits.get(hour, {}).get(name)
            if limit is None and not lower:
                results.say(f"limit of {hour} {name}", f"{value:,}", "in limits.json", good=False)
            elif limit is not None:
                results.say(f"limit of {hour} {name}", f"{value:,}", f"<= {limit:,}", value <= limit)
    if lower:
        LIMITS.write_text(json.dumps(lowered(limits, measured), indent=2) + "\n")
        print(f"wrote {LIMITS.relative_to(PROJECT)}")


def main() -> int:
    """Runs both; 1 when a target is missed or a limit is exceeded."""
    parser = argparse.ArgumentParser(description="Benches of the core.")
    parser.add_argument("program", type=Path, help="inktop_bench, as `make bench` builds it")
    parser.add_argument(
        "--lower", action="store_true", help="write what is better now into limits.json; never raises a limit"
    )
    args = parser.parse_args()
    results = Results()
    bench_drawing(args.program, results)
    bench_turned(args.program, results)
    bench_seal(args.program, results)
    bench_servers(args.program, results)
    bench_economy(args.program, results, args.lower)
    (WORK / "core.json").write_text(json.dumps(results.rows, indent=2) + "\n")
    if results.missed:
        print(f"\nmissed: {', '.join(results.missed)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
