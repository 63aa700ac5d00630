// Decides when the panel's clock is too fast for this board, and which one comes after it.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "panel/panel.h"

namespace inktop {

// The next slower clock, MHz; the same: there is none. Whole parts of the chip's 240 MHz clock: a divider
// with a fraction makes pixels of unequal length. A board of this kind was reported to need 1 or 2 MHz.
constexpr int slower_mhz(int mhz) {
  for (const int step : {8, 5, 3, 2}) {
    if (step < mhz) return step;
  }
  return 1;
}

// Counts refreshes with late rows: one may be chance, three within an hour are the clock.
class ClockSteps {
 public:
  static constexpr int kErrors = 3;
  static constexpr int64_t kWithin_ms = 3'600'000;

  // True: enough; slow the clock down. Counting begins again.
  bool refreshed(DrawErrors errors, int64_t now_ms) {
    if ((errors & kDrawLineQueue) == 0) return false;
    int64_t& oldest = at_ms_[next_];
    const bool enough = now_ms - oldest < kWithin_ms;
    oldest = now_ms;
    next_ = (next_ + 1) % (kErrors - 1);
    if (enough) at_ms_[0] = at_ms_[1] = kNever_ms;
    return enough;
  }

 private:
  static constexpr int64_t kNever_ms = INT64_MIN / 2;
  int64_t at_ms_[kErrors - 1] = {kNever_ms, kNever_ms};
  int next_ = 0;
};

}  // namespace inktop
