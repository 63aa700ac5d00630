#include "picture/panels/pieces.h"

namespace inktop {

int32_t share_permille(int64_t part, int64_t whole) {
  if (part == kUnknown || whole == kUnknown || whole <= 0) return kUnknown;
  if (part >= whole) return kFullPermille;
  return part <= 0 ? 0 : static_cast<int32_t>(part * kFullPermille / whole);
}

LongText memory_pair(int64_t used_milligib, int64_t total_milligib) {
  const Quantity used = format_memory(used_milligib, total_milligib);
  const Quantity total = format_memory(total_milligib, total_milligib);
  LongText text;
  return text.add(used.number.c_str()).add(" / ").add(total.number.c_str()).add(' ').add(total.unit);
}

LongText memory_text(int64_t milligib, int64_t scale_milligib) {
  const Quantity quantity = format_memory(milligib, scale_milligib);
  LongText text;
  return text.add(quantity.number.c_str()).add(' ').add(quantity.unit);
}

int stat_height(const Metrics& m, const Font& number) {
  return m.caption->ascent + m.caption->descent + number.ascent + number.descent;
}

void stat(Scene& scene, const Metrics& m, int x, int y, int width, const char* caption,
          const Font& number_font, const char* number, const char* unit, Emphasis emphasis) {
  text_item(scene, text_rect(*m.caption, x, y, width), *m.caption, caption);
  const int below = y + m.caption->ascent + m.caption->descent;
  const Font& unit_font = &number_font == m.small_value ? *m.caption : *m.body;
  quantity_item(scene, text_rect(number_font, x, below, width), number_font, unit_font, number, unit,
                emphasis);
}

void named_value(Scene& scene, const Metrics& m, int x, int y, int width, const char* name,
                 const char* value) {
  const int name_width = text_width(*m.body, name);
  text_item(scene, text_rect(*m.body, x, y, name_width), *m.body, name);
  const int value_x = x + name_width + 16;
  text_item(scene, text_rect(*m.body, value_x, y, x + width - value_x), *m.body, value, Align::right);
}

int labelled_bar_height(const Metrics& m) {
  return m.body->ascent + m.body->descent + 4 + m.strip;
}

void labelled_bar(Scene& scene, const Metrics& m, const Rect& rect, const char* name, const char* value,
                  int32_t permille) {
  named_value(scene, m, rect.x, rect.y, rect.width, name, value);
  const int y = rect.y + m.body->ascent + m.body->descent + 4;
  bar_item(scene, {rect.x, y, rect.width, m.strip}, permille);
}

int numeral_width(const Font& numeral, const Font& unit) {
  return quantity_width(numeral, unit, "100", "%");
}

void numeral_item(Scene& scene, const Rect& rect, const Font& numeral, const Font& unit, const char* number) {
  quantity_item(scene, rect, numeral, unit, number, "%");
}

void graph_with_minutes(Scene& scene, const Metrics& m, const Rect& rect, const Series& series,
                        const GraphTime& time, uint64_t full, const char* caption, const char* name,
                        int number) {
  const int labels = m.caption->ascent + m.caption->descent;
  const Rect plot{rect.x, rect.y, rect.width, rect.height - labels - 6};
  scene.element(name, number, rect);
  graph_items(scene, plot, m.line, series, time, full);
  minutes_items(scene, {rect.x, plot.bottom() + 6, rect.width, labels}, *m.caption, time, caption);
}

void stat_row(Scene& scene, const Metrics& m, const Rect& rect, const Stat* stats, int count) {
  const int space = m.pad / 2;
  const int width = (rect.width - (count - 1) * space) / count;
  const Font* font = m.value;
  for (int i = 0; i < count; ++i) {
    if (quantity_width(*font, *m.body, stats[i].widest, stats[i].unit) > width) font = m.small_value;
  }
  for (int i = 0; i < count; ++i) {
    stat(scene, m, rect.x + i * (width + space), rect.y, width, stats[i].caption, *font,
         stats[i].number.c_str(), stats[i].unit, stats[i].emphasis);
  }
}

namespace {

// Where column `index` of `count` equal ones begins.
int column_x(const Metrics& m, const Inner& in, int index, int count) {
  const int space = m.pad / 2;
  return in.x + index * ((in.width - (count - 1) * space) / count + space);
}

}  // namespace

bool is_wide(const Metrics& m, int inner_width) {
  return inner_width >= 4 * numeral_width(*m.big_numeral, *m.value) * 2 / 3;
}

int beside_numeral(const Metrics& m, const Inner& in) {
  // With the third of five columns, where that is a step from the number and not a hole.
  const int least = in.x + numeral_width(*m.big_numeral, *m.value) + m.pad;
  const int column = column_x(m, in, 2, 5);
  return is_wide(m, in.width) && column > least && column - least < 3 * m.pad ? column : least;
}

int wide_upper(const Metrics& m) {
  const int bars = 2 * labelled_bar_height(m) + m.row_gap;
  const int numeral =
      m.big_numeral->ascent + m.big_numeral->descent + 8 + m.caption->ascent + m.caption->descent;
  return (bars > numeral ? bars : numeral) + m.pad * 3 / 4;
}

int wide_graph(const Metrics& m) {
  return wide_upper(m) + stat_height(m, *m.value) + m.row_gap / 2;
}

}  // namespace inktop
