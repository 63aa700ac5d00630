"""`inktop tail`: how long it bears silence."""

from __future__ import annotations

import socket
import time
from typing import List, Tuple

import pytest
from inktop_protocol import Snapshot, encode_snapshot
from inktop_tools.lines import tail

STEP_S = 0.5


class QuietServer:
    """A connection and the clock: one line at a second, nothing after it."""

    def __init__(self, line_at_s: float) -> None:
        self.now_s = 0.0
        self._line_at_s = line_at_s
        self._sent = False

    def monotonic(self) -> float:
        return self.now_s

    def recv(self, size: int) -> bytes:
        self.now_s += STEP_S
        if not self._sent and self.now_s >= self._line_at_s:
            self._sent = True
            return encode_snapshot(Snapshot("t7910"))
        raise socket.timeout

    def settimeout(self, seconds: float) -> None:
        pass

    def __enter__(self) -> QuietServer:
        return self

    def __exit__(self, *what: object) -> None:
        pass


@pytest.mark.parametrize("line_at_s", [5.0, 8.0])
def test_a_connection_is_given_up_after_12_s_without_a_line_counted_from_the_last(
    monkeypatch: pytest.MonkeyPatch, line_at_s: float
) -> None:
    server = QuietServer(line_at_s)
    monkeypatch.setattr(time, "monotonic", server.monotonic)
    monkeypatch.setattr(socket, "create_connection", lambda address, timeout: server)
    said: List[Tuple[float, str]] = []
    stream = tail.Tail(("192.0.2.1", 7910), None, lambda text: said.append((server.now_s, text)))
    ended = stream._connection(1000.0)
    assert ended == "no line from 192.0.2.1:7910 for 12 s"
    assert server.now_s == line_at_s + 12.0 + STEP_S
    assert stream.lines == 1
    # It says once that nothing comes, after three seconds.
    hints = [at for at, text in said if "sends nothing" in text]
    assert hints == [3.0 + STEP_S]
