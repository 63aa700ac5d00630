// The panel of a model server: there only while the line tells of one.
#pragma once

#include "picture/layout.h"
#include "picture/scene.h"
#include "picture/view.h"

namespace inktop {

void draw_model_server(Scene& scene, const View& view, const Metrics& m, const Rect& rect);

}  // namespace inktop
