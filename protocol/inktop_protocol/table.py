"""The table of the line: every key, item, range, unit and step of shedding, said once.

A new key is a row here. ``make generate`` then writes what follows from it: the dataclasses in
``model``, ``cpp/inktop/line_structs.h``, ``cpp/inktop/line_table.h`` and the tables of
protocol/README.md. Grammar, checksum and framing are written by hand, and so are the vectors.
"""

from __future__ import annotations

from typing import Dict, Tuple

from .schema import (
    LETTERS,
    LETTERS_DIGITS,
    NAME,
    Average,
    Cells,
    Cut,
    DropLast,
    Form,
    Group,
    Item,
    Key,
    Kind,
    LeaveOut,
    Newest,
    Number,
    Numbered,
    Repeat,
    Row,
    Shape,
    Text,
    Unknown,
)

#: Name in Python, value, what it is. C++ has the same under kNames.
CONSTANTS: Tuple[Tuple[str, int, str], ...] = (
    ("MAX_LINE_BYTES", 1024, "Longest line with its newline, bytes."),
    ("MAX_HELLO_BYTES", 256, "Longest hello with its newline, bytes."),
    ("MAX_GPUS", 16, "GPUs that a line can carry: g0 ... g15."),
    ("MAX_CPU_LEVELS", 256, "Cells of `k`: more CPUs are averaged into this many."),
    ("MAX_EVENTS", 8, "Items of `e`."),
    ("MAX_DISKS", 4, "Items of `d`: file systems that a line can carry."),
    ("MAX_COUNTS", 12, "Items of `err` and of `bad`."),
    ("MAX_SETTINGS", 20, "Items of `set`."),
    ("MAX_REFUSALS", 8, "Items of `not`."),
    ("MAX_WORST", 8, "Items of `x`: what is wrong in a fleet."),
    ("DEFAULT_PORT", 7910, "TCP port of the collector, UDP port of the announcements."),
    ("PROTOCOL_VERSION", 1, "What a versioned line says first."),
    ("SEAL_MAC_DIGITS", 32, "Hexadecimal digits of a seal's mac: 128 bits."),
    ("MAX_SEAL_BYTES", 50, "Longest seal: `|q=` with 10 digits, `|mac=` with its own."),
)
_C: Dict[str, int] = {name: value for name, value, _ in CONSTANTS}

_MAX_U32 = 4294967295
_COUNTER = Number(0, _MAX_U32, counter=True)
_SECONDS = Number(0, _MAX_U32, "s", counter=True)
_BYTES = Number(0, _MAX_U32, "bytes", counter=True)
_PERCENT = Number(0, 100, "%")
_MIB = Number(0, 16777216, "MiB")
_GIB = Number(0, 1048576000, "GiB", decimals=3)
_CELSIUS = Number(-99, 999, "°C")
_WATTS = Number(0, 9999, "W")
_MHZ = Number(0, 99999, "MHz")
_RATE = Number(0, 10**14, "bytes/s")
_DISK_MIB = Number(0, 10**12, "MiB")
_GENERATION = Number(1, 9)
_LANES = Number(1, 32)
_MANY = Number(0, 9999999)
_FLEET_WATTS = Number(0, 10**9, "W")
_FLEET_MIB = Number(0, 10**12, "MiB")
_MINUTE = Form("HH:MM", 5)
_SECOND = Form("HH:MM:SS", 8)
_MAC = Form("64 hex", 64)

