"""Writes the vectors beside it: ``python3 protocol/vectors/write_vectors.py`` after a change here.

Lines, values and errors are written by hand from the specification; the codecs are not used. Only
two things are computed: the checksum, bit by bit, and the length of filled-up lines. A test holds
that the files are what this script writes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

Vector = Dict[str, Any]
HERE = Path(__file__).parent

GPU_ITEMS = [
    "busy_percent",
    "vram_used_mib",
    "vram_total_mib",
    "edge_c",
    "junction_c",
    "memory_c",
    "power_w",
    "fan_rpm",
    "core_clock_mhz",
    "memory_clock_mhz",
    "fan_percent",
]
#: After the state.
GPU_LATER_ITEMS = ["throttle", "link_generation", "link_width"]
GPU_USER_ITEMS = ["vram_mib", "busy_percent", "others"]
MODEL_SERVER_ITEMS = ["running", "waiting", "generated_tokens_s", "prompt_tokens_s", "cache_percent"]
GPU_INFO_ITEMS = [
    "pci",
    "power_cap_w",
    "edge_critical_c",
    "junction_critical_c",
    "memory_critical_c",
    "link_generation",
    "link_width",
]


def crc(text: str) -> str:
    """CRC-16/CCITT-FALSE, bit by bit."""
    value = 0xFFFF
    for byte in text.encode("latin-1"):
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1) ^ 0x1021 if value & 0x8000 else value << 1
            value &= 0xFFFF
    return f"{value:04X}"


def line(body: str) -> str:
    return f"{body}*{crc(body)}"


def gpu(index: int, *values: Optional[int], state: str = "ok", later: Tuple[object, ...] = ()) -> Vector:
    padded = list(values) + [None] * (len(GPU_ITEMS) - len(values))
    end = list(later) + [None] * (len(GPU_LATER_ITEMS) - len(later))
    return {"index": index, **dict(zip(GPU_ITEMS, padded)), "state": state, **dict(zip(GPU_LATER_ITEMS, end))}


def gpu_info(index: int, name: str, *values: object) -> Vector:
    padded = list(values) + [None] * (len(GPU_INFO_ITEMS) - len(values))
    return {"index": index, "name": name, **dict(zip(GPU_INFO_ITEMS, padded))}


def event(subject: str, what: str, time: str) -> Vector:
    return {"subject": subject, "what": what, "time": time}


def memory(used: Optional[int], total: Optional[int], cache: Optional[int] = None) -> Vector:
    return {"used_milligib": used, "total_milligib": total, "cache_milligib": cache}


def swap(used: Optional[int], total: Optional[int]) -> Vector:
    return {"used_milligib": used, "total_milligib": total}


def disk(used: int, total: int, name: str) -> Vector:
    return {"used_mib": used, "total_mib": total, "name": name}


def disk_traffic(read: Optional[int], written: Optional[int]) -> Vector:
    return {"read_bytes_s": read, "written_bytes_s": written}


def network(name: str, received: Optional[int], sent: Optional[int]) -> Vector:
    return {"name": name, "received_bytes_s": received, "sent_bytes_s": sent}


def ordered(kind: str, keys: str, given: Vector, always: Vector) -> Vector:
    values = {**always, **given}
    assert set(values) <= set(keys.split()), (kind, values)
    return {"kind": kind, **{key: values[key] for key in keys.split() if key in values}}


def data(host: str = "a", **given: Any) -> Vector:
    return ordered(
        "data",
        "host address time uptime_s cpu_permille cpus cpu_levels load_centi memory swap network cpu_c disks "
        "disk_traffic gpus gpu_users model_server events",
        given,
        {"host": host, "cpu_permille": None, "disks": [], "gpus": [], "gpu_users": [], "events": []},
    )


def gpu_user(index: int, name: str, *values: Optional[int]) -> Vector:
    padded = list(values) + [None] * (len(GPU_USER_ITEMS) - len(values))
    return {"index": index, "name": name, **dict(zip(GPU_USER_ITEMS, padded))}


def model_server(name: str, *values: Optional[int]) -> Vector:
    padded = list(values) + [None] * (len(MODEL_SERVER_ITEMS) - len(values))
    return {"name": name, **dict(zip(MODEL_SERVER_ITEMS, padded))}


def info(**given: Any) -> Vector:
    keys = "version collector nonce clock cpu_model gpus"
    return ordered("info", keys, given, {"version": 1, "gpus": []})


def hello(**given: Any) -> Vector:
    always = {"board": "desk", "firmware": "0.1.0", "version": 1}
    return ordered("hello", "board firmware panel boots reset nonce mac version", given, always)


def health(**given: Any) -> Vector:
    return ordered(
        "health",
        "board uptime_s heap_bytes psram_bytes rssi_dbm updates washes refresh_errors refresh_ms "
        "bad_lines receive_high_water_bytes largest_block_bytes lowest_heap_bytes main_stack_bytes "
        "network_stack_bytes panel_mhz version",
        given,
        {
            "board": "desk",
            "rssi_dbm": None,
            "refresh_errors": [],
            "refresh_ms": None,
            "bad_lines": [],
            "version": 1,
        },
    )


def settings(**given: Any) -> Vector:
    keys = "board values origins refusals version"
    return ordered("settings", keys, given, {"values": [], "refusals": [], "version": 1})


def values(**given: str) -> List[Vector]:
    return [{"name": name, "value": value} for name, value in given.items()]


def ack(**given: Any) -> Vector:
    return ordered("ack", "board events version", given, {"board": "desk", "events": [], "version": 1})


def announce(**given: Any) -> Vector:
    always = {"host": "t7910", "address": "192.0.2.17", "port": 7910, "version": 1}
    return ordered("announce", "host address port time_s mac version", given, always)


def fleet(**given: Any) -> Vector:
    keys = "host address time uptime_s source machines gpus busy_percent power vram wrong worst version"
    return ordered("fleet", keys, given, {"host": "rack7", "worst": [], "version": 1})


def up_of(up: Optional[int], total: Optional[int]) -> Vector:
    return {"up": up, "total": total}


def worst(host: str, what: str, value: Optional[int] = None, part: Optional[str] = None) -> Vector:
    return {"host": host, "what": what, "value": value, "part": part}


def error(kind: str) -> Vector:
    return {"error": kind}


VALUE = error("value")
R9700 = "95,30207,32624,67,81,92,209,2990,2786"
R9700_VALUES = (95, 30207, 32624, 67, 81, 92, 209, 2990, 2786)
MAC = "fd" * 32
T15 = "123456789012345"
NAME63 = "abcdefghijklmnopqrstuvwxyz.ABCDEFGHIJKLMNOPQRSTUVWXYZ_01234567-"

# Bodies with the right checksum: name, body, what the line says.
BODIES: List[Tuple[str, str, Vector]] = [
    # ---- data lines
    (
        "the example of the specification",
        "h=t7910|i=192.0.2.17|t=12:14|u=1051200|c=12.4|n=4|k=120f|l=0.52,0.40,0.31|m=6.9/125.9"
        "|w=eno1,11800000,420000",
        data(
            "t7910",
            address="192.0.2.17",
            time="12:14",
            uptime_s=1051200,
            cpu_permille=124,
            cpus=4,
            cpu_levels=[1, 2, 0, 15],
            load_centi=[52, 40, 31],
            memory=memory(6900, 125900),
            network=network("eno1", 11800000, 420000),
        ),
    ),
    (
        "everything a machine can have",
        "h=big|i=2001:db8::17|t=23:59|u=4294967295|c=100.0|n=8|k=0f-8a3c1|l=12.00,8.50,-"
        "|m=100.5/125.9/20.3|s=0.00/8.00|w=enp3s0f0,100000000000000,0"
        f"|g0={R9700},1258,55|g1=-,-,-,-,-,-,-,-,-,-,-,lost|e=gpu1:lost:03:01:15,mem:oom:23:59:59",
        data(
            "big",
            address="2001:db8::17",
            time="23:59",
            uptime_s=4294967295,
            cpu_permille=1000,
            cpus=8,
            cpu_levels=[0, 15, None, 8, 10, 3, 12, 1],
            load_centi=[1200, 850, None],
            memory=memory(100500, 125900, 20300),
            swap=swap(0, 8000),
            network=network("enp3s0f0", 10**14, 0),
            gpus=[gpu(0, *R9700_VALUES, 1258, 55), gpu(1, state="lost")],
            events=[event("gpu1", "lost", "03:01:15"), event("mem", "oom", "23:59:59")],
        ),
    ),
    ("a host alone", "h=a", data()),
    ("a host of 63 characters", f"h={NAME63}", data(NAME63)),
    ("a host of 64 characters", f"h={NAME63}x", VALUE),
    ("an empty host", "h=", VALUE),
    ("a host with quote, backslash, equals and star", 'h=a"b\\c=d*e', data('a"b\\c=d*e')),
    ("an address of 45 characters", "h=a|i=" + "f" * 45, data(address="f" * 45)),
    ("an address of 46 characters", "h=a|i=" + "f" * 46, VALUE),
    ("an empty address", "h=a|i=", VALUE),
    ("midnight", "h=a|t=00:00", data(time="00:00")),
    ("the last minute of a day", "h=a|t=23:59", data(time="23:59")),
    ("hour 24", "h=a|t=24:00", VALUE),
    ("minute 60", "h=a|t=12:60", VALUE),
    ("a time with one digit", "h=a|t=9:05", VALUE),
    ("a time with seconds", "h=a|t=12:14:00", VALUE),
    ("a time with a space", "h=a|t= 9:05", VALUE),
    ("uptime 0", "h=a|u=0", data(uptime_s=0)),
    ("uptime at its maximum", "h=a|u=4294967295", data(uptime_s=4294967295)),
    ("uptime one above its maximum", "h=a|u=4294967296", VALUE),
    ("leading zeros in an uptime", "h=a|u=000000000000042", data(uptime_s=42)),
    ("an uptime of 16 digits", "h=a|u=0000000000000042", VALUE),
    ("a negative uptime", "h=a|u=-1", VALUE),
    ("a signed uptime", "h=a|u=+1", VALUE),
    ("an empty uptime", "h=a|u=", VALUE),
    ("an unknown uptime is not allowed", "h=a|u=-", VALUE),
    ("CPU unknown", "h=a|c=-", data()),
    ("CPU idle", "h=a|c=0.0", data(cpu_permille=0)),
    ("CPU without a point", "h=a|c=7", data(cpu_permille=70)),
    ("CPU full", "h=a|c=100", data(cpu_permille=1000)),
    ("CPU rounded half up", "h=a|c=12.45", data(cpu_permille=125)),
    ("CPU rounded down", "h=a|c=12.449999", data(cpu_permille=124)),
    ("CPU that rounds to its maximum", "h=a|c=100.049999", data(cpu_permille=1000)),
    ("CPU that rounds beyond its maximum", "h=a|c=100.05", VALUE),
    ("CPU above 100", "h=a|c=100.1", VALUE),
    ("CPU negative", "h=a|c=-0.1", VALUE),
    ("CPU with a point and no digit after it", "h=a|c=12.", VALUE),
    ("CPU with no digit before the point", "h=a|c=.5", VALUE),
    ("CPU with two points", "h=a|c=1.2.3", VALUE),
    ("CPU with seven decimals", "h=a|c=1.0000000", VALUE),
    ("CPU with an exponent", "h=a|c=1e1", VALUE),
    ("CPU of 15 digits", "h=a|c=000000000012.34", data(cpu_permille=123)),
    ("CPU of 16 digits", "h=a|c=0000000000012.345", VALUE),
    ("one CPU", "h=a|n=1", data(cpus=1)),
    ("65535 CPUs", "h=a|n=65535", data(cpus=65535)),
    ("65536 CPUs", "h=a|n=65536", VALUE),
    ("no CPU", "h=a|n=0", VALUE),
    ("levels of every height", "h=a|k=0123456789abcdef", data(cpu_levels=list(range(16)))),
    ("levels all unknown", "h=a|k=--", data(cpu_levels=[None, None])),
    ("fewer levels than CPUs", "h=a|n=512|k=0f", data(cpus=512, cpu_levels=[0, 15])),
    ("256 levels", "h=a|k=" + "7" * 256, data(cpu_levels=[7] * 256)),
    ("257 levels", "h=a|k=" + "7" * 257, VALUE),
    ("no level", "h=a|k=", VALUE),
    ("an upper-case level", "h=a|k=0F", VALUE),
    ("a level beyond f", "h=a|k=0g", VALUE),
    ("the highest load", "h=a|l=99999.99,0.00,1", data(load_centi=[9999999, 0, 100])),
    ("a load too high", "h=a|l=100000.00,0,0", VALUE),
    ("a load that rounds too high", "h=a|l=99999.995,0,0", VALUE),
    ("one load only", "h=a|l=0.125", data(load_centi=[13, None, None])),
    ("an unknown load", "h=a|l=-,1.5,-", data(load_centi=[None, 150, None])),
    ("extra loads are ignored", "h=a|l=1,2,3,x,", data(load_centi=[100, 200, 300])),
    ("an empty load", "h=a|l=1,,3", VALUE),
    ("no load", "h=a|l=", VALUE),
    ("memory of half a GiB", "h=a|m=0.125/0.488", data(memory=memory(125, 488))),
    ("memory at its maximum", "h=a|m=0/1048576/0", data(memory=memory(0, 1048576000, 0))),
    ("memory one above its maximum", "h=a|m=0/1048576.001", VALUE),
    ("memory unknown", "h=a|m=-/-/-", data(memory=memory(None, None))),
    ("memory in use alone", "h=a|m=1.5", data(memory=memory(1500, None))),
    ("memory with an unknown cache", "h=a|m=1/2/-", data(memory=memory(1000, 2000))),
    ("memory rounded half up", "h=a|m=0.0005/0.00049", data(memory=memory(1, 0))),
    ("extra memory items are ignored", "h=a|m=1/2/3/4k", data(memory=memory(1000, 2000, 3000))),
    ("memory parted by commas", "h=a|m=1,2", VALUE),
    ("memory negative", "h=a|m=-1/2", VALUE),
    ("memory empty", "h=a|m=", VALUE),
    ("swap unknown", "h=a|s=-/-", data(swap=swap(None, None))),
    ("swap", "h=a|s=0.25/2.00", data(swap=swap(250, 2000))),
    ("extra swap items are ignored", "h=a|s=1/2/x", data(swap=swap(1000, 2000))),
    ("swap with a unit", "h=a|s=1G/2G", VALUE),
    ("no interface", "h=a|w=-,-,-", data(network=network("-", None, None))),
    ("an interface alone", "h=a|w=eth0", data(network=network("eth0", None, None))),
    (
        "an interface of 15 characters with a colon",
        f"h=a|w=eth0:{T15[:10]},1,2",
        data(network=network(f"eth0:{T15[:10]}", 1, 2)),
    ),
    ("an interface of 16 characters", f"h=a|w={T15}6,1,2", VALUE),
    ("an interface without a name", "h=a|w=,1,2", VALUE),
    ("a rate at its maximum", "h=a|w=e,1,100000000000000", data(network=network("e", 1, 10**14))),
    ("a rate one above its maximum", "h=a|w=e,1,100000000000001", VALUE),
    ("a rate with decimals", "h=a|w=e,1.5,2", VALUE),
    ("extra network items are ignored", "h=a|w=e,1,2,3", data(network=network("e", 1, 2))),
    # ---- GPUs
    ("a GPU idle", "h=a|g0=0,0,0,0,0,0,0,0,0", data(gpus=[gpu(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)])),
    (
        "a GPU at every maximum",
        "h=a|g15=100,16777216,16777216,999,999,999,9999,99999,99999,99999,100,ok",
        data(gpus=[gpu(15, 100, 16777216, 16777216, 999, 999, 999, 9999, 99999, 99999, 99999, 100)]),
    ),
    ("a GPU below zero", "h=a|g0=-,-,-,-99,-1,-0", data(gpus=[gpu(0, None, None, None, -99, -1, 0)])),
    ("a GPU with busy alone", "h=a|g3=5", data(gpus=[gpu(3, 5)])),
    (
        "GPUs are given by their place, not by their order in the line",
        "h=a|g2=2|g0=0|g10=10",
        data(gpus=[gpu(0, 0), gpu(2, 2), gpu(10, 10)]),
    ),
    ("GPU 16 is an unknown key", "h=a|g16=x", data()),
    ("a GPU with a leading zero is an unknown key", "h=a|g01=x", data()),
    ("g alone is an unknown key", "h=a|g=x", data()),
    (
        "GPU asleep",
        "h=a|g0=-,12,8192,-,-,-,-,-,-,-,-,asleep",
        data(gpus=[gpu(0, None, 12, 8192, state="asleep")]),
    ),
    ("GPU in reset", "h=a|g0=-,-,-,-,-,-,-,-,-,-,-,reset", data(gpus=[gpu(0, state="reset")])),
    ("GPU stale", "h=a|g0=-,-,-,-,-,-,-,-,-,-,-,stale", data(gpus=[gpu(0, state="stale")])),
    ("GPU lost", "h=a|g0=-,-,-,-,-,-,-,-,-,-,-,lost", data(gpus=[gpu(0, state="lost")])),
    ("GPU in a later state", "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,thawing", data(gpus=[gpu(0, 1, state="thawing")])),
    (
        "a GPU throttled by heat on four lanes",
        "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,ok,heat,3,4",
        data(gpus=[gpu(0, 1, later=("heat", 3, 4))]),
    ),
    (
        "a GPU that is not throttled",
        "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,ok,none",
        data(gpus=[gpu(0, 1, later=("none",))]),
    ),
    (
        "a GPU throttled for a later reason",
        "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,ok,humidity,9,32",
        data(gpus=[gpu(0, 1, later=("humidity", 9, 32))]),
    ),
    (
        "a GPU of whose link the width is known",
        "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,ok,-,-,1",
        data(gpus=[gpu(0, 1, later=(None, None, 1))]),
    ),
    (
        "extra GPU items are ignored",
        "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,ok,-,-,-,77,",
        data(gpus=[gpu(0, 1)]),
    ),
    ("a reason to throttle in capitals", "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,ok,HEAT", VALUE),
    ("a reason to throttle of nine letters", "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,ok,heatstorm", VALUE),
    ("an empty reason to throttle", "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,ok,,3", VALUE),
    ("a link of generation 0", "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,ok,-,0", VALUE),
    ("a link of generation 10", "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,ok,-,10", VALUE),
    ("a link without lanes", "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,ok,-,3,0", VALUE),
    ("a link of 33 lanes", "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,ok,-,3,33", VALUE),
    ("a GPU state of nine letters", "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,sleepwalk", VALUE),
    ("a GPU state in capitals", "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,LOST", VALUE),
    ("an empty GPU state", "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,", VALUE),
    ("a GPU state unknown is not allowed", "h=a|g0=1,-,-,-,-,-,-,-,-,-,-,-", VALUE),
    ("an empty GPU", "h=a|g0=", VALUE),
    ("an empty GPU item", "h=a|g0=1,,3", VALUE),
    ("GPU busy 101", "h=a|g0=101", VALUE),
    ("GPU busy minus zero", "h=a|g0=-0", VALUE),
    ("GPU busy with a decimal", "h=a|g0=9.5", VALUE),
    ("GPU memory above its maximum", "h=a|g0=1,16777217", VALUE),
    ("GPU memory total above its maximum", "h=a|g0=1,1,16777217", VALUE),
    ("GPU edge -100", "h=a|g0=1,1,1,-100", VALUE),
    ("GPU junction 1000", "h=a|g0=1,1,1,1,1000", VALUE),
    ("GPU memory temperature with two signs", "h=a|g0=1,1,1,1,1,--5", VALUE),
    ("GPU power 10000", "h=a|g0=1,1,1,1,1,1,10000", VALUE),
    ("GPU fan 100000", "h=a|g0=1,1,1,1,1,1,1,100000", VALUE),
    ("GPU core clock 100000", "h=a|g0=1,1,1,1,1,1,1,1,100000", VALUE),
    ("GPU memory clock 100000", "h=a|g0=1,1,1,1,1,1,1,1,1,100000", VALUE),
    ("GPU fan duty 101", "h=a|g0=1,1,1,1,1,1,1,1,1,1,101", VALUE),
    ("one bad GPU drops the whole line", "h=a|c=1.0|g0=1|g1=x", VALUE),
    # ---- who uses them
    (
        "the users of two GPUs",
        "h=a|g0=95|p0=vllm,27750,94,2|p1=python3,512",
        data(gpus=[gpu(0, 95)], gpu_users=[gpu_user(0, "vllm", 27750, 94, 2), gpu_user(1, "python3", 512)]),
    ),
    (
        "a user at every maximum",
        f"h=a|p15={T15},16777216,100,9999",
        data(gpu_users=[gpu_user(15, T15, 16777216, 100, 9999)]),
    ),
    ("a user whose values are hidden", "h=a|p0=vllm,-,-,-", data(gpu_users=[gpu_user(0, "vllm")])),
    ("extra user items are ignored", "h=a|p0=a,1,2,3,x", data(gpu_users=[gpu_user(0, "a", 1, 2, 3)])),
    ("the user of GPU 16 is an unknown key", "h=a|p16=x", data()),
    ("a user without a name", "h=a|p0=,1", VALUE),
    ("a user with a name of 16 characters", f"h=a|p0={T15}6", VALUE),
    ("a user busy 101", "h=a|p0=a,1,101", VALUE),
    ("a user with 10000 others", "h=a|p0=a,1,1,10000", VALUE),
    # ---- a model server
    (
        "a model server",
        "h=a|llm=vLLM,3,1,84,1200,37",
        data(model_server=model_server("vLLM", 3, 1, 84, 1200, 37)),
    ),
    (
        "a model server at every maximum",
        f"h=a|llm={T15},99999,99999,9999999,9999999,100",
        data(model_server=model_server(T15, 99999, 99999, 9999999, 9999999, 100)),
    ),
    ("a model server that does not answer", "h=a|llm=-,-,-", data(model_server=model_server("-"))),
    (
        "extra items of a model server are ignored",
        "h=a|llm=a,1,1,1,1,1,x",
        data(model_server=model_server("a", 1, 1, 1, 1, 1)),
    ),
    ("a model server without a name", "h=a|llm=,1", VALUE),
    ("a model server with half a token a second", "h=a|llm=a,1,1,0.5", VALUE),
    ("a KV cache of 101 %", "h=a|llm=a,1,1,1,1,101", VALUE),
    # ---- events
    (
        "eight events",
        "h=a|e=" + ",".join(f"gpu{i}:back:00:00:0{i}" for i in range(8)),
        data(events=[event(f"gpu{i}", "back", f"00:00:0{i}") for i in range(8)]),
    ),
    ("nine events", "h=a|e=" + ",".join(f"gpu{i}:back:00:00:0{i}" for i in range(9)), VALUE),
    ("an unknown event", "h=a|e=disk7:full:23:59:59", data(events=[event("disk7", "full", "23:59:59")])),
    (
        "an event with words of eight",
        "h=a|e=abcdefg8:abcdefgh:00:00:00",
        data(events=[event("abcdefg8", "abcdefgh", "00:00:00")]),
    ),
    ("an event with a subject of nine", "h=a|e=abcdefgh9:lost:00:00:00", VALUE),
    ("an event with a digit in what", "h=a|e=gpu1:lost2:00:00:00", VALUE),
    ("an event with a capital", "h=a|e=GPU1:lost:00:00:00", VALUE),
    ("an event without a time", "h=a|e=gpu1:lost", VALUE),
    ("an event at second 60", "h=a|e=sys:boot:12:00:60", VALUE),
    ("an event at hour 24", "h=a|e=sys:boot:24:00:00", VALUE),
    ("an event with a part too many", "h=a|e=sys:boot:12:00:00:1", VALUE),
    ("an event without a subject", "h=a|e=:boot:12:00:00", VALUE),
    ("an empty list of events", "h=a|e=", VALUE),
    ("a list of events with a comma at its end", "h=a|e=sys:boot:12:00:00,", VALUE),
    # ---- info lines
    ("an info line alone", "info=1", info()),
    (
        "an info line with everything",
        f"info=1|v=0.1.0|nonce={'0123456789abcdef' * 2}|clock=12:14:03,1051203|cpu=2x E5-2683 v4"
        "|g0=Radeon AI PRO R9700,0000:03:00.0,300,110,110,108|g1=iGPU,-,-,-,95",
        info(
            collector="0.1.0",
            nonce="0123456789abcdef" * 2,
            clock={"time": "12:14:03", "uptime_s": 1051203},
            cpu_model="2x E5-2683 v4",
            gpus=[
                gpu_info(0, "Radeon AI PRO R9700", "0000:03:00.0", 300, 110, 110, 108),
                gpu_info(1, "iGPU", None, None, None, 95),
            ],
        ),
    ),
    ("an info line with a GPU name alone", "info=1|g7=A", info(gpus=[gpu_info(7, "A")])),
    ("an info line with a GPU name of 31", "info=1|g0=" + "n" * 31, info(gpus=[gpu_info(0, "n" * 31)])),
    ("an info line with a GPU name of 32", "info=1|g0=" + "n" * 32, VALUE),
    ("an info line with an empty GPU name", "info=1|g0=,-", VALUE),
    (
        "an info line with what a link can be",
        "info=1|g0=A,-,-,-,-,-,5,16",
        info(gpus=[gpu_info(0, "A", None, None, None, None, None, 5, 16)]),
    ),
    ("an info line with a link of 33 lanes", "info=1|g0=A,-,-,-,-,-,5,33", VALUE),
    ("an info line with a link of generation 10", "info=1|g0=A,-,-,-,-,-,10", VALUE),
    ("an info line with extra GPU items", "info=1|g0=A,-,-,-,-,-,-,-,x", info(gpus=[gpu_info(0, "A")])),
    ("an info line with a short PCI address", "info=1|g0=A,03:00.0", VALUE),
    ("an info line with a PCI address in capitals", "info=1|g0=A,0000:0A:00.0", VALUE),
    (
        "an info line with the highest PCI address of 16 bits",
        "info=1|g0=A,ffff:ff:1f.7",
        info(gpus=[gpu_info(0, "A", "ffff:ff:1f.7")]),
    ),
    (
        "an info line with a PCI domain of five digits",
        "info=1|g0=A,10000:01:00.0,300",
        info(gpus=[gpu_info(0, "A", "10000:01:00.0", 300)]),
    ),
    (
        "an info line with the highest PCI domain",
        "info=1|g0=A,ffffffff:ff:1f.7",
        info(gpus=[gpu_info(0, "A", "ffffffff:ff:1f.7")]),
    ),
    ("an info line with a PCI domain of nine digits", "info=1|g0=A,100000000:01:00.0", VALUE),
    ("an info line with a PCI domain with a needless zero", "info=1|g0=A,01000:01:00.0", VALUE),
    ("an info line with a PCI domain of three digits", "info=1|g0=A,000:01:00.0", VALUE),
    ("an info line with a PCI domain that is no number", "info=1|g0=A,1000g:01:00.0", VALUE),
    ("an info line with a PCI address with a dot for a colon", "info=1|g0=A,10000.01:00.0", VALUE),
    ("an info line with a power cap above 9999", "info=1|g0=A,-,10000", VALUE),
    ("an info line with a critical temperature below -99", "info=1|g0=A,-,1,-100", VALUE),
    ("an info line with a version of its collector of 15", f"info=1|v={T15}", info(collector=T15)),
    ("an info line with a version of its collector of 16", f"info=1|v={T15}6", VALUE),
    ("an info line with a CPU model of 47", "info=1|cpu=" + "c" * 47, info(cpu_model="c" * 47)),
    ("an info line with a CPU model of 48", "info=1|cpu=" + "c" * 48, VALUE),
    ("an info line with a nonce of 31", "info=1|nonce=" + "0" * 31, VALUE),
    ("an info line with a nonce of 33", "info=1|nonce=" + "0" * 33, VALUE),
    ("an info line with a nonce in capitals", "info=1|nonce=" + "A" * 32, VALUE),
    ("an info line with a clock without an uptime", "info=1|clock=12:14:03", VALUE),
    ("an info line with a clock without seconds", "info=1|clock=12:14,5", VALUE),
    (
        "an info line with a clock and more",
        "info=1|clock=00:00:00,0,9",
        info(clock={"time": "00:00:00", "uptime_s": 0}),
    ),
    ("an info line with a clock too far", "info=1|clock=00:00:00,4294967296", VALUE),
    ("an info line of version 2", "info=2", {"kind": "info", "version": 2}),
    ("an info line of version 0", "info=0", {"kind": "info", "version": 0}),
    ("an info line of version 1 with zeros", "info=001", info()),
    (
        "an info line of version 2 with values that version 1 refuses",
        "info=2|v=|nonce=x",
        {"kind": "info", "version": 2},
    ),
    (
        "an info line of version 2 with a syntax that version 1 refuses",
        "info=2|then;something new",
        {"kind": "info", "version": 2},
    ),
    (
        "an info line of the largest version",
        "info=999999999999999",
        {"kind": "info", "version": 999999999999999},
    ),
    ("an info line with a version that is no number", "info=one", VALUE),
    ("an info line with an empty version", "info=", VALUE),
    # ---- hello
    ("a hello with what is required", "hello=1|id=desk|fw=0.1.0", hello()),
    (
        "the hello of the specification",
        "hello=1|id=desk|fw=0.1.0|panel=1920x1080|boots=17|reset=poweron",
        hello(panel="1920x1080", boots=17, reset="poweron"),
    ),
    ("a keyed hello of an old board", f"hello=1|id=desk|fw=0.1.0|mac={MAC}", hello(mac=MAC)),
    (
        "a keyed hello",
        f"hello=1|id=desk|fw=0.1.0|nonce={MAC[:32]}|mac={MAC}",
        hello(nonce=MAC[:32], mac=MAC),
    ),
    ("a hello with a nonce of 31", f"hello=1|id=desk|fw=0.1.0|nonce={MAC[:31]}", VALUE),
    ("a hello with a mac that is not the last field", f"hello=1|id=desk|fw=0.1.0|mac={MAC}|boots=1", VALUE),
    ("a hello with a mac of 63", f"hello=1|id=desk|fw=0.1.0|mac={MAC[1:]}", VALUE),
    ("a hello with a mac in capitals", f"hello=1|id=desk|fw=0.1.0|mac={MAC.upper()}", VALUE),
    ("a hello with an id of 31", f"hello=1|id={NAME63[:31]}|fw=0.1.0", hello(board=NAME63[:31])),
    ("a hello with an id of 32", f"hello=1|id={NAME63[:32]}|fw=0.1.0", VALUE),
    ("a hello with a space in its id", "hello=1|id=my desk|fw=0.1.0", VALUE),
    ("a hello with an empty id", "hello=1|id=|fw=0.1.0", VALUE),
    ("a hello with a firmware version of 15", f"hello=1|id=desk|fw={T15}", hello(firmware=T15)),
    ("a hello with a firmware version of 16", f"hello=1|id=desk|fw={T15}6", VALUE),
    (
        "a hello with the largest panel",
        "hello=1|id=desk|fw=0.1.0|panel=99999x99999",
        hello(panel="99999x99999"),
    ),
    ("a hello with a panel too wide", "hello=1|id=desk|fw=0.1.0|panel=100000x1", VALUE),
    ("a hello with a panel without a height", "hello=1|id=desk|fw=0.1.0|panel=1920x", VALUE),
    ("a hello with a panel of one number", "hello=1|id=desk|fw=0.1.0|panel=1920", VALUE),
    ("a hello with a panel of three numbers", "hello=1|id=desk|fw=0.1.0|panel=1x2x3", VALUE),
    (
        "a hello with boots at their maximum",
        "hello=1|id=desk|fw=0.1.0|boots=4294967295",
        hello(boots=4294967295),
    ),
    ("a hello with boots beyond", "hello=1|id=desk|fw=0.1.0|boots=4294967296", VALUE),
    ("a hello with a reset of 15", f"hello=1|id=desk|fw=0.1.0|reset={T15}", hello(reset=T15)),
    ("a hello with a reset of 16", f"hello=1|id=desk|fw=0.1.0|reset={T15}6", VALUE),
    ("a hello without an id", "hello=1|fw=0.1.0", error("missing")),
    ("a hello without a firmware version", "hello=1|id=desk", error("missing")),
    ("a hello without an id and with a bad value", "hello=1|fw=0.1.0|boots=x", VALUE),
    ("a hello of version 2", "hello=2|name=desk", {"kind": "hello", "version": 2}),
    # ---- what the machine's disks and its CPU's sensor say
    (
        "two file systems and what all disks do",
        "h=a|c=-|ct=62|d=421888:976562:/home,9216:51200:/|io=12500000,310000",
        data(
            cpu_c=62,
            disks=[disk(421888, 976562, "/home"), disk(9216, 51200, "/")],
            disk_traffic=disk_traffic(12500000, 310000),
        ),
    ),
    ("a name with the separator of the group", "h=a|d=1:2:a:b", data(disks=[disk(1, 2, "a:b")])),
    ("an empty disk of no size", "h=a|d=0:0:/", data(disks=[disk(0, 0, "/")])),
    (
        "four file systems",
        "h=a|d=1:9:/a,1:9:/b,1:9:/c,1:9:/d",
        data(disks=[disk(1, 9, f"/{n}") for n in "abcd"]),
    ),
    ("five file systems", "h=a|d=1:9:/a,1:9:/b,1:9:/c,1:9:/d,1:9:/e", VALUE),
    ("a file system without a name", "h=a|d=1:9", VALUE),
    ("a file system with an empty name", "h=a|d=1:9:", VALUE),
    ("a file system whose name is too long", "h=a|d=1:9:1234567890123456", VALUE),
    ("a file system with the longest name", f"h=a|d=1:9:{T15}", data(disks=[disk(1, 9, T15)])),
    ("a file system of unknown size", "h=a|d=-:9:/", VALUE),
    ("a file system of the largest size", "h=a|d=1:1000000000000:/", data(disks=[disk(1, 10**12, "/")])),
    ("a file system beyond the largest size", "h=a|d=1:1000000000001:/", VALUE),
    ("disk traffic of which one is unknown", "h=a|io=-,7", data(disk_traffic=disk_traffic(None, 7))),
    ("disk traffic of one number", "h=a|io=7", data(disk_traffic=disk_traffic(7, None))),
    ("a frozen CPU", "h=a|ct=-99", data(cpu_c=-99)),
    ("a CPU below all frost", "h=a|ct=-100", VALUE),
    # ---- ack
    (
        "the ack of the specification",
        "ack=1|id=desk|e=mem:oom:12:13:05,gpu1:lost:03:01:15",
        ack(events=[event("mem", "oom", "12:13:05"), event("gpu1", "lost", "03:01:15")]),
    ),
    ("an ack of nothing", "ack=1|id=desk", ack()),
    ("an ack of nobody", "ack=1|e=mem:oom:12:13:05", error("missing")),
    ("an ack without a time", "ack=1|id=desk|e=mem:oom", VALUE),
    ("an ack of a newer protocol", "ack=2|whatever", {"kind": "ack", "version": 2}),
    # ---- health
    ("a health line with what is required", "health=1|id=desk", health()),
    (
        "the health line of the specification",
        "health=1|id=desk|u=86400|heap=181200|psram=3900112|rssi=-61|upd=43012|wash=24"
        "|err=lines:1|ms=171|bad=checksum:2|buf=1733|block=65524|low=98304|main=9216|net=3072|mhz=8",
        health(
            uptime_s=86400,
            heap_bytes=181200,
            psram_bytes=3900112,
            rssi_dbm=-61,
            updates=43012,
            washes=24,
            refresh_errors=[{"kind": "lines", "count": 1}],
            refresh_ms=171,
            bad_lines=[{"kind": "checksum", "count": 2}],
            receive_high_water_bytes=1733,
            largest_block_bytes=65524,
            lowest_heap_bytes=98304,
            main_stack_bytes=9216,
            network_stack_bytes=3072,
            panel_mhz=8,
        ),
    ),
    ("a health line with nothing known", "health=1|id=desk|rssi=-|ms=-", health()),
    ("a health line with the weakest signal", "health=1|id=desk|rssi=-127", health(rssi_dbm=-127)),
    ("a health line with a signal too weak", "health=1|id=desk|rssi=-128", VALUE),
    ("a health line with a signal of 0", "health=1|id=desk|rssi=0", health(rssi_dbm=0)),
    ("a health line with a signal above 0", "health=1|id=desk|rssi=1", VALUE),
    (
        "a health line with a counter at its maximum",
        "health=1|id=desk|upd=4294967295",
        health(updates=4294967295),
    ),
    ("a health line with a counter beyond", "health=1|id=desk|buf=4294967296", VALUE),
    (
        "a health line with no memory left",
        "health=1|id=desk|block=0|main=0",
        health(largest_block_bytes=0, main_stack_bytes=0),
    ),
    ("a health line with the fastest clock", "health=1|id=desk|mhz=255", health(panel_mhz=255)),
    ("a health line with a clock too fast", "health=1|id=desk|mhz=256", VALUE),
    ("a health line with an unknown counter", "health=1|id=desk|heap=-", VALUE),
    (
        "a health line with twelve kinds of error",
        "health=1|id=desk|err=" + ",".join(f"kind{c}:{4294967295}" for c in "abcdefghijkl"),
        health(refresh_errors=[{"kind": f"kind{c}", "count": 4294967295} for c in "abcdefghijkl"]),
    ),
    (
        "a health line with thirteen kinds of error",
        "health=1|id=desk|err=" + ",".join(f"kind{c}:1" for c in "abcdefghijklm"),
        VALUE,
    ),
    ("a health line with a kind of 13 letters", "health=1|id=desk|bad=abcdefghijklm:1", VALUE),
    ("a health line with a kind and no count", "health=1|id=desk|bad=cut", VALUE),
    ("a health line with a kind and two counts", "health=1|id=desk|bad=cut:1:2", VALUE),
    ("a health line with an empty list", "health=1|id=desk|bad=", VALUE),
    ("a health line without an id", "health=1|u=5", error("missing")),
    ("a health line with a bad id", "health=1|id=a,b", VALUE),
    ("a health line of version 3", "health=3|id=", {"kind": "health", "version": 3}),
    # ---- settings
    ("a settings line that holds nothing", "settings=1", settings()),
    (
        "the settings line of the specification",
        "settings=1|set=wash:900,rotate:180",
        settings(values=values(wash="900", rotate="180")),
    ),
    (
        "the board's answer of the specification",
        "settings=1|id=desk|set=wash:900,update:5000,rotate:180|from=shs|not=colour:unknown",
        settings(
            board="desk",
            values=values(wash="900", update="5000", rotate="180"),
            origins="shs",
            refusals=[{"name": "colour", "why": "unknown"}],
        ),
    ),
    (
        "a sealed settings line",
        f"settings=1|set=wash:9|q=5|mac={MAC[:32]}",
        settings(values=values(wash="9")),
    ),
    (
        "a setting whose value has the separator of its item",
        "settings=1|set=quiet:22:00-07:00",
        settings(values=values(quiet="22:00-07:00")),
    ),
    (
        "a setting with the longest name and the longest value",
        f"settings=1|set={NAME63[:15]}:{'v' * 23}",
        settings(values=[{"name": NAME63[:15], "value": "v" * 23}]),
    ),
    ("a setting with a name of 16", f"settings=1|set={NAME63[:16]}:1", VALUE),
    ("a setting with a value of 24", f"settings=1|set=a:{'v' * 24}", VALUE),
    ("a setting without a value", "settings=1|set=wash", VALUE),
    ("a setting with an empty value", "settings=1|set=wash:", VALUE),
    ("a setting without a name", "settings=1|set=:5", VALUE),
    ("a settings line with an empty item", "settings=1|set=wash:9,", VALUE),
    (
        "a settings line with twenty settings",
        "settings=1|set=" + ",".join(f"s{i}:{i}" for i in range(20)),
        settings(values=[{"name": f"s{i}", "value": str(i)} for i in range(20)]),
    ),
    (
        "a settings line with 21 settings",
        "settings=1|set=" + ",".join(f"s{i}:{i}" for i in range(21)),
        VALUE,
    ),
    ("a settings line with nine refusals", "settings=1|not=" + ",".join(["a:value"] * 9), VALUE),
    ("a settings line with origins in capitals", "settings=1|id=desk|from=S", VALUE),
    ("a settings line of version 2", "settings=2|set=", {"kind": "settings", "version": 2}),
    # ---- announcements
    ("an announcement", "announce=1|h=t7910|i=192.0.2.17|port=7910", announce()),
    ("a keyed announcement", f"announce=1|h=t7910|i=192.0.2.17|port=7910|mac={MAC}", announce(mac=MAC)),
    (
        "a keyed announcement with a time",
        f"announce=1|h=t7910|i=192.0.2.17|port=7910|at=1764749640|mac={MAC}",
        announce(time_s=1764749640, mac=MAC),
    ),
    ("an announcement at no time", "announce=1|h=t7910|i=192.0.2.17|port=7910|at=-", VALUE),
    (
        "an announcement with a mac in its middle",
        f"announce=1|h=t7910|mac={MAC}|i=192.0.2.17|port=7910",
        VALUE,
    ),
    ("an announcement of port 1", "announce=1|h=t7910|i=192.0.2.17|port=1", announce(port=1)),
    ("an announcement of port 0", "announce=1|h=t7910|i=192.0.2.17|port=0", VALUE),
    ("an announcement of port 65535", "announce=1|h=t7910|i=192.0.2.17|port=65535", announce(port=65535)),
    ("an announcement of port 65536", "announce=1|h=t7910|i=192.0.2.17|port=65536", VALUE),
    ("an announcement without a host", "announce=1|i=192.0.2.17|port=7910", error("missing")),
    ("an announcement without an address", "announce=1|h=t7910|port=7910", error("missing")),
    ("an announcement without a port", "announce=1|h=t7910|i=192.0.2.17", error("missing")),
    ("an announcement of version 2", "announce=2", {"kind": "announce", "version": 2}),
    # ---- a fleet
    (
        "the fleet line of the specification",
        "fleet=1|h=rack7|t=12:14|u=1051200|up=498/500|gpu=3981/4000|busy=71|p=1204000/1680000"
        "|v=201326592/262144000|n=3|x=node17:down:340,node3:lost:-:gpu5,node9:hot:104:gpu2",
        fleet(
            time="12:14",
            uptime_s=1051200,
            machines=up_of(498, 500),
            gpus=up_of(3981, 4000),
            busy_percent=71,
            power={"drawn_w": 1204000, "limit_w": 1680000},
            vram={"used_mib": 201326592, "total_mib": 262144000},
            wrong=3,
            worst=[
                worst("node17", "down", 340),
                worst("node3", "lost", None, "gpu5"),
                worst("node9", "hot", 104, "gpu2"),
            ],
        ),
    ),
    ("a fleet of which only the name is known", "fleet=1|h=rack7", fleet()),
    (
        "a fleet whose source does not answer",
        "fleet=1|h=rack7|i=2001:db8::17|src=down|up=-/500|gpu=-/-|busy=5|p=-/-|v=-/-",
        fleet(
            address="2001:db8::17",
            source="down",
            machines=up_of(None, 500),
            gpus=up_of(None, None),
            busy_percent=5,
            power={"drawn_w": None, "limit_w": None},
            vram={"used_mib": None, "total_mib": None},
        ),
    ),
    (
        "a fleet with more than a board can show",
        f"fleet=1|h={NAME63}|up=9999999/9999999|gpu=0|p=1000000000/1000000000/5|v=1000000000000|n=9999999",
        fleet(
            host=NAME63,
            machines=up_of(9999999, 9999999),
            gpus=up_of(0, None),
            power={"drawn_w": 10**9, "limit_w": 10**9},
            vram={"used_mib": 10**12, "total_mib": None},
            wrong=9999999,
        ),
    ),
    ("a fleet without a name", "fleet=1|up=1/2", error("missing")),
    ("a fleet with an empty name", "fleet=1|h=", VALUE),
    ("a fleet of a newer protocol", "fleet=2|whatever", {"kind": "fleet", "version": 2}),
    ("a fleet of no version", "fleet=|h=rack7", VALUE),
    ("a fleet of more machines than there can be", "fleet=1|h=rack7|up=0/10000000", VALUE),
    ("a fleet of half a machine", "fleet=1|h=rack7|up=0.5/1", VALUE),
    ("a fleet that is busy beyond all", "fleet=1|h=rack7|busy=101", VALUE),
    ("a fleet whose busy is unknown", "fleet=1|h=rack7|busy=-", VALUE),
    ("a fleet that draws too much", "fleet=1|h=rack7|p=1000000001/1", VALUE),
    ("a fleet that draws less than nothing", "fleet=1|h=rack7|p=-5/1", VALUE),
    ("a fleet with too much memory", "fleet=1|h=rack7|v=1/1000000000001", VALUE),
    ("a fleet with a word in capitals for its source", "fleet=1|h=rack7|src=DOWN", VALUE),
    ("a fleet with a word of nine letters for its source", "fleet=1|h=rack7|src=abcdefghi", VALUE),
    (
        "a fleet with eight things wrong",
        "fleet=1|h=rack7|x=" + ",".join(["a:odd:4294967295:/"] * 8),
        fleet(worst=[worst("a", "odd", 4294967295, "/")] * 8),
    ),
    ("a fleet with nine things wrong", "fleet=1|h=rack7|x=" + ",".join(["a:down:1"] * 9), VALUE),
    (
        "a fleet with a thing wrong of which nothing is known",
        "fleet=1|h=rack7|x=a:cpu",
        fleet(worst=[worst("a", "cpu")]),
    ),
    (
        "a fleet with a thing wrong and more of it",
        "fleet=1|h=rack7|x=a:cpu:-:-:99",
        fleet(worst=[worst("a", "cpu")]),
    ),
    ("a fleet with a machine and nothing wrong", "fleet=1|h=rack7|x=a", VALUE),
    ("a fleet with an empty thing wrong", "fleet=1|h=rack7|x=", VALUE),
    ("a fleet with a thing wrong of no machine", "fleet=1|h=rack7|x=:down:1", VALUE),
    ("a fleet with a word that is none", "fleet=1|h=rack7|x=a:d0wn:1", VALUE),
    ("a fleet with a value too large", "fleet=1|h=rack7|x=a:down:4294967296", VALUE),
    ("a fleet with an empty part", "fleet=1|h=rack7|x=a:hot:104:", VALUE),
    (
        "a fleet with a part of 15",
        f"fleet=1|h=rack7|x=a:hot:104:{T15}",
        fleet(worst=[worst("a", "hot", 104, T15)]),
    ),
    ("a fleet with a part of 16", f"fleet=1|h=rack7|x=a:hot:104:{T15}6", VALUE),
    # ---- what a receiver ignores
    ("an unknown kind", "foo=1|h=a|u=x", {"kind": "unknown", "key": "foo"}),
    (
        "an unknown kind with the longest key",
        "abcdefghijklmno9=",
        {"kind": "unknown", "key": "abcdefghijklmno9"},
    ),
    ("an empty field of an unknown kind", "foo=1|", error("syntax")),
    ("the shortest line", "a=", {"kind": "unknown", "key": "a"}),
    ("a host that is not the first key", "u=1|h=a", {"kind": "unknown", "key": "u"}),
    ("an unknown key with an empty value", "h=a|x=", data()),
    ("a known key of another kind", "h=a|port=x|info=2", data()),
    ("fields in another order", "h=a|u=5|t=01:02|i=b", data(address="b", time="01:02", uptime_s=5)),
    # ---- syntax
    ("a field without an equals sign", "h=a|oops", error("syntax")),
    ("an empty field", "h=a||u=1", error("syntax")),
    ("a bar at the end", "h=a|", error("syntax")),
    ("a bar at the start", "|h=a", error("syntax")),
    ("a body that is empty", "", error("syntax")),
    ("an empty key", "=a", error("syntax")),
    ("a key with a capital", "h=a|Up=1", error("syntax")),
    ("a key that starts with a digit", "h=a|1u=1", error("syntax")),
    ("a key with a space", "h=a| u=1", error("syntax")),
    ("a key of 16 characters", "h=a|abcdefghijklmnop=1", data()),
    ("a key of 17 characters", "h=a|abcdefghijklmnopq=1", error("syntax")),
    ("a repeated key", "h=a|u=1|u=1", error("syntax")),
    ("a repeated unknown key", "h=a|x=1|x=2", error("syntax")),
    ("a repeated first key", "h=a|h=a", error("syntax")),
    ("a bad value and bad syntax", "h=a|u=x|oops", error("syntax")),
    ("a version that is no number and bad syntax", "info=x|oops", error("syntax")),
]

# Whole lines, checksum included, without their newline: name, text, what the line says.
TEXTS: List[Tuple[str, str, Vector]] = [
    ("the check value of the checksum is of a line without fields", "123456789*29B1", error("syntax")),
    ("a wrong checksum", "h=a*0000", error("checksum")),
    ("a checksum in small letters", "h=t7910|u=1*" + crc("h=t7910|u=1").lower(), error("checksum")),
    ("a checksum of three digits", "h=a*" + crc("h=a")[:3], error("checksum")),
    ("a checksum of five digits", "h=a*0" + crc("h=a"), error("checksum")),
    ("no checksum", "h=a", error("checksum")),
    ("a checksum with a space after it", line("h=a") + " ", error("checksum")),
    ("an empty line", "", error("checksum")),
    ("a star alone", "*", error("checksum")),
    ("a carriage return before the newline", line("h=a") + "\r", error("charset")),
    ("a tab", line("h=a\tb"), error("charset")),
    ("a DEL", line("h=a\x7f"), error("charset")),
    ("a NUL", line("h=a\x00b"), error("charset")),
    ("a Latin-1 letter", line("h=b\xfcro"), error("charset")),
    ("bytes of 0xFF", "\xff\xff\xff\xff", error("charset")),
    ("a wrong checksum and a bad byte", "h=\x01*0000", error("charset")),
]


def filled(length: int, start: str = "h=a|x=") -> str:
    """A line of that many bytes without its newline."""
    return line(start + "x" * (length - len(start) - 5))


def filled_keys() -> str:
    """As many fields as fit: every key of one letter, then of two."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    keys = ["h"] + [a for a in letters if a != "h"] + [a + b for a in letters for b in letters]
    body = "h=a"
    for key in keys[1:]:
        if key in (*"iucntklmswed", "ct", "io") or len(body) + len(key) + 2 > 1018:
            continue
        body += f"|{key}="
    return line(body)


