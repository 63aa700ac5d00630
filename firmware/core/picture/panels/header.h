// The line above the panels: host, address, facts, load and clock; or since when there is no data.
#pragma once

#include "picture/layout.h"
#include "picture/scene.h"
#include "picture/view.h"

namespace inktop {

void draw_header(Scene& scene, const View& view, const Metrics& m, const Rect& rect);

}  // namespace inktop
