#include <epdiy.h>
// epdiy.h comes first: only it makes its C declarations fit for C++.
#include "panel_epdiy.h"

#include "epdiy_display.h"
#include "panel/refresh_policy.h"
#include "power_board.h"

// Releases for newer cores have this file; the calls here are those of 2.0.0.
#if __has_include("epd_init_config.h")
#error "this is epdiy 2.1 or newer: inktop needs 2.0.0 (platformio.ini pins it, with the reason)"
#endif

namespace inktop {

DrawErrors draw_errors(unsigned epdiy_bits) {
  struct Pair {
    unsigned theirs;
    DrawErrors ours;
  };
  constexpr Pair kPairs[] = {
      {EPD_DRAW_LOOKUP_NOT_IMPLEMENTED, kDrawLookup}, {EPD_DRAW_INVALID_CROP, kDrawCrop},
      {EPD_DRAW_MODE_NOT_FOUND, kDrawMode},           {EPD_DRAW_NO_PHASES_AVAILABLE, kDrawPhases},
      {EPD_DRAW_EMPTY_LINE_QUEUE, kDrawLineQueue},
  };
  DrawErrors errors = kDrawOk;
  for (const Pair& pair : kPairs) {
    if ((epdiy_bits & pair.theirs) == 0) continue;
    errors |= pair.ours;
    epdiy_bits &= ~pair.theirs;
  }
  if (epdiy_bits != 0) errors |= kDrawOther;
  return errors;
}

void PanelEpdiy::begin(const Settings& settings) {
  if (guard_.failures() >= RefreshPolicy::kPowerFailuresToStop) return;
  // On a board without the supply's chip the library for the one with it aborts: a reset, to be remembered.
  guard_.begins();
  // The smaller table fails every difference draw, the shorter queue deadlocks.
  epd_init(&power_board(), &kEpdDisplay, static_cast<EpdInitOptions>(EPD_LUT_64K | EPD_FEED_QUEUE_32));
  if (settings.bus_mhz != kEpdDisplay.bus_speed) epd_set_lcd_pixel_clock_MHz(settings.bus_mhz);
  guard_.over();
  begun_ = true;
  set_vcom(settings.vcom_mv);
}

void PanelEpdiy::set_vcom(uint16_t millivolt) {
  if (kHasVcomSetting && begun_) epd_set_vcom(millivolt);
}

DrawErrors PanelEpdiy::drive(Waveform waveform, const Difference& difference) {
  if (!begun_) return kDrawPower;
  // Without "power good" the library waits for ever: the watchdog ends that, the guard remembers it.
  watchdog_.allow(Watchdog::kPowerOn_s);
  guard_.begins();
  epd_poweron();
  guard_.is_on();
  watchdog_.allow(Watchdog::kRefresh_s);

  const EpdRect whole{0, 0, difference.size.width, difference.size.height};
  const unsigned mode =
      MODE_PACKING_1PPB_DIFFERENCE | (waveform == Waveform::du ? unsigned(MODE_DU) : unsigned(MODE_GC16));
  const EpdDrawError answer =
      epd_draw_base(whole, difference.pixels, whole, static_cast<EpdDrawMode>(mode),
                    int(epd_ambient_temperature()), difference.dirty_rows, kEpdDisplay.default_waveform);

  epd_poweroff();
  watchdog_.allow(Watchdog::kNormal_s);
  return draw_errors(unsigned(answer));
}

}  // namespace inktop
