"""Diagnosis on drawn photographs: known faults, in perspective, under uneven light, with blur and noise."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Callable, Dict, Sequence, Tuple

import pytest
from inktop_tools import cli, diagnose, photo
from inktop_tools.errors import InktopError
from inktop_tools.photo import PANEL_HEIGHT, PANEL_WIDTH, Point
from inktop_tools.selftest import PICTURES
from PIL import Image, ImageChops, ImageFilter

FRONT = ((300, 260), (2150, 330), (2050, 1320), (380, 1250))
SLANTED = ((500, 200), (2000, 420), (2080, 1250), (380, 1400))
TURNED = ((2050, 1320), (380, 1250), (300, 260), (2150, 330))


def drawn_photo(
    panel: Image.Image, corners: Sequence[Point] = FRONT, light: Tuple[int, int] = (210, 130)
) -> Image.Image:
    """A photo of `panel`: paper and ink as grey as they are, falling light, a dark table, blur and noise."""
    size = (2400, 1600)
    width, height = panel.size
    to_panel = photo.homography(list(corners), [(0, 0), (width, 0), (width, height), (0, height)])
    grey = panel.convert("L").point([40 + level * 190 // 255 for level in range(256)])
    seen = grey.transform(size, Image.Transform.PERSPECTIVE, to_panel, Image.Resampling.BICUBIC, fillcolor=70)
    falling = Image.linear_gradient("L").resize(size)
    falling = falling.point([light[1] + (light[0] - light[1]) * level // 255 for level in range(256)])
    lit = ImageChops.multiply(seen, falling).filter(ImageFilter.GaussianBlur(1))
    return ImageChops.add(lit, Image.effect_noise(size, 8), 1, -128)


def stage(name: str) -> Image.Image:
    with Image.open(PICTURES / f"{name}.png") as picture:
        grey: Image.Image = picture.convert("L")
        return grey


def finding(panel: Image.Image, expected: Image.Image, **how: object) -> diagnose.Finding:
    flat = photo.flatten(photo.straighten(drawn_photo(panel, **how)))  # type: ignore[arg-type]
    return diagnose.judge(diagnose.compare(flat.image, expected), flat, expected)


def zebra(picture: Image.Image) -> Image.Image:
    """Tiles of 64 pixels turned over here and there, as after stale differences of tiles."""
    out = picture.copy()
    dice = random.Random(3)
    for row in range(1, 16):
        for column in range(1, 29):
            if dice.random() < 0.25:
                box = (column * 64, row * 64, column * 64 + 64, row * 64 + 64)
                out.paste(ImageChops.invert(out.crop(box)), box)
    return out


def missed_band(picture: Image.Image) -> Image.Image:
    """Rows that still show the opposite."""
    out = picture.copy()
    box = (0, 256, PANEL_WIDTH, 420)
    out.paste(ImageChops.invert(out.crop(box)), box)
    return out


def half_driven(picture: Image.Image) -> Image.Image:
    """A part where the old, inverted picture is only half gone."""
    out = picture.copy()
    box = (100, 300, 1700, 800)
    out.paste(Image.blend(picture, ImageChops.invert(picture), 0.45).crop(box), box)
    return out


def shifted_batch(picture: Image.Image) -> Image.Image:
    """The rows from 1000 on moved to the right, the lower right mark with them."""
    out = picture.copy()
    out.paste(picture.crop((0, 1000, PANEL_WIDTH - 100, PANEL_HEIGHT)), (100, 1000))
    return out


def grey_paper(picture: Image.Image) -> Image.Image:
    """The whole refresh broke off; only a few updated places are white."""
    out = picture.point([level * 120 // 255 for level in range(256)])
    box = (600, 300, 760, 420)
    out.paste(picture.crop(box), box)
    out.paste(255, (900, 600, 1000, 700))
    return out


FAULTS: Dict[str, Tuple[Callable[[Image.Image], Image.Image], str]] = {
    "tiles": (zebra, "difference or merge"),
    "band": (missed_band, "difference or merge"),
    "half": (half_driven, "waveform or panel"),
    "batch": (shifted_batch, "panel: second batch"),
    "paper": (grey_paper, "waveform or panel"),
}


@pytest.mark.parametrize("corners", [FRONT, SLANTED, TURNED], ids=["front", "slanted", "upside-down"])
@pytest.mark.parametrize("name", ["st1", "st5"])
def test_a_good_panel_is_found_good(name: str, corners: Sequence[Point]) -> None:
    assert finding(stage(name), stage(name), corners=corners).layer == "none"


def test_a_good_black_page_under_strong_falling_light_is_found_good() -> None:
    assert finding(stage("st3"), stage("st3"), corners=SLANTED, light=(255, 90)).layer == "none"


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", ["st1", "st5"])
def test_a_fault_is_laid_at_its_layer(name: str, fault: str) -> None:
    damage, layer = FAULTS[fault]
    got = finding(damage(stage(name)), stage(name))
    assert got.layer == layer, got.evidence
    assert got.next_step


def test_a_picture_in_the_wrong_place_is_a_wrong_panel_definition() -> None:
    """PITFALLS A1: the screen lights up but every coordinate is wrong."""
    expected = stage("st4")
    moved = Image.new("L", expected.size, 255)
    moved.paste(expected, (40, 24))
    flat = photo.Flat(moved, 0.0)
    got = diagnose.judge(diagnose.compare(moved, expected), flat, expected)
    assert got.layer == "panel definition"
    assert "moved by 40, 24 px" in got.evidence[-1]


def test_the_straight_picture_lies_within_a_pixel_of_the_panel() -> None:
    """Marks at known places of the card, after perspective and back."""
    straight = photo.straighten(drawn_photo(stage("st1"), SLANTED))
    assert straight.seen == (0, 1, 2, 3, 4, 5)
    for point, side in photo.all_marks():
        x, y = photo.centre_of_ink(straight.image, point, side)
        assert abs(x - point[0]) < 1.0
        assert abs(y - point[1]) < 1.0


def test_marks_that_rows_took_with_them_do_not_bend_the_rest() -> None:
    straight = photo.straighten(drawn_photo(shifted_batch(stage("st1"))))
    assert 2 not in straight.seen
    x, y = photo.centre_of_ink(straight.image, photo.panel_marks()[1], photo.MARK_SIDE)
    assert abs(x - photo.panel_marks()[1][0]) < 1.5


def test_a_photo_without_a_panel_asks_for_a_better_one() -> None:
    table = ImageChops.add(Image.new("L", (1200, 800), 128), Image.effect_noise((1200, 800), 30), 1, -128)
    with pytest.raises(InktopError, match="all four corners in it"):
        photo.straighten(table)


def test_a_panel_that_is_too_small_in_the_photo_asks_to_go_closer() -> None:
    small = drawn_photo(stage("st5")).resize((480, 320))
    with pytest.raises(InktopError, match="Go closer|all four corners"):
        photo.straighten(small)


def test_blobs_join_what_touches_and_only_that() -> None:
    mask = Image.new("L", (20, 10))
    for x, y in [(1, 1), (2, 2), (3, 1), (10, 5), (11, 5), (19, 9)]:
        mask.putpixel((x, y), 255)
    found = sorted((blob.left, blob.top, blob.right, blob.bottom, blob.dark) for blob in photo.blobs(mask))
    assert found == [(1, 1, 4, 3, 3), (10, 5, 12, 6, 2), (19, 9, 20, 10, 1)]


def test_a_homography_takes_its_four_points_there_and_back() -> None:
    forth = photo.homography(photo.panel_marks(), FRONT)
    back = photo.homography(FRONT, photo.panel_marks())
    for point in [*photo.panel_marks(), (960.0, 540.0)]:
        there = photo.apply(forth, point)
        again = photo.apply(back, there)
        assert abs(again[0] - point[0]) < 1e-6
        assert abs(again[1] - point[1]) < 1e-6
    with pytest.raises(InktopError, match="one line"):
        photo.homography(photo.panel_marks(), [(0, 0), (1, 1), (2, 2), (3, 3)])


def test_the_command_tells_layer_evidence_and_next_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shot, marked = tmp_path / "photo.jpg", tmp_path / "wrong.png"
    drawn_photo(zebra(stage("st1"))).save(shot, quality=90)
    expected = str(PICTURES / "st1.png")
    assert cli.main(["diagnose", str(shot), "--expected", expected, "-o", str(marked)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("layer at fault: difference or merge\n")
    assert "multiples of 64 px" in out
    assert "\nnext: " in out
    with Image.open(marked) as picture:
        assert picture.size == (PANEL_WIDTH, PANEL_HEIGHT)
        red, green, _ = picture.convert("RGB").split()
        marked_red = ImageChops.subtract(red, green).point([255 if level > 60 else 0 for level in range(256)])
        share = marked_red.histogram()[255] / (PANEL_WIDTH * PANEL_HEIGHT)
        assert 0.1 < share < 0.4, "about a quarter of the tiles was turned over"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["/nowhere.jpg", "--expected", str(PICTURES / "st1.png")], "Name the photo"),
        ([__file__, "--expected", str(PICTURES / "st1.png")], "Save it as JPEG or PNG"),
        (
            [str(PICTURES / "st1.png"), "--expected", str(PICTURES / "defect-stale-rows.png")],
            "Make it with inktop selftest or inktop render",
        ),
    ],
)
def test_wrong_files_are_named(
    arguments: Sequence[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["diagnose", *arguments]) == 1
    assert words in capsys.readouterr().err
