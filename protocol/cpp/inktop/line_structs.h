// What a line says, as data: the C++ twin of inktop_protocol/model.py. Made by protocol/generate.py
// from inktop_protocol/table.py: change that, then `make generate`.
//
// Every number is an integer with its unit in its name. kUnknown in a number means "the sensor
// exists but cannot be read now" ("-" on the wire), or, where no group holds it, that its key was
// missing. A group has its own `has_` flag: false means that the machine has no such thing. Text
// ends with a NUL; an empty optional text means that its key was missing. All types are trivially
// copyable and own nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace inktop {

// Longest line with its newline, bytes.
constexpr size_t kMaxLineBytes = 1024;
// Longest hello with its newline, bytes.
constexpr size_t kMaxHelloBytes = 256;
// GPUs that a line can carry: g0 ... g15.
constexpr int kMaxGpus = 16;
// Cells of `k`: more CPUs are averaged into this many.
constexpr int kMaxCpuLevels = 256;
// Items of `e`.
constexpr int kMaxEvents = 8;
// Items of `d`: file systems that a line can carry.
constexpr int kMaxDisks = 4;
// Items of `err` and of `bad`.
constexpr int kMaxCounts = 12;
// Items of `set`.
constexpr int kMaxSettings = 20;
// Items of `not`.
constexpr int kMaxRefusals = 8;
// Items of `x`: what is wrong in a fleet.
constexpr int kMaxWorst = 8;
// TCP port of the collector, UDP port of the announcements.
constexpr uint16_t kDefaultPort = 7910;
// What a versioned line says first.
constexpr int64_t kProtocolVersion = 1;
// Hexadecimal digits of a seal's mac: 128 bits.
constexpr int kSealMacDigits = 32;
// Longest seal: `|q=` with 10 digits, `|mac=` with its own.
constexpr size_t kMaxSealBytes = 50;

// Outside the range of every value of either width, so that one name serves both.
constexpr int32_t kUnknown = INT32_MIN;

enum class LineKind : uint8_t {
  none,
  data,
  info,
  hello,
  health,
  settings,
  ack,
  announce,
  fleet,
  other_version,
  unknown,
};

// Memory in thousandths of a GiB.
struct Memory {
  // used: total - available; GiB, 0 to 1048576, times 10^3
  int32_t used_milligib = kUnknown;
  // total; GiB, 0 to 1048576, times 10^3
  int32_t total_milligib = kUnknown;
  // cache; GiB, 0 to 1048576, times 10^3
  int32_t cache_milligib = kUnknown;
};

// Swap in thousandths of a GiB.
struct Swap {
  // used; GiB, 0 to 1048576, times 10^3
  int32_t used_milligib = kUnknown;
  // total; GiB, 0 to 1048576, times 10^3
  int32_t total_milligib = kUnknown;
};

// One interface; its name is '-' when none was chosen.
struct Network {
  // interface; '-': none chosen
  char name[16] = {};
  // received; bytes/s, 0 to 10^14
  int64_t received_bytes_s = kUnknown;
  // sent; bytes/s, 0 to 10^14
  int64_t sent_bytes_s = kUnknown;
};

// One file system; total is what can be used: used + what is free for everybody, as 'df' counts.
struct Disk {
  // used; MiB, 0 to 10^12
  int64_t used_mib = kUnknown;
  // total; MiB, 0 to 10^12
  int64_t total_mib = kUnknown;
  // where it is mounted; a long path by its end
  char name[16] = {};
};

// What all disks together read and write.
struct DiskTraffic {
  // read; bytes/s, 0 to 10^14
  int64_t read_bytes_s = kUnknown;
  // written; bytes/s, 0 to 10^14
  int64_t written_bytes_s = kUnknown;
};

