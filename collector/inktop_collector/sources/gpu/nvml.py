"""NVIDIA's management library by ctypes: the few calls that a card needs, as numbers or an error code.

Every call of the library returns a code, 0 for success; a call that an older library does not have is
``NO_FUNCTION`` (``nvml.h``, NVML API reference). Only this module knows the library's structures.

A library that is open keeps every card that it was asked about awake, and closes none of them alone: so
it is shared, counted and closed as a whole (``Library``).
"""

from __future__ import annotations

import threading
import time
from _ctypes import dlclose
from contextlib import contextmanager
from ctypes import (
    CDLL,
    Structure,
    Union,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_longlong,
    c_uint,
    c_ulonglong,
    c_void_p,
    create_string_buffer,
    sizeof,
)
from typing import Dict, Iterator, List, Optional, Tuple

LIBRARY = "libnvidia-ml.so.1"
#: A library that could not be opened is tried again after this.
AGAIN_S = 60.0

# Codes of nvmlReturn_t; nvidia_advice.py has those that a person is told.
SUCCESS = 0
NOT_FOUND = 6
NO_FUNCTION = 13
#: Not one of NVML's: the library itself could not be loaded.
NO_LIBRARY = -1

_SENSOR_GPU = 0
_FIELD_MEMORY_TEMPERATURE = 82
_NAME_BYTES = 96
#: More processes than this on one card are not told apart.
MAX_PROCESSES = 256


class _Memory(Structure):
    _fields_ = [("total", c_ulonglong), ("free", c_ulonglong), ("used", c_ulonglong)]


class _MemoryV2(Structure):
    _fields_ = [
        ("version", c_uint),
        ("total", c_ulonglong),
        ("reserved", c_ulonglong),
        ("free", c_ulonglong),
        ("used", c_ulonglong),
    ]


class _Utilization(Structure):
    _fields_ = [("gpu", c_uint), ("memory", c_uint)]


class _Value(Union):
    _fields_ = [("double", c_double), ("int", c_int), ("uint", c_uint), ("ulonglong", c_ulonglong)]


class _FieldValue(Structure):
    _fields_ = [
        ("field", c_uint),
        ("scope", c_uint),
        ("timestamp", c_longlong),
        ("latency_us", c_longlong),
        ("type", c_int),
        ("code", c_int),
        ("value", _Value),
    ]


class _FanSpeed(Structure):
    _fields_ = [("version", c_uint), ("fan", c_uint), ("speed", c_uint)]


class _Process(Structure):
    _fields_ = [
        ("pid", c_uint),
        ("used_memory", c_ulonglong),
        ("gpu_instance", c_uint),
        ("compute_instance", c_uint),
    ]


class _ProcessSample(Structure):
    _fields_ = [
        ("pid", c_uint),
        ("timestamp_us", c_ulonglong),
        ("sm", c_uint),
        ("memory", c_uint),
        ("encoder", c_uint),
        ("decoder", c_uint),
    ]


#: nvmlProcessInfo_t.usedGpuMemory where the driver does not know it.
_NO_VALUE = 0xFFFFFFFFFFFFFFFF
#: A number, or ``None``; and the code of the call.
Answer = Tuple[Optional[int], int]


