"""What NVIDIA's library says when it gives no value, in words: the state of the card, what to do."""

from __future__ import annotations

from typing import Dict, List, Tuple

#: Code of the library: the state of a card that it keeps from being read, and what ``doctor`` says.
FAILURES: Dict[int, Tuple[str, str]] = {
    -1: ("nodriver", "libnvidia-ml.so.1 is missing: install the driver's libraries (NVML)"),
    4: ("denied", "/dev/nvidia* may not be opened: `inktop-collector install` again allows it"),
    9: ("nodriver", "no driver, or no /dev/nvidiactl: does `nvidia-smi` work, as root?"),
    15: ("lost", "the card fell off the bus: `dmesg | grep Xid` tells why; it needs a power cycle"),
    16: ("reset", "the card needs a reset: `nvidia-smi --gpu-reset`, or restart the machine"),
    17: ("denied", "the system refuses /dev/nvidia*: is the collector in a container without them?"),
    18: ("mismatch", "the driver was updated: restart the machine, or load the kernel module again"),
}
UNKNOWN_FAILURE = ("nodriver", "NVIDIA's library does not work here: does `nvidia-smi`?")

#: Codes of single values.
REASONS: Dict[int, str] = {
    2: "this card or driver does not offer it",
    3: "this card or driver does not offer it",
    4: "only root may ask for it",
    13: "this version of the driver cannot tell",
}

#: Bits of the throttle reasons that slow a card down. Not among them: it is idle, or its clocks were set.
THROTTLES: Tuple[Tuple[int, str], ...] = (
    (0x4, "power cap"),
    (0x8, "hardware slowdown"),
    (0x20, "heat"),
    (0x40, "heat, by the hardware"),
    (0x80, "power brake"),
)


def failure(code: int) -> Tuple[str, str]:
    """The state of a card that gives no value for that code, and what to do."""
    state, advice = FAILURES.get(code, UNKNOWN_FAILURE)
    return state, f"{advice} (NVML {code})"


def reason(code: int) -> str:
    """Why one value is missing."""
    return REASONS.get(code, f"NVML error {code}")


def throttles(bits: int) -> List[str]:
    """What slows it down."""
    return [what for bit, what in THROTTLES if bits & bit]
