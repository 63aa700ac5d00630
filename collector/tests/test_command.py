"""The command as people run it: from a checkout, as one file, installed as a service."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Dict, Iterator, List, Optional

import pytest
from inktop_collector import install, pack
from inktop_collector.announce import NEVER, Announcer
from inktop_collector.boards import duration
from inktop_collector.config import Config
from inktop_collector.doctor import service_rows
from inktop_protocol import Announcement, Snapshot, verify_announcement
from inktop_protocol.decode import decode
from testkit.live import Client, free_port, wait
from testkit.nvidia import nvidia_card
from testkit.recorded import Machine
from testkit.trees import TREES

ROOM = Path(pack.__file__).resolve().parent.parent
KEY = "correct horse battery staple"


def run(
    *words: str, expect: int = 0, env: Optional[Dict[str, str]] = None
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=env)
    assert done.returncode == expect, done.stderr
    return done


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dist") / "inktop-collector.pyz"
    pack.build(path)
    return path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "machine")


def snapshot(line: str) -> Snapshot:
    decoded = decode(line.encode())
    assert isinstance(decoded, Snapshot)
    return decoded


def test_once_runs_from_a_checkout_with_nothing_installed(machine: Machine) -> None:
    done = run(sys.executable, "-I", "-S", str(ROOM), "once", "--interval", "0.1", *machine.flags())
    assert snapshot(done.stdout).host == "t7910"
    assert done.stdout.count("\n") == 1


def test_once_shows_this_machine() -> None:
    shown = snapshot(run(sys.executable, "-I", "-S", str(ROOM), "once", "--interval", "0.2").stdout)
    assert shown.cpus == os.cpu_count()
    assert shown.memory is not None
    assert shown.memory.used_milligib is not None


def test_the_one_file_runs_without_site_and_environment(archive: Path, machine: Machine) -> None:
    done = run(sys.executable, "-I", "-S", str(archive), "once", "--interval", "0.1", *machine.flags())
    assert snapshot(done.stdout).host == "t7910"


def pythons() -> List[str]:
    """Every Python 3.9 or newer on this machine, by its version: the system's and pyenv's."""
    found = {}
    for minor in range(9, 30):
        version = f"3.{minor}"
        places = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python3"))
        python = str(places[0]) if places else shutil.which(f"python{version}")
        # pyenv leaves a command of that name for versions that are not switched on: it only complains.
        if python and subprocess.run([python, "--version"], capture_output=True).returncode == 0:
            found[version] = python
    return list(found.values()) or [sys.executable]


@pytest.mark.parametrize("python", pythons())
def test_the_one_file_runs_under_every_python_that_is_here(
    archive: Path, machine: Machine, python: str
) -> None:
    done = run(python, "-I", "-S", str(archive), "once", "--interval", "0.1", *machine.flags())
    assert snapshot(done.stdout).host == "t7910"


def test_the_one_file_is_the_same_bytes_each_time(archive: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.pyz"
    os.utime(ROOM / "inktop_collector" / "cli.py")
    pack.build(again)
    digests = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (archive, again)}
    assert len(digests) == 1


def has_open(pid: int, path: Path) -> bool:
    """Whether the process holds the file."""
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            if link.readlink() == path:
                return True
    return False


def test_rates_are_over_the_interval(machine: Machine) -> None:
    """On a busy machine the interval may be longer than asked for, so that only its upper bound is sure."""
    counters = machine.procfs / "net/dev"
    text = counters.read_text()
    counters.unlink()
    os.mkfifo(counters)
    command = [sys.executable, "-I", "-S", str(ROOM), "once", "--interval", "2", *machine.flags()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        # Each sample opens the pipe: this end's open() returns when it does.
        counters.write_text(text)
        while has_open(process.pid, counters):
            assert process.poll() is None
        counters.write_text(text.replace(" 1000   1000", " 501000   1000"))
        shown = snapshot(process.communicate(timeout=30)[0])
    assert shown.network is not None
    assert 0 < (shown.network.received_bytes_s or 0) <= 252000


@pytest.mark.parametrize("name", sorted(TREES))
def test_the_right_line_for_a_folder_of_recorded_files(tmp_path: Path, name: str) -> None:
    """An R9700 pair, an RX 9070, a 7900 XTX, an APU, a suspended laptop GPU."""
    machine = Machine(tmp_path)
    make, expected = TREES[name]
    make(machine)
    done = run(sys.executable, "-I", "-S", str(ROOM), "once", "--interval", "0.1", *machine.flags())
    fields = dict(field.split("=", 1) for field in done.stdout.rpartition("*")[0].split("|"))
    assert {key: value for key, value in fields.items() if key[0] == "g"} == expected


def test_once_waits_for_a_card_that_hangs_until_it_is_stale(machine: Machine) -> None:
    machine.gpu("card0", "0000:03:00.0", {"mem_info_vram_total": "1\n"})
    os.mkfifo(machine.sysfs / "devices/pci0000:00/0000:03:00.0/gpu_busy_percent")
    done = run(sys.executable, "-I", "-S", str(ROOM), "once", "--interval", "0.1", *machine.flags())
    assert snapshot(done.stdout).gpus[0].state == "stale"


def test_a_sandbox_is_told_and_the_server_does_not_start(tmp_path: Path) -> None:
    machine = Machine(tmp_path, bare=True)
    done = run(sys.executable, str(ROOM), "serve", "--port", "0", *machine.flags(), expect=1)
    assert "ProcSubset" in done.stderr


class Served:
    """A collector in a process of its own."""

    def __init__(self, machine: Machine, folder: Path, *more: str) -> None:
        self.port = free_port()
        self.run_dir, self.state_dir = folder / "run", folder / "state"
        flags = ["--bind", "127.0.0.1", "--port", str(self.port), "--interval", "0.1", *machine.flags()]
        flags += ["--runtime-dir", str(self.run_dir), "--state-dir", str(self.state_dir), *more]
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(ROOM), "serve", *flags], stderr=subprocess.PIPE, text=True
        )
        assert self.process.stderr is not None
        assert "listening" in self.process.stderr.readline()

    def ask(self, *words: str, expect: int = 0) -> str:
        flags = ["--runtime-dir", str(self.run_dir), "--state-dir", str(self.state_dir)]
        return run(sys.executable, "-I", "-S", str(ROOM), *words, *flags, expect=expect).stdout

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(10)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code


@pytest.fixture
def served(machine: Machine, tmp_path: Path) -> Iterator[Served]:
    machine.gpu("card0", "0000:03:00.0", {"gpu_busy_percent": "1\n"})
    machine.gpu("card1", "0000:07:00.0", {"gpu_busy_percent": "2\n"})
    served = Served(machine, tmp_path)
    yield served
    if served.process.poll() is None:
        served.stop()


def test_boards_lists_who_is_connected(served: Served) -> None:
    client = Client(served.port)
    client.hello("desk")
    client.snapshot()
    wait(lambda: "desk" in served.ask("boards"))
    assert "1 board" in served.ask("boards")
    told = json.loads(served.ask("boards", "--json"))
    assert (told["port"], told["process"]) == (served.port, served.process.pid)
    (board,) = told["boards"]
    assert (board["id"], board["firmware"], board["rssi"], board["errors"]) == ("desk", "0.1.0", None, None)
    assert board["sent"] >= 1


def test_a_lost_card_is_lost_until_it_is_acknowledged(served: Served, machine: Machine) -> None:
    client = Client(served.port)
    client.hello("desk")
    client.snapshot()
    machine.remove("class/drm/card0")
    wait(lambda: [gpu.state for gpu in client.snapshot().gpus] == ["lost", "ok"])
    assert "acknowledged 1 event:" in served.ask("ack")
    wait(lambda: [gpu.index for gpu in client.snapshot().gpus] == [1])
    assert client.snapshot().events == ()


def test_a_stopped_collector_leaves_with_0_and_ack_works_without_it(served: Served, machine: Machine) -> None:
    client = Client(served.port)
    client.hello("desk")
    client.snapshot()
    machine.remove("class/drm/card0")
    wait(lambda: client.snapshot().gpus[0].state == "lost")
    assert served.stop() == 0
    assert client.ended()
    assert (
        "no collector"
        in run(sys.executable, str(ROOM), "boards", "--runtime-dir", str(served.run_dir), expect=1).stderr
    )
    assert "1 lost GPU forgotten" in served.ask("ack")
    assert "0000:07:00.0" in (served.state_dir / "gpus.tsv").read_text()
    assert "0000:03:00.0" not in (served.state_dir / "gpus.tsv").read_text()


def test_it_ends_at_once_although_a_read_hangs(machine: Machine, tmp_path: Path) -> None:
    machine.gpu("card0", "0000:03:00.0", {"mem_info_vram_total": "1\n"})
    os.mkfifo(machine.sysfs / "devices/pci0000:00/0000:03:00.0/gpu_busy_percent")
    served = Served(machine, tmp_path)
    client = Client(served.port)
    client.hello("desk")
    client.snapshot()
    started = time.monotonic()
    assert served.stop() == 0
    assert time.monotonic() - started < 1.0


def test_a_taken_port_is_one_line(served: Served, machine: Machine) -> None:
    command = [sys.executable, str(ROOM), "serve", "--bind", "127.0.0.1", "--port", str(served.port)]
    done = run(*command, *machine.flags(), expect=1)
    assert done.stderr.count("\n") == 1
    assert "is taken" in done.stderr


@pytest.mark.parametrize(
    ("seconds", "text"),
    [("5", "5 s"), ("61", "1 min"), ("7322", "2 h 2 min"), ("180000", "2 d 2 h"), ("-", "-")],
)
def test_a_duration_is_said_as_people_say_it(seconds: str, text: str) -> None:
    assert duration(seconds) == text


# -- doctor --


def test_doctor_says_what_is_found_and_why_the_rest_is_not(machine: Machine) -> None:
    machine.gpu(
        "card0",
        "0000:03:00.0",
        {"gpu_busy_percent": "!EOPNOTSUPP\n", "mem_info_vram_used": "1\n", "vendor": "0x1002\n"},
        {"name": "amdgpu\n", "temp1_input": "50000\n", "power1_average": "!EACCES\n"},
    )
    flags = ["--port", str(free_port()), "--runtime-dir", "/nowhere"]
    text = run(sys.executable, str(ROOM), "doctor", *machine.flags(), *flags).stdout
    rows = {
        line.split()[0] + " " + line.split()[1]: line for line in text.splitlines() if len(line.split()) > 1
    }
    assert "4 online" in rows["cpu 4"]
    assert "E5-2683 v4" in rows["cpu model"]
    assert "EOPNOTSUPP: the driver does not support it" in rows["busy unknown"]
    assert "EACCES: not allowed" in rows["power unknown"]
    assert "VRAM, edge" in rows["read VRAM,"]
    assert "no file" in rows["fan no"]
    assert "closed" in text
    assert "eno1" in text


def test_doctor_fails_in_a_sandbox(tmp_path: Path) -> None:
    machine = Machine(tmp_path, bare=True)
    done = run(sys.executable, str(ROOM), "doctor", *machine.flags(), "--runtime-dir", "/nowhere", expect=1)
    assert "ProcSubset" in done.stderr


def test_doctor_sees_a_card_that_hangs(machine: Machine) -> None:
    machine.gpu("card0", "0000:03:00.0", {"mem_info_vram_total": "1\n"})
    os.mkfifo(machine.sysfs / "devices/pci0000:00/0000:03:00.0/gpu_busy_percent")
    flags = ["--port", str(free_port()), "--runtime-dir", "/nowhere"]
    done = run(sys.executable, str(ROOM), "doctor", *machine.flags(), *flags, expect=1)
    assert "stale: a read hangs" in done.stdout


def test_doctor_names_the_interfaces_when_the_one_that_is_set_is_not_there(machine: Machine) -> None:
    flags = ["--port", str(free_port()), "--runtime-dir", "/nowhere"]
    command = [sys.executable, str(ROOM), "doctor", *machine.flags(), *flags]
    gone = run(*command, "--interface", "eth9", expect=1)
    assert "not there now: `interface` can be eno1\n" in gone.stdout
    assert "not there now" not in run(*command, "--interface", "eno1").stdout


def test_doctor_names_the_boards_setting_as_the_board_does(served: Served) -> None:
    wait(lambda: "on the board: `set servers`" in served.ask("doctor"))
    assert "| `servers` |" in (ROOM.parent / "firmware" / "README.md").read_text()


def test_doctor_sees_the_collector_that_runs(served: Served) -> None:
    client = Client(served.port)
    client.hello("desk")
    client.snapshot()
    time.sleep(1.2)
    text = served.ask("doctor")
    assert f"{served.port} answers" in text
    assert "desk" in text


def doctor(machine: Machine, *flags: str, expect: int = 0) -> Dict[str, Dict[str, object]]:
    """Rows of ``doctor --json`` by what they are about."""
    usual = ["--runtime-dir", "/nowhere", *([] if "--port" in flags else ["--port", str(free_port())])]
    command = [sys.executable, str(ROOM), "doctor", "--json", *machine.flags(), *usual, *flags]
    told = json.loads(run(*command, expect=expect).stdout)
    assert told["broken"] is (expect == 1)
    return {row["about"]: row for row in told["rows"]}


def test_doctor_tells_scripts_the_same(machine: Machine) -> None:
    machine.gpu("card0", "0000:03:00.0", {"gpu_busy_percent": "5\n"})
    rows = doctor(machine)
    assert rows["cpu"] == {"about": "cpu", "found": "4 online", "note": "", "broken": False}
    assert (rows["gpu 0"]["found"], rows["gpu 0"]["note"]) == ("AMD, 0000:03:00.0", "ok")


@pytest.mark.parametrize("power", ["active", "error"])
def test_doctor_fails_for_a_card_in_reset(machine: Machine, power: str) -> None:
    refused = {"name": "amdgpu\n", "temp1_input": "!EBUSY\n", "power1_average": "!EBUSY\n"}
    files = {"gpu_busy_percent": "!EBUSY\n", "power/runtime_status": f"{power}\n"}
    machine.gpu("card0", "0000:03:00.0", files, refused)
    assert "reset" in str(doctor(machine, expect=1)["gpu 0"])


def test_doctor_fails_for_a_card_that_is_lost(machine: Machine) -> None:
    machine.gpu("card0", "0000:03:00.0", {"gpu_busy_percent": "5\n"})
    (machine.sysfs / "devices/pci0000:00/0000:03:00.0/config").write_bytes(b"\xff" * 64)
    assert "lost" in str(doctor(machine, expect=1)["gpu 0"])


def test_doctor_fails_when_another_program_has_the_port(machine: Machine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        answer = threading.Thread(target=lambda: other.accept()[0].sendall(b"SSH-2.0-x\r\n"))
        answer.start()
        assert "another program" in str(doctor(machine, "--port", port, expect=1)["port"]["note"])
        answer.join()


@pytest.mark.parametrize("allow", ["10.0.0.0/8", "192.0.2.7"])
def test_doctor_knows_its_own_collector_although_loopback_is_not_allowed(
    machine: Machine, tmp_path: Path, allow: str
) -> None:
    served = Served(machine, tmp_path, "--allow", allow)
    rows = doctor(machine, "--port", str(served.port), "--allow", allow)
    assert rows["port"]["found"] == f"{served.port} answers"
    assert "may only ask who it is" in str(rows["allow"]["note"])
    # Nothing but who it is: the machine itself is not in the line, and no other follows.
    client = Client(served.port)
    info = client.info()
    assert (info.cpu_model, info.gpus, info.clock) == (None, (), None)
    assert client.ended()
    served.stop()


def test_doctor_asks_where_the_collector_listens(machine: Machine, tmp_path: Path) -> None:
    served = Served(machine, tmp_path, "--bind", "127.0.0.2", "--allow", "10.0.0.0/8")
    rows = doctor(machine, "--port", str(served.port), "--bind", "127.0.0.2")
    assert rows["port"]["found"] == f"{served.port} answers"
    served.stop()


def test_once_tells_scripts_the_same(machine: Machine) -> None:
    command = [sys.executable, str(ROOM), "once", "--json", "--interval", "0.1", *machine.flags()]
    told = json.loads(run(*command).stdout)
    assert (told["kind"], told["host"], told["cpus"]) == ("data", "t7910", 4)


UNIT_TEXT = "[Service]\nExecStart={} -I -S {} serve\n"


@pytest.mark.parametrize(
    ("python", "archive_name", "gone"),
    [
        (sys.executable, "there.pyz", ""),
        ("/usr/bin/python3.0", "there.pyz", "/usr/bin/python3.0"),
        (sys.executable, "gone.pyz", "gone.pyz"),
    ],
)
def test_doctor_sees_that_the_service_cannot_start(
    tmp_path: Path, python: str, archive_name: str, gone: str
) -> None:
    """A unit with /usr/bin/python3.11 is dead after an upgrade of the distribution."""
    (tmp_path / "there.pyz").touch()
    unit = tmp_path / "inktop-collector.service"
    unit.write_text(UNIT_TEXT.format(python, tmp_path / archive_name))
    (row,) = service_rows(unit)
    assert row.broken is bool(gone)
    assert gone in row.found
    assert ("nstall again" in row.note) is bool(gone)


def test_without_a_unit_there_is_no_service(tmp_path: Path) -> None:
    assert service_rows(tmp_path / "none") == []


# -- install --


def test_the_unit_names_no_version_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """/usr/bin/python3.11 is gone after an upgrade of the distribution, /usr/bin/python3 is not."""
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3.11")
    assert install.interpreter() == "/usr/bin/python3"


def test_a_system_python_that_is_too_old_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/opt/python/bin/python3")
    monkeypatch.setattr(subprocess, "run", lambda words, **_: subprocess.CompletedProcess(words, 1))
    assert install.interpreter() == "/opt/python/bin/python3"


def dry_run(archive: Path, *more: str) -> str:
    return run(sys.executable, "-I", "-S", str(archive), "install", "--dry-run", *more).stdout


def test_a_dry_run_shows_everything_and_changes_nothing(archive: Path) -> None:
    paths = [install.UNIT, install.ARCHIVE, install.COMMAND, install.KEY]
    before = [path.exists() for path in paths]
    key_file = archive.with_name("key")
    key_file.write_text(KEY)
    text = dry_run(archive, "--port", "7999", "--allow", "10.0.0.0/8", "--key-file", str(key_file))
    assert [path.exists() for path in paths] == before
    assert f"would copy {archive} to {install.ARCHIVE}" in text
    assert "port = 7999" in text
    assert "allow = 10.0.0.0/8" in text
    assert "LoadCredential=key:/etc/inktop/key" in text
    assert "would run systemctl enable inktop-collector.service" in text
    assert KEY not in text


def test_without_a_key_the_unit_asks_for_none(archive: Path) -> None:
    text = dry_run(archive)
    assert "LoadCredential" not in text
    assert "No key is set" in text


def test_a_key_that_is_there_stays_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "KEY", tmp_path / "key")
    install.KEY.write_text(KEY)
    steps = install.install_steps(Config(), {})
    unit = next(step for step in steps if str(install.UNIT) in step.text)
    assert f"LoadCredential=key:{install.KEY}" in unit.content
    assert not any(str(install.KEY) in step.text for step in steps)


def test_without_systemd_each_command_says_what_concerns_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_dir", lambda _: False)
    assert "inktop-collector serve" in str(install.blocked("install"))
    assert "no service of it is installed" in str(install.blocked("uninstall"))


def test_without_root_the_next_step_is_the_same_command_with_sudo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_dir", lambda _: True)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(sys, "argv", ["dist/inktop-collector.pyz"])
    assert "sudo python3 dist/inktop-collector.pyz uninstall" in str(install.blocked("uninstall"))


def test_uninstall_shows_what_it_removes(archive: Path) -> None:
    text = run(sys.executable, "-I", "-S", str(archive), "uninstall", "--dry-run").stdout
    assert f"would remove {install.UNIT}" in text
    assert "/etc/inktop" in text


def test_settings_given_again_replace_those_in_the_file() -> None:
    old = "[collector]\nport = 1\n# mine\ninterval = 2\n"
    text = install.merged(old, {"port": "3"}, ["port"])
    assert text == "[collector]\n# mine\ninterval = 2\nport = 3\n"


def test_the_settings_of_boards_stay_theirs_when_others_are_replaced() -> None:
    old = "[board]\nwash = 9\n[collector]\nport = 1\n[board desk]\nport = 5\n"
    text = install.merged(old, {"port": "3"}, ["port"])
    assert text == "[collector]\nport = 3\n[board]\nwash = 9\n[board desk]\nport = 5\n"


def test_every_step_of_an_install_is_done_and_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder instead of the root, with systemctl recorded instead of run."""
    said: List[str] = []

    def recorded(*words: str, may_fail: bool = False) -> install.Step:
        return install.Step("run " + " ".join(words), lambda: said.append(" ".join(words)))

    monkeypatch.setattr(install, "command", recorded)
    (tmp_path / "etc/avahi/services").mkdir(parents=True)
    for name in ("UNIT", "ARCHIVE", "COMMAND", "KEY", "AVAHI"):
        monkeypatch.setattr(install, name, tmp_path / str(getattr(install, name))[1:])
    monkeypatch.setattr(install, "CONFIG_FILE", str(tmp_path / "etc/inktop/collector.conf"))
    (tmp_path / "usr/local/bin").mkdir(parents=True)
    config = Config()
    config.key = KEY
    for step in install.install_steps(config, {"port": "7999"}):
        step.act()
    assert said == [
        f"systemctl {words}"
        for words in ("daemon-reload", f"enable {install.SERVICE}", f"restart {install.SERVICE}")
    ]
    assert install.KEY.read_text() == KEY + "\n"
    assert install.KEY.stat().st_mode & 0o777 == 0o600
    assert "port = 7999" in (tmp_path / "etc/inktop/collector.conf").read_text()
    assert "<port>7910</port>" in install.AVAHI.read_text()
    assert run(sys.executable, str(install.COMMAND), "--version").stdout
    for step in install.uninstall_steps():
        step.act()
    assert not any(path.exists() for path in (install.UNIT, install.ARCHIVE, install.COMMAND, install.AVAHI))
    assert install.KEY.exists()


