// Owns the pieces that panels are made of: text, numbers with units, bars, cells, frames and sweeping graphs,
// each an item.
#pragma once

#include <cstdint>

#include "machine/history.h"
#include "picture/format.h"
#include "picture/layout.h"
#include "picture/scene.h"
#include "picture/text.h"

namespace inktop {

enum class Align : uint8_t { left, right, center };

// Graphs take the samples of ten seconds at a time. The bar, the gap and every new column flip pixels, so
// between two steps a graph is still: on a machine that idles, four of five 2-second slots have nothing to
// show. The numbers beside a graph follow at once.
constexpr int kGraphStepSeconds = 10;
constexpr int kGraphSegments = kHistorySeconds / kGraphStepSeconds;
static_assert(kHistorySeconds % kGraphStepSeconds == 0, "a segment of a graph is one step");
static_assert(86400 % kHistorySeconds == 0, "the sweep runs on over midnight");

// How graphs move. `scroll` exists for the bench alone: the board as one would draw it without thinking of
// ink.
enum class Motion : uint8_t { sweep, scroll };

// The moment that graphs show, and how to find its samples.
struct GraphTime {
  uint32_t newest_uptime = 0;  // of the newest sample
  int32_t newest_second = 0;   // of the day, of the same sample; without a clock: its uptime
  bool has_clock = false;
  Motion motion = Motion::sweep;

  // The first second that is not shown yet.
  int32_t end() const { return newest_second - newest_second % kGraphStepSeconds; }
};

// Rows of text: the rectangle of one line of `font` whose upper edge is at y.
Rect text_rect(const Font& font, int x, int y, int width);

void text_item(Scene& scene, const Rect& rect, const Font& font, const char* text, Align align = Align::left);
// How a number stands: as all others, or white on black because an alarm is about it.
enum class Emphasis : uint8_t { none, alarm };
// Number and unit on one baseline, the unit in its own smaller font.
void quantity_item(Scene& scene, const Rect& rect, const Font& number_font, const Font& unit_font,
                   const char* number, const char* unit, Emphasis emphasis = Emphasis::none);
int quantity_width(const Font& number_font, const Font& unit_font, const char* number, const char* unit);
// A word that must be seen: white on black.
void inverted_item(Scene& scene, const Rect& rect, const Font& font, const char* text);
// Blocks from the left; `permille` kUnknown: an empty bar without its dots.
void bar_item(Scene& scene, const Rect& rect, int32_t permille);
// A horizontal rule that fills its rectangle.
void rule_item(Scene& scene, const Rect& rect, Ink ink = Ink::black);

// What is wrong with what a panel shows, and the second of the day at which it began (-1 unknown).
struct PanelAlarm {
  LongText words;
  int32_t since_s = -1;
};

// Frame and title of a panel. With an alarm the title is inverted and says that instead of `right`.
void panel_items(Scene& scene, const Rect& rect, const Metrics& metrics, const char* left, const char* right,
                 const PanelAlarm& alarm = PanelAlarm());

// One cell a CPU, busy 0 ... 15, -1 unknown.
void cells_items(Scene& scene, const Rect& rect, const int8_t* levels, int count);

// A series over five minutes; `full` is the value at the upper edge.
void graph_items(Scene& scene, const Rect& rect, int line, const Series& series, const GraphTime& time,
                 uint64_t full);
// The minutes under a graph of that width, and a caption at the right end where there is room.
void minutes_items(Scene& scene, const Rect& rect, const Font& font, const GraphTime& time,
                   const char* caption);

}  // namespace inktop
