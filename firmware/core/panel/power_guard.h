// Counts starts that ended while the display library drove the panel or its supply, and keeps how.
//
// The library aborts when a transfer to the supply's chips fails, waits for "power good" for ever, and can
// lose its own feed; a weak supply breaks down when the panel is driven. Each of these is a reset. This
// record is in memory that survives a reset, so that the next start knows what the last one was doing.
#pragma once

#include <cstdint>

namespace inktop {

// Why the chip was reset, as far as it matters here.
enum class Ended : uint8_t { other, aborted, silent, brownout };

enum class PanelFailure : uint32_t {
  none,
  supply,    // no "power good"
  bus,       // a transfer to the supply's chips failed
  refresh,   // a refresh that did not end
  brownout,  // the board's own supply broke down
};

// Each is one message of the log, by its prefix too.
constexpr const char* panel_failure_words(PanelFailure failure) {
  switch (failure) {
    case PanelFailure::none:
      return "";
    case PanelFailure::supply:
      return "panel power: the supply did not come up";
    case PanelFailure::bus:
      return "panel power: the power chip did not answer on its I2C bus";
    case PanelFailure::refresh:
      return "panel: the last refresh did not end";
    case PanelFailure::brownout:
      return "panel power: the board's own supply broke down while the panel was driven";
  }
  return "";
}

struct PowerRecord {
  uint32_t magic;  // anything else: the memory has lost its content (power was off)
  uint32_t busy;
  uint32_t failures;  // in a row
  uint32_t last;      // PanelFailure
};

class PowerGuard {
 public:
  enum class Busy : uint32_t { nothing, supply, refresh };

  // `cold`: power was off before this start, so the record begins at zero. `ended`: how the last start ended.
  PowerGuard(PowerRecord& record, bool cold, Ended ended) : record_(record) {
    if (cold || record_.magic != kMagic) record_ = {kMagic, 0, 0, 0};
    const PanelFailure failure = failure_of(Busy(record_.busy), ended);
    record_.busy = 0;
    if (failure == PanelFailure::none) return;
    record_.last = uint32_t(failure);
    if (record_.failures < kMost) ++record_.failures;
  }
  // From here to over() the library may never return.
  void begins(Busy busy) { record_.busy = uint32_t(busy); }
  // It returned, which does not yet mean that all is well.
  void over() { record_.busy = 0; }
  // The panel was driven and its supply switched, or kept on purpose: the row of failures ends.
  void worked() {
    record_.busy = 0;
    record_.failures = 0;
  }
  // A person wants another try.
  void forget() { record_.failures = 0; }
  int failures() const { return int(record_.failures); }
  // The newest of them.
  PanelFailure last() const { return PanelFailure(record_.last); }

 private:
  static constexpr uint32_t kMagic = 0x1A4B0A8E;
  static constexpr uint32_t kMost = 1000;

  static PanelFailure failure_of(Busy busy, Ended ended) {
    if (busy == Busy::nothing) return PanelFailure::none;
    switch (ended) {
      case Ended::other:  // a person pressed RST, for one
        return PanelFailure::none;
      case Ended::aborted:
        return PanelFailure::bus;
      case Ended::silent:
        return busy == Busy::refresh ? PanelFailure::refresh : PanelFailure::supply;
      case Ended::brownout:
        return PanelFailure::brownout;
    }
    return PanelFailure::none;
  }

  PowerRecord& record_;
};

}  // namespace inktop
