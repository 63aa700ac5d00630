"""The live page: the virtual board in a browser, kept up by server-sent events.

Nothing here draws or decides: the panel's grey levels and the state come in, a page goes out.
Pictures are encoded only when somebody looks.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import html
import io
import json
import re
import secrets
import socket
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple
from urllib.parse import parse_qs, urlsplit

from inktop_tools.errors import InktopError
from inktop_tools.virtual.wishes import MOST_BYTES, Wishes

DEFAULT_PORT = 7911
#: What the panel looks like: ink and paper, sRGB.
INK = (38, 37, 35)
PAPER = (232, 229, 219)
_PAGE = Path(__file__).with_name("live.html")
_KEEPALIVE_S = 15.0
LOOPBACK = "127.0.0.1"
#: A browser needs three connections: this many at once, the next is turned away.
MOST_CONNECTIONS = 32
#: A connection on which nothing moves for so long is closed.
_IDLE_S = 30.0
_COOKIE = "inktop"


def paper_palette() -> List[int]:
    """256 colours from ink to paper, as Pillow's flat list of R, G, B."""
    return [
        INK[channel] + (PAPER[channel] - INK[channel]) * level // 255
        for level in range(256)
        for channel in range(3)
    ]


def panel_png(levels: bytes, size: Tuple[int, int]) -> bytes:
    """A PNG of the panel as it looks; `levels` is one byte a pixel, 0 ink … 255 paper, row by row."""
    from PIL import Image

    picture = Image.frombytes("L", size, levels)
    paper = Image.frombytes("P", size, picture.tobytes())
    paper.putpalette(paper_palette())
    buffer = io.BytesIO()
    paper.save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


