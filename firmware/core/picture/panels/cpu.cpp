#include "picture/panels/cpu.h"

#include "picture/panels/frame.h"
#include "picture/panels/pieces.h"

namespace inktop {

namespace {

// So few CPUs get a bar each: cells would be large black blocks.
constexpr int kMostCpuBars = 8;

void cpu_bars(Scene& scene, const Metrics& m, const Rect& rect, const int8_t* levels, int count) {
  if (count <= 0) return;
  const int space = m.row_gap;
  int rows = (rect.height + space) / (m.strip + space);
  if (rows > count) rows = count;
  if (rows < 1) rows = 1;
  const int columns = (count + rows - 1) / rows;
  rows = (count + columns - 1) / columns;
  const int width = (rect.width - (columns - 1) * m.pad) / columns;
  const int name_width = text_width(*m.caption, "0");
  const int caption_height = m.caption->ascent + m.caption->descent;
  if (width < name_width + 48) return;
  // Spread over the height, from the top of the big number down, with white below the last one too.
  const int pitch = rect.height / rows;
  for (int i = 0; i < count; ++i) {
    const int x = rect.x + i / rows * (width + m.pad);
    const int y = rect.y + i % rows * (pitch < 2 * m.strip ? pitch : 2 * m.strip);
    ShortText name;
    name.add_number(i);
    text_item(scene, text_rect(*m.caption, x, y + (m.strip - caption_height) / 2, name_width), *m.caption,
              name.c_str());
    const int bar_x = x + name_width + 12;
    bar_item(scene, {bar_x, y, x + width - bar_x, m.strip},
             levels[i] < 0 ? kUnknown : levels[i] * kFullPermille / 15);
  }
}

}  // namespace

void draw_cpu(Scene& scene, const View& view, const Metrics& m, const Rect& rect) {
  const Snapshot& snapshot = *view.snapshot;
  LongText fact;
  if (view.info != nullptr) fact.add(view.info->cpu_model);
  panel_items(scene, rect, m, "CPU", fact.c_str());
  const Inner in = inner_of(rect, m);
  const Font& numeral = *m.big_numeral;
  const int number_width = numeral_width(numeral, *m.value);
  const Rect number{in.x, in.y, number_width, numeral.ascent + numeral.descent};
  numeral_item(scene, number, numeral, *m.value, format_percent(snapshot.cpu_permille).c_str());
  LongText caption;
  caption.add("busy");
  if (snapshot.cpus != kUnknown && snapshot.cpu_level_count > 0 && snapshot.cpus > snapshot.cpu_level_count) {
    caption.add(", ")
        .add_number(snapshot.cpus)
        .add(" CPUs in ")
        .add_number(snapshot.cpu_level_count)
        .add(" cells");
  }
  // In a panel as tall as a GPU's the graphs stand side by side with theirs; without room for a graph the
  // cells get all the height.
  constexpr int kLeastGraph = 40;
  const int room = in.bottom - in.y;
  const int to_graph = m.row_gap + 4;
  const int least = number.height + 8 + m.caption->ascent + m.caption->descent;
  const int tall = wide_graph(m) - to_graph;
  // One or two bars need no more height than the number.
  const bool lines = snapshot.gpu_count > 0 || snapshot.cpu_level_count > 2;
  int upper = room < 2 * tall ? room * 2 / 5 : lines ? tall : least;
  if (upper < least) upper = least;
  const bool graph = room - upper - to_graph >= kLeastGraph;
  if (!graph) upper = room;
  const Rect caption_rect = text_rect(*m.caption, in.x, number.bottom() + 8, number_width + m.pad / 2);
  text_item(scene, caption_rect, *m.caption, caption.c_str());
  // So many cells need every pixel.
  const int x = snapshot.cpu_level_count > 64 ? in.x + number_width + m.pad : beside_numeral(m, in);
  const Rect cells{x, in.y, in.x + in.width - x, upper};
  scene.element("cpu cells", -1, cells);
  if (snapshot.cpu_level_count <= kMostCpuBars) {
    cpu_bars(scene, m, cells, snapshot.cpu_levels, snapshot.cpu_level_count);
  } else {
    cells_items(scene, cells, snapshot.cpu_levels, snapshot.cpu_level_count);
  }
  if (graph) {
    const int y = in.y + upper + to_graph;
    graph_with_minutes(scene, m, {in.x, y, in.width, in.bottom - y}, view.history->cpu_permille(),
                       graph_time(view), kFullPermille, "busy %", "cpu graph", -1);
  }
}

}  // namespace inktop
