// Text on the canvas: exact measuring, the ellipsis for what is too long, and placing on a baseline.
#pragma once

#include <cstdint>

#include "picture/canvas.h"
#include "picture/fonts/fonts.h"

namespace inktop {

// Sum of the advances, px: where the pen stands after the text.
int text_width(const Font& font, const char* text);
int text_width(const Font& font, const char* text, int length);

// How many characters of `text` fit into `width` px, and whether an ellipsis follows them.
struct Fitted {
  int length = 0;
  bool ellipsis = false;
  int width = 0;  // with the ellipsis
};
Fitted fit_text(const Font& font, const char* text, int width);

// Draws with the pen on (x, baseline); returns the pen position after it.
int draw_text(Canvas& canvas, const Font& font, const char* text, int x, int baseline, Ink ink = Ink::black);
int draw_fitted(Canvas& canvas, const Font& font, const char* text, const Fitted& fitted, int x, int baseline,
                Ink ink = Ink::black);

}  // namespace inktop
