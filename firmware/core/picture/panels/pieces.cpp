#include "picture/panels/pieces.h"

namespace inktop {

namespace {

// White between a caption and the number below it: an alarm's black keeps off the caption's descenders.
int caption_space(const Metrics& m) {
  return m.line + 1;
}

int caption_height(const Metrics& m) {
  return font_height(*m.caption);
}

// Columns of stats: each as wide as the longest caption.
int stat_columns(const Metrics& m, int width, int count) {
  const int least = text_width(*m.caption, "clock MHz") + m.pad / 2;
  int columns = (width + m.pad / 2) / least;
  if (columns < 1) columns = 1;
  if (columns >= count) return count;
  const int rows = (count + columns - 1) / columns;
  return (count + rows - 1) / rows;
}

}  // namespace

int32_t share_permille(int64_t part, int64_t whole) {
  if (part == kUnknown || whole == kUnknown || whole <= 0) return kUnknown;
  if (part >= whole) return kFullPermille;
  return part <= 0 ? 0 : static_cast<int32_t>(part * kFullPermille / whole);
}

int64_t milligib_of_mib(int64_t mib) {
  return mib == kUnknown ? static_cast<int64_t>(kUnknown) : mib * 1000 / 1024;
}

LongText memory_text(int64_t milligib, int64_t scale_milligib) {
  const Quantity quantity = format_memory(milligib, scale_milligib);
  LongText text;
  return text.add(quantity.number.c_str()).add(' ').add(quantity.unit);
}

MemoryPair memory_pair(int64_t used_milligib, int64_t total_milligib, bool brief) {
  MemoryPair pair;
  if (brief && total_milligib >= 100'000 && total_milligib < 10'000'000) {
    if (used_milligib == kUnknown) {
      pair.used.add(kNoValue);
    } else {
      pair.used.add_number((used_milligib + 500) / 1000);
    }
    pair.rest.add("/ ").add_number((total_milligib + 500) / 1000).add(" GiB");
    return pair;
  }
  const Quantity total = format_memory(total_milligib, total_milligib);
  pair.used = format_memory(used_milligib, total_milligib).number;
  pair.rest.add("/ ").add(total.number.c_str()).add(' ').add(total.unit);
  return pair;
}

LongText memory_words(int64_t used_milligib, int64_t total_milligib) {
  const MemoryPair pair = memory_pair(used_milligib, total_milligib, false);
  LongText text;
  return text.add(pair.used.c_str()).add(' ').add(pair.rest.c_str());
}

int32_t degrees(const View& view, int32_t celsius) {
  return degrees(celsius, view.taste.fahrenheit);
}

const char* degrees_unit(const View& view) {
  return degrees_unit(view.taste.fahrenheit);
}

ShortText degrees_of(const View& view, int32_t limit_c) {
  ShortText text;
  if (limit_c > 0) text.add("/ ").add_number(degrees(view, limit_c)).add(' ');
  return text.add(degrees_unit(view));
}

bool is_column(const View& view, const Rect& rect) {
  return view.snapshot->gpu_count == 0 && rect.height >= rect.width;
}

bool has_room_for_big(const View& view, const Metrics& m, const Inner& in) {
  return view.snapshot->gpu_count == 0 && in.bottom - in.y >= 3 * block_height(m, *m.big_numeral);
}

int font_height(const Font& font) {
  return font.ascent + font.descent;
}

int stat_height(const Metrics& m, const Font& number) {
  return caption_height(m) + caption_space(m) + font_height(number);
}

const Font& unit_font(const Metrics& m, const Font& number) {
  if (&number == m.big_numeral) return *m.value;
  if (&number == m.numeral) return *m.body;
  if (&number == m.title) return *m.value;
  return &number == m.medium ? *m.caption : *m.body;
}

void stat(Scene& scene, const Metrics& m, int x, int y, int width, const Font& number_font,
          const Stat& stat) {
  text_item(scene, text_rect(*m.caption, x, y, width), *m.caption, stat.caption);
  const int below = y + caption_height(m) + caption_space(m);
  // Numerals have no descenders: the black of an alarm needs a little room of its own.
  const int room = font_height(number_font) + (number_font.descent < 4 ? 2 * m.line : 0);
  quantity_item(scene, {x, below, width, room}, number_font, unit_font(m, number_font), stat.number.c_str(),
                stat.unit.c_str(), stat.emphasis);
}

int stat_rows_height(const Metrics& m, int width, int count) {
  if (count == 0) return 0;
  const int columns = stat_columns(m, width, count);
  const int rows = (count + columns - 1) / columns;
  return rows * stat_height(m, *m.medium) + (rows - 1) * 4;
}

int stat_rows(Scene& scene, const Metrics& m, int x, int y, int width, const Stat* stats, int count) {
  if (count == 0) return 0;
  const int columns = stat_columns(m, width, count);
  const int space = m.pad / 2;
  const int each = (width - (columns - 1) * space) / columns;
  const int pitch = stat_height(m, *m.medium) + 4;
  for (int i = 0; i < count; ++i) {
    stat(scene, m, x + i % columns * (each + space), y + i / columns * pitch, each, *m.medium, stats[i]);
  }
  return stat_rows_height(m, width, count);
}

void named_value(Scene& scene, const Metrics& m, int x, int y, int width, const char* name,
                 const char* value) {
  const int name_width = text_width(*m.body, name);
  text_item(scene, text_rect(*m.body, x, y, name_width), *m.body, name);
  const int value_x = x + name_width + 16;
  text_item(scene, text_rect(*m.body, value_x, y, x + width - value_x), *m.body, value, Align::right);
}

int numeral_width(const Metrics& m, const Font& numeral) {
  return quantity_width(numeral, unit_font(m, numeral), "100", "%");
}

int bar_height(const Metrics& m) {
  return m.strip * 3 / 4;
}

const char* span_name(Span span) {
  return span == Span::five_minutes ? "5 min" : span == Span::hour ? "60 min" : "24 h";
}

LongText summary_text(const Series& series, const GraphTime& time, int64_t scale) {
  const Sample summary = summary_of(series, time);
  LongText text;
  if (!summary.known()) return text;
  const auto number = [scale](uint32_t value) { return (int64_t{value} + scale / 2) / scale; };
  return text.add(span_name(time.span))
      .add(": mean ")
      .add_number(number(summary.mean))
      .add("  max ")
      .add_number(number(summary.most));
}

Columns three_columns(const Metrics& m, int x, int width) {
  const int first = numeral_width(m, *m.big_numeral);
  const int second = quantity_width(*m.numeral, *m.body, "00.0", "/ 00.0 GiB");
  Columns columns;
  columns.third_width = quantity_width(*m.numeral, *m.body, "100", kWidestLimit);
  const int space = (width - first - second - columns.third_width) / 2;
  columns.fit = space >= m.pad;
  columns.second_x = x + first + space;
  columns.third_x = x + width - columns.third_width;
  return columns;
}

int block_height(const Metrics& m, const Font& numeral) {
  return caption_height(m) + caption_space(m) + font_height(numeral) + 2 * m.line;
}

int block_bar_y(const Metrics& m, const Font& numeral) {
  return caption_height(m) + caption_space(m) + m.line + numeral.ascent - bar_height(m);
}

int tall_graph_y(const Metrics& m) {
  return block_height(m, *m.big_numeral) + m.gap + stat_height(m, *m.medium) + m.row_gap / 2;
}

int column_graph_y(const Inner& in) {
  return (in.bottom - in.y) * 47 / 100;
}

}  // namespace inktop
