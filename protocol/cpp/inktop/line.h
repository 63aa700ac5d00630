// What a line says, as data: the C++ twin of protocol/inktop_protocol/model.py (protocol/README.md).
//
// Every number is an integer with its unit in its name. kUnknown in a number means "the sensor exists but
// cannot be read now" ("-" on the wire), or, where no group holds it, that its key was missing. A group has
// its own `has_` flag: false means that the machine has no such thing. Text ends with a NUL; an empty
// optional text means that its key was missing. All types are trivially copyable and own nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace inktop {

constexpr size_t kMaxLineBytes = 1024;  // with the newline
constexpr size_t kMaxHelloBytes = 256;  // with the newline
constexpr int kMaxGpus = 16;            // g0 ... g15
constexpr int kMaxCpuLevels = 256;      // cells of `k`
constexpr int kMaxEvents = 8;
constexpr int kMaxCounts = 12;  // items of `err` and of `bad`
constexpr uint16_t kDefaultPort = 7910;
constexpr int64_t kProtocolVersion = 1;

// Outside the range of every value of either width, so that one name serves both.
constexpr int32_t kUnknown = INT32_MIN;

enum class LineKind : uint8_t { none, data, info, hello, health, announce, other_version, unknown };

// Why a line was dropped: section 11 of the specification, in the order of its checks.
enum class LineError : uint8_t {
  none,
  overlong,
  cut,
  charset,
  checksum,
  syntax,
  value,
  missing,
};
constexpr int kLineErrors = 8;

// The word of the specification for a kind ("checksum"); "none" for none.
const char* line_error_name(LineError error);

// Dropped lines by kind.
struct BadLines {
  uint32_t counts[kLineErrors] = {};

  // Counts one; LineError::none is not counted, a full counter stays full.
  void add(LineError error) {
    uint32_t& count = counts[static_cast<int>(error)];
    if (error != LineError::none && count != UINT32_MAX) count++;
  }
  uint32_t of(LineError error) const { return counts[static_cast<int>(error)]; }
};

struct Memory {
  int32_t used_milligib = kUnknown;
  int32_t total_milligib = kUnknown;
  int32_t cache_milligib = kUnknown;
};

struct Swap {
  int32_t used_milligib = kUnknown;
  int32_t total_milligib = kUnknown;
};

struct Network {
  char name[16] = {};  // "-" when none was chosen
  int64_t received_bytes_s = kUnknown;
  int64_t sent_bytes_s = kUnknown;
};

struct Gpu {
  int32_t index = 0;  // its place on the board, 0 ... 15
  int32_t busy_percent = kUnknown;
  int32_t vram_used_mib = kUnknown;
  int32_t vram_total_mib = kUnknown;
  int32_t edge_c = kUnknown;
  int32_t junction_c = kUnknown;
  int32_t memory_c = kUnknown;
  int32_t power_w = kUnknown;
  int32_t fan_rpm = kUnknown;
  int32_t core_clock_mhz = kUnknown;
  int32_t memory_clock_mhz = kUnknown;
  int32_t fan_percent = kUnknown;
  char state[9] = "ok";  // ok, asleep, reset, stale, lost, or a later word
};

struct Event {
  char subject[9] = {};  // gpu1, mem, sys ...
  char what[9] = {};     // lost, reset, back, stale, oom, boot ...
  char time[9] = {};     // HH:MM:SS, local to the server, at which it began
};

// A data line: one machine, one second.
struct Snapshot {
  char host[64] = {};
  char address[46] = {};
  char time[6] = {};            // HH:MM, local to the server
  int64_t uptime_s = kUnknown;  // of the server
  int32_t cpu_permille = kUnknown;
  int32_t cpus = kUnknown;
  int32_t cpu_level_count = 0;            // 0: no `k`
  int8_t cpu_levels[kMaxCpuLevels] = {};  // busy of each cell, 0 ... 15; -1 unknown
  bool has_load = false;
  int32_t load_centi[3] = {kUnknown, kUnknown, kUnknown};  // over 1, 5, 15 min
  bool has_memory = false;
  Memory memory;
  bool has_swap = false;
  Swap swap;
  bool has_network = false;
  Network network;
  int32_t gpu_count = 0;
  Gpu gpus[kMaxGpus];  // gpu_count of them, ascending by index
  int32_t event_count = 0;
  Event events[kMaxEvents];  // event_count of them, the newest last
};

// Static facts of one GPU.
struct GpuInfo {
  int32_t index = 0;
  char name[32] = {};
  char pci[13] = {};  // dddd:bb:dd.f; empty: unknown
  int32_t power_cap_w = kUnknown;
  int32_t edge_critical_c = kUnknown;
  int32_t junction_critical_c = kUnknown;
  int32_t memory_critical_c = kUnknown;
};

// `time` was read when the server's uptime was `uptime_s`.
struct Clock {
  char time[9] = {};  // HH:MM:SS
  int64_t uptime_s = kUnknown;
};

// Static facts of the server, sent first and once a minute.
struct InfoLine {
  int64_t version = kProtocolVersion;
  char collector[16] = {};
  char nonce[33] = {};  // 32 hexadecimal digits; empty: no key is set
  bool has_clock = false;
  Clock clock;
  char cpu_model[48] = {};
  int32_t gpu_count = 0;
  GpuInfo gpus[kMaxGpus];  // gpu_count of them, ascending by index
};

// The board's answer to the info line.
struct Hello {
  char board[32] = {};
  char firmware[16] = {};
  char panel[12] = {};  // WxH, pixels
  int64_t boots = kUnknown;
  char reset[16] = {};
  char mac[65] = {};  // 64 hexadecimal digits; empty: not keyed
  int64_t version = kProtocolVersion;
};

// One item of `err` or `bad`.
struct Count {
  char kind[13] = {};
  int64_t count = 0;
};

// How the board is: sent every 30 s.
struct Health {
  char board[32] = {};
  int64_t uptime_s = kUnknown;  // of the board
  int64_t heap_bytes = kUnknown;
  int64_t psram_bytes = kUnknown;
  int32_t rssi_dbm = kUnknown;
  int64_t updates = kUnknown;
  int64_t washes = kUnknown;
  int32_t refresh_error_count = 0;
  Count refresh_errors[kMaxCounts];
  int64_t refresh_ms = kUnknown;
  int32_t bad_line_count = 0;
  Count bad_lines[kMaxCounts];
  int64_t receive_high_water_bytes = kUnknown;
  int64_t version = kProtocolVersion;
};

// The payload of the broadcast datagram.
struct Announcement {
  char host[64] = {};
  char address[46] = {};
  int32_t port = kUnknown;
  char mac[65] = {};  // 64 hexadecimal digits; empty: not keyed
  int64_t version = kProtocolVersion;
};

static_assert(std::is_trivially_copyable<Snapshot>::value, "a snapshot is copied between tasks");
static_assert(std::is_trivially_copyable<InfoLine>::value, "an info line is copied between tasks");

}  // namespace inktop
