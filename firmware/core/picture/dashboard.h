// Owns the live picture: header, GPU, CPU, memory and network panels, from a view and a layout.
#pragma once

#include "picture/layout.h"
#include "picture/scene.h"
#include "picture/view.h"
#include "picture/widgets.h"

namespace inktop {

// `view.snapshot` and `view.history` are there.
void draw_dashboard(Scene& scene, const View& view, Size size, Motion motion);

}  // namespace inktop
