// The memory panel: used, cache, available, and swap.
#pragma once

#include "picture/layout.h"
#include "picture/scene.h"
#include "picture/view.h"

namespace inktop {

void draw_memory(Scene& scene, const View& view, const Metrics& m, const Rect& rect);

}  // namespace inktop
