"""``inktop-collector once``: one line of this machine, after two looks at its counters."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

from inktop_protocol.encode import encode_snapshot

from .config import Config
from .interfaces import local_address
from .readers import STALE_S
from .sampler import Sampler

#: A card that has not answered by then is shown as stale.
PATIENCE_S = STALE_S + 0.2


def once(config: Config) -> bytes:
    """One line, with rates over ``config.interval``."""
    answered = threading.Event()
    sampler = Sampler(config, answered.set)
    started = time.monotonic()
    sampler.begin()
    answered.wait(PATIENCE_S)
    # From the answers on, not from the question: the rates are over the interval or longer, never shorter.
    looked = started if sampler.busy() else time.monotonic()
    time.sleep(max(0.0, looked + config.interval - time.monotonic()))
    answered.clear()
    sampler.begin()
    answered.wait(max(0.5, started + PATIENCE_S - time.monotonic()))
    while sampler.busy() and time.monotonic() < started + PATIENCE_S:
        time.sleep(0.02)  # there is only one line: a slow card gets the time to answer, or to be stale
    snapshot = sampler.snapshot()
    if snapshot.network is not None:
        address = local_address(config.roots(), snapshot.network.name)
        snapshot = replace(snapshot, address=address)
    return encode_snapshot(snapshot)
