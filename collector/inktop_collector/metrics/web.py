"""Serves the page over HTTP within the server's loop: what a client costs is bounded, none holds a line up.

A request has 4 KiB, a client 5 s for it and 10 s for the answer; of eight clients the oldest gives way.
"""

from __future__ import annotations

import select
import socket
import time
from dataclasses import replace
from typing import Callable, Dict, Iterator

from ..config import Config
from ..log import Log, LogLimit
from ..server.listener import Listener
from .page import CLASSIC, OPENMETRICS, wants_openmetrics

MAX_CLIENTS = 8
MAX_REQUEST_BYTES = 4096
REQUEST_WITHIN_S = 5.0
ANSWER_WITHIN_S = 10.0
#: How long a client may take to read the end of an answer: closed at once, it might lose it.
LINGER_S = 1.0
PATH = "/metrics"
_REASONS = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    431: "Request Header Fields Too Large",
    505: "HTTP Version Not Supported",
}


class _Client:
    """One request and its answer."""

    def __init__(self, connection: socket.socket, now: float) -> None:
        self.socket = connection
        self.fd = connection.fileno()
        self.end_at = now + REQUEST_WITHIN_S
        self.request = b""
        self.answer = memoryview(b"")
        self.lingers = False


class Web:
    """The port of the page. ``page`` writes it, as OpenMetrics or in the older format."""

    def __init__(
        self,
        config: Config,
        epoll: select.epoll,
        log: Log,
        limit: LogLimit,
        page: Callable[[bool], bytes],
    ) -> None:
        self._epoll = epoll
        self._page = page
        bind, port = config.metrics
        where = replace(config, bind=bind, port=port)
        self.listener = Listener(where, epoll, log, limit, flag="--metrics ADDRESS:PORT", tells=False)
        self.port = self.listener.port
        self.clients: Dict[int, _Client] = {}
        #: The page as it was written for this line, by its format.
        self._pages: Dict[bool, bytes] = {}
        shown = f"[{bind}]" if ":" in bind else bind
        log(f"metrics on http://{shown}:{self.port}{PATH}")
        if config.key and not bind.startswith("127.") and bind != "::1":
            log("metrics need no key: all of `allow` can read them")

    def renew(self) -> None:
        """There are new values: whoever asks from now on gets them."""
        self._pages.clear()

    def mine(self, fd: int) -> bool:
        """Whether a descriptor is the port's or one of its clients'."""
        return fd == self.listener.fd or fd in self.clients

    def moments(self) -> Iterator[float]:
        """When something is due that no client wakes the loop for."""
        yield self.listener.due_at
        for client in self.clients.values():
            yield client.end_at

    def tick(self, now: float) -> None:
        """Ends clients that are too slow."""
        for client in [c for c in self.clients.values() if now >= c.end_at]:
            self._end(client)
        self.listener.tick(now)

    def ready(self, fd: int, events: int) -> None:
        """Something can be done at one of its descriptors."""
        if fd == self.listener.fd:
            for connection, _ in self.listener.accept():
                self._welcome(connection)
            return
        client = self.clients.get(fd)
        if client is None:
            return
        try:
            if events & (select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR):
                self._read(client)
            if client.answer and fd in self.clients:
                self._write(client)
        except BlockingIOError:
            return
        except OSError:
            self._end(client)

    def _welcome(self, connection: socket.socket) -> None:
        while len(self.clients) >= MAX_CLIENTS:
            self._end(next(iter(self.clients.values())))
        connection.setblocking(False)
        client = _Client(connection, time.monotonic())
        self.clients[client.fd] = client
        self._epoll.register(client.fd, select.EPOLLIN)

    def _read(self, client: _Client) -> None:
        data = client.socket.recv(MAX_REQUEST_BYTES)
        if not data:
            self._end(client)
        if not data or client.lingers or client.answer:
            return  # what follows a request is nobody's
        client.request += data
        head, end, _ = client.request.replace(b"\r\n", b"\n").partition(b"\n\n")
        if end:
            self._answer(client, head.decode("latin-1"))
        elif len(client.request) > MAX_REQUEST_BYTES:
            self._say(client, 431)

    def _answer(self, client: _Client, head: str) -> None:
        first, *fields = head.lstrip("\n").split("\n")
        words = first.split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/"):
            return self._say(client, 400)
        method, target, version = words
        if version not in ("HTTP/1.0", "HTTP/1.1"):
            return self._say(client, 505)
        if target.startswith("http://"):
            target = "/" + target[len("http://") :].partition("/")[2]
        if target.partition("?")[0] != PATH:
            return self._say(client, 404)
        if method not in ("GET", "HEAD"):
            return self._say(client, 405)
        accept = ",".join(
            value for name, _, value in (f.partition(":") for f in fields) if name.strip().lower() == "accept"
        )
        modern = wants_openmetrics(accept or "*/*")
        page = self._pages.get(modern)
        if page is None:
            page = self._pages[modern] = self._page(modern)
        return self._send(client, 200, OPENMETRICS if modern else CLASSIC, page, method == "HEAD")

    def _say(self, client: _Client, status: int) -> None:
        text = f"{_REASONS[status]}: GET {PATH}\n".encode("ascii")
        self._send(client, status, "text/plain; charset=utf-8", text, False)

    def _send(self, client: _Client, status: int, kind: str, body: bytes, head_only: bool) -> None:
        fields = [f"HTTP/1.1 {status} {_REASONS[status]}", f"Content-Type: {kind}"]
        fields += [f"Content-Length: {len(body)}", "Connection: close", "X-Content-Type-Options: nosniff"]
        if status == 200:
            fields.append("Vary: Accept")
        if status == 405:
            fields.append("Allow: GET, HEAD")
        head = "\r\n".join([*fields, "", ""]).encode("ascii")
        client.answer = memoryview(head if head_only else head + body)
        client.end_at = time.monotonic() + ANSWER_WITHIN_S
        self._epoll.modify(client.fd, select.EPOLLIN | select.EPOLLOUT)

    def _write(self, client: _Client) -> None:
        client.answer = client.answer[client.socket.send(client.answer) :]
        if not client.answer:
            client.socket.shutdown(socket.SHUT_WR)
            client.lingers = True
            client.end_at = time.monotonic() + LINGER_S
            self._epoll.modify(client.fd, select.EPOLLIN)

    def _end(self, client: _Client) -> None:
        if self.clients.pop(client.fd, None) is not None:
            self._epoll.unregister(client.fd)
            client.socket.close()

    def close(self) -> None:
        """Closes every socket."""
        self.listener.close()
        for client in list(self.clients.values()):
            self._end(client)
