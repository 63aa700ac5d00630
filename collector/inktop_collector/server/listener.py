"""The port: who may connect, and what happens when a connection cannot be accepted."""

from __future__ import annotations

import errno
import select
import socket
import time
from contextlib import suppress
from typing import Iterator, Tuple

from inktop_protocol.encode import encode_info
from inktop_protocol.model import InfoLine

from .. import __version__
from ..address import Networks, origin, parse_address, plain
from ..config import Config
from ..log import Log, LogLimit

ACCEPTS_AT_ONCE = 32
BACKLOG = 64
#: How long the port is left alone after the descriptors ran out.
PAUSE_S = 1.0
NEVER = float("inf")

Accepted = Tuple[socket.socket, Tuple[str, int]]


class ListenError(Exception):
    """The port cannot be had; the text says what to do."""


class Listener:
    """Accepts from the allowed networks."""

    def __init__(
        self,
        config: Config,
        epoll: select.epoll,
        log: Log,
        limit: LogLimit,
        flag: str = "--port N",
        tells: bool = True,
    ) -> None:
        """``flag`` sets another port; ``tells``: this machine may ask who has it."""
        self._allowed = Networks(config.allow)
        self._keyed = bool(config.key)
        self._epoll = epoll
        self._log = log
        self._limit = limit
        self._tells = tells
        self.socket = open_port(config.bind, config.port, flag)
        self.fd = self.socket.fileno()
        #: The port, also when the configured one was 0.
        self.port = int(self.socket.getsockname()[1])
        #: When it listens again after a pause.
        self.due_at = NEVER
        epoll.register(self.fd, select.EPOLLIN)

    def accept(self) -> Iterator[Accepted]:
        """New connections from the allowed networks, each with its peer."""
        for _ in range(ACCEPTS_AT_ONCE):
            try:
                connection, where = self.socket.accept()
            except BlockingIOError:
                return
            except OSError as problem:
                if problem.errno in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                    self._pause(problem)
                    return
                continue  # that one is gone already
            if where[0] in self._allowed:
                yield connection, where
            else:
                if self._tells and _is_this_machine(connection, where[0]):
                    _say_who(connection, self._keyed)
                connection.close()
                self._limit(
                    f"refused {plain(where[0])}: not in the allowed networks (setting: allow)",
                    time.monotonic(),
                    "refused connections",
                    origin(plain(where[0])),
                )

    def _pause(self, problem: OSError) -> None:
        """No descriptor is left to accept with: looks again later instead of spinning."""
        self._log(f"cannot accept connections: {problem.strerror}; trying again in {PAUSE_S:g} s")
        self._epoll.unregister(self.fd)
        self.due_at = time.monotonic() + PAUSE_S

    def tick(self, now: float) -> None:
        """Ends a pause that is over."""
        if now >= self.due_at:
            self.due_at = NEVER
            self._epoll.register(self.fd, select.EPOLLIN)

    def close(self) -> None:
        """Gives the port back."""
        self.socket.close()


def _is_this_machine(connection: socket.socket, peer: str) -> bool:
    address = parse_address(peer)
    return address is not None and (address.is_loopback or peer == connection.getsockname()[0])


def _say_who(connection: socket.socket, keyed: bool) -> None:
    """The info line without a fact about the machine: ``doctor`` may ask who has the port, no more."""
    with suppress(OSError):  # it may be gone already
        connection.send(encode_info(InfoLine(collector=None if keyed else __version__)), socket.MSG_DONTWAIT)


def open_port(bind: str, port: int, flag: str = "--port N") -> socket.socket:
    """A socket that listens there; ``flag`` sets another port. Raises ListenError."""
    for address in (bind, "0.0.0.0") if bind == "::" else (bind,):  # a kernel may have no IPv6
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            listener = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        except OSError:
            continue
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(address != "::"))
            listener.bind((address, port))
            listener.listen(BACKLOG)
            listener.setblocking(False)
        except OSError as problem:
            listener.close()
            if problem.errno in (errno.EADDRINUSE, errno.EACCES) or address != "::":
                raise ListenError(_why(problem, address, port, flag)) from None
            continue
        return listener
    raise ListenError("this kernel has neither IPv6 nor IPv4: no board can connect")


def _why(problem: OSError, address: str, port: int, flag: str) -> str:
    if problem.errno == errno.EADDRINUSE:
        return (
            f"port {port} is taken: is a collector running already? "
            f"`inktop-collector boards` tells; {flag} takes another"
        )
    if problem.errno == errno.EACCES and port < 1024:
        return f"port {port} is not allowed: ports below 1024 are root's; {flag} takes another"
    return (
        f"cannot listen on {address} port {port}: {problem.strerror}; "
        f"{'--bind' if flag.startswith('--port') else flag} takes an address of this machine"
    )
