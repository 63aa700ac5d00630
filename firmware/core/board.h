// Owns the picture: draws a View into the framebuffer, redrawing only the elements whose shown content changed.
#pragma once

#include "canvas.h"
#include "geometry.h"
#include "view.h"

namespace inktop {

// The picture is a function of the View alone: after any history of draw() calls the framebuffer equals that of a fresh
// Board that draws the same View once, byte for byte (held by a test). No allocation after construction.
class Board {
 public:
  explicit Board(Size size);

  // Draws; returns the rows that were redrawn since the call before (a superset of the rows that changed).
  RowSet draw(const View& view, Canvas& canvas);
  // Forgets what was drawn: the next draw() redraws everything.
  void invalidate();
  // Number of elements (widgets) and their names and rectangles, for the cost tables of the host.
  int element_count() const;
  const char* element_name(int element) const;
  Rect element_rect(int element) const;
};

}  // namespace inktop
