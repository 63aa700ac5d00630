#include "picture/wrap.h"

#include "picture/format.h"
#include "picture/items.h"

namespace inktop {

namespace {

// How many characters of `text` go into a line of `width` px: whole words, unless the first one is too long.
int line_length(const Font& font, const char* text, int width) {
  int length = 0;
  int used = 0;
  int end = 0;
  while (text[length] != 0) {
    used += font.glyph(text[length]).advance;
    if (used > width) break;
    ++length;
    if (text[length] == 0 || text[length] == ' ') end = length;
  }
  if (end == 0) end = length > 0 ? length : 1;
  return end;
}

}  // namespace

int line_pitch(const Font& font) {
  return (font.ascent + font.descent) * 5 / 4;
}

int wrapped_height(const Font& font, const char* text, int width) {
  int height = 0;
  while (*text != 0) {
    text += line_length(font, text, width);
    while (*text == ' ') ++text;
    height += line_pitch(font);
  }
  return height;
}

int wrapped_items(Scene& scene, const Font& font, const char* text, int x, int y, int width) {
  while (*text != 0) {
    const int length = line_length(font, text, width);
    LongText line;
    for (int i = 0; i < length; ++i) line.add(text[i]);
    text_item(scene, text_rect(font, x, y, width), font, line.c_str());
    text += length;
    while (*text == ' ') ++text;
    y += line_pitch(font);
  }
  return y;
}

}  // namespace inktop