MEMORY = Group(
    "Memory",
    "Memory in thousandths of a GiB.",
    (
        Item("used_milligib", _GIB, "used: total − available"),
        Item("total_milligib", _GIB, "total"),
        Item("cache_milligib", _GIB, "cache"),
    ),
    separator="/",
    least=2,
    decimals_by=("total_milligib", "used_milligib"),
)
SWAP = Group(
    "Swap",
    "Swap in thousandths of a GiB.",
    (Item("used_milligib", _GIB, "used"), Item("total_milligib", _GIB, "total")),
    separator="/",
    least=2,
    decimals_by=("total_milligib", "used_milligib"),
)
NETWORK = Group(
    "Network",
    "One interface; its name is `-` when none was chosen.",
    (
        Item("name", Text(15), "interface; `-`: none chosen", required=True),
        Item("received_bytes_s", _RATE, "received"),
        Item("sent_bytes_s", _RATE, "sent"),
    ),
    least=3,
)
DISK = Group(
    "Disk",
    "One file system; total is what can be used: used + what is free for everybody, as `df` counts.",
    (
        Item("used_mib", _DISK_MIB, "used", required=True),
        Item("total_mib", _DISK_MIB, "total", required=True),
        Item("name", Text(15), "where it is mounted; a long path by its end", required=True),
    ),
    separator=":",
    least=3,
    closed=True,
)
DISK_TRAFFIC = Group(
    "DiskTraffic",
    "What all disks together read and write.",
    (Item("read_bytes_s", _RATE, "read"), Item("written_bytes_s", _RATE, "written")),
    least=2,
)
GPU = Group(
    "Gpu",
    "One GPU at its place on the board.",
    (
        Item("busy_percent", _PERCENT, "busy"),
        Item("vram_used_mib", _MIB, "VRAM used"),
        Item("vram_total_mib", _MIB, "VRAM total"),
        Item("edge_c", _CELSIUS, "edge temperature"),
        Item("junction_c", _CELSIUS, "junction temperature"),
        Item("memory_c", _CELSIUS, "memory temperature"),
        Item("power_w", _WATTS, "power"),
        Item("fan_rpm", Number(0, 99999, "rpm"), "fan"),
        Item("core_clock_mhz", _MHZ, "core clock"),
        Item("memory_clock_mhz", _MHZ, "memory clock"),
        Item("fan_percent", _PERCENT, "fan duty"),
        Item(
            "state",
            # Shown as written: a board must not take a state that it cannot read for "ok".
            Text(8, LETTERS, instead="unknown"),
            "state (section 4)",
            default="ok",
        ),
        Item("throttle", Text(8, LETTERS), "why it is slowed down (section 4)"),
        Item("link_generation", _GENERATION, "generation of its PCIe link now"),
        Item("link_width", _LANES, "lanes of its PCIe link now"),
    ),
    least=9,
)
GPU_USER = Group(
    "GpuUser",
    "The process that uses most of one GPU's memory.",
    (
        Item("name", Text(15), "its name, or its container's or unit's", required=True),
        Item("vram_mib", _MIB, "its VRAM"),
        Item("busy_percent", _PERCENT, "its share of the GPU's time"),
        Item("others", Number(0, 9999), "other processes that use the GPU; unknown when some are hidden"),
    ),
)
MODEL_SERVER = Group(
    "ModelServer",
    "What a local inference server is doing.",
    (
        Item("name", Text(15), "name of the server", required=True),
        Item("running", Number(0, 99999), "requests running"),
        Item("waiting", Number(0, 99999), "requests waiting"),
        Item("generated_tokens_s", Number(0, 9999999, "tokens/s"), "tokens generated"),
        Item("prompt_tokens_s", Number(0, 9999999, "tokens/s"), "tokens of prompts read"),
        Item("cache_percent", _PERCENT, "use of the KV cache"),
    ),
)
EVENT = Group(
    "Event",
    "An event that lasts (section 5): `time` is the server's local HH:MM:SS at which it began.",
    (
        Item("subject", Text(8, LETTERS_DIGITS), "what it is about", required=True),
        Item("what", Text(8, LETTERS), "what happened", required=True),
        Item("time", _SECOND, "when it began", required=True),
    ),
    separator=":",
    least=3,
    closed=True,
)
GPU_INFO = Group(
    "GpuInfo",
    "Static facts of one GPU.",
    (
        Item("name", Text(31), "name", required=True),
        Item("pci", Form("dddd:bb:dd.f", 16), "PCI address"),
        Item("power_cap_w", _WATTS, "power cap"),
        Item("edge_critical_c", _CELSIUS, "critical edge temperature"),
        Item("junction_critical_c", _CELSIUS, "critical junction temperature"),
        Item("memory_critical_c", _CELSIUS, "critical memory temperature"),
        Item("link_generation", _GENERATION, "generation of its PCIe link at most"),
        Item("link_width", _LANES, "lanes of its PCIe link at most"),
    ),
)
CLOCK = Group(
    "Clock",
    "`time` (local HH:MM:SS) was read at `uptime_s`.",
    (
        Item("time", _SECOND, "local time of the server", required=True),
        Item("uptime_s", _SECONDS, "the uptime at which it was read", required=True),
    ),
    least=2,
)
COUNT = Group(
    "Count",
    "How often something happened.",
    (
        Item("kind", Text(12, LETTERS), "what", required=True),
        Item("count", _COUNTER, "how often", required=True),
    ),
    separator=":",
    least=2,
    closed=True,
)
ASSIGNMENT = Group(
    "Assignment",
    "A setting of a board and its value, as both are typed at its console.",
    (
        Item("name", Text(15, NAME), "setting", required=True),
        Item("value", Text(23), "value", required=True),
    ),
    separator=":",
    least=2,
    closed=True,
)
REFUSAL = Group(
    "Refusal",
    "A setting that a board did not take from its server.",
    (
        Item("name", Text(15, NAME), "setting", required=True),
        Item("why", Text(8, LETTERS), "why", required=True),
    ),
    separator=":",
    least=2,
    closed=True,
)
UP_OF = Group(
    "UpOf",
    "How many there are, and how many of them answer.",
    (Item("up", _MANY, "up"), Item("total", _MANY, "there are")),
    separator="/",
    least=2,
)
FLEET_POWER = Group(
    "FleetPower",
    "What the GPUs of a fleet draw together.",
    (Item("drawn_w", _FLEET_WATTS, "drawn"), Item("limit_w", _FLEET_WATTS, "sum of the power caps")),
    separator="/",
    least=2,
)
FLEET_VRAM = Group(
    "FleetVram",
    "The memory of the GPUs of a fleet.",
    (Item("used_mib", _FLEET_MIB, "used"), Item("total_mib", _FLEET_MIB, "total")),
    separator="/",
    least=2,
)
WORST = Group(
    "Worst",
    "One thing that is wrong in a fleet (section 16).",
    (
        Item("host", Text(63, mapped=NAME), "host name of the machine", required=True),
        Item("what", Text(8, LETTERS), "what is wrong: a word of section 16", required=True),
        Item("value", Number(0, _MAX_U32), "how much, in the unit of the word"),
        Item("part", Text(15), "which part of the machine: `gpu3`, `/home`"),
    ),
    separator=":",
    least=3,
)

