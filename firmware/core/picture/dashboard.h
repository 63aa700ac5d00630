// The live picture: header, GPU panels and the panels of panels/panels.h, each in its place of the layout.
#pragma once

#include "picture/layout.h"
#include "picture/scene.h"
#include "picture/view.h"

namespace inktop {

// `view.snapshot` and `view.history` are there.
void draw_dashboard(Scene& scene, const View& view, Size size);

}  // namespace inktop