def lines() -> List[Vector]:
    vectors: List[Vector] = []
    for name, body, expect in BODIES:
        vectors.append({"name": name, "line": line(body), "expect": expect})
    for name, text, expect in TEXTS:
        vectors.append({"name": name, "line": text, "expect": expect})
    vectors += [
        {"name": "a line of 1024 bytes with its newline", "line": filled(1023), "expect": data()},
        {
            "name": "a line of 1025 bytes with its newline",
            "line": filled(1024),
            "expect": error("overlong"),
        },
        {
            "name": "an overlong line with bad bytes",
            "line": "\x01" * 2000,
            "expect": error("overlong"),
        },
        {"name": "as many fields as fit", "line": filled_keys(), "expect": data()},
    ]
    for vector in vectors:
        text = vector["line"]
        if not text.isascii() or not text.isprintable():
            vector["hex"] = text.encode("latin-1").hex()
            del vector["line"]
            vector["expect"] = vector.pop("expect")
    return vectors


def keyed() -> List[Vector]:
    """The mac is the output of ``openssl dgst -sha256 -hmac KEY`` on ``nonce|text``."""
    staple = "correct horse battery staple"
    nonce = "000102030405060708090a0b0c0d0e0f"
    rows = [
        (
            "the hello of the specification",
            "hello",
            staple,
            nonce,
            "hello=1|id=desk|fw=0.1.0",
            "04addaf34f99c6fc890d4b2828d37eb539b000f0f4050ae51a50debe41caf851",
        ),
        (
            "a hello with everything and the shortest key",
            "hello",
            "0123456789abcdef",
            "f" * 32,
            "hello=1|id=Wall_2.left-side|fw=0.2.0-rc1|panel=1920x1080|boots=4294967295|reset=brownout",
            "9d09049789cd01a6c8046d772bd5c38bf23974dcf1ddab9b9853fced835f4bd4",
        ),
        (
            "a hello with the longest key",
            "hello",
            "~" * 64,
            nonce,
            "hello=1|id=desk|fw=0.1.0",
            "f8d411f35251ca0355427ade431214b6758b15beab5960d6612442dda5edae45",
        ),
        (
            "a hello with the board's nonce",
            "hello",
            staple,
            nonce,
            "hello=1|id=desk|fw=0.1.0|nonce=f0e0d0c0b0a090807060504030201000",
            "1d7e8293c383b723b3a2a6aee48eef5314b05d33f5e0357d10cc8a02cb39ccb0",
        ),
        (
            "an announcement with a time",
            "announce",
            staple,
            None,
            "announce=1|h=t7910|i=192.0.2.17|port=7910|at=1764749640",
            "b934b6a30dcdb20682646aa3c46004e736665bc6002490babaf98355bc8a1277",
        ),
        (
            "an announcement, which has no nonce",
            "announce",
            staple,
            None,
            "announce=1|h=t7910|i=192.0.2.17|port=7910",
            "1dcafe3b04809b7debbab4dfa2d56d49ef49bb3f47b8e74d402b77b09d3e5bf8",
        ),
    ]
    return [
        {
            "name": name,
            "kind": kind,
            "key": key,
            "nonce": nonce,
            "text": text,
            "mac": mac,
            "line": line(f"{text}|mac={mac}"),
        }
        for name, kind, key, nonce, text, mac in rows
    ]


