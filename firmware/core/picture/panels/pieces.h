// What several panels are made of: a number under its caption, a bar, a graph with its words.
#pragma once

#include <cstdint>

#include "picture/format.h"
#include "picture/graph.h"
#include "picture/items.h"
#include "picture/layout.h"
#include "picture/panels/frame.h"
#include "picture/scene.h"

namespace inktop {

constexpr int32_t kFullPermille = 1000;

// kUnknown where either is, or where there is nothing to share.
int32_t share_permille(int64_t part, int64_t whole);
int64_t milligib_of_mib(int64_t mib);

// "6.9 GiB" in the unit of the scale.
LongText memory_text(int64_t milligib, int64_t scale_milligib);
// "6.9" and "/ 125.9 GiB"; from 100 GiB up without tenths where `brief`.
struct MemoryPair {
  ShortText used;
  ShortText rest;
};
MemoryPair memory_pair(int64_t used_milligib, int64_t total_milligib, bool brief);
// "6.9 / 125.9 GiB".
LongText memory_words(int64_t used_milligib, int64_t total_milligib);
// "/ 110 °C", or "°C" where the limit is unknown.
ShortText degrees_of(const View& view, int32_t limit_c);
// A temperature that is a number of its own.
int32_t degrees(const View& view, int32_t celsius);
const char* degrees_unit(const View& view);

// Without GPUs no number is larger than a panel's first: in a panel of the whole width it is as big as
// theirs.
bool has_room_for_big(const View& view, const Metrics& m, const Inner& in);

int font_height(const Font& font);
// Without GPUs the panels are columns of the full height; where they are wider than tall (portrait), they are
// as beside GPUs.
bool is_column(const View& view, const Rect& rect);

// A number with its unit under its caption: the same rows for every font of the same block.
struct Stat {
  const char* caption = "";
  ShortText number;
  ShortText unit;
  Emphasis emphasis = Emphasis::none;
};
int stat_height(const Metrics& m, const Font& number);
// The unit's font follows from the number's.
const Font& unit_font(const Metrics& m, const Font& number);
void stat(Scene& scene, const Metrics& m, int x, int y, int width, const Font& number_font, const Stat& stat);
// Equal columns, as many rows as it takes; returns the height. A number never moves another one.
int stat_rows(Scene& scene, const Metrics& m, int x, int y, int width, const Stat* stats, int count);
int stat_rows_height(const Metrics& m, int width, int count);

// A name on the left and a value on the right.
void named_value(Scene& scene, const Metrics& m, int x, int y, int width, const char* name,
                 const char* value);

// The width of "100%".
int numeral_width(const Metrics& m, const Font& numeral);
// The height of a bar below a big number.
int bar_height(const Metrics& m);
// "5 min: mean 48   max 97" of a series, in the unit that `scale` of it makes one.
LongText summary_text(const Series& series, const GraphTime& time, int64_t scale);
const char* span_name(Span span);

// The upper block of a panel: a number in the biggest font, and beside it numbers with bars that end on its
// baseline. Its height, and where such a bar lies within it.
struct Columns {
  int second_x = 0;
  int third_x = 0;
  int third_width = 0;
  bool fit = false;
};
constexpr char kWidestLimit[] =
    "/ 110 \xB0"
    "C";
// A percentage, memory with its total and a temperature with its limit, side by side.
Columns three_columns(const Metrics& m, int x, int width);
int block_height(const Metrics& m, const Font& numeral);
int block_bar_y(const Metrics& m, const Font& numeral);
// From the upper edge of a panel's content to its graph where panels are as tall as a GPU's: the graphs of
// its neighbours begin on the same line.
int tall_graph_y(const Metrics& m);
// The same where there are no GPUs, and panels fill the height.
int column_graph_y(const Inner& in);

}  // namespace inktop
