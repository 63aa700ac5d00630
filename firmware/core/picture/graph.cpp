#include "picture/graph.h"

#include <initializer_list>

#include "picture/format.h"
#include "picture/items.h"

namespace inktop {

namespace {

// A graph is drawn in pieces of so many columns: what does not change is not drawn again.
constexpr int kPieceColumns = 10;
constexpr int kPieces = kGraphColumns / kPieceColumns;
static_assert(kGraphColumns % kPieceColumns == 0, "a graph is whole pieces");
constexpr int kGap = 12;   // px, of the gap at "now"
constexpr int kWedge = 8;  // height of the wedge over it
constexpr int kDash = 12;  // px from dash to dash
constexpr int kDashInk = 8;

constexpr int kNone = -1;   // no sample
constexpr int kBlank = -2;  // the gap

// Heights of the samples of one piece, px from the axis. The one before them joins the line.
struct Heights {
  int before = kNone;
  int most[kPieceColumns];
  int mean[kPieceColumns];
};

int scaled(uint64_t value, int room, uint64_t full) {
  if (value >= full) return room;
  return static_cast<int>((value * static_cast<uint64_t>(room) + full / 2) / full);
}

Sample sample_at(const Series& series, const GraphTime& time, int32_t second) {
  const int32_t age = time.newest_second - second;
  if (age < 0 || static_cast<int64_t>(age) > time.newest_uptime) return Sample();
  return series.at(time.newest_uptime - static_cast<uint32_t>(age), time.span);
}

Heights heights_of(const Series& series, const GraphTime& time, int piece, int gap, int room, uint64_t full,
                   Key& key) {
  Heights heights;
  for (int i = 0; i < kPieceColumns; ++i) {
    const Column column = column_at(time, piece * kPieceColumns + i, gap);
    if (i == 0 && column.joined) {
      const Sample before = sample_at(series, time, column.second - column_seconds(time.span));
      if (before.known()) heights.before = scaled(before.most, room, full);
    }
    const Sample sample = column.gap ? Sample() : sample_at(series, time, column.second);
    heights.most[i] = column.gap ? kBlank : sample.known() ? scaled(sample.most, room, full) : kNone;
    heights.mean[i] = sample.known() ? scaled(sample.mean, room, full) : heights.most[i];
    key.add_byte(static_cast<uint8_t>(heights.most[i])).add_byte(static_cast<uint8_t>(heights.most[i] >> 8));
    key.add_byte(static_cast<uint8_t>(heights.mean[i])).add_byte(static_cast<uint8_t>(heights.mean[i] >> 8));
  }
  key.add(static_cast<uint64_t>(static_cast<int64_t>(heights.before)));
  return heights;
}

// One side of an axis: rows are counted away from it.
struct Side {
  int base;  // the row at which height 0 begins, looking away from the axis
  bool down;

