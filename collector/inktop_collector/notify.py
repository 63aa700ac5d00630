"""What systemd is told: ready, alive, stopping (sd_notify(3)). Without systemd it does nothing."""

from __future__ import annotations

import socket
from typing import Mapping


class Notifier:
    """Speaks to the socket named by the environment, if there is one."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._path = environment.get("NOTIFY_SOCKET", "")

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
        # A leading @ means the zero byte of an abstract socket.
        path = "\0" + self._path[1:] if self._path.startswith("@") else self._path
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as speaking:
            speaking.setblocking(False)
            try:
                speaking.sendto(text.encode(), path)
            except OSError:
                return  # systemd is busy or gone; the next line says it again
