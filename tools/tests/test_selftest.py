"""The self-test through the host library: checksums, pictures, and what is said about a board's log."""

from __future__ import annotations

import binascii
from pathlib import Path
from typing import Dict, Iterator, List

import pytest
from inktop_tools import cli, selftest
from inktop_tools.errors import InktopError
from inktop_tools.selftest import STAGES, Held, SelfTest
from inktop_tools.virtual.library import library
from PIL import Image, ImageChops

ACCEPT = "if the new picture is meant: .venv/bin/inktop selftest --accept, and look at it"


@pytest.fixture
def stages() -> Iterator[SelfTest]:
    runner = SelfTest()
    yield runner
    runner.close()


def test_every_stage_draws_what_was_accepted_last(stages: SelfTest) -> None:
    accepted = selftest.accepted_crcs()
    assert tuple(accepted) == STAGES
    for stage in STAGES:
        assert stages.run(stage) == 0
        assert f"{stages.crc:08X}" == f"{accepted[stage]:08X}", f"{stage}: {ACCEPT}"


def test_the_pictures_in_the_readme_are_what_the_panel_shows(stages: SelfTest) -> None:
    for stage in STAGES:
        stages.run(stage)
        shown = Image.frombytes("1", stages.size, stages.panel_bits())
        with Image.open(selftest.PICTURES / f"{stage.lower()}.png") as picture:
            assert picture.mode == "1"
            assert ImageChops.difference(picture.convert("L"), shown.convert("L")).getbbox() is None, ACCEPT


def test_the_panel_shows_what_was_drawn_in_every_stage(stages: SelfTest) -> None:
    for stage in STAGES:
        stages.run(stage)
        assert stages.panel_bits() == stages.frame_bits()


def test_the_checksum_is_the_crc32_of_the_framebuffer(stages: SelfTest) -> None:
    stages.run("ST1")
    bits = stages.frame_bits()
    # Two pixels a byte, the left one in the low nibble.
    table = [
        bytes(
            (0x0F if byte >> (7 - pixel) & 1 else 0) | (0xF0 if byte >> (6 - pixel) & 1 else 0)
            for pixel in (0, 2, 4, 6)
        )
        for byte in range(256)
    ]
    assert stages.crc == binascii.crc32(b"".join(table[byte] for byte in bits))


def test_the_log_in_the_readme_is_a_real_one(stages: SelfTest) -> None:
    stages.run("ST3")
    text = (selftest.FOLDER / "README.md").read_text(encoding="utf-8")
    shown = [line.strip() for line in text.splitlines() if line.startswith("    selftest ST")]
    assert len(shown) == 3
    assert shown == stages.log[-3:]


def test_a_stage_that_has_passed_does_not_come_back(stages: SelfTest) -> None:
    stages.run("ST2")
    with pytest.raises(InktopError, match="only go forward"):
        stages.run("ST1")


def test_an_impossible_size_is_refused() -> None:
    with pytest.raises(InktopError, match="multiple of 8"):
        SelfTest(1001, 500)


def test_another_size_draws_and_shows(stages: SelfTest) -> None:
    small = SelfTest(1280, 720)
    for stage in STAGES:
        assert small.run(stage) == 0
        assert small.panel_bits() == small.frame_bits()
    small.close()


def test_a_refresh_that_breaks_off_is_logged_and_seen(stages: SelfTest) -> None:
    stages.run("ST1")
    stages.fail(0, "lines", 1)
    assert stages.run("ST2") == library().draw_errors["lines"]
    assert stages.panel_bits() != stages.frame_bits()
    assert any("errors=lines" in line for line in stages.log)


@pytest.mark.parametrize("stage", ["ST1", "st3"])
def test_the_command_writes_a_stage_as_a_black_and_white_picture(
    stage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "stage.png"
    assert cli.main(["selftest", stage, "-o", str(path), "--log"]) == 0
    with Image.open(path) as picture:
        assert picture.size == (1920, 1080)
        assert picture.mode == "1"
    out = capsys.readouterr().out
    assert f"{stage.upper()}  crc={selftest.accepted_crcs()[stage.upper()]:08X}" in out
    assert f"selftest {stage.upper()} held crc=" in out


def test_the_command_without_a_stage_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["selftest"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(STAGES)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ST6"], "There are: ST1, ST2, ST3, ST4, ST5"),
        (["-o", "x.png"], "inktop selftest ST1 -o st1.png"),
        (["--compare", "/nowhere/board.log"], "inktop monitor --log"),
        (["ST1", "-o", "/proc/nowhere/x.png"], "cannot write /proc/nowhere/x.png"),
    ],
)
def test_wrong_use_names_the_right_one(
    arguments: List[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["selftest", *arguments]) == 1
    assert words in capsys.readouterr().err


EXPECTED: Dict[str, int] = {stage: 0xA0 + index for index, stage in enumerate(STAGES)}


def held_line(stage: str, crc: int, errors: str = "ok") -> str:
    return f"12:00:00.000  I (5) selftest {stage} held crc={crc:08X} refreshes=1 errors={errors}"


def test_the_log_of_this_machine_compares_as_good(
    tmp_path: Path, stages: SelfTest, capsys: pytest.CaptureFixture[str]
) -> None:
    stages.run("ST5")
    log = tmp_path / "board.log"
    log.write_text("".join(f"08:15:01.123  {line}\n" for line in stages.log))
    assert cli.main(["selftest", "--compare", str(log)]) == 0
    out = capsys.readouterr().out
    assert out.count("drawn and driven as it should be") == 5


def test_a_log_is_read_through_whatever_stands_around_it() -> None:
    lines = ["noise", held_line("ST2", 0xA1), "", held_line("ST3", 0xA2, "lines+power")]
    assert selftest.held_stages(lines) == [
        Held("ST2", 0xA1, "ok"),
        Held("ST3", 0xA2, "lines+power"),
    ]


def test_another_picture_on_the_board_points_to_firmware_or_memory() -> None:
    lines, good = selftest.compare([Held("ST1", 1, "ok")], EXPECTED)
    assert not good
    assert "crc 00000001, here 000000A0" in lines[0]
    assert "PSRAM" in lines[0]


def test_an_error_of_the_panel_points_to_driving_even_when_the_picture_is_right() -> None:
    lines, good = selftest.compare([Held("ST2", 0xA1, "lines")], EXPECTED)
    assert not good
    assert "lower the pixel clock" in lines[0]


def test_a_right_picture_that_looks_wrong_points_to_the_panel() -> None:
    lines, good = selftest.compare([Held("ST1", 0xA0, "ok")], EXPECTED)
    assert good
    assert "the panel or its waveform is at fault" in lines[0]
    assert lines[-1] == "not in this log: ST2, ST3, ST4, ST5"


def test_a_log_without_the_self_test_says_how_to_get_one() -> None:
    lines, good = selftest.compare([], EXPECTED)
    assert not good
    assert "inktop flash --env v7_selftest" in lines[1]
