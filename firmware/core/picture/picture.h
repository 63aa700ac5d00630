// The picture: draws a View into the framebuffer, redrawing only the items that show something else.
#pragma once

#include "geometry.h"
#include "picture/canvas.h"
#include "picture/scene.h"
#include "picture/view.h"

namespace inktop {

// The picture is a function of the View alone: after any history of draw() calls the framebuffer equals that
// of a fresh Picture that draws the same View once, byte for byte (held by a test). Allocates nothing.
class Picture {
 public:
  explicit Picture(Size size) : size_(size) {}

  // Draws; returns the rows that were redrawn since the call before (a superset of the rows that changed).
  RowSet draw(const View& view, Canvas& canvas);
  // Forgets what was drawn: the next draw() redraws everything.
  void invalidate() { scene_.invalidate(); }
  // The elements of the last draw(), named parts whose ink the host counts. A later one may lie on an earlier
  // one (a graph on its panel): a pixel belongs to the last one that contains it.
  int element_count() const { return scene_.element_count(); }
  const char* element_name(int element) const { return scene_.element_name(element); }
  Rect element_rect(int element) const { return scene_.element_rect(element); }
  // The items of which the elements consist: they never overlap.
  const Scene& scene() const { return scene_; }

 private:
  void emit(const View& view);

  Size size_;
  Scene scene_;
};

}  // namespace inktop
