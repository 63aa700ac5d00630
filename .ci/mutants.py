"""Mutation testing: changes one thing in the code at a time and asks whether a test notices.

    make mutants ARGS="collector/inktop_collector/status.py firmware/core/link/link.cpp --most 40"
    make mutants                    # a few of every file: hours

Works on a copy in build/mutants. cosmic-ray mutates Python, the table below C++. A survivor is a test that is
missing, or a change that nobody can see. For Python the tests that import the module are run, else all of its
room, or --tests.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterator, List, Tuple

ROOT = Path(__file__).resolve().parents[1]
COPY = ROOT / "build" / "mutants" / "tree"
#: Code that is mutated when no file is named.
ROOMS = (
    "collector/inktop_collector/*.py",
    "protocol/inktop_protocol/*.py",
    "tools/inktop_tools/*.py",
    "firmware/core/*.cpp",
    "protocol/cpp/*.cpp",
)
#: Mutations of C++. The blanks around an operator keep templates, pointers and includes out.
SWAPS = (
    (" < ", " <= "),
    (" <= ", " < "),
    (" > ", " >= "),
    (" >= ", " > "),
    (" == ", " != "),
    (" != ", " == "),
    (" && ", " || "),
    (" || ", " && "),
    (" + ", " - "),
    (" - ", " + "),
    (" * ", " / "),
    ("++", "--"),
    ("return true;", "return false;"),
    ("return false;", "return true;"),
    ("continue;", "break;"),
    (" = true;", " = false;"),
    (" = false;", " = true;"),
)
_NUMBER = re.compile(r"(?<![\w.'])(\d[\d']*)(?![\w.'])")


def tracked(*patterns: str) -> List[str]:
    """Names of the project's files, also of new ones."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in names if (ROOT / name).is_file()]


def copy_tree() -> None:
    """Brings the copy up to date; what it has built stays."""
    names = set(tracked())
    for old in COPY.rglob("*"):
        inside = old.relative_to(COPY)
        if old.is_file() and inside.parts[0] != "build" and str(inside) not in names:
            old.unlink()
    for name in names:
        source, target = ROOT / name, COPY / name
        if not target.is_file() or source.read_bytes() != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


def cpp_mutants(text: str) -> Iterator[Tuple[int, str]]:
    """Line number, from 0, and the changed line. Comments, the preprocessor and assertions are left alone."""
    for number, line in enumerate(text.splitlines()):
        code = line.split("//")[0]
        if code.lstrip().startswith(("#", "static_assert")):
            continue
        for old, new in SWAPS:
            at = code.find(old)
            while at >= 0:
                yield number, line[:at] + new + line[at + len(old) :]
                at = code.find(old, at + 1)
        for found in _NUMBER.finditer(code):
            more = str(int(found[1].replace("'", "")) + 1)
            yield number, line[: found.start()] + more + line[found.end() :]


def run(command: List[str], timeout_s: float) -> bool:
    """Whether the command succeeded within its time."""
    try:
        return subprocess.run(command, cwd=COPY, capture_output=True, timeout=timeout_s).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def mutate_cpp(path: str, most: int, seed: int) -> int:
    """Builds and runs the C++ tests for each mutant of one file; returns how many survived."""
    build = ["cmake", "--build", "build/native", "-j", "2", "--target", "inktop_tests"]
    tests = ["build/native/inktop_tests", "--abort-after=1"]
    # Its own tests are quick and notice most; all others are asked only then.
    own = [*tests, f"--source-file=*{Path(path).stem}_test.cpp"]
    if not (run(["cmake", "-S", ".", "-B", "build/native"], 300) and run(build, 1800)):
        sys.exit("the copy does not build: make build-tests shows why")
    if not run(tests, 900):
        sys.exit("tests fail without a mutant, or take longer than 15 minutes: build/native/inktop_tests")
    file = COPY / path
    text = file.read_text()
    mutants = list(cpp_mutants(text))
    random.Random(seed).shuffle(mutants)
    survivors = tried = 0
    try:
        for number, changed in mutants[:most]:
            lines = text.splitlines(keepends=True)
            before = lines[number]
            lines[number] = changed + "\n"
            file.write_text("".join(lines))
            if not run(build, 600):
                continue  # no mutant: it does not compile
            tried += 1
            if run(own, 120) and run(tests, 300):
                survivors += 1
                print(f"{path}:{number + 1}\n-{before.rstrip()}\n+{changed.rstrip()}\n", flush=True)
    finally:
        file.write_text(text)
    print(f"{path}: {tried} mutants, {survivors} survived", flush=True)
    return survivors


