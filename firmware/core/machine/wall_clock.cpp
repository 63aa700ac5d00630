#include "machine/wall_clock.h"

namespace inktop {
namespace {

constexpr int32_t kNegligible_s = 2;

int32_t in_day(int64_t seconds) {
  return int32_t(((seconds % kDay_s) + kDay_s) % kDay_s);
}

bool two_digits(const char* text, int limit, int& value) {
  if (text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9') return false;
  value = (text[0] - '0') * 10 + (text[1] - '0');
  return value < limit;
}

}  // namespace

int32_t seconds_of_day(const char* text) {
  int hours = 0;
  int minutes = 0;
  int seconds = 0;
  if (!two_digits(text, 24, hours) || text[2] != ':' || !two_digits(text + 3, 60, minutes)) return -1;
  if (text[5] == ':' && !two_digits(text + 6, 60, seconds)) return -1;
  return (hours * 60 + minutes) * 60 + seconds;
}

void WallClock::anchor(int32_t second_of_day, int64_t uptime_s, int32_t tolerance_s) {
  const int32_t offset = in_day(second_of_day - uptime_s);
  int32_t error = in_day(int64_t(offset) - offset_s_);
  if (error > kDay_s / 2) error = kDay_s - error;
  if (known_ && error <= tolerance_s) return;
  offset_s_ = offset;
  known_ = true;
}

void WallClock::observe(const Clock& clock) {
  const int32_t second = seconds_of_day(clock.time);
  if (second < 0 || clock.uptime_s < 0) return;
  anchor(second, clock.uptime_s, kNegligible_s);
}

void WallClock::observe(const Snapshot& snapshot) {
  const int32_t second = seconds_of_day(snapshot.time);
  if (second < 0 || snapshot.uptime_s < 0) return;
  const int32_t minute = second / 60;
  const int64_t gap_s = snapshot.uptime_s - last_uptime_s_;
  const bool just_changed =
      last_minute_ >= 0 && minute == (last_minute_ + 1) % 1440 && gap_s >= 0 && gap_s <= 3;
  if (just_changed) {
    // The minute began between the two lines.
    anchor(second, snapshot.uptime_s, kNegligible_s + int32_t(gap_s));
  } else if (!known_) {
    anchor(second, snapshot.uptime_s, 0);
  } else {
    // Inside a minute the line tells no more than that: only a clock that was set moves the anchor.
    const int32_t here = at(snapshot.uptime_s);
    int32_t ahead = in_day(int64_t(here) - second);  // 0 … 59 when they agree
    if (ahead > kDay_s / 2) ahead -= kDay_s;
    if (ahead < -kNegligible_s || ahead >= 60 + kNegligible_s) anchor(second, snapshot.uptime_s, 0);
  }
  last_minute_ = minute;
  last_uptime_s_ = snapshot.uptime_s;
}

int32_t WallClock::at(int64_t uptime_s) const {
  return known_ ? in_day(uptime_s + offset_s_) : -1;
}

}  // namespace inktop
