// The task watchdog: how long each step may take before the board is reset.
#pragma once

#include <cstdint>

namespace inktop {

class Watchdog {
 public:
  // Nothing in the main loop blocks longer; a flash write of an update takes well under a second.
  static constexpr uint32_t kNormal_s = 30;
  // The power chip's sequence is over within half a second, or never.
  static constexpr uint32_t kPowerOn_s = 8;
  // A refresh starves the idle task that the watchdog also looks at; the longest one, 30 phases at 1 MHz,
  // takes 8 s. One whose feeding tasks have lost each other never ends.
  static constexpr uint32_t kRefresh_s = 30;

  // Watches the calling task from now on.
  static void watch_this_task();
  // A sign of life of the calling task.
  static void feed();
  // From now on `seconds` for every watched task; counts as a sign of life of the calling one.
  void allow(uint32_t seconds);

 private:
  uint32_t allowed_s_ = 0;
};

}  // namespace inktop
