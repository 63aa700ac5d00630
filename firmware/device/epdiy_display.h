// The panel (firmware/core/panel/es108fc1.h) in the display library's terms.
#pragma once

#include <epdiy.h>

#include "panel/es108fc1.h"

namespace inktop {

constexpr Size kPanelSize = kEs108fc1.size;

// With Arduino's cache lines of 32 bytes the library halves the clock that it is given, and cuts it to whole
// MHz: 17, the vendor's figure for this panel, gives 8.
constexpr int bus_speed(int panel_mhz) {
  return 2 * panel_mhz + 1;
}
static_assert(bus_speed(8) == 17, "the default is the vendor's");

constexpr EpdDisplay_t epdiy_display(int panel_mhz) {
  return {
      kPanelSize.width,     kPanelSize.height, kEs108fc1.bus_width, bus_speed(panel_mhz),
      &epdiy_ED047TC1,  // drives black and white on this panel well (reported)
      DISPLAY_TYPE_GENERIC,
  };
}

}  // namespace inktop
