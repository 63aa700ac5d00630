// All servers at once: a cell each, and where a place is left, all of them together.
#pragma once

#include "picture/layout.h"
#include "picture/scene.h"
#include "picture/view.h"

namespace inktop {

constexpr int kMaxCells = 8;

struct Grid {
  Rect header;
  int cells = 0;
  Rect rects[kMaxCells];
  bool together = false;
  Rect together_rect;
};

Grid arrange_grid(Size size, int servers);
void draw_grid(Scene& scene, const View& view, Size size);

}  // namespace inktop
