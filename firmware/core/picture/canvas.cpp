#include "picture/canvas.h"

namespace inktop {

namespace {

// Half the width of a circle of radius r at `dy` rows from its centre line (pixel centres), rounded down.
int circle_half_width(int radius, int dy) {
  const int limit = (2 * radius) * (2 * radius) - (2 * dy + 1) * (2 * dy + 1);
  int half = 0;
  while ((2 * half + 1) * (2 * half + 1) <= limit) ++half;
  return half;
}

}  // namespace

Canvas::Canvas(uint8_t* pixels, Size size, bool on_its_side)
    : pixels_(pixels),
      size_(size),
      on_its_side_(on_its_side),
      words_((on_its_side ? size.height : size.width) / 8),
      clip_{0, 0, size.width, size.height} {}

void Canvas::outline(const Rect& rect, int thickness, Ink ink) {
  fill({rect.x, rect.y, rect.width, thickness}, ink);
  fill({rect.x, rect.bottom() - thickness, rect.width, thickness}, ink);
  fill({rect.x, rect.y + thickness, thickness, rect.height - 2 * thickness}, ink);
  fill({rect.right() - thickness, rect.y + thickness, thickness, rect.height - 2 * thickness}, ink);
}

void Canvas::round_outline(const Rect& rect, int radius, int thickness, uint8_t sides) {
  const int straight = rect.width - 2 * radius;
  if ((sides & kTop) != 0) fill({rect.x + radius, rect.y, straight, thickness}, Ink::black);
  if ((sides & kBottom) != 0) {
    fill({rect.x + radius, rect.bottom() - thickness, straight, thickness}, Ink::black);
  }
  const int tall = rect.height - 2 * radius;
  if ((sides & kLeft) != 0) fill({rect.x, rect.y + radius, thickness, tall}, Ink::black);
  if ((sides & kRight) != 0) {
    fill({rect.right() - thickness, rect.y + radius, thickness, tall}, Ink::black);
  }
  for (int dy = 0; dy < radius; ++dy) {
    const int outer = circle_half_width(radius, dy);
    const int inner = dy < radius - thickness ? circle_half_width(radius - thickness, dy) : 0;
    const int left = rect.x + radius - outer;
    const int right = rect.right() - radius + inner;
    const int above = rect.y + radius - 1 - dy;
    const int below = rect.bottom() - radius + dy;
    if ((sides & kTop) != 0) {
      fill({left, above, outer - inner, 1}, Ink::black);
      fill({right, above, outer - inner, 1}, Ink::black);
    }
    if ((sides & kBottom) != 0) {
      fill({left, below, outer - inner, 1}, Ink::black);
      fill({right, below, outer - inner, 1}, Ink::black);
    }
  }
}

void Canvas::round_top(const Rect& rect, int radius, Ink ink) {
  for (int dy = 0; dy < radius; ++dy) {
    const int indent = radius - circle_half_width(radius, dy);
    fill({rect.x + indent, rect.y + radius - 1 - dy, rect.width - 2 * indent, 1}, ink);
  }
  fill({rect.x, rect.y + radius, rect.width, rect.height - radius}, ink);
}

void Canvas::dots_across(int x, int y, int width, int step) {
  if (y < clip_.y || y >= clip_.bottom()) return;
  const int last = x + width < clip_.right() ? x + width : clip_.right();
  const int first = x > clip_.x ? x : clip_.x;
  for (int column = (first + step - 1) / step * step; column < last; column += step) {
    word_of(column, y) &= ~mask_of(column, y);
  }
}

void Canvas::dots_down(int x, int y, int height, int step) {
  if (x < clip_.x || x >= clip_.right()) return;
  const int last = y + height < clip_.bottom() ? y + height : clip_.bottom();
  const int first = y > clip_.y ? y : clip_.y;
  for (int line = (first + step - 1) / step * step; line < last; line += step) {
    word_of(x, line) &= ~mask_of(x, line);
  }
}

}  // namespace inktop
