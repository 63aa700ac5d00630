"""The name by which a person knows a process: its container, its service, its program."""

from __future__ import annotations

import re
from typing import List

from ..files import Roots

#: Programs that say nothing of what they run.
INTERPRETERS = re.compile(r"^(python|pypy|node|java|ruby|perl|sh|bash|dash|uv)[0-9.]*$")
#: Names of containers in the path of a control group: LXC, systemd-nspawn, Podman's pods.
CONTAINERS = (
    re.compile(r"/lxc(?:\.payload)?[./]([^/]+)"),
    re.compile(r"/machine-([^/]+)\.scope"),
    re.compile(r"/systemd-nspawn@([^/]+)\.service"),
)
#: Docker and Podman write their number alone there: its beginning, as they list it.
NUMBERED = re.compile(r"/(?:docker|libpod|crio|cri-containerd)[-/]([0-9a-f]{12})[0-9a-f]{52}")
#: Units that are no services of their own.
SESSIONS = re.compile(r"^(user@\d+|sshd?@?.*|getty@.*|cron|containerd|docker)$")
MOST_CHARS = 15


def process_name(roots: Roots, pid: int) -> str:
    """Up to 15 characters; ``pid 4242`` of a process that is hidden."""
    program = _text(roots, pid, "comm")
    if not program:
        return f"pid {pid}"
    groups = _text(roots, pid, "cgroup")
    for pattern in CONTAINERS:
        found = pattern.search(groups)
        if found:
            return _unescaped(found[1])[:MOST_CHARS]
    if not INTERPRETERS.match(program):
        return program[:MOST_CHARS]
    return (_unit(groups) or _run_by(_text(roots, pid, "cmdline")) or _number(groups) or program)[:MOST_CHARS]


def _text(roots: Roots, pid: int, name: str) -> str:
    file = roots.proc(f"{pid}/{name}")
    text = file.read_text() or ""
    file.close()
    return text


def _unit(groups: str) -> str:
    for line in groups.splitlines():
        last = line.rsplit("/", 1)[-1]
        if last.endswith(".service"):
            unit = _unescaped(last[: -len(".service")])
            return "" if SESSIONS.match(unit) else unit
    return ""


def _number(groups: str) -> str:
    found = NUMBERED.search(groups)
    return found[1] if found else ""


def _run_by(command: str) -> str:
    """The module or script that an interpreter was told to run."""
    words: List[str] = command.split("\0")[1:]
    for at, word in enumerate(words):
        if word == "-m" and at + 1 < len(words):
            return words[at + 1].split(".")[0]
        if not word.startswith("-"):
            return word.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return ""


def _unescaped(unit: str) -> str:
    """systemd writes a dash within a name as ``\\x2d``."""
    return re.sub(r"\\x([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), unit)
