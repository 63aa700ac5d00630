"""Where a collector writes its files: as a service, and when a person started it."""

from __future__ import annotations

import os

#: What systemd gives to the service (StateDirectory=, RuntimeDirectory=).
SERVICE_STATE, SERVICE_RUNTIME = "/var/lib/inktop", "/run/inktop"


def state_folder() -> str:
    """For what outlives a restart."""
    if os.geteuid() == 0:
        return SERVICE_STATE
    base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(base, "inktop")


def runtime_folder() -> str:
    """For the status file."""
    if os.geteuid() == 0:
        return SERVICE_RUNTIME
    base = os.environ.get("XDG_RUNTIME_DIR")
    return os.path.join(base, "inktop") if base else os.path.join(state_folder(), "run")
