// Owns what is known of the panel ES108FC1: the one place with its size and bus.
#pragma once

#include <epdiy.h>

#include "geometry.h"

namespace inktop {

// 10.8", 1920 x 1080, 16 data lines (data sheet: VGL -20 V, VGH +28 V, VCOM -4 to -1 V). No display
// definition of the library fits: with a larger one the screen lights up, but every coordinate is wrong.
constexpr Size kPanelSize{1920, 1080};

constexpr EpdDisplay_t kEs108fc1{
    kPanelSize.width,
    kPanelSize.height,
    16,               // data lines
    17,               // MHz, reported for this panel; the setting `speed` lowers it
    &epdiy_ED047TC1,  // drives black and white on this panel well (reported)
    DISPLAY_TYPE_GENERIC,
};

}  // namespace inktop
