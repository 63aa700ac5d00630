#include "picture/graph.h"

#include "picture/format.h"
#include "picture/items.h"

namespace inktop {

namespace {

// Heights of the samples of one segment, px above the axis; -1 unknown. The one before them joins the line.
struct Heights {
  int before = -1;
  int of[kGraphStepSeconds];
};

int height_of(const Series& series, const GraphTime& time, int32_t second, int room, uint64_t full) {
  const int32_t age = time.newest_second - second;
  if (age < 0 || age >= kHistorySeconds || static_cast<int64_t>(age) > time.newest_uptime) return -1;
  const uint64_t value = series.at(time.newest_uptime - static_cast<uint32_t>(age));
  if (value == Series::kUnknown) return -1;
  if (value >= full) return room;
  return static_cast<int>((value * static_cast<uint64_t>(room) + full / 2) / full);
}

// Draws the columns of seconds [0, kGraphStepSeconds) between x0 and x1, within the plot.
void draw_segment(Canvas& canvas, const Rect& plot, int x0, int x1, const Heights& heights, int line) {
  const int axis = plot.bottom() - line;
  const int width = x1 - x0;
  const auto y_of = [&](int height) { return axis - height; };
  int before = heights.before;
  // What every column of the segment has in common is filled at once, word-wise.
  int common = plot.y;
  for (const int height : heights.of) {
    const int lower = height < 0 ? axis : y_of(height) + line;
    if (lower > common) common = lower;
  }
  if (before >= 0 && heights.of[0] >= 0 && y_of(before) + line > common) common = y_of(before) + line;
  if (common < axis) canvas.fill({x0, common, width, axis - common}, Ink::fill);
  // The line is as thick where it is steep: a column covers what the `line` columns up to it pass through.
  constexpr int kMostLine = 4;
  int trail[kMostLine];
  int trailing = 0;
  if (before >= 0 && heights.of[0] >= 0) trail[trailing++] = y_of(before);
  for (int x = 0; x < width; ++x) {
    const int column = x * kGraphStepSeconds / width;
    const int height = heights.of[column];
    const int start = (column * width + kGraphStepSeconds - 1) / kGraphStepSeconds;
    if (x == start && column > 0) before = heights.of[column - 1];
    if (height < 0) {
      canvas.fill({x0 + x, axis + line - 1, 1, 1}, Ink::black);
      trailing = 0;
      continue;
    }
    // From the sample before to this one over the width of the column.
    const int next = ((column + 1) * width + kGraphStepSeconds - 1) / kGraphStepSeconds;
    int y = y_of(height);
    if (before >= 0) y = y_of(before) + (y_of(height) - y_of(before)) * (x - start + 1) / (next - start);
    if (trailing >= line || trailing == kMostLine) {
      for (int i = 1; i < trailing; ++i) trail[i - 1] = trail[i];
      --trailing;
    }
    trail[trailing++] = y;
    int from = y;
    int to = y;
    for (int i = 0; i < trailing; ++i) {
      if (trail[i] < from) from = trail[i];
      if (trail[i] > to) to = trail[i];
    }
    to += line;
    canvas.fill({x0 + x, from, 1, to - from}, Ink::black);
    if (to < common) canvas.fill({x0 + x, to, 1, common - to}, Ink::fill);
    if (axis > from) canvas.fill({x0 + x, axis, 1, line}, Ink::black);
  }
}

}  // namespace

GraphTime graph_time(const View& view) {
  GraphTime time;
  if (view.history == nullptr || view.history->empty()) return time;
  time.newest_uptime = view.history->newest();
  time.has_clock = view.second_of_day >= 0;
  time.newest_second =
      time.has_clock ? view.second_of_day : static_cast<int32_t>(time.newest_uptime % 86400u);
  return time;
}

void graph_items(Scene& scene, const Rect& rect, int line, const Series& series, const GraphTime& time,
                 uint64_t full) {
  const int room = rect.height - line;
  for (int segment = 0; segment < kGraphSegments; ++segment) {
    const int x0 = rect.x + segment * rect.width / kGraphSegments;
    const int x1 = rect.x + (segment + 1) * rect.width / kGraphSegments;
    const Rect box{x0, rect.y, x1 - x0, rect.height};
    const Segment shown = segment_at(time, segment);
    Heights heights;
    Key key = key_of(Kind::segment).add_byte(shown.bar ? 1 : 0);
    if (!shown.bar) {
      const int32_t first = shown.first_second;
      if (shown.joined) heights.before = height_of(series, time, first - 1, room, full);
      key.add(static_cast<uint64_t>(static_cast<int64_t>(heights.before)));
      for (int i = 0; i < kGraphStepSeconds; ++i) {
        heights.of[i] = height_of(series, time, first + i, room, full);
        key.add_byte(static_cast<uint8_t>(heights.of[i])).add_byte(static_cast<uint8_t>(heights.of[i] >> 8));
      }
    }
    if (!scene.item(box, key)) continue;
    Canvas& canvas = scene.canvas();
    if (shown.bar) {
      // Thinner than the line: on an idle machine the bar is nearly all that moves.
      canvas.fill({x0, rect.y, line - 1, rect.height}, Ink::black);
      continue;
    }
    // The grid lies under the curve: quarters of the height, and the minutes.
    for (int quarter = 0; quarter < 4; ++quarter) {
      canvas.dots_across(x0, rect.y + quarter * room / 4, x1 - x0, 8);
    }
    if (segment % (60 / kGraphStepSeconds) == 0 && segment > 0) canvas.dots_down(x0, rect.y, room, 8);
    draw_segment(canvas, rect, x0, x1, heights, line);
  }
}

void minutes_items(Scene& scene, const Rect& rect, const Font& font, const GraphTime& time,
                   const char* caption) {
  const int positions = kHistorySeconds / 60;
  const int pitch = rect.width / positions;
  const int label = text_width(font, "00:00");
  const int caption_width = text_width(font, caption);
  // Narrow graphs name fewer minutes rather than squeezing them.
  const int every = label + 12 <= pitch ? 1 : 2 * pitch >= label + 12 ? 2 : positions;
  for (int position = 0; position < positions; position += every) {
    const int x = rect.x + position * rect.width / positions;
    if (x + label > rect.right()) break;
    if (position > 0 && caption_width > 0 && x + label + 16 > rect.right() - caption_width) break;
    ShortText text;
    if (time.has_clock) {
      // The newest minute that this place is for: right of the bar, of the turn before.
      const int32_t minute = (time.end() + 86400) / 60;
      const int32_t shown = minute - (minute - position + positions) % positions;
      text = format_clock(shown % 1440 * 60, false);
    }
    text_item(scene, text_rect(font, x + (position > 0 ? 2 : 0), rect.y, label), font, text.c_str());
  }
  if (caption_width > 0) {
    const int width = caption_width < rect.width / 2 ? caption_width : rect.width / 2;
    text_item(scene, text_rect(font, rect.right() - width, rect.y, width), font, caption, Align::right);
  }
}

}  // namespace inktop
