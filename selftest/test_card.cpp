#include "test_card.h"

#include <cstdio>

#include "picture/fonts/fonts.h"
#include "picture/layout.h"
#include "picture/text.h"
#include "selftest.h"

namespace inktop {
namespace selftest {

namespace {

constexpr int kInset = 16;  // from the edge of the panel to the ruler, px
constexpr int kRuler = 20;  // length of a ruler's tick at a tile, px
constexpr int kStrip = 32;  // rows above and below the batch boundary that its marks take

int smaller(int a, int b) {
  return a < b ? a : b;
}

// Small letters that a healthy panel still shows: a finer test than the board's own captions.
const Font& fine_font(Size size) {
  return metrics_for(size).caption == &kCaption21 ? kCaption17 : *metrics_for(size).caption;
}

// The white around a mark.
Rect ground(Size size, const Rect& mark) {
  const int inset = metrics_for(size).inset;
  return {mark.x - inset, mark.y - inset, mark.width + 2 * inset, mark.height + 2 * inset};
}

bool on_a_mark(Size size, const Rect& rect) {
  Rect marks[kMarks];
  place_marks(size, marks);
  for (const Rect& mark : marks) {
    if (ground(size, mark).overlaps(rect)) return true;
  }
  return false;
}

// A line one pixel wide between two points, both included.
void line(Canvas& canvas, int x0, int y0, int x1, int y1) {
  const int dx = x1 > x0 ? x1 - x0 : x0 - x1;
  const int dy = y1 > y0 ? y1 - y0 : y0 - y1;
  const int step_x = x0 < x1 ? 1 : -1;
  const int step_y = y0 < y1 ? 1 : -1;
  int error = dx - dy;
  for (;;) {
    canvas.set_pixel(x0, y0, true);
    if (x0 == x1 && y0 == y1) return;
    const int twice = 2 * error;
    if (twice > -dy) {
      error -= dy;
      x0 += step_x;
    }
    if (twice < dx) {
      error += dx;
      y0 += step_y;
    }
  }
}

void centred(Canvas& canvas, const Font& font, const char* text, int x, int baseline, int width,
             Ink ink = Ink::black) {
  const Fitted fitted = fit_text(font, text, width);
  draw_fitted(canvas, font, text, fitted, x + (width - fitted.width) / 2, baseline, ink);
}

// Ticks on the multiples of 64 and 32 px along the four edges, with the number of the tile at top and left.
void ruler(Canvas& canvas) {
  const Size size = canvas.size();
  const Font& font = fine_font(size);
  char text[12];
  for (int tile = 1; tile * kTile < size.width - kTile; ++tile) {
    const int x = tile * kTile;
    canvas.fill({x - 1, kInset, 2, kRuler}, Ink::black);
    canvas.fill({x - 1, size.height - kInset - kRuler, 2, kRuler}, Ink::black);
    canvas.fill({x + kTile / 2, kInset, 1, kRuler / 2}, Ink::black);
    canvas.fill({x + kTile / 2, size.height - kInset - kRuler / 2, 1, kRuler / 2}, Ink::black);
    std::snprintf(text, sizeof text, "%d", tile);
    draw_text(canvas, font, text, x + 5, kInset + font.capital);
  }
  for (int tile = 1; tile * kTile < size.height - kTile; ++tile) {
    const int y = tile * kTile;
    // The marks at mid-height keep their white.
    const int from_middle = y + kTile / 2 - size.height / 2;
    const bool near_mark = from_middle > -kTile && from_middle < kTile;
    canvas.fill({kInset, y - 1, kRuler, 2}, Ink::black);
    canvas.fill({size.width - kInset - kRuler, y - 1, kRuler, 2}, Ink::black);
    if (near_mark) continue;
    canvas.fill({kInset, y + kTile / 2, kRuler / 2, 1}, Ink::black);
    canvas.fill({size.width - kInset - kRuler / 2, y + kTile / 2, kRuler / 2, 1}, Ink::black);
    std::snprintf(text, sizeof text, "%d", tile);
    draw_text(canvas, font, text, kInset, y + 5 + font.capital);
  }
}

// A box of the pattern rows: a caption, and below it the square that the pattern goes into.
Rect cell(Canvas& canvas, const Rect& row, int index, int count, const char* caption) {
  const Font& font = fine_font(canvas.size());
  const int gap = row.width / (count * 10);
  const int width = (row.width - gap * (count - 1)) / count;
  const int x = row.x + index * (width + gap);
  const int head = font.ascent + font.descent + 4;
  draw_fitted(canvas, font, caption, fit_text(font, caption, width), x, row.y + font.ascent);
  const Rect box{x, row.y + head, width, row.height - head};
  canvas.outline(box, 2);
  return {box.x + 6, box.y + 6, box.width - 12, box.height - 12};
}

void checkers(Canvas& canvas, const Rect& rect, int side) {
  for (int row = 0; row * side < rect.height; ++row) {
    for (int column = row & 1; column * side < rect.width; column += 2) {
      const int x = column * side;
      const int y = row * side;
      canvas.fill({rect.x + x, rect.y + y, smaller(side, rect.width - x), smaller(side, rect.height - y)},
                  Ink::black);
    }
  }
}

void pattern_row(Canvas& canvas, const Rect& row) {
  constexpr int kCount = 8;
  checkers(canvas, cell(canvas, row, 0, kCount, "checker 1 px"), 1);
  checkers(canvas, cell(canvas, row, 1, kCount, "2 px"), 2);
  checkers(canvas, cell(canvas, row, 2, kCount, "4 px"), 4);
  checkers(canvas, cell(canvas, row, 3, kCount, "16 px"), 16);
  canvas.fill(cell(canvas, row, 4, kCount, "1 in 8"), Ink::light);
  canvas.fill(cell(canvas, row, 5, kCount, "1 in 4"), Ink::fill);
  checkers(canvas, cell(canvas, row, 6, kCount, "32 px"), 32);
  canvas.fill(cell(canvas, row, 7, kCount, "black"), Ink::black);
}

// Thin lines one pixel wide, in groups whose pitch is 2, 3, 4 and 8 px.
void line_group(Canvas& canvas, const Rect& rect, bool across) {
  constexpr int kPitches[] = {2, 3, 4, 8};
  const int length = across ? rect.height : rect.width;
  for (int group = 0; group < 4; ++group) {
    const int begin = group * length / 4;
    const int end = (group + 1) * length / 4 - 8;
    for (int at = begin; at < end; at += kPitches[group]) {
      if (across) {
        canvas.fill({rect.x, rect.y + at, rect.width, 1}, Ink::black);
      } else {
        canvas.fill({rect.x + at, rect.y, 1, rect.height}, Ink::black);
      }
    }
  }
}

void line_row(Canvas& canvas, const Rect& row) {
  constexpr int kCount = 4;
  line_group(canvas, cell(canvas, row, 0, kCount, "lines across, 1 px"), true);
  line_group(canvas, cell(canvas, row, 1, kCount, "lines down, 1 px"), false);
  const Rect fan = cell(canvas, row, 2, kCount, "slanting lines, 1 px");
  for (int at = 0; at < fan.width; at += 12) line(canvas, fan.x, fan.y, fan.x + at, fan.bottom() - 1);
  for (int at = 0; at < fan.height; at += 12) line(canvas, fan.x, fan.y, fan.right() - 1, fan.y + at);
  const Rect shapes = cell(canvas, row, 3, kCount, "frames");
  for (int inset = 0; 2 * inset + 24 < smaller(shapes.width, shapes.height); inset += 14) {
    canvas.round_outline(
        {shapes.x + inset, shapes.y + inset, shapes.width - 2 * inset, shapes.height - 2 * inset}, 10,
        1 + inset / 28);
  }
}

void text_rows(Canvas& canvas, const Rect& area) {
  const Metrics& font = metrics_for(canvas.size());
  // Every printable character once, then words: in the sizes that the board uses.
  constexpr const char* kLines[] = {
      "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~",
      "GPU0  95 %  29.5 / 31.9 GiB  67 / 81 C  209 W  2990 rpm  2786 MHz  up 12d 4h  load 1.24 0.98 0.75",
  };
  const int third = area.width * 3 / 10;
  centred(canvas, *font.value, "0123456789 % . : /", area.right() - third, area.y + font.value->ascent,
          third);
  centred(canvas, *font.value, "Wash 1800 Row 64 gqy", area.right() - third,
          area.y + 2 * font.value->ascent + font.value->descent, third);
  const int width = area.width - third;
  int baseline = area.y + font.body->ascent;
  const Font* const sizes[] = {font.body, &fine_font(canvas.size())};
  for (const Font* each : sizes) {
    for (const char* text : kLines) {
      if (baseline + each->descent > area.bottom()) return;
      draw_fitted(canvas, *each, text, fit_text(*each, text, width), area.x, baseline);
      baseline += each->ascent + each->descent + 6;
    }
  }
}

// What crosses the batch boundary: slanting lines that break where the second batch is shifted, bars that
// break where a row is lost or doubled, and the boundary itself as a thin line between two gaps.
void batch_strip(Canvas& canvas) {
  const Size size = canvas.size();
  const int top = kBatchRow - kStrip;
  const int bottom = smaller(kBatchRow + kStrip, size.height - kInset - kRuler - 4);
  const int left = kTile + kTile / 2;
  const int right = size.width - kTile - kTile / 2;
  const int height = bottom - top;
  for (int x = left; x + height < right; x += kTile / 2) {
    if ((x / (4 * kTile) & 1) == 0) {
      line(canvas, x, top, x + height, bottom - 1);
      line(canvas, x + 1, top, x + 1 + height, bottom - 1);
    } else {
      canvas.fill({x, top, 8, height}, Ink::black);
    }
  }
  const Font& font = fine_font(size);
  constexpr char kText[] = "row 1000";
  const int width = text_width(font, kText) + 24;
  const Rect label{(size.width - width) / 2, top, width, height};
  canvas.fill(label, Ink::white);
  canvas.fill({label.x + 8, kBatchRow, label.width - 16, 1}, Ink::black);
  draw_text(canvas, font, kText, label.x + 12, kBatchRow - 6);
}

}  // namespace

void draw_marks(Canvas& canvas) {
  Rect marks[kMarks];
  place_marks(canvas.size(), marks);
  for (int i = 0; i < kMarks; ++i) {
    canvas.fill(intersection(ground(canvas.size(), marks[i]), canvas.bounds()), Ink::white);
    // The hollow one tells which way is up.
    if (i == 0) {
      canvas.outline(marks[i], marks[i].width / 4);
    } else {
      canvas.fill(marks[i], Ink::black);
    }
  }
}

Rect title_band(Size size) {
  const int first = (size.height / kTile - 1) / 2 * kTile;
  return {0, first, size.width, 2 * kTile};
}

void draw_card(Canvas& canvas, const char* name, const char* summary) {
  const Size size = canvas.size();
  const Metrics& font = metrics_for(size);
  canvas.fill(canvas.bounds(), Ink::white);

  // A small cross on every corner of a tile, under everything else.
  for (int y = kTile; y < size.height - kTile / 2; y += kTile) {
    for (int x = kTile; x < size.width - kTile / 2; x += kTile) {
      canvas.fill({x - 4, y, 9, 1}, Ink::black);
      canvas.fill({x, y - 4, 1, 9}, Ink::black);
    }
  }
  ruler(canvas);

  const int left = kTile + kTile / 4;
  const int width = size.width - 2 * left;
  const Rect band = title_band(size);
  const int top = kTile + 8;
  const bool has_batches = size.height > kBatchRow;
  const int bottom = has_batches ? kBatchRow - kStrip - 16 : size.height - kTile;

  const Rect upper{left, top, width, band.y - top - 16};
  canvas.fill(upper, Ink::white);
  const int half = upper.height / 2;
  pattern_row(canvas, {upper.x, upper.y, upper.width, half - 8});
  line_row(canvas, {upper.x, upper.y + half, upper.width, upper.height - half});

  const Rect title{left, band.y + 8, width, band.height - 16};
  canvas.fill(title, Ink::white);
  canvas.fill({title.x, title.y, title.width, 2}, Ink::black);
  canvas.fill({title.x, title.bottom() - 2, title.width, 2}, Ink::black);
  const int baseline = title.y + (title.height + font.title->capital) / 2;
  const int pen = draw_text(canvas, *font.title, name, title.x + 16, baseline) + 40;
  draw_fitted(canvas, *font.value, summary, fit_text(*font.value, summary, title.right() - pen - 16), pen,
              baseline);

  const Rect lower{left, band.bottom() + 16, width, bottom - band.bottom() - 16};
  canvas.fill(lower, Ink::white);
  text_rows(canvas, {lower.x, lower.y, lower.width, lower.height / 2});
  const Rect blocks{lower.x, lower.y + lower.height / 2, lower.width, lower.height / 2};
  constexpr int kCount = 4;
  const Rect digits = cell(canvas, blocks, 0, kCount, "numerals");
  const Font& numeral = digits.height > font.numeral->capital + 8 ? *font.numeral : *font.body;
  centred(canvas, numeral, "1208", digits.x, digits.y + (digits.height + numeral.capital) / 2, digits.width);
  const Rect inverse = cell(canvas, blocks, 1, kCount, "white on black");
  canvas.fill(inverse, Ink::black);
  centred(canvas, numeral, "3597", inverse.x, inverse.y + (inverse.height + numeral.capital) / 2,
          inverse.width, Ink::white);
  cell(canvas, blocks, 2, kCount, "white: any grey is ghosting");
  checkers(canvas, cell(canvas, blocks, 3, kCount, "checker 8 px"), 8);

  if (has_batches) batch_strip(canvas);
  draw_marks(canvas);
}

void invert_rows(uint8_t* pixels, Size size, int first_row, int row_count) {
  auto* word = reinterpret_cast<uint32_t*>(pixels) + first_row * (size.width / 8);
  auto* const end = word + row_count * (size.width / 8);
  for (; word != end; ++word) *word = ~*word;
}

int tile_rows(Size size) {
  return (size.height + kTile - 1) / kTile;
}

void draw_tile_row(Canvas& canvas, int row, const char* name, const char* summary) {
  const Size size = canvas.size();
  const Metrics& font = metrics_for(size);
  const Font& fine = fine_font(size);
  const Rect band = intersection({0, row * kTile, size.width, kTile}, canvas.bounds());
  canvas.set_clip(band);
  canvas.fill(band, Ink::white);
  char text[12];
  for (int column = 0; column * kTile < size.width; ++column) {
    const Rect block{column * kTile + 10, band.y + 8, kTile - 20, smaller(48, band.height - 8)};
    if (on_a_mark(size, block)) continue;
    const int kind = (column + row) % 3;
    if (kind == 0) canvas.fill(block, Ink::black);
    if (kind == 1) canvas.outline(block, 2);
    if (kind == 2) canvas.outline(block, 1, Ink::half);
    // Column above, row below: a tile in the wrong place says where it belongs.
    std::snprintf(text, sizeof text, "%d", column);
    centred(canvas, fine, text, block.x, block.y + 4 + fine.capital, block.width,
            kind != 0 ? Ink::black : Ink::white);
    std::snprintf(text, sizeof text, "%d", row);
    centred(canvas, fine, text, block.x, block.bottom() - 6, block.width,
            kind != 0 ? Ink::black : Ink::white);
  }
  if (row == title_band(size).y / kTile) {
    const int width = size.width / 2 / kTile * kTile;
    const Rect box{(size.width - width) / 2, band.y, width, band.height};
    canvas.fill(box, Ink::white);
    const int baseline = box.y + (box.height + font.value->capital) / 2;
    const int pen = draw_text(canvas, *font.value, name, box.x + 16, baseline) + 24;
    draw_fitted(canvas, *font.body, summary, fit_text(*font.body, summary, box.right() - pen - 8), pen,
                baseline);
  }
  draw_marks(canvas);
  canvas.set_clip(canvas.bounds());
}

}  // namespace selftest
}  // namespace inktop