@pytest.fixture(
    params=[
        (False, False, None),
        (True, False, None),
        (False, True, None),
        (True, True, None),
        (False, False, {"token_file": "/etc/inktop/token"}),
    ],
    ids=["tight", "NVIDIA", "processes", "NVIDIA and processes", "relay"],
)
def unit(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / install.SERVICE
    python = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
    nvidia, processes, relay = request.param
    path.write_text(install.unit_text(python, False, nvidia, processes, relay=relay))
    return path


needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="no systemd-analyze on this machine"
)


@needs_systemd
def test_systemd_finds_nothing_wrong_with_the_unit(unit: Path) -> None:
    """Pitfalls D1, D2: a unit with Restart=always, and nobody kills by name."""
    done = run("systemd-analyze", "verify", str(unit))
    assert done.stdout + done.stderr == ""
    assert "Restart=always" in unit.read_text()
    assert "WatchdogSec=" in unit.read_text()


@needs_systemd
def test_the_unit_is_hardened(unit: Path) -> None:
    done = run("systemd-analyze", "security", "--offline=true", "--threshold=20", str(unit))
    overall = next(line for line in done.stdout.splitlines() if "Overall exposure level" in line)
    score = float(overall.split(":")[1].split()[0])
    # What `install --see-processes` grants costs 0.7, and is asked for.
    assert score <= (2.0 if "CAP_SYS_PTRACE" in unit.read_text() else 1.5)


