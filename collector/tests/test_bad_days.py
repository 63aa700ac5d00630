"""A bad day: damaged files, nothing left to open, start or write with. The line goes on."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Dict, List

import pytest
from inktop_collector import doctor as doctor_module
from inktop_collector import interfaces, readers
from inktop_collector.files import File
from inktop_collector.log import LogLimit, StderrLog
from inktop_collector.notify import Notifier
from inktop_collector.sampler import Sampler
from inktop_collector.server import loop as loop_module
from inktop_collector.sources.source import Row
from inktop_collector.state import KnownGpu, KnownGpus, replace_file
from inktop_collector.status import read_status
from inktop_protocol import Snapshot
from testkit.live import LiveServer, open_files, threads, wait
from testkit.recorded import Machine, Sampling

ODD = "Radeon \udcff\udcfe\x1b[2J\tpro"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "machine")


def add_card(machine: Machine, card: str = "card0", address: str = "0000:03:00.0") -> None:
    files = {"gpu_busy_percent": "50\n", "mem_info_vram_total": "8589934592\n"}
    machine.gpu(card, address, files, {"name": "amdgpu\n", "temp1_input": "50000\n"})


def release(path: Path) -> None:
    """Ends the read that hangs in that pipe, if one still does."""
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))


# -- text from outside --


def test_a_product_name_that_is_not_utf8_reaches_the_line_and_the_state_file(
    machine: Machine, tmp_path: Path
) -> None:
    add_card(machine)
    machine.device("0000:03:00.0", "product_name", ODD + "\n")
    live = LiveServer(machine, state_dir=str(tmp_path / "state"))
    client = live.board()
    client.snapshot()
    saved = tmp_path / "state/gpus.tsv"
    live.wait(lambda: saved.exists() and "Radeon" in saved.read_text())
    assert saved.read_text() == "0000:03:00.0\tRadeon ???[2J?pro\tdiscrete\t0\n"
    assert client.snapshot().gpus[0].state == "ok"
    live.stop()


def test_an_interface_name_that_is_not_utf8_keeps_nobody_from_announcing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(interfaces, "names_in", lambda folder: ["en\udcff0"])
    assert interfaces.broadcast_targets() == []


def test_doctor_prints_no_control_characters(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Sampler, "doctor", lambda self: [Row("gpu 0", ODD)])
    doctor_module.doctor(machine.config())
    shown = capsys.readouterr().out
    assert "Radeon ???[2J?pro" in shown
    assert "\x1b" not in shown


# -- the state file --


@pytest.mark.parametrize(
    "damage",
    [
        "0000:09:00.0\tRadeon\tdiscrete\t\u00b2\n",
        "0000:09:00.0\tRadeon\tdiscrete\t" + "1" + "0" * 20 + "\n",
        "0000:09:00.0\tRadeon\tdiscrete\t" + "7" * 5000 + "\n",
        "".join(f"card{n}\tRadeon\tdiscrete\t1700000000\n" for n in range(20_000)),
        "x" * 3_000_000,
        "\0" * 5000,
    ],
    ids=["superscript", "10^20", "5000-digits", "20000-rows", "one-long-line", "zeros"],
)
def test_a_damaged_state_file_is_left_out_and_the_cards_are_there(
    machine: Machine, tmp_path: Path, damage: str
) -> None:
    add_card(machine)
    state = tmp_path / "state"
    state.mkdir()
    (state / "gpus.tsv").write_text("0000:03:00.0\tRadeon\tdiscrete\t0\n" + damage)
    live = LiveServer(machine, state_dir=str(state))
    snapshot = live.board().snapshot()
    assert snapshot.gpus[0].busy_percent == 50
    assert len(live.server.sampler.gpus.slots) <= 64
    assert live.logged("damaged lines are left out")
    live.stop()


def test_a_damaged_status_file_is_no_status(tmp_path: Path) -> None:
    (tmp_path / "status.tsv").write_text(f"collector\t{'9' * 5000}\t1\t7910\t1\n")
    assert read_status(str(tmp_path)) is None


def test_a_file_is_on_the_disk_before_its_name_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: List[str] = []
    sync, rename = os.fsync, os.replace

    def syncing(fd: int) -> None:
        done.append("fsync")
        sync(fd)

    def renaming(old: str, new: str) -> None:
        done.append("rename")
        rename(old, new)

    monkeypatch.setattr(os, "fsync", syncing)
    monkeypatch.setattr(os, "replace", renaming)
    assert replace_file(str(tmp_path / "gpus.tsv"), "x\n") is None
    assert done == ["fsync", "rename"]


def test_a_file_that_cannot_be_written_leaves_no_half_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(fd: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    known = KnownGpus(str(tmp_path), lambda text: None)
    known.save([KnownGpu("0000:03:00.0", "Radeon", False, 0)])
    assert list(tmp_path.iterdir()) == []


# -- nothing left to open, to start or to write with --


def test_the_watchdog_is_fed_while_no_file_may_be_opened(tmp_path: Path) -> None:
    import socket

    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(path)
        systemd.settimeout(2)
        notifier = Notifier({"NOTIFY_SOCKET": path})
        notifier.ready(7910)
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
        try:
            notifier.alive()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        assert systemd.recv(200).startswith(b"READY=1")
        assert systemd.recv(200) == b"WATCHDOG=1"
        notifier.close()


def test_cards_are_not_lost_while_no_file_may_be_opened(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_card(machine)
    monkeypatch.setattr("inktop_collector.sources.gpu.slots.SCAN_EVERY_S", 0.05)
    live = LiveServer(machine)
    client = live.board()
    assert client.snapshot().gpus[0].state == "ok"
    real = os.listdir

    def none_left(path: str) -> List[str]:
        if str(path).startswith(str(machine.sysfs)):
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return real(path)

    monkeypatch.setattr(os, "listdir", none_left)
    states = {client.snapshot().gpus[0].state for _ in range(8)}
    assert states == {"ok"}
    monkeypatch.undo()
    live.stop()
    assert not live.logged("-> lost")


def test_cards_that_could_not_be_looked_for_at_the_start_are_found_later(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_card(machine)
    (tmp_path / "gpus.tsv").write_text("0000:03:00.0\tRadeon\tdiscrete\t0\n")
    monkeypatch.setattr("inktop_collector.sources.gpu.slots.SCAN_EVERY_S", 0.05)
    real = os.listdir

    def none_left(path: str) -> List[str]:
        if str(path).startswith(str(machine.sysfs)):
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return real(path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "listdir", none_left)
        live = LiveServer(machine, state_dir=str(tmp_path))
        client = live.board()
        assert client.snapshot().gpus == ()
    live.wait(lambda: len(live.server.sampler.gpus.slots) == 1)
    client.snapshot()
    assert {client.snapshot().gpus[0].state for _ in range(3)} == {"ok"}
    live.stop()


def test_without_another_thread_the_rest_is_read_and_the_log_says_so_once(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(4):
        add_card(machine, f"card{number}", f"0000:0{number + 3}:00.0")
    monkeypatch.setattr(readers, "NO_THREAD", readers.NoThread())
    start = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name in ("gpu 0000:05:00.0", "gpu 0000:06:00.0"):
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    live = LiveServer(machine)
    client = live.board()
    client.snapshot()
    assert [gpu.busy_percent for gpu in client.snapshot().gpus] == [50, 50, None, None]
    monkeypatch.undo()
    live.wait(lambda: [gpu.busy_percent for gpu in client.snapshot().gpus] == [50] * 4)
    live.stop()
    assert capsys.readouterr().err.count("no more threads may be started") == 1


def test_without_another_file_a_reader_waits_for_one_and_leaves_none_open(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(readers, "NO_THREAD", readers.NoThread())

    def none_left() -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    reader = readers.Reader("a card", lambda: 7)
    before = open_files()
    with monkeypatch.context() as patch:
        patch.setattr(os, "pipe", none_left)
        readers.Round(lambda: None).begin([reader])
    assert reader.value is None
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        readers.Round(lambda: None).begin([reader])
    assert open_files() <= before
    readers.Round(lambda: None).begin([reader])
    wait(lambda: reader.value == 7)
    reader.stop()
    wait(lambda: open_files() <= before)
    assert capsys.readouterr().err.count("a card is not read") == 1


@pytest.mark.parametrize("hangs", [False, True])
def test_a_reader_that_was_stopped_ends_closes_its_files_and_is_not_begun_again(hangs: bool) -> None:
    go_on = threading.Event()

    def read() -> None:
        if hangs:
            go_on.wait(10)

    before = (open_files(), threads())
    answered: List[str] = []
    reader = readers.Reader("a card", read)
    readers.Round(lambda: answered.append("begun")).begin([reader])
    wait(lambda: hangs or reader.answered_at is not None)
    reader.stop()
    reader.stop()
    go_on.set()
    wait(lambda: (open_files(), threads()) == before)
    assert not reader.begin(time.monotonic(), readers.Round(lambda: None))
    assert answered == ([] if hangs else ["begun"])


@pytest.mark.parametrize("where", ["full disk", "closed pipe"])
def test_a_log_that_cannot_be_written_ends_nothing(machine: Machine, where: str) -> None:
    code = (
        "import sys, time\n"
        "from inktop_collector.log import log_to_stderr\n"
        "time.sleep(0.2)\n"
        "for n in range(300): log_to_stderr(f'line {n} ' + 'x' * 100)\n"
        "print('goes on')\n"
    )
    command = [sys.executable, "-c", code]
    path = os.pathsep.join(sys.path)
    environment = {**os.environ, "PYTHONPATH": path}
    if where == "full disk":
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(command, stderr=full, stdout=subprocess.PIPE, env=environment, timeout=30)
    else:
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(command, stderr=writing, stdout=subprocess.PIPE, env=environment, timeout=30)
        os.close(writing)
    assert done.stdout == b"goes on\n"


def test_a_log_that_works_again_says_how_much_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    written: List[str] = []

    class Disk:
        full = True

        def write(self, text: str) -> None:
            if self.full:
                raise OSError(errno.ENOSPC, "No space left on device")
            written.append(text)

        def flush(self) -> None:
            return

    disk = Disk()
    monkeypatch.setattr(sys, "stderr", disk)
    log = StderrLog()
    log("first")
    log("second")
    disk.full = False
    log("third\x1b[31m")
    assert written == ["2 lines of the log could not be written\nthird?[31m\n"]


def test_a_deadline_that_passes_between_two_looks_at_the_clock_ends_the_first_look(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock jumps past the deadline after the loop's condition has been checked."""
    config = machine.config(bind="127.0.0.1", port=0, announce=False)
    server = loop_module.Server(config, lambda text: None)
    looks = iter([0.0, 0.0, 0.9])

    class Clock:
        @staticmethod
        def monotonic() -> float:
            return next(looks, 1.5)

    monkeypatch.setattr(loop_module, "time", Clock)
    monkeypatch.setattr(server, "_begin", lambda now: setattr(server, "_sampling", True))
    server._first_look()
    monkeypatch.undo()
    server.close()