class LivePage:
    """The page's state and its server; every method may be called from any thread."""

    def __init__(self, port: int = DEFAULT_PORT, bind: str = LOOPBACK) -> None:
        """Binds the port, 0 a free one; anywhere but on loopback the page asks for the token of its URL.

        Raises InktopError when that port or address cannot be had.
        """
        self._changed = threading.Condition()
        self._state: Dict[str, Any] = {}
        self._picture_number = 0
        self._refresh: Optional[Dict[str, Any]] = None
        self._refresh_number = 0
        self._levels: Optional[Tuple[bytes, Tuple[int, int]]] = None
        self._png: Optional[Tuple[int, bytes]] = None
        self._closed = False
        #: What is set on the page, for the board to do.
        self.wishes = Wishes()
        page = self

        class Handler(_Handler):
            live = page

        try:
            self._server = _Server((bind, port), Handler)
        except OSError as error:
            raise InktopError(
                f"cannot serve the live page on {bind}:{port}: {error.strerror or error}. "
                "Choose another port with --http PORT, or --no-http for none."
            ) from error
        self.port: int = self._server.server_address[1]
        self.token = "" if bind == LOOPBACK else secrets.token_urlsafe(16)
        self._bind = bind
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.2}, daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """Where the page is."""
        name = self._bind if self._bind != "0.0.0.0" else socket.gethostname()
        return f"http://{name}:{self.port}/" + (f"?token={self.token}" if self.token else "")

    def html(self) -> bytes:
        """The page itself, which tells how it is reached from elsewhere."""
        page = _PAGE.read_text(encoding="utf-8")
        page = page.replace("{port}", str(self.port)).replace("{host}", html.escape(socket.gethostname()))
        page = page.replace("{form}", self.wishes.token)
        return page.encode()

    def update(self, state: Dict[str, Any]) -> None:
        """Shows a new state: the keys that live.html reads (link, age_s, line, refreshes, counters …)."""
        with self._changed:
            self._state = state
            self._changed.notify_all()

    def refresh(self, kind: str, why: str, duration_ms: int) -> None:
        """Says that a refresh begins; a wash flashes on the page for its duration."""
        with self._changed:
            self._refresh = {"kind": kind, "why": why, "ms": duration_ms}
            self._refresh_number += 1
            self._changed.notify_all()

    def picture(self, levels: bytes, size: Tuple[int, int]) -> None:
        """Shows what the panel looks like now; see `panel_png` for the format."""
        with self._changed:
            self._levels = (levels, size)
            self._picture_number += 1
            self._changed.notify_all()

    def png(self) -> Optional[bytes]:
        """The newest picture as PNG, encoded once; None before the first."""
        with self._changed:
            number, levels, png = self._picture_number, self._levels, self._png
        if levels is None:
            return None
        if png is None or png[0] != number:
            png = (number, panel_png(*levels))
            with self._changed:
                self._png = png
        return png[1]

    def close(self) -> None:
        """Ends the server and every open stream."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()

    def events_since(self, seen: Dict[str, Any], timeout_s: float) -> Optional[List[Tuple[str, Any]]]:
        """What is new since `seen` (updated in place), waiting at most `timeout_s`; None once closed."""
        with self._changed:
            self._changed.wait_for(
                lambda: (
                    self._closed
                    or seen.get("picture") != self._picture_number
                    or seen.get("refresh") != self._refresh_number
                    or seen.get("state") is not self._state
                ),
                timeout_s,
            )
            if self._closed:
                return None
            events: List[Tuple[str, Any]] = []
            if seen.get("refresh") != self._refresh_number:
                first = "refresh" not in seen
                seen["refresh"] = self._refresh_number
                if not first:
                    events.append(("refresh", self._refresh))
            if seen.get("picture") != self._picture_number:
                seen["picture"] = self._picture_number
                if self._levels is not None:
                    events.append(("picture", self._picture_number))
            if seen.get("state") is not self._state:
                seen["state"] = self._state
                events.append(("state", self._state))
            return events


def _policy(page: str) -> str:
    """The Content-Security-Policy that lets in this page's own style and script, nothing else."""

    def digest(tag: str) -> str:
        match = re.search(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert match is not None
        return base64.b64encode(hashlib.sha256(match[1].encode()).digest()).decode()

    return (
        f"default-src 'none'; img-src 'self' data:; connect-src 'self'; "
        f"style-src 'sha256-{digest('style')}'; script-src 'sha256-{digest('script')}'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


class _Server(ThreadingHTTPServer):
    """One thread for each connection, at most MOST_CONNECTIONS."""

    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away in the middle is no news."""


class _Handler(BaseHTTPRequestHandler):
    live: LivePage
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_S

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        if not self._allowed():
            return
        path = urlsplit(self.path).path
        if path == "/":
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.live.html())
        elif path == "/panel.png":
            png = self.live.png()
            if png is None:
                self._send(HTTPStatus.NOT_FOUND, "text/plain", b"nothing has been drawn yet\n")
            else:
                self._send(HTTPStatus.OK, "image/png", png)
        elif path == "/events":
            self._stream()
        else:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"no such page: try / or /panel.png\n")

    def do_POST(self) -> None:
        """A setting of the form."""
        # What is refused is not read to its end.
        self.close_connection = True
        if not self._allowed():
            return
        refusal = self.live.wishes.refusal(self.headers)
        length = self.headers.get("Content-Length", "")
        if urlsplit(self.path).path != "/settings":
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"nothing can be sent here\n")
        elif refusal:
            self._send(HTTPStatus.FORBIDDEN, "text/plain", f"{refusal}\n".encode())
        elif not (length.isascii() and length.isdigit()) or int(length) > MOST_BYTES:
            self._send(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "text/plain", b"a setting is shorter than that\n")
        else:
            status, said = self.live.wishes.make(self.rfile.read(int(length)))
            self._send(status, "text/plain", f"{said}\n".encode())

    def _allowed(self) -> bool:
        """Whether the request may see the board; answers it when not."""
        if not self.live.token:
            # A page on another site must not read this one through a name that points to loopback.
            if (self.headers.get("Host") or "").rsplit(":", 1)[0] in (LOOPBACK, "localhost"):
                return True
            self._send(HTTPStatus.FORBIDDEN, "text/plain", b"this page is for this machine only\n")
            return False
        given = parse_qs(urlsplit(self.path).query).get("token", [""])[0]
        cookies = re.findall(rf"(?:^|;\s*){_COOKIE}=([^;]*)", self.headers.get("Cookie") or "")
        for token in (given, *cookies):
            if hmac.compare_digest(token.encode(), self.live.token.encode()):
                return True
        self._send(HTTPStatus.FORBIDDEN, "text/plain", b"the address of this page ends in ?token=...\n")
        return False

    def _headers(self, status: HTTPStatus, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", _policy(_PAGE.read_text(encoding="utf-8")))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Referrer-Policy", "no-referrer")

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self._headers(status, kind)
        self.send_header("Content-Length", str(len(body)))
        if status == HTTPStatus.OK and self.live.token:
            # What the page asks for next has no token in its address.
            self.send_header("Set-Cookie", f"{_COOKIE}={self.live.token}; HttpOnly; SameSite=Strict; Path=/")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _stream(self) -> None:
        self._headers(HTTPStatus.OK, "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        if self.command == "HEAD":
            return
        seen: Dict[str, Any] = {}
        try:
            while True:
                events = self.live.events_since(seen, _KEEPALIVE_S)
                if events is None:
                    return
                text = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
                self.wfile.write((text or ": still here\n\n").encode())
                self.wfile.flush()
        except OSError:
            return  # the browser went away

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not worth a line each."""
