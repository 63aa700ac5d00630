"""What wakes a loop that waits in epoll: another thread or a signal, by one letter through a pipe."""

from __future__ import annotations

import os
import select
import signal

STOP, ACKNOWLEDGE, READY = b"s", b"a", b"r"


class Wake:
    """A pipe whose end for reading, ``fd``, is in the epoll of the loop."""

    def __init__(self, epoll: select.epoll) -> None:
        self.fd, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        epoll.register(self.fd, select.EPOLLIN)

    def poke(self, letter: bytes) -> None:
        """Wakes the loop; may be called from any thread, and in a signal handler."""
        try:
            os.write(self._write, letter)
        except OSError:
            return  # the pipe is full, so the loop will wake anyway; or the loop has ended

    def letters(self) -> bytes:
        """What the loop has been told since it last asked."""
        try:
            return os.read(self.fd, 4096)
        except BlockingIOError:
            return b""

    def catch_signals(self) -> None:
        """SIGTERM and SIGINT stop, SIGUSR1 acknowledges."""
        signal.signal(signal.SIGTERM, lambda _number, _frame: self.poke(STOP))
        signal.signal(signal.SIGINT, lambda _number, _frame: self.poke(STOP))
        signal.signal(signal.SIGUSR1, lambda _number, _frame: self.poke(ACKNOWLEDGE))

    def close(self) -> None:
        """Closes the pipe; a thread that outlives the loop may poke it still."""
        # Its number may soon be another file's.
        write, self._write = self._write, -1
        os.close(write)
        os.close(self.fd)
