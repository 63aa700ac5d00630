#include "picture/canvas.h"

namespace inktop {

namespace {

// Eight 1-bit pixels as eight nibbles, the lowest bit in the lowest nibble: 0xF where the bit is set.
struct ExpandTable {
  uint32_t words[256];
  constexpr ExpandTable() : words{} {
    for (int byte = 0; byte < 256; ++byte) {
      uint32_t word = 0;
      for (int bit = 0; bit < 8; ++bit) {
        if ((byte >> bit & 1) != 0) word |= 0xFu << (4 * bit);
      }
      words[byte] = word;
    }
  }
};

constexpr ExpandTable kExpand;

// Half the width of a circle of radius r at `dy` rows from its centre line (pixel centres), rounded down: no
// floating point.
int circle_half_width(int radius, int dy) {
  const int limit = (2 * radius) * (2 * radius) - (2 * dy + 1) * (2 * dy + 1);
  int half = 0;
  while ((2 * half + 1) * (2 * half + 1) <= limit) ++half;
  return half;
}

}  // namespace

uint32_t ink_word(Ink ink, int y) {
  switch (ink) {
    case Ink::white:
      return 0xFFFFFFFFu;
    case Ink::black:
      return 0;
    case Ink::light:
      if ((y & 1) != 0) return 0xFFFFFFFFu;
      return (y & 2) != 0 ? 0xFF0FFF0Fu : 0xFFF0FFF0u;
    case Ink::fill:
      return (y & 1) != 0 ? 0xF0FFF0FFu : 0xFFF0FFF0u;
    case Ink::half:
      return (y & 1) != 0 ? 0x0F0F0F0Fu : 0xF0F0F0F0u;
  }
  return 0xFFFFFFFFu;
}

Canvas::Canvas(uint8_t* pixels, Size size)
    : pixels_(pixels), size_(size), words_(size.width / 8), clip_{0, 0, size.width, size.height} {}

bool Canvas::is_black(int x, int y) const {
  return (row(y)[x >> 3] >> (4 * (x & 7)) & 0xFu) == 0;
}

void Canvas::set_pixel(int x, int y, bool black) {
  if (x < clip_.x || x >= clip_.right() || y < clip_.y || y >= clip_.bottom()) {
    ++cuts_;
    return;
  }
  uint32_t& word = row(y)[x >> 3];
  const uint32_t mask = 0xFu << (4 * (x & 7));
  word = black ? word & ~mask : word | mask;
}

#ifdef INKTOP_PER_PIXEL
// The yardstick of the bench: the same drawing, one set_pixel with its bounds check at a time.
void Canvas::span(int x, int y, int width, uint32_t pattern) {
  for (int column = x; column < x + width; ++column) {
    set_pixel(column, y, (pattern >> (4 * (column & 7)) & 0xFu) == 0);
  }
}
#else
void Canvas::span(int x, int y, int width, uint32_t pattern) {
  const int last = x + width - 1;
  uint32_t* word = row(y) + (x >> 3);
  uint32_t* const end = row(y) + (last >> 3);
  const uint32_t first_mask = 0xFFFFFFFFu << (4 * (x & 7));
  const uint32_t last_mask = 0xFFFFFFFFu >> (4 * (7 - (last & 7)));
  if (word == end) {
    const uint32_t mask = first_mask & last_mask;
    *word = (*word & ~mask) | (pattern & mask);
    return;
  }
  *word = (*word & ~first_mask) | (pattern & first_mask);
  for (++word; word < end; ++word) *word = pattern;
  *word = (*word & ~last_mask) | (pattern & last_mask);
}
#endif

void Canvas::fill(const Rect& rect, Ink ink) {
  if (rect.empty()) return;
  count_cut(rect);
  const Rect part = intersection(rect, clip_);
  if (part.empty()) return;
  for (int y = part.y; y < part.bottom(); ++y) span(part.x, y, part.width, ink_word(ink, y));
}

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
    row(y)[column >> 3] &= ~(0xFu << (4 * (column & 7)));
  }
}

void Canvas::dots_down(int x, int y, int height, int step) {
  if (x < clip_.x || x >= clip_.right()) return;
  const int last = y + height < clip_.bottom() ? y + height : clip_.bottom();
  const int first = y > clip_.y ? y : clip_.y;
  for (int line = (first + step - 1) / step * step; line < last; line += step) {
    row(line)[x >> 3] &= ~(0xFu << (4 * (x & 7)));
  }
}

#ifdef INKTOP_PER_PIXEL
void Canvas::glyph(const Font& font, const Glyph& glyph, int x, int y, bool black) {
  const uint8_t* bits = font.bits + glyph.offset;
  const int stride = (glyph.width + 7) / 8;
  for (int dy = 0; dy < glyph.height; ++dy, bits += stride) {
    for (int dx = 0; dx < glyph.width; ++dx) {
      if ((bits[dx >> 3] >> (dx & 7) & 1) != 0) set_pixel(x + glyph.left + dx, y + glyph.top + dy, black);
    }
  }
}
#else
void Canvas::glyph(const Font& font, const Glyph& glyph, int x, int y, bool black) {
  if (glyph.width == 0) return;
  const Rect box{x + glyph.left, y + glyph.top, glyph.width, glyph.height};
  count_cut(box);
  const Rect part = intersection(box, clip_);
  if (part.empty()) return;
  const int stride = (glyph.width + 7) / 8;
  // The masks of the first and last word keep what lies outside the clip; words between are free.
  const int first_word = part.x >> 3;
  const int last_word = (part.right() - 1) >> 3;
  const uint32_t first_mask = 0xFFFFFFFFu << (4 * (part.x & 7));
  const uint32_t last_mask = 0xFFFFFFFFu >> (4 * (7 - ((part.right() - 1) & 7)));
  const int box_word = box.x >= 0 ? box.x >> 3 : -((7 - box.x) >> 3);
  const int shift = 4 * (box.x - 8 * box_word);
  const uint8_t* bits = font.bits + glyph.offset + (part.y - box.y) * stride;
  for (int line = part.y; line < part.bottom(); ++line, bits += stride) {
    uint32_t* const words = row(line);
    uint32_t carry = 0;
    for (int i = 0; i <= stride; ++i) {
      const uint32_t word = i < stride ? kExpand.words[bits[i]] : 0;
      uint32_t ink = carry | (word << shift);
      carry = shift != 0 ? word >> (32 - shift) : 0;
      const int at = box_word + i;
      if (ink == 0 || at < first_word || at > last_word) continue;
      if (at == first_word) ink &= first_mask;
      if (at == last_word) ink &= last_mask;
      words[at] = black ? words[at] & ~ink : words[at] | ink;
    }
  }
}
#endif

}  // namespace inktop
