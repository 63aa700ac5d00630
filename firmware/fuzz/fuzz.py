"""Explores with libFuzzer, one target after the other, then with both decoders; `make fuzz`.

    make fuzz                                       five minutes in all
    make fuzz ARGS="-max_total_time=60"             a minute in all, shared by the targets
    make fuzz ARGS="-max_total_time=600 app link"   these two; further options go to libFuzzer as they are
    make fuzz ARGS=--minimise                       what was found, as few and small as it goes, into corpus/

It ends with 1 at a finding and names the file that holds it; `PROGRAM FILE` shows it again.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Tuple

ROOM = Path(__file__).resolve().parent
PROJECT = ROOM.parents[1]
sys.path[:0] = [str(ROOM), str(PROJECT / "protocol")]
from decoders import body_of, explore, lines_of  # noqa: E402

CORPUS = ROOM / "corpus"
WORK = PROJECT / "build" / "fuzz"
TARGETS = ("lines", "link", "app", "console", "record_queue")
DECODERS = "decoders"
DEFAULT_S = 300.0
#: An input a line, so that the repository has few files.
SUFFIX = ".base64"
#: Longest input, by target: lines come with their portions, an app lives through many of them.
LONGEST = {"lines": 1300, "link": 2000, "app": 3000, "console": 1200, "record_queue": 600}


def kept(target: str) -> List[bytes]:
    """The inputs in corpus/."""
    path = CORPUS / (target + SUFFIX)
    lines = path.read_text(encoding="ascii").splitlines() if path.is_file() else []
    return [base64.b64decode(line) for line in lines]


def write_all(folder: Path, inputs: Iterable[bytes]) -> Path:
    """The folder with a file for each input."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(inputs):
        (folder / f"{number:03d}").write_bytes(data)
    return folder


