// Owns the panel's definition (firmware/core/panel/es108fc1.h) in the display library's terms.
#pragma once

#include <epdiy.h>

#include "panel/es108fc1.h"

namespace inktop {

constexpr Size kPanelSize = kEs108fc1.size;

constexpr EpdDisplay_t kEpdDisplay{
    kPanelSize.width,        kPanelSize.height, kEs108fc1.bus_width,
    kEs108fc1.bus_speed_mhz,  // the setting `speed` lowers it
    &epdiy_ED047TC1,          // drives black and white on this panel well (reported)
    DISPLAY_TYPE_GENERIC,
};

}  // namespace inktop
