"""One port and the boards on it: who comes and goes, and what goes out to them."""

from __future__ import annotations

import select
import socket
import time
from typing import AbstractSet, Callable, Dict, Iterator, Protocol, Tuple

from inktop_protocol.encode import encode_info
from inktop_protocol.model import Event, InfoLine

from ..config import Config
from ..log import Log, LogLimit
from .connection import HELLO_WITHIN_S, Connection, EndError
from .listener import Listener
from .places import MAX_BOARDS, longest_stuck, strangers_over

INFO_EVERY_S = 60.0


class Told(Protocol):
    """Who wants to know what boards do: the status file."""

    changed: bool

    def acknowledged(self, count: int) -> None:
        """Events that somebody acknowledged."""


class Port:
    """Its connections are in the epoll of a loop, which calls ``ready`` for those that are ``mine``."""

    def __init__(
        self,
        config: Config,
        epoll: select.epoll,
        log: Log,
        limit: LogLimit,
        info: Callable[[], InfoLine],
        acknowledge: Callable[[AbstractSet[Event]], int],
        status: Told,
    ) -> None:
        """``info``: the facts of what it speaks for; ``acknowledge``: drops events, and says how many."""
        self._config = config
        self._epoll = epoll
        self._limit = limit
        self._facts = info
        self._acknowledge = acknowledge
        self.status = status
        self._keyed = bool(config.key)
        self._info_at = 0.0
        self.listener = Listener(config, epoll, log, limit)
        self.port = self.listener.port
        #: Every connection, the oldest first: boards, and clients that have not said hello yet.
        self.boards: Dict[int, Connection] = {}

    def mine(self, fd: int) -> bool:
        """Whether a descriptor is the port's or one of its clients'."""
        return fd == self.listener.fd or fd in self.boards

    def ready(self, fd: int, events: int) -> None:
        """Something can be done at one of its descriptors."""
        if fd == self.listener.fd:
            for connection, where in self.listener.accept():
                self._welcome(connection, where)
        elif fd in self.boards:
            self._ready(self.boards[fd], events)

    def moments(self) -> Iterator[float]:
        """When something is due that no client wakes the loop for."""
        yield self.listener.due_at
        for board in self.boards.values():
            if not board.greeted:
                yield board.connected_at + HELLO_WITHIN_S

    # -- what goes out --

    def publish(self, now: float, line: Callable[[str], bytes]) -> None:
        """Sends everybody who may have it the line that ``line`` writes for the address he reached."""
        lines: Dict[str, bytes] = {}
        info_due = now - self._info_at >= INFO_EVERY_S
        if info_due:
            self._info_at = now
        for board in list(self.boards.values()):
            if board.greeted or not self._keyed:
                if info_due:
                    board.put(self._info())
                    board.put_settings(self._config.boards)
                written = lines.get(board.address)
                if written is None:
                    written = lines[board.address] = line(board.address)
                board.put(written)
            self._flush(board, now)

    def _flush(self, board: Connection, now: float) -> None:
        try:
            left = board.flush(now)
        except EndError as why:
            self._lose(board, str(why))
            return
        if left != board.writing:
            board.writing = left
            self._epoll.modify(board.fd, select.EPOLLIN | (select.EPOLLOUT if left else 0))

    def _info(self) -> bytes:
        return encode_info(self._facts(), sealed=self._keyed)

    # -- who comes and goes --

    def _welcome(self, connection: socket.socket, where: Tuple[str, int]) -> None:
        now = time.monotonic()
        try:
            board = Connection(connection, where, self._config.key, self._limit, now)
        except OSError:
            connection.close()  # it is gone already
            return
        for other in strangers_over(self.boards.values(), board):
            self._ready(other, select.EPOLLIN)  # its hello may be here already
            if other.fd in self.boards and not other.greeted:
                self._lose(other, "no hello yet, and a newer connection needed the room")
        self.boards[board.fd] = board
        self._epoll.register(board.fd, select.EPOLLIN)
        self.status.changed = True
        self._limit(f"connected: {board.peer}", now, client=board.origin)
        # With a key, nobody learns anything before the hello.
        board.put(encode_info(InfoLine(nonce=board.nonce)) if board.nonce else self._info())
        self._flush(board, now)

    def _greeted(self, board: Connection, now: float) -> None:
        """Gives a board that has said hello its place: its own old one, a free one, that of a stuck one."""
        for other in [b for b in self.boards.values() if board.replaces(b)]:
            self._lose(other, "the board has connected again")
        greeted = [b for b in self.boards.values() if b.greeted and b is not board]
        if len(greeted) < MAX_BOARDS:
            return
        stuck = longest_stuck(greeted, now)
        if stuck is None:
            self._lose(board, f"{MAX_BOARDS} boards are connected already")
        else:
            self._lose(stuck, "took nothing, and its place was needed")

    def _ready(self, board: Connection, events: int) -> None:
        now = time.monotonic()
        if events & (select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR):
            told = (board.health, board.settings)
            try:
                greeted = board.receive(now)
            except EndError as why:
                self._lose(board, str(why))
                return
            if greeted:
                self._greeted(board, now)
            if greeted and board.fd in self.boards:
                if self._keyed:
                    board.put(self._info())
                board.put_settings(self._config.boards)
                self._flush(board, now)
            if greeted or told != (board.health, board.settings):
                self.status.changed = True
            if board.acked and board.fd in self.boards:
                self._take_ack(board, now)
        if events & select.EPOLLOUT and board.fd in self.boards:
            self._flush(board, now)

    def _take_ack(self, board: Connection, now: float) -> None:
        """Acknowledges what a person has seen on a board, if boards may."""
        seen, board.acked = frozenset(board.acked), ()
        # With a key, a board that has said hello knows it.
        if not (self._keyed or self._config.board_ack):
            said = f"ack of {board.name} is ignored: set a key, or board_ack = yes"
        else:
            count = self._acknowledge(seen)
            said = f"acknowledged on {board.name}: {count} events"
            self.status.acknowledged(count)
        self._limit(said, now, "acks", board.origin)

    def tick(self, now: float) -> None:
        """Ends connections that have not said hello in time, and a pause of the port that is over."""
        for board in list(self.boards.values()):
            if not board.greeted and now - board.connected_at >= HELLO_WITHIN_S:
                self._lose(board, f"no hello within {HELLO_WITHIN_S:g} s")
        self.listener.tick(now)

    def _lose(self, board: Connection, why: str) -> None:
        if self.boards.pop(board.fd, None) is None:
            return
        self.status.changed = True
        self._epoll.unregister(board.fd)
        board.socket.close()
        text = f"lost: {board.name}: {why}; {board.sent} lines sent, {board.dropped} dropped"
        kind = "lost boards" if board.greeted else "lost connections"
        self._limit(text, time.monotonic(), kind, board.origin)

    def close(self) -> None:
        """Closes every socket."""
        self.listener.close()
        for board in list(self.boards.values()):
            self._lose(board, "the collector stops")
