// What several panels are made of: a number under its caption, a bar with its name, a graph with its minutes.
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

// "6.9 GiB" in the unit of the scale, and "6.9 / 125.9 GiB".
LongText memory_text(int64_t milligib, int64_t scale_milligib);
LongText memory_pair(int64_t used_milligib, int64_t total_milligib);

// A caption above a number with its unit.
int stat_height(const Metrics& m, const Font& number);
void stat(Scene& scene, const Metrics& m, int x, int y, int width, const char* caption,
          const Font& number_font, const char* number, const char* unit, Emphasis emphasis = Emphasis::none);

struct Stat {
  const char* caption;
  ShortText number;
  const char* unit;
  const char* widest;  // number: decides the font
  Emphasis emphasis = Emphasis::none;
};

// Equal columns, so that a number never moves another one; the larger font where it fits into all of them.
void stat_row(Scene& scene, const Metrics& m, const Rect& rect, const Stat* stats, int count);

// A name on the left and a value on the right, alone or with a bar under them.
void named_value(Scene& scene, const Metrics& m, int x, int y, int width, const char* name,
                 const char* value);
int labelled_bar_height(const Metrics& m);
void labelled_bar(Scene& scene, const Metrics& m, const Rect& rect, const char* name, const char* value,
                  int32_t permille);

// The big percentage of a panel.
int numeral_width(const Font& numeral, const Font& unit);
void numeral_item(Scene& scene, const Rect& rect, const Font& numeral, const Font& unit, const char* number);

// A graph with its minutes below it; `name` and `number` are those of its element.
void graph_with_minutes(Scene& scene, const Metrics& m, const Rect& rect, const Series& series,
                        const GraphTime& time, uint64_t full, const char* caption, const char* name,
                        int number);

// Whether the bars have room beside the big number.
bool is_wide(const Metrics& m, int inner_width);
// Where the bars, the cells and the words beside a big number begin.
int beside_numeral(const Metrics& m, const Inner& in);
// From the upper edge of a wide GPU panel's content to its row of numbers, and to its graph: the graphs of
// its neighbours begin on the same line.
int wide_upper(const Metrics& m);
int wide_graph(const Metrics& m);

}  // namespace inktop
