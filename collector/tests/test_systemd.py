"""The installed service under a real systemd, which runs in namespaces of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator

import pytest
from inktop_collector.install import ARCHIVE, COMMAND, KEY, SERVICE, UNIT
from inktop_protocol import Hello, Snapshot, decode, encode_hello
from testkit.live import wait
from testkit.systemd_box import Box

PROJECT = Path(__file__).resolve().parents[2]
PYZ = PROJECT / "dist" / "inktop-collector.pyz"
PYTHON = "/usr/bin/python3"
SECRET = "correct horse battery staple"
#: A board's hello, and the lines until the first with data, or the one that asks for the key.
HELLO = encode_hello(Hello("desk", "0.1.0"))
FIRST_LINES = f"""
import socket, sys
peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=10)
peer.sendall({HELLO!r})
lines = peer.makefile("rb")
while True:
    line = lines.readline().decode()
    print(line, end="")
    if not line or line.startswith(("h=", "fleet=")) or "nonce=" in line:
        break
"""


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    if not Path(PYTHON).exists() or not PYZ.exists():
        pytest.skip(f"needs {PYTHON} and `make pyz`")
    try:
        box = Box(tmp_path_factory.mktemp("box"))
    except OSError as why:
        pytest.skip(str(why))
    yield box
    box.close()


def install(box: Box, *flags: str, umask: str = "022") -> None:
    done = box.run("sh", "-c", f'umask {umask}; exec {PYTHON} -I -S {PYZ} install "$@"', "sh", *flags)
    assert done.returncode == 0, done.stdout + done.stderr


def lines(box: Box, port: int = 7910) -> str:
    done = box.run(PYTHON, "-I", "-S", "-c", FIRST_LINES, str(port))
    assert done.returncode == 0, done.stderr + box.run("journalctl", "-u", SERVICE, "--no-pager").stdout
    return done.stdout


@pytest.mark.parametrize("umask", ["022", "077", "000"])
def test_the_service_starts_sends_lines_and_is_taken_out_again(box: Box, umask: str) -> None:
    install(box, umask=umask)
    assert box.shows(SERVICE, "ActiveState") == "active"
    assert lines(box).startswith("info=1|")
    wait(lambda: box.run(str(COMMAND), "boards").returncode == 0, 10)
    assert box.shows(SERVICE, "Result") == "success"
    done = box.run(str(COMMAND), "uninstall")
    assert done.returncode == 0, done.stdout + done.stderr
    assert box.shows(SERVICE, "LoadState") == "not-found"
    left = box.run("ls", "-d", str(UNIT), str(COMMAND), str(ARCHIVE), "/var/lib/private/inktop").stdout
    assert left.split() == ["/var/lib/private/inktop"]


def test_the_service_sees_this_machine_from_within_its_walls(box: Box) -> None:
    install(box)
    said = lines(box).encode().splitlines(keepends=True)
    assert b"cpu=" in said[0]
    line = decode(said[-1])
    assert isinstance(line, Snapshot)
    assert line.memory is not None
    assert None not in (line.cpu_permille, line.memory.total_milligib, line.uptime_s)
    told = json.loads(box.run(str(COMMAND), "doctor", "--json").stdout)
    assert told, "doctor says something"
    box.run(str(COMMAND), "uninstall")


def test_a_service_that_was_killed_is_back_and_one_that_is_stopped_ends_at_once(box: Box) -> None:
    install(box)
    pid = box.shows(SERVICE, "MainPID")
    box.run("kill", "-KILL", pid)
    wait(
        lambda: (
            box.shows(SERVICE, "MainPID") not in ("0", pid) and box.shows(SERVICE, "ActiveState") == "active"
        )
    )
    assert box.shows(SERVICE, "MainPID") not in ("0", pid)
    assert lines(box).startswith("info=1|")
    box.run("systemctl", "stop", SERVICE)
    assert (box.shows(SERVICE, "ActiveState"), box.shows(SERVICE, "Result")) == ("inactive", "success")
    box.run(str(COMMAND), "uninstall")


def test_a_key_reaches_the_service_as_a_credential_and_strangers_learn_nothing(box: Box) -> None:
    box.run("sh", "-c", f"umask 077; echo '{SECRET}' > /var/key")
    install(box, "--key-file", "/var/key", "--port", "7911")
    assert box.run("stat", "-c", "%a", str(KEY)).stdout.strip() == "600"
    first = lines(box, 7911).split("\n")[0]
    assert "nonce=" in first
    assert "cpu=" not in first
    assert SECRET not in box.run("cat", f"/proc/{box.shows(SERVICE, 'MainPID')}/environ").stdout
    box.run(str(COMMAND), "uninstall")
    box.run("rm", "-rf", "/etc/inktop")


def test_the_relay_runs_as_the_service_with_a_token_that_only_root_can_read(box: Box) -> None:
    box.run("sh", "-c", "mkdir -p /etc/inktop; umask 077; echo s3cret > /etc/inktop/token")
    settings = "[relay]\\nengine = http://127.0.0.1:9\\nfleet = rack7\\ntoken_file = /etc/inktop/token\\n"
    box.run("sh", "-c", f"printf '{settings}' > /etc/inktop/collector.conf")
    install(box, "--relay")
    assert box.shows(SERVICE, "ActiveState") == "active"
    assert "fleet=1|h=rack7|" in lines(box)
    assert box.run(str(COMMAND), "boards").returncode == 0
    box.run(str(COMMAND), "uninstall")
    box.run("rm", "-rf", "/etc/inktop")
