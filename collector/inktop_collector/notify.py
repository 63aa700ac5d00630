"""What systemd is told: ready, alive, stopping (sd_notify(3)). Without systemd it does nothing."""

from __future__ import annotations

import socket
from typing import Mapping, Optional


class Notifier:
    """Speaks to the socket named by the environment, if there is one."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        path = environment.get("NOTIFY_SOCKET", "")
        # A leading @ means the zero byte of an abstract socket.
        self._path = "\0" + path[1:] if path.startswith("@") else path
        #: Made once and kept: while no more files may be opened, the watchdog is fed all the same.
        self._socket: Optional[socket.socket] = None

    def ready(self, port: int) -> None:
        """The start is done."""
        self._say(f"READY=1\nSTATUS=listening on port {port}")

    def alive(self) -> None:
        """A line was made: the watchdog starts over."""
        if self._path:
            self._say("WATCHDOG=1")

    def stopping(self) -> None:
        """The collector ends."""
        self._say("STOPPING=1")

    def _say(self, text: str) -> None:
        if not self._path:
            return
        try:
            if self._socket is None:
                self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
                self._socket.setblocking(False)
            self._socket.sendto(text.encode(), self._path)
        except OSError:
            return  # systemd is busy or gone; it is told again with the next line

    def close(self) -> None:
        """Closes the socket."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
