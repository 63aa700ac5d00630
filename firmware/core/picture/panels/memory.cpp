#include "picture/panels/memory.h"

#include <cstring>

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

// "12.5 MB/s / 310 kB/s".
LongText traffic_words(const DiskTraffic& traffic) {
  LongText text;
  const Quantity read = format_rate(traffic.read_bytes_s);
  const Quantity written = format_rate(traffic.written_bytes_s);
  text.add(read.number.c_str());
  if (std::strcmp(read.unit, written.unit) != 0) text.add(' ').add(read.unit);
  return text.add(" / ").add(written.number.c_str()).add(' ').add(written.unit);
}

// A line under the bar.
struct Line {
  const char* name;
  LongText words;
  bool alarm = false;
};

// The height of a line; a large one has its number in the font of a panel's lesser numbers.
int line_height(const Metrics& m, bool large) {
  return font_height(large ? *m.medium : *m.body);
}

// The value comes first: a name that is too long is cut.
void draw_line(Scene& scene, const Metrics& m, int x, int y, int width, const Line& line, bool large) {
  if (large && !line.alarm) {
    // "0.00" and " / 2.00 GiB".
    LongText number;
    const char* rest = line.words.c_str();
    while (*rest != 0 && *rest != ' ') number.add(*rest++);
    const bool is_number = number.c_str()[0] >= '0' && number.c_str()[0] <= '9';
    const Run runs[] = {{is_number ? m.medium : m.body, number.c_str()}, {m.body, rest}};
    const int baseline = m.medium->ascent;
    const int name_width = text_width(*m.body, line.name);
    text_item(scene, text_rect(*m.body, x, y + baseline - m.body->ascent, name_width), *m.body, line.name);
    const int value_x = x + name_width + 16;
    runs_item(scene, {value_x, y, x + width - value_x, line_height(m, true)}, baseline, runs, 2,
              Align::right);
    return;
  }
  if (!line.alarm) {
    const int room = width - 16 - text_width(*m.body, line.words.c_str());
    LongText name;
    name.add(line.name);
    const Fitted fitted = fit_text(*m.body, line.name, room);
    if (fitted.ellipsis) {
      name = LongText();
      for (int i = 0; i < fitted.length; ++i) name.add(line.name[i]);
      name.add("...");
    }
    named_value(scene, m, x, y, width, name.c_str(), line.words.c_str());
    return;
  }
  const int height = font_height(*m.body);
  const int value = text_width(*m.body, line.words.c_str()) + 2 * (height / 3);
  inverted_item(scene, {x + width - value, y, value, height}, *m.body, line.words.c_str());
  const int room = width - value - 16;
  text_item(scene, text_rect(*m.body, x, y, room), *m.body, line.name);
}

