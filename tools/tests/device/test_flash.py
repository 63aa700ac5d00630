"""Flashing against fake tools and fake ports: what the person is told when it works and when it does not."""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import stat
from pathlib import Path
from typing import Callable, Iterator, List, Optional, Tuple

import pytest
from inktop_tools import cli
from inktop_tools.device import build, flash, serial_ports
from inktop_tools.device.serial_ports import Machine, Port
from inktop_tools.errors import InktopError

PLATFORMIO_INI = """\
[platformio]
default_envs = v7

[env]
platform = espressif32@6.5.0

[env:v7]
build_flags = -DX="${sysenv.HOME}" %d

[env:v7_nopmic]
extends = env:v7
"""

Tool = Callable[[List[str], Optional[Path]], Tuple[int, List[str]]]


def parse(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    flash.add_arguments(parser)
    return parser.parse_args(list(words))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "sys", tmp_path / "proc", tmp_path / "os-release")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / "platformio.ini").write_text(PLATFORMIO_INI)
    return folder


@pytest.fixture
def secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "my secrets"
    folder.mkdir()
    (folder / "secrets.h").touch()
    monkeypatch.setenv("INKTOP_SECRETS_DIR", str(folder))
    return folder


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH that holds nothing but what a test puts there, and a Python without the flash extra."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    return folder


