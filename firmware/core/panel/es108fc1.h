// The panel: everything else takes its size and timing from here.
#pragma once

#include "geometry.h"

namespace inktop {

struct PanelDefinition {
  const char* name;
  Size size;
  int bus_width;  // data lines
};

// E Ink ES108FC1, 10.8". Size and bus from its data sheet. The vendor's
// example for a 2560 x 1440 panel lights this one up too, with every coordinate wrong.
constexpr PanelDefinition kEs108fc1{"ES108FC1", {1920, 1080}, 16};

}  // namespace inktop
