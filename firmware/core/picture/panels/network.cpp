#include "picture/panels/network.h"

#include <cstring>

#include "picture/panels/frame.h"
#include "picture/panels/pieces.h"

namespace inktop {

namespace {

// The graphs never magnify less than this: the murmur of an idle link stays a flat line.
constexpr uint64_t kRateFloorBytes = 100000;

// "500k": beside the line that it names.
ShortText scale_text(uint64_t bytes_s) {
  ShortText text;
  if (bytes_s >= 1000000000ull)
    return text.add_number(static_cast<int64_t>(bytes_s / 1000000000ull)).add('G');
  if (bytes_s >= 1000000ull) return text.add_number(static_cast<int64_t>(bytes_s / 1000000ull)).add('M');
  return text.add_number(static_cast<int64_t>(bytes_s / 1000ull)).add('k');
}

struct Direction {
  const char* name;
  int64_t bytes_s;
  const Series* series;
};

uint64_t full_scale(const Direction& direction, Span span) {
  return nice_ceiling(uint64_t{direction.series->max(span)} * History::kRateUnit, kRateFloorBytes);
}

LongText peak_text(const Direction& direction, const GraphTime& time, bool with_span) {
  const Sample summary = summary_of(*direction.series, time);
  LongText text;
  if (!summary.known()) return text;
  const Quantity peak = format_rate(int64_t{summary.most} * History::kRateUnit);
  if (with_span) text.add(span_name(time.span)).add(": ");
  return text.add("peak ").add(peak.number.c_str()).add(' ').add(peak.unit);
}

int peak_space(const Metrics& m, const Font& numeral) {
  return &numeral == m.big_numeral ? m.row_gap : m.line;
}

// A rate under its caption with its peak below; the unit beside the number, or in the caption.
void draw_direction(Scene& scene, const View& view, const Metrics& m, int x, int y, int width,
                    const Font& numeral, const Direction& direction, bool unit_beside) {
  const Quantity rate = format_rate(direction.bytes_s);
  LongText caption;
  caption.add(direction.name);
  Stat number;
  number.number = rate.number;
  if (unit_beside) {
    number.unit.add(rate.unit);
  } else {
    caption.add(' ').add(rate.unit);
  }
  number.caption = caption.c_str();
  number.emphasis = big_emphasis(view);
  stat(scene, m, x, y, width, numeral, number);
  const LongText peak = peak_text(direction, graph_time(view), unit_beside);
  if (text_width(*m.caption, peak.c_str()) > width) return;
  text_item(scene, text_rect(*m.caption, x, y + block_height(m, numeral) + peak_space(m, numeral), width),
            *m.caption, peak.c_str());
}

int direction_height(const Metrics& m, const Font& numeral) {
  return block_height(m, numeral) + peak_space(m, numeral) + font_height(*m.caption);
}

void draw_history(Scene& scene, const View& view, const Metrics& m, const Rect& rect, const Direction& down,
                  const Direction& up, bool words) {
  const GraphTime time = graph_time(view);
  Graph graph;
  graph.series = down.series;
  graph.below = up.series;
  const uint64_t above = full_scale(down, time.span);
  const uint64_t below = full_scale(up, time.span);
  graph.full = above / History::kRateUnit;
  graph.below_full = below / History::kRateUnit;
  const ShortText top = scale_text(above);
  const ShortText bottom = scale_text(below);
  graph.scale[0] = top.c_str();
  graph.scale[1] = "0";
  graph.scale[2] = bottom.c_str();
  if (words) graph.left = "down above, up below, B/s";
  scene.element("net graph", -1, rect);
  graph_items(scene, m, rect, graph, time);
}

}  // namespace

void draw_network(Scene& scene, const View& view, const Metrics& m, const Rect& rect) {
  const Snapshot& snapshot = *view.snapshot;
  const bool there = snapshot.has_network && std::strcmp(snapshot.network.name, "-") != 0;
  panel_items(scene, rect, m, "NET", there ? snapshot.network.name : "no interface");
  const Inner in = inner_of(rect, m);
  const int64_t unknown = kUnknown;
  const Direction down{"down", snapshot.has_network ? snapshot.network.received_bytes_s : unknown,
                       &view.history->received()};
  const Direction up{"up", snapshot.has_network ? snapshot.network.sent_bytes_s : unknown,
                     &view.history->sent()};
  if (is_column(view, rect)) {
    // Two big numbers, one above the other, and the graph on the line of its neighbours'.
    const int graph_y = column_graph_y(in);
    const bool big = 2 * direction_height(m, *m.big_numeral) + m.row_gap <= graph_y;
    const Font& numeral = big ? *m.big_numeral : *m.numeral;
    const int half = graph_y / 2;
    draw_direction(scene, view, m, in.x, in.y, in.width, numeral, down, big);
    draw_direction(scene, view, m, in.x, in.y + half, in.width, numeral, up, big);
    draw_history(scene, view, m, {in.x, in.y + graph_y, in.width, in.bottom - in.y - graph_y}, down, up,
                 true);
    return;
  }
  const bool beside = in.width >= 16 * m.pad + numeral_width(m, *m.numeral);
  if (beside) {
    const bool large = has_room_for_big(view, m, in);
    const Font& numeral = large ? *m.big_numeral : *m.numeral;
    const int peak_width = text_width(*m.caption, "peak 00.0 MB/s") + m.pad / 2;
    const int rate_width = text_width(numeral, "0.00") + m.pad / 2;
    const int width = large && rate_width > peak_width ? rate_width : peak_width;
    const int graph_x = in.x + width + 2 * m.pad;
    // Where there is room, each number beside its half of the graph.
    const int least = direction_height(m, numeral) + m.row_gap;
    const int half = (in.bottom - in.y) / 2;
    const int pitch = half > least ? half : least;
    draw_direction(scene, view, m, in.x, in.y, width, numeral, down, false);
    if (in.y + pitch + least - m.row_gap <= in.bottom) {
      draw_direction(scene, view, m, in.x, in.y + pitch, width, numeral, up, false);
    }
    draw_history(scene, view, m, {graph_x, in.y, in.x + in.width - graph_x, in.bottom - in.y}, down, up,
                 true);
    return;
  }
  const int width = (in.width - m.pad / 2) / 2;
  const int up_x = in.x + in.width - width;
  const Font& numeral = *m.title;
  draw_direction(scene, view, m, in.x, in.y, width, numeral, down, false);
  draw_direction(scene, view, m, up_x, in.y, width, numeral, up, false);
  const int y = in.y + direction_height(m, numeral) + m.line;
  draw_history(scene, view, m, {in.x, y, in.width, in.bottom - y}, down, up, false);
}

}  // namespace inktop
