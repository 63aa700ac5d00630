"""What a person sets on the live page: checked in the page's thread, done in the board's.

A browser sends it only for a person on the page itself: another site's page can neither read the token that
it takes nor send the header that it is in.
"""

from __future__ import annotations

import hmac
import json
import queue
import secrets
import threading
from email.message import Message
from http import HTTPStatus
from typing import Iterator, Tuple
from urllib.parse import urlsplit

#: What the page's form has: settings of taste and place.
SETTINGS = ("clock", "degrees", "middle", "span", "quiet", "rotate")
#: A button of the board: goes on to the next server.
BUTTON = "next"
#: The header that holds the page's token.
HEADER = "X-Inktop-Form"
MOST_BYTES = 256
#: A board that does not answer within this is in a long refresh, or not running.
_ANSWER_S = 5.0

Answer = Tuple[HTTPStatus, str]


class Wish:
    """One setting and its value, and what became of it."""

    def __init__(self, name: str, value: str) -> None:
        self.name = name
        self.value = value
        self._done = threading.Event()
        self._error = ""

    def answer(self, error: str = "") -> None:
        """It is done, or why not."""
        self._error = error
        self._done.set()

    def wait(self) -> Answer:
        """Waits until it is answered."""
        if not self._done.wait(_ANSWER_S):
            return HTTPStatus.SERVICE_UNAVAILABLE, "the board is busy: try again"
        return (HTTPStatus.BAD_REQUEST, self._error) if self._error else (HTTPStatus.OK, "set")


class Wishes:
    """Those that nobody has answered yet. ``make`` and ``taken`` are for two threads."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(16)
        self._open: queue.SimpleQueue[Wish] = queue.SimpleQueue()

    def refusal(self, headers: Message) -> str:
        """Why a request cannot be from the page itself; empty: it is."""
        origin = headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != headers.get("Host"):
            return "only the page itself may set something"
        if headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
            return "only the page itself may set something"
        if not hmac.compare_digest(headers.get(HEADER, "").encode(), self.token.encode()):
            return "the page is from an earlier start: load it again"
        return ""

    def make(self, body: bytes) -> Answer:
        """Takes a request of the page, waits until the board has answered it."""
        try:
            said = json.loads(body)
            name, value = said["name"], said["value"]
        except (ValueError, TypeError, KeyError):
            return HTTPStatus.BAD_REQUEST, 'this is no setting: send {"name": ..., "value": ...}'
        if (
            name not in (*SETTINGS, BUTTON)
            or not isinstance(value, str)
            or not value.isascii()
            or "\0" in value
        ):
            return HTTPStatus.BAD_REQUEST, f"the page sets {', '.join(SETTINGS)}, each to a text"
        wish = Wish(name, value)
        self._open.put(wish)
        return wish.wait()

    def taken(self) -> Iterator[Wish]:
        """The open ones, each once; who takes one answers it."""
        while True:
            try:
                yield self._open.get_nowait()
            except queue.Empty:
                return