def test_nvidias_device_files_and_no_others_are_open_to_the_service_where_it_has_cards(
    tmp_path: Path,
) -> None:
    machine = Machine(tmp_path)
    config = machine.config()

    def unit_of() -> str:
        steps = install.install_steps(config, {})
        return next(step.content for step in steps if str(install.UNIT) in step.text)

    assert "PrivateDevices=yes\n" in unit_of()
    assert "DeviceAllow" not in unit_of()
    nvidia_card(machine, "0000:41:00.0", driver="nouveau")
    assert "PrivateDevices=no\nDeviceAllow=char-195 rw\n" in unit_of()
    assert "DevicePolicy=closed\n" in unit_of()


def test_processes_are_shown_to_the_service_only_when_that_was_asked_for(tmp_path: Path) -> None:
    config = Machine(tmp_path).config()

    def unit_of(**flags: str) -> str:
        steps = install.install_steps(config, flags)
        return next(step.content for step in steps if str(install.UNIT) in step.text)

    for setting in (
        "ProtectProc=invisible",
        "PrivateUsers=yes",
        "CapabilityBoundingSet=",
        "AmbientCapabilities=",
    ):
        assert f"\n{setting}\n" in unit_of()
        assert f"\n{setting}\n" not in unit_of(see_processes="yes")
    assert "AmbientCapabilities=CAP_SYS_PTRACE\n" in unit_of(see_processes="yes")
    done = run(sys.executable, "-I", "-S", str(ROOM), "install", "--see-processes", "--dry-run")
    assert "The service has CAP_SYS_PTRACE: it may look into every process" in done.stdout


