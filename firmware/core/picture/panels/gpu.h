// The GPU panels: one a card, whole or compact, and one for all the cards that have none of their own.
#pragma once

#include "picture/layout.h"
#include "picture/scene.h"
#include "picture/view.h"

namespace inktop {

void draw_gpus(Scene& scene, const View& view, const Metrics& m, const Layout& layout);

}  // namespace inktop
