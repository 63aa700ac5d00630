"""`inktop tail`: what a collector says reaches the terminal as text, whatever it sends."""

from __future__ import annotations

import pytest
from inktop_protocol import Fleet, FleetPower, FleetVram, UpOf, Worst, encode_fleet
from inktop_tools.lines.tail import in_words


@pytest.mark.parametrize("bad", [b"\x1b]0;title\x07", b"\x1b[2J", b"a\rb", b"\x9b31m", b"\x7f\x00\n"])
def test_no_control_character_of_a_bad_line_reaches_the_terminal(bad: bytes) -> None:
    said = in_words(bad)
    assert said.startswith("bad line (charset): ")
    assert all(" " <= character <= "~" for character in said)


def test_a_bad_line_is_shown_as_it_is_where_that_is_text() -> None:
    assert in_words(b"h=a*0000") == "bad line (checksum): h=a*0000"


def test_a_fleet_is_said_in_words() -> None:
    fleet = Fleet(
        "rack7", time="12:14", source="stale", machines=UpOf(498, 500), gpus=UpOf(3981, None),
        busy_percent=71, power=FleetPower(1204000, None), vram=FleetVram(2048, 4096), wrong=9,
        worst=(Worst("node17", "down", 340), Worst("node3", "lost", 1, "gpu5")),
    )  # fmt: skip
    assert in_words(encode_fleet(fleet)) == (
        "12:14 rack7  machines 498/500  GPUs 3981/--  busy 71%  1204000/-- W  VRAM 2.0/4.0 GiB"
        "  ! source stale  ! node17 down 340  ! node3 gpu5 lost 1  ! 7 more"
    )
    assert in_words(encode_fleet(Fleet("rack7"))) == "--:-- rack7  machines --/--  GPUs --/--  busy --"
