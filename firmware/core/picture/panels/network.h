// The network panel: what is received and sent, now and in the last five minutes.
#pragma once

#include "picture/layout.h"
#include "picture/scene.h"
#include "picture/view.h"

namespace inktop {

void draw_network(Scene& scene, const View& view, const Metrics& m, const Rect& rect);

}  // namespace inktop
