// Which alarms are on and since when. With hysteresis: a number that hovers around its limit does not switch
// an alarm on and off twice a minute.
#pragma once

#include <cstdint>

#include "inktop/line.h"

namespace inktop {

enum class AlarmKind : uint8_t {
  gpu_lost,
  gpu_reset,
  gpu_stale,
  gpu_junction_hot,
  gpu_edge_hot,
  gpu_memory_hot,
  gpu_fan_stopped,
  gpu_throttled_heat,
  gpu_throttled_current,
  gpu_throttled_power,
  gpu_throttled_other,
  gpu_link_narrow,
  gpu_link_slow,
  gpu_vram_full,
  memory_full,
  disk_full,
};
constexpr int kAlarmKinds = 16;
// Of a GPU; the others are of the machine.
constexpr bool is_gpu_alarm(AlarmKind kind) {
  return kind < AlarmKind::memory_full;
}

// For which reasons a GPU that is slowed down is an alarm. At its power cap every loaded card is.
enum class ThrottleAlarm : uint8_t { never, heat, any };

// The limits above which a number is an alarm.
struct AlarmSettings {
  uint8_t hot_junction_c = 0;        // 0: where the info line says that it is critical
  uint8_t hot_memory_c = 0;          // the same
  uint8_t full_memory_percent = 95;  // in use; 0: never
  uint8_t full_disk_percent = 95;    // the same of the fullest file system
  // Off: programs that compute take all of it at once and keep it.
  uint8_t full_vram_percent = 0;
  uint8_t hot_edge_c = 0;  // as hot_junction_c, of a card that has no junction
  ThrottleAlarm throttle = ThrottleAlarm::heat;
  // How busy a GPU must be for its PCIe link to count: at rest a link may be slow; 0: never.
  uint8_t link_busy_percent = 30;
};

// One alarm that is on; shown as an inverted panel title with a short text and `since`.
struct Alarm {
  AlarmKind kind;
  uint8_t gpu = 0;       // which GPU; unused for the machine's
  int32_t since_s = -1;  // second of the day (server's local time) at which it began, -1 unknown
  uint8_t now = 0;       // of a link: its lanes, or its generation, at worst, and at most
  uint8_t most = 0;
};

// Every alarm that there can be: none is ever left out.
constexpr int kMaxAlarms = (kAlarmKinds - 2) * kMaxGpus + 2;

class Alarms {
 public:
  // Takes a data line; `second_of_day` is the server's local time of it (-1 unknown), `info` may be nullptr.
  void update(const Snapshot& snapshot, const InfoLine* info, int32_t second_of_day);
  // A person has seen them: an alarm that is on now is not shown again until it has ended and begun again.
  // True when there was one to acknowledge.
  bool acknowledge();
  // They act from the next line on.
  void set(const AlarmSettings& settings) { settings_ = settings; }

  const Alarm* list() const { return list_; }
  int count() const { return count_; }

 private:
  struct Entry {
    bool active = false;
    bool acknowledged = false;
    int32_t since_s = -1;
    int32_t held_s = -1;  // for how long the condition to begin, or to end, has held; -1: it does not
    uint8_t now = 0;
    uint8_t most = 0;
  };
  // What a line says of a condition.
  enum class Verdict : uint8_t {
    on,       // it is there
    off,      // it is over
    between,  // neither: what is on stays on
    unknown,  // it cannot be read: nothing begins, nothing ends, and no time passes
  };
  struct Wait {
    int32_t begin_s = 0;
    int32_t end_s = 0;
  };
  void judge(AlarmKind kind, int gpu, Verdict verdict, Wait wait, int32_t since_s);
  static Verdict heat(int32_t celsius, int32_t critical_c);
  static Verdict fan(const Gpu& gpu);
  void judge_throttle(const Gpu& gpu, bool off, int32_t second_of_day);
  void judge_link(const Gpu& gpu, const GpuInfo* info, bool off, int32_t second_of_day);
  static Verdict full(int64_t used, int64_t total, int32_t limit_percent);
  Verdict memory(const Snapshot& snapshot) const;
  Verdict disks(const Snapshot& snapshot) const;
  Entry& entry(AlarmKind kind, int gpu) { return entries_[gpu * kAlarmKinds + int(kind)]; }

  AlarmSettings settings_;
  bool has_junction_[kMaxGpus] = {};  // it has had one since it is there
  Entry entries_[kMaxGpus * kAlarmKinds];
  int64_t newest_s_ = kUnknown;  // uptime of the newest line
  int32_t passed_s_ = 1;         // since the line before
  Alarm list_[kMaxAlarms];
  int count_ = 0;
};

}  // namespace inktop
