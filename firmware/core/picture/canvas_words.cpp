// The part of the canvas that costs time: fills and glyphs, eight pixels at once.
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

}  // namespace

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

void Canvas::fill(const Rect& rect, Ink ink) {
  if (rect.empty()) return;
  count_cut(rect);
  const Rect part = intersection(rect, clip_);
  if (part.empty()) return;
  for (int y = part.y; y < part.bottom(); ++y) span(part.x, y, part.width, ink_word(ink, y));
}

void Canvas::glyph(const Font& font, const Glyph& glyph, int x, int y, Ink ink) {
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
    const uint32_t pattern = ink_word(ink, line);
    uint32_t* const words = row(line);
    uint32_t carry = 0;
    for (int i = 0; i <= stride; ++i) {
      const uint32_t word = i < stride ? kExpand.words[bits[i]] : 0;
      uint32_t mask = carry | (word << shift);
      carry = shift != 0 ? word >> (32 - shift) : 0;
      const int at = box_word + i;
      if (mask == 0 || at < first_word || at > last_word) continue;
      if (at == first_word) mask &= first_mask;
      if (at == last_word) mask &= last_mask;
      words[at] = (words[at] & ~mask) | (pattern & mask);
    }
  }
}

}  // namespace inktop
