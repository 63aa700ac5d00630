// Graphs of the last five minutes. They sweep: a bar moves over a graph that stands still, and leaves the new
// samples behind it, since a graph that scrolls would flip every pixel of its line with every step.
#pragma once

#include <cstdint>

#include "machine/history.h"
#include "picture/scene.h"
#include "picture/view.h"

namespace inktop {

// Graphs take the samples of ten seconds at a time. The bar, the gap and every new column flip pixels, so
// between two steps a graph is still: on a machine that idles, four of five 2-second slots have nothing to
// show. The numbers beside a graph follow at once.
constexpr int kGraphStepSeconds = 10;
constexpr int kGraphSegments = kHistorySeconds / kGraphStepSeconds;
static_assert(kHistorySeconds % kGraphStepSeconds == 0, "a segment of a graph is one step");
static_assert(86400 % kHistorySeconds == 0, "the sweep runs on over midnight");

// The moment that graphs show, and how to find its samples.
struct GraphTime {
  uint32_t newest_uptime = 0;  // of the newest sample
  int32_t newest_second = 0;   // of the day, of the same sample; without a clock: its uptime
  bool has_clock = false;

  // The first second that is not shown yet.
  int32_t end() const { return newest_second - newest_second % kGraphStepSeconds; }
};

GraphTime graph_time(const View& view);

// What one segment shows: ten seconds of samples, or the bar.
struct Segment {
  bool bar = false;
  bool joined = false;       // its line begins at the sample before its first one
  int32_t first_second = 0;  // may be of the day before: negative
};
Segment segment_at(const GraphTime& time, int index);

// A series over five minutes; `full` is the value at the upper edge.
void graph_items(Scene& scene, const Rect& rect, int line, const Series& series, const GraphTime& time,
                 uint64_t full);
// The minutes under a graph of that width, and a caption at the right end where there is room.
void minutes_items(Scene& scene, const Rect& rect, const Font& font, const GraphTime& time,
                   const char* caption);

}  // namespace inktop