// One GPU at its place on the board.
struct Gpu {
  // The number in its key.
  int32_t index = 0;
  // busy; %, 0 to 100
  int32_t busy_percent = kUnknown;
  // VRAM used; MiB, 0 to 16777216
  int32_t vram_used_mib = kUnknown;
  // VRAM total; MiB, 0 to 16777216
  int32_t vram_total_mib = kUnknown;
  // edge temperature; degrees C, -99 to 999
  int32_t edge_c = kUnknown;
  // junction temperature; degrees C, -99 to 999
  int32_t junction_c = kUnknown;
  // memory temperature; degrees C, -99 to 999
  int32_t memory_c = kUnknown;
  // power; W, 0 to 9999
  int32_t power_w = kUnknown;
  // fan; rpm, 0 to 99999
  int32_t fan_rpm = kUnknown;
  // core clock; MHz, 0 to 99999
  int32_t core_clock_mhz = kUnknown;
  // memory clock; MHz, 0 to 99999
  int32_t memory_clock_mhz = kUnknown;
  // fan duty; %, 0 to 100
  int32_t fan_percent = kUnknown;
  // state (section 4)
  char state[9] = "ok";
  // why it is slowed down (section 4)
  char throttle[9] = {};
  // generation of its PCIe link now; 1 to 9
  int32_t link_generation = kUnknown;
  // lanes of its PCIe link now; 1 to 32
  int32_t link_width = kUnknown;
};

// The process that uses most of one GPU's memory.
struct GpuUser {
  // The number in its key.
  int32_t index = 0;
  // its name, or its container's or unit's
  char name[16] = {};
  // its VRAM; MiB, 0 to 16777216
  int32_t vram_mib = kUnknown;
  // its share of the GPU's time; %, 0 to 100
  int32_t busy_percent = kUnknown;
  // other processes that use the GPU; unknown when some are hidden; 0 to 9999
  int32_t others = kUnknown;
};

// What a local inference server is doing.
struct ModelServer {
  // name of the server
  char name[16] = {};
  // requests running; 0 to 99999
  int32_t running = kUnknown;
  // requests waiting; 0 to 99999
  int32_t waiting = kUnknown;
  // tokens generated; tokens/s, 0 to 9999999
  int32_t generated_tokens_s = kUnknown;
  // tokens of prompts read; tokens/s, 0 to 9999999
  int32_t prompt_tokens_s = kUnknown;
  // use of the KV cache; %, 0 to 100
  int32_t cache_percent = kUnknown;
};

// An event that lasts (section 5): 'time' is the server's local HH:MM:SS at which it began.
struct Event {
  // what it is about
  char subject[9] = {};
  // what happened
  char what[9] = {};
  // when it began
  char time[9] = {};
};

// 'time' (local HH:MM:SS) was read at 'uptime_s'.
struct Clock {
  // local time of the server
  char time[9] = {};
  // the uptime at which it was read; s, 0 to 4294967295
  int64_t uptime_s = kUnknown;
};

// Static facts of one GPU.
struct GpuInfo {
  // The number in its key.
  int32_t index = 0;
  // name
  char name[32] = {};
  // PCI address
  char pci[17] = {};
  // power cap; W, 0 to 9999
  int32_t power_cap_w = kUnknown;
  // critical edge temperature; degrees C, -99 to 999
  int32_t edge_critical_c = kUnknown;
  // critical junction temperature; degrees C, -99 to 999
  int32_t junction_critical_c = kUnknown;
  // critical memory temperature; degrees C, -99 to 999
  int32_t memory_critical_c = kUnknown;
  // generation of its PCIe link at most; 1 to 9
  int32_t link_generation = kUnknown;
  // lanes of its PCIe link at most; 1 to 32
  int32_t link_width = kUnknown;
};

// How often something happened.
struct Count {
  // what
  char kind[13] = {};
  // how often; 0 to 4294967295
  int64_t count = kUnknown;
};

// A setting of a board and its value, as both are typed at its console.
struct Assignment {
  // setting
  char name[16] = {};
  // value
  char value[24] = {};
};

// A setting that a board did not take from its server.
struct Refusal {
  // setting
  char name[16] = {};
  // why
  char why[9] = {};
};

// How many there are, and how many of them answer.
struct UpOf {
  // up; 0 to 9999999
  int32_t up = kUnknown;
  // there are; 0 to 9999999
  int32_t total = kUnknown;
};

// What the GPUs of a fleet draw together.
struct FleetPower {
  // drawn; W, 0 to 1000000000
  int32_t drawn_w = kUnknown;
  // sum of the power caps; W, 0 to 1000000000
  int32_t limit_w = kUnknown;
};

// The memory of the GPUs of a fleet.
struct FleetVram {
  // used; MiB, 0 to 10^12
  int64_t used_mib = kUnknown;
  // total; MiB, 0 to 10^12
  int64_t total_mib = kUnknown;
};

// One thing that is wrong in a fleet (section 16).
struct Worst {
  // host name of the machine
  char host[64] = {};
  // what is wrong: a word of section 16
  char what[9] = {};
  // how much, in the unit of the word; 0 to 4294967295
  int64_t value = kUnknown;
  // which part of the machine: 'gpu3', '/home'
  char part[16] = {};
};

