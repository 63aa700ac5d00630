// The hours of the day in which the panel keeps quiet.
#pragma once

#include <cstdint>

namespace inktop {

// No wash by itself, and an update at most every `interval_min`; what is urgent is shown at once.
struct QuietHours {
  uint8_t from_h = 0;        // local time of the server
  uint8_t to_h = 0;          // the first hour after them; the same as `from_h`: the whole day
  uint8_t interval_min = 0;  // 0: there are none

  bool at(int32_t second_of_day) const {
    if (interval_min == 0 || second_of_day < 0) return false;
    const int hour = second_of_day / 3600 % 24;
    if (from_h < to_h) return hour >= from_h && hour < to_h;
    return hour >= from_h || hour < to_h;
  }
};

}  // namespace inktop
