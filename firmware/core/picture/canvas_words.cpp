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

// Eight pixels of column x, the uppermost in the lowest nibble, in that ink: patterns repeat every eight
// rows.
uint32_t ink_word_down(Ink ink, int x) {
  uint32_t word = 0;
  for (int y = 0; y < 8; ++y) word |= (ink_word(ink, y) >> (4 * (x & 7)) & 0xFu) << (4 * y);
  return word;
}

// Eight rows of eight 1-bit pixels to its eight columns: bit y of byte x becomes bit x of byte y. Rows 0 to 3
// are the bytes of `low`, 4 to 7 those of `high`.
void transpose(uint32_t& low, uint32_t& high) {
  // In turn: squares of one pixel within squares of two, of two within four, of four.
  const auto swap_within = [](uint32_t word, int distance, uint32_t upper) {
    const uint32_t moved = (word ^ (word >> distance)) & upper;
    return word ^ moved ^ (moved << distance);
  };
  low = swap_within(swap_within(low, 7, 0x00AA00AAu), 14, 0x0000CCCCu);
  high = swap_within(swap_within(high, 7, 0x00AA00AAu), 14, 0x0000CCCCu);
  const uint32_t moved = ((low >> 4) ^ high) & 0x0F0F0F0Fu;
  high ^= moved;
  low ^= moved << 4;
}

}  // namespace

void Canvas::span(uint32_t* line, int first, int width, uint32_t pattern) {
  const int last = first + width - 1;
  uint32_t* word = line + (first >> 3);
  uint32_t* const end = line + (last >> 3);
  const uint32_t first_mask = 0xFFFFFFFFu << (4 * (first & 7));
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
  if (on_its_side_) {
    for (int x = part.x; x < part.right(); ++x) span(column(x), part.y, part.height, ink_word_down(ink, x));
    return;
  }
  for (int y = part.y; y < part.bottom(); ++y) span(row(y), part.x, part.width, ink_word(ink, y));
}

// A word of the frame is eight rows of the picture: eight bytes of the glyph make a word for each of its
// columns.
void Canvas::glyph_on_its_side(const uint8_t* bits, const Rect& box, const Rect& part, Ink ink) {
  const int stride = (box.width + 7) / 8;
  for (int byte = 0; byte < stride; ++byte) {
    const int left = box.x + 8 * byte;
    const int first = part.x > left ? part.x : left;
    const int last = part.right() < left + 8 ? part.right() : left + 8;
    if (first >= last) continue;
    uint32_t patterns[8];
    for (int x = first; x < last; ++x) patterns[x - left] = ink_word_down(ink, x);
    for (int at = part.y >> 3; at <= (part.bottom() - 1) >> 3; ++at) {
      uint32_t halves[2] = {};
      for (int i = 0; i < 8; ++i) {
        const int y = 8 * at + i;
        if (y < part.y || y >= part.bottom()) continue;
        halves[i >> 2] |= uint32_t{bits[(y - box.y) * stride + byte]} << (8 * (i & 3));
      }
      if ((halves[0] | halves[1]) == 0) continue;
      transpose(halves[0], halves[1]);
      for (int x = first; x < last; ++x) {
        const int i = x - left;
        const uint32_t mask = kExpand.words[halves[i >> 2] >> (8 * (i & 3)) & 0xFFu];
        uint32_t& word = column(x)[at];
        word = (word & ~mask) | (patterns[i] & mask);
      }
    }
  }
}

void Canvas::glyph(const Font& font, const Glyph& glyph, int x, int y, Ink ink) {
  if (glyph.width == 0) return;
  const Rect box{x + glyph.left, y + glyph.top, glyph.width, glyph.height};
  count_cut(box);
  const Rect part = intersection(box, clip_);
  if (part.empty()) return;
  if (on_its_side_) return glyph_on_its_side(font.bits + glyph.offset, box, part, ink);
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
