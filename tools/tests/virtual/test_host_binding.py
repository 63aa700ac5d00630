"""The virtual board through its binding: counters, costs by element, buttons, faults."""

from __future__ import annotations

from pathlib import Path
from typing import List

import pytest
from inktop_tools.errors import InktopError
from inktop_tools.virtual import host

ROOT = Path(__file__).resolve().parents[3]
LINES = [
    line + b"\n"
    for line in (ROOT / "protocol/samples/inference.lines").read_bytes().split(b"\n")
    if line.startswith(b"h=")
]


def play(app: host.App, lines: List[bytes], start_ms: int = 0) -> int:
    """A line a second; nobody waits for the panel. The time after the last."""
    now_ms = start_ms
    for line in lines:
        app.received(line, now_ms)
        for _ in range(4):
            app.refresh(now_ms)
            now_ms += 250
    return now_ms


@pytest.fixture
def app() -> host.App:
    made = host.App()
    made.opened(0)
    return made


def test_the_first_refresh_is_a_clear_and_a_wash_then_updates_follow(app: host.App) -> None:
    first = app.refresh(0)
    assert (first.kind, first.why, first.errors) == ("clear_and_wash", "first_frame", 0)
    assert first.duration_ms == 3 * 990
    assert first.rows == 1080
    before = app.panel_bits()
    assert before == app.frame_bits()
    app.received(LINES[0], 2970)
    update = app.refresh(3000)
    assert (update.kind, update.why, update.errors) == ("update", "content_changed", 0)
    assert update.duration_ms == 165
    assert update.flips == sum(bin(one ^ two).count("1") for one, two in zip(before, app.panel_bits()))
    assert app.panel_bits() == app.frame_bits()
    assert app.refresh(3165).kind == "nothing"


def test_flips_by_element_add_up_to_all_flips(app: host.App) -> None:
    play(app, LINES[:120])
    state = app.state()
    elements = app.elements()
    assert state["total_flips"] > 10_000
    assert sum(element["flips"] for element in elements) == state["total_flips"]
    flips = {element["name"]: element["flips"] for element in elements}
    assert flips["gpu0"] > 0
    assert flips["cpu"] > 0
    assert flips["outside"] == 0, "every change belongs to an element"


def test_the_counters_say_what_happened(app: host.App) -> None:
    now_ms = play(app, LINES[:30])
    state = app.state()
    assert state["washes"] == 1
    assert 10 <= state["updates"] <= 15, "one in two seconds, when something changed"
    assert state["updates_since_wash"] == state["updates"]
    assert state["full_passes"] == 3
    assert state["most_flips"] >= 1
    app.press_wash(now_ms)
    play(app, LINES[30:31], now_ms)
    state = app.state()
    assert (state["washes"], state["full_passes"], state["most_flips"]) == (2, 5, 0)


def test_the_status_button_shows_the_status_screen_and_leaves_it(app: host.App) -> None:
    now_ms = play(app, LINES[:4])
    assert app.state()["screen"] == "live"
    app.press_status(now_ms)
    now_ms = play(app, LINES[4:8], now_ms)
    assert app.state()["screen"] == "status"
    app.press_status(now_ms)
    play(app, LINES[8:12], now_ms)
    assert app.state()["screen"] == "live"


def test_a_setting_acts_at_once_and_a_wrong_one_says_where_they_are(app: host.App) -> None:
    now_ms = play(app, LINES[:4])
    before = app.panel_bits()
    app.set("clock", "12")
    app.set("degrees", "F")
    play(app, LINES[4:6], now_ms)
    assert app.panel_bits() != before
    with pytest.raises(InktopError, match="no setting colour"):
        app.set("colour", "red")
    with pytest.raises(InktopError, match="span cannot be 7m"):
        app.set("span", "7m")


def test_a_setting_leaves_those_that_the_board_was_made_with() -> None:
    app = host.App(host.BoardSettings(update_interval_ms=10_000, others=(("clock", "12"),)))
    app.opened(0)
    play(app, LINES[:31])
    assert app.state()["updates"] <= 4


def test_the_third_button_changes_the_span_of_the_graphs(app: host.App) -> None:
    now_ms = play(app, LINES[:60])
    before = app.panel_bits()
    app.press_span(now_ms)
    now_ms = play(app, LINES[59:60] * 3, now_ms)
    hour = app.panel_bits()
    assert hour != before
    assert app.state()["washes"] == 1


def test_a_failed_refresh_is_counted_and_not_taken_for_a_success(app: host.App) -> None:
    now_ms = play(app, LINES[:10])
    app.fail(0, "lines", 2)
    play(app, LINES[10:20], now_ms)
    state = app.state()
    assert state["errors"] == 1
    assert state["washes"] == 2, "clear and wash after the fault"
    assert app.panel_bits() == app.frame_bits()


def test_drawing_from_scratch_changes_nothing(app: host.App) -> None:
    now_ms = play(app, LINES[:60])
    while app.refresh(now_ms).why != "nothing_changed":
        now_ms += 250
    before = app.frame()
    app.redraw(now_ms)
    assert app.frame() == before


def test_the_framebuffer_is_pure_black_and_white(app: host.App) -> None:
    play(app, LINES[:20])
    assert set(app.frame()) <= {0x00, 0x0F, 0xF0, 0xFF}


def test_a_panel_fault_three_times_stops_the_driving_and_says_so(app: host.App) -> None:
    now_ms = 0
    for _ in range(3):
        app.fail(0, "power", 0)
        for _ in range(600):
            now_ms += 1000
            if app.refresh(now_ms).kind != "nothing":
                break
    assert app.refresh(now_ms + 600_000).why == "panel_stopped"
    app.redraw(now_ms)
    assert app.state()["screen"] == "panel_fault"
