"""The live page: what it serves, and to whom."""

from __future__ import annotations

import http.client
import io
import threading
import time
from typing import Dict, Iterator, Tuple

import pytest
from inktop_tools.errors import InktopError
from inktop_tools.virtual import wishes
from inktop_tools.virtual.live import INK, MOST_CONNECTIONS, PAPER, LivePage
from inktop_tools.virtual.wishes import HEADER
from PIL import Image


@pytest.fixture
def page() -> Iterator[LivePage]:
    live = LivePage(port=0)
    yield live
    live.close()


def _get(page: LivePage, path: str, host: str = "127.0.0.1") -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=10)
    connection.request("GET", path, headers={"Host": f"{host}:{page.port}"})
    return connection.getresponse()


def test_the_page_is_served_and_needs_nothing_from_the_network(page: LivePage) -> None:
    response = _get(page, "/")
    text = response.read().decode()
    assert response.status == 200
    assert "https://" not in text
    assert "http://" not in text


def test_the_picture_has_the_tones_of_ink_and_paper(page: LivePage) -> None:
    assert _get(page, "/panel.png").status == 404
    page.picture(bytes([0, 255, 0, 255]), (2, 2))
    picture = Image.open(io.BytesIO(_get(page, "/panel.png").read())).convert("RGB")
    assert picture.size == (2, 2)
    assert picture.getpixel((0, 0)) == INK
    assert picture.getpixel((1, 1)) == PAPER


def test_a_name_that_points_to_loopback_from_elsewhere_is_refused(page: LivePage) -> None:
    assert _get(page, "/", host="evil.example").status == 403


def test_an_event_stream_carries_state_picture_and_refresh(page: LivePage) -> None:
    response = _get(page, "/events")
    assert response.readline() == b"event: state\n"
    page.update({"link": "connected"})
    page.picture(bytes(4), (2, 2))
    page.refresh("wash", "interval_reached", 2000)
    text = b""
    while not (b"event: state" in text and b"event: picture" in text and b"event: refresh" in text):
        line = response.readline()
        assert line, "the stream ended early"
        text += line
    text += response.readline()
    assert b'data: {"link": "connected"}' in text
    assert b'"ms": 2000' in text


def test_a_taken_port_is_an_error_that_names_the_next_step(page: LivePage) -> None:
    with pytest.raises(InktopError, match="--http PORT"):
        LivePage(port=page.port)


def test_closing_ends_open_streams() -> None:
    page = LivePage(port=0)
    response = _get(page, "/events")
    page.update({"link": "connected"})
    page.close()
    while response.readline():
        pass


def test_head_is_answered_like_get_without_the_body(page: LivePage) -> None:
    page.picture(bytes(4), (2, 2))
    for path in ("/", "/panel.png", "/events", "/none"):
        connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=10)
        connection.request("HEAD", path)
        response = connection.getresponse()
        assert response.status == (404 if path == "/none" else 200)
        assert response.read() == b""


def test_no_other_site_may_frame_read_or_reinterpret_the_page(page: LivePage) -> None:
    for path in ("/", "/panel.png", "/events"):
        headers = _get(page, path).headers
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_the_page_says_how_it_is_reached_from_elsewhere(page: LivePage) -> None:
    text = _get(page, "/").read().decode()
    assert f"ssh -L {page.port}:127.0.0.1:{page.port} " in text
    assert "/panel.png" in text


def test_the_page_explains_the_sweep_and_the_flash(page: LivePage) -> None:
    text = " ".join(_get(page, "/").read().decode().split())
    assert "a bar sweeps over each from left to right" in text
    assert "flashes black and white when it is washed" in text


def test_on_the_network_only_who_has_the_token_sees_the_board() -> None:
    page = LivePage(port=0, bind="0.0.0.0")
    try:
        assert f"?token={page.token}" in page.url
        assert len(page.token) >= 16
        for path in ("/", "/panel.png", "/events", "/?token=wrong", "/?token="):
            assert _get(page, path, host="server").status == 403
        response = _get(page, f"/?token={page.token}", host="server")
        assert response.status == 200
        cookie = response.headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=10)
        connection.request("GET", "/events", headers={"Cookie": cookie.split(";")[0]})
        assert connection.getresponse().status == 200
    finally:
        page.close()


