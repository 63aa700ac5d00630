"""Whether a card sleeps, whether it is on the bus, and what it means that it refuses every sensor.

Both makers' drivers answer from their own bookkeeping long after the hardware has stopped answering, so the
bus is asked first: a device that does not answer reads as all ones, also its id in configuration space.
"""

from __future__ import annotations

import errno
from typing import Sequence

from ...files import MISSING, Roots, is_folder, link_name

#: The status of a device that has power (Documentation/power/runtime_pm): all others sleep, or soon will.
AWAKE = ("active", "unsupported", "error")
#: ``power_state`` of a device without power.
UNPOWERED = ("D3hot", "D3cold")
#: Errors that a driver gives while it resets the card, and afterwards if that failed.
REFUSED = (errno.EBUSY, errno.EPERM, errno.EIO, errno.ENODEV, errno.ETIMEDOUT, errno.ETIME)
NOBODY = b"\xff\xff\xff\xff"


class Power:
    """One card's power state and place on the bus, asked before its sensors."""

    def __init__(self, roots: Roots, device: str) -> None:
        self._roots = roots
        self._device = device
        self._status = roots.at(f"{device}/power/runtime_status")
        self._power_state = roots.at(f"{device}/power_state")
        self._config = roots.at(f"{device}/config")
        self._no_power_state = False
        self._no_status = False
        self._was_off = False
        # The id of a virtual function is all ones by definition (SR-IOV specification).
        self._is_virtual_function = bool(link_name(f"{device}/physfn"))

    def asleep(self) -> bool:
        """Whether the card is powered down: then nothing may be read that would wake it."""
        if not self._no_status:
            status = self._status.read_text()
            if status:
                return status not in AWAKE
            self._no_status = status is None and self._status.error in MISSING
        if not self._no_power_state:
            state = self._power_state.read_text()
            self._no_power_state = state is None and self._power_state.error in MISSING
            return state in UNPOWERED
        return False

    def still_off(self) -> bool:
        """Whether a card that had left the bus is still off it; its power state may say otherwise."""
        return self._was_off and self.off_the_bus()

    def off_the_bus(self) -> bool:
        """Whether no device answers in its place. Ask only of a card that is awake: the question wakes it."""
        data = None if self._is_virtual_function else self._config.read(len(NOBODY))
        self._was_off = data == NOBODY or (data is None and not is_folder(self._device))
        return self._was_off

    def judge(self, errors: Sequence[int]) -> str:
        """The state of a card that is awake, by the errnos of its sensors, 0 for one that was read."""
        if not errors or min(errors) <= 0:
            return "ok"
        if self.asleep():
            return "asleep"  # it fell asleep between the look and the read
        if self.off_the_bus():
            return "lost"
        status = self._status.read_text()
        if status == "error":
            return "reset"  # it did not wake up: pm_runtime_get gives EINVAL from then on
        if errno.EBUSY in errors:
            # From a card in reset since Linux commit cf32515a7061, from a sleeping one in older kernels.
            return "reset" if status in AWAKE or (not status and self._has_power()) else "asleep"
        if len(errors) > 1 and any(error in REFUSED for error in errors):
            return "reset"
        # EINVAL and its like from a card that is awake: an APU without those sensors.
        return "ok"

    def _has_power(self) -> bool:
        """Whether a card without a status must be powered: it is, or may not sleep."""
        if self._power_state.read_text() == "D0":
            return True
        return self._roots.text_at(f"{self._device}/power/control") == "on"
