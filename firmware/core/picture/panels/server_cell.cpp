#include "picture/panels/server_cell.h"

#include <cstring>
#include <initializer_list>

#include "picture/panels/gauge.h"
#include "picture/panels/gpu_parts.h"
#include "picture/text.h"
#include "picture/wrap.h"

namespace inktop {

namespace {

// The metrics of a frame whose title is the server's name.
Metrics framed(const Metrics& m, const Font& name) {
  Metrics out = m;
  out.body = &name;
  out.strip = (name.capital + m.pad * 3 / 4 + 3) / 4 * 4;
  return out;
}

// Two rows of three, the first with the biggest number.
struct Wide {
  Columns columns;
  int first;
  int second;
};

Wide wide_of(const Metrics& m, const Inner& in) {
  const int barred = gauge_height(m, *m.numeral) + m.line + bar_height(m);
  const int biggest = block_height(m, *m.big_numeral);
  return {three_columns(m, in.x, in.width), biggest > barred ? biggest : barred, barred};
}

void draw_wide(Scene& scene, const Metrics& m, const Inner& in, const ServerParts& parts, const Wide& wide,
               int space) {
  const Columns& columns = wide.columns;
  const int xs[] = {in.x, columns.second_x, columns.third_x};
  const int widths[] = {columns.second_x - in.x - m.pad / 2, columns.third_x - columns.second_x - m.pad,
                        columns.third_width};
  const int order[] = {0, 2, 1, 3, 4, 5};
  for (int i = 0; i < parts.gauge_count; ++i) {
    const Gauge& gauge = parts.gauges[order[i] < parts.gauge_count ? order[i] : i];
    const int column = i % 3;
    const int y = i < 3 ? in.y : in.y + wide.first + space;
    const Font& font = i == 0 ? *m.big_numeral : *m.numeral;
    // Of the first row on the biggest number's baseline, where that is below the smaller ones.
    const int below = gauge_height(m, *m.numeral) + m.line;
    const int on_line = block_bar_y(m, *m.big_numeral);
    const int bar_y = i < 3 && on_line > below ? on_line : below;
    barred_gauge(scene, m, xs[column], y, widths[column], font, gauge, i > 0 ? bar_y : 0);
  }
}

// Three rows: busy and heat, memory of the GPUs and power, and the machine's own two.
struct Narrow {
  const Font* busy;
  const Font* heat;
  const Font* rest;
  bool bar;
};

bool fits(const Metrics& m, const Inner& in, const ServerParts& parts, const Narrow& narrow, int height) {
  const Gauge* const gauges = parts.gauges;
  const auto row = [&](const Font& left, const Gauge& a, const Font& right, const Gauge& b, bool brief) {
    const int second = widest(m, right, brief ? brief_of(b.stat) : b.stat);
    return widest(m, left, a.stat) + m.pad / 2 + second <= in.width;
  };
  if (!row(*narrow.busy, gauges[0], *narrow.heat, gauges[1], true)) return false;
  if (widest(m, *narrow.rest, gauges[2].stat) > in.width) return false;
  if (parts.gauge_count > 4 && !row(*narrow.rest, gauges[3], *narrow.rest, gauges[4], false)) return false;
  const int needed = gauge_height(m, *narrow.busy) + 2 * gauge_height(m, *narrow.rest) +
                     (narrow.bar ? bar_height(m) + m.line : 0) + m.row_gap;
  return needed <= height;
}

Narrow narrow_of(const Metrics& m, const Inner& in, const ServerParts& parts, int height) {
  const Narrow candidates[] = {
      {m.big_numeral, m.numeral, m.numeral, true}, {m.big_numeral, m.numeral, m.title, true},
      {m.numeral, m.numeral, m.title, true},       {m.big_numeral, m.numeral, m.title, false},
      {m.numeral, m.numeral, m.title, false},      {m.numeral, m.numeral, m.value, true},
      {m.numeral, m.title, m.value, true},         {m.title, m.title, m.value, true},
      {m.title, m.title, m.medium, true},          {m.value, m.value, m.medium, true},
      {m.value, m.value, m.medium, false},         {m.value, m.value, m.body, false},
      {m.medium, m.medium, m.body, false},
  };
  for (const Narrow& each : candidates) {
    if (fits(m, in, parts, each, height)) return each;
  }
  return {m.medium, m.medium, m.body, false};
}

// Two numbers in a row; the right one begins in the same column in all cells, where both have the room.
// False: there was none for the right one.
bool draw_pair(Scene& scene, const Metrics& m, const Inner& in, int y, const Font& left_font,
               const Gauge& left, const Font& right_font, const Gauge* right, int percent, bool bars) {
  const int left_width = widest(m, left_font, left.stat);
  const int end = in.x + in.width;
  const int least = in.x + left_width + m.pad / 2;
  Stat stat;
  int width = 0;
  if (right != nullptr) {
    stat = fitted_stat(m, right_font, right->stat, end - least);
    width = widest(m, right_font, stat);
  }
  const bool both = right != nullptr && least + width <= end;
  const int wanted = in.x + in.width * percent / 100;
  int x = wanted > least ? wanted : least;
  if (x + width > end) x = end - width;
  const int left_room = (both ? x : end + m.pad / 2) - m.pad / 2 - in.x;
  gauge_stat(scene, m, in.x, y, left_room < left_width || !both ? left_room : left_width, left_font,
             left.stat);
  const int bar_y = y + gauge_height(m, left_font) + m.line;
  if (bars) gauge_bar(scene, m, in.x, bar_y, left_room, left);
  if (!both) return false;
  barred_gauge(scene, m, x, y, end - x, right_font, *right, bars ? bar_y - y : 0);
  return true;
}

// Whether all gauges have found a place.
bool draw_narrow(Scene& scene, const Metrics& m, const Inner& in, const ServerParts& parts,
                 const Narrow& narrow, int height) {
  const Gauge* const gauges = parts.gauges;
  const int first = gauge_height(m, *narrow.busy);
  const int each = gauge_height(m, *narrow.rest);
  const int bar = narrow.bar ? bar_height(m) + m.line : 0;
  int space = (height - first - 2 * each - bar) / 2;
  if (space > m.pad) space = m.pad;
  if (space < 0) space = 0;
  draw_pair(scene, m, in, in.y, *narrow.busy, gauges[0], *narrow.heat, &gauges[1], 52, false);
  int y = in.y + first + space;
  if (y + each > in.y + height) return false;
  const Gauge* const sixth = parts.gauge_count > 5 ? &gauges[5] : nullptr;
  const bool all = draw_pair(scene, m, in, y, *narrow.rest, gauges[2], *narrow.rest, sixth, 66, narrow.bar);
  y += each + bar + space;
  if (parts.gauge_count <= 4 || y + each > in.y + height) return all;
  draw_pair(scene, m, in, y, *narrow.rest, gauges[3], *narrow.rest, &gauges[4], 42, false);
  return all;
}

// The largest that has room for the words, descenders too.
const Font& fitting(const Metrics& m, const char* text, const Rect& rect) {
  for (const Font* font : {m.value, m.medium}) {
    if (font->capital + 2 * font->descent > rect.height) continue;
    if (text_width(*font, text) <= rect.width - m.pad) return *font;
  }
  return *m.body;
}

// The last line: what is wrong, in black, else what the server is.
void draw_state(Scene& scene, const Metrics& m, const Rect& rect, const ServerParts& parts, bool watts) {
  if (!parts.urgent.empty()) {
    inverted_item(scene, rect, fitting(m, parts.urgent.c_str(), rect), parts.urgent.c_str());
    return;
  }
  const Font& font = *m.body;
  const int y = rect.bottom() - font_height(font);
  const int right = watts ? text_width(font, "0000 / 0000 W") : 0;
  const int left = rect.width - right - (right > 0 ? m.pad / 2 : 0);
  if (text_width(font, parts.fact.c_str()) > left || right == 0) {
    text_item(scene, text_rect(font, rect.x, y, rect.width), font, parts.fact.c_str());
    return;
  }
  text_item(scene, text_rect(font, rect.x, y, left), font, parts.fact.c_str());
  text_item(scene, text_rect(font, rect.x + left + m.pad / 2, y, right), font, parts.watts.c_str(),
            Align::right);
}

// One row a GPU: its busy bar, number and temperature, in as many columns as it takes.
void draw_gpu_rows(Scene& scene, const View& view, const Metrics& m, const Rect& rect) {
  const Snapshot& snapshot = *view.snapshot;
  const int least = font_height(*m.body) + 4;
  const int most_rows = rect.height / least < 1 ? 1 : rect.height / least;
  const int columns = (snapshot.gpu_count + most_rows - 1) / most_rows;
  const int count = snapshot.gpu_count > 4 && columns < 2 ? 2 : columns;
  const int rows = (snapshot.gpu_count + count - 1) / count;
  const int pitch = rect.height / rows;
  const int width = (rect.width - (count - 1) * m.pad) / count;
  const auto texts = [&](const Font& font) {
    return text_width(font, "GPU00") + text_width(font, "100 %") +
           text_width(font,
                      "100 \xB0"
                      "C") +
           3 * 12;
  };
  const bool large = pitch >= 2 * least && width - texts(*m.medium) >= 6 * m.pad;
  const Font& font = large ? *m.medium : *m.body;
  const int name = text_width(font, "GPU00") + 12;
  const int number = text_width(font, "100 %");
  const int heat = text_width(font,
                              "100 \xB0"
                              "C");
  if (width < texts(font) + 48) return;
  for (int i = 0; i < snapshot.gpu_count; ++i) {
    const Gpu& gpu = snapshot.gpus[i];
    const int x = rect.x + i / rows * (width + m.pad);
    const int y = rect.y + i % rows * pitch;
    const int bar = width - name - number - heat - 2 * 12;
    ShortText title;
    title.add("GPU").add_number(gpu.index);
    const ShortText busy =
        gpu.busy_percent == kUnknown ? ShortText().add(gpu.state) : format_whole(gpu.busy_percent).add(" %");
    ShortText degrees_text =
        format_whole(degrees(view, gpu.junction_c != kUnknown ? gpu.junction_c : gpu.edge_c));
    degrees_text.add(' ').add(degrees_unit(view));
    text_item(scene, text_rect(font, x, y, name - 12), font, title.c_str());
    bar_item(scene, {x + name, y + 2, bar, font_height(font) - 4},
             gpu.busy_percent == kUnknown ? static_cast<int32_t>(kUnknown) : gpu.busy_percent * 10);
    text_item(scene, text_rect(font, x + name + bar + 12, y, number), font, busy.c_str(), Align::right);
    text_item(scene, text_rect(font, x + name + bar + number + 24, y, heat), font, degrees_text.c_str(),
              Align::right);
  }
}

// Below the numbers of a tall cell: up to four GPUs' graphs, a row for each of more, and the CPU's.
void draw_graphs(Scene& scene, const View& view, const Metrics& m, const Rect& rect) {
  const Snapshot& snapshot = *view.snapshot;
  const GraphTime time = graph_time(view);
  const int gpus = snapshot.gpu_count;
  const int parts = gpus == 0 ? 2 : gpus <= 2 ? gpus + 1 : 3;
  const int height = (rect.height - (parts - 1) * m.row_gap) / parts;
  int y = rect.y;
  if (gpus > 4) {
    const Rect rows{rect.x, y, rect.width, 2 * height + m.row_gap};
    draw_gpu_rows(scene, view, m, rows);
    y = rows.bottom() + m.row_gap;
  } else {
    const int columns = gpus > 2 ? 2 : 1;
    const int width = (rect.width - (columns - 1) * m.pad) / columns;
    for (int i = 0; i < gpus; ++i) {
      const Rect place{rect.x + i % columns * (width + m.pad), y, width, height};
      const Gpu& gpu = snapshot.gpus[i];
      ShortText name;
      name.add("GPU").add_number(gpu.index).add(" busy %");
      Graph graph;
      graph.series = &view.history->gpu_permille(gpu.index);
      graph.dashed = &view.history->vram_permille(gpu.index);
      graph.fill_name = name.c_str();
      graph.dash_name = "VRAM %";
      graph_items(scene, m, place, graph, time);
      if (i % columns == columns - 1 || i == gpus - 1) y += height + m.row_gap;
    }
  }
  Graph cpu;
  cpu.series = &view.history->cpu_permille();
  const LongText summary = summary_text(*cpu.series, time, 10);
  cpu.left = "CPU busy %";
  cpu.right = summary.c_str();
  graph_items(scene, m, {rect.x, y, rect.width, height}, cpu, time);
  if (gpus > 0) return;
  y += height + m.row_gap;
  Graph memory;
  memory.series = &view.history->memory_permille();
  const LongText used = summary_text(*memory.series, time, 10);
  memory.left = "memory %";
  memory.right = used.c_str();
  graph_items(scene, m, {rect.x, y, rect.width, height}, memory, time);
}

void draw_words(Scene& scene, const Metrics& m, const Inner& in, const char* words) {
  const Font* font = m.value;
  if (wrapped_height(*font, words, in.width) > in.bottom - in.y) font = m.body;
  if (wrapped_height(*font, words, in.width) > in.bottom - in.y) font = m.caption;
  if (wrapped_height(*font, words, in.width) <= in.bottom - in.y)
    wrapped_items(scene, *font, words, in.x, in.y, in.width);
}

}  // namespace

const Font& cell_name_font(const Metrics& m) {
  return *m.value;
}

int cell_name_room(const Metrics& m, int width) {
  return width - 2 * m.pad;
}

void draw_server_cell(Scene& scene, const View& view, const Metrics& m, const Rect& rect,
                      const ServerParts& parts) {
  const Font& font = cell_name_font(m);
  // As tall for a smaller name: the cells of a grid are alike.
  Metrics frame = framed(m, font);
  if (text_width(font, parts.name.c_str()) > cell_name_room(m, rect.width)) frame.body = m.medium;
  PanelAlarm alarm;
  if (!parts.urgent.empty() || parts.words != nullptr) {
    alarm.words.add(' ');
    alarm.first = alarm.words;
    alarm.title_first = true;
  }
  panel_items(scene, rect, frame, parts.name.c_str(), "", alarm);
  const Inner in = inner_of(rect, frame);
  if (parts.words != nullptr) return draw_words(scene, m, in, parts.words);
  const Wide wide = wide_of(m, in);
  const int space = m.row_gap / 2;
  // In a wide cell what is wrong is said as large as its name.
  const int large = frame.strip;
  const int row_space = in.bottom - large - space - in.y - wide.first - wide.second;
  if (!wide.columns.fit || row_space < 0) {
    const int height = in.bottom - m.strip - space - in.y;
    const bool all = draw_narrow(scene, m, in, parts, narrow_of(m, in, parts, height), height);
    draw_state(scene, m, {in.x, in.bottom - m.strip, in.width, m.strip}, parts, !all && !parts.watts.empty());
    return;
  }
  const bool graphs = view.history != nullptr && view.snapshot != nullptr && row_space >= 2 * least_graph(m);
  const int between = graphs ? m.row_gap : row_space / 2;
  draw_wide(scene, m, in, parts, wide, between);
  if (graphs) {
    const int y = in.y + wide.first + between + wide.second + m.row_gap;
    draw_graphs(scene, view, m, {in.x, y, in.width, in.bottom - large - space - y});
  }
  draw_state(scene, m, {in.x, in.bottom - large, in.width, large}, parts, false);
}

}  // namespace inktop
