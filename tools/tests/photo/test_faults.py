"""What is said of made photos of faults and of healthy panels; `make diagnose-bench` makes thousands."""

from __future__ import annotations

import warnings
from typing import List

import cv2
import numpy as np
import pytest
from inktop_tools.photo import expected, verdict
from inktop_tools.photo.lens import Lens
from tests.photo import damage, maker
from tests.photo.bench import HEALTHY, Result, Shot, judge, photo_of, pictures

MEGAPIXELS = 1.5


@pytest.mark.parametrize(
    ("fault", "grade"),
    [
        (HEALTHY, "hard"),
        ("zebra", "easy"),
        ("dead-block", "medium"),
    ],
)
def test_a_photo_leads_to_the_layer_of_its_fault(fault: str, grade: str) -> None:
    result = judge(Shot(fault, grade, 11, MEGAPIXELS))
    assert result.right, f"{result.layer}: {result.text}"


@pytest.mark.soak
@pytest.mark.parametrize(
    ("fault", "grade", "seed"),
    [
        ("half-old", "easy", 26_000),  # what was there before is not known
        ("old-band", "easy", 25_000),
        ("moved", "easy", 14_000),
        ("moved", "hard", 14_000),
        ("cache-lines", "easy", 6000),  # and not an area that has faded
        ("nibbles-swapped", "medium", 7000),  # neighbours only, under blur
        ("rows-missing", "easy", 3000),  # the lens must not bend until it explains them
        ("smaller", "medium", 15_000),  # light must not follow white that should be black
        ("faded-area", "medium", 21_000),
        ("half-driven", "easy", 30_000),
    ],
)
def test_what_was_once_taken_for_something_else_is_not_again(fault: str, grade: str, seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        result = judge(Shot(fault, grade, seed, 2.0))
    assert result.right, f"{result.layer}: {result.text}"


def test_rows_that_a_fault_moved_do_not_bend_the_lens() -> None:
    panel, size = np.array([1920.0, 1080.0]), np.array([1600.0, 1200.0])
    straight = np.array([[0.7, 0, 120], [0, 0.7, 200], [0, 0, 1]])
    points = np.stack(np.meshgrid(np.arange(40, 1920, 60), np.arange(40, 1080, 60)), axis=-1).reshape(-1, 2)
    points = points.astype(float)
    seen = points * 0.7 + [120, 200]
    seen[points[:, 1] < 300] += [0, 20]
    lens = Lens.of_perspective(straight, panel, size).fitted(points, seen, 0.7, bend=True)
    below = points[:, 1] >= 300
    assert np.linalg.norm(lens.without_field(points[below]) - seen[below], axis=1).max() < 0.7


@pytest.mark.soak
def test_a_rich_picture_that_nothing_matches_is_unknown() -> None:
    dice = np.random.default_rng(3)
    spots = cv2.GaussianBlur(dice.normal(0, 1, (1080, 1920)), (0, 0), 4)
    noise = np.full((1080, 1920), 255, np.uint8)
    noise[80:-80, 80:-80][spots[80:-80, 80:-80] > 0] = 0
    known = pictures()
    photo = photo_of(maker.take(noise, 4, "easy", MEGAPIXELS).jpeg)
    one = verdict.diagnose(photo, expected.Wanted({"ST1": known["ST1"]}))
    assert one.layer == "unknown", one.text
    assert one.evidence


def test_the_same_seed_makes_the_same_photo() -> None:
    white = np.full((1080, 1920), 255, np.uint8)
    assert maker.take(white, 5, "hard", 0.3).jpeg == maker.take(white, 5, "hard", 0.3).jpeg
    assert maker.take(white, 5, "hard", 0.3).jpeg != maker.take(white, 6, "hard", 0.3).jpeg


def _judged(fault: str, grade: str, count: int, first: int) -> List[Result]:
    return [judge(Shot(fault, grade, first + index, MEGAPIXELS)) for index in range(count)]


@pytest.mark.soak
# As measured, so that a change for the worse is seen; what is aimed at is in tools/README.md.
@pytest.mark.parametrize(("grade", "alarms", "unusable"), [("easy", 0, 0), ("medium", 0, 0), ("hard", 1, 1)])
def test_healthy_panels_raise_no_alarm(grade: str, alarms: int, unusable: int) -> None:
    results = _judged(HEALTHY, grade, 25, 2000)
    false = [f"{one.shot.seed}: {one.layer}, {one.text}" for one in results if one.found]
    assert len(false) <= alarms, false
    assert sum(one.layer == "unusable" for one in results) <= unusable


@pytest.mark.soak
@pytest.mark.parametrize("grade", maker.GRADES)
def test_faults_are_found_and_most_layers_are_right(grade: str) -> None:
    results = [one for fault in damage.FAULTS for one in _judged(fault, grade, 1, 3001)]
    found = [one for one in results if one.found]
    right = [one for one in found if one.right]
    # One small photo of each fault, faint ones too: a little less than was measured (of 30, found and right:
    # 30 and 29, 29 and 26, 28 and 26), so that a change for the worse is seen.
    least = {"easy": (0.95, 0.92), "medium": (0.92, 0.85), "hard": (0.88, 0.85)}[grade]
    told = [f"{one.shot.fault}: {one.layer}, {one.text}" for one in results if not one.right]
    assert len(found) >= least[0] * len(results), told
    assert len(right) >= least[1] * len(found), told