// A data line: one machine, one second.
struct Snapshot {
  // host name; the collector maps anything outside '[A-Za-z0-9._-]' to '_' and cuts at 63
  char host[64] = {};
  // the address on which this board reached the server: IPv4 or IPv6, no zone
  char address[46] = {};
  // local time of the server
  char time[6] = {};
  // uptime of the server. The board places history by it; s, 0 to 4294967295
  int64_t uptime_s = kUnknown;
  // CPU busy, all CPUs together: total - idle - iowait, guest time not counted twice; %, 0.0 to
  // 100.0, times 10^1
  int32_t cpu_permille = kUnknown;
  // logical CPUs online; 1 to 65535
  int32_t cpus = kUnknown;
  // busy of each CPU online, ascending by CPU number: '0' = idle ... 'f' = full, round(15 * busy);
  // '-' unknown. Up to 256 CPUs: one character each. More: 256 groups of neighbours, averaged. Here
  // -1 is unknown
  int32_t cpu_level_count = 0;
  int8_t cpu_levels[256] = {};
  // load averages over 1, 5, 15 min; 0.00 to 99999.99, times 10^2
  bool has_load = false;
  int32_t load_centi[3] = {kUnknown, kUnknown, kUnknown};
  // memory 'used/total[/cache]'; used = total - available
  bool has_memory = false;
  Memory memory;
  // swap 'used/total'. No swap: no key
  bool has_swap = false;
  Swap swap;
  // network interface; received and sent. '-' as the name: none chosen
  bool has_network = false;
  Network network;
  // CPU temperature: the hottest package; degrees C, -99 to 999
  int32_t cpu_c = kUnknown;
  // file systems on disks of this machine, the fullest first
  int32_t disk_count = 0;
  Disk disks[4];
  // disk traffic; read and written
  bool has_disk_traffic = false;
  DiskTraffic disk_traffic;
  // one GPU each. The number, its place on the board, does not change while the collector runs
  int32_t gpu_count = 0;
  Gpu gpus[16];
  // the top user of the GPU with that number
  int32_t gpu_user_count = 0;
  GpuUser gpu_users[16];
  // a local inference server. None is watched: no key
  bool has_model_server = false;
  ModelServer model_server;
  // events (section 5) in the order in which they began, the newest last
  int32_t event_count = 0;
  Event events[8];
};

// Static facts of the server, sent first and once a minute.
struct InfoLine {
  // collector version
  char collector[16] = {};
  // present when a key is set, and then alone: 16 random bytes, new for each connection
  char nonce[33] = {};
  // local time of the server and the uptime at which it was read: ties history to the minutes
  // under the graphs
  bool has_clock = false;
  Clock clock;
  // CPU model, shortened ('2x E5-2683 v4')
  char cpu_model[48] = {};
  // static facts of one GPU each
  int32_t gpu_count = 0;
  GpuInfo gpus[16];
  int64_t version = kProtocolVersion;
};

// The board's answer to the info line.
struct Hello {
  // board id
  char board[32] = {};
  // firmware version
  char firmware[16] = {};
  // panel size, pixels
  char panel[12] = {};
  // starts since the settings were last reset; 0 to 4294967295
  int64_t boots = kUnknown;
  // reason of the last reset, a word
  char reset[16] = {};
  // with a key set: 16 random bytes of the board, new for each connection
  char nonce[33] = {};
  // section 8
  char mac[65] = {};
  int64_t version = kProtocolVersion;
};

