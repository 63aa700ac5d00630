#include "picture/items.h"

#include <cstring>

namespace inktop {

namespace {

// Glyphs may reach this far over their pen position: text items are that much wider than their text.
constexpr int kOverhang = 4;

int placed(const Rect& rect, int width, Align align) {
  switch (align) {
    case Align::left:
      return rect.x;
    case Align::right:
      return rect.right() - width;
    case Align::center:
      return rect.x + (rect.width - width) / 2;
  }
  return rect.x;
}

Rect with_overhang(const Rect& rect) {
  return {rect.x - kOverhang, rect.y, rect.width + 2 * kOverhang, rect.height};
}

// Units start with white of their own: beside the biggest numbers a twelfth of their height would be a hole.
int unit_space(const Font& number_font) {
  const int space = number_font.capital / 12 + 3;
  return space < 8 ? space : 8;
}

}  // namespace

Key key_of(Kind kind) {
  return Key().add_byte(static_cast<uint8_t>(kind));
}

Rect text_rect(const Font& font, int x, int y, int width) {
  return {x, y, width, font.ascent + font.descent};
}

void text_item(Scene& scene, const Rect& rect, const Font& font, const char* text, Align align) {
  const Key key = key_of(Kind::text).add(&font).add_byte(static_cast<uint8_t>(align)).add(text);
  if (!scene.item(with_overhang(rect), key)) return;
  const Fitted fitted = fit_text(font, text, rect.width);
  draw_fitted(scene.canvas(), font, text, fitted, placed(rect, fitted.width, align), rect.y + font.ascent);
}

int quantity_width(const Font& number_font, const Font& unit_font, const char* number, const char* unit) {
  const int width = text_width(number_font, number);
  return *unit == 0 ? width : width + unit_space(number_font) + text_width(unit_font, unit);
}

void quantity_item(Scene& scene, const Rect& rect, const Font& number_font, const Font& unit_font,
                   const char* number, const char* unit, Emphasis emphasis) {
  const Key key = key_of(Kind::quantity)
                      .add(&number_font)
                      .add(&unit_font)
                      .add_byte(static_cast<uint8_t>(emphasis))
                      .add(number)
                      .add(unit);
  if (!scene.item(with_overhang(rect), key)) return;
  Canvas& canvas = scene.canvas();
  // A number that does not fit loses its unit first: the caption above it stands for that.
  int width = quantity_width(number_font, unit_font, number, unit);
  const bool with_unit = width <= rect.width;
  const Fitted fitted = fit_text(number_font, number, rect.width);
  if (!with_unit) width = fitted.width;
  const Ink ink = emphasis == Emphasis::alarm ? Ink::white
                  : emphasis == Emphasis::old ? Ink::half
                                              : Ink::black;
  if (ink == Ink::white) canvas.fill(with_overhang({rect.x, rect.y, width, rect.height}), Ink::black);
  const int baseline =
      rect.y + (rect.height - number_font.ascent - number_font.descent) / 2 + number_font.ascent;
  const int x = draw_fitted(canvas, number_font, number, fitted, rect.x, baseline, ink);
  if (with_unit) draw_text(canvas, unit_font, unit, x + unit_space(number_font), baseline, ink);
}

void inverted_item(Scene& scene, const Rect& rect, const Font& font, const char* text) {
  if (!scene.item(rect, key_of(Kind::inverted).add(&font).add(text))) return;
  scene.canvas().fill(rect, Ink::black);
  const int side = rect.height / 3;
  const Fitted fitted = fit_text(font, text, rect.width - 2 * side);
  draw_fitted(scene.canvas(), font, text, fitted, rect.x + (rect.width - fitted.width) / 2,
              rect.y + (rect.height + font.capital) / 2, Ink::white);
}

int runs_width(const Run* runs, int count) {
  int width = 0;
  for (int i = 0; i < count; ++i) width += text_width(*runs[i].font, runs[i].text);
  return width;
}

void runs_item(Scene& scene, const Rect& rect, int baseline, const Run* runs, int count, Align align) {
  Key key = key_of(Kind::runs).add_byte(static_cast<uint8_t>(align)).add(static_cast<uint64_t>(baseline));
  for (int i = 0; i < count; ++i) key.add(runs[i].font).add(runs[i].text);
  if (!scene.item(with_overhang(rect), key)) return;
  const int width = runs_width(runs, count);
  int x = placed(rect, width < rect.width ? width : rect.width, align);
  for (int i = 0; i < count; ++i) {
    const Fitted fitted = fit_text(*runs[i].font, runs[i].text, rect.right() - x);
    x = draw_fitted(scene.canvas(), *runs[i].font, runs[i].text, fitted, x, rect.y + baseline);
  }
}

void code_item(Scene& scene, const Rect& rect, const QrCode& code, int module) {
  Key key = key_of(Kind::code).add(uint64_t(module));
  for (int y = 0; y < code.side(); ++y) key.add(code.row(y));
  if (!scene.item(rect, key)) return;
  for (int y = 0; y < code.side(); ++y) {
    for (int x = 0; x < code.side(); ++x) {
      if (!code.is_black(x, y)) continue;
      const Rect at{rect.x + (QrCode::kQuiet + x) * module, rect.y + (QrCode::kQuiet + y) * module, module,
                    module};
      scene.canvas().fill(at, Ink::black);
    }
  }
}

void rule_item(Scene& scene, const Rect& rect) {
  if (scene.item(rect, key_of(Kind::rule))) scene.canvas().fill(rect, Ink::black);
}

void bar_item(Scene& scene, const Rect& rect, int32_t permille) {
  const int frame = rect.height >= 24 ? 3 : 2;
  const int space = rect.height >= 24 ? 4 : 2;  // between the frame and the blocks
  const int block = rect.height >= 24 ? 11 : 7;
  const int pitch = block + (rect.height >= 24 ? 3 : 2);
  const int inner = rect.width - 2 * (frame + space);
  const int blocks = (inner + pitch - block) / pitch;
  int filled = -1;
  if (permille != kUnknown) {
    // A block is what is used up whole: an idle card's few watts do not toggle one at its half, and full
    // means full. Nor is anything more than a trace shown as nothing.
    filled = permille * blocks / 1000;
    if (permille > 5 && filled == 0) filled = 1;
  }
  if (filled > blocks) filled = blocks;
  const Key key = key_of(Kind::bar).add(static_cast<uint64_t>(static_cast<int64_t>(filled)));
  if (!scene.item(rect, key)) return;
  Canvas& canvas = scene.canvas();
  canvas.outline(rect, frame);
  const int left = rect.x + frame + space + (inner - (blocks * pitch - (pitch - block))) / 2;
  for (int i = 0; i < blocks; ++i) {
    const int x = left + i * pitch;
    if (i < filled) {
      canvas.fill({x, rect.y + frame + space, block, rect.height - 2 * (frame + space)}, Ink::black);
    } else if (filled >= 0) {
      canvas.fill({x + block / 2 - 1, rect.y + rect.height / 2 - 1, 2, 2}, Ink::black);
    }
  }
}

void cells_items(Scene& scene, const Rect& rect, const int8_t* levels, int count) {
  if (count <= 0) return;
  // The number of rows whose cells come nearest to half as wide as tall.
  int rows = 1;
  int best = INT32_MAX;
  for (int candidate = 1; candidate <= 16; ++candidate) {
    const int columns = (count + candidate - 1) / candidate;
    if ((columns * (candidate - 1)) >= count && candidate > 1) continue;  // an empty row
    const int width = rect.width / columns;
    const int height = rect.height / candidate;
    if (width < 5 || height < 10) continue;
    const int wrong = width * 2 > height * 1 ? width * 2 * 100 / height : height * 100 / (width * 2);
    // A grid without a ragged last row looks better.
    const int cost = wrong + (columns * candidate != count ? 120 : 0);
    if (cost < best) {
      best = cost;
      rows = candidate;
    }
  }
  if (best == INT32_MAX) return;  // no room for cells that could be read
  const int columns = (count + rows - 1) / rows;
  const int pitch_y = rect.height / rows;
  int pitch_x = rect.width / columns;
  if (pitch_x > 2 * pitch_y) pitch_x = 2 * pitch_y;
  const int space = pitch_x >= 24 ? 6 : pitch_x >= 12 ? 4 : 2;
  const int frame = pitch_x >= 24 ? 2 : 1;
  const int width = pitch_x - space;
  // The last row ends on the lower edge of the rectangle, the last column on its right edge. Large cells
  // reach its left edge too: what their widths do not divide goes between them, unseen.
  const int height = pitch_y - space;
  const bool spread = pitch_x >= 24 && pitch_x == rect.width / columns;
  const int left = spread ? rect.x : rect.right() - (columns * pitch_x - space);
  const int extra = spread ? rect.width - (columns * pitch_x - space) : 0;
  const int top = rect.bottom() - (rows * pitch_y - space);
  for (int row = 0; row < rows; ++row) {
    const int first = row * columns;
    const int last = first + columns < count ? first + columns : count;
    const Rect line{left, top + row * pitch_y, columns * pitch_x - space + extra, height};
    Key key = key_of(Kind::cells).add(static_cast<uint64_t>(last - first));
    for (int i = first; i < last; ++i) key.add_byte(static_cast<uint8_t>(levels[i]));
    if (!scene.item(line, key)) continue;
    Canvas& canvas = scene.canvas();
    for (int i = first; i < last; ++i) {
      const int gaps = columns > 1 ? columns - 1 : 1;
      const Rect cell{left + (i - first) * pitch_x + (i - first) * extra / gaps, line.y, width, height};
      canvas.outline(cell, frame);
      const int room = height - 2 * frame;
      if (levels[i] < 0) {
        canvas.fill({cell.x + frame, cell.y + frame, width - 2 * frame, room}, Ink::light);
        continue;
      }
      const int filled = (levels[i] * room + 7) / 15;
      canvas.fill({cell.x, cell.bottom() - frame - filled, width, filled}, Ink::black);
    }
  }
}

}  // namespace inktop