# -- what comes and goes --


def test_a_card_that_comes_and_goes_while_its_reads_hang_leaves_one_thread(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_card(machine)
    monkeypatch.setattr("inktop_collector.sources.gpu.slots.SCAN_EVERY_S", 0.0)
    sampling = Sampling(machine)
    sampling.round()
    path = machine.sysfs / "devices/pci0000:00/0000:03:00.0/gpu_busy_percent"
    path.unlink()
    os.mkfifo(path)
    before = threads()
    for _ in range(12):
        machine.remove("class/drm/card0")
        sampling.sampler.begin()
        time.sleep(0.02)
        sampling.sampler.snapshot()
        machine.link("class/drm/card0", "../../devices/pci0000:00/0000:03:00.0/drm/card0")
        sampling.sampler.begin()
        time.sleep(0.05)
        sampling.sampler.begin()
        sampling.sampler.snapshot()
    assert threads() <= before + 1
    release(path)
    sampling.sampler.close()


def test_a_file_that_nobody_has_any_more_is_closed(tmp_path: Path) -> None:
    (tmp_path / "value").write_text("1\n")
    file = File(str(tmp_path / "value"), live=True)
    assert file.read_int() == 1
    fd = file._fd
    os.fstat(fd)
    del file
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)


# -- one hung file is one value --


