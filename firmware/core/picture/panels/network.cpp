#include "picture/panels/network.h"

#include <cstring>

#include "picture/panels/frame.h"
#include "picture/panels/pieces.h"

namespace inktop {

namespace {

// The network graphs never magnify less than this: the murmur of an idle link stays a flat line.
constexpr uint64_t kRateFloorBytes = 100000;

void draw_direction(Scene& scene, const Metrics& m, const Rect& rect, const char* name, int64_t bytes_s,
                    const Series& series, const GraphTime& time, bool minutes) {
  const Quantity rate = format_rate(bytes_s);
  const uint64_t full = nice_ceiling(series.max(), kRateFloorBytes);
  const Quantity scale_rate = format_rate(static_cast<int64_t>(full));
  LongText scale;
  // The upper edge of the graph is a round number: 5, not 5.00.
  const uint64_t unit = full >= 1000000000ull ? 1000000000ull : full >= 1000000ull ? 1000000ull : 1000ull;
  scale.add("to ").add_number(static_cast<int64_t>(full / unit)).add(' ').add(scale_rate.unit);
  // The scale stands where there is room for it beside the widest number.
  int scale_width = text_width(*m.caption, "to 500 MB/s");
  if (quantity_width(*m.value, *m.body, "00.0", "MB/s") + 16 + scale_width > rect.width) scale_width = -16;
  stat(scene, m, rect.x, rect.y, rect.width - scale_width - 16, name, *m.value, rate.number.c_str(),
       rate.unit);
  const int height = stat_height(m, *m.value);
  const int caption_height = m.caption->ascent + m.caption->descent;
  const int scale_y = rect.y + height - caption_height - m.value->descent;
  if (scale_width > 0) {
    text_item(scene, text_rect(*m.caption, rect.right() - scale_width, scale_y, scale_width), *m.caption,
              scale.c_str(), Align::right);
  }
  int bottom = rect.bottom();
  if (minutes) bottom -= caption_height + 6;
  const Rect plot{rect.x, rect.y + height, rect.width, bottom - rect.y - height};
  if (plot.height < 16) return;
  graph_items(scene, plot, m.line, series, time, full);
  if (minutes) {
    minutes_items(scene, {rect.x, bottom + 6, rect.width, caption_height}, *m.caption, time, "");
  }
}

}  // namespace

void draw_network(Scene& scene, const View& view, const Metrics& m, const Rect& rect) {
  const GraphTime time = graph_time(view);
  const Snapshot& snapshot = *view.snapshot;
  const bool there = snapshot.has_network && std::strcmp(snapshot.network.name, "-") != 0;
  panel_items(scene, rect, m, "NET", there ? snapshot.network.name : "no interface");
  const Inner in = inner_of(rect, m);
  const int64_t down =
      snapshot.has_network ? snapshot.network.received_bytes_s : static_cast<int64_t>(kUnknown);
  const int64_t up = snapshot.has_network ? snapshot.network.sent_bytes_s : static_cast<int64_t>(kUnknown);
  const int height = in.bottom - in.y;
  const int widest =
      quantity_width(*m.value, *m.body, "00.0", "MB/s") + text_width(*m.caption, "to 500 MB/s") + 32;
  const int half = (in.width - m.pad) / 2;
  if (half >= widest) {
    // Side by side where the panel is wide enough for two.
    scene.element("net graph", -1, {in.x, in.y, in.width, height});
    draw_direction(scene, m, {in.x, in.y, half, height}, "down", down, view.history->received(), time, true);
    draw_direction(scene, m, {in.x + in.width - half, in.y, half, height}, "up", up, view.history->sent(),
                   time, true);
    return;
  }
  const int caption_height = m.caption->ascent + m.caption->descent;
  const int block = (height - caption_height - 6 - m.row_gap) / 2;
  scene.element("net graph", -1, {in.x, in.y, in.width, height});
  draw_direction(scene, m, {in.x, in.y, in.width, block}, "down", down, view.history->received(), time,
                 false);
  const int y = in.y + block + m.row_gap;
  draw_direction(scene, m, {in.x, y, in.width, in.bottom - y}, "up", up, view.history->sent(), time, true);
}

}  // namespace inktop
