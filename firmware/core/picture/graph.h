// Graphs of the last five minutes, hour or day. They sweep: a gap moves over a graph that stands still, and
// leaves the new samples behind it, since a graph that scrolls would flip every pixel of its line with every
// step.
#pragma once

#include <cstdint>

#include "machine/history.h"
#include "picture/layout.h"
#include "picture/scene.h"
#include "picture/view.h"

namespace inktop {

// Graphs take the samples of a step at a time. The gap and every new column flip pixels, so between two steps
// a graph is still: on a machine that idles, four of five 2-second slots have nothing to show. The numbers
// beside a graph follow at once.
constexpr int32_t step_seconds(Span span) {
  return span == Span::five_minutes ? 10 : span == Span::hour ? 60 : 288;
}
static_assert((kKeptColumns - kGraphColumns) * column_seconds(Span::five_minutes) >= 10,
              "what is right of the gap is kept until the gap has passed it");

// The moment that graphs show, and how to find its samples.
struct GraphTime {
  Span span = Span::five_minutes;
  uint32_t newest_uptime = 0;  // of the newest sample
  int32_t newest_second = 0;   // of the day, of the same sample; without a clock: its uptime
  bool has_clock = false;
  bool twelve_hours = false;
  bool known = false;  // there has been a sample

  // The first second that is not shown yet.
  int32_t end() const { return newest_second - newest_second % step_seconds(span); }
};

GraphTime graph_time(const View& view);

// What one column shows.
struct Column {
  bool gap = false;
  bool joined = false;  // its line goes on from the column before
  int32_t second = 0;   // at which it begins; may be of the day before: negative
};
// `gap`: width of the gap in columns.
Column column_at(const GraphTime& time, int index, int gap);

// Mean and largest sample of what a graph shows.
Sample summary_of(const Series& series, const GraphTime& time);

// A graph with its scale at the right, the minutes below, a wedge over "now", and above it a line of words.
struct Graph {
  const Series* series = nullptr;
  uint64_t full = 1000;            // the value at the upper edge
  const Series* dashed = nullptr;  // permille, as a line over the curve
  const Series* below = nullptr;   // mirrored under the axis
  uint64_t below_full = 1;
  const char* scale[3] = {"100", "50", "0"};  // at the right: top, middle and bottom
  const char* left = "";                      // above, on the left
  const char* right = "";                     // above, on the right
  const char* right_brief = "";               // where `right` leaves no room for the key
  const char* fill_name = nullptr;            // a key to the inks instead of `left`
  const char* dash_name = nullptr;
};

// A key's sample of the fill or of the dashes, legend_sample() wide.
int legend_sample(const Metrics& m);
void legend_item(Scene& scene, const Metrics& m, const Rect& swatch, bool dashes);
// The least height that is worth a graph.
int least_graph(const Metrics& m);
void graph_items(Scene& scene, const Metrics& m, const Rect& rect, const Graph& graph, const GraphTime& time);

}  // namespace inktop