def vector_lines() -> List[bytes]:
    """Every line of the protocol's vectors, and some of each recording."""
    found = []
    for path in sorted((PROJECT / "protocol" / "vectors").glob("*.jsonl")):
        for row in path.read_text(encoding="utf-8").splitlines():
            data = json.loads(row)
            if isinstance(data.get("line"), str):
                found.append(data["line"].encode("latin-1", "replace").rstrip(b"\n"))
    for path in sorted((PROJECT / "protocol" / "samples").glob("*.lines")):
        lines = path.read_bytes().splitlines()
        found += lines[:2] + lines[2 :: max(1, len(lines) // 6)]
    return found


def seeds(target: str) -> Iterator[bytes]:
    """Inputs to begin with: what the target would get on a good day."""
    lines = [body_of(line) for line in vector_lines()]
    if target == "lines":
        for line in lines:
            yield b"\0" + line
        yield b"\x01" + b"\n".join(lines[:3]) + b"\n"
    elif target == "app":
        samples = lines[-40:]
        for start in range(0, len(samples), 4):
            told = b"".join(b"\0" + line + b"\0\x14" for line in samples[start : start + 4])
            yield b"\0\0" + b"\x03\x14" + told + b"\x06\0\x14" + b"\x06\x01\x14" + b"\x06\x02\x14"
        yield b"\0\x01\x07\x01\x05\xff" * 3
    elif target == "link":
        for flags in range(0, 64, 3):
            told = b"\x04" + lines[0] + b"\0\x04info=1|v=0.1.0\0"
            announced = b"\x0aannounce=1|h=t7910|i=192.0.2.17|p=7910\0"
            yield (
                bytes([flags, 7, flags % 4])
                + announced
                + b"\x01"
                + told
                + b"\x05\x00\x14\x07\x00192.0.2.9\0" * 2
            )
    elif target == "console":
        commands = [b"list", b"get wash", b"set wash 8", b"reset all", b"hold wash", b"release wash", b"help"]
        commands += [
            b"set servers a,b:1,10.0.0.1",
            b"set quiet 22-7/15",
            b"set buttons 0,1365,2730",
            b"buttons",
        ]
        commands += [b"set password 12345678", b"set id desk", b"set key 0123456789abcdef", b"set span 24h"]
        for command in commands:
            yield b"\0\x01" + command + b"\0"
        for line in lines:
            if line.startswith(b"settings="):
                yield b"\0\x02" + line + b"\0\x01list\0"
        body = b"ssid=home&password=12345678&servers=192.0.2.17"
        head = b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body)
        yield b"\0\x05" + head + body + b"\0\x05GET / HTTP/1.1\r\n\r\n\0"
    else:
        yield bytes(range(256))
        yield b"\x01" + bytes([0, 40, 1, 5, 2, 3, 7, 4, 5, 0, 200, 3]) * 20


def begin_with(target: str) -> List[str]:
    """The folders of what was found, what is kept, and the seeds."""
    found = WORK / "corpus" / target
    found.mkdir(parents=True, exist_ok=True)
    longest = LONGEST[target]
    seeded = write_all(WORK / "seeds" / target, (seed[:longest] for seed in seeds(target)))
    return [str(found), str(write_all(WORK / "kept" / target, kept(target))), str(seeded)]


def program(target: str) -> str:
    """Its fuzzer."""
    return str(WORK / f"inktop_fuzz_{target}")


def environment() -> Dict[str, str]:
    """A leak is none of ours: what the target allocates, it frees by its end or not at all."""
    return {**os.environ, "UBSAN_OPTIONS": "print_stacktrace=1", "ASAN_OPTIONS": "detect_leaks=0"}


def run_target(target: str, seconds: float, options: List[str]) -> bool:
    """Explores; False at a finding."""
    findings = WORK / "findings"
    findings.mkdir(parents=True, exist_ok=True)
    folders = begin_with(target)
    log = WORK / f"{target}.log"
    print(f"{target}: {seconds:.0f} s", flush=True)
    with log.open("w") as out:
        done = subprocess.run(
            [
                program(target),
                f"-max_total_time={max(1, round(seconds))}",
                f"-max_len={LONGEST[target]}",
                f"-artifact_prefix={findings}/{target}-",
                f"-dict={ROOM / 'lines.dict'}",
                "-timeout=20",
                "-rss_limit_mb=2048",
                "-print_final_stats=1",
                *options,
                *folders,
            ],
            stdout=out,
            stderr=subprocess.STDOUT,
            env=environment(),
        )
    text = log.read_text(errors="replace").splitlines()
    said = [line for line in text if "number_of_executed_units" in line or line.startswith("Done ")]
    print(f"  {len(list(Path(folders[0]).iterdir()))} inputs; {' '.join(said)}", flush=True)
    if done.returncode == 0:
        return True
    print("\n".join(text[-40:]), file=sys.stderr)
    files = [line.split("written to ")[-1] for line in text if "Test unit written to" in line]
    print(f"FOUND in {target}: {' '.join(files) or 'see ' + str(log)}", file=sys.stderr)
    for file in files:
        print(f"again: {program(target)} {file}", file=sys.stderr)
    return False


def run_decoders(seconds: float) -> bool:
    """Compares on what was kept, what was found, and changed lines; False at a finding."""
    print(f"{DECODERS}: {seconds:.0f} s", flush=True)
    inputs = kept("lines") + [path.read_bytes() for path in sorted(WORK.glob("corpus/lines/*"))]
    lines = [line for data in inputs for line in lines_of(data)] + vector_lines()
    seed = int(time.time())
    found = explore(lines, seconds, seed)
    if found is None:
        return True
    file = WORK / "findings" / f"{DECODERS}-{seed}"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(found)
    print(f"{found}\nFOUND in {DECODERS}: {file}", file=sys.stderr)
    return False


def minimise() -> None:
    """Merges what was kept and found into corpus/: the smallest input for each edge of the program."""
    for target in TARGETS:
        fresh = WORK / "minimised" / target
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        command = [program(target), "-merge=1", "-use_counters=0", f"-max_len={LONGEST[target]}", str(fresh)]
        command += begin_with(target)
        subprocess.run(command, check=True, capture_output=True, env=environment())
        inputs = sorted((path.read_bytes() for path in fresh.iterdir()), key=lambda data: (len(data), data))
        lines = [base64.b64encode(data).decode() + "\n" for data in inputs]
        (CORPUS / (target + SUFFIX)).write_text("".join(lines), encoding="ascii")
        print(f"{target}: {len(inputs)} inputs, {sum(map(len, inputs))} bytes")


def arguments(given: List[str]) -> Tuple[float, List[str], List[str]]:
    """Seconds in all, targets, and what goes on to libFuzzer."""
    seconds, targets, options = DEFAULT_S, [], []
    for one in given:
        if one.startswith("-max_total_time="):
            seconds = float(one.split("=")[1])
        elif one.startswith("-"):
            options.append(one)
        elif one in (*TARGETS, DECODERS):
            targets.append(one)
        else:
            sys.exit(f"error: {one} is no target: {', '.join((*TARGETS, DECODERS))}")
    return seconds, targets or [*TARGETS, DECODERS], options


def main() -> int:
    """0: nothing was found."""
    if "--minimise" in sys.argv:
        minimise()
        return 0
    seconds, targets, options = arguments(sys.argv[1:])
    share = seconds / len(targets)
    good = [run_decoders(share) if name == DECODERS else run_target(name, share, options) for name in targets]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
