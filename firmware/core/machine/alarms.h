// Owns what stands as an alarm and since when, with hysteresis: a number alone never alarms twice a minute
// back and forth.
#pragma once

#include <cstdint>

#include "inktop/line.h"
#include "picture/view.h"

namespace inktop {

class Alarms {
 public:
  // Takes a data line; `second_of_day` is the server's local time of it (-1 unknown), `info` may be nullptr.
  void update(const Snapshot& snapshot, const InfoLine* info, int32_t second_of_day);
  // Somebody has seen them: what stands now is shown no more until it has ended and begins anew.
  // True when there was something to acknowledge.
  bool acknowledge();
  void clear();

  const Alarm* list() const { return list_; }
  int count() const { return count_; }

 private:
  static constexpr int kKinds = 7;
  struct Entry {
    bool active = false;
    bool acknowledged = false;
    int32_t since_s = -1;
    int32_t held_s = -1;  // for how long the condition to begin, or to end, has held; -1: it does not
  };
  // What a line says of a condition.
  enum class Verdict : uint8_t {
    on,       // it is there
    off,      // it is over
    between,  // neither: what stands goes on
    unknown,  // it cannot be read: nothing begins, nothing ends, and no time passes
  };
  struct Wait {
    int32_t begin_s = 0;
    int32_t end_s = 0;
  };
  void judge(AlarmKind kind, int gpu, Verdict verdict, Wait wait, int32_t since_s);
  static Verdict heat(int32_t celsius, int32_t critical_c);
  static Verdict fan(const Gpu& gpu);
  static Verdict memory(const Snapshot& snapshot);
  Entry& entry(AlarmKind kind, int gpu) { return entries_[gpu * kKinds + int(kind)]; }

  Entry entries_[kMaxGpus * kKinds];
  int64_t newest_s_ = kUnknown;  // uptime of the newest line
  int32_t passed_s_ = 1;         // since the line before
  Alarm list_[kMaxAlarms];
  int count_ = 0;
};

}  // namespace inktop
