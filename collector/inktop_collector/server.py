"""Owns the connections: one thread, never blocking, a line a second to every board, on a grid that
does not drift.

Nothing that a client does reaches beyond its own connection: what it sends is bounded, what it does
not take is
dropped oldest first, and one that is dead is found out by the kernel.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import socket
import sys
import time
from collections import deque
from dataclasses import replace

from inktop_protocol.auth import new_nonce, verify_hello
from inktop_protocol.decode import LineError, decode
from inktop_protocol.encode import encode_info, encode_snapshot
from inktop_protocol.framer import Framer
from inktop_protocol.model import (
    MAX_HELLO_BYTES,
    MAX_LINE_BYTES,
    Health,
    Hello,
    OtherVersion,
)

from .address import Networks, plain
from .announce import Announcer
from .notify import Notifier
from .sampler import Sampler
from .state import KnownGpus
from .status import StatusFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Deque, Dict, Optional, Tuple

    from .config import Config

MAX_BOARDS = 16
#: Lines kept for a board that does not take them now.
MAX_QUEUE = 120
HELLO_WITHIN_S = 5.0
INFO_EVERY_S = 60.0
#: What a client may send: bytes a second, and as many at once.
MAX_INPUT_BYTES_S = 4096
#: The kernel's own buffer for a connection: some 60 lines more, instead of megabytes of old ones.
SEND_BUFFER_BYTES = 16384
#: Two minutes, as the queue: a board may be that busy. A dead one that reconnects takes its old
#: place at once.
USER_TIMEOUT_MS = 120_000
KEEPALIVE_IDLE_S, KEEPALIVE_EVERY_S, KEEPALIVE_COUNT = 10, 5, 3
#: A connection that took nothing for so long gives way to a new one when all places are taken.
STUCK_S = 15.0
#: How long the start waits for the first answers.
FIRST_LOOK_S = 1.0
#: How long a line waits for slow sources: a quarter of the interval, at most this.
PATIENCE_S = 0.25
#: Log lines about strangers: so many in ten seconds, the rest is counted.
LOG_BURST, LOG_WINDOW_S = 20, 10.0
ACCEPTS_AT_ONCE = 32


def log_to_stderr(text: str) -> None:
    """One line in the log; the journal adds the time."""
    print(text, file=sys.stderr, flush=True)


class Board:
    """One connection."""

    def __init__(self, connection: socket.socket, peer: str, address: str, now: float) -> None:
        self.connection = connection
        self.fd = connection.fileno()
        self.peer = peer
        #: The address on which it reached this server.
        self.address = address
        self.nonce: Optional[str] = None
        self.connected_at = now
        self.hello: Optional[Hello] = None
        self.greeted = False
        self.health: Optional[Health] = None
        self.health_at = 0.0
        self.queue: Deque[bytes] = deque()
        self.rest = b""
        self.progress_at = now
        self.dropped = 0
        self.sent = 0
        self.bad = 0
        self.writing = False
        self.framer = Framer(MAX_HELLO_BYTES)
        self.allowance = float(MAX_INPUT_BYTES_S)
        self.allowance_at = now

    @property
    def name(self) -> str:
        """The board's id, before its hello only where it is."""
        return f"{self.hello.board} ({self.peer})" if self.hello else self.peer

    def is_same(self, board_id: str, peer: str) -> bool:
        """Whether a hello with that id from that peer comes from this board, connecting again."""
        if self.hello is None or self.hello.board != board_id:
            return False
        return self.peer.rpartition(":")[0] == peer.rpartition(":")[0]

    def put(self, line: bytes) -> None:
        """Queues a line; the oldest one goes when there are too many."""
        self.queue.append(line)
        while len(self.queue) > MAX_QUEUE:
            self.queue.popleft()
            self.dropped += 1

    def flush(self, now: float) -> bool:
        """Sends what the kernel takes; whether something is left. Raises OSError when the
        connection is dead.
        """
        while self.rest or self.queue:
            if not self.rest:
                self.rest = self.queue.popleft()
            try:
                count = self.connection.send(self.rest)
            except BlockingIOError:
                return True
            self.progress_at = now
            self.rest = self.rest[count:]
            if not self.rest:
                self.sent += 1
        return False


class LogLimit:
    """Lets so many lines through in a while, and says afterwards how many it held back."""

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log
        self._window_at = 0.0
        self._count = 0

    def __call__(self, text: str, now: float) -> None:
        self.tick(now)
        if self._count == 0:
            self._window_at = now
        self._count += 1
        if self._count <= LOG_BURST:
            self._log(text)

    def tick(self, now: float) -> None:
        """Ends the window when its time is over."""
        if self._count and now - self._window_at >= LOG_WINDOW_S:
            if self._count > LOG_BURST:
                self._log(f"{self._count - LOG_BURST} more lines about connections left out")
            self._count = 0