  Rect rows(int x, int width, int from, int to) const {
    return {x, down ? base + from : base - to, width, to - from};
  }
};

// The first pixel of a column within its piece.
int column_start(int column, int width) {
  return (column * width + kPieceColumns - 1) / kPieceColumns;
}

void draw_curve(Canvas& canvas, const Side& side, int x0, int width, const Heights& heights, int line) {
  // The line is as thick where it is steep: a column covers what the `line` columns up to it pass through.
  constexpr int kMostLine = 4;
  int trail[kMostLine];
  int trailing = 0;
  int before = heights.before;
  if (before >= 0 && heights.most[0] >= 0) trail[trailing++] = before;
  // What all columns have in common is filled at once, word-wise.
  int common = before >= 0 ? before : heights.most[0];
  for (int i = 0; i < kPieceColumns; ++i) {
    if (heights.most[i] < common) common = heights.most[i];
    if (heights.mean[i] < common) common = heights.mean[i];
  }
  if (common > line) {
    canvas.fill(side.rows(x0, width, 0, line), Ink::black);
    canvas.fill(side.rows(x0, width, line, common), Ink::fill);
  } else {
    common = 0;
  }
  for (int x = 0; x < width; ++x) {
    const int column = x * kPieceColumns / width;
    const int height = heights.most[column];
    const int start = column_start(column, width);
    if (x == start && column > 0) before = heights.most[column - 1];
    if (height < 0) {
      if (height == kNone) canvas.fill(side.rows(x0 + x, 1, 0, 1), Ink::black);
      trailing = 0;
      continue;
    }
    // From the sample before to this one over the width of the column.
    const int next = column_start(column + 1, width);
    int y = height;
    if (before >= 0) y = before + (height - before) * (x - start + 1) / (next - start);
    if (trailing >= line || trailing == kMostLine) {
      for (int i = 1; i < trailing; ++i) trail[i - 1] = trail[i];
      --trailing;
    }
    trail[trailing++] = y;
    int low = y;
    int high = y;
    for (int i = 0; i < trailing; ++i) {
      if (trail[i] < low) low = trail[i];
      if (trail[i] > high) high = trail[i];
    }
    // The axis, the mean under its fill, what the largest samples reach beyond it, and the line.
    if (common == 0) canvas.fill(side.rows(x0 + x, 1, 0, line < low ? line : low), Ink::black);
    int mean = heights.mean[column] < low && heights.mean[column] < height ? heights.mean[column] : low;
    const int filled = common > line ? common : line;
    if (mean > filled) canvas.fill(side.rows(x0 + x, 1, filled, mean), Ink::fill);
    if (mean < filled) mean = filled;
    if (low > mean) canvas.fill(side.rows(x0 + x, 1, mean, low), Ink::light);
    canvas.fill(side.rows(x0 + x, 1, low, high + line), Ink::black);
  }
}

// Dashes keep to the panel, not to the graph: what stands still flips nothing.
void draw_dashes(Canvas& canvas, const Side& side, int x0, int width, const Heights& heights, int line,
                 int room) {
  int before = heights.before;
  for (int x = 0; x < width; ++x) {
    const int column = x * kPieceColumns / width;
    const int height = heights.most[column];
    if (x == column_start(column, width) && column > 0) before = heights.most[column - 1];
    if (height < 0) continue;
    int low = height;
    int high = height;
    if (x == column_start(column, width) && before >= 0) {
      if (before < low) low = before;
      if (before > high) high = before;
    }
    if ((x0 + x) % kDash >= kDashInk && high - low <= line) continue;
    const int edge = line - 1;  // white, so that the line is seen on the fill
    const int from = low > edge ? low - edge : 0;
    const int most = room + line;
    const int to = high + line + edge < most ? high + line + edge : most;
    if (low >= line) canvas.fill(side.rows(x0 + x, 1, from < line ? line : from, to), Ink::white);
    canvas.fill(side.rows(x0 + x, 1, low, high + line), Ink::black);
  }
}

// Where minutes or hours are named, and their vertical dots.
int positions_of(Span span) {
  return span == Span::five_minutes ? 5 : 6;
}

int first_x(const Rect& plot, int column) {
  return plot.x + column * plot.width / kGraphColumns;
}

void plot_items(Scene& scene, const Metrics& m, const Rect& plot, const Graph& graph, const GraphTime& time,
                int gap) {
  const int line = m.line;
  const int axis = graph.below != nullptr ? plot.y + (plot.height - line) / 2 : plot.bottom() - line;
  const int room = axis - plot.y;
  const int room_below = plot.bottom() - line - axis;
  const Side up{axis + line, false};
  const Side down{axis, true};
  const int columns_apart = kGraphColumns / positions_of(time.span);
  for (int piece = 0; piece < kPieces; ++piece) {
    const int x0 = first_x(plot, piece * kPieceColumns);
    const int width = first_x(plot, (piece + 1) * kPieceColumns) - x0;
    Key key = key_of(Kind::segment);
    const Heights heights = heights_of(*graph.series, time, piece, gap, room, graph.full, key);
    Heights dashed;
    if (graph.dashed != nullptr) dashed = heights_of(*graph.dashed, time, piece, gap, room, 1000, key);
    Heights below;
    if (graph.below != nullptr) {
      below = heights_of(*graph.below, time, piece, gap, room_below, graph.below_full, key);
    }
    key.add_byte(static_cast<uint8_t>(time.span));
    if (width <= 0 || !scene.item({x0, plot.y, width, plot.height}, key)) continue;
    Canvas& canvas = scene.canvas();
    // The grid lies under the curve, in the gap too.
    for (int quarter = 0; quarter < 4; ++quarter) {
      canvas.dots_across(x0, plot.y + quarter * (plot.height - line) / 4, width, 8);
    }
    if (piece > 0 && piece * kPieceColumns % columns_apart == 0) {
      canvas.dots_down(x0, plot.y, plot.height - line, 8);
    }
    draw_curve(canvas, up, x0, width, heights, line);
    if (graph.below != nullptr) draw_curve(canvas, down, x0, width, below, line);
    if (graph.dashed != nullptr) draw_dashes(canvas, up, x0, width, dashed, line, room);
  }
}

// The wedge that shows where "now" is.
void wedge_item(Scene& scene, const Rect& rect, int x) {
  if (!scene.item(rect, key_of(Kind::wedge).add(static_cast<uint64_t>(x)))) return;
  for (int row = 0; row < rect.height; ++row) {
    const int half = rect.height - 1 - row;
    const int left = x - half < rect.x ? rect.x : x - half;
    const int right = x + half + 1 > rect.right() ? rect.right() : x + half + 1;
    if (right > left) scene.canvas().fill({left, rect.y + row, right - left, 1}, Ink::black);
  }
}

void minutes_items(Scene& scene, const Metrics& m, const Rect& rect, const GraphTime& time) {
  const Font& font = *m.caption;
  const int positions = positions_of(time.span);
  const int32_t apart = span_seconds(time.span) / positions;
  const int label = text_width(font, "00:00");
  // Narrow graphs name fewer minutes rather than squeezing them.
  int every = 1;
  while (every < positions && rect.width * every / positions < label + 24) ++every;
  for (int position = 0; position < positions; position += every) {
    const int x = rect.x + position * rect.width / positions;
    if (x + label > rect.right()) break;
    ShortText text;
    if (time.has_clock) {
      // The newest moment that this place is for: right of the gap, of the turn before.
      const int32_t turns = (time.end() + 86400) / apart;
      const int32_t shown = turns - (turns - position + positions) % positions;
      text = format_minute(shown * apart % 86400, time.twelve_hours);
    }
    text_item(scene, text_rect(font, x, rect.y, label), font, text.c_str());
  }
}

int legend_width(const Metrics& m, const char* name) {
  return name == nullptr ? 0 : legend_sample(m) + 8 + text_width(*m.caption, name);
}

// "the fill is busy %, the dashes are VRAM %"; where there is room for one of them, the dashes: the fill is
// the panel's largest number.
void legend_items(Scene& scene, const Metrics& m, int x, int y, const Graph& graph, int room) {
  const Font& font = *m.caption;
  const int sample = legend_sample(m);
  const int fill = legend_width(m, graph.fill_name);
  const int dashed = legend_width(m, graph.dash_name);
  int used = 0;
  const auto one = [&](const char* name, bool dashes) {
    const int width = legend_width(m, name);
    if (name == nullptr || used + width > room) return;
    legend_item(scene, m, {x + used, y + font.ascent - font.capital, sample, font.capital}, dashes);
    text_item(scene, text_rect(font, x + used + sample + 8, y, width - sample - 8), font, name);
    used += width + m.pad;
  };
  const bool both = dashed == 0 || fill + m.pad + dashed <= room;
  if (both || dashed > room) one(graph.fill_name, false);
  one(graph.dash_name, true);
}

}  // namespace

GraphTime graph_time(const View& view) {
  GraphTime time;
  time.span = view.span;
  time.twelve_hours = view.taste.twelve_hours;
  if (view.history == nullptr || view.history->empty()) return time;
  time.known = true;
  time.newest_uptime = view.history->newest();
  time.has_clock = view.second_of_day >= 0;
  time.newest_second =
      time.has_clock ? view.second_of_day : static_cast<int32_t>(time.newest_uptime % 86400u);
  return time;
}

Sample summary_of(const Series& series, const GraphTime& time) {
  Sample summary;
  uint64_t sum = 0;
  uint32_t count = 0;
  for (int i = 0; i < kGraphColumns; ++i) {
    const Column column = column_at(time, i, 0);
    const Sample sample = sample_at(series, time, column.second);
    if (!sample.known()) continue;
    sum += sample.mean;
    ++count;
    if (summary.most == Sample::kUnknown || sample.most > summary.most) summary.most = sample.most;
  }
  if (count > 0) summary.mean = static_cast<uint32_t>((sum + count / 2) / count);
  return summary;
}

int legend_sample(const Metrics& m) {
  return m.pad + m.pad / 4;
}

void legend_item(Scene& scene, const Metrics& m, const Rect& swatch, bool dashes) {
  if (!scene.item(swatch, key_of(Kind::legend).add_byte(dashes ? 1 : 0))) return;
  Canvas& canvas = scene.canvas();
  if (!dashes) {
    canvas.fill(swatch, Ink::fill);
    canvas.fill({swatch.x, swatch.y, swatch.width, m.line}, Ink::black);
    return;
  }
  const int middle = swatch.y + (swatch.height - m.line) / 2;
  for (int at = 0; at < swatch.width; at += kDash) {
    const int ink = at + kDashInk > swatch.width ? swatch.width - at : kDashInk;
    canvas.fill({swatch.x + at, middle, ink, m.line}, Ink::black);
  }
}

int least_graph(const Metrics& m) {
  return 2 * (m.caption->ascent + m.caption->descent) + kWedge + 10 + 2 * m.pad;
}

void graph_items(Scene& scene, const Metrics& m, const Rect& rect, const Graph& graph,
                 const GraphTime& time) {
  const Font& font = *m.caption;
  const int words = font.ascent + font.descent;
  int scale_width = 0;
  for (const char* text : graph.scale) {
    const int width = text_width(font, text);
    if (width > scale_width) scale_width = width;
  }
  const bool with_words = *graph.left != 0 || *graph.right != 0 || graph.fill_name != nullptr;
  const int over = kWedge + 4;
  const int top = rect.y + (with_words ? words : 0) + over;
  const int bottom = rect.bottom() - words - 6;
  const int width = rect.width - scale_width - 10;
  if (bottom - top < 16 || width < kGraphColumns / 4) return;
  const Rect plot{rect.x, top, width, bottom - top};
  if (with_words) {
    // On the right the words end where the plot does; the key gives way to them.
    const char* right = graph.right;
    const int key = legend_width(m, graph.fill_name) + m.pad + legend_width(m, graph.dash_name);
    if (graph.dash_name != nullptr && *graph.right_brief != 0 &&
        key + m.pad + text_width(font, right) > width)
      right = graph.right_brief;
    const int right_width = text_width(font, right);
    const bool both = right_width + m.pad < width;
    int room = both && right_width > 0 ? width - right_width - m.pad : width;
    if (graph.fill_name != nullptr) {
      legend_items(scene, m, rect.x, rect.y, graph, room);
    } else if (*graph.left != 0 && text_width(font, graph.left) <= room) {
      text_item(scene, {rect.x, rect.y, room, words}, font, graph.left);
    }
    if (right_width > 0 && both) {
      text_item(scene, {rect.x + width - right_width, rect.y, right_width, words}, font, right);
    }
  }
  const int gap = (kGap * kGraphColumns + width - 1) / width;
  const int32_t now = time.end() % span_seconds(time.span) / column_seconds(time.span);
  if (time.known) {
    wedge_item(scene, {rect.x - kWedge, top - kWedge - 2, width + kWedge, kWedge},
               first_x(plot, static_cast<int>(now)));
  }
  plot_items(scene, m, plot, graph, time, gap);
  minutes_items(scene, m, {rect.x, bottom + 6, width, words}, time);
  // The scale stands beside the lines that it names, as far as there is room between them.
  const int x = plot.right() + 10;
  const int half = words / 2;
  const int middle = plot.y + (plot.height - m.line) / 2;
  const int places[3] = {plot.y - half + 2, middle - half, plot.bottom() - m.line - half - 1};
  for (int i = 0; i < 3; ++i) {
    if (i == 1 && plot.height < 3 * words) continue;
    text_item(scene, text_rect(font, x, places[i], scale_width), font, graph.scale[i]);
  }
}

}  // namespace inktop
