// The items that pictures are made of: text, numbers with units, bars, rules and cells.
#pragma once

#include <cstdint>

#include "geometry.h"
#include "inktop/line.h"
#include "picture/fonts/fonts.h"
#include "picture/qr_code.h"
#include "picture/scene.h"
#include "picture/text.h"

namespace inktop {

enum class Align : uint8_t { left, right, center };

// What an item is: the first part of its key.
enum class Kind : uint8_t {
  text,
  quantity,
  inverted,
  bar,
  rule,
  title,
  border,
  cells,
  segment,
  wedge,
  legend,
  runs,
  band,
  code
};
Key key_of(Kind kind);

// Rows of text: the rectangle of one line of `font` whose upper edge is at y.
Rect text_rect(const Font& font, int x, int y, int width);

void text_item(Scene& scene, const Rect& rect, const Font& font, const char* text, Align align = Align::left);
// How a number is set: as all others, white on black because an alarm is about it, or in half ink because it
// is old.
enum class Emphasis : uint8_t { none, alarm, old };
// Number and unit on one baseline, the unit in its own smaller font.
void quantity_item(Scene& scene, const Rect& rect, const Font& number_font, const Font& unit_font,
                   const char* number, const char* unit, Emphasis emphasis = Emphasis::none);
int quantity_width(const Font& number_font, const Font& unit_font, const char* number, const char* unit);
// A word that must be seen: white on black.
void inverted_item(Scene& scene, const Rect& rect, const Font& font, const char* text);
// Words of several sizes on one baseline, which lies `baseline` px below the upper edge of the rectangle.
struct Run {
  const Font* font;
  const char* text;
};
int runs_width(const Run* runs, int count);
void runs_item(Scene& scene, const Rect& rect, int baseline, const Run* runs, int count, Align align);
// Blocks from the left; `permille` kUnknown: an empty bar without its dots.
void bar_item(Scene& scene, const Rect& rect, int32_t permille);
// A QR code with its quiet zone, `module` px a module, from the rectangle's upper left corner.
void code_item(Scene& scene, const Rect& rect, const QrCode& code, int module);
// A horizontal rule that fills its rectangle.
void rule_item(Scene& scene, const Rect& rect);

// One cell a CPU, busy 0 ... 15, -1 unknown.
void cells_items(Scene& scene, const Rect& rect, const int8_t* levels, int count);

}  // namespace inktop
