// The CPU panel: how busy all are together, each one, and the last five minutes.
#pragma once

#include "picture/layout.h"
#include "picture/scene.h"
#include "picture/view.h"

namespace inktop {

void draw_cpu(Scene& scene, const View& view, const Metrics& m, const Rect& rect);

}  // namespace inktop