def test_the_unit_lets_proc_be_read(unit: Path) -> None:
    """marcpope/borgbackupserver#485."""
    lines = unit.read_text().splitlines()
    assert "ProcSubset=all" in lines
    assert "ProcSubset=pid" not in lines


# -- announcement --


def announcer(key: str = "", **settings: object) -> tuple[Announcer, socket.socket]:
    listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listening.bind(("127.0.0.1", 0))
    listening.settimeout(2)
    config = Config()
    config.key = key
    for name, value in settings.items():
        setattr(config, name, value)
    targets = [("127.0.0.1", "127.0.0.1")]
    return Announcer(config, 7910, print, lambda: targets, listening.getsockname()[1]), listening


def test_a_collector_announces_where_it_is() -> None:
    speaking, listening = announcer()
    speaking.send(100.0, "t7910")
    line = listening.recv(2000)
    assert decode(line) == Announcement("t7910", "127.0.0.1", 7910)
    assert speaking.due_at == 105.0
    speaking.close()
    listening.close()


def test_boards_are_told_on_port_7910_whatever_port_the_collector_has() -> None:
    """Boards listen there before they know anything."""
    speaking = Announcer(Config(), 8000, print, lambda: [("192.0.2.1", "192.0.2.255")])

    class Recorded:
        sent: List[tuple[bytes, tuple[str, int]]] = []

        def sendto(self, line: bytes, where: tuple[str, int]) -> None:
            self.sent.append((line, where))

    speaking.close()
    speaking._socket = Recorded()  # type: ignore[assignment]
    speaking.send(0.0, "t7910")
    ((line, where),) = Recorded.sent
    assert where == ("192.0.2.255", 7910)
    assert decode(line) == Announcement("t7910", "192.0.2.1", 8000)


