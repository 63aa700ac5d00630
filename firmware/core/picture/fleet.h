// The picture of a fleet: how many machines and GPUs are up, what they take together, and the worst by name.
#pragma once

#include "picture/layout.h"
#include "picture/scene.h"
#include "picture/view.h"

namespace inktop {

// `view.fleet` is there.
void draw_fleet(Scene& scene, const View& view, Size size);

}  // namespace inktop
