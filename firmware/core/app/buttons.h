// The three buttons on one ADC pin: from raw readings to presses, debounced.
#pragma once

#include <cstdint>

#include "console/settings.h"

namespace inktop {

class Buttons {
 public:
  // How far a reading may lie from a button's level. Levels are at least twice that apart.
  static constexpr int kTolerance = 199;
  // A press counts after this long, and after this many readings that say the same.
  static constexpr int64_t kSettle_ms = 40;
  static constexpr int kSettleReadings = 3;

  explicit Buttons(const uint16_t (&levels)[kButtonCount]) { set_levels(levels); }
  void set_levels(const uint16_t (&levels)[kButtonCount]);

  // One raw reading, 0 to 4095; a negative one failed and changes nothing (the pin's converter is shared with
  // Wi-Fi). Returns the button (0, 1, 2) whose press has just settled, -1: none.
  int sample(int raw, int64_t now_ms);
  // The button that is held down, settled; -1: none.
  int held() const { return held_; }
  // A settled reading that is no button's and far from the one before; for the log, so that the levels can be
  // found. -1: none. Asking clears it.
  int take_unknown_reading();

 private:
  int button_of(int raw) const;

  uint16_t levels_[kButtonCount];
  int candidate_ = -1;  // what the last readings said
  int candidate_raw_ = -1;
  int readings_ = 0;  // of the candidate, in a row
  int64_t since_ms_ = 0;
  int held_ = -1;
  bool rested_ = false;  // no button was held, once
  int settled_raw_ = -1;
  int unknown_raw_ = -1;
};

// Tells a brief press of one button from a long one.
class PressLength {
 public:
  static constexpr int64_t kLong_ms = 1'000;
  enum class Press : uint8_t { none, brief, lengthy };

  // After each reading: whether the button's press has just settled, and whether it is held. A brief press is
  // told when the button is let go, a long one while it is held.
  Press sample(bool pressed, bool held, int64_t now_ms);

 private:
  bool waits_ = false;
  int64_t since_ms_ = 0;
};

}  // namespace inktop