def tests_of(path: str) -> List[str]:
    """Files of tests in the module's room that import it, all of them where none does."""
    room, module = path.split("/", 1)
    dotted = module[: -len(".py")].replace("/", ".")
    package, _, name = dotted.rpartition(".")
    imports = re.compile(rf"{re.escape(dotted)}\b|from {re.escape(package)} import .*\b{name}\b")
    files = tracked(f"{room}/tests/*test_*.py")
    return [file for file in files if imports.search((ROOT / file).read_text())] or files


def mutate_python(path: str, tests: List[str], most: int, seed: int) -> int:
    """Runs the tests for each mutant that cosmic-ray makes of one module; returns how many survived."""
    from cosmic_ray.work_db import use_db
    from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult

    session = COPY / "mutants.sqlite"
    session.unlink(missing_ok=True)
    pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not soak", "-p", "no:cacheprovider", *tests]
    (COPY / "mutants.toml").write_text(
        "[cosmic-ray]\n"
        f"module-path = {json.dumps(path)}\n"
        "timeout = 120\n"
        "excluded-modules = []\n"
        f"test-command = {json.dumps(' '.join(repr(word) if ' ' in word else word for word in pytest))}\n"
        "[cosmic-ray.distributor]\n"
        'name = "local"\n'
    )

    def cosmic_ray(step: str, *more: str) -> None:
        # What the tests start must find the copy, not the installed package.
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(str(COPY / room) for room in ("collector", "protocol", "tools")),
            "INKTOP_HOST_LIB": str(ROOT / "build" / "native" / "libinktop_host.so"),
        }
        tool = str(Path(sys.executable).with_name("cosmic-ray"))
        command = [tool, step, "mutants.toml", *more]
        if subprocess.run(command, cwd=COPY, env=environment).returncode != 0:
            sys.exit(f"cosmic-ray {step} failed: do the tests pass without a mutant? {' '.join(tests)}")

    cosmic_ray("baseline")
    cosmic_ray("init", session.name)
    with use_db(str(session)) as work:
        items = list(work.work_items)
        random.Random(seed).shuffle(items)
        for item in items[most:]:
            work.set_result(item.job_id, WorkResult(worker_outcome=WorkerOutcome.SKIPPED))
    cosmic_ray("exec", session.name)
    with use_db(str(session)) as work:
        results = [result for _, result in work.results if result.worker_outcome == WorkerOutcome.NORMAL]
    survivors = [result for result in results if result.test_outcome == TestOutcome.SURVIVED]
    for result in survivors:
        print(result.diff + "\n")
    print(f"{path}: {len(results)} mutants, {len(survivors)} survived", flush=True)
    return len(survivors)


def main() -> int:
    """The command line; the exit status is 1 when a mutant survived."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", help="files of Python or C++; without any, all of the rooms")
    parser.add_argument("--tests", nargs="+", default=[], help="the tests to run for Python")
    parser.add_argument("--most", type=int, default=20, help="mutants of each file")
    parser.add_argument("--seed", type=int, default=1, help="chooses among them")
    args = parser.parse_args()
    paths = args.paths or tracked(*ROOMS)
    for path in paths:
        if not (ROOT / path).is_file() or Path(path).suffix not in (".py", ".cpp", ".h"):
            parser.error(f"{path} is no file of Python or C++ in this project")
    copy_tree()
    survivors = 0
    for path in paths:
        if path.endswith(".py"):
            survivors += mutate_python(path, args.tests or tests_of(path), args.most, args.seed)
        else:
            survivors += mutate_cpp(path, args.most, args.seed)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