class Session:
    """The library, open. Calls are those of the library without their prefix ``nvmlDevice``."""

    def __init__(self, library: CDLL) -> None:
        self._library = library

    def call(self, name: str, *arguments: object) -> int:
        """The code of one call."""
        function = getattr(self._library, name, None)
        if function is None:
            return NO_FUNCTION
        code: int = function(*arguments)
        return code

    def driver_version(self) -> str:
        """Such as ``580.159.04``, ``""`` if it does not say."""
        text = create_string_buffer(_NAME_BYTES)
        self.call("nvmlSystemGetDriverVersion", text, _NAME_BYTES)
        return text.value.decode("ascii", "replace")

    def handle(self, pci: str) -> Tuple[Optional[c_void_p], int]:
        """The card with that PCI address. From then on the card is kept awake."""
        handle = c_void_p()
        code = self.call("nvmlDeviceGetHandleByPciBusId_v2", c_char_p(pci.encode()), byref(handle))
        return (handle if code == SUCCESS else None), code

    def name(self, card: c_void_p) -> str:
        """The product's name."""
        text = create_string_buffer(_NAME_BYTES)
        code = self.call("nvmlDeviceGetName", card, text, _NAME_BYTES)
        return text.value.decode("ascii", "replace") if code == SUCCESS else ""

    def number(self, name: str, card: c_void_p, *which: int) -> Answer:
        """What a call says that takes a few numbers and gives one, such as ``PowerUsage`` (mW)."""
        value = c_uint()
        code = self.call("nvmlDeviceGet" + name, card, *map(c_uint, which), byref(value))
        return (value.value if code == SUCCESS else None), code

    def temperature_c(self, card: c_void_p) -> Answer:
        """Of the GPU, °C."""
        return self.number("Temperature", card, _SENSOR_GPU)

    def memory_temperature_c(self, card: c_void_p) -> Answer:
        """Of HBM, °C; most other cards have none."""
        field = _FieldValue(field=_FIELD_MEMORY_TEMPERATURE)
        code = self.call("nvmlDeviceGetFieldValues", card, 1, byref(field)) or field.code
        return (field.value.uint if code == SUCCESS else None), code

    def busy_percent(self, card: c_void_p) -> Answer:
        """Share of the driver's last sample (1/6 to 1 s) in which a kernel ran, %."""
        value = _Utilization()
        code = self.call("nvmlDeviceGetUtilizationRates", card, byref(value))
        return (value.gpu if code == SUCCESS else None), code

    def memory_bytes(self, card: c_void_p) -> Tuple[Optional[int], Optional[int], int]:
        """Used and total. The second version of the call first: the first counts what is reserved as used."""
        second = _MemoryV2(version=sizeof(_MemoryV2) | 2 << 24)
        code = self.call("nvmlDeviceGetMemoryInfo_v2", card, byref(second))
        if code == SUCCESS:
            return second.used, second.total, code
        first = _Memory()
        code = self.call("nvmlDeviceGetMemoryInfo", card, byref(first))
        return (first.used, first.total, code) if code == SUCCESS else (None, None, code)

    def fan_rpm(self, card: c_void_p) -> Answer:
        """Of the first fan, rpm (drivers since 565)."""
        value = _FanSpeed(version=sizeof(_FanSpeed) | 1 << 24)
        code = self.call("nvmlDeviceGetFanSpeedRPM", card, byref(value))
        return (value.speed if code == SUCCESS else None), code

    def throttle_reasons(self, card: c_void_p) -> Answer:
        """Why its clocks are low: bits (``nvidia.THROTTLES``)."""
        value = c_ulonglong()
        code = NO_FUNCTION
        # The name that newer libraries have, then the one that all have.
        for name in ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"):
            code = self.call(name, card, byref(value))
            if code != NO_FUNCTION:
                break
        return (value.value if code == SUCCESS else None), code

    def mig(self, card: c_void_p) -> bool:
        """Whether it is cut into instances: then it has no load of its own."""
        now, later = c_uint(), c_uint()
        code = self.call("nvmlDeviceGetMigMode", card, byref(now), byref(later))
        return code == SUCCESS and now.value == 1

    def processes(self, card: c_void_p) -> Tuple[Dict[int, Optional[int]], int]:
        """VRAM in bytes by process, ``None`` where the driver does not know it."""
        found: Dict[int, Optional[int]] = {}
        code = SUCCESS
        for kind in ("Compute", "Graphics"):
            count = c_uint(MAX_PROCESSES)
            table = (_Process * MAX_PROCESSES)()
            code = self.call(f"nvmlDeviceGet{kind}RunningProcesses_v3", card, byref(count), table)
            if code != SUCCESS:
                return found, code
            for process in table[: min(count.value, MAX_PROCESSES)]:
                used = None if process.used_memory == _NO_VALUE else process.used_memory
                # One process is in both lists if it draws and computes; both then say the same.
                found[process.pid] = used if found.get(process.pid) is None else found[process.pid]
        return found, code

    def process_busy(self, card: c_void_p, since_us: int) -> Tuple[Optional[Dict[int, int]], int]:
        """Busy of each process in its newest sample since then, %; and the time of the newest, µs.

        ``None`` where the card does not tell. A process that did nothing has no sample.
        """
        count = c_uint(MAX_PROCESSES)
        table = (_ProcessSample * MAX_PROCESSES)()
        code = self.call("nvmlDeviceGetProcessUtilization", card, table, byref(count), c_ulonglong(since_us))
        if code != SUCCESS:
            return ({} if code == NOT_FOUND else None), since_us
        samples: List[_ProcessSample] = sorted(table[: count.value], key=lambda sample: sample.timestamp_us)
        newest = samples[-1].timestamp_us if samples else since_us
        return {sample.pid: sample.sm for sample in samples}, newest


class Library:
    """The library of this process: opened when it is needed, closed once nobody is inside."""

    def __init__(self, path: str = LIBRARY) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._library: Optional[CDLL] = None
        self._users = 0
        self._close = False
        self._code = SUCCESS
        self._again_at = 0.0
        self._session: Optional[Session] = None

    @contextmanager
    def use(self) -> Iterator[Tuple[Optional[Session], int]]:
        """The library, open as long as this lasts, or ``None``; and the code of opening it.

        Handles are of one session and die with it. A library that could not be opened is tried again
        once a minute.
        """
        with self._lock:
            session = self._opened()
            self._users += session is not None
        try:
            yield session, self._code
        finally:
            with self._lock:
                self._users -= session is not None
                self._close_if_wanted()

    def close(self) -> None:
        """Closes it as soon as no thread is inside: one that hangs there keeps it open."""
        with self._lock:
            self._close = True
            self._close_if_wanted()

    def _close_if_wanted(self) -> None:
        if self._close and not self._users:
            self._close = False
            if self._session is not None:
                self._session.call("nvmlShutdown")
                self._session = None

    def _opened(self) -> Optional[Session]:
        if self._session is None and time.monotonic() >= self._again_at:
            self._code = self._open()
            if self._code != SUCCESS:
                self._again_at = time.monotonic() + AGAIN_S
        return self._session

    def _open(self) -> int:
        if self._library is None:
            try:
                self._library = CDLL(self._path)
            except OSError:
                return NO_LIBRARY
        session = Session(self._library)
        code = session.call("nvmlInit_v2")
        if code == SUCCESS:
            self._session = session
        else:
            # An update may have put another file in its place; the loader would give the old one again.
            dlclose(self._library._handle)
            self._library = None
        return code