class Server:
    """Listens, samples, sends. ``run`` returns after SIGTERM, SIGINT or ``stop``."""

    def __init__(self, config: Config, log: Callable[[str], None] = log_to_stderr) -> None:
        self.config = config
        self._log = log
        self._limit = LogLimit(log)
        self._allowed = Networks(config.allow)
        self._epoll = select.epoll()
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._epoll.register(self._wake_read, select.EPOLLIN)
        self._listener = self._listen()
        self._listening = True
        self._listen_again_at = 0.0
        #: The port, also when the configured one was 0.
        self.port = int(self._listener.getsockname()[1])
        known = KnownGpus(config.state_dir, log) if config.state_dir else None
        self.sampler = Sampler(
            config.roots(),
            self._complete,
            config.interface,
            config.gpu_order,
            config.gpu_names,
            config.gpu_hidden,
            known,
            log,
        )
        self.boards: Dict[int, Board] = {}
        self._notifier = Notifier(os.environ)
        self._status = StatusFile(config.runtime_dir, log)
        self._announcer = Announcer(config, self.port, log)
        self._stopping = False
        self._sampling = False
        self._baseline = True
        self._info_at = 0.0
        self._started = time.monotonic()
        self._slot = 0
        self._due = self._started
        self._deadline = 0.0

    # -- the loop --

    def run(self) -> None:
        """Serves until it is told to stop."""
        shown = self.config.bind if ":" not in self.config.bind else f"[{self.config.bind}]"
        self._log(f"listening on {shown}:{self.port}, a line every {self.config.interval:g} s")
        self._notifier.ready(self.port)
        self._started = self._due = time.monotonic()
        try:
            self._first_look()
            while not self._stopping:
                self._turn()
        finally:
            self.close()

    def _first_look(self) -> None:
        """Takes the baseline before anybody is let in: the first info line then knows all that it says."""
        self._begin(time.monotonic())
        deadline = time.monotonic() + FIRST_LOOK_S
        while self._sampling and not self._stopping and time.monotonic() < deadline:
            if select.select([self._wake_read], [], [], deadline - time.monotonic())[0]:
                self._woken()

    def _turn(self) -> None:
        now = time.monotonic()
        until = min(self._due, self._deadline) if self._sampling else self._due
        if self._announcer.due_at < until:
            until = self._announcer.due_at
        if not self._listening and self._listen_again_at < until:
            until = self._listen_again_at
        for board in self.boards.values():
            if not board.greeted:
                until = min(until, board.connected_at + HELLO_WITHIN_S)
        for fd, events in self._epoll.poll(max(0.0, until - now)):
            if fd == self._wake_read:
                self._woken()
            elif fd == self._listener.fileno():
                self._accept()
            else:
                ready = self.boards.get(fd)
                if ready is not None:
                    self._board_ready(ready, events)
        now = time.monotonic()
        self._end_silent(now)
        if self._sampling and now >= self._deadline:
            self._publish(now)
        if now >= self._due:
            self._begin(now)
        if now >= self._announcer.due_at:
            self._announcer.send(now, self.sampler.host)
        if not self._listening and now >= self._listen_again_at:
            self._listening = True
            self._epoll.register(self._listener.fileno(), select.EPOLLIN)

    def _begin(self, now: float) -> None:
        """Starts a round of reads, and sets the next one on the grid: late rounds are left out, not
        caught up.
        """
        if self._sampling:
            self._publish(now)
        interval = self.config.interval
        self._slot = max(self._slot + 1, int((now - self._started) / interval) + 1)
        self._due = self._started + self._slot * interval
        if self._baseline:
            # The first line needs two looks at the counters: do not let a long interval delay it.
            self._due = self._started + min(interval, 1.0)
            self._started, self._slot = self._due, 0
        self._sampling = True
        self._deadline = now + min(PATIENCE_S, interval / 4)
        self.sampler.begin()

    def _complete(self) -> None:
        self._poke(b"c")

    def _poke(self, what: bytes) -> None:
        try:
            os.write(self._wake_write, what)
        except OSError as problem:
            if problem.errno not in (errno.EAGAIN, errno.EBADF):
                raise

    def stop(self) -> None:
        """Ends ``run``; may be called from another thread or a signal handler."""
        self._poke(b"s")

    def _on_stop(self, _number: int, _frame: object) -> None:
        self._poke(b"s")

    def _on_acknowledge(self, _number: int, _frame: object) -> None:
        self._poke(b"a")

    def catch_signals(self) -> None:
        """SIGTERM and SIGINT stop, SIGUSR1 acknowledges."""
        signal.signal(signal.SIGTERM, self._on_stop)
        signal.signal(signal.SIGINT, self._on_stop)
        signal.signal(signal.SIGUSR1, self._on_acknowledge)

    def _woken(self) -> None:
        try:
            said = os.read(self._wake_read, 4096)
        except BlockingIOError:
            return
        if b"s" in said:
            self._stopping = True
        if b"a" in said:
            self._log(f"acknowledged: {self.sampler.acknowledge()} standing events")
        if b"c" in said and self._sampling:
            self._publish(time.monotonic())

    # -- what goes out --

    def _publish(self, now: float) -> None:
        self._sampling = False
        snapshot = self.sampler.snapshot()
        self._notifier.alive()
        if self._baseline:
            self._baseline = False
            return
        lines: Dict[str, bytes] = {}
        info_due = now - self._info_at >= INFO_EVERY_S
        if info_due:
            self._info_at = now
        for board in list(self.boards.values()):
            if board.greeted or not self.config.key:
                if info_due:
                    board.put(encode_info(self.sampler.info(board.nonce)))
                line = lines.get(board.address)
                if line is None:
                    line = lines[board.address] = encode_snapshot(replace(snapshot, address=board.address))
                board.put(line)
            self._flush(board, now)
        self._limit.tick(now)
        self._status.write(self, now)

    def _flush(self, board: Board, now: float) -> None:
        try:
            left = board.flush(now)
        except OSError as problem:
            self._lose(board, problem.strerror or str(problem))
            return
        if left != board.writing:
            board.writing = left
            self._epoll.modify(board.fd, select.EPOLLIN | (select.EPOLLOUT if left else 0))

    # -- who comes and goes --

    def _listen(self) -> socket.socket:
        bind, port = self.config.bind, self.config.port
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
                listener.listen(64)
                listener.setblocking(False)
            except OSError as problem:
                listener.close()
                if problem.errno == errno.EADDRINUSE:
                    raise ListenError(
                        f"port {port} is taken: is a collector running already? "
                        f"`inktop-collector boards` tells; --port N takes another"
                    ) from None
                if problem.errno == errno.EACCES and port < 1024:
                    raise ListenError(
                        f"port {port} is not allowed: ports below 1024 are root's; --port N takes another"
                    ) from None
                if address != "::":
                    raise ListenError(
                        f"cannot listen on {address} port {port}: {problem.strerror}; "
                        f"--bind takes an address of this machine"
                    ) from None
                continue
            self._epoll.register(listener.fileno(), select.EPOLLIN)
            return listener
        raise ListenError("this kernel has neither IPv6 nor IPv4: no board can connect")

    def _accept(self) -> None:
        for _ in range(ACCEPTS_AT_ONCE):
            try:
                connection, where = self._listener.accept()
            except BlockingIOError:
                return
            except OSError as problem:
                if problem.errno in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                    # Nothing left to accept with: look again in a second instead of spinning.
                    self._log(f"cannot accept connections: {problem.strerror}; trying again in 1 s")
                    self._epoll.unregister(self._listener.fileno())
                    self._listening = False
                    self._listen_again_at = time.monotonic() + 1.0
                    return
                continue  # that one is gone already
            self._welcome(connection, where)

    def _welcome(self, connection: socket.socket, where: Tuple[str, int]) -> None:
        now = time.monotonic()
        peer = plain(where[0])
        if where[0] not in self._allowed:
            self._limit(f"refused {peer}: not in the allowed networks (setting: allow)", now)
            connection.close()
            return
        if len(self.boards) >= MAX_BOARDS and not self._make_room(now):
            self._limit(f"refused {peer}: {MAX_BOARDS} boards are connected already", now)
            connection.close()
            return
        shown = f"[{peer}]:{where[1]}" if ":" in peer else f"{peer}:{where[1]}"
        try:
            connection.setblocking(False)
            set_options(connection)
            address = plain(connection.getsockname()[0])
        except OSError:
            connection.close()
            return
        board = Board(connection, shown, address, now)
        if self.config.key:
            board.nonce = new_nonce()
        self.boards[board.fd] = board
        self._epoll.register(board.fd, select.EPOLLIN)
        self._status.changed = True
        self._limit(f"connected: {shown}", now)
        board.put(encode_info(self.sampler.info(board.nonce)))
        self._flush(board, now)

    def _make_room(self, now: float) -> bool:
        """Lets the connection go that has been stuck longest, if any is."""
        stuck = [b for b in self.boards.values() if (b.rest or b.queue) and now - b.progress_at > STUCK_S]
        if not stuck:
            return False
        self._lose(min(stuck, key=lambda b: b.progress_at), "took nothing, and its place was needed")
        return True

    def _end_silent(self, now: float) -> None:
        """Ends connections that have not said hello in time."""
        for board in list(self.boards.values()):
            if not board.greeted and now - board.connected_at >= HELLO_WITHIN_S:
                self._lose(board, f"no hello within {HELLO_WITHIN_S:g} s")

    def _lose(self, board: Board, why: str) -> None:
        if self.boards.pop(board.fd, None) is None:
            return
        self._status.changed = True
        self._epoll.unregister(board.fd)
        board.connection.close()
        now = time.monotonic()
        text = f"lost: {board.name}: {why}; {board.sent} lines sent, {board.dropped} dropped"
        if board.greeted:
            self._log(text)
        else:
            self._limit(text, now)

    # -- what comes in --

    def _board_ready(self, board: Board, events: int) -> None:
        now = time.monotonic()
        if events & (select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR):
            try:
                data = board.connection.recv(MAX_INPUT_BYTES_S)
            except BlockingIOError:
                data = None
            except OSError as problem:
                self._lose(board, problem.strerror or str(problem))
                return
            if data is not None and not self._receive(board, data, now):
                return
        if events & select.EPOLLOUT:
            self._flush(board, now)

    def _receive(self, board: Board, data: bytes, now: float) -> bool:
        """Takes in what a client sent; ``False`` when that was its end."""
        if not data:
            self._lose(board, "closed by the board")
            return False
        board.allowance = min(
            float(MAX_INPUT_BYTES_S),
            board.allowance + (now - board.allowance_at) * MAX_INPUT_BYTES_S,
        )
        board.allowance_at = now
        board.allowance -= len(data)
        if board.allowance < 0:
            self._lose(board, f"sent more than {MAX_INPUT_BYTES_S} bytes a second")
            return False
        for item in board.framer.feed(data):
            if isinstance(item, str):
                if not board.greeted:
                    self._lose(board, f"a hello has at most {MAX_HELLO_BYTES} bytes")
                    return False
                board.bad += 1
            elif not self._line(board, item, now):
                return False
        return True

    def _line(self, board: Board, text: bytes, now: float) -> bool:
        try:
            line = decode(text)
        except LineError as problem:
            if not board.greeted:
                self._lose(board, f"no hello but a bad line ({problem.kind})")
                return False
            board.bad += 1
            return True
        if isinstance(line, Hello) or (isinstance(line, OtherVersion) and line.kind == "hello"):
            return self._hello(board, text, line, now)
        if not board.greeted:
            self._lose(board, "spoke before its hello")
            return False
        if isinstance(line, Health):
            self._health(board, line, now)
        return True

    def _hello(self, board: Board, text: bytes, line: object, now: float) -> bool:
        if board.greeted:
            return True
        if self.config.key and not verify_hello(text, self.config.key, board.nonce or ""):
            self._lose(board, "wrong key: set the same key on the board and here")
            return False
        board.greeted = True
        self._status.changed = True
        board.framer.limit = MAX_LINE_BYTES
        if isinstance(line, Hello):
            for other in list(self.boards.values()):
                if other is not board and other.is_same(line.board, board.peer):
                    self._lose(other, "the board has connected again")
            board.hello = line
            self._log(
                f"hello: {board.name}, firmware {line.firmware}"
                + (f", panel {line.panel}" if line.panel else "")
                + (f", start {line.boots} ({line.reset or '?'})" if line.boots is not None else "")
            )
        else:
            self._log(f"hello: {board.peer} speaks a newer protocol: update this collector")
        return True

    def _health(self, board: Board, line: Health, now: float) -> None:
        before, board.health, board.health_at = board.health, line, now
        self._status.changed = True
        if before is None or (before.refresh_errors, before.bad_lines) != (
            line.refresh_errors,
            line.bad_lines,
        ):
            errors = ", ".join(f"{c.kind} {c.count}" for c in line.refresh_errors) or "none"
            bad = ", ".join(f"{c.kind} {c.count}" for c in line.bad_lines) or "none"
            self._log(f"health: {board.name}: refresh errors {errors}, dropped lines {bad}")

    def close(self) -> None:
        """Closes every socket itself: a reading thread that hangs in the kernel may keep the
        process for long.
        """
        self._notifier.stopping()
        self._listener.close()
        for board in list(self.boards.values()):
            self._lose(board, "the collector stops")
        self._announcer.close()
        self._status.remove()
        self.sampler.close()
        self._epoll.close()
        os.close(self._wake_read)
        os.close(self._wake_write)


class ListenError(Exception):
    """The port cannot be had; the text says what to do."""


def set_options(connection: socket.socket) -> None:
    """What a connection needs so that a dead board is noticed and a line is not held back."""
    option = connection.setsockopt
    option(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    option(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    option(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_IDLE_S)
    option(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, KEEPALIVE_EVERY_S)
    option(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, KEEPALIVE_COUNT)
    option(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, USER_TIMEOUT_MS)
    option(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
