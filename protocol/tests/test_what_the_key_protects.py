"""Each sentence of the specification's section "What the key protects" has a test, named here."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, List, Tuple

ROOT = Path(__file__).parents[2]
KEY = "collector/tests/test_key.py"
SERVER = "collector/tests/test_server.py"
TRUST = "firmware/test/trust_test.cpp"
LINK = "firmware/test/link_test.cpp"
APP = "firmware/test/app_test.cpp"
VECTORS = "protocol/tests/test_vectors.py"
#: The beginning of each sentence, in order, and what tests it.
TESTED: Tuple[Tuple[str, Tuple[Tuple[str, str], ...]], ...] = (
    ("A stranger who", ((KEY, "test_with_a_key_a_stranger_learns_a_nonce_and_nothing_else"),)),
    (
        "Whoever has no key",
        (
            (SERVER, "test_with_a_key_no_line_leaves_before_the_right_hello"),
            (SERVER, "test_a_wrong_key_ends_the_connection_with_one_log_line"),
        ),
    ),
    ("A hello that was", ((SERVER, "test_an_old_answer_does_not_fit_a_new_nonce"),)),
    (
        "A key has at least",
        (
            (KEY, "test_a_key_can_be_tried_against_a_recorded_hello"),
            ("collector/tests/test_config.py", '"key = short", "16 to 64"'),
        ),
    ),
    (
        "A board with a key shows nothing",
        (
            (
                "firmware/test/device/board_test.cpp",
                "A keyed board shows nothing of a server without the key",
            ),
            (LINK, "a keyed board remembers no server without the key, says so, and goes on to the next"),
        ),
    ),
    (
        "It leaves such a server",
        (
            (LINK, "a keyed board remembers no server without the key, says so, and goes on to the next"),
            (APP, "a server that does not prove the key is named on the screen"),
        ),
    ),
    (
        "That holds for",
        ((LINK, "a keyed board leaves a server that mDNS has named when it does not prove the key"),),
    ),
    (
        "A line that was changed",
        ((TRUST, "a line that was changed, invented or sealed with another key is not believed"),),
    ),
    (
        "Nor is a line that was repeated",
        (
            (TRUST, "a line that is repeated, or comes after a later one, is not believed"),
            (VECTORS, "test_no_line_of_a_keyed_stream_is_believed_twice_or_after_a_later_one"),
        ),
    ),
    (
        "Nor is a line of another",
        (
            (TRUST, "a line of another connection is not believed, be it to the same board"),
            (KEY, "test_each_board_has_a_stream_of_its_own"),
        ),
    ),
    (
        "Nor is a line that is sent back",
        ((TRUST, "a line that comes back to the board that wrote it is not believed"),),
    ),
    (
        "A line that is not believed",
        ((LINK, "a keyed board that is shown a wrong seal in the middle of a stream leaves at once"),),
    ),
    (
        "Lines that are lost",
        ((TRUST, "lines that are lost on the way do no harm to those behind them"),),
    ),
    (
        "The collector holds what",
        ((KEY, "test_a_line_that_its_board_has_not_sealed_ends_the_connection"),),
    ),
    (
        "An announcement tells",
        ((KEY, "test_with_a_key_an_announcement_says_where_and_when_and_each_one_is_later"),),
    ),
    (
        "A board with a key uses none",
        (
            (TRUST, "an announcement without the key, without a time or signed with another key"),
            (LINK, "a keyed board ignores an announcement without the right mac"),
        ),
    ),
    (
        "It uses none as old",
        (
            (TRUST, "an announcement as old as one that was heard, or older, is not believed"),
            (LINK, "a keyed board that an old announcement has misled leaves that server"),
        ),
    ),
    ("Whoever sits between", ((KEY, "test_a_relay_reads_every_line_and_can_change_none"),)),
    ("He can change", ((KEY, "test_a_relay_reads_every_line_and_can_change_none"),)),
    (
        "He can hold",
        (
            (
                "firmware/test/device/board_test.cpp",
                "A stalled stream is dropped after 12 s and taken up again",
            ),
        ),
    ),
    ("A board without a key", ((TRUST, "without a key everything is believed, and nothing is signed"),)),
    (
        "A board of an older",
        ((KEY, "test_a_board_too_old_for_a_nonce_gets_its_lines_unsealed_and_the_log_says_so"),),
    ),
)


def sentences() -> List[str]:
    text = (ROOT / "protocol/README.md").read_text(encoding="utf-8")
    section = re.search(r"^## \d+\. What the key protects\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    assert section is not None
    return re.split(r"(?<=\.)\s+", " ".join(section[1].split()))


def test_each_sentence_of_what_the_key_protects_is_tested_in_order() -> None:
    found = sentences()
    assert len(found) == len(TESTED)
    for sentence, (begin, tests) in zip(found, TESTED):
        assert sentence.startswith(begin), sentence
        assert tests


def test_each_test_that_a_sentence_names_is_there() -> None:
    files: Dict[str, str] = {}
    for _, tests in TESTED:
        for path, name in tests:
            text = files.setdefault(path, (ROOT / path).read_text(encoding="utf-8"))
            if path.endswith(".cpp"):
                assert f'TEST_CASE("{name}' in text, name
            else:
                assert (f"def {name}(" if name.startswith("test_") else name) in text, name