def test_with_a_key_the_announcement_is_signed() -> None:
    speaking, listening = announcer(KEY)
    speaking.send(0.0, "t7910")
    line = listening.recv(2000)
    assert verify_announcement(line, KEY)
    assert not verify_announcement(line, KEY + "!")
    speaking.close()
    listening.close()


def test_only_the_address_that_is_listened_on_is_announced() -> None:
    speaking, listening = announcer(bind="10.9.8.7")
    speaking.send(0.0, "t7910")
    listening.settimeout(0.2)
    with pytest.raises(socket.timeout):
        listening.recv(2000)
    speaking.close()
    listening.close()


@pytest.mark.parametrize("settings", [{"announce": False}, {"bind": "127.0.0.1"}, {"bind": "::1"}])
def test_what_no_board_could_reach_is_not_announced(settings: Dict[str, object]) -> None:
    speaking, listening = announcer(**settings)  # type: ignore[arg-type]
    assert speaking.due_at == NEVER
    listening.close()


def test_a_network_that_is_going_down_is_no_trouble() -> None:
    speaking, listening = announcer()

    def gone() -> list[tuple[str, str]]:
        raise OSError("no such device")

    speaking._targets = gone
    speaking.send(0.0, "t7910")
    listening.close()
    speaking.close()


def test_a_reader_that_has_seen_enough_is_no_error(machine: Machine) -> None:
    command = [sys.executable, "-I", "-S", str(ROOM), "install", "--dry-run"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(10) == 0


# -- nothing that happens to a terminal is a traceback --

READING = [
    ["once", "--interval", "0.1"],
    ["once", "--json", "--interval", "0.1"],
    ["doctor"],
    ["doctor", "--json"],
]


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
def test_a_full_disk_is_a_sentence(machine: Machine, arguments: List[str]) -> None:
    command = [sys.executable, "-I", "-S", str(ROOM), *arguments, *machine.flags()]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, "inktop-collector: No space left on device\n")


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
@pytest.mark.parametrize("closing", ["<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_traceback(machine: Machine, arguments: List[str], closing: str) -> None:
    command = [sys.executable, "-I", "-S", str(ROOM), *arguments, *machine.flags()]
    # exec: the shell's own streams stay as they are.
    script = f"exec {shlex.join(command)} {closing}"
    done = subprocess.run(["sh", "-c", script], stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_is_no_traceback_whenever_it_comes(machine: Machine) -> None:
    """From the first modules on to the wait for the second look."""
    command = [sys.executable, "-I", "-S", str(ROOM), "once", "--interval", "10", *machine.flags()]
    for tenths in range(1, 7):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(tenths / 10)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=30)
        assert process.returncode != 0
        # Before the program can say what Ctrl-C does, the interpreter itself may say where it was.
        assert "inktop_collector" not in said or "import signal" in said, said
