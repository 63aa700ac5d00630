#include "picture/panels/memory.h"

#include "picture/panels/frame.h"
#include "picture/panels/pieces.h"

namespace inktop {

namespace {

// "126", "7.6": a total beside the line that it names, without its unit.
ShortText scale_text(int64_t milligib, int64_t total_milligib) {
  ShortText text;
  if (total_milligib < 1000) return text.add_number(milligib * 1024 / 1000);
  if (total_milligib < 10'000) return text.add_fixed((milligib + 50) / 100, 1);
  return text.add_number((milligib + 500) / 1000);
}

void history(Scene& scene, const View& view, const Metrics& m, const Rect& rect, bool words) {
  const int64_t total = view.snapshot->memory.total_milligib;
  const Series& series = view.history->memory_permille();
  const GraphTime time = graph_time(view);
  Graph graph;
  graph.series = &series;
  const ShortText top = scale_text(total, total);
  const ShortText middle = scale_text(total / 2, total);
  graph.scale[0] = top.c_str();
  graph.scale[1] = middle.c_str();
  LongText summary;
  LongText unit;
  const Sample sample = words ? summary_of(series, time) : Sample();
  if (sample.known()) {
    summary.add(span_name(time.span)).add(": mean ");
    summary.add(format_memory(int64_t{sample.mean} * total / kFullPermille, total).number.c_str());
    summary.add("  max ");
    summary.add(format_memory(int64_t{sample.most} * total / kFullPermille, total).number.c_str());
  }
  if (words) unit.add("used ").add(format_memory(total, total).unit);
  graph.left = unit.c_str();
  graph.right = summary.c_str();
  scene.element("mem graph", -1, rect);
  graph_items(scene, m, rect, graph, time);
}

}  // namespace

void draw_memory(Scene& scene, const View& view, const Metrics& m, const Rect& rect) {
  const Snapshot& snapshot = *view.snapshot;
  const Memory& memory = snapshot.memory;
  const bool known = memory.total_milligib != kUnknown && memory.used_milligib != kUnknown;
  const int64_t available = known && memory.total_milligib > memory.used_milligib
                                ? memory.total_milligib - memory.used_milligib
                            : known ? 0
                                    : static_cast<int64_t>(kUnknown);
  const bool alone = snapshot.gpu_count == 0;
  LongText fact;
  if (snapshot.has_memory) {
    fact.add("available ").add(memory_text(available, memory.total_milligib).c_str());
    if (alone || !title_fits(m, rect.width, "MEM", fact.c_str())) {
      fact = memory_text(memory.total_milligib, memory.total_milligib);
    }
  }
  panel_items(scene, rect, m, "MEM", fact.c_str(), memory_alarm(view));
  const Inner in = inner_of(rect, m);
  const Font& numeral = alone ? *m.big_numeral : *m.numeral;
  const MemoryPair pair = memory_pair(memory.used_milligib, memory.total_milligib, false);
  Stat used;
  used.caption = "used";
  used.number = pair.used;
  used.unit = pair.rest;
  if (alone) {
    used.unit = ShortText();
    used.unit.add(format_memory(memory.total_milligib, memory.total_milligib).unit);
  }
  used.emphasis = big_emphasis_of(view, AlarmKind::memory_full, 0);

  // A wide panel has its graph beside the numbers: a name and its value stay together.
  const bool beside = !alone && in.width >= 16 * m.pad + numeral_width(m, *m.numeral);
  const int width = beside ? (in.width - m.pad) / 2 : in.width;
  const int line = font_height(alone ? *m.medium : *m.body);
  const int block = block_height(m, numeral);
  stat(scene, m, in.x, in.y, width, numeral, used);
  int y = in.y + block + (alone ? 2 * m.row_gap : m.line);
  const int32_t permille = share_permille(memory.used_milligib, memory.total_milligib);
  if (permille != kUnknown) {
    bar_item(scene, {in.x, y, width, bar_height(m)}, permille);
    y += bar_height(m);
  }
  const int graph_y = alone ? in.y + column_graph_y(in) : beside ? in.y : 0;
  // The lines under the bar: swap first where there is room for one only, in the order of a person's
  // questions where there is room for all.
  const int lowest = alone ? graph_y - m.row_gap : in.bottom;
  const int least = least_graph(m) - m.pad - font_height(*m.caption);
  // Where panels fill the height, what is left of it goes between the lines, evenly.
  int space = alone || beside ? (lowest - y - 3 * line - bar_height(m)) / 4 : 4;
  if (space > m.pad) space = m.pad;
  if (space < 4) space = 4;
  const auto fits = [&](int lines) { return y + lines * (line + space) <= lowest; };
  const auto leaves_graph = [&](int lines) { return in.bottom - y - lines * (line + space) >= least; };
  const auto value = [&](const char* name, const char* words) {
    y += space;
    named_value(scene, m, in.x, y, width, name, words);
    y += line;
  };
  const LongText swap = snapshot.has_swap
                            ? memory_words(snapshot.swap.used_milligib, snapshot.swap.total_milligib)
                            : LongText().add("none");
  const LongText cache = memory_text(memory.cache_milligib, memory.total_milligib);
  if (alone || beside) {
    if (fits(3)) value("available", memory_text(available, memory.total_milligib).c_str());
    if (fits(2)) value("cache", cache.c_str());
    if (fits(1)) value("swap", swap.c_str());
    const int32_t swapped = share_permille(snapshot.swap.used_milligib, snapshot.swap.total_milligib);
    if (snapshot.has_swap && swapped != kUnknown && y + space + bar_height(m) <= lowest) {
      bar_item(scene, {in.x, y + space, width, bar_height(m)}, swapped);
    }
  } else {
    if (leaves_graph(2) || (!leaves_graph(1) && fits(2))) value("cache", cache.c_str());
    if (fits(1)) value("swap", swap.c_str());
  }
  if (!snapshot.has_memory || memory.total_milligib <= 0) return;
  if (beside) {
    const int x = in.x + in.width - width;
    history(scene, view, m, {x, in.y, width, in.bottom - in.y}, true);
  } else if (alone) {
    history(scene, view, m, {in.x, graph_y, in.width, in.bottom - graph_y}, true);
  } else if (in.bottom - y >= least) {
    history(scene, view, m, {in.x, y + m.line, in.width, in.bottom - y - m.line}, false);
  }
}

}  // namespace inktop
