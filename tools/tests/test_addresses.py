"""The names of servers: one table, which the commands and the board's own code must both agree with."""

from __future__ import annotations

import ctypes
from typing import Optional, Tuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inktop_tools.addresses import parse_server
from inktop_tools.errors import InktopError
from inktop_tools.virtual.library import library

GOOD = [
    ("t7910", "t7910", 7910),
    ("t7910.example:80", "t7910.example", 80),
    ("my_server-2", "my_server-2", 7910),
    ("192.0.2.17", "192.0.2.17", 7910),
    ("192.0.2.17:65535", "192.0.2.17", 65535),
    ("a:00080", "a", 80),
    ("x" * 63, "x" * 63, 7910),
    ("2001:db8::1", "2001:db8::1", 7910),
    ("fe80::1", "fe80::1", 7910),
    ("::1", "::1", 7910),
    ("::", "::", 7910),
    ("1::", "1::", 7910),
    ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8", 7910),
    ("[2001:DB8::1]", "2001:DB8::1", 7910),
    ("[2001:db8::1]:81", "2001:db8::1", 81),
]
BAD = [
    *(
        "",
        ":80",
        "host:",
        "host:0",
        "host:65536",
        "host:99999999999999999999",
        "host:x",
        "host:8x",
        "host:-1",
    ),
    *("host:+1", "host: 80", "host:\u00b2", "two words", "a,b", "h\u00f6st", "-host", ".host", "_host"),
    *("x" * 64, "[::1", "[::1]9", "[::1]:", "[::1]:0", "[host]", "[192.0.2.1]", "[]", "::1]", "http://a"),
    *("1:2:3", "a:b:c", "1:2:3:4:5:6:7:8:9", "1::2::3", ":::", "1:2:3:4:5:6:7:", ":1:2:3:4:5:6:7", "12345::"),
    *("::g", "1:2:3:4:5:6:7::8", "::ffff:192.0.2.1", "fe80::1%eth0", "[fe80::1%eth0]:80"),
]


def in_python(text: str) -> Optional[Tuple[str, int]]:
    try:
        return parse_server(text)
    except InktopError:
        return None


def on_the_board(text: str) -> Optional[Tuple[str, int]]:
    host = ctypes.create_string_buffer(64)
    port = ctypes.c_int32()
    if not library().inktop_parse_server(text.encode(), host, len(host), ctypes.byref(port)):
        return None
    return host.value.decode(), port.value


@pytest.mark.parametrize(("text", "host", "port"), GOOD)
def test_a_server_is_read_alike_by_the_commands_and_the_board(text: str, host: str, port: int) -> None:
    assert in_python(text) == (host, port)
    assert on_the_board(text) == (host, port)


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_server_is_refused_by_both_and_the_command_names_what_is(text: str) -> None:
    assert on_the_board(text) is None
    with pytest.raises(InktopError, match="HOST:PORT|global address"):
        parse_server(text)


@given(st.one_of(st.text("12af:.[]%-_ 0gG", max_size=24), st.ip_addresses(v=6).map(str)))
def test_both_agree_on_any_text(text: str) -> None:
    assert in_python(text) == on_the_board(text)