def test_a_file_that_hangs_takes_no_other_value_with_it(tmp_path: Path) -> None:
    """A machine for each, at once, since each needs seconds until its file counts as hung."""
    files = (
        "net/dev",
        "vmstat",
        "cpuinfo",
        "sys/kernel/hostname",
        "uptime",
        "loadavg",
        "self/mountinfo",
        "diskstats",
    )
    pipes, servers = [], []
    for number, name in enumerate(files):
        machine = Machine(tmp_path / str(number))
        path = machine.procfs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        pipes.append(path)
        servers.append(LiveServer(machine))
    clients = [live.board() for live in servers]
    last: Dict[str, Snapshot] = {}
    end = time.monotonic() + 4.5
    while time.monotonic() < end:
        last = {name: client.snapshot() for name, client in zip(files, clients)}
    for live in servers:
        live.stop()
    for name, snapshot in last.items():
        known = {
            "cpu": snapshot.cpus == 4,
            "memory": snapshot.memory is not None and snapshot.memory.used_milligib is not None,
            "loadavg": snapshot.load_centi is not None,
            "net/dev": snapshot.network is not None and snapshot.network.received_bytes_s is not None,
            "uptime": snapshot.uptime_s is not None,
        }
        assert [value for value, there in known.items() if not there] == [v for v in known if v == name], name
    for path in pipes:
        release(path)


def test_all_sources_share_one_thread_while_none_hangs(machine: Machine) -> None:
    sampling = Sampling(machine)
    sampling.round()
    assert [reader.name for reader in sampling.sampler.system.readers(time.monotonic())] == ["system"]
    sampling.sampler.close()


# -- the log --


def test_one_client_s_lines_of_a_kind_are_bounded_and_leave_room_for_others() -> None:
    lines: List[str] = []
    limit = LogLimit(lines.append)
    for number in range(2000):
        limit(f"health {number}", 100.0, "health", "203.0.113.9")
    limit("health of another", 100.0, "health", "192.0.2.1")
    limit("a hello", 100.0, "hellos", "203.0.113.9")
    assert lines == [*(f"health {n}" for n in range(5)), "health of another", "a hello"]
    limit.tick(111.0)
    assert lines[-1] == "1995 more lines about health left out"


def test_a_board_that_reports_new_trouble_all_the_time_does_not_fill_the_log(machine: Machine) -> None:
    from inktop_protocol import Count, Health, encode_health

    live = LiveServer(machine)
    client = live.board("desk")
    client.snapshot()
    for number in range(40):
        client.socket.sendall(
            encode_health(Health("desk", 1, 2, 3, -61, 4, 5, (Count("lines", number + 1),), 6, (), 7))
        )

    def counts() -> List[int]:
        return [b.health.refresh_errors[0].count for b in live.server.boards.values() if b.health]

    live.wait(lambda: counts() == [40])
    assert len(live.logged("health: desk")) <= 5
    live.stop()
