"""The serial monitor on pseudo-terminals: lines, hints, and a port that goes away and comes back."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Callable, Iterator, List

import pytest
from inktop_protocol.encode import close_line
from inktop_tools.device import monitor, serial_ports
from inktop_tools.device.monitor import LineCutter, Options, Watcher
from inktop_tools.device.serial_ports import Machine
from inktop_tools.errors import InktopError


class FakeBoard:
    """A pseudo-terminal behind a fixed name, that can be pulled and plugged in again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.leader = -1
        self.plug_in()

    def plug_in(self) -> None:
        self.leader, follower = os.openpty()
        # The follower stays open here, as a real port stays there while nobody has it open.
        self.follower = follower
        self.path.unlink(missing_ok=True)
        self.path.symlink_to(os.ttyname(follower))

    def pull(self) -> None:
        self.path.unlink(missing_ok=True)
        os.close(self.follower)
        os.close(self.leader)

    def say(self, data: bytes) -> None:
        os.write(self.leader, data)


class RunningMonitor:
    """A monitor running in a thread; ends with its `seconds`, at the latest."""

    def __init__(self, board: FakeBoard, **options: object) -> None:
        self.shown: List[str] = []
        settings = Options(port=str(board.path), seconds=20, retry_s=0.02)
        for name, value in options.items():
            setattr(settings, name, value)
        self.options = settings
        self.status: List[int] = []
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        self.wait_for("baud")

    def _run(self) -> None:
        machine = Machine(Path("/nowhere"), Path("/nowhere"), Path("/nowhere"))
        self.status.append(monitor.follow(self.options, machine, self.shown.append, ports=lambda: []))

    def wait_for(self, text: str) -> str:
        return self.wait_until(lambda line: text in line, text)

    def wait_until(self, fits: Callable[[str], bool], what: str) -> str:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            for line in list(self.shown):
                if fits(line):
                    return line
            time.sleep(0.005)
        raise AssertionError(f"{what!r} was not shown: {self.shown}")


@pytest.fixture
def board(tmp_path: Path) -> Iterator[FakeBoard]:
    fake = FakeBoard(tmp_path / "ttyUSB0")
    yield fake
    fake.pull()


def test_lines_come_with_the_time_and_end_with_the_given_seconds(board: FakeBoard) -> None:
    running = RunningMonitor(board, seconds=1.0)
    board.say(b"inktop 0.1.0\r\nsecond")
    board.say(b" line\n")
    line = running.wait_for("inktop 0.1.0")
    assert line[2] == line[5] == ":"
    assert line[8] == "."
    running.wait_for("second line")
    running.thread.join(10)
    assert running.status == [0]


def test_a_port_that_vanishes_is_waited_for_and_followed_again(board: FakeBoard) -> None:
    """PITFALLS A2: a refresh can throw the CH340 off the bus."""
    running = RunningMonitor(board, timestamps=False)
    board.say(b"before\nhalf a li")
    running.wait_for("before")
    board.pull()
    running.wait_for("went away")
    running.wait_for("5 V / 2 A")
    running.wait_for("half a li")
    board.plug_in()
    running.wait_for("is back")
    board.say(b"after\n")
    running.wait_until(lambda line: line == "after", "after, alone: not glued to the half line")


def test_a_line_without_an_end_is_shown_after_a_moment(board: FakeBoard) -> None:
    running = RunningMonitor(board, timestamps=False)
    board.say(b"prompt> ")
    running.wait_until(lambda line: line == "prompt> ", "the prompt")


def test_the_rom_loader_waiting_for_download_asks_for_rst(board: FakeBoard) -> None:
    """PITFALLS A3: after flashing, the chip stays in the ROM loader."""
    running = RunningMonitor(board)
    board.say(b"rst:0x1 (POWERON),boot:0x0 (DOWNLOAD(USB/UART0))\r\nwaiting for download\r\n")
    running.wait_for("press RST")


def test_a_log_file_gets_what_is_shown(board: FakeBoard, tmp_path: Path) -> None:
    log = tmp_path / "board.log"
    running = RunningMonitor(board, log=log, seconds=1.0)
    board.say(b"kept\n")
    running.wait_for("kept")
    running.thread.join(10)
    assert log.read_text().rstrip().endswith("kept")


def test_silence_is_explained_once(board: FakeBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitor, "SILENT_AFTER_S", 0.2)
    running = RunningMonitor(board, seconds=2.0)
    running.wait_for("press RST")
    running.thread.join(10)
    assert sum("press RST" in line for line in running.shown) == 1


def test_ctrl_c_ends_the_monitor_without_an_error(board: FakeBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        in_waiting = 0
        closed = False

        def read(self, size: int) -> bytes:
            raise KeyboardInterrupt

        def close(self) -> None:
            self.closed = True

    port = Interrupted()
    machine = Machine(Path("/nowhere"), Path("/nowhere"), Path("/nowhere"))
    options = Options(port=str(board.path))
    status = monitor.follow(options, machine, lambda text: None, open_port=lambda *a: port, ports=lambda: [])
    assert status == 0
    assert port.closed


def test_no_port_at_the_start_is_an_error_with_the_next_step(tmp_path: Path) -> None:
    machine = Machine(tmp_path, tmp_path, tmp_path / "os-release")
    with pytest.raises(InktopError, match="Plug in the board's USB cable"):
        monitor.follow(Options(), machine, lambda text: None, ports=lambda: [])


def test_the_port_is_opened_the_quiet_way_by_default() -> None:
    """PITFALLS A4: the monitor must go through the opener that keeps DTR and RTS low."""
    assert serial_ports.open_quietly in (monitor.follow.__defaults__ or ())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("E BOD: Brownout detector was triggered", "5 V / 2 A"),
        ("invalid header: 0xffffffff", "inktop flash"),
        ("rst:0x7 (TG0WDT_SYS_RST),boot:0x8 (SPI_FAST_FLASH_BOOT)", "watchdog"),
        ("Guru Meditation Error: Core  1 panic'ed (LoadProhibited)", "addr2line"),
        ("wifi status: WL_NO_SSID_AVAIL", "2.4 GHz"),
        ("inktop: wifi: connection lost (reason 2)", "normal when Wi-Fi is up next"),
        ("inktop: wifi: wrong password (reason 15)", "normal when Wi-Fi is up next"),
        ("E (5120) epdiy: Power enable failed! PG status: 2", "flat cable"),
        ("inktop: panel power: the supply did not come up, 1 times in a row", "v7_nopmic"),
        ("E (217) opi psram: PSRAM ID read error: 0x00000000", "qio_opi"),
    ],
)
def test_a_known_log_line_is_explained_once(line: str, words: str) -> None:
    watcher = Watcher()
    first = watcher.lines(line)
    assert first[0] == line
    assert any(words in extra for extra in first[1:])
    assert watcher.lines(line) == [line]