def sealed() -> List[Vector]:
    """Lines of a keyed stream, each as the first of its connection. ``opens``: whether it is believed.

    The mac is 32 digits of ``openssl dgst -sha256 -hmac KEY`` on ``nonce|board_nonce|text``; of a health
    line, which the board sends, on ``board_nonce|nonce|text``.
    """
    staple = "correct horse battery staple"
    first = "h=t7910|c=12.4|q=1"
    mac = "c0deb833a2dd9f8ba15e2a934d9be9a3"
    rows = [
        ("the first data line", staple, first, mac, True),
        (
            "an info line with the last number",
            staple,
            "info=1|v=0.1.0|cpu=2x E5-2683 v4|q=4294967295",
            "17fbf0ccc3561aab1fd0f31e91d7c396",
            True,
        ),
        (
            "a health line of the board after others that were lost",
            staple,
            "health=1|id=desk|u=60|rssi=-61|ms=-|q=3",
            "d1011c83c406889ce10cbed82f2a5fe1",
            True,
        ),
        ("with the shortest key", "0123456789abcdef", first, "e41a859a972edceddcb5c971c3ebe489", True),
        ("with another key", staple + "!", first, mac, False),
        ("with another value", staple, "h=t7910|c=12.5|q=1", mac, False),
        ("with another number", staple, "h=t7910|c=12.4|q=2", mac, False),
        ("without a number", staple, "h=t7910|c=12.4", mac, False),
        ("with a number that is none", staple, "h=t7910|c=12.4|q=x", mac, False),
        ("with a number of eleven digits", staple, "h=t7910|c=12.4|q=00000000001", mac, False),
        ("with a mac in capitals", staple, first, mac.upper(), False),
        ("with a mac that is too short", staple, first, mac[:31], False),
        ("with a mac that is too long", staple, first, mac + "0", False),
    ]
    vectors: List[Vector] = []
    for name, key, text, digits, opens in rows:
        vectors.append({"name": name, "key": key, "text": text, "mac": digits, "opens": opens})
        vectors[-1]["line"] = line(f"{text}|mac={digits}")
    vectors.append({"name": "without a seal", "key": staple, "text": "", "mac": "", "opens": False})
    vectors[-1]["line"] = line("h=t7910|c=12.4")
    vectors.append({"name": "with something after it", "key": staple, "text": "", "mac": "", "opens": False})
    vectors[-1]["line"] = line(f"{first}|mac={mac}|x=1")
    nonces = {"nonce": "000102030405060708090a0b0c0d0e0f", "board_nonce": "f0e0d0c0b0a090807060504030201000"}
    return [{**vector, **nonces} for vector in vectors]


