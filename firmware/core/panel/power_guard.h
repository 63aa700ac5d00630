// Counts the starts that ended while the display library was switching the panel's supply.
//
// The library aborts when the supply's chip does not answer, and waits for "power good" for ever, which the
// watchdog turns into a reset. The record is in memory that survives such a reset, so that the next start
// knows what the last one was doing.
#pragma once

#include <cstdint>

namespace inktop {

struct PowerRecord {
  uint32_t magic;  // anything else: the memory lost its content (power was off)
  uint32_t busy;
  uint32_t failures;  // in a row
};

class PowerGuard {
 public:
  // `cold`: power was off before this start, so the record begins at zero.
  PowerGuard(PowerRecord& record, bool cold) : record_(record) {
    if (cold || record_.magic != kMagic) record_ = {kMagic, 0, 0};
    if (record_.busy != 0 && record_.failures < kMost) ++record_.failures;
    record_.busy = 0;
  }
  // From here to over() or is_on() the library may never return.
  void begins() { record_.busy = 1; }
  // It returned, which does not yet tell that the supply works.
  void over() { record_.busy = 0; }
  // The supply came up.
  void is_on() {
    record_.busy = 0;
    record_.failures = 0;
  }
  // A person wants another try.
  void forget() { record_.failures = 0; }
  int failures() const { return int(record_.failures); }

 private:
  static constexpr uint32_t kMagic = 0x1A4B0A8D;
  static constexpr uint32_t kMost = 1000;

  PowerRecord& record_;
};

}  // namespace inktop
