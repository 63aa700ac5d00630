#include <epdiy.h>
// epdiy.h comes first: only it makes its C declarations fit for C++.
#include "panel_epdiy.h"

#include "device_log.h"
#include "epdiy_display.h"
#include "monotonic.h"
#include "panel/refresh_policy.h"
#include "power_board.h"

// Releases for newer cores have this file; the calls here are those of 2.0.0.
#if __has_include("epd_init_config.h")
#error "this is epdiy 2.1 or newer: inktop needs 2.0.0 (platformio.ini pins it, with the reason)"
#endif

extern "C" {
// The recursive lock of the system's flash driver, which has no public header for it.
void spi_flash_op_lock(void);
void spi_flash_op_unlock(void);
}

namespace inktop {
namespace {

// epdiy keeps the pointer.
EpdDisplay_t display = epdiy_display(8);

// A flash operation masks the interrupt that refills the panel's rows, on both cores: one or two lost refills
// move the rows after them, three hang the library. While one of these exists, a write waits.
class FlashHeld {
 public:
  FlashHeld() { spi_flash_op_lock(); }
  ~FlashHeld() { spi_flash_op_unlock(); }
};

}  // namespace

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
  guard_.begins(PowerGuard::Busy::supply);
  // The smaller table fails every difference draw, the shorter queue deadlocks.
  display = epdiy_display(settings.panel_mhz);
  log_line("panel: clock %u MHz", unsigned(settings.panel_mhz));
  epd_init(&power_board(), &display, static_cast<EpdInitOptions>(EPD_LUT_64K | EPD_FEED_QUEUE_32));
  guard_.over();
  begun_ = true;
  set_vcom(settings.vcom_mv);
}

void PanelEpdiy::set_vcom(uint16_t millivolt) {
  if (!kHasVcomSetting || !begun_) return;
  epd_set_vcom(millivolt);
  power_off();  // the library tells the chip while it switches the supply on
}

bool PanelEpdiy::power_on() {
  // Without "power good" the library waits for ever: the watchdog ends that, the guard remembers it.
  watchdog_.allow(Watchdog::kPowerOn_s);
  if (powered_) return power_is_good();
  guard_.begins(PowerGuard::Busy::supply);
  epd_poweron();
  guard_.over();
  powered_ = true;
  // It may also have given up on the rails, which it only prints.
  return power_is_good();
}

void PanelEpdiy::power_off() {
  if (!powered_) return;
  guard_.begins(PowerGuard::Busy::supply);
  epd_poweroff();
  guard_.worked();
  powered_ = false;
}

void PanelEpdiy::rest(bool keep_power) {
  if (!powered_) return;
  if (keep_power && now_ms() - driven_ms_ < kIdle_ms) return guard_.worked();
  power_off();
}

DrawErrors PanelEpdiy::drive(Waveform waveform, const Difference& difference) {
  if (!begun_) return kDrawPower;
  if (!power_on()) {
    power_off();
    watchdog_.allow(Watchdog::kNormal_s);
    return kDrawPower;
  }
  const int temperature = int(epd_ambient_temperature());
  watchdog_.allow(Watchdog::kRefresh_s);

  const EpdRect whole{0, 0, difference.size.width, difference.size.height};
  const unsigned mode =
      MODE_PACKING_1PPB_DIFFERENCE | (waveform == Waveform::du ? unsigned(MODE_DU) : unsigned(MODE_GC16));
  unsigned answer = 0;
  {
    const FlashHeld held;
    // It also speaks to the supply's chips, before and after.
    guard_.begins(PowerGuard::Busy::refresh);
    answer = unsigned(epd_draw_base(whole, difference.pixels, whole, static_cast<EpdDrawMode>(mode),
                                    temperature, difference.dirty_rows, display.default_waveform));
    guard_.over();
  }
  driven_ms_ = now_ms();
  DrawErrors errors = draw_errors(answer);
  if (!power_is_good()) {
    errors |= kDrawPower;
    power_off();
  }
  watchdog_.allow(Watchdog::kNormal_s);
  return errors;
}

}  // namespace inktop
