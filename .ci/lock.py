"""Writes .ci/locked/: for each extra of pyproject.toml the versions with hashes that .ci/venv.sh installs.

All extras are resolved together, so that any of them go into one environment. Run by `make constraints`.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import List

PROJECT = Path(__file__).resolve().parent.parent
LOCKED = PROJECT / ".ci" / "locked"
#: The oldest Python for which they are meant; an older one takes what pyproject.toml allows.
PYTHON = "3.11"
#: What makes the environment itself, and builds this project in it.
TOOLS = "pip\nsetuptools>=77\nwheel\n"


def extras() -> List[str]:
    """Names of the extras."""
    text = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    table = text.split("[project.optional-dependencies]\n")[1].split("\n[")[0]
    return re.findall(r"^(\w+) = \[", table, re.MULTILINE)


def compile_to(path: Path, *what: str) -> None:
    """One file of versions with hashes, without a word of where they came from."""
    options = ["--universal", "--python-version", PYTHON, "--generate-hashes", "--no-header", "--no-annotate"]
    options += ["--no-emit-index-url", "--no-emit-find-links", "--upgrade"]
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([uv, "pip", "compile", "-q", *options, *what, "-o", path], cwd=PROJECT, check=True)


def main() -> int:
    """Resolves all, then each; the exit code."""
    LOCKED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        together, tools = Path(folder, "all.txt"), Path(folder, "tools.in")
        tools.write_text(TOOLS)
        compile_to(together, "pyproject.toml", str(tools), "--all-extras")
        # Without hashes it only says which versions: uv wants those of a constraint to be whole otherwise.
        versions = re.findall(r"^([^\s#].*?==.*?) \\$", together.read_text(), re.MULTILINE)
        together.write_text("\n".join(versions) + "\n")
        for extra in extras():
            compile_to(LOCKED / f"{extra}.txt", "pyproject.toml", "--extra", extra, "-c", str(together))
        compile_to(LOCKED / "base.txt", "pyproject.toml", "-c", str(together))
        compile_to(LOCKED / "tools.txt", str(tools), "-c", str(together))
    print(f"{LOCKED.relative_to(PROJECT)}: {len(list(LOCKED.iterdir()))} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
