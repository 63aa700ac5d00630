// Draws into the 4-bpp framebuffer: word fills, dither patterns, frames and 1-bit glyphs, all clipped.
#pragma once

#include <cstdint>

#include "geometry.h"
#include "picture/fonts/fonts.h"

namespace inktop {

// Framebuffer: 4 bits a pixel, the low nibble is the left (even x) pixel, 0xF white, 0x0 black, rows of
// width/2 bytes. Only 0x0 and 0xF are ever written: greys are ordered-dither patterns, fixed to the panel and
// not to the shape, so that neighbouring areas join without a seam and a moving area flips only its edges.
enum class Ink : uint8_t {
  white,
  black,
  light,  // 1 pixel in 8 is black
  fill,   // 1 pixel in 4: under the line of a graph
  half,   // 1 pixel in 2: a checkerboard
};

// Eight pixels of row y, the leftmost in the lowest nibble, in that ink.
inline uint32_t ink_word(Ink ink, int y) {
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

// A canvas that lies on its side draws the same picture into the frame of a panel that hangs turned by 90
// degrees clockwise: its left edge is the picture's upper one.
class Canvas {
 public:
  // `pixels` holds size.height rows of size.width / 2 bytes, 4-byte aligned; size.width is a multiple of 8.
  // On its side: size.width rows of size.height / 2 bytes, and size.height is the multiple.
  explicit Canvas(uint8_t* pixels, Size size, bool on_its_side = false);

  Size size() const { return size_; }
  Rect bounds() const { return {0, 0, size_.width, size_.height}; }
  const uint8_t* pixels() const { return pixels_; }

  // Nothing outside `clip` is changed from now on.
  void set_clip(const Rect& clip) { clip_ = intersection(clip, bounds()); }
  const Rect& clip() const { return clip_; }
  // How often ink reached outside the clip since the construction: a layout that does not fit.
  uint32_t cut_count() const { return cuts_; }

  void fill(const Rect& rect, Ink ink);
  void set_pixel(int x, int y, bool black) {
    if (x < clip_.x || x >= clip_.right() || y < clip_.y || y >= clip_.bottom()) {
      ++cuts_;
      return;
    }
    uint32_t& word = word_of(x, y);
    const uint32_t mask = mask_of(x, y);
    word = black ? word & ~mask : word | mask;
  }
  bool is_black(int x, int y) const { return (word_of(x, y) & mask_of(x, y)) == 0; }
  // The rows of the frame in which a rectangle of the picture lies.
  void add_rows(RowSet& rows, const Rect& rect) const {
    if (rect.empty()) return;
    if (on_its_side_) {
      rows.add(size_.width - rect.right(), rect.width);
    } else {
      rows.add(rect.y, rect.height);
    }
  }
  // The four sides of a rectangle, `thickness` px wide, inside it.
  void outline(const Rect& rect, int thickness, Ink ink = Ink::black);
  // As outline, with corners of radius `radius`; only `sides` are drawn (a corner belongs to top and bottom).
  enum Side : uint8_t { kTop = 1, kBottom = 2, kLeft = 4, kRight = 8, kAllSides = 15 };
  void round_outline(const Rect& rect, int radius, int thickness, uint8_t sides = kAllSides);
  // A filled rectangle whose upper corners are round.
  void round_top(const Rect& rect, int radius, Ink ink);
  // One pixel of every `step`, along a row or a column, standing on multiples of `step` of the panel.
  void dots_across(int x, int y, int width, int step);
  void dots_down(int x, int y, int height, int step);
  // A glyph whose pen position on the baseline is (x, y).
  void glyph(const Font& font, const Glyph& glyph, int x, int y, Ink ink);

 private:
  // Of the frame.
  uint32_t* row(int y) const { return reinterpret_cast<uint32_t*>(pixels_) + y * words_; }
  // Of the picture.
  uint32_t* column(int x) const { return row(size_.width - 1 - x); }
  uint32_t& word_of(int x, int y) const { return on_its_side_ ? column(x)[y >> 3] : row(y)[x >> 3]; }
  uint32_t mask_of(int x, int y) const { return 0xFu << (4 * ((on_its_side_ ? y : x) & 7)); }
  void span(uint32_t* line, int first, int width, uint32_t pattern);
  void glyph_on_its_side(const uint8_t* bits, const Rect& box, const Rect& part, Ink ink);
  void count_cut(const Rect& rect) {
    if (!clip_.contains(rect)) ++cuts_;
  }

  uint8_t* pixels_;
  Size size_;
  bool on_its_side_;
  int words_;  // of a row of the frame: eight pixels each
  Rect clip_;
  uint32_t cuts_ = 0;
};

}  // namespace inktop
