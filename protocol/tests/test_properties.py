"""What holds for every line: round trip, size, framing, and that both codecs agree.

The C++ side is the board's own code, reached through the host library: ``INKTOP_HOST_LIB``, or
``build/native/libinktop_host.so``, which ``make build`` makes.
"""

from __future__ import annotations

import binascii
import ctypes
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, List, Optional, Tuple, Union

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from inktop_protocol import (
    MAX_LINE_BYTES,
    Ack,
    Announcement,
    Assignment,
    Clock,
    Count,
    Disk,
    DiskTraffic,
    Event,
    Fleet,
    FleetPower,
    FleetVram,
    Framer,
    Gpu,
    GpuInfo,
    GpuUser,
    Health,
    Hello,
    InfoLine,
    Line,
    LineError,
    Memory,
    ModelServer,
    Network,
    Refusal,
    SettingsLine,
    Snapshot,
    Swap,
    UpOf,
    Worst,
    decode,
    decode_to_json,
    encode_ack,
    encode_announcement,
    encode_fleet,
    encode_health,
    encode_hello,
    encode_info,
    encode_settings,
    encode_snapshot,
)

# No deadline for one example: test machines are busy at times.
settings.register_profile("inktop", deadline=None)
settings.load_profile("inktop")

ROOT = Path(__file__).parents[2]
MAX_U32 = 4294967295
Draw = Callable[[Any], Any]

ENCODERS: List[Tuple[type, Callable[[Any], bytes]]] = [
    (Snapshot, encode_snapshot),
    (InfoLine, encode_info),
    (Hello, encode_hello),
    (Health, encode_health),
    (SettingsLine, encode_settings),
    (Ack, encode_ack),
    (Announcement, encode_announcement),
    (Fleet, encode_fleet),
]


def encode(line: Line) -> bytes:
    for kind, encoder in ENCODERS:
        if isinstance(line, kind):
            return encoder(line)
    raise AssertionError(line)


# ---- Lines that can be said exactly ------------------------------------------------------------


