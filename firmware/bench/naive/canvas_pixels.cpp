// In place of picture/canvas_words.cpp: one pixel at a time, each with its bounds check.
#include "picture/canvas.h"

namespace inktop {

void Canvas::fill(const Rect& rect, Ink ink) {
  if (rect.empty()) return;
  count_cut(rect);
  const Rect part = intersection(rect, clip_);
  if (part.empty()) return;
  for (int y = part.y; y < part.bottom(); ++y) {
    const uint32_t pattern = ink_word(ink, y);
    for (int x = part.x; x < part.right(); ++x) {
      set_pixel(x, y, (pattern >> (4 * (x & 7)) & 0xFu) == 0);
    }
  }
}

void Canvas::glyph(const Font& font, const Glyph& glyph, int x, int y, Ink ink) {
  const uint8_t* bits = font.bits + glyph.offset;
  const int stride = (glyph.width + 7) / 8;
  for (int dy = 0; dy < glyph.height; ++dy, bits += stride) {
    for (int dx = 0; dx < glyph.width; ++dx) {
      if ((bits[dx >> 3] >> (dx & 7) & 1) == 0) continue;
      const int column = x + glyph.left + dx;
      const int line = y + glyph.top + dy;
      set_pixel(column, line, (ink_word(ink, line) >> (4 * (column & 7)) & 0xFu) == 0);
    }
  }
}

}  // namespace inktop