def test_a_disturbed_transfer_is_not_called_a_supply_that_did_not_come_up() -> None:
    lines = Watcher().lines(
        "inktop: panel power: the power chip did not answer on its I2C bus, 1 times in a row"
    )
    assert len(lines) == 2
    assert "disturbed" in lines[1]


def test_a_refresh_that_did_not_end_is_told_from_a_supply_that_did_not_come_up() -> None:
    lines = Watcher().lines("inktop: panel: the last refresh did not end, 1 times in a row")
    assert len(lines) == 2
    assert "lost its feed" in lines[1]


def test_a_normal_start_gets_no_hint() -> None:
    watcher = Watcher()
    for line in (
        "inktop: wifi: SSID not found: the board sees 2.4 GHz networks only (reason 201)",
        "ESP-ROM:esp32s3-20210327",
        "rst:0x1 (POWERON),boot:0x8 (SPI_FAST_FLASH_BOOT)",
        "load:0x3fce3808,len:0x44c",
        "entry 0x403c98d0",
    ):
        assert watcher.lines(line) == [line]


def line_of(body: str) -> str:
    return close_line(body).decode("ascii").strip()


def test_protocol_lines_in_the_log_are_put_into_words() -> None:
    health = line_of("health=1|id=desk|u=90061|heap=181200|rssi=-61|ms=-|bad=checksum:2")
    words = monitor.describe_line("> " + health)
    assert words == (
        "health: board desk, up 1 d 1:01:01, heap 181200 B free, Wi-Fi -61 dBm, "
        "last refresh unknown, bad lines checksum:2"
    )
    memory = line_of("health=1|id=desk|rssi=-61|ms=9|block=65524|low=98304|main=9216|net=3072|mhz=5")
    assert str(monitor.describe_line(memory)).endswith(
        "largest block 65524 B, lowest heap 98304 B, main stack 9216 B free, "
        "network stack 3072 B free, panel clock 5 MHz"
    )
    hello = monitor.describe_line(line_of("hello=1|id=desk|fw=0.1.0|boots=3|reset=poweron"))
    assert hello == "hello: board desk, firmware 0.1.0, start 3, last reset poweron"
    data = monitor.describe_line(line_of("h=box|t=12:14|u=5|c=3.1|m=1.0/8.0|g0=1|g1=2"))
    assert data == "data: box at 12:14, CPU 3.1 %, memory 1.0/8.0 GiB, 2 GPUs"


def test_a_protocol_line_with_a_wrong_checksum_is_named() -> None:
    good = line_of("hello=1|id=desk|fw=0.1.0")
    bad = good[:-1] + ("0" if good[-1] != "0" else "1")
    assert monitor.describe_line(bad) == "a protocol line with a wrong checksum"
    assert monitor.describe_line("I (12) wifi: connected") is None


def test_the_display_librarys_own_words_at_a_start_are_called_normal_once() -> None:
    watcher = monitor.Watcher()
    first = watcher.lines("E (431) epdiy: Reducing the pixel clock from 17 MHz to 8 MHz for now!")
    assert first[-1] == "  -> the display library says this at each start: it is normal."
    assert len(watcher.lines("I (5020) epdiy: PG is up")) == 1


def test_noise_at_a_wrong_speed_is_recognised() -> None:
    watcher = Watcher()
    noise = monitor.printable(bytes(range(0x80, 0xC0)))
    shown = [extra for _ in range(5) for extra in watcher.lines(noise)]
    assert sum("115200 baud" in line for line in shown) == 1


def test_the_cutter_keeps_nothing_unprintable_and_bounds_a_line() -> None:
    cutter = LineCutter()
    assert cutter.feed(b"\x1b[0;32mI (5) main: ok\x1b[0m\r\n", 0) == ["I (5) main: ok"]
    assert cutter.feed(b"a\x07b\n", 0) == ["a\\x07b"]
    pieces = cutter.feed(b"x" * (3 * monitor.MAX_LINE_BYTES), 0)
    assert [len(piece) for piece in pieces] == [monitor.MAX_LINE_BYTES] * 3
    assert cutter.rest() is None


def test_the_cutter_gives_the_same_lines_in_any_chunks() -> None:
    data = b"one\r\ntwo\n\nthree\n" + b"y" * 5000 + b"\nend\n"
    whole = LineCutter().feed(data, 0)
    for size in (1, 2, 7, 2047, 2048, 2049):
        cutter = LineCutter()
        got = [
            line for start in range(0, len(data), size) for line in cutter.feed(data[start : start + size], 0)
        ]
        assert got == whole
