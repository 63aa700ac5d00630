// Owns the display library: the only file that knows epdiy's calls, modes and error numbers.
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

  DrawErrors drive(Waveform waveform, const Difference& difference) override;

 private:
  PowerGuard& guard_;
  Watchdog& watchdog_;
  bool begun_ = false;
};

// epdiy's EpdDrawError bits as the core's.
DrawErrors draw_errors(unsigned epdiy_bits);

}  // namespace inktop
