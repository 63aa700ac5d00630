// Owns what stands as an alarm and since when, with hysteresis: a number alone never alarms twice a minute
// back and forth.
#pragma once

#include <cstdint>

#include "inktop/line.h"
#include "view.h"

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
    uint16_t pending_s = 0;  // seconds for which the condition to begin, or to end, has held
  };
  void judge(AlarmKind kind, int gpu, bool on, bool off, int begin_after_s, int end_after_s, int32_t since_s);
  Entry& entry(AlarmKind kind, int gpu) { return entries_[gpu * kKinds + int(kind)]; }

  Entry entries_[kMaxGpus * kKinds];
  Alarm list_[kMaxAlarms];
  int count_ = 0;
};

}  // namespace inktop
