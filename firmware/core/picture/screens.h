// Every screen that is not the live picture: what is going on, and what the person can do about it.
#pragma once

#include "picture/layout.h"
#include "picture/scene.h"
#include "picture/view.h"

namespace inktop {

void draw_screen(Scene& scene, const View& view, Size size);

}  // namespace inktop
