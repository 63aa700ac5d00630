"""The pipe that wakes a loop."""

from __future__ import annotations

import os
import select

from inktop_collector.wake import READY, STOP, Wake


def test_letters_wake_the_loop_and_are_read_once() -> None:
    with select.epoll() as epoll:
        wake = Wake(epoll)
        assert epoll.poll(0) == []
        wake.poke(READY)
        wake.poke(STOP)
        assert epoll.poll(0) == [(wake.fd, select.EPOLLIN)]
        assert wake.letters() == READY + STOP
        assert wake.letters() == b""
        assert epoll.poll(0) == []
        wake.close()


def test_a_full_pipe_blocks_nobody() -> None:
    with select.epoll() as epoll:
        wake = Wake(epoll)
        for _ in range(70_000):
            wake.poke(READY)
        wake.close()


def test_a_late_poke_writes_into_no_file_that_was_opened_since() -> None:
    with select.epoll() as epoll:
        wake = Wake(epoll)
        wake.close()
        # The lowest numbers are given first: among these are the two of the pipe.
        pipes = [os.pipe2(os.O_NONBLOCK) for _ in range(4)]
        wake.poke(READY)
        for read, write in pipes:
            assert select.select([read], [], [], 0)[0] == []
            os.close(read)
            os.close(write)