def encoded() -> List[Vector]:
    """What an encoder writes for a snapshot: rounding, mapping of text, ranges, shedding."""
    rows: List[Tuple[str, Vector, str]] = [
        ("a host alone", data(), "h=a|c=-"),
        ("a host with other characters", data("b\u00fcro pc|1,x"), "h=b_ro_pc_1_x|c=-"),
        ("a host that is too long", data("x" * 70), "h=" + "x" * 63 + "|c=-"),
        ("an empty host", data(""), "h=_|c=-"),
        ("an address that is too long", data(address="f" * 50), "h=a|i=" + "f" * 45 + "|c=-"),
        ("a time that is none", data(time="24:00"), "h=a|c=-"),
        ("an uptime beyond its range", data(uptime_s=2**33), "h=a|u=4294967295|c=-"),
        ("CPU", data(cpu_permille=7), "h=a|c=0.7"),
        ("CPU beyond its range", data(cpu_permille=1001), "h=a|c=-"),
        ("CPUs beyond their range", data(cpus=65536), "h=a|c=-"),
        ("levels", data(cpu_levels=[0, 9, 10, 15, None, 16]), "h=a|c=-|k=09af--"),
        ("512 CPUs", data(cpu_levels=[0, 15] * 256), "h=a|c=-|k=" + "8" * 256),
        (
            "512 CPUs of which every other one is unknown",
            data(cpu_levels=[None, 3] * 256),
            "h=a|c=-|k=" + "3" * 256,
        ),
        ("loads", data(load_centi=[5, 12345, None]), "h=a|c=-|l=0.05,123.45,-"),
        ("a load beyond its range", data(load_centi=[10**7, 0, 0]), "h=a|c=-|l=-,0.00,0.00"),
        ("memory below 1 GiB", data(memory=memory(125, 999)), "h=a|c=-|m=0.125/0.999"),
        ("memory of 1 GiB", data(memory=memory(125, 1000)), "h=a|c=-|m=0.13/1.00"),
        ("memory just below 10 GiB", data(memory=memory(4, 9999)), "h=a|c=-|m=0.00/10.00"),
        ("memory of 10 GiB", data(memory=memory(9950, 10000)), "h=a|c=-|m=10.0/10.0"),
        ("memory with a cache", data(memory=memory(1, 125949, 50)), "h=a|c=-|m=0.0/125.9/0.1"),
        ("memory of which nothing is known", data(memory=memory(None, None)), "h=a|c=-|m=-/-"),
        ("memory beyond its range", data(memory=memory(0, 1048576001)), "h=a|c=-|m=0.0/-"),
        ("swap in use, its size unknown", data(swap=swap(12345, None)), "h=a|c=-|s=12.3/-"),
        ("no interface", data(network=network("-", None, None)), "h=a|c=-|w=-,-,-"),
        (
            "an interface with separators",
            data(network=network("a,b|c\u00e9d", 5, 10**14 + 1)),
            "h=a|c=-|w=a_b_c?d,5,-",
        ),
        ("a GPU without a tail", data(gpus=[gpu(0, *R9700_VALUES)]), f"h=a|c=-|g0={R9700}"),
        (
            "a GPU with a memory clock",
            data(gpus=[gpu(0, *R9700_VALUES, 1258)]),
            f"h=a|c=-|g0={R9700},1258",
        ),
        (
            "a GPU with a fan duty",
            data(gpus=[gpu(0, *R9700_VALUES, None, 40)]),
            f"h=a|c=-|g0={R9700},-,40",
        ),
        ("a GPU of which nothing is known", data(gpus=[gpu(2)]), "h=a|c=-|g2=-,-,-,-,-,-,-,-,-"),
        (
            "a lost GPU",
            data(gpus=[gpu(15, state="lost")]),
            "h=a|c=-|g15=-,-,-,-,-,-,-,-,-,-,-,lost",
        ),
        (
            "a GPU beyond every range",
            data(gpus=[gpu(0, 101, 16777217, -1, -100, 1000, 511, 10000, 65535, 10**5, 10**5, 255)]),
            "h=a|c=-|g0=-,-,-,-,-,511,-,65535,-",
        ),
        (
            "a GPU in a state that cannot be written",
            data(gpus=[gpu(0, 1, state="D3 cold")]),
            "h=a|c=-|g0=1,-,-,-,-,-,-,-,-,-,-,unknown",
        ),
        (
            "a throttled GPU",
            data(gpus=[gpu(0, 1, later=("power", 4, 16))]),
            "h=a|c=-|g0=1,-,-,-,-,-,-,-,-,-,-,ok,power,4,16",
        ),
        (
            "a GPU of whose link only the generation is known",
            data(gpus=[gpu(0, 1, later=(None, 4))]),
            "h=a|c=-|g0=1,-,-,-,-,-,-,-,-,-,-,ok,-,4",
        ),
        (
            "a GPU throttled in words that no line can hold, on a link that none can have",
            data(gpus=[gpu(0, 1, later=("too HOT", 0, 33)), gpu(1, 2, later=("overheated", 10, 2))]),
            "h=a|c=-|g0=1,-,-,-,-,-,-,-,-|g1=2,-,-,-,-,-,-,-,-,-,-,ok,-,-,2",
        ),
        (
            "GPUs out of order, twice at one place, and beyond the last place",
            data(gpus=[gpu(3, 3), gpu(1, 1), gpu(3, 4), gpu(16, 16)]),
            "h=a|c=-|g1=1,-,-,-,-,-,-,-,-|g3=3,-,-,-,-,-,-,-,-",
        ),
        (
            "the user of a GPU",
            data(gpu_users=[gpu_user(1, "a,b|c\u00e9d", 27750, 94, 2)]),
            "h=a|c=-|p1=a_b_c?d,27750,94,2",
        ),
        ("a user whose share is unknown", data(gpu_users=[gpu_user(0, "vllm", 512)]), "h=a|c=-|p0=vllm,512"),
        (
            "a user beyond every range",
            data(gpu_users=[gpu_user(0, "x" * 20, 16777217, 101, 10000)]),
            "h=a|c=-|p0=" + "x" * 15,
        ),
        (
            "a model server",
            data(model_server=model_server("llama.cpp", 1, 0, 42, None, 7)),
            "h=a|c=-|llm=llama.cpp,1,0,42,-,7",
        ),
        ("a model server that does not answer", data(model_server=model_server("-")), "h=a|c=-|llm=-"),
        (
            "ten events",
            data(events=[event("mem", "oom", f"00:00:0{i}") for i in range(10)]),
            "h=a|c=-|e=" + ",".join(f"mem:oom:00:00:0{i}" for i in range(2, 10)),
        ),
        (
            "events that do not fit the grammar",
            data(
                events=[
                    event("GPU", "lost", "00:00:00"),
                    event("sys", "boot", "12:00:00"),
                    event("sys", "boot2", "12:00:00"),
                    event("sys", "boot", "25:00:00"),
                ]
            ),
            "h=a|c=-|e=sys:boot:12:00:00",
        ),
    ]
    vectors = [{"name": name, "snapshot": given, "line": line(body)} for name, given, body in rows]
    return vectors + shedding()