def put_tool(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A pseudo-terminal that is listed as a CH340."""
    leader, follower = os.openpty()
    device = os.ttyname(follower)
    monkeypatch.setattr(serial_ports, "list_ports", lambda: [Port(device, 0x1A86, 0x7523)])
    yield device
    os.close(leader)
    os.close(follower)


def answering(*answers: Tuple[int, List[str]]) -> Tuple[Tool, List[List[str]]]:
    """A tool that gives one answer a call, and the calls it got."""
    calls: List[List[str]] = []
    waiting = list(answers)

    def tool(command: List[str], cwd: Optional[Path]) -> Tuple[int, List[str]]:
        calls.append(command)
        return waiting.pop(0)

    return tool, calls


@pytest.mark.usefixtures("secrets")
def test_a_good_flash_ends_by_asking_for_the_rst_button(
    project: Path, tools: Path, port: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """PITFALLS A3: "Hard resetting via RTS" does nothing; the person must press RST."""
    put_tool(
        tools,
        "pio",
        'echo "called: $*"\necho "Hard resetting via RTS pin..."\n',
    )
    assert cli.main(["flash", "--project", str(project), "--env", "v7_nopmic"]) == 0
    out = capsys.readouterr().out
    assert f"called: run -d {project} -e v7_nopmic -t upload --upload-port {port}" in out
    after = out.split("Hard resetting via RTS pin...")[1]
    assert "press RST (or cut the board's power" in after
    assert "`waiting for download`" in after


@pytest.mark.usefixtures("secrets", "port")
def test_a_chip_that_does_not_answer_is_put_into_download_mode_by_hand(
    project: Path, tools: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put_tool(
        tools,
        "pio",
        'echo "Failed to connect to ESP32-S3: No serial data received." >&2\nexit 1\n',
    )
    assert cli.main(["flash", "--project", str(project)]) == 1
    captured = capsys.readouterr()
    assert "No serial data received" in captured.out, "what the tool prints is passed on"
    assert "hold BOOT, press and release RST, release BOOT" in captured.err
    assert "`waiting for download`" in captured.err
    assert "press RST (or cut" not in captured.out, "nothing was written"


@pytest.mark.parametrize(
    ("printed", "cause", "words"),
    [
        ("[Errno 13] Permission denied: '/dev/ttyUSB0'", "permission", "sudo usermod -aG"),
        ("[Errno 16] could not open port: Device or resource busy", "busy", "in use"),
        ("ERROR: A fatal error occurred: Could not open /dev/ttyUSB9, the port is busy or doesn't exist.\n"
         "([Errno 2] could not open port /dev/ttyUSB9: [Errno 2] No such file or directory: '/dev/ttyUSB9')",
         "gone", "went away"),
        ("ERROR: A fatal error occurred: Could not open /dev/ttyUSB9, the port is busy or doesn't exist.\n"
         "([Errno 16] could not open port /dev/ttyUSB9: [Errno 16] Device or resource busy: '/dev/ttyUSB9')",
         "busy", "in use"),
        ("ERROR: A fatal error occurred: Could not open /dev/ttyUSB9, the port is busy or doesn't exist.\n"
         "([Errno 13] could not open port /dev/ttyUSB9: [Errno 13] Permission denied: '/dev/ttyUSB9')",
         "permission", "sudo usermod -aG"),
        ("ERROR: A fatal error occurred: Failed to connect to ESP32-S3: No serial data received.",
         "download-mode", "BOOT"),
        ("ERROR: A fatal error occurred: Could not open /dev/null, the port is busy or doesn't exist.\n"
         "(Could not configure port: (25, 'Inappropriate ioctl for device'))",
         "not-serial", "not a serial port"),
        ("A fatal error occurred: This chip is ESP32, not ESP32-S3. Wrong --chip", "wrong-chip", "ESP32-S3"),
        ("Wrong boot mode detected (0x8)! The chip needs to be in download mode.", "download-mode", "BOOT"),
        ("serial.serialutil.SerialException: device reports readiness to read but returned no data "
         "(device disconnected or multiple access on port?)", "vanished", "5 V / 2 A"),
        ("A fatal error occurred: MD5 of file does not match data in flash!", "unreliable", "cable"),
        ("The chip stopped responding.", "unreliable", "cable"),
        ("UnknownEnvNamesError: Unknown environment names 'v8'.", "environment", "--help"),
        ("HTTPClientError: ", "network", "Internet"),
        ("main.cpp:3:2: error: #error \"no secrets.h: run inktop secrets init\"", "secrets", "secrets init"),
        ("main.cpp:9:1: error: expected ';'", "compiler", "`error:` above"),
        ("Error: The program size (7000000 bytes) is greater than maximum allowed (6553600 bytes)",
         "too-big", "partition"),
    ],
)  # fmt: skip
def test_what_the_tools_print_tells_the_cause_and_the_next_step(
    machine: Machine, printed: str, cause: str, words: str
) -> None:
    lines = ["Connecting....", printed, "*** [upload] Error 2"]
    found = flash.explain_output(lines)
    assert found is not None
    assert found.name == cause
    error = str(flash.explain_failure(2, lines, "/dev/null", machine))
    assert words in error
    assert "exit status 2" in error


def test_a_successful_connection_to_an_esp32_s3_is_no_cause() -> None:
    lines = ["Chip is ESP32-S3 (revision v0.2)", "This chip is ESP32-S3", "Hash of data verified."]
    assert flash.explain_output(lines[:2]) is None


def test_an_unknown_failure_points_to_the_output_and_to_download_mode(machine: Machine) -> None:
    error = str(flash.explain_failure(7, ["something new"], "/dev/ttyUSB0", machine))
    assert "exit status 7" in error
    assert "lines above" in error


@pytest.mark.usefixtures("secrets")
def test_a_port_that_vanishes_in_the_middle_is_tried_once_more(
    project: Path, tools: Path, port: str, machine: Machine
) -> None:
    put_tool(tools, "pio", "exit 0\n")
    vanished = (1, ["device disconnected or multiple access on port?"])
    tool, calls = answering(vanished, (0, []))
    said: List[str] = []
    args = parse("--project", str(project))
    assert flash.flash(args, machine, said.append, tool) == port
    assert len(calls) == 2
    assert any("once more" in text for text in said)


@pytest.mark.usefixtures("secrets", "port")
def test_a_port_that_vanishes_twice_is_an_error(project: Path, tools: Path, machine: Machine) -> None:
    put_tool(tools, "pio", "exit 0\n")
    vanished = (1, ["device disconnected or multiple access on port?"])
    tool, calls = answering(vanished, vanished)
    with pytest.raises(InktopError, match="went away"):
        flash.flash(parse("--project", str(project)), machine, lambda text: None, tool)
    assert len(calls) == 2


@pytest.mark.usefixtures("secrets", "port")
def test_another_failure_is_not_tried_again(project: Path, tools: Path, machine: Machine) -> None:
    put_tool(tools, "pio", "exit 0\n")
    tool, calls = answering((1, ["main.cpp:9:1: error: expected ';'"]))
    with pytest.raises(InktopError, match="did not compile"):
        flash.flash(parse("--project", str(project)), machine, lambda text: None, tool)
    assert len(calls) == 1


@pytest.mark.usefixtures("secrets")
def test_a_missing_platformio_names_the_extra(project: Path, tools: Path) -> None:
    with pytest.raises(InktopError, match=r"PlatformIO is not installed.\n.*\[flash\]"):
        build.build_command(parse("--project", str(project)), "/dev/ttyUSB0")


@pytest.mark.usefixtures("tools")
def test_a_missing_esptool_names_the_extra(tmp_path: Path) -> None:
    image = write_image(tmp_path / "firmware.bin")
    with pytest.raises(InktopError, match=r"esptool is not installed.\n.*\[flash\]"):
        build.build_command(parse("--image", str(image)), "/dev/ttyUSB0")


@pytest.mark.parametrize(("version", "word"), [("4.8.1", "write_flash"), ("5.6.0", "write-flash")])
def test_each_esptool_is_told_to_write_in_its_own_word(
    version: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version)
    assert build.write_command() == word


@pytest.mark.usefixtures("tools")
def test_a_missing_secrets_header_names_its_command(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INKTOP_SECRETS_DIR", str(tmp_path / "not there"))
    with pytest.raises(InktopError, match="inktop secrets init"):
        build.build_command(parse("--project", str(project)), "/dev/ttyUSB0")


@pytest.mark.parametrize("value", ["", "  "])
def test_an_empty_secrets_folder_setting_means_the_default(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INKTOP_SECRETS_DIR", value)
    assert build.secrets_folder() == Path.home() / ".config/inktop"


def test_an_unknown_environment_lists_those_there_are(project: Path) -> None:
    with pytest.raises(InktopError, match=r"no environment v8 in .*\nThere are: v7, v7_nopmic"):
        build.build_command(parse("--project", str(project), "--env", "v8"), "/dev/ttyUSB0")


def test_a_folder_without_platformio_ini_offers_the_prebuilt_image(tmp_path: Path) -> None:
    with pytest.raises(InktopError, match="inktop flash --image"):
        build.build_command(parse("--project", str(tmp_path)), "/dev/ttyUSB0")


def test_a_broken_platformio_ini_says_how_to_restore_it(project: Path) -> None:
    (project / "platformio.ini").write_text("no section\n")
    with pytest.raises(InktopError, match="git checkout platformio.ini"):
        build.environments(project)


def test_no_port_is_told_before_anything_is_built(
    project: Path, tools: Path, secrets: Path, monkeypatch: pytest.MonkeyPatch, machine: Machine
) -> None:
    put_tool(tools, "pio", "exit 0\n")
    tool, calls = answering()
    args = parse("--project", str(project), "--port", "/dev/nowhere", "--wait", "0")
    with pytest.raises(InktopError, match="no port /dev/nowhere"):
        flash.flash(args, machine, lambda text: None, tool)
    assert calls == []


def write_image(path: Path, chip: int = build.CHIP_ESP32S3, whole: bool = False) -> Path:
    data = bytearray(0x9000)
    data[0] = build.IMAGE_MAGIC
    data[12:14] = chip.to_bytes(2, "little")
    if whole:
        data[0x8000:0x8002] = build.PARTITION_MAGIC
    path.write_bytes(bytes(data))
    return path


@pytest.mark.usefixtures("port")
def test_a_prebuilt_image_is_written_by_esptool_and_needs_no_checkout(
    tmp_path: Path, tools: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put_tool(tools, "esptool", 'echo "esptool: $*"\n')
    image = write_image(tmp_path / "inktop whole.bin", whole=True)
    assert cli.main(["flash", "--image", str(image)]) == 0
    out = capsys.readouterr().out
    assert "esptool: --chip esp32s3" in out
    assert f"{build.write_command()} 0x0 {image}" in out


def test_a_program_alone_goes_behind_the_partition_table(tmp_path: Path) -> None:
    assert build.image_offset(write_image(tmp_path / "a.bin")) == 0x10000
    assert build.image_offset(write_image(tmp_path / "b.bin", whole=True)) == 0


def test_an_image_for_another_chip_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InktopError, match="another chip"):
        build.image_offset(write_image(tmp_path / "a.bin", chip=0))


def test_a_file_that_is_no_image_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "firmware.elf"
    path.write_bytes(b"\x7fELF" + bytes(100))
    with pytest.raises(InktopError, match="not an ESP image"):
        build.image_offset(path)
    with pytest.raises(InktopError, match="cannot be read"):
        build.image_offset(tmp_path / "missing.bin")


LINKED = [
    "Linking .pio/build/v7/firmware.elf",
    "RAM:   [==        ]  16.1% (used 52808 bytes from 327680 bytes)",
    "Flash: [==        ]  15.2% (used 993341 bytes from 6553600 bytes)",
]


def told(say: List[str], part: str) -> List[str]:
    return [line for line in say if part in line]


@pytest.mark.usefixtures("secrets")
def test_building_alone_needs_no_board_and_tells_the_sizes(project: Path, tools: Path) -> None:
    put_tool(tools, "pio", "exit 1\n")
    tool, calls = answering((0, LINKED))
    said: List[str] = []
    path = flash.build_only(parse("--project", str(project), "--build-only"), said.append, tool)
    assert path == project / ".pio/build/v7/firmware.bin"
    assert "upload" not in calls[0]
    assert told(said, "993,341 of the 6,553,600 bytes of its place in the flash (15.2 %)")
    assert told(said, "52,808 of 327,680 bytes of internal RAM (16.1 %)")


@pytest.mark.usefixtures("secrets")
def test_flashing_tells_the_sizes_too(project: Path, tools: Path, port: str, machine: Machine) -> None:
    put_tool(tools, "pio", "exit 1\n")
    tool, _ = answering((0, LINKED))
    said: List[str] = []
    flash.flash(parse("--project", str(project), "--wait", "0"), machine, said.append, tool)
    assert told(said, "993,341 of the 6,553,600 bytes")


@pytest.mark.usefixtures("secrets")
def test_a_build_that_fails_says_why(project: Path, tools: Path) -> None:
    put_tool(tools, "pio", "exit 1\n")
    tool, _ = answering((1, ["firmware/core/x.cpp:1:1: error: no"]))
    with pytest.raises(InktopError, match="did not compile"):
        flash.build_only(parse("--project", str(project)), lambda text: None, tool)


@pytest.mark.usefixtures("secrets")
def test_a_dry_run_says_what_it_would_do_and_runs_nothing(
    project: Path, tools: Path, port: str, capsys: pytest.CaptureFixture[str]
) -> None:
    put_tool(tools, "pio", f"touch {project}/was-run\n")
    assert cli.main(["flash", "--project", str(project), "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert f"would run: pio run -d {project} -e v7 -t upload --upload-port {port}" in out
    assert "secrets.h" in out
    assert not (project / "was-run").exists()


@pytest.mark.usefixtures("secrets")
def test_a_dry_run_without_a_board_says_so_and_what_it_would_do(
    project: Path, tools: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put_tool(tools, "pio", "exit 1\n")
    monkeypatch.setattr(serial_ports, "list_ports", list)
    assert cli.main(["flash", "--project", str(project), "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "the board: no board found" in out
    assert "would run: pio run" in out


def test_an_image_is_built_already(tmp_path: Path) -> None:
    with pytest.raises(InktopError, match="leave one of them out"):
        flash.build_only(parse("--image", str(tmp_path / "a.bin"), "--build-only"), lambda text: None)