Line disk_line(const View& view, const Metrics& m, int place, int width) {
  const Disk& disk = view.snapshot->disks[place];
  const int64_t used = milligib_of_mib(disk.used_mib);
  const int64_t total = milligib_of_mib(disk.total_mib);
  Line line;
  line.name = disk.name;
  line.words = memory_words(used, total);
  const int needed = text_width(*m.body, line.words.c_str()) + text_width(*m.body, disk.name) + 16;
  if (needed > width) {
    const MemoryPair brief = memory_pair(used, total, true);
    line.words = LongText().add(brief.used.c_str()).add(' ').add(brief.rest.c_str());
  }
  line.alarm = place == 0 && has_alarm(view, AlarmKind::disk_full, 0);
  return line;
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
  const bool alone = is_column(view, rect);
  const Inner in = inner_of(rect, m);
  // A wide panel has its graph beside the numbers: a name and its value stay together.
  const bool beside = !alone && in.width >= 16 * m.pad + numeral_width(m, *m.numeral);
  const bool big = alone || (beside && has_room_for_big(view, m, in));
  LongText fact;
  if (snapshot.has_memory) {
    fact.add("available ").add(memory_text(available, memory.total_milligib).c_str());
    if (big || !title_fits(m, rect.width, "MEM", fact.c_str())) {
      fact = memory_text(memory.total_milligib, memory.total_milligib);
    }
  }
  panel_items(scene, rect, m, "MEM", fact.c_str(), memory_alarm(view));
  const Font& numeral = big ? *m.big_numeral : *m.numeral;
  const MemoryPair pair = memory_pair(memory.used_milligib, memory.total_milligib, false);
  Stat used;
  used.caption = "used";
  used.number = pair.used;
  used.unit = pair.rest;
  if (big) {
    used.unit = ShortText();
    used.unit.add(format_memory(memory.total_milligib, memory.total_milligib).unit);
  }
  used.emphasis = big_emphasis_of(view, AlarmKind::memory_full, 0);

  const int width = beside ? (in.width - m.pad) / 2 : in.width;
  const int line = line_height(m, false);
  const int block = block_height(m, numeral);
  stat(scene, m, in.x, in.y, width, numeral, used);
  int y = in.y + block + (big ? 2 * m.row_gap : m.line);
  const int32_t permille = share_permille(memory.used_milligib, memory.total_milligib);
  if (permille != kUnknown) {
    bar_item(scene, {in.x, y, width, bar_height(m)}, permille);
    y += bar_height(m);
  }
  y += m.row_gap / 2;  // the lines are a list of their own
  const int graph_y = alone ? in.y + column_graph_y(in) : beside ? in.y : 0;
  // The lines under the bar, in the order of a person's questions: what there is no room for is left out,
  // swap last of all.
  const int lowest = alone ? graph_y - 2 * m.row_gap : in.bottom;
  const int least = least_graph(m) - m.pad - font_height(*m.caption);
  const auto leaves_graph = [&](int lines) { return in.bottom - y - lines * (line + 4) >= least; };
  const int most = (lowest - y) / (line + 4);
  int wanted = most;
  if (!alone && !beside && leaves_graph(1)) wanted = leaves_graph(3) ? 3 : leaves_graph(2) ? 2 : 1;
  if (wanted > most) wanted = most;
  bool has_cache = false;
  bool has_available = false;
  bool has_traffic = false;
  const bool has_swap = wanted > 0;
  int disks = 0;
  int rest = wanted - 1;
  const auto take = [&rest](bool wish) { return wish && rest-- > 0; };
  if (take(snapshot.disk_count > 0)) ++disks;
  has_cache = take(true);
  if (alone || beside) {
    has_available = take(true);
    has_traffic = take(snapshot.has_disk_traffic && snapshot.disk_count > 0);
    while (disks > 0 && disks < snapshot.disk_count && rest > 0) {
      ++disks;
      --rest;
    }
  }
  Line lines[4 + kMaxDisks];
  int count = 0;
  if (has_available) lines[count++] = {"available", memory_text(available, memory.total_milligib)};
  if (has_cache) lines[count++] = {"cache", memory_text(memory.cache_milligib, memory.total_milligib)};
  if (has_swap) {
    lines[count++] = {"swap", snapshot.has_swap
                                  ? memory_words(snapshot.swap.used_milligib, snapshot.swap.total_milligib)
                                  : LongText().add("none")};
  }
  for (int i = 0; i < disks; ++i) lines[count++] = disk_line(view, m, i, width);
  if (has_traffic) lines[count++] = {"read / write", traffic_words(snapshot.disk_traffic)};
  const int32_t swapped = share_permille(snapshot.swap.used_milligib, snapshot.swap.total_milligib);
  const bool swap_bar = (alone || beside) && disks == 0 && snapshot.has_swap && swapped != kUnknown;
  // Where panels fill the height, what is left of it goes between the lines, evenly.
  const int bar_space = m.row_gap / 2;
  const int swap_height = swap_bar ? bar_space + bar_height(m) : 0;
  int space = 4;
  bool large = false;
  if ((alone || beside) && count > 0) {
    const auto room = [&](bool as_large) {
      return (lowest - y - count * line_height(m, as_large) - swap_height) / count;
    };
    large = room(true) >= m.row_gap;
    space = room(large);
    const int most_space = large ? 2 * (m.pad + m.row_gap) : m.pad + m.row_gap;
    if (space > most_space) space = most_space;
    if (space < 4) space = 4;
  }
  for (int i = 0; i < count; ++i) {
    y += space;
    draw_line(scene, m, in.x, y, width, lines[i], large);
    y += line_height(m, large);
  }
  // The last line is the swap's where it has a bar.
  if (swap_bar && y + bar_space + bar_height(m) <= lowest) {
    bar_item(scene, {in.x, y + bar_space, width, bar_height(m)}, swapped);
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
