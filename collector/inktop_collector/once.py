"""Owns ``inktop-collector once``: one line of this machine, after two looks at its counters."""

from __future__ import annotations

import _thread
import time
from dataclasses import replace

from inktop_protocol.encode import encode_snapshot

from .address import local_address
from .gpus import STALE_S
from .sampler import Sampler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .config import Config

#: A card that has not answered by then is shown as stale.
PATIENCE_S = STALE_S + 0.2


def once(config: Config) -> bytes:
    """One line, with rates over ``config.interval``."""

    answered = _thread.allocate_lock()
    answered.acquire()

    def complete() -> None:
        if answered.locked():
            answered.release()

    sampler = Sampler(
        config.roots(),
        complete,
        config.interface,
        config.gpu_order,
        config.gpu_names,
        config.gpu_hidden,
    )
    started = time.monotonic()
    sampler.begin()
    answered.acquire(timeout=PATIENCE_S)
    time.sleep(max(0.0, started + config.interval - time.monotonic()))
    sampler.begin()
    answered.acquire(timeout=max(0.5, started + PATIENCE_S - time.monotonic()))
    while sampler.busy() and time.monotonic() < started + PATIENCE_S:
        time.sleep(0.02)  # one line is all there is: a slow card gets the time to answer, or to be stale
    address = local_address(config.roots(), sampler.source.network.name)
    snapshot = sampler.snapshot()
    if address:
        snapshot = replace(snapshot, address=address)
    return encode_snapshot(snapshot)
