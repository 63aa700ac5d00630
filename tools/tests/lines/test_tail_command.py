"""`inktop tail`: what a collector says reaches the terminal as text, whatever it sends."""

from __future__ import annotations

import pytest
from inktop_tools.lines.tail import in_words


@pytest.mark.parametrize("bad", [b"\x1b]0;title\x07", b"\x1b[2J", b"a\rb", b"\x9b31m", b"\x7f\x00\n"])
def test_no_control_character_of_a_bad_line_reaches_the_terminal(bad: bytes) -> None:
    said = in_words(bad)
    assert said.startswith("bad line (charset): ")
    assert all(" " <= character <= "~" for character in said)


def test_a_bad_line_is_shown_as_it_is_where_that_is_text() -> None:
    assert in_words(b"h=a*0000") == "bad line (checksum): h=a*0000"
