"""`inktop render`: recorded lines into pictures of the panel, good and damaged."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List

import pytest
from inktop_tools import cli
from inktop_tools.virtual import host
from inktop_tools.virtual.render import Playback, play
from inktop_tools.virtual.replay import read_lines
from PIL import Image, ImageChops

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "protocol" / "samples"


def render(*arguments: object) -> int:
    return cli.main(["render", *[str(argument) for argument in arguments]])


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A minute with numbers, graphs and load that change."""
    path = tmp_path_factory.mktemp("lines") / "minute.lines"
    path.write_bytes(b"".join((SAMPLES / "inference.lines").read_bytes().splitlines(True)[:60]))
    return path


@pytest.fixture(scope="module")
def good(recording: Path) -> Image.Image:
    picture = recording.with_suffix(".png")
    assert render(recording, "-o", picture) == 0
    return Image.open(picture)


def difference(one: Image.Image, other: Image.Image) -> int:
    """Pixels that are nearer to the other of black and white."""
    black_white = [picture.convert("L").point([0] * 128 + [255] * 128) for picture in (one, other)]
    return sum(ImageChops.difference(*black_white).histogram()[1:])


def test_a_recorded_file_becomes_a_pure_black_and_white_picture_of_the_panel(good: Image.Image) -> None:
    assert good.size == (1920, 1080)
    assert good.mode == "1"
    black = good.convert("L").histogram()[0]
    assert 20_000 < black < 1_000_000


