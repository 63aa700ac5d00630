#include "app/buttons.h"

#include <cstring>

namespace inktop {
namespace {

int distance(int a, int b) {
  return a < b ? b - a : a - b;
}

}  // namespace

void Buttons::set_levels(const uint16_t (&levels)[kButtonCount]) {
  std::memcpy(levels_, levels, sizeof levels_);
}

int Buttons::button_of(int raw) const {
  for (int i = 0; i < kButtonCount; ++i) {
    if (distance(raw, levels_[i]) <= kTolerance) return i;
  }
  return -1;
}

int Buttons::sample(int raw, int64_t now_ms) {
  if (raw < 0) return -1;
  const int button = button_of(raw);
  // The same button, or the same place between them: a pin without a button may rest anywhere.
  const bool same = readings_ > 0 && button == candidate_ && distance(raw, candidate_raw_) <= 2 * kTolerance;
  if (!same) {
    candidate_ = button;
    candidate_raw_ = raw;
    readings_ = 1;
    since_ms_ = now_ms;
    return -1;
  }
  if (readings_ < kSettleReadings) ++readings_;
  if (readings_ < kSettleReadings || now_ms - since_ms_ < kSettle_ms) return -1;
  const int before = held_;
  held_ = candidate_;
  if (held_ < 0 && settled_raw_ >= 0 && distance(candidate_raw_, settled_raw_) > 2 * kTolerance) {
    unknown_raw_ = candidate_raw_;
  }
  if (held_ < 0) {
    settled_raw_ = candidate_raw_;
    rested_ = true;
  }
  // From rest to a button, only: a ladder whose resting place looks like a button presses nothing by itself.
  return held_ >= 0 && before < 0 && rested_ ? held_ : -1;
}

int Buttons::take_unknown_reading() {
  const int raw = unknown_raw_;
  unknown_raw_ = -1;
  return raw;
}

PressLength::Press PressLength::sample(bool pressed, bool held, int64_t now_ms) {
  if (pressed) {
    waits_ = true;
    since_ms_ = now_ms;
    return Press::none;
  }
  if (!waits_) return Press::none;
  if (!held) {
    waits_ = false;
    return Press::brief;
  }
  if (now_ms - since_ms_ < kLong_ms) return Press::none;
  waits_ = false;
  return Press::lengthy;
}

}  // namespace inktop
