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
  // Spread over the height, with white below the last one too.
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
  if (snapshot.cpus != kUnknown) {
    if (!fact.empty()) fact.add(", ");
    fact.add_number(snapshot.cpus).add(snapshot.cpus == 1 ? " CPU" : " CPUs");
    if (snapshot.cpu_level_count > 0 && snapshot.cpus > snapshot.cpu_level_count) {
      fact.add(" in ").add_number(snapshot.cpu_level_count).add(" cells");
    }
  }
  // Never larger than a GPU's.
  const bool alone = is_column(view, rect);
  LongText title;
  title.add("CPU");
  // Where the number has the panel to itself there is a place for the temperature; else it is in the title.
  if (!alone && snapshot.cpu_c != kUnknown) {
    title.add("  ").add_number(degrees(view, snapshot.cpu_c)).add(' ').add(degrees_unit(view));
  }
  const char* const model = view.info != nullptr ? view.info->cpu_model : "";
  const bool whole = view.info == nullptr || title_fits(m, rect.width, title.c_str(), fact.c_str());
  panel_items(scene, rect, m, title.c_str(), whole ? fact.c_str() : model);
  const Inner in = inner_of(rect, m);
  const Font& numeral = alone || has_room_for_big(view, m, in) ? *m.big_numeral : *m.numeral;
  Stat busy;
  busy.caption = "busy";
  busy.number = format_percent(snapshot.cpu_permille);
  busy.unit.add('%');
  busy.emphasis = big_emphasis(view);
  const int number_width = numeral_width(m, numeral);
  const int block = block_height(m, numeral);
  stat(scene, m, in.x, in.y, number_width, numeral, busy);
  const int heat_width = quantity_width(*m.numeral, unit_font(m, *m.numeral), "100", kCelsius);
  if (alone && snapshot.cpu_c != kUnknown && number_width + m.pad + heat_width <= in.width) {
    Stat heat;
    heat.caption = "temperature";
    heat.number = format_whole(degrees(view, snapshot.cpu_c));
    heat.unit.add(degrees_unit(view));
    heat.emphasis = big_emphasis(view);
    stat(scene, m, in.x + in.width - heat_width, in.y, heat_width, *m.numeral, heat);
  }

  // In a panel as tall as a GPU's the graphs are side by side with theirs; without room for a graph the cells
  // get all the height.
  const int room = in.bottom - in.y;
  int upper = block;
  if (alone) {
    upper = column_graph_y(in) - m.row_gap;
  } else if (room >= tall_graph_y(m) + least_graph(m) + 2 * m.pad) {
    upper = tall_graph_y(m) - m.row_gap;
  }
  const bool graph = room - upper - m.row_gap >= least_graph(m);
  if (!graph) upper = room;
  // Beside the number, in the second column of the GPUs above where that is a step and not a hole; under it
  // in a panel of its own height.
  const Columns columns = three_columns(m, in.x, in.width);
  const bool many = snapshot.cpu_level_count > 64;
  int x = in.x + number_width + m.pad;
  if (columns.fit && !many && columns.second_x - x < 5 * m.pad) x = columns.second_x;
  int y = in.y + m.line;
  if (alone) {
    x = in.x;
    y = in.y + block + 2 * m.row_gap;
  }
  const Rect cells{x, y, in.x + in.width - x, in.y + upper - y};
  scene.element("cpu cells", -1, cells);
  if (snapshot.cpu_level_count <= kMostCpuBars) {
    cpu_bars(scene, m, cells, snapshot.cpu_levels, snapshot.cpu_level_count);
  } else {
    cells_items(scene, cells, snapshot.cpu_levels, snapshot.cpu_level_count);
  }
  if (!graph) return;
  const GraphTime time = graph_time(view);
  const LongText summary = summary_text(view.history->cpu_permille(), time, 10);
  Graph shape;
  shape.series = &view.history->cpu_permille();
  shape.left = "busy %";
  shape.right = summary.c_str();
  const Rect place{in.x, in.y + upper + m.row_gap, in.width, room - upper - m.row_gap};
  scene.element("cpu graph", -1, place);
  graph_items(scene, m, place, shape, time);
}

}  // namespace inktop