def test_a_setting_on_the_command_line_is_seen_in_the_picture(
    good: Image.Image, recording: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "hour.png"
    assert render(recording, "-o", picture, "--set", "span=60m", "--set", "clock=12") == 0
    assert difference(good, Image.open(picture)) > 1000


def test_a_wrong_setting_is_refused_with_where_they_are(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for wrong in ("span", "span=7m", "colour=red"):
        assert render(recording, "-o", tmp_path / "no.png", "--set", wrong) != 0
    said = capsys.readouterr().err
    assert "write NAME=VALUE" in said
    assert said.count("firmware/README.md") == 2


def test_the_panel_shows_the_framebuffer_at_the_end(
    good: Image.Image, recording: Path, tmp_path: Path
) -> None:
    assert render(recording, "--frame", "-o", tmp_path / "frame.png") == 0
    assert Image.open(tmp_path / "frame.png").tobytes() == good.tobytes()


def test_the_picture_is_the_same_each_time(good: Image.Image, recording: Path, tmp_path: Path) -> None:
    render(recording, "-o", tmp_path / "again.png")
    assert Image.open(tmp_path / "again.png").tobytes() == good.tobytes()


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7])
def test_the_last_line_is_on_the_panel_and_not_marked_as_old_however_short_the_file(
    recording: Path, tmp_path: Path, count: int, capsys: pytest.CaptureFixture[str]
) -> None:
    short = tmp_path / "short.lines"
    short.write_bytes(b"".join(recording.read_bytes().splitlines(True)[:count]))
    render(short, "-o", tmp_path / "panel.png")
    render(short, "-o", tmp_path / "frame.png", "--frame")
    assert Image.open(tmp_path / "panel.png").tobytes() == Image.open(tmp_path / "frame.png").tobytes()
    # From scratch, at the moment of the last line: nothing was left out and nothing has aged.
    app = host.App()
    app.opened(0)
    second = 0
    for line in short.read_bytes().splitlines(True):
        app.received(line, second)
        second += 0 if line.startswith(b"info") else 1000
    app.redraw(max(0, second - 1000))
    if count > 1:
        assert Image.open(tmp_path / "frame.png").tobytes() == app.frame_bits()


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.lines")), ids=lambda path: path.stem)
def test_each_sample_can_be_rendered(
    sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert render(sample, "-o", tmp_path / "x.png") == 0
    said = capsys.readouterr().out
    assert "(0 bad)" in said
    assert "screen live" in said


def test_several_files_are_several_servers_in_their_order(recording: Path, tmp_path: Path) -> None:
    other = tmp_path / "nas.lines"
    other.write_bytes(b"".join((SAMPLES / "small.lines").read_bytes().splitlines(True)[:60]))
    assert render(recording, other, "-o", tmp_path / "two.png") == 0
    assert render(other, recording, "-o", tmp_path / "turned-round.png") == 0
    two, turned_round = (Image.open(tmp_path / name) for name in ("two.png", "turned-round.png"))

    playback = Playback(host.BoardSettings(), servers=2)
    play(playback, [read_lines(recording), read_lines(other)])
    playback.settle()
    app = playback.app
    assert [(each["place"], each["name"], each["there"]) for each in app.state()["servers"]] == [
        (0, "t7910", True),
        (1, "nas", True),
    ]
    # What is seen is what is drawn from scratch: no cell has kept anything of an older second.
    app.redraw(playback.now_ms)
    assert two.tobytes() == app.frame_bits()

    cells = [each for each in app.elements() if each["name"].startswith("server")]
    boxes = [(each["x"], each["y"], each["x"] + each["width"], each["y"] + each["height"]) for each in cells]
    assert len(boxes) == 2
    for place in (0, 1):
        assert difference(two.crop(boxes[place]), turned_round.crop(boxes[1 - place])) == 0
    assert difference(two.crop(boxes[0]), two.crop(boxes[1])) > 10_000


def test_another_size_is_another_panel(recording: Path, tmp_path: Path) -> None:
    assert render(recording, "--size", "1280x720", "-o", tmp_path / "small.png") == 0
    assert Image.open(tmp_path / "small.png").size == (1280, 720)


def test_a_second_without_a_line_makes_the_data_older(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    silent = tmp_path / "silent.lines"
    silent.write_bytes(
        b"".join(recording.read_bytes().splitlines(True)[:20]) + b"\n" * 20 + b"h=broken*0000\n"
    )
    assert render(silent, "-o", tmp_path / "silent.png") == 0
    assert "21 lines (1 bad)" in capsys.readouterr().out
    fresh = tmp_path / "fresh.lines"
    fresh.write_bytes(b"".join(recording.read_bytes().splitlines(True)[:20]))
    render(fresh, "-o", tmp_path / "fresh.png")
    assert difference(Image.open(tmp_path / "silent.png"), Image.open(tmp_path / "fresh.png")) > 1_000


#: What each defect must leave, compared with the good picture: pixels that are wrong in black and white, or
#: ghosts (greys) that a wash should have removed.
DAMAGE: Dict[str, str] = {
    "wash-skips-rows": "ghosts",
    "unknown-start": "pixels",
    "stale-rows": "pixels",
    "stale-columns": "pixels",
    "silent-error": "pixels",
    "black-ghosts": "ghosts",
    "draw-error": "pixels",
}


def test_every_defect_has_an_expected_damage() -> None:
    assert set(DAMAGE) == set(host.defects())


@pytest.mark.parametrize("defect", sorted(DAMAGE))
def test_a_defect_is_visible_in_the_picture(
    defect: str, good: Image.Image, recording: Path, tmp_path: Path
) -> None:
    assert render(recording, "--defect", defect, "-o", tmp_path / "damaged.png") == 0
    damaged = Image.open(tmp_path / "damaged.png")
    assert damaged.mode == "L"
    histogram = damaged.histogram()
    greys = sum(histogram[1:255])
    if DAMAGE[defect] == "ghosts":
        assert difference(good, damaged) == 0
        assert greys > 5_000
    else:
        assert difference(good, damaged) > 1_000


def errors(capsys: pytest.CaptureFixture[str]) -> List[str]:
    return capsys.readouterr().err.splitlines()


@pytest.mark.parametrize(
    ("arguments", "next_step"),
    [
        (["/nowhere.lines"], "protocol/samples"),
        (["LINES", "--defect", "nonsense"], "stale-rows"),
        (["LINES", "--size", "big"], "1920x1080"),
        (["LINES", "--size", "1921x1080"], "--size"),
        (["LINES", "--size", "400x300"], "at least 640x400"),
        (["LINES", "-o", "/proc/none/x.png"], "another place"),
        (["EMPTY"], "protocol/samples"),
        (["PROSE"], "inktop decode"),
    ],
)
def test_an_error_is_one_line_that_names_the_next_step(
    arguments: List[str],
    next_step: str,
    recording: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").write_bytes(b"\n\n")
    (tmp_path / "prose").write_text("This is no recording.\n")
    names = {
        "LINES": str(recording),
        "EMPTY": str(tmp_path / "empty"),
        "PROSE": str(tmp_path / "prose"),
    }
    assert render(*[names.get(argument, argument) for argument in arguments]) == 1
    said = errors(capsys)
    assert len(said) == 1
    assert next_step in said[0]
    assert "Traceback" not in said[0]


def test_the_defects_are_listed_with_what_they_do(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert render(recording, "--defect", "list") == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == list(host.defects())
    assert all(" E" in line for line in listed)