class Large:
    """A machine too big for a line: what it has, and by ``body`` what is left of it."""

    ITEMS = (100, 99999, 99999, 100, 100, 100, 1000, 10000, 10000, 1, 1)

    def __init__(
        self,
        gpus: int,
        cpus: int,
        events: int,
        state: str = "ok",
        start: str = "h=m|c=50.0",
        end: str = "",
        later: Tuple[object, ...] = (),
        **more: Any,
    ) -> None:
        """``start``, ``end``: ``more`` written out, before ``k`` and after ``s``; ``later``: of a GPU."""
        self.events = [event("gpu0", "reset", f"00:00:0{i}") for i in range(events)]
        self.state = state
        self.start = start
        self.end = end
        self.snapshot = data(
            **{"host": "m", "cpu_permille": 500, **more},
            cpu_levels=[5] * cpus,
            memory=memory(1000, 20000, 3000),
            swap=swap(1000, 20000),
            gpus=[gpu(index, *self.ITEMS, state=state, later=later) for index in range(gpus)],
            events=self.events,
        )

    def body(
        self,
        gpus: int,
        cells: int,
        events: int,
        unknown: Tuple[int, ...] = (9, 10),
        cache: bool = False,
        swap: bool = True,
        later: str = "",
    ) -> str:
        load = "|l=0.01,0.01,0.01" if "load_centi" in self.snapshot else ""
        body = self.start + ("|k=" + "5" * cells if cells else "") + load
        body += "|m=1.0/20.0" + ("/3.0" if cache else "") + ("|s=1.0/20.0" if swap else "")
        body += self.end
        items = ["-" if at in unknown else str(value) for at, value in enumerate(self.ITEMS)]
        if self.state != "ok" or later:
            items.append(self.state + later)
        elif 9 in unknown:
            items = items[:9]
        body += "".join(f"|g{index}=" + ",".join(items) for index in range(gpus))
        if events:
            standing = self.events[-events:]
            body += "|e=" + ",".join(f"gpu0:reset:{one['time']}" for one in standing)
        return body


