"""What is said of made photos of faults and of healthy panels; `make diagnose-bench` makes thousands."""

from __future__ import annotations

from typing import List

import numpy as np
import pytest
from tests.photo import damage, maker
from tests.photo.bench import HEALTHY, Result, Shot, judge

MEGAPIXELS = 1.5


@pytest.mark.parametrize(
    ("fault", "grade"),
    [
        (HEALTHY, "hard"),
        ("zebra", "easy"),
        pytest.param("rows-shifted", "easy", marks=pytest.mark.soak),
        pytest.param("dead-block", "medium", marks=pytest.mark.soak),
    ],
)
def test_a_photo_leads_to_the_layer_of_its_fault(fault: str, grade: str) -> None:
    result = judge(Shot(fault, grade, 11, MEGAPIXELS))
    assert result.right, f"{result.layer}: {result.text}"


def test_the_same_seed_makes_the_same_photo() -> None:
    white = np.full((1080, 1920), 255, np.uint8)
    assert maker.take(white, 5, "hard", 0.3).jpeg == maker.take(white, 5, "hard", 0.3).jpeg
    assert maker.take(white, 5, "hard", 0.3).jpeg != maker.take(white, 6, "hard", 0.3).jpeg


def _judged(fault: str, grade: str, count: int, first: int) -> List[Result]:
    return [judge(Shot(fault, grade, first + index, MEGAPIXELS)) for index in range(count)]


@pytest.mark.soak
@pytest.mark.parametrize(("grade", "alarms", "unusable"), [("easy", 0, 0), ("medium", 0, 1), ("hard", 1, 7)])
def test_healthy_panels_raise_no_alarm(grade: str, alarms: int, unusable: int) -> None:
    results = _judged(HEALTHY, grade, 25, 2000)
    false = [f"{one.shot.seed}: {one.layer}, {one.text}" for one in results if one.found]
    assert len(false) <= alarms, false
    assert sum(one.layer == "unusable" for one in results) <= unusable


@pytest.mark.soak
@pytest.mark.parametrize("grade", maker.GRADES)
def test_faults_are_found_and_most_layers_are_right(grade: str) -> None:
    results = [one for fault in damage.FAULTS for one in _judged(fault, grade, 2, 3001)]
    found = [one for one in results if one.found]
    right = [one for one in found if one.right]
    # Small photos, and faint faults among them: a little less than was measured (easy: 53 of 60 found), so
    # that a change for the worse is seen. What is aimed at is higher: see `make diagnose-bench`.
    least = {"easy": (0.85, 0.85), "medium": (0.85, 0.8), "hard": (0.7, 0.65)}[grade]
    told = [f"{one.shot.fault}: {one.layer}, {one.text}" for one in results if not one.right]
    assert len(found) >= least[0] * len(results), told
    assert len(right) >= least[1] * len(found), told
