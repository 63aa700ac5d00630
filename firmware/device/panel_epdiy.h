// The panel, driven by epdiy. Only this adapter knows epdiy's calls, modes and error numbers.
#pragma once

#include <cstdint>

#include "console/settings.h"
#include "panel/panel.h"
#include "panel/power_guard.h"
#include "watchdog.h"

namespace inktop {

class PanelEpdiy : public Panel {
 public:
  PanelEpdiy(PowerGuard& guard, Watchdog& watchdog) : guard_(guard), watchdog_(watchdog) {}

  // Before Wi-Fi: the library needs one block of 64 KiB of internal RAM and aborts without it. Does nothing
  // when the supply has failed too often.
  void begin(const Settings& settings);
  // Whether the library was started; until then the panel is left alone.
  bool begun() const { return begun_; }
  // Acts at the next refresh.
  void set_vcom(uint16_t millivolt);

  // Leaves the supply on: rest() or power_off() ends that.
  DrawErrors drive(Waveform waveform, const Difference& difference) override;
  // Call between refreshes: switches the supply off, at once, or if it is kept on when nothing
  // was driven for a minute.
  void rest(bool keep_power);
  // Also before a restart.
  void power_off();

 private:
  static constexpr int64_t kIdle_ms = 60'000;

  bool power_on();

  PowerGuard& guard_;
  Watchdog& watchdog_;
  bool begun_ = false;
  bool powered_ = false;
  int64_t driven_ms_ = 0;
};

// epdiy's EpdDrawError bits as the core's.
DrawErrors draw_errors(unsigned epdiy_bits);

}  // namespace inktop