def shedding() -> List[Vector]:
    """Each row is one step of section 10 further.

    Worked out by hand, of 1018 bytes for the body: a GPU of ``Large`` takes 52 or 53 bytes, 48 or
    49 after step 1, 11 more with a state of six letters; ``k`` takes 3 and one a cell; an event 20.
    """
    host, address = "h" * 63, "f" * 45
    long_start = f"h={host}|c=50.0"
    longer_start = f"h={host}|i={address}|c=50.0"
    longer: Vector = {"host": host, "address": address}
    timed: Vector = {**longer, "time": "12:14", "uptime_s": 1234567890, "load_centi": [1, 1, 1]}
    timed_start = f"h={host}|i={address}|t=12:14|u=1234567890|c=50.0"
    near: Vector = {**timed, "network": network("e", 1, 1)}
    far: Vector = {**timed, "network": network("e" * 15, 10**14, 10**14)}
    far_end = f"|w={'e' * 15},{10**14},{10**14}"
    hot, warm, cool = (9, 10, 8), (9, 10, 8, 7), (9, 10, 8, 7, 5)
    fits = Large(14, 100, 0)
    users = Large(14, 100, 0, gpu_users=[gpu_user(index, "vllm", 27750, 94, 2) for index in range(14)])
    clocks = Large(15, 200, 0)
    cache = Large(15, 256, 0)
    cells_128 = Large(16, 256, 3)
    cells_64 = Large(16, 256, 6)
    cells_32 = Large(16, 256, 8)
    newest_4 = Large(16, 256, 8, start=long_start, host=host)
    newest_1 = Large(16, 256, 8, start=longer_start, **longer)
    slow: Tuple[object, ...] = ("current", 5, 16)
    link = Large(14, 256, 8, later=slow)
    throttle = Large(14, 256, 8, start=long_start, host=host, later=slow)
    core_clock = Large(16, 256, 8, "reset", f"h={host[:58]}|c=50.0", host=host[:58])
    fan = Large(16, 256, 8, "reset", longer_start, **longer)
    memory_c = Large(16, 256, 8, "asleep", longer_start, **longer)
    server: Vector = {"model_server": model_server(T15, 99999, 99999, 9999999, 9999999, 100)}
    no_llm = Large(16, 256, 8, "asleep", longer_start, **longer, **server)
    no_k = Large(16, 256, 8, "sleeping", longer_start, **longer)
    no_s = Large(16, 256, 8, "sleeping", timed_start, **timed)
    no_e = Large(16, 256, 8, "sleeping", timed_start, "|w=e,1,1", **near)
    no_gpu = Large(16, 256, 8, "sleeping", timed_start, far_end, **far)
    table = [
        ("nothing", fits, fits.body(14, 100, 0, unknown=(), cache=True)),
        ("step 1, no users", users, users.body(14, 100, 0, unknown=(), cache=True)),
        ("step 1", clocks, clocks.body(15, 200, 0, cache=True)),
        ("step 2", cache, cache.body(15, 256, 0)),
        ("step 3, 128 cells", cells_128, cells_128.body(16, 128, 3)),
        ("step 3, 64 cells", cells_64, cells_64.body(16, 64, 6)),
        ("step 3, 32 cells", cells_32, cells_32.body(16, 32, 8)),
        ("step 4, four events", newest_4, newest_4.body(16, 32, 4)),
        ("step 4, one event", newest_1, newest_1.body(16, 32, 1)),
        ("step 5, link", link, link.body(14, 32, 1, later=",current")),
        ("step 5, throttle", throttle, throttle.body(14, 32, 1)),
        ("step 5, core clock", core_clock, core_clock.body(16, 32, 1, hot)),
        ("step 5, fan", fan, fan.body(16, 32, 1, warm)),
        ("step 5, memory temperature", memory_c, memory_c.body(16, 32, 1, cool)),
        ("step 6, no model server", no_llm, no_llm.body(16, 32, 1, cool)),
        ("step 6, no levels", no_k, no_k.body(16, 0, 1, cool)),
        ("step 6, no swap", no_s, no_s.body(16, 0, 1, cool, swap=False)),
        ("step 6, no event", no_e, no_e.body(16, 0, 0, cool, swap=False)),
        ("step 7, one GPU less", no_gpu, no_gpu.body(15, 0, 0, cool, swap=False)),
    ]
    return [
        {"name": f"shed: {name}", "snapshot": large.snapshot, "line": line(body)}
        for name, large, body in table
    ]


