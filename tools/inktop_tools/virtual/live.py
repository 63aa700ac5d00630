"""Owns the live page: the virtual board in a browser, on loopback, kept up by server-sent events.

Nothing here draws or decides: the panel's grey levels and the state come in, a page goes out.
Pictures are encoded only when somebody looks.
"""

from __future__ import annotations

import io
import json
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from inktop_tools.errors import InktopError

DEFAULT_PORT = 7911
#: What the panel looks like: ink and paper, sRGB.
INK = (38, 37, 35)
PAPER = (232, 229, 219)
_PAGE = Path(__file__).with_name("live.html")
_KEEPALIVE_S = 15.0


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

    def __init__(self, port: int = DEFAULT_PORT) -> None:
        """Binds the port on loopback only. Raises InktopError when it is taken; port 0 takes a free one."""
        self._changed = threading.Condition()
        self._state: Dict[str, Any] = {}
        self._picture_number = 0
        self._refresh: Optional[Dict[str, Any]] = None
        self._refresh_number = 0
        self._levels: Optional[Tuple[bytes, Tuple[int, int]]] = None
        self._png: Optional[Tuple[int, bytes]] = None
        self._closed = False
        page = self

        class Handler(_Handler):
            live = page

        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        except OSError as error:
            raise InktopError(
                f"cannot serve the live page on 127.0.0.1:{port}: {error.strerror}. "
                "Choose another port with --http PORT, or --no-http for none."
            ) from error
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.2}, daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.port}/"

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


class _Handler(BaseHTTPRequestHandler):
    live: LivePage
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        host = (self.headers.get("Host") or "").rsplit(":", 1)[0]
        # A page on another site must not read this one through a name that points to loopback.
        if host not in ("127.0.0.1", "localhost"):
            self._send(HTTPStatus.FORBIDDEN, "text/plain", b"this page is for this machine only\n")
            return
        path = self.path.split("?", 1)[0]
        if path == "/":
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", _PAGE.read_bytes())
        elif path == "/panel.png":
            png = self.live.png()
            if png is None:
                self._send(HTTPStatus.NOT_FOUND, "text/plain", b"nothing has been drawn yet\n")
            else:
                self._send(HTTPStatus.OK, "image/png", png)
        elif path == "/events":
            self._stream()
        else:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"no such page: try /\n")

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def _stream(self) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
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
        finally:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not worth a line each."""
