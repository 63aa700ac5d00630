// The line above a grid and above a fleet: whose it is, what is wrong, a fact in the middle, and the clock.
#pragma once

#include "picture/format.h"
#include "picture/layout.h"
#include "picture/scene.h"
#include "picture/view.h"

namespace inktop {

struct PlainHeader {
  LongText who;
  LongText where;   // beside it, small
  LongText urgent;  // in black
  LongText middle;
  const char* widest = "";  // that the middle can become: it does not move
  int32_t second = -1;      // of the day
};

// While the data is lost, that takes the whole line.
void draw_plain_header(Scene& scene, const View& view, const Metrics& m, const Rect& rect,
                       const PlainHeader& header);

}  // namespace inktop