def fleets() -> List[Vector]:
    """What an encoder writes for a fleet."""
    crowd = [worst(NAME63, "abcdefgh", 4294967295, T15)] * 8
    # The longest thing wrong takes 99 bytes, and its comma one; all before them 270, `|x=` with them.
    largest: Vector = {
        "host": NAME63,
        "address": "f" * 45,
        "time": "12:14",
        "uptime_s": 4294967295,
        "source": "abcdefgh",
        "machines": up_of(9999999, 9999999),
        "gpus": up_of(9999999, 9999999),
        "busy_percent": 100,
        "power": {"drawn_w": 10**9, "limit_w": 10**9},
        "vram": {"used_mib": 10**12, "total_mib": 10**12},
        "wrong": 9999999,
    }
    start = (
        f"fleet=1|h={NAME63}|i={'f' * 45}|t=12:14|u=4294967295|src=abcdefgh|up=9999999/9999999"
        f"|gpu=9999999/9999999|busy=100|p={10**9}/{10**9}|v={10**12}/{10**12}|n=9999999|x="
    )
    longest = f"{NAME63}:abcdefgh:4294967295:{T15}"
    rows: List[Tuple[str, Vector, str]] = [
        ("a fleet alone", fleet(), "fleet=1|h=rack7"),
        ("a fleet whose name is no host's", fleet(host="the rack|7"), "fleet=1|h=the_rack_7"),
        ("a fleet without a name", fleet(host=""), "fleet=1|h=_"),
        (
            "a fleet of which some is unknown",
            fleet(machines=up_of(None, 500), gpus=up_of(3, None), wrong=0),
            "fleet=1|h=rack7|up=-/500|gpu=3/-|n=0",
        ),
        (
            "a fleet beyond every range",
            fleet(
                uptime_s=2**40,
                source="Down",
                machines=up_of(-1, 10**7),
                busy_percent=101,
                power={"drawn_w": 10**9 + 1, "limit_w": -1},
                vram={"used_mib": 10**12 + 1, "total_mib": 5},
                wrong=10**9,
            ),
            "fleet=1|h=rack7|u=4294967295|up=-/-|p=-/-|v=-/5|n=9999999",
        ),
        (
            "things wrong that cannot be said are left out",
            fleet(
                worst=[worst("a b,c", "hot", 104, "/a:b,c|d"), worst("a", "on fire"), worst("b", "down", -1)]
            ),
            "fleet=1|h=rack7|x=a_b_c:hot:104:/a_b_c_d,b:down:-",
        ),
        (
            "of nine things wrong the first eight",
            fleet(worst=[worst(f"n{at}", "cpu", 100) for at in range(9)]),
            "fleet=1|h=rack7|x=" + ",".join(f"n{at}:cpu:100" for at in range(8)),
        ),
        (
            "of many things wrong with all at its longest those that fit",
            fleet(**largest, worst=crowd),
            start + ",".join([longest] * 7),
        ),
    ]
    return [{"name": name, "fleet": given, "line": line(body)} for name, given, body in rows]


