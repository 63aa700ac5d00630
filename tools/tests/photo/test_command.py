"""`inktop diagnose` as a person or a script calls it: whatever the file, whatever the argument."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List

import numpy as np
import pytest
from inktop_tools import cli
from inktop_tools.photo import expected
from PIL import Image, ImageOps
from tests.photo import damage, maker

ROOT = Path(__file__).resolve().parents[3]


MEGAPIXELS = 1.2


@pytest.fixture(scope="module")
def stages() -> Dict[str, Any]:
    return expected.stages().pictures


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory, stages: Dict[str, Any]) -> Path:
    """A folder with easy photos of healthy stages and of one with a fault."""
    folder = tmp_path_factory.mktemp("photos")
    for number, name in enumerate(stages):
        (folder / f"{name}.jpg").write_bytes(maker.take(stages[name], 40 + number, "easy", MEGAPIXELS).jpeg)
    shifted = stages["ST1"].copy()
    shifted[1000:] = np.roll(shifted[1000:], 60, axis=1)
    (folder / "shifted.jpg").write_bytes(maker.take(shifted, 50, "easy", MEGAPIXELS).jpeg)
    return folder


def diagnose(capfd: pytest.CaptureFixture[str], *words: object) -> Any:
    """The exit status, what is printed, what is said besides."""
    capfd.readouterr()
    status = cli.main(["diagnose", *map(str, words)])
    out, err = capfd.readouterr()
    assert "Traceback" not in out + err
    return status, out, err


def test_stages_are_recognised_and_the_first_that_is_wrong_names_the_layer(
    photos: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = diagnose(capfd, photos / "ST3.jpg", photos / "shifted.jpg", "--json")
    answer = json.loads(out)
    assert status == 1
    assert answer["version"] == 1
    healthy, photo = answer["photos"]
    assert (healthy["shows"], healthy["layer"]) == ("ST3", "clean")
    assert photo["layer"] == "feed"
    assert photo["family"] == "rows-shifted"
    assert photo["parameters"]["dx"] == pytest.approx(60, abs=2)
    assert photo["box"] == pytest.approx([0, 1000, 1920, 1080], abs=4)
    assert 0 < photo["confidence"] <= 1
    assert len(photo["corners"]) == 4
    assert "pixel clock" in photo["next"]
    assert (answer["together"]["stage"], answer["together"]["layer"]) == ("ST1", "feed")


@pytest.mark.soak
def test_stages_that_are_as_they_should_be_make_one_verdict(
    photos: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = diagnose(capfd, *(photos / f"ST{number}.jpg" for number in (5, 2, 3)))
    assert status == 0
    assert "ST3.jpg: clean (ST3)" in out
    assert "together: as it should be: ST2, ST3, ST5" in out
    assert "Photograph ST1, ST4 too" in out


def test_rows_are_told_as_runs_and_the_report_is_a_picture_whose_folder_is_made(
    photos: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "new" / "report.png"
    status, out, _ = diagnose(
        capfd, photos / "shifted.jpg", "--selftest", "st1", "--rle", "1040-1042", "-o", report
    )
    assert status == 1
    assert out.count("row 1041") == 2, "the row, and what is wrong in it"
    assert f"report: {report}" in out
    with Image.open(report) as picture:
        assert picture.width > 1200


@pytest.mark.soak
def test_lines_are_what_the_board_shows_after_them(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    samples = (ROOT / "protocol" / "samples" / "idle.lines").read_bytes().splitlines(keepends=True)
    lines = tmp_path / "mine.lines"
    lines.write_bytes(b"".join(samples[:40]))
    shown = expected.after_lines(lines).pictures["the board"]
    photo = tmp_path / "board.jpg"
    photo.write_bytes(maker.take(shown, 3, "easy", MEGAPIXELS).jpeg)
    status, out, err = diagnose(capfd, photo, "--lines", lines)
    assert status == 0, out + err


def test_a_picture_of_what_should_be_there_can_be_given(
    photos: Path, stages: Dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    Image.fromarray(stages["ST4"]).save(tmp_path / "st4.png")
    assert diagnose(capfd, photos / "ST4.jpg", "--expected", tmp_path / "st4.png")[0] == 0


@pytest.mark.soak
def test_corners_given_by_hand_are_used(
    stages: Dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    photo = maker.take(stages["ST1"], 41, "easy", MEGAPIXELS)
    (tmp_path / "p.jpg").write_bytes(photo.jpeg)
    corners = ",".join(f"{value:.0f}" for value in photo.corners.ravel())
    assert diagnose(capfd, tmp_path / "p.jpg", "--selftest", "ST1", "--corners", corners)[0] == 0


def _noise(width: int, height: int) -> Image.Image:
    return Image.fromarray(np.random.default_rng(1).integers(0, 255, (height, width), dtype=np.uint8))


def _saved(path: Path, image: Image.Image) -> Path:
    image.save(path)
    return path


def _truncated(path: Path) -> Path:
    whole = path.with_name("whole.jpg")
    _noise(900, 700).save(whole)
    path.write_bytes(whole.read_bytes()[:9000])
    return path


def _sixteen_bits(path: Path) -> Path:
    values = (np.linspace(0, 65535, 450 * 350).reshape(350, 450)).astype(np.uint16)
    return _saved(path, Image.fromarray(values))


BAD_FILES: Dict[str, Callable[[Path], Path]] = {
    "no file": lambda f: f / "nothing.jpg",
    "a folder": lambda f: f,
    "an empty file": lambda f: _written(f / "empty.jpg", b""),
    "text": lambda f: _written(f / "text.jpg", b"no picture"),
    "a truncated JPEG": lambda f: _truncated(f / "cut.jpg"),
    "16-bit grey": lambda f: _sixteen_bits(f / "deep.png"),
    "16 pixels": lambda f: _saved(f / "tiny.png", _noise(16, 16)),
    "a long strip": lambda f: _saved(f / "strip.png", Image.new("L", (30000, 1))),
    "noise": lambda f: _saved(f / "noise.png", _noise(400, 330)),
    "one colour": lambda f: _saved(f / "flat.png", Image.new("RGB", (440, 330), (120, 130, 110))),
    "floats": lambda f: _saved(f / "float.tiff", Image.new("F", (440, 330), 0.5)),
    "CMYK": lambda f: _saved(f / "print.jpg", Image.new("CMYK", (440, 330), (9, 9, 9, 9))),
    "a palette": lambda f: _saved(f / "few.gif", Image.new("P", (440, 330), 3)),
    "transparency": lambda f: _saved(f / "clear.png", Image.new("RGBA", (440, 330), (0, 0, 0, 0))),
}


#: Takes long: there is something to see everywhere, and none of it is a panel.
SLOW = "noise"


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.soak if kind == SLOW else ()) for kind in BAD_FILES]
)
def test_a_file_that_cannot_be_used_is_answered_with_a_sentence(
    kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, out, err = diagnose(capfd, BAD_FILES[kind](tmp_path), "--selftest", "ST1")
    assert status == 2
    said = err if err else out
    assert len(said.strip()) > 30
    assert "\n" in said.strip() or "next: " in said, "it names the next step"


@pytest.mark.soak
def test_two_hundred_megapixels_are_read_and_judged(
    stages: Dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    photo = maker.take(stages["ST1"], 8, "easy", MEGAPIXELS)
    with Image.open(_written(tmp_path / "small.jpg", photo.jpeg)) as small:
        huge = small.convert("L").resize((16384, 12288), Image.Resampling.NEAREST)
    huge.save(tmp_path / "huge.jpg", quality=60)
    status, out, err = diagnose(capfd, tmp_path / "huge.jpg", "--selftest", "ST1")
    assert status == 0, out + err


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.soak
def test_a_heic_photo_is_read(
    stages: Dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    import pillow_heif

    photo = maker.take(stages["ST1"], 9, "easy", MEGAPIXELS)
    pillow_heif.register_heif_opener()
    with Image.open(_written(tmp_path / "a.jpg", photo.jpeg)) as image:
        image.save(tmp_path / "a.heic", quality=80)
    assert diagnose(capfd, tmp_path / "a.heic", "--selftest", "ST1")[0] == 0


@pytest.mark.soak
@pytest.mark.parametrize("turn", [90, 180])
def test_a_photo_may_be_turned(
    turn: int, stages: Dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    photo = maker.take(stages["ST1"], 9, "easy", MEGAPIXELS)
    with Image.open(_written(tmp_path / "a.jpg", photo.jpeg)) as image:
        image.rotate(turn, expand=True).save(tmp_path / "turned.png")
    assert diagnose(capfd, tmp_path / "turned.png", "--selftest", "ST1")[0] == 0


@pytest.mark.soak
def test_a_mirrored_photo_is_no_other_fault(
    stages: Dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    photo = maker.take(stages["ST1"], 9, "easy", MEGAPIXELS)
    with Image.open(_written(tmp_path / "a.jpg", photo.jpeg)) as image:
        ImageOps.mirror(image).save(tmp_path / "mirrored.png")
    status, out, _ = diagnose(capfd, tmp_path / "mirrored.png", "--selftest", "ST1")
    assert status == 1
    assert "the picture is mirrored (or the camera mirrors" in out


BAD_ARGUMENTS: Dict[str, List[str]] = {
    "a stage that is none": ["--selftest", "ST9"],
    "rows that are none": ["--rle", "x"],
    "rows backwards": ["--rle", "20-10"],
    "corners that are none": ["--corners", "1,2,3"],
    "corners in words": ["--corners", "a,b,c,d,e,f,g,h"],
    "a tile of nothing": ["--tile", "0"],
    "no such lines": ["--lines", "/nowhere/x.lines"],
    "no such picture": ["--expected", "/nowhere/x.png"],
    "a server that is none": ["--server", "::::"],
    "a server that does not answer": ["--server", "127.0.0.1:1"],
    "a report of unknown kind": ["-o", "report.doc"],
    "a report without a suffix": ["-o", "report"],
    "a report in a file": ["-o", "/dev/null/report.png"],
}


@pytest.mark.parametrize("kind", BAD_ARGUMENTS)
def test_an_argument_that_cannot_be_is_answered_with_a_sentence(
    kind: str, photos: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, _, err = diagnose(capfd, photos / "ST1.jpg", *BAD_ARGUMENTS[kind])
    assert status == 2
    assert err.startswith("inktop diagnose: ")
    assert len(err) > 40


def test_without_opencv_a_sentence_says_what_to_run(photos: Path, tmp_path: Path) -> None:
    (tmp_path / "cv2.py").write_text("raise ImportError('no module named cv2')")
    paths = [str(tmp_path), *(str(ROOT / folder) for folder in ("collector", "protocol", "tools"))]
    done = subprocess.run(
        [sys.executable, "-m", "inktop_tools.cli", "diagnose", str(photos / "ST1.jpg")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "OpenCV and NumPy are missing" in done.stderr
    assert "make photo-tools" in done.stderr
    assert "Traceback" not in done.stderr


def test_every_fault_that_the_maker_knows_belongs_to_a_layer() -> None:
    from inktop_tools.photo.verdict import NEXT

    assert {fault.layer for fault in damage.FAULTS.values()} <= set(NEXT)
