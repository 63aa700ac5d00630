"""The announcement: a datagram on every network that boards may be on, every 5 s (protocol, section 9)."""

from __future__ import annotations

import socket
import time
from dataclasses import replace
from typing import Callable, Dict, List, Optional, Tuple

from inktop_protocol.auth import sign_announcement
from inktop_protocol.encode import encode_announcement
from inktop_protocol.model import Announcement

from .address import parse_address
from .config import Config
from .interfaces import broadcast_targets
from .log import Log

ANNOUNCE_EVERY_S = 5.0
#: Boards listen here, also when the collector has another port.
ANNOUNCE_PORT = 7910
NEVER = float("inf")


class Announcer:
    """Sends it; a network that cannot be reached is left out."""

    def __init__(
        self,
        config: Config,
        port: int,
        log: Log,
        targets: Callable[[], List[Tuple[str, str]]] = broadcast_targets,
        to_port: int = ANNOUNCE_PORT,
    ) -> None:
        self._key = config.key
        self._port = port
        self._targets = targets
        self._to_port = to_port
        self._socket: Optional[socket.socket] = None
        self._lines: Dict[Tuple[str, str], bytes] = {}
        #: What the newest keyed announcement said, by the server's clock: the next one says a later second.
        self._time_s = 0
        bind = parse_address(config.bind)
        #: The only address to announce, "" for all.
        self._only = "" if bind is None or bind.is_unspecified else str(bind)
        # No board can reach a collector that listens on the loopback alone.
        reachable = bind is None or not bind.is_loopback
        self.due_at = time.monotonic() if config.announce and reachable else NEVER
        if self.due_at != NEVER:
            try:
                self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
                self._socket.setblocking(False)
            except OSError as problem:
                self.due_at = NEVER
                log(f"cannot announce this server: {problem.strerror}; boards need its address")

    def send(self, now: float, host: str) -> None:
        """Announces on every network, and sets the next time."""
        self.due_at = now + ANNOUNCE_EVERY_S
        if self._socket is None:
            return
        try:
            targets = self._targets()
        except OSError:
            return
        fresh: Dict[Tuple[str, str], bytes] = {}
        self._time_s = max(self._time_s + 1, int(time.time()))
        for own, broadcast in targets:
            if self._only and own != self._only:
                continue
            line = self._lines.get((host, own)) or self._line(host, own)
            if not self._key:  # which would carry the time
                fresh[host, own] = line
            try:
                self._socket.sendto(line, (broadcast, self._to_port))
            except OSError:
                continue  # a network that is going down; it is tried again next time
        self._lines = fresh

    def _line(self, host: str, own: str) -> bytes:
        announcement = Announcement(host, own, self._port)
        if self._key:
            return sign_announcement(replace(announcement, time_s=self._time_s), self._key)
        return encode_announcement(announcement)

    def close(self) -> None:
        """Closes the socket."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