def framed() -> List[Vector]:
    """Bytes in portions, as ``hex``; then the end of the connection where ``closed`` is true."""
    good = line("h=a")
    rows: List[Tuple[str, List[str], bool, List[Vector]]] = [
        ("a line in one portion", [good + "\n"], False, [{"line": good}]),
        ("a line byte by byte", [*good, "\n"], False, [{"line": good}]),
        ("two lines in one portion", [f"{good}\n{good}\n"], False, [{"line": good}] * 2),
        ("a portion that ends before the newline", [good, "\n" + good], False, [{"line": good}]),
        ("nothing", [""], True, []),
        ("an end between two lines", [good + "\n"], True, [{"line": good}]),
        ("an end in the middle of a line", [good + "\nh="], True, [{"line": good}, error("cut")]),
        ("an end before the newline", [good], True, [error("cut")]),
        ("an empty line", ["\n" + good + "\n"], False, [{"line": ""}, {"line": good}]),
        ("a line of 1024 bytes", ["x" * 1023 + "\n"], False, [{"line": "x" * 1023}]),
        (
            "a line of 1025 bytes",
            ["x" * 1024 + "\n" + good + "\n"],
            False,
            [error("overlong"), {"line": good}],
        ),
        (
            "a line of 1025 bytes in two portions",
            ["x" * 1024, "\n" + good + "\n"],
            False,
            [error("overlong"), {"line": good}],
        ),
        (
            "a line far too long is counted once",
            ["x" * 1000, "x" * 1000, "x" * 1000, "x\n", good + "\n"],
            False,
            [error("overlong"), {"line": good}],
        ),
        ("an overlong line that the end cuts", ["x" * 1024], True, [error("overlong")]),
        ("a line one byte short of too long, cut", ["x" * 1023], True, [error("cut")]),
        ("bytes that no line may hold pass to the decoder", ["\x00\xff\n"], False, [{"line": "\x00\xff"}]),
    ]
    return [
        {
            "name": name,
            "chunks": [chunk.encode("latin-1").hex() for chunk in chunks],
            "closed": closed,
            "expect": [
                {"hex": found["line"].encode("latin-1").hex()} if "line" in found else found
                for found in expect
            ],
        }
        for name, chunks, closed, expect in rows
    ]


FILES = {
    "lines.jsonl": lines,
    "keyed.jsonl": keyed,
    "sealed.jsonl": sealed,
    "encode.jsonl": encoded,
    "fleet.jsonl": fleets,
    "framer.jsonl": framed,
}


def text_of(vectors: List[Vector]) -> str:
    return "".join(json.dumps(vector, separators=(",", ":")) + "\n" for vector in vectors)


def main() -> None:
    for name, vectors in FILES.items():
        (HERE / name).write_text(text_of(vectors()), encoding="ascii")


if __name__ == "__main__":
    main()
