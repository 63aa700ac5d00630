#include "picture/text.h"

#include <cstring>

namespace inktop {

namespace {

constexpr char kEllipsis[] = "...";

}  // namespace

int text_width(const Font& font, const char* text, int length) {
  int width = 0;
  for (int i = 0; i < length; ++i) width += font.glyph(text[i]).advance;
  return width;
}

int text_width(const Font& font, const char* text) {
  return text_width(font, text, static_cast<int>(std::strlen(text)));
}

Fitted fit_text(const Font& font, const char* text, int width) {
  const int length = static_cast<int>(std::strlen(text));
  const int whole = text_width(font, text, length);
  if (whole <= width) return {length, false, whole};
  const int dots = text_width(font, kEllipsis);
  int fitting = 0;
  int used = 0;
  while (fitting < length) {
    const int next = used + font.glyph(text[fitting]).advance;
    if (next + dots > width) break;
    used = next;
    ++fitting;
  }
  // Not even the dots fit: then nothing is shown, rather than something cut.
  if (dots > width) return {0, false, 0};
  while (fitting > 0 && text[fitting - 1] == ' ') used -= font.glyph(text[--fitting]).advance;
  return {fitting, true, used + dots};
}

int draw_fitted(Canvas& canvas, const Font& font, const char* text, const Fitted& fitted, int x, int baseline,
                Ink ink) {
  for (int i = 0; i < fitted.length; ++i) {
    const Glyph& glyph = font.glyph(text[i]);
    canvas.glyph(font, glyph, x, baseline, ink);
    x += glyph.advance;
  }
  return fitted.ellipsis ? draw_text(canvas, font, kEllipsis, x, baseline, ink) : x;
}

int draw_text(Canvas& canvas, const Font& font, const char* text, int x, int baseline, Ink ink) {
  return draw_fitted(canvas, font, text, {static_cast<int>(std::strlen(text)), false, 0}, x, baseline, ink);
}

}  // namespace inktop