DATA = Kind(
    "data",
    "h",
    "Snapshot",
    "A data line: one machine, one second.",
    (
        Key(
            "h",
            "host",
            Text(63, mapped=NAME),
            "host name; the collector maps anything outside `[A-Za-z0-9._-]` to `_` and cuts at 63",
            required=True,
        ),
        Key(
            "i",
            "address",
            Text(45),
            "the address on which this board reached the server: IPv4 or IPv6, no zone",
        ),
        Key("t", "time", _MINUTE, "local time of the server"),
        Key("u", "uptime_s", _SECONDS, "uptime of the server. The board places history by it"),
        Key(
            "c",
            "cpu_permille",
            Number(0, 1000, "%", decimals=1),
            "CPU busy, all CPUs together: total − idle − iowait, guest time not counted twice",
            always=True,
        ),
        Key("n", "cpus", Number(1, 65535), "logical CPUs online"),
        Key(
            "k",
            "cpu_levels",
            Cells(_C["MAX_CPU_LEVELS"]),
            "busy of each CPU online, ascending by CPU number: `0` = idle … `f` = full, round(15 · busy); "
            "`-` unknown. Up to 256 CPUs: one character each. More: 256 groups of neighbours, averaged",
        ),
        Key(
            "l",
            "load_centi",
            Row(Number(0, 9999999, decimals=2), 3),
            "load averages over 1, 5, 15 min",
            flag="has_load",
        ),
        Key("m", "memory", MEMORY, "memory `used/total[/cache]`; used = total − available"),
        Key("s", "swap", SWAP, "swap `used/total`. No swap: no key"),
        Key("w", "network", NETWORK, "network interface; received and sent. `-` as the name: none chosen"),
        Key("ct", "cpu_c", _CELSIUS, "CPU temperature: the hottest package"),
        Key(
            "d",
            "disks",
            Repeat(DISK, _C["MAX_DISKS"]),
            "file systems on disks of this machine, the fullest first",
        ),
        Key("io", "disk_traffic", DISK_TRAFFIC, "disk traffic; read and written"),
        Key(
            "g",
            "gpus",
            Numbered(GPU, _C["MAX_GPUS"]),
            "one GPU each. The number, its place on the board, does not change while the collector runs",
        ),
        Key(
            "p",
            "gpu_users",
            Numbered(GPU_USER, _C["MAX_GPUS"]),
            "the top user of the GPU with that number",
        ),
        Key("llm", "model_server", MODEL_SERVER, "a local inference server. None is watched: no key"),
        Key(
            "e",
            "events",
            Repeat(EVENT, _C["MAX_EVENTS"], newest=True),
            "events (section 5) in the order in which they began, the newest last",
        ),
    ),
    shedding=(
        (
            LeaveOut("p"),
            Unknown("g", ("memory_clock_mhz", "fan_percent")),
        ),
        (Unknown("m", ("cache_milligib",)), LeaveOut("io")),
        (Average("k", 128), Average("k", 64), Average("k", 32)),
        (Newest("e", 4), Newest("e", 1)),
        (
            Unknown("g", ("link_generation", "link_width")),
            Unknown("g", ("throttle",)),
            Unknown("g", ("core_clock_mhz",)),
            Unknown("g", ("fan_rpm",)),
            Unknown("g", ("memory_c",)),
        ),
        (
            LeaveOut("llm"),
            LeaveOut("k"),
            LeaveOut("s"),
            LeaveOut("d"),
            LeaveOut("ct"),
            LeaveOut("e"),
        ),
        (DropLast("g"),),
    ),
    versioned=False,
)
INFO = Kind(
    "info",
    "info",
    "InfoLine",
    "Static facts of the server, sent first and once a minute.",
    (
        Key("v", "collector", Text(15), "collector version"),
        Key(
            "nonce",
            "nonce",
            Form("32 hex", 32),
            "present when a key is set, and then alone: 16 random bytes, new for each connection",
        ),
        Key(
            "clock",
            "clock",
            CLOCK,
            "local time of the server and the uptime at which it was read: ties history to the minutes "
            "under the graphs",
        ),
        Key("cpu", "cpu_model", Text(47), "CPU model, shortened (`2x E5-2683 v4`)"),
        Key("g", "gpus", Numbered(GPU_INFO, _C["MAX_GPUS"]), "static facts of one GPU each"),
    ),
    # 16 GPUs with every other item as long as it can be then take 1001 bytes: always enough.
    shedding=((Cut("g", "name", 15),), (Unknown("g", ("link_generation", "link_width")),)),
    version_first=True,
)
HELLO = Kind(
    "hello",
    "hello",
    "Hello",
    "The board's answer to the info line.",
    (
        Key("id", "board", Text(31, NAME), "board id", required=True),
        Key("fw", "firmware", Text(15), "firmware version", required=True),
        Key("panel", "panel", Form("WxH", 11), "panel size, pixels"),
        Key("boots", "boots", _COUNTER, "starts since the settings were last reset"),
        Key("reset", "reset", Text(15), "reason of the last reset, a word"),
        Key(
            "nonce",
            "nonce",
            Form("32 hex", 32),
            "with a key set: 16 random bytes of the board, new for each connection",
        ),
        Key("mac", "mac", _MAC, "section 8", last=True),
    ),
    from_board=True,
)
HEALTH = Kind(
    "health",
    "health",
    "Health",
    "How the board is: sent every 30 s.",
    (
        Key("id", "board", Text(31, NAME), "board id", required=True),
        Key("u", "uptime_s", _SECONDS, "uptime of the board"),
        Key("heap", "heap_bytes", _BYTES, "free internal RAM"),
        Key("psram", "psram_bytes", _BYTES, "free PSRAM"),
        Key("rssi", "rssi_dbm", Number(-127, 0, "dBm"), "Wi-Fi signal", always=True),
        Key("upd", "updates", _COUNTER, "updates since its start"),
        Key("wash", "washes", _COUNTER, "washes since its start"),
        Key(
            "err",
            "refresh_errors",
            Repeat(COUNT, _C["MAX_COUNTS"]),
            "refresh errors by kind since its start, only those that happened: "
            "`lut` `crop` `mode` `phases` `lines` `power` `other`",
        ),
        Key("ms", "refresh_ms", Number(0, _MAX_U32, "ms"), "time of the last refresh", always=True),
        Key(
            "bad",
            "bad_lines",
            Repeat(COUNT, _C["MAX_COUNTS"]),
            "dropped lines by kind (section 11), only those that happened",
        ),
        Key("buf", "receive_high_water_bytes", _BYTES, "most bytes ever waiting in the receive queue"),
        Key("block", "largest_block_bytes", _BYTES, "largest free block of internal RAM"),
        Key("low", "lowest_heap_bytes", _BYTES, "free internal RAM, the least since its start"),
        Key("main", "main_stack_bytes", _BYTES, "stack of the main task never used since its start"),
        Key("net", "network_stack_bytes", _BYTES, "stack of the network task never used since its start"),
        Key("mhz", "panel_mhz", Number(0, 255, "MHz", counter=True), "clock of the panel's bus in force"),
    ),
    from_board=True,
)
SETTINGS = Kind(
    "settings",
    "settings",
    "SettingsLine",
    "What a server holds for a board; and the board's answer: what is in force.",
    (
        Key("id", "board", Text(31, NAME), "from a board: its id"),
        Key(
            "set",
            "values",
            Repeat(ASSIGNMENT, _C["MAX_SETTINGS"]),
            "from a server: all that it holds for this board. From a board: what is in force, of each "
            "setting that a server may set",
        ),
        Key(
            "from",
            "origins",
            Text(_C["MAX_SETTINGS"], LETTERS),
            "from a board: a letter for each item of `set`: `s` of the server, `o` set on the board, `h` the "
            "same and held against the server's, `d` the default",
        ),
        Key(
            "not",
            "refusals",
            Repeat(REFUSAL, _C["MAX_REFUSALS"]),
            "from a board: what it did not take, and why: `unknown`, `value`, or `cable` for what no server "
            "may set",
        ),
    ),
    # What a server says has no refusals, and always fits.
    shedding=((LeaveOut("not"),),),
    from_board=True,
)
ACK = Kind(
    "ack",
    "ack",
    "Ack",
    "Events that somebody has acknowledged on the board.",
    (
        Key("id", "board", Text(31, NAME), "board id", required=True),
        Key("e", "events", Repeat(EVENT, _C["MAX_EVENTS"]), "the events, as the data line has them"),
    ),
    from_board=True,
)
FLEET = Kind(
    "fleet",
    "fleet",
    "Fleet",
    "A fleet of machines, one second: what a fleet server sends in place of data lines.",
    (
        Key(
            "h",
            "host",
            Text(63, mapped=NAME),
            "name of the fleet; mapped and cut as the host of a data line",
            required=True,
        ),
        Key("i", "address", Text(45), "the address on which this board reached the server"),
        Key("t", "time", _MINUTE, "local time of the server"),
        Key("u", "uptime_s", _SECONDS, "uptime of the server. The board places history by it"),
        Key(
            "src",
            "source",
            Text(8, LETTERS),
            "what is wrong with where the numbers come from (section 16). Nothing: no key",
        ),
        Key("up", "machines", UP_OF, "machines: up and in all"),
        Key("gpu", "gpus", UP_OF, "GPUs: up and in all; those of a machine that is down are not up"),
        Key("busy", "busy_percent", _PERCENT, "mean busy of the GPUs that are up"),
        Key("p", "power", FLEET_POWER, "power of all GPUs"),
        Key("v", "vram", FLEET_VRAM, "memory of all GPUs"),
        Key(
            "n",
            "wrong",
            Number(0, 9999999, counter=True),
            "how many things are wrong in all: `x` names the worst of them",
        ),
        Key("x", "worst", Repeat(WORST, _C["MAX_WORST"]), "what is wrong, the worst first"),
    ),
    shedding=((DropLast("x"),),),
)
ANNOUNCE = Kind(
    "announce",
    "announce",
    "Announcement",
    "Payload of the broadcast datagram.",
    (
        Key("h", "host", Text(63, mapped=NAME), "host name", required=True),
        Key("i", "address", Text(45), "the address to connect to", required=True),
        Key("port", "port", Number(1, 65535), "TCP port", required=True),
        Key("at", "time_s", _SECONDS, "with a key set: when it was sent, by the server's clock since 1970"),
        Key(
            "mac",
            "mac",
            _MAC,
            "with a key set: HMAC-SHA256(key, everything before `\\|mac=`)",
            last=True,
        ),
    ),
)

KINDS: Tuple[Kind, ...] = (DATA, INFO, HELLO, HEALTH, SETTINGS, ACK, ANNOUNCE, FLEET)


def limits(kind: str, key: str, member: str = "") -> Tuple[int, int]:
    """The lowest and highest value of a number, in the unit of its member.

    ``limits("data", "n")``; ``limits("data", "g", "power_w")`` for an item of a group, where the key of
    numbered groups has no number. Raises KeyError for what is no number of the table.
    """
    for row in KINDS:
        for column in row.keys:
            if (row.name, column.key) == (kind, key):
                shape: Shape = column.shape
                if isinstance(shape, (Repeat, Numbered)):
                    shape = shape.group
                if isinstance(shape, Group):
                    shape = {item.member: item.value for item in shape.items}[member]
                value = shape.value if isinstance(shape, Row) else shape
                if isinstance(value, Number):
                    return value.low, value.high
    raise KeyError(f"{kind} {key} {member}".rstrip())