// How the board is: sent every 30 s.
struct Health {
  // board id
  char board[32] = {};
  // uptime of the board; s, 0 to 4294967295
  int64_t uptime_s = kUnknown;
  // free internal RAM; bytes, 0 to 4294967295
  int64_t heap_bytes = kUnknown;
  // free PSRAM; bytes, 0 to 4294967295
  int64_t psram_bytes = kUnknown;
  // Wi-Fi signal; dBm, -127 to 0
  int32_t rssi_dbm = kUnknown;
  // updates since its start; 0 to 4294967295
  int64_t updates = kUnknown;
  // washes since its start; 0 to 4294967295
  int64_t washes = kUnknown;
  // refresh errors by kind since its start, only those that happened: 'lut' 'crop' 'mode' 'phases'
  // 'lines' 'power' 'other'
  int32_t refresh_error_count = 0;
  Count refresh_errors[12];
  // time of the last refresh; ms, 0 to 4294967295
  int64_t refresh_ms = kUnknown;
  // dropped lines by kind (section 11), only those that happened
  int32_t bad_line_count = 0;
  Count bad_lines[12];
  // most bytes ever waiting in the receive queue; bytes, 0 to 4294967295
  int64_t receive_high_water_bytes = kUnknown;
  // largest free block of internal RAM; bytes, 0 to 4294967295
  int64_t largest_block_bytes = kUnknown;
  // free internal RAM, the least since its start; bytes, 0 to 4294967295
  int64_t lowest_heap_bytes = kUnknown;
  // stack of the main task never used since its start; bytes, 0 to 4294967295
  int64_t main_stack_bytes = kUnknown;
  // stack of the network task never used since its start; bytes, 0 to 4294967295
  int64_t network_stack_bytes = kUnknown;
  // clock of the panel's bus in force; MHz, 0 to 255
  int32_t panel_mhz = kUnknown;
  int64_t version = kProtocolVersion;
};

// What a server holds for a board; and the board's answer: what is in force.
struct SettingsLine {
  // from a board: its id
  char board[32] = {};
  // from a server: all that it holds for this board. From a board: what is in force, of each
  // setting that a server may set
  int32_t value_count = 0;
  Assignment values[20];
  // from a board: a letter for each item of 'set': 's' of the server, 'o' set on the board, 'h' the
  // same and held against the server's, 'd' the default
  char origins[21] = {};
  // from a board: what it did not take, and why: 'unknown', 'value', or 'cable' for what no
  // server may set
  int32_t refusal_count = 0;
  Refusal refusals[8];
  int64_t version = kProtocolVersion;
};

// Events that somebody has acknowledged on the board.
struct Ack {
  // board id
  char board[32] = {};
  // the events, as the data line has them
  int32_t event_count = 0;
  Event events[8];
  int64_t version = kProtocolVersion;
};

// Payload of the broadcast datagram.
struct Announcement {
  // host name
  char host[64] = {};
  // the address to connect to
  char address[46] = {};
  // TCP port; 1 to 65535
  int32_t port = kUnknown;
  // with a key set: when it was sent, by the server's clock since 1970; s, 0 to 4294967295
  int64_t time_s = kUnknown;
  // with a key set: HMAC-SHA256(key, everything before '|mac=')
  char mac[65] = {};
  int64_t version = kProtocolVersion;
};

// A fleet of machines, one second: what a fleet server sends in place of data lines.
struct Fleet {
  // name of the fleet; mapped and cut as the host of a data line
  char host[64] = {};
  // the address on which this board reached the server
  char address[46] = {};
  // local time of the server
  char time[6] = {};
  // uptime of the server. The board places history by it; s, 0 to 4294967295
  int64_t uptime_s = kUnknown;
  // what is wrong with where the numbers come from (section 16). Nothing: no key
  char source[9] = {};
  // machines: up and in all
  bool has_machines = false;
  UpOf machines;
  // GPUs: up and in all; those of a machine that is down are not up
  bool has_gpus = false;
  UpOf gpus;
  // mean busy of the GPUs that are up; %, 0 to 100
  int32_t busy_percent = kUnknown;
  // power of all GPUs
  bool has_power = false;
  FleetPower power;
  // memory of all GPUs
  bool has_vram = false;
  FleetVram vram;
  // how many things are wrong in all: 'x' names the worst of them; 0 to 9999999
  int32_t wrong = kUnknown;
  // what is wrong, the worst first
  int32_t worst_count = 0;
  Worst worst[8];
  int64_t version = kProtocolVersion;
};

static_assert(std::is_trivially_copyable<Snapshot>::value, "a line is copied between tasks");
static_assert(std::is_trivially_copyable<InfoLine>::value, "a line is copied between tasks");
static_assert(std::is_trivially_copyable<Hello>::value, "a line is copied between tasks");
static_assert(std::is_trivially_copyable<Health>::value, "a line is copied between tasks");
static_assert(std::is_trivially_copyable<SettingsLine>::value, "a line is copied between tasks");
static_assert(std::is_trivially_copyable<Ack>::value, "a line is copied between tasks");
static_assert(std::is_trivially_copyable<Announcement>::value, "a line is copied between tasks");
static_assert(std::is_trivially_copyable<Fleet>::value, "a line is copied between tasks");

}  // namespace inktop
