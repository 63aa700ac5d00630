// Ties the server's uptime to its local time of day: that places the minutes under the graphs.
#pragma once

#include <cstdint>

#include "inktop/line.h"

namespace inktop {

constexpr int32_t kDay_s = 86400;

// "HH:MM" or "HH:MM:SS" to seconds of the day; -1 when it is neither.
int32_t seconds_of_day(const char* text);

class WallClock {
 public:
  // From an info line: exact. Corrections of up to 2 s are not worth moving every graph, and are ignored.
  void observe(const Clock& clock);
  // From a data line's HH:MM: exact at the change of minute, before that within a minute.
  void observe(const Snapshot& snapshot);
  // Second of the day at that uptime, -1 while unknown.
  int32_t at(int64_t uptime_s) const;

 private:
  void anchor(int32_t second_of_day, int64_t uptime_s, int32_t tolerance_s);

  bool known_ = false;
  int32_t offset_s_ = 0;  // second of the day at uptime 0, modulo a day
  int32_t last_minute_ = -1;
  int64_t last_uptime_s_ = 0;
};

}  // namespace inktop
