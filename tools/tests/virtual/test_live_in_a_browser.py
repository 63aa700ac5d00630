"""The live page in a real browser (Debian's Chromium, headless): it shows what happens, as it happens."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, List, Optional, Tuple

import pytest
from inktop_tools.virtual.replay import ReplayServer, read_lines
from inktop_tools.virtual.virtual_board import SimulatedClock
from PIL import Image, ImageChops

ROOT = Path(__file__).resolve().parents[3]
CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--no-first-run"),
]
WITHIN_MS = 15_000
_POLL_MS = 50

#: True once the page shows the board's picture.
DRAWN = "!document.getElementById('picture').hidden && document.getElementById('picture').complete"


def at_least(fact: str, count: int) -> str:
    """True once that fact of the page is known ("--" before) and as large."""
    return f"parseInt(document.querySelector('#{fact} b').textContent) >= {count}"


class ServerThread:
    """A recorded collector that can be stopped."""

    def __init__(self, sample: str = "inference", speed: float = 1) -> None:
        self._clock = SimulatedClock(speed)
        lines = read_lines(ROOT / f"protocol/samples/{sample}.lines")
        self._server = ReplayServer(lines, self._clock, loop=True, say=lambda _: None)
        self.port = self._server.port
        self._stopping = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stopping:
            self._clock.advance()
            self._server.step()
            time.sleep(0.02)
        self._server.close()

    def stop(self) -> None:
        self._stopping = True
        self._thread.join(5)


class Live:
    """What the tests share: one server, one board, one page in one browser, from the first second on."""

    def __init__(self, page: Any, url: str, server: ServerThread, out: Path) -> None:
        self.page = page
        self.url = url
        self.server = server
        self.out = out
        self.troubles: List[str] = []
        self.requests: List[str] = []
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.troubles.append(text)

    def fact(self, name: str) -> str:
        return str(self.page.text_content(f"#{name} b"))

    def picture(self) -> Optional[str]:
        number = self.page.get_attribute("#picture", "data-number")
        return None if number is None else str(number)

    def until(self, condition: str) -> None:
        """Until that JavaScript is true."""
        # Not wait_for_function: it evaluates text inside the page, which the page's own policy forbids.
        for _ in range(WITHIN_MS // _POLL_MS):
            if self.page.evaluate(condition):
                return
            self.page.wait_for_timeout(_POLL_MS)
        pytest.fail(f"not within {WITHIN_MS} ms: {condition}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if not CHROMIUM.exists():
        pytest.fail("/usr/bin/chromium is missing: run the tests with `make test`, which brings it")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)


@pytest.fixture(scope="module")
def live(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with page_of(browser, [ServerThread()], tmp_path_factory.mktemp("live")) as shown:
        yield shown


@contextmanager
def page_of(browser: Any, servers: List[ServerThread], out: Path) -> Iterator[Live]:
    """A board of these servers and its page in the browser."""
    connects = [part for server in servers for part in ("--connect", f"127.0.0.1:{server.port}")]
    board = subprocess.Popen(
        [
            *(sys.executable, "-m", "inktop_tools.cli", "board", *connects),
            *("--out", str(out), "--http", "0"),
        ],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT / "tools",
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "tools"), str(ROOT / "protocol")])},
    )
    try:
        assert board.stdout is not None
        match = re.search(r"http://\S+", board.stdout.readline())
        assert match is not None
        threading.Thread(target=board.stdout.read, daemon=True).start()
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        made = Live(page, match[0], servers[0], out)
        page.goto(match[0])
        yield made
        page.close()
    finally:
        board.terminate()
        board.wait(10)
        for server in servers:
            server.stop()


def test_the_panel_appears_with_the_first_lines(live: Live) -> None:
    live.until(DRAWN)
    assert live.page.evaluate("document.getElementById('picture').naturalWidth") == 1920
    live.until("document.querySelector('#link b').textContent === 'connected'")
    live.until("document.getElementById('line').textContent.startsWith('h=t7910')")
    live.until(at_least("washes", 1))
    assert int(live.fact("washes")) == 1


def test_the_picture_changes_as_lines_arrive(live: Live) -> None:
    before = live.picture()
    line = live.page.text_content("#line")
    live.until(f"document.getElementById('picture').dataset.number !== '{before}'")
    # Picture and line are events of their own: which comes first is not promised.
    live.until(f"document.getElementById('line').textContent !== {json.dumps(line)}")
    live.until(at_least("updates", 1))
    live.until(at_least("flips", 1))
    live.until("document.querySelectorAll('#refreshes tr').length >= 2")
    rows = live.page.locator("#refreshes tr").all_text_contents()
    assert any("update" in row and "content changed" in row for row in rows)
    assert any("clear and wash" in row and "first frame" in row for row in rows)


@pytest.mark.parametrize("size", [(1200, 900), (390, 844), (844, 390)], ids=["desktop", "phone", "landscape"])
def test_a_person_sees_the_panel_and_all_of_the_table(
    live: Live, size: Tuple[int, int], tmp_path: Path
) -> None:
    live.page.set_viewport_size({"width": size[0], "height": size[1]})
    live.until(DRAWN)
    live.until("document.getAnimations().every((one) => one.playState !== 'running')")
    assert live.page.is_visible("#picture")
    assert not live.page.is_visible("#none")
    assert live.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert live.page.evaluate(
        "((box) => box.scrollWidth <= box.clientWidth)(document.querySelector('.scroll'))"
    ), "no column of the table is cut off"
    assert live.page.evaluate(
        "((panel) => panel.bottom <= innerHeight && panel.right <= innerWidth)"
        "(document.getElementById('panel').getBoundingClientRect())"
    ), "the whole panel is seen at one look"
    line_px = "parseFloat(getComputedStyle(document.querySelector('#link b')).lineHeight)"
    assert live.page.evaluate(
        f"document.querySelector('#link b').getBoundingClientRect().height <= {line_px} + 1"
    ), "the usual word about the link is on one line"
    live.page.screenshot(path=str(tmp_path / "page.png"), full_page=True)
    # What is on the screen is the board's picture and nothing else: compared in tiles, as scaling blurs it.
    for _ in range(5):
        before = live.picture()
        seen = Image.open(io.BytesIO(live.page.locator("#panel").screenshot())).convert("L")
        expected = Image.open(io.BytesIO(live.page.request.get(live.url + "panel.png").body())).convert("L")
        if live.picture() == before:
            break
    tiles = (48, 27)
    difference = ImageChops.difference(
        seen.resize(tiles, Image.Resampling.BOX), expected.resize(tiles, Image.Resampling.BOX)
    )
    assert sum(difference.histogram()[40:]) == 0
    live.page.set_viewport_size({"width": 1200, "height": 900})


def test_the_longest_word_about_the_link_is_seen_whole_on_a_phone(live: Live) -> None:
    live.page.set_viewport_size({"width": 390, "height": 844})
    said = "page lost: is the demo still running?"
    assert said in live.page.content()
    assert live.page.evaluate(
        f"((box) => (box.textContent = '{said}') && box.scrollWidth <= box.clientWidth && "
        "getComputedStyle(box).whiteSpace !== 'nowrap')(document.querySelector('#link b'))"
    )
    live.page.set_viewport_size({"width": 1200, "height": 900})


def test_a_setting_is_chosen_by_keyboard_alone_and_acts(live: Live) -> None:
    page = live.page
    live.until("document.querySelector('#settings select[name=clock]').value === '24'")
    page.focus("select[name=clock]")
    before = live.picture()
    page.keyboard.press("ArrowDown")
    live.until("document.getElementById('said').textContent.startsWith('set: ')")
    live.until(f"document.getElementById('picture').dataset.number !== '{before}'")
    assert page.input_value("select[name=clock]") == "12"
    # The next ones are reached by Tab, in the order in which they are read.
    names = []
    for _ in range(5):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.name || document.activeElement.id"))
    assert names == ["degrees", "middle", "span", "rotate", "quiet"]
    page.keyboard.press("Space")
    live.until("!document.getElementById('from').disabled")
    live.until("document.getElementById('said').textContent.startsWith('set: ')")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")  # 23:00
    live.until("document.getElementById('from').value === '23'")
    page.keyboard.press("ArrowUp")
    page.focus("#quiet")
    page.keyboard.press("Space")
    live.until("document.getElementById('from').disabled")
    page.focus("select[name=clock]")
    page.keyboard.press("ArrowUp")
    live.until("document.querySelector('#settings select[name=clock]').value === '24'")


def test_a_panel_turned_on_its_side_is_seen_upright_and_whole(live: Live, tmp_path: Path) -> None:
    page = live.page
    page.select_option("select[name=rotate]", "90")
    live.until("document.getElementById('picture').naturalHeight === 1920")
    live.until("document.querySelector('#link b').textContent === 'connected'")
    for size in ((1200, 900), (390, 844), (844, 390)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate("scrollTo(0, 0)")
        live.until("document.getAnimations().every((one) => one.playState !== 'running')")
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        box = page.evaluate("(({width, height}) => [width, height])(panel.getBoundingClientRect())")
        assert abs(box[1] / box[0] - 1920 / 1080) < 0.02
        assert box[1] <= size[1]
        page.screenshot(path=str(tmp_path / f"turned-{size[0]}.png"), full_page=True)
    page.set_viewport_size({"width": 1200, "height": 900})
    page.select_option("select[name=rotate]", "0")
    live.until("document.getElementById('picture').naturalHeight === 1080")
    live.until("document.querySelector('#link b').textContent === 'connected'")


def test_the_servers_of_a_board_are_listed_and_the_next_is_shown(browser: Any, tmp_path: Path) -> None:
    servers = [ServerThread("inference"), ServerThread("small")]
    with page_of(browser, servers, tmp_path) as two:
        page = two.page

        def rows() -> List[List[str]]:
            return [row.locator("td").all_inner_texts() for row in page.locator("#servers tr").all()]

        def until(condition: Callable[[], bool]) -> None:
            for _ in range(WITHIN_MS // _POLL_MS):
                if condition():
                    return
                page.wait_for_timeout(_POLL_MS)
            pytest.fail(f"not within {WITHIN_MS} ms: {rows()}")

        places = [f"127.0.0.1:{server.port}" for server in servers]
        until(
            lambda: (
                [row[:1] + row[4:] for row in rows()]
                == [[f"t7910\n{places[0]}", "in the grid"], [f"nas\n{places[1]}", "in the grid"]]
            )
        )
        until(lambda: all(row[1] == "connected" and re.fullmatch(r"\d s", row[2]) for row in rows()))
        assert two.fact("link") == "2 of 2 up"
        assert not page.evaluate("document.getElementById('link').classList.contains('bad')")
        for size in ((1200, 900), (390, 844), (844, 390)):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
            assert page.evaluate(
                "((box) => box.scrollWidth <= box.clientWidth)(document.querySelector('.scroll'))"
            )
            page.screenshot(path=str(tmp_path / f"servers-{size[0]}.png"), full_page=True)
        before = two.picture()
        page.focus("#next")
        page.keyboard.press("Enter")
        until(lambda: [row[4] for row in rows()] == ["large", ""])
        two.until(f"document.getElementById('picture').dataset.number !== '{before}'")
        # The one that ends says why, the other goes on.
        servers[1].stop()
        until(lambda: "refused" in rows()[1][1] and rows()[1][1].startswith("searching"))
        assert rows()[0][1] == "connected"
        assert two.fact("link") == "1 of 2 up"
        assert page.evaluate("document.getElementById('link').classList.contains('bad')")
        assert two.troubles == []


def test_a_board_with_one_server_lists_none(live: Live) -> None:
    live.until(DRAWN)
    assert not live.page.is_visible("#several")


def test_a_link_loss_shows(live: Live) -> None:
    live.server.stop()
    live.until("document.querySelector('#link b').textContent === 'searching'")
    live.until("document.getElementById('link').classList.contains('bad')")
    before = live.picture()
    live.until("parseInt(document.querySelector('#age b').textContent) >= 3")
    # The board itself marks its data as old: that is a new picture, too.
    live.until(f"document.getElementById('picture').dataset.number !== '{before}'")


def test_the_page_asks_for_nothing_from_elsewhere_and_has_no_error(live: Live) -> None:
    live.until(DRAWN)
    assert live.troubles == []
    assert len(live.requests) >= 3
    assert all(url.startswith(("http://127.0.0.1:", "data:")) for url in live.requests), live.requests