def optional(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


def whole(low: int, high: int) -> st.SearchStrategy[int]:
    return st.sampled_from([low, high]) | st.integers(low, high)


def text(most: int, without: str = "|") -> st.SearchStrategy[str]:
    letters = [chr(code) for code in range(0x20, 0x7F) if chr(code) not in without]
    return st.text(st.sampled_from(letters), min_size=1, max_size=most)


def word(letters: str, least: int, most: int) -> st.SearchStrategy[str]:
    return st.text(st.sampled_from(letters), min_size=least, max_size=most)


LOWER = "abcdefghijklmnopqrstuvwxyz"
NAME = LOWER + LOWER.upper() + "0123456789._-"
HEX = "0123456789abcdef"
counters = optional(whole(0, MAX_U32))
minutes = st.builds("{:02d}:{:02d}".format, whole(0, 23), whole(0, 59))
seconds = st.builds("{}:{:02d}".format, minutes, whole(0, 59))
macs = optional(word(HEX, 64, 64))
temperatures = optional(whole(-99, 999))
clocks = optional(whole(0, 99999))


@st.composite
def sizes(draw: Draw, values: int) -> Tuple[Optional[int], ...]:
    """A total and other values of memory, thousandths of a GiB, at its line's precision."""
    step, low, high = draw(st.sampled_from([(1, 0, 999), (10, 1000, 9990), (100, 10000, 1048576000)]))
    total = draw(whole(low // step, high // step)) * step
    # Without a total the value in use decides the precision.
    used = draw(optional(whole(0, high // step)))
    others = [draw(optional(whole(0, 1048576000 // step))) for _ in range(values - 2)]
    scaled = [None if value is None else value * step for value in [used, *others]]
    return (scaled[0], total, *scaled[1:])


gpus = st.builds(
    Gpu,
    index=whole(0, 15),
    busy_percent=optional(whole(0, 100)),
    vram_used_mib=optional(whole(0, 16777216)),
    vram_total_mib=optional(whole(0, 16777216)),
    edge_c=temperatures,
    junction_c=temperatures,
    memory_c=temperatures,
    power_w=optional(whole(0, 9999)),
    fan_rpm=clocks,
    core_clock_mhz=clocks,
    memory_clock_mhz=clocks,
    fan_percent=optional(whole(0, 100)),
    state=st.sampled_from(["ok", "asleep", "reset", "stale", "lost"]) | word(LOWER, 1, 8),
    throttle=optional(st.sampled_from(["none", "power", "heat", "current", "other"]) | word(LOWER, 1, 8)),
    link_generation=optional(whole(1, 9)),
    link_width=optional(whole(1, 32)),
)
disks = st.builds(Disk, whole(0, 10**12), whole(0, 10**12), text(15, "|,:"))
gpu_users = st.builds(
    GpuUser,
    index=whole(0, 15),
    name=text(15, "|,"),
    vram_mib=optional(whole(0, 16777216)),
    busy_percent=optional(whole(0, 100)),
    others=optional(whole(0, 9999)),
)
model_servers = st.builds(
    ModelServer,
    name=text(15, "|,"),
    running=optional(whole(0, 99999)),
    waiting=optional(whole(0, 99999)),
    generated_tokens_s=optional(whole(0, 9999999)),
    prompt_tokens_s=optional(whole(0, 9999999)),
    cache_percent=optional(whole(0, 100)),
)
events = st.builds(Event, word(LOWER + "0123456789", 1, 8), word(LOWER, 1, 8), seconds)
levels = st.lists(optional(whole(0, 15)), min_size=1, max_size=256).map(tuple)
loads = st.tuples(*[optional(whole(0, 9999999))] * 3)


def ascending(items: st.SearchStrategy[Any], most: int) -> st.SearchStrategy[Any]:
    several = st.lists(items, max_size=most, unique_by=lambda one: one.index)
    return several.map(lambda given: tuple(sorted(given, key=lambda one: one.index)))


snapshots = st.builds(
    Snapshot,
    host=word(NAME, 1, 63),
    address=optional(text(45)),
    time=optional(minutes),
    uptime_s=counters,
    cpu_permille=optional(whole(0, 1000)),
    cpus=optional(whole(1, 65535)),
    cpu_levels=optional(levels),
    load_centi=optional(loads),
    memory=optional(sizes(3).map(lambda given: Memory(*given))),
    swap=optional(sizes(2).map(lambda given: Swap(*given))),
    network=optional(
        st.builds(Network, text(15, "|,"), optional(whole(0, 10**14)), optional(whole(0, 10**14)))
    ),
    cpu_c=temperatures,
    disks=st.lists(disks, max_size=4).map(tuple),
    disk_traffic=optional(st.builds(DiskTraffic, optional(whole(0, 10**14)), optional(whole(0, 10**14)))),
    gpus=ascending(gpus, 2),
    gpu_users=ascending(gpu_users, 2),
    model_server=optional(model_servers),
    events=st.lists(events, max_size=8).map(tuple),
)
gpu_infos = st.builds(
    GpuInfo,
    index=whole(0, 15),
    name=text(31, "|,"),
    pci=optional(st.builds("{}:{}:{}.{}".format, *(word(HEX, n, n) for n in (4, 2, 2, 1)))),
    power_cap_w=optional(whole(0, 9999)),
    edge_critical_c=temperatures,
    junction_critical_c=temperatures,
    memory_critical_c=temperatures,
    link_generation=optional(whole(1, 9)),
    link_width=optional(whole(1, 32)),
)
infos = st.builds(
    InfoLine,
    collector=optional(text(15)),
    nonce=optional(word(HEX, 32, 32)),
    clock=optional(st.builds(Clock, seconds, whole(0, MAX_U32))),
    cpu_model=optional(text(47)),
    gpus=ascending(gpu_infos, 8),
)
hellos = st.builds(
    Hello,
    board=word(NAME, 1, 31),
    firmware=text(15),
    panel=optional(st.builds("{}x{}".format, whole(0, 99999), whole(0, 99999))),
    boots=counters,
    reset=optional(text(15)),
    nonce=optional(word(HEX, 32, 32)),
    mac=macs,
)
counts = st.lists(st.builds(Count, word(LOWER, 1, 12), whole(0, MAX_U32)), max_size=12).map(tuple)
healths = st.builds(
    Health,
    board=word(NAME, 1, 31),
    uptime_s=counters,
    heap_bytes=counters,
    psram_bytes=counters,
    rssi_dbm=optional(whole(-127, 0)),
    updates=counters,
    washes=counters,
    refresh_errors=counts,
    refresh_ms=counters,
    bad_lines=counts,
    receive_high_water_bytes=counters,
    largest_block_bytes=counters,
    lowest_heap_bytes=counters,
    main_stack_bytes=counters,
    network_stack_bytes=counters,
    panel_mhz=optional(whole(0, 255)),
)
#: The value is all that is left of its item: it may hold the item's separator.
assignments = st.builds(Assignment, word(NAME, 1, 15), text(23, "|,"))
settings_lines = st.builds(
    SettingsLine,
    board=optional(word(NAME, 1, 31)),
    values=st.lists(assignments, max_size=20).map(tuple),
    origins=optional(word(LOWER, 1, 20)),
    refusals=st.lists(st.builds(Refusal, word(NAME, 1, 15), word(LOWER, 1, 8)), max_size=2).map(tuple),
)
acks = st.builds(Ack, board=word(NAME, 1, 31), events=st.lists(events, max_size=8).map(tuple))
announcements = st.builds(
    Announcement,
    host=word(NAME, 1, 63),
    address=text(45),
    port=whole(1, 65535),
    time_s=optional(whole(0, 4294967295)),
    mac=macs,
)
many = optional(whole(0, 9999999))
up_of = optional(st.builds(UpOf, many, many))
worst = st.builds(Worst, word(NAME, 1, 63), word(LOWER, 1, 8), counters, optional(text(15, "|,:")))
#: Always within a line: with a host and a value of any length two things wrong are.
fleets = st.builds(
    Fleet,
    host=word(NAME, 1, 63),
    address=optional(text(45)),
    time=optional(minutes),
    uptime_s=counters,
    source=optional(word(LOWER, 1, 8)),
    machines=up_of,
    gpus=up_of,
    busy_percent=optional(whole(0, 100)),
    power=optional(st.builds(FleetPower, *[optional(whole(0, 10**9))] * 2)),
    vram=optional(st.builds(FleetVram, *[optional(whole(0, 10**12))] * 2)),
    wrong=many,
    worst=st.lists(worst, max_size=6).map(tuple),
)
exact_lines = snapshots | infos | hellos | healths | settings_lines | acks | announcements | fleets


@given(exact_lines)
def test_a_line_that_was_written_reads_as_what_was_said(line: Line) -> None:
    assert decode(encode(line)) == line


# ---- Anything that a program could hand to the encoder ---------------------------------------------

anything = st.none() | st.integers() | st.integers(-200, 200000)
any_text = st.text(max_size=80)


def roughly(built: st.SearchStrategy[Any], **fields: Any) -> st.SearchStrategy[Any]:
    """The line with some of its fields replaced by anything of their type."""
    return st.builds(
        lambda line, given: replace(line, **given), built, st.fixed_dictionaries({}, optional=fields)
    )


wild_gpus = roughly(
    gpus,
    index=st.integers(-2, 18),
    busy_percent=anything,
    vram_used_mib=anything,
    edge_c=anything,
    memory_clock_mhz=anything,
    fan_percent=anything,
    state=any_text,
    throttle=optional(any_text),
    link_generation=anything,
    link_width=anything,
)
wild_events = events | st.builds(Event, any_text, any_text, any_text)
wild_snapshots = roughly(
    snapshots,
    host=any_text,
    address=optional(any_text),
    time=optional(any_text),
    uptime_s=anything,
    cpu_permille=anything,
    cpus=anything,
    cpu_levels=st.lists(st.none() | st.integers(-1, 16), max_size=700).map(tuple),
    load_centi=st.tuples(anything, anything, anything),
    memory=st.builds(Memory, anything, anything, anything),
    swap=st.builds(Swap, anything, anything),
    network=st.builds(Network, any_text, anything, anything),
    gpus=st.lists(wild_gpus, max_size=20).map(tuple),
    gpu_users=st.lists(
        st.builds(GpuUser, st.integers(-2, 18), any_text, anything, anything, anything), max_size=20
    ).map(tuple),
    model_server=st.builds(ModelServer, any_text, anything, anything, anything, anything, anything),
    events=st.lists(wild_events, max_size=12).map(tuple),
)
wild_counts = st.lists(st.builds(Count, any_text, st.integers()) | st.builds(
    Count, word(LOWER, 1, 12), st.integers()), max_size=20).map(tuple)  # fmt: skip
wild_lines = (
    wild_snapshots
    | roughly(
        infos,
        collector=optional(any_text),
        nonce=optional(any_text),
        clock=st.builds(Clock, any_text | seconds, st.integers()),
        cpu_model=optional(any_text),
        gpus=st.lists(
            roughly(gpu_infos, name=any_text, pci=any_text, power_cap_w=anything, link_width=anything),
            max_size=20,
        ).map(tuple),
    )
    | roughly(
        hellos,
        board=any_text,
        firmware=any_text,
        panel=any_text,
        boots=anything,
        reset=any_text,
        mac=any_text,
    )  # fmt: skip
    | roughly(
        healths,
        board=any_text,
        uptime_s=anything,
        rssi_dbm=anything,
        refresh_ms=anything,
        refresh_errors=wild_counts,
        bad_lines=wild_counts,
    )  # fmt: skip
    | roughly(
        settings_lines,
        board=any_text,
        values=st.lists(st.builds(Assignment, any_text, any_text), max_size=30).map(tuple),
        origins=any_text,
        refusals=st.lists(st.builds(Refusal, any_text, any_text), max_size=30).map(tuple),
    )  # fmt: skip
    | roughly(announcements, host=any_text, address=any_text, mac=any_text)
    | roughly(
        fleets,
        host=any_text,
        source=any_text,
        machines=st.builds(UpOf, anything, anything),
        busy_percent=anything,
        wrong=anything,
        worst=st.lists(worst | st.builds(Worst, any_text, any_text, anything, any_text), max_size=12).map(
            tuple
        ),
    )
)
HUGE = Snapshot(
    "h" * 63, "f" * 45, "23:59", MAX_U32, 1000, 65535, (15,) * 256, (9999999,) * 3,
    Memory(999999900, 999999900, 999999900), Swap(999999900, 999999900),
    Network("n" * 15, 10**14, 10**14),
    -99,
    (Disk(10**12, 10**12, "d" * 15),) * 4,
    DiskTraffic(10**14, 10**14),
    tuple(Gpu(i, 100, 16777216, 16777216, -99, -99, -99, 9999, 99999, 99999, 99999, 100, "abcdefgh",
              "abcdefgh", 9, 32)
          for i in range(16)),
    tuple(GpuUser(i, "u" * 15, 16777216, 100, 9999) for i in range(16)),
    ModelServer("m" * 15, 99999, 99999, 9999999, 9999999, 100),
    (Event("abcdefgh", "abcdefgh", "23:59:59"),) * 8,
)  # fmt: skip


@given(wild_lines)
@example(HUGE)
def test_whatever_is_said_the_line_fits_and_reads(line: Line) -> None:
    written = encode(line)
    assert len(written) <= MAX_LINE_BYTES
    assert written.endswith(b"\n")
    said = decode(written)
    assert type(said) is type(line)
    # What was read can be said again, and then exactly. Not so memory at the edge of a precision: 9.999 GiB
    # of a total is written as 10.00, which as a total is written as 10.0.
    if isinstance(said, Snapshot):
        said = replace(said, memory=None, swap=None)
    assert decode(encode(said)) == said


@given(snapshots.filter(lambda snapshot: bool(snapshot.gpus)))
def test_what_never_is_shed_stays_in_a_line_that_sheds(snapshot: Snapshot) -> None:
    full = replace(HUGE, memory=snapshot.memory, network=snapshot.network, time=snapshot.time)
    first = replace(snapshot.gpus[0], index=0, core_clock_mhz=None, fan_rpm=None, memory_c=None)
    first = replace(first, memory_clock_mhz=None, fan_percent=None)
    first = replace(first, throttle=None, link_generation=None, link_width=None)
    said = decode(encode_snapshot(replace(full, gpus=(first, *HUGE.gpus[1:]))))
    assert isinstance(said, Snapshot)
    kept = (said.host, said.time, said.uptime_s, said.cpu_permille, said.network)
    assert kept == (full.host, full.time, full.uptime_s, full.cpu_permille, full.network)
    assert (said.memory is None) == (full.memory is None)
    assert said.gpus[0] == first


@given(fleets, st.lists(worst, min_size=8, max_size=8).map(tuple))
def test_a_fleet_line_that_is_too_long_loses_things_wrong_from_the_end_and_nothing_else(
    fleet: Fleet, wrong: Tuple[Worst, ...]
) -> None:
    longest = tuple(Worst(one.host.ljust(63, "h"), one.what, one.value, "p" * 15) for one in wrong)
    fleet = replace(fleet, address="f" * 45, worst=longest)
    written = encode_fleet(fleet, sealed=True)
    assert len(written) <= MAX_LINE_BYTES - 50
    said = decode(written)
    assert isinstance(said, Fleet)
    assert said.worst == longest[: len(said.worst)]
    assert len(said.worst) >= 6
    assert replace(said, worst=longest) == fleet


def longest_info(name_length: int) -> InfoLine:
    gpu_name = "n" * name_length
    rows = [GpuInfo(i, gpu_name, "0000:0a:00.0", 9999, -99, 110, 108) for i in range(16)]
    return InfoLine(1, "v" * 15, "0" * 32, Clock("12:00:00", MAX_U32), "c" * 47, tuple(rows))


def test_an_info_line_that_is_too_long_cuts_its_gpu_names_to_15() -> None:
    line = encode_info(longest_info(31))
    assert decode(line) == longest_info(15)
    assert len(line) <= MAX_LINE_BYTES
    # Not before it must.
    assert decode(encode_info(longest_info(20))) == longest_info(20)
    assert decode(encode_info(longest_info(21))) == longest_info(15)


# ---- Size and cost of the reference machine ----------------------------------------------------------


def reference_machine() -> Snapshot:
    """The machine of the specification: 32 CPUs, two GPUs with their nine values."""
    cpu = tuple(int(digit, 16) for digit in "1203000100020001f000300010000201")
    two = (
        Gpu(0, 95, 30207, 32624, 67, 81, 92, 209, 2990, 2786),
        Gpu(1, 95, 30207, 32624, 67, 81, 92, 209, 2990, 2786),
    )
    return Snapshot(
        "t7910", "192.0.2.17", "12:14", 1051200, 124, 32, cpu, (52, 40, 31),
        Memory(6900, 125900), Swap(0, 8000), Network("eno1", 11800000, 420000), gpus=two,
    )  # fmt: skip


def busiest_machine() -> Snapshot:
    """The same with every item there is, each as wide as that machine can make it."""
    wide = Gpu(0, 100, 32624, 32624, 105, 110, 108, 300, 4500, 2980, 1258, 100)
    return replace(
        reference_machine(),
        time="23:59",
        uptime_s=99999999,
        cpu_permille=1000,
        cpu_levels=(15,) * 32,
        load_centi=(12850, 12799, 12750),
        memory=Memory(125900, 125900, 100000),
        swap=Swap(8000, 8000),
        network=Network("eno1", 125000000, 125000000),
        gpus=(wide, replace(wide, index=1)),
        events=(Event("gpu1", "reset", "03:01:15"),),
    )


def test_the_example_line_of_the_design_is_within_250_bytes() -> None:
    assert len(encode_snapshot(reference_machine())) <= 250


def test_the_busiest_line_of_the_reference_machine_is_within_320_bytes() -> None:
    line = encode_snapshot(busiest_machine())
    assert decode(line) == busiest_machine()
    assert len(line) <= 320


# ---- Framer ----------------------------------------------------------------------------------------------

streams = st.lists(
    st.sampled_from([b"\n", b"h=a*1234\n", b"x" * 1000, b"x" * 1023, b"x" * 1024, b"y" * 25])
    | st.binary(max_size=40),
    max_size=12,
).map(b"".join)


def cut_up(stream: bytes, cuts: List[int]) -> List[bytes]:
    places = sorted({0, len(stream), *[cut % (len(stream) + 1) for cut in cuts]})
    return [stream[begin:end] for begin, end in zip(places, places[1:])]


def frame(portions: List[bytes]) -> List[Union[bytes, str]]:
    framer = Framer()
    found = [one for portion in portions for one in framer.feed(portion)]
    return found + framer.closed()


def frame_plainly(stream: bytes) -> List[Union[bytes, str]]:
    """What section 11 says, over the whole stream at once."""
    *whole_lines, rest = stream.split(b"\n")
    found: List[Union[bytes, str]] = [
        line if len(line) + 1 <= MAX_LINE_BYTES else "overlong" for line in whole_lines
    ]
    if rest:
        found.append("cut" if len(rest) < MAX_LINE_BYTES else "overlong")
    return found


@given(streams, st.lists(st.integers(0, 20000), max_size=20))
def test_any_chunking_gives_the_same_lines(stream: bytes, cuts: List[int]) -> None:
    expected = frame_plainly(stream)
    assert frame(cut_up(stream, cuts)) == expected
    assert frame([stream[at : at + 1] for at in range(len(stream))]) == expected


def test_a_framer_holds_a_hello_to_its_own_limit() -> None:
    framer = Framer(limit=256)
    assert framer.feed(b"x" * 255 + b"\n") == [b"x" * 255]
    assert framer.feed(b"x" * 256 + b"\n") == ["overlong"]
    framer.limit = MAX_LINE_BYTES
    assert framer.feed(b"x" * 256 + b"\n") == [b"x" * 256]


# ---- The board's own codec ------------------------------------------------------------------------------


class Board:
    """The C++ codec through its C ABI (firmware/host/decode_api.h)."""

    SIZE = 32768
    NOTHING = -1
    DROPPED = -2

    def __init__(self, path: Path) -> None:
        if not path.exists():
            pytest.fail(f"{path} is not there: build it with `make build`")
        self.library = ctypes.CDLL(str(path))
        self.library.inktop_framer_new.restype = ctypes.c_void_p
        self.out = ctypes.create_string_buffer(self.SIZE)

    def decode(self, line: bytes) -> str:
        length = self.library.inktop_decode(line, len(line), self.out, self.SIZE)
        assert length >= 0
        return self.out.raw[:length].decode("ascii")

    def reencode(self, line: bytes) -> bytes:
        length = self.library.inktop_reencode(line, len(line), self.out, self.SIZE)
        return self.out.raw[:length]

    def frame(self, portions: List[bytes]) -> List[Union[bytes, str]]:
        framer = ctypes.c_void_p(self.library.inktop_framer_new())
        found: List[Union[bytes, str]] = []

        def take(length: int) -> bool:
            if length == self.DROPPED:
                found.append(self.out.value.decode("ascii"))
            elif length >= 0:
                found.append(self.out.raw[:length])
            return length != self.NOTHING

        for portion in portions:
            self.library.inktop_framer_feed(framer, portion, len(portion))
            while take(self.library.inktop_framer_next(framer, self.out, self.SIZE)):
                pass
        take(self.library.inktop_framer_closed(framer, self.out, self.SIZE))
        for kind, number in (("overlong", 1), ("cut", 2), ("none", 0)):
            dropped = self.library.inktop_framer_dropped(framer, number)
            assert dropped == found.count(kind)
        self.library.inktop_framer_free(framer)
        return found


@pytest.fixture(scope="module")
def board() -> Board:
    default = ROOT / "build" / "native" / "libinktop_host.so"
    return Board(Path(os.environ.get("INKTOP_HOST_LIB", str(default))))


def close(body: bytes) -> bytes:
    return b"%s*%04X" % (body, binascii.crc_hqx(body, 0xFFFF))


def vector_lines() -> List[bytes]:
    rows = (ROOT / "protocol" / "vectors" / "lines.jsonl").read_text(encoding="ascii").splitlines()
    vectors = [json.loads(row) for row in rows]
    return [bytes.fromhex(v["hex"]) if "hex" in v else v["line"].encode("ascii") for v in vectors]


VECTOR_LINES = vector_lines()


@st.composite
def mutated(draw: Draw) -> bytes:
    """A good line, or one of the vectors, with bytes changed, inserted or removed.

    Its checksum is put right, or not.
    """
    seed = draw(st.sampled_from(VECTOR_LINES) | exact_lines.map(lambda line: encode(line)[:-1]))
    body = bytearray(seed[:-5])
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(body)))
        char = draw(st.sampled_from(b"|=,:./-*0159afgzAZ x") | st.integers(0, 255))
        change = draw(st.sampled_from(["replace", "insert", "remove", "double"]))
        if change == "replace":
            body[at : at + 1] = bytes([char])
        elif change == "insert":
            body[at:at] = bytes([char])
        elif change == "remove":
            del body[at : at + draw(st.integers(1, 8))]
        else:
            body[at:at] = body[at : at + draw(st.integers(1, 40))]
    line = close(bytes(body))
    return line if draw(st.integers(0, 9)) else line[:-1] + b"0"


FIRST = [
    "h=a",
    *[f"{kind}=1" for kind in ("info", "hello", "health", "settings", "announce", "fleet", "foo")],
]
FIRST += ["info=2", "hello=", "h"]
KEYS = [
    "h",
    "i",
    "t",
    "u",
    "c",
    "n",
    "k",
    "l",
    "m",
    "s",
    "w",
    "e",
    "g0",
    "g1",
    "g15",
    "g16",
    "g01",
    "v",
    "nonce",
    "clock",
    "cpu",
    "id",
    "fw",
    "panel",
    "boots",
    "reset",
    "mac",
    "at",
    "q",
    "heap",
    "psram",
    "rssi",
    "upd",
    "wash",
    "err",
    "ms",
    "bad",
    "buf",
    "block",
    "low",
    "main",
    "net",
    "mhz",
    "set",
    "from",
    "not",
    "port",
    "src",
    "up",
    "gpu",
    "busy",
    "p",
    "x",
]
pieces = st.sampled_from(
    [*"0123456789abfx.,/:-", "-,", "12:14", "23:59:59", ",12:14:59", "gpu1:lost:", "cut:1", "1.5", "wash:9"]
)
made_up = st.builds(
    lambda first, fields: close(
        "|".join([first, *[f"{key}={''.join(parts)}" for key, parts in fields]]).encode("ascii")
    ),
    st.sampled_from(FIRST),
    st.lists(st.tuples(st.sampled_from(KEYS), st.lists(pieces, max_size=8)), max_size=4),
)
random_bodies = st.binary(max_size=60).map(close) | st.text(
    st.sampled_from("hgi=|*-,.0123abc"), max_size=40
).map(lambda body: close(body.encode("ascii")))


@given(exact_lines)
def test_both_codecs_read_a_good_line_alike(board: Board, line: Line) -> None:
    written = encode(line)
    assert board.decode(written) == decode_to_json(written)
    assert "error" not in board.decode(written)[:9]


@pytest.mark.parametrize("line", VECTOR_LINES, ids=range(len(VECTOR_LINES)))
def test_both_codecs_read_a_vector_alike(board: Board, line: bytes) -> None:
    assert board.decode(line) == decode_to_json(line)


@given(mutated() | made_up | random_bodies | st.binary(max_size=1100))
def test_both_codecs_read_any_line_alike(board: Board, line: bytes) -> None:
    assert board.decode(line) == decode_to_json(line)


@given(hellos | healths | settings_lines | acks)
def test_both_encoders_write_what_the_board_says_alike(
    board: Board, line: Union[Hello, Health, SettingsLine, Ack]
) -> None:
    written = encode(line)
    assert board.reencode(written) == written


@given(streams, st.lists(st.integers(0, 20000), max_size=20))
def test_both_framers_find_the_same_lines(board: Board, stream: bytes, cuts: List[int]) -> None:
    portions = cut_up(stream, cuts)
    assert board.frame(portions) == frame(portions)


def test_made_up_lines_reach_good_and_bad_values() -> None:
    """The generator above is worth something: it makes lines of every outcome."""
    seen = set()

    @settings(max_examples=1500, database=None, derandomize=True)
    @given(made_up)
    def look(line: bytes) -> None:
        try:
            seen.add(type(decode(line)).__name__)
        except LineError as error:
            seen.add(error.kind)

    look()
    assert seen >= {"Snapshot", "InfoLine", "UnknownKind", "OtherVersion"}
    assert seen >= {"syntax", "value", "missing"}