def test_more_connections_than_a_browser_needs_are_turned_away_and_later_ones_served(page: LivePage) -> None:
    before = threading.active_count()
    held = [_get(page, "/events") for _ in range(MOST_CONNECTIONS)]
    with pytest.raises((http.client.HTTPException, OSError)):
        _get(page, "/")
    assert threading.active_count() <= before + MOST_CONNECTIONS
    for response in held:
        response.close()
    page.update({"link": "connected"})  # the streams notice when they next write
    for _ in range(200):
        page.update({"link": "connected"})
        try:
            assert _get(page, "/").status == 200
            break
        except (http.client.HTTPException, OSError):
            time.sleep(0.05)
    else:
        pytest.fail("no place became free")


# -- what is set on the page --


def _set(
    page: LivePage, body: bytes, path: str = "/settings", host: str = "127.0.0.1", **headers: str
) -> Tuple[int, str]:
    """Answers as a board would that takes every value but "bad"."""
    stopped = threading.Event()

    def board() -> None:
        while not stopped.is_set():
            for wish in page.wishes.taken():
                wish.answer("clock cannot be bad" if wish.value == "bad" else "")
            time.sleep(0.01)

    thread = threading.Thread(target=board)
    thread.start()
    try:
        connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=10)
        sent = {"Host": f"{host}:{page.port}", HEADER: page.wishes.token}
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        connection.request("POST", path, body, sent)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        stopped.set()
        thread.join()


CLOCK = b'{"name": "clock", "value": "12"}'


def test_the_page_sets_what_the_board_takes_and_says_what_it_does_not(page: LivePage) -> None:
    assert _set(page, CLOCK) == (200, "set\n")
    assert _set(page, b'{"name": "clock", "value": "bad"}') == (400, "clock cannot be bad\n")


def test_the_pages_own_script_has_the_token(page: LivePage) -> None:
    text = _get(page, "/").read().decode()
    assert f'<meta name="form" content="{page.wishes.token}">' in text
    assert "{form}" not in text
    assert len(page.wishes.token) >= 16


@pytest.mark.parametrize(
    "headers",
    [
        {HEADER: ""},
        {HEADER: "x" * 22},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_another_sites_page_cannot_set_anything(page: LivePage, headers: Dict[str, str]) -> None:
    assert _set(page, CLOCK, **headers)[0] == 403
    assert list(page.wishes.taken()) == []


def test_a_browser_on_the_page_itself_may_set(page: LivePage) -> None:
    own = {"Origin": f"http://127.0.0.1:{page.port}", "Sec_Fetch_Site": "same-origin"}
    assert _set(page, CLOCK, **own)[0] == 200


def test_a_name_that_points_to_loopback_from_elsewhere_cannot_set(page: LivePage) -> None:
    assert _set(page, CLOCK, host="evil.example")[0] == 403


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b'"clock"', 400),
        (b'{"name": "clock"}', 400),
        (b'{"name": "clock", "value": 12}', 400),
        (b'{"name": "key", "value": "correct horse battery"}', 400),
        (b'{"name": ["clock"], "value": "12"}', 400),
        (b'{"name": "clock", "value": "1\\u00002"}', 400),
        (b'{"name": "clock", "value": "\xc3\xbc"}', 400),
        (b'{"name": "clock", "value": "\xff"}', 400),
        (b'{"name": "clock", "value": "' + b"1" * 300 + b'"}', 413),
    ],
)
def test_what_is_no_setting_is_refused(page: LivePage, body: bytes, status: int) -> None:
    assert _set(page, body)[0] == status
    assert _get(page, "/").status == 200


def test_a_request_without_its_length_or_to_elsewhere_is_refused(page: LivePage) -> None:
    assert _set(page, CLOCK, path="/")[0] == 404
    assert _set(page, CLOCK, Content_Length="-1")[0] == 413
    assert _set(page, CLOCK, Content_Length="ten")[0] == 413


def test_a_board_that_does_not_answer_is_said(page: LivePage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wishes, "_ANSWER_S", 0.05)
    connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=10)
    connection.request("POST", "/settings", CLOCK, {HEADER: page.wishes.token})
    response = connection.getresponse()
    assert (response.status, response.read()) == (503, b"the board is busy: try again\n")
