#include "picture/dashboard.h"

#include <cstring>

namespace inktop {

namespace {

constexpr int32_t kFullPermille = 1000;
// The network graphs never magnify less than this: the murmur of an idle link stays a flat line.
constexpr uint64_t kRateFloorBytes = 100000;

const GpuInfo* info_of(const View& view, int index) {
  if (view.info == nullptr) return nullptr;
  for (int i = 0; i < view.info->gpu_count; ++i) {
    if (view.info->gpus[i].index == index) return &view.info->gpus[i];
  }
  return nullptr;
}

bool is_gpu_alarm(AlarmKind kind) {
  return kind != AlarmKind::memory_full;
}

const char* alarm_words(AlarmKind kind) {
  switch (kind) {
    case AlarmKind::gpu_lost:
      return "LOST";
    case AlarmKind::gpu_reset:
      return "RESET";
    case AlarmKind::gpu_stale:
      return "NO ANSWER";
    case AlarmKind::gpu_junction_hot:
      return "JUNCTION HOT";
    case AlarmKind::gpu_memory_hot:
      return "MEMORY HOT";
    case AlarmKind::gpu_fan_stopped:
      return "FAN STOPPED";
    case AlarmKind::memory_full:
      return "NEARLY FULL";
  }
  return "ALARM";
}

// The worst first: enumerators stand in that order. Several of one panel are told together, with the earliest
// time of the worst one.
PanelAlarm alarm_of(const View& view, bool gpu_alarm, int gpu) {
  PanelAlarm panel;
  LongText& text = panel.words;
  for (int kind = 0; kind <= static_cast<int>(AlarmKind::memory_full); ++kind) {
    for (int i = 0; i < view.alarm_count; ++i) {
      const Alarm& alarm = view.alarms[i];
      if (static_cast<int>(alarm.kind) != kind || is_gpu_alarm(alarm.kind) != gpu_alarm) continue;
      if (gpu_alarm && alarm.gpu != gpu) continue;
      if (!text.empty()) {
        text.add(", ");
      } else {
        panel.since_s = alarm.since_s;
      }
      text.add(alarm_words(alarm.kind));
      break;
    }
  }
  return panel;
}

bool has_alarm(const View& view, AlarmKind kind, int gpu) {
  for (int i = 0; i < view.alarm_count; ++i) {
    if (view.alarms[i].kind == kind && view.alarms[i].gpu == gpu) return true;
  }
  return false;
}

GraphTime graph_time(const View& view, Motion motion) {
  GraphTime time;
  time.motion = motion;
  if (view.history == nullptr || view.history->empty()) return time;
  time.newest_uptime = view.history->newest();
  time.has_clock = view.second_of_day >= 0;
  time.newest_second =
      time.has_clock ? view.second_of_day : static_cast<int32_t>(time.newest_uptime % 86400u);
  return time;
}

int32_t share_permille(int64_t part, int64_t whole) {
  if (part == kUnknown || whole == kUnknown || whole <= 0) return kUnknown;
  if (part >= whole) return kFullPermille;
  return part <= 0 ? 0 : static_cast<int32_t>(part * kFullPermille / whole);
}

// ---------------------------------------------------------------------------------------------------- header

LongText header_facts(const View& view) {
  const Snapshot& snapshot = *view.snapshot;
  LongText text;
  if (snapshot.gpu_count > 0) {
    const GpuInfo* first = info_of(view, snapshot.gpus[0].index);
    bool same = first != nullptr && first->name[0] != 0;
    for (int i = 1; same && i < snapshot.gpu_count; ++i) {
      const GpuInfo* other = info_of(view, snapshot.gpus[i].index);
      same = other != nullptr && std::strcmp(other->name, first->name) == 0;
    }
    if (same && snapshot.gpu_count == 1) {
      text.add(first->name);
    } else if (same) {
      text.add_number(snapshot.gpu_count).add("x ").add(first->name);
    } else {
      text.add_number(snapshot.gpu_count).add(snapshot.gpu_count == 1 ? " GPU" : " GPUs");
    }
    text.add("   ");
  }
  if (snapshot.cpus != kUnknown) {
    text.add_number(snapshot.cpus).add(snapshot.cpus == 1 ? " CPU   " : " CPUs   ");
  }
  if (snapshot.uptime_s != kUnknown) text.add("up ").add(format_duration(snapshot.uptime_s).c_str());
  return text;
}

void draw_header(Scene& scene, const View& view, const Metrics& m, const Rect& rect) {
  const Snapshot& snapshot = *view.snapshot;
  scene.widget("header", -1, {rect.x, rect.y, rect.width, m.top - m.row_gap / 2 - rect.y});
  const Font& big = *m.value;
  const Font& body = *m.body;
  // One baseline for all of the header.
  const int big_y = rect.y + (rect.height - big.ascent - big.descent) / 2;
  const int body_y = big_y + big.ascent - body.ascent;
  const int space = m.pad;

  const bool lost = view.freshness == Freshness::lost;
  const int clock_width = text_width(big, "00:00");
  const int clock_x = rect.right() - clock_width - 4;
  int right = clock_x - space;
  if (lost) {
    // Unmistakable: the whole header turns black and says since when nothing has come.
    LongText text;
    text.add("NO DATA");
    if (view.last_data_s >= 0) text.add(" since ").add(format_clock(view.last_data_s, true).c_str());
    if (view.board != nullptr && view.board->server[0] != 0) {
      text.add("   trying ").add(view.board->server);
    } else {
      text.add("   is the collector running?");
    }
    const Fitted host = fit_text(big, snapshot.host, rect.width / 3);
    text_item(scene, text_rect(big, rect.x + 4, big_y, host.width), big, snapshot.host);
    const int x = rect.x + 4 + host.width + space;
    inverted_item(scene, {x, rect.y, rect.right() - x, rect.height}, big, text.c_str());
  } else {
    text_item(scene, text_rect(big, clock_x, big_y, clock_width), big,
              snapshot.time[0] != 0 ? snapshot.time : "--:--", Align::right);
    // Host and address from the left, load and clock from the right, the machine's facts in what is left
    // between.
    if (snapshot.has_load) {
      LongText load;
      load.add("load ");
      for (int i = 0; i < 3; ++i)
        load.add(i > 0 ? "  " : "").add(format_load(snapshot.load_centi[i]).c_str());
      int width = text_width(body, "load 00.00  00.00  00.00");
      const int needed = text_width(body, load.c_str());
      if (needed > width) width = needed;
      if (rect.width >= 3 * width) {
        text_item(scene, text_rect(body, right - width, body_y, width), body, load.c_str(), Align::right);
        right -= width + space;
      }
    }
    LongText facts = header_facts(view);
    const bool old = view.freshness == Freshness::old;
    if (old) {
      facts = LongText();
      facts.add("data ").add_number(view.age_s).add(" s old");
    }
    const int room = right - rect.x - 4;
    const int address_width = text_width(body, snapshot.address);
    const int host_needs = text_width(big, snapshot.host);
    const int facts_width = text_width(body, facts.c_str());
    // The host's name comes first, then the address, then the facts: what does not fit is cut or left out.
    int host_room = room;
    int address_room = 0;
    if (snapshot.address[0] != 0) {
      address_room = address_width;
      if (host_needs + space + address_room > room) {
        if (address_room > room * 2 / 5) address_room = room * 2 / 5;
      }
      host_room = room - space - address_room;
    }
    const int host_width = host_needs < host_room ? host_needs : host_room;
    int left = rect.x + 4;
    text_item(scene, text_rect(big, left, big_y, host_width), big, snapshot.host);
    left += host_width + space;
    if (address_room > 0) {
      text_item(scene, text_rect(body, left, body_y, address_room), body, snapshot.address);
      left += address_room + space;
    }
    // In the middle of the display where there is room, else in the middle of what is left: in a rectangle
    // that does not move with the text.
    const int free = right - left;
    const int centre = rect.x + rect.width / 2;
    const int half = centre - left < right - centre ? centre - left : right - centre;
    if (facts_width <= 2 * half) {
      text_item(scene, text_rect(body, centre - half, body_y, 2 * half), body, facts.c_str(), Align::center);
    } else if (facts_width <= free || old) {
      text_item(scene, text_rect(body, left, body_y, free), body, facts.c_str(), Align::center);
    }
  }
  rule_item(scene, {rect.x, rect.bottom() + 4, rect.width, m.line});
}

// ---------------------------------------------------------------------------------------------------- pieces
// of panels

// A caption above a number with its unit.
int stat_height(const Metrics& m, const Font& number) {
  return m.caption->ascent + m.caption->descent + number.ascent + number.descent;
}

void stat(Scene& scene, const Metrics& m, int x, int y, int width, const char* caption,
          const Font& number_font, const char* number, const char* unit, Emphasis emphasis = Emphasis::none) {
  text_item(scene, text_rect(*m.caption, x, y, width), *m.caption, caption);
  const int below = y + m.caption->ascent + m.caption->descent;
  const Font& unit_font = &number_font == m.small_value ? *m.caption : *m.body;
  quantity_item(scene, text_rect(number_font, x, below, width), number_font, unit_font, number, unit,
                emphasis);
}

// A name on the left, a value on the right, and a bar under them. Returns the y below it.
int labelled_bar_height(const Metrics& m) {
  return m.body->ascent + m.body->descent + 4 + m.strip;
}

void labelled_bar(Scene& scene, const Metrics& m, const Rect& rect, const char* name, const char* value,
                  int32_t permille) {
  const int name_width = text_width(*m.body, name);
  text_item(scene, text_rect(*m.body, rect.x, rect.y, name_width), *m.body, name);
  const int x = rect.x + name_width + 16;
  text_item(scene, text_rect(*m.body, x, rect.y, rect.right() - x), *m.body, value, Align::right);
  const int y = rect.y + m.body->ascent + m.body->descent + 4;
  bar_item(scene, {rect.x, y, rect.width, m.strip}, permille);
}

// The big number of a panel with its unit; `word` instead where there is no number but a state.
int numeral_width(const Font& numeral, const Font& unit) {
  return quantity_width(numeral, unit, "100", "%");
}

void numeral_item(Scene& scene, const Rect& rect, const Font& numeral, const Font& unit, const char* number) {
  quantity_item(scene, rect, numeral, unit, number, "%");
}

// A graph with its minutes below it.
void graph_with_minutes(Scene& scene, const Metrics& m, const Rect& rect, const Series& series,
                        const GraphTime& time, uint64_t full, const char* caption, const char* name,
                        int number) {
  const int labels = m.caption->ascent + m.caption->descent;
  const Rect plot{rect.x, rect.y, rect.width, rect.height - labels - 6};
  scene.widget(name, number, rect);
  graph_items(scene, plot, m.line, series, time, full);
  minutes_items(scene, {rect.x, plot.bottom() + 6, rect.width, labels}, *m.caption, time, caption);
}

struct Inner {
  int x;
  int y;
  int width;
  int bottom;
};

Inner inner_of(const Rect& rect, const Metrics& m) {
  return {rect.x + m.pad, rect.y + m.strip + m.pad / 2, rect.width - 2 * m.pad,
          rect.bottom() - m.pad * 2 / 3};
}

// ---------------------------------------------------------------------------------------------------- GPU

LongText memory_pair(int64_t used_milligib, int64_t total_milligib) {
  const Quantity used = format_memory(used_milligib, total_milligib);
  const Quantity total = format_memory(total_milligib, total_milligib);
  LongText text;
  return text.add(used.number.c_str()).add(" / ").add(total.number.c_str()).add(' ').add(total.unit);
}

int64_t milligib_of_mib(int32_t mib) {
  return mib == kUnknown ? static_cast<int64_t>(kUnknown) : static_cast<int64_t>(mib) * 1000 / 1024;
}

bool is_lost(const View& view, const Gpu& gpu) {
  return std::strcmp(gpu.state, "lost") == 0 || has_alarm(view, AlarmKind::gpu_lost, gpu.index);
}

// In place of the bars of a card that is gone: what the person can do. The board's button has done its part
// once the alarm is over.
void lost_advice(Scene& scene, const View& view, const Gpu& gpu, const Metrics& m, int x, int y, int width) {
  constexpr const char* kUnseen[] = {"It vanished from the bus.", "When you have seen this, press",
                                     "the button, or on the server run", "inktop-collector ack"};
  constexpr const char* kSeen[] = {"It vanished from the bus.", "To take it off the board,",
                                   "on the server run", "inktop-collector ack"};
  const int pitch = (m.body->ascent + m.body->descent) * 5 / 4;
  for (const char* line : has_alarm(view, AlarmKind::gpu_lost, gpu.index) ? kUnseen : kSeen) {
    text_item(scene, text_rect(*m.body, x, y, width), *m.body, line);
    y += pitch;
  }
}

// What stands in the place of the big number when the card is not simply working.
const char* state_word(const View& view, const Gpu& gpu) {
  if (is_lost(view, gpu)) return "LOST";
  if (std::strcmp(gpu.state, "reset") == 0) return "RESET";
  if (std::strcmp(gpu.state, "stale") == 0) return "STALE";
  if (std::strcmp(gpu.state, "asleep") == 0) return "asleep";
  if (std::strcmp(gpu.state, "ok") != 0 && gpu.busy_percent == kUnknown) return gpu.state;
  return nullptr;
}

void gpu_numeral(Scene& scene, const View& view, const Gpu& gpu, const Rect& rect, const Font& numeral,
                 const Font& unit, const Font& word_font) {
  const char* word = state_word(view, gpu);
  if (word == nullptr) {
    numeral_item(scene, rect, numeral, unit, format_whole(gpu.busy_percent).c_str());
    return;
  }
  // In the number's own rectangle, so that the picture does not move, and on its baseline unless a letter
  // hangs lower.
  const bool alarm = has_alarm(view, AlarmKind::gpu_lost, gpu.index) ||
                     has_alarm(view, AlarmKind::gpu_reset, gpu.index) ||
                     has_alarm(view, AlarmKind::gpu_stale, gpu.index);
  const Key key = Key().add("state").add(word).add(&word_font).add_byte(alarm ? 1 : 0);
  if (!scene.item({rect.x - 4, rect.y, rect.width + 8, rect.height}, key)) return;
  const int lowest = rect.bottom() - word_font.descent;
  const int baseline = rect.y + numeral.ascent < lowest ? rect.y + numeral.ascent : lowest;
  const Fitted fitted = fit_text(word_font, word, rect.width);
  if (alarm) {
    // As tall above the letters as below them.
    const int side = word_font.descent * 2 / 3;
    scene.canvas().fill(
        {rect.x - 4, baseline - word_font.capital - side, fitted.width + 8, word_font.capital + 2 * side},
        Ink::black);
  }
  draw_fitted(scene.canvas(), word_font, word, fitted, rect.x, baseline, !alarm);
}

struct GpuTexts {
  LongText title;
  ShortText place;  // PCI address without the domain 0000
  PanelAlarm alarm;
  LongText memory;
  LongText power;
  int32_t memory_permille;
  int32_t power_permille;
};

GpuTexts gpu_texts(const View& view, const Gpu& gpu) {
  GpuTexts texts;
  const GpuInfo* info = info_of(view, gpu.index);
  texts.title.add("GPU").add_number(gpu.index);
  if (info != nullptr && info->name[0] != 0) texts.title.add("  ").add(info->name);
  if (info != nullptr) {
    texts.place.add(std::strncmp(info->pci, "0000:", 5) == 0 ? info->pci + 5 : info->pci);
  }
  texts.alarm = alarm_of(view, true, gpu.index);
  const int64_t used = milligib_of_mib(gpu.vram_used_mib);
  const int64_t total = milligib_of_mib(gpu.vram_total_mib);
  texts.memory = memory_pair(used, total);
  texts.memory_permille = share_permille(gpu.vram_used_mib, gpu.vram_total_mib);
  texts.power.add(format_whole(gpu.power_w).c_str());
  texts.power_permille = kUnknown;
  if (info != nullptr && info->power_cap_w != kUnknown && info->power_cap_w > 0) {
    texts.power.add(" / ").add_number(info->power_cap_w);
    texts.power_permille = share_permille(gpu.power_w, info->power_cap_w);
  }
  texts.power.add(" W");
  return texts;
}

struct Stat {
  const char* caption;
  ShortText number;
  const char* unit;
  const char* widest;
  Emphasis emphasis = Emphasis::none;
};

// Where column `index` of `count` equal ones begins.
int column_x(const Metrics& m, const Inner& in, int index, int count) {
  const int space = m.pad / 2;
  return in.x + index * ((in.width - (count - 1) * space) / count + space);
}

Emphasis emphasis_of(const View& view, AlarmKind kind, int gpu) {
  return has_alarm(view, kind, gpu) ? Emphasis::alarm : Emphasis::none;
}

// Equal columns, so that a number never moves another one; the larger font where it fits into all of them.
void stat_row(Scene& scene, const Metrics& m, const Rect& rect, const Stat* stats, int count) {
  const int space = m.pad / 2;
  const int width = (rect.width - (count - 1) * space) / count;
  const Font* font = m.value;
  for (int i = 0; i < count; ++i) {
    if (quantity_width(*font, *m.body, stats[i].widest, stats[i].unit) > width) font = m.small_value;
  }
  for (int i = 0; i < count; ++i) {
    stat(scene, m, rect.x + i * (width + space), rect.y, width, stats[i].caption, *font,
         stats[i].number.c_str(), stats[i].unit, stats[i].emphasis);
  }
}

// Whether the bars have room beside the big number.
bool is_wide(const Metrics& m, int inner_width) {
  return inner_width >= 4 * numeral_width(*m.big_numeral, *m.value) * 2 / 3;
}

// Where the bars, the cells and the words beside a big number begin: with the third of five columns, where
// that is a step from the number and not a hole.
int beside_numeral(const Metrics& m, const Inner& in) {
  const int least = in.x + numeral_width(*m.big_numeral, *m.value) + m.pad;
  const int column = column_x(m, in, 2, 5);
  return is_wide(m, in.width) && column > least && column - least < 3 * m.pad ? column : least;
}

// From the upper edge of a wide GPU panel's content to its row of numbers, and to its graph.
int wide_upper(const Metrics& m) {
  const int bars = 2 * labelled_bar_height(m) + m.row_gap;
  const int numeral =
      m.big_numeral->ascent + m.big_numeral->descent + 8 + m.caption->ascent + m.caption->descent;
  return (bars > numeral ? bars : numeral) + m.pad * 3 / 4;
}
int wide_graph(const Metrics& m) {
  return wide_upper(m) + stat_height(m, *m.value) + m.row_gap / 2;
}

// What draw_gpu() needs, with a graph that is worth its place.
int full_gpu_height(const Metrics& m, int width) {
  constexpr int kLeastGraph = 88;
  const int bars = 2 * labelled_bar_height(m) + m.row_gap;
  const int stats = stat_height(m, *m.value);
  const int upper =
      is_wide(m, width - 2 * m.pad) ? wide_upper(m) : 2 * stats + 8 + m.row_gap / 2 + bars + m.row_gap;
  return m.strip + m.pad * 2 / 3 + upper + stats + m.row_gap / 2 + kLeastGraph + m.pad * 2 / 3;
}

void draw_gpu(Scene& scene, const View& view, const Gpu& gpu, const Metrics& m, const Rect& rect,
              const GraphTime& time) {
  const GpuTexts texts = gpu_texts(view, gpu);
  scene.widget("gpu", gpu.index, rect);
  panel_items(scene, rect, m, texts.title.c_str(), texts.place.c_str(), texts.alarm);
  const Inner in = inner_of(rect, m);
  const Font& numeral = *m.big_numeral;
  const int number_width = numeral_width(numeral, *m.value);
  const int bars = labelled_bar_height(m);
  const Rect number{in.x, in.y, number_width, numeral.ascent + numeral.descent};
  gpu_numeral(scene, view, gpu, number, numeral, *m.value, *m.title);
  const Rect caption = text_rect(*m.caption, in.x, number.bottom() + 8, number_width);
  const bool working = state_word(view, gpu) == nullptr;
  text_item(scene, caption, *m.caption, working ? "busy" : "");

  const bool wide = is_wide(m, in.width);
  const Stat junction{"junction", format_whole(gpu.junction_c), "C", "100",
                      emphasis_of(view, AlarmKind::gpu_junction_hot, gpu.index)};
  const Stat memory{"memory", format_whole(gpu.memory_c), "C", "100",
                    emphasis_of(view, AlarmKind::gpu_memory_hot, gpu.index)};
  const Stat edge{"edge", format_whole(gpu.edge_c), "C", "100"};
  const Stat fan{"fan", format_whole(gpu.fan_rpm), "rpm", "0000",
                 emphasis_of(view, AlarmKind::gpu_fan_stopped, gpu.index)};
  const Stat clock{"clock", format_whole(gpu.core_clock_mhz), "MHz", "0000"};
  int y;
  if (wide) {
    // The bars begin where a number of the row below them does.
    const int x = beside_numeral(m, in);
    const int width = in.x + in.width - x;
    if (is_lost(view, gpu)) {
      lost_advice(scene, view, gpu, m, x, in.y, width);
    } else {
      labelled_bar(scene, m, {x, in.y, width, bars}, "VRAM", texts.memory.c_str(), texts.memory_permille);
      labelled_bar(scene, m, {x, in.y + bars + m.row_gap, width, bars}, "power", texts.power.c_str(),
                   texts.power_permille);
    }
    const Stat stats[] = {junction, memory, edge, fan, clock};
    stat_row(scene, m, {in.x, in.y + wide_upper(m), in.width, 0}, stats, 5);
    y = in.y + wide_graph(m);
  } else {
    const int x = in.x + number_width + m.pad;
    const int width = in.x + in.width - x;
    const int stats_height = stat_height(m, *m.value);
    stat(scene, m, x, in.y, width, junction.caption, *m.value, junction.number.c_str(), junction.unit,
         junction.emphasis);
    stat(scene, m, x, in.y + stats_height + 8, width, memory.caption, *m.value, memory.number.c_str(),
         memory.unit, memory.emphasis);
    y = in.y + 2 * stats_height + 8 + m.row_gap / 2;
    if (is_lost(view, gpu)) {
      lost_advice(scene, view, gpu, m, in.x, y, in.width);
    } else {
      labelled_bar(scene, m, {in.x, y, in.width, bars}, "VRAM", texts.memory.c_str(), texts.memory_permille);
      labelled_bar(scene, m, {in.x, y + bars + m.row_gap, in.width, bars}, "power", texts.power.c_str(),
                   texts.power_permille);
    }
    y += 2 * (bars + m.row_gap);
    const Stat stats[] = {edge, fan, clock};
    stat_row(scene, m, {in.x, y, in.width, 0}, stats, 3);
    y += stat_height(m, *m.value) + m.row_gap / 2;
  }
  if (in.bottom - y >= 48) {
    graph_with_minutes(scene, m, {in.x, y, in.width, in.bottom - y}, view.history->gpu_permille(gpu.index),
                       time, kFullPermille, "busy %", "gpu graph", gpu.index);
  }
}

// For the two rows of five to eight GPUs.
void draw_compact_gpu(Scene& scene, const View& view, const Gpu& gpu, const Metrics& m, const Rect& rect,
                      const GraphTime& time) {
  const GpuTexts texts = gpu_texts(view, gpu);
  scene.widget("gpu", gpu.index, rect);
  panel_items(scene, rect, m, texts.title.c_str(), texts.place.c_str(), texts.alarm);
  const Inner in = inner_of(rect, m);
  const Font& numeral = *m.numeral;
  const int number_width = numeral_width(numeral, *m.body);
  const Rect number{in.x, in.y, number_width, numeral.ascent + numeral.descent};
  gpu_numeral(scene, view, gpu, number, numeral, *m.body, *m.value);
  const int x = in.x + number_width + m.pad;
  const Stat stats[] = {{"junction", format_whole(gpu.junction_c), "C", "100",
                         emphasis_of(view, AlarmKind::gpu_junction_hot, gpu.index)},
                        {"memory", format_whole(gpu.memory_c), "C", "100",
                         emphasis_of(view, AlarmKind::gpu_memory_hot, gpu.index)},
                        {"power", format_whole(gpu.power_w), "W", "000"}};
  const int stats_width = in.x + in.width - x;
  const int count = stats_width >= 3 * text_width(*m.caption, "junction") + 2 * m.pad / 2 ? 3 : 2;
  const Stat narrow[] = {stats[0], stats[2]};
  const int stats_y = in.y + (number.height - stat_height(m, *m.value)) / 2;
  stat_row(scene, m, {x, stats_y > in.y ? stats_y : in.y, stats_width, 0}, count == 3 ? stats : narrow,
           count);
  int y = number.bottom() > stats_y + stat_height(m, *m.value) ? number.bottom()
                                                               : in.y + stat_height(m, *m.value);
  y += m.row_gap / 2;
  const int text_height = m.body->ascent + m.body->descent;
  const int widest = text_width(*m.body, "000.0 / 000.0 GiB");
  const int memory_width = widest < in.width ? widest : in.width;
  const int bar_width = in.width - memory_width - 16;
  if (bar_width >= 48) bar_item(scene, {in.x, y + 2, bar_width, text_height - 4}, texts.memory_permille);
  text_item(scene, text_rect(*m.body, in.x + in.width - memory_width, y, memory_width), *m.body,
            texts.memory.c_str(), Align::right);
  y += text_height + m.row_gap;
  if (in.bottom - y >= 32) {
    graph_with_minutes(scene, m, {in.x, y, in.width, in.bottom - y}, view.history->gpu_permille(gpu.index),
                       time, kFullPermille, "busy %", "gpu graph", gpu.index);
  }
}

// The GPUs for which there is no panel of their own, in one.
void draw_gpu_rest(Scene& scene, const View& view, int first, const Metrics& m, const Rect& rect) {
  const Snapshot& snapshot = *view.snapshot;
  LongText title;
  title.add('+').add_number(snapshot.gpu_count - first).add(" more GPUs");
  PanelAlarm alarm;
  int64_t busy = 0;
  int known = 0;
  int64_t power = 0;
  bool any_power = false;
  int32_t hottest = kUnknown;
  int64_t used = 0;
  int64_t total = 0;
  for (int i = first; i < snapshot.gpu_count; ++i) {
    const Gpu& gpu = snapshot.gpus[i];
    if (alarm.words.empty()) {
      const PanelAlarm one = alarm_of(view, true, gpu.index);
      if (!one.words.empty()) {
        alarm.words.add("GPU").add_number(gpu.index).add(' ').add(one.words.c_str());
        alarm.since_s = one.since_s;
      }
    }
    if (gpu.busy_percent != kUnknown) {
      busy += gpu.busy_percent;
      ++known;
    }
    if (gpu.power_w != kUnknown) {
      power += gpu.power_w;
      any_power = true;
    }
    if (gpu.junction_c > hottest) hottest = gpu.junction_c;
    if (gpu.vram_used_mib != kUnknown && gpu.vram_total_mib != kUnknown) {
      used += gpu.vram_used_mib;
      total += gpu.vram_total_mib;
    }
  }
  scene.widget("gpu rest", -1, rect);
  panel_items(scene, rect, m, title.c_str(), "together", alarm);
  const Inner in = inner_of(rect, m);
  const Font& numeral = *m.numeral;
  const int number_width = numeral_width(numeral, *m.body);
  const Rect number{in.x, in.y, number_width, numeral.ascent + numeral.descent};
  const int32_t mean = known > 0 ? static_cast<int32_t>((busy + known / 2) / known) : kUnknown;
  numeral_item(scene, number, numeral, *m.body, format_whole(mean).c_str());
  const int x = in.x + number_width + m.pad;
  const Stat stats[] = {
      {"hottest", format_whole(hottest), "C", "100"},
      {"power", format_whole(any_power ? static_cast<int32_t>(power) : kUnknown), "W", "0000"}};
  stat_row(scene, m, {x, in.y, in.x + in.width - x, 0}, stats, 2);
  int y = in.y + stat_height(m, *m.value) + m.row_gap;
  if (number.bottom() + m.row_gap > y) y = number.bottom() + m.row_gap;
  LongText pair;
  if (total > 0) {
    pair = memory_pair(used * 1000 / 1024, total * 1000 / 1024);
  } else {
    pair.add(kNoValue);
  }
  if (in.bottom - y >= labelled_bar_height(m)) {
    labelled_bar(scene, m, {in.x, y, in.width, 0}, "VRAM", pair.c_str(),
                 total > 0 ? share_permille(used, total) : kUnknown);
  }
}

// ---------------------------------------------------------------------------------------------------- CPU

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
  // Spread over the height, from the top of the big number down, with as much white below the last as between
  // them.
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

void draw_cpu(Scene& scene, const View& view, const Metrics& m, const Rect& rect, const GraphTime& time) {
  const Snapshot& snapshot = *view.snapshot;
  LongText fact;
  if (view.info != nullptr) fact.add(view.info->cpu_model);
  scene.widget("cpu", -1, rect);
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
  scene.widget("cpu cells", -1, cells);
  if (snapshot.cpu_level_count <= kMostCpuBars) {
    cpu_bars(scene, m, cells, snapshot.cpu_levels, snapshot.cpu_level_count);
  } else {
    cells_items(scene, cells, snapshot.cpu_levels, snapshot.cpu_level_count);
  }
  if (graph) {
    const int y = in.y + upper + to_graph;
    graph_with_minutes(scene, m, {in.x, y, in.width, in.bottom - y}, view.history->cpu_permille(), time,
                       kFullPermille, "busy %", "cpu graph", -1);
  }
}

// ---------------------------------------------------------------------------------------------------- memory

void named_value(Scene& scene, const Metrics& m, int x, int y, int width, const char* name,
                 const char* value) {
  const int name_width = text_width(*m.body, name);
  text_item(scene, text_rect(*m.body, x, y, name_width), *m.body, name);
  const int value_x = x + name_width + 16;
  text_item(scene, text_rect(*m.body, value_x, y, x + width - value_x), *m.body, value, Align::right);
}

LongText memory_text(int64_t milligib, int64_t scale_milligib) {
  const Quantity quantity = format_memory(milligib, scale_milligib);
  LongText text;
  return text.add(quantity.number.c_str()).add(' ').add(quantity.unit);
}

void draw_memory(Scene& scene, const View& view, const Metrics& m, const Rect& rect) {
  const Snapshot& snapshot = *view.snapshot;
  const Memory& memory = snapshot.memory;
  LongText total;
  if (snapshot.has_memory) total = memory_text(memory.total_milligib, memory.total_milligib);
  scene.widget("mem", -1, rect);
  panel_items(scene, rect, m, "MEM", total.c_str(), alarm_of(view, false, 0));
  const Inner in = inner_of(rect, m);
  const Font& numeral = *m.numeral;
  const int line = m.body->ascent + m.body->descent;
  const Quantity used = format_memory(memory.used_milligib, memory.total_milligib);
  LongText unit;
  unit.add(used.unit).add(" used");
  const int fixed = numeral.ascent + numeral.descent + m.strip + 3 * line + 4 + m.strip;
  // What is left of the height goes between the lines, evenly.
  int space = (in.bottom - in.y - fixed) / 5;
  if (space > m.pad) space = m.pad;
  if (space < 2) space = 2;
  // A little taller than the number: in an alarm that is the black around it.
  const int around = space < 8 ? space : 8;
  const Rect number = text_rect(numeral, in.x, in.y, in.width);
  quantity_item(scene, {number.x, number.y - around, number.width, number.height + 2 * around}, numeral,
                *m.body, used.number.c_str(), unit.c_str(), emphasis_of(view, AlarmKind::memory_full, 0));
  int y = in.y + numeral.ascent + numeral.descent + space;
  bar_item(scene, {in.x, y, in.width, m.strip}, share_permille(memory.used_milligib, memory.total_milligib));
  y += m.strip + space;
  named_value(scene, m, in.x, y, in.width, "cache",
              memory_text(memory.cache_milligib, memory.total_milligib).c_str());
  y += line + space;
  const bool known = memory.total_milligib != kUnknown && memory.used_milligib != kUnknown;
  const int64_t available = known && memory.total_milligib > memory.used_milligib
                                ? memory.total_milligib - memory.used_milligib
                            : known ? 0
                                    : static_cast<int64_t>(kUnknown);
  if (y + line <= in.bottom) {
    named_value(scene, m, in.x, y, in.width, "available",
                memory_text(available, memory.total_milligib).c_str());
  }
  y += line + space;
  if (y + line + 4 + m.strip > in.bottom) return;
  // Swap stands on the lower edge, where the graphs of its neighbours end.
  const int swap_y = in.bottom - line - 4 - m.strip;
  if (snapshot.has_swap) {
    labelled_bar(scene, m, {in.x, swap_y, in.width, 0}, "swap",
                 memory_pair(snapshot.swap.used_milligib, snapshot.swap.total_milligib).c_str(),
                 share_permille(snapshot.swap.used_milligib, snapshot.swap.total_milligib));
  } else {
    named_value(scene, m, in.x, in.bottom - line, in.width, "swap", "none");
  }
}

// ----------------------------------------------------------------------------------------------------
// network

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

void draw_network(Scene& scene, const View& view, const Metrics& m, const Rect& rect, const GraphTime& time) {
  const Snapshot& snapshot = *view.snapshot;
  const bool there = snapshot.has_network && std::strcmp(snapshot.network.name, "-") != 0;
  scene.widget("net", -1, rect);
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
    scene.widget("net graph", -1, {in.x, in.y, in.width, height});
    draw_direction(scene, m, {in.x, in.y, half, height}, "down", down, view.history->received(), time, true);
    draw_direction(scene, m, {in.x + in.width - half, in.y, half, height}, "up", up, view.history->sent(),
                   time, true);
    return;
  }
  const int caption_height = m.caption->ascent + m.caption->descent;
  const int block = (height - caption_height - 6 - m.row_gap) / 2;
  scene.widget("net graph", -1, {in.x, in.y, in.width, height});
  draw_direction(scene, m, {in.x, in.y, in.width, block}, "down", down, view.history->received(), time,
                 false);
  const int y = in.y + block + m.row_gap;
  draw_direction(scene, m, {in.x, y, in.width, in.bottom - y}, "up", up, view.history->sent(), time, true);
}

}  // namespace

void draw_dashboard(Scene& scene, const View& view, Size size, Motion motion) {
  const Metrics& m = metrics_for(size);
  const Layout layout = arrange(size, view.snapshot->gpu_count);
  const GraphTime time = graph_time(view, motion);
  draw_header(scene, view, m, layout.header);
  // Where the full kind does not fit, panels are drawn as in the two rows of many GPUs.
  const bool compact =
      layout.gpu_panels > 0 && layout.gpus[0].height < full_gpu_height(m, layout.gpus[0].width);
  for (int i = 0; i < layout.gpu_panels; ++i) {
    if (layout.gpu_rest && i == layout.gpu_panels - 1) {
      draw_gpu_rest(scene, view, i, m, layout.gpus[i]);
    } else if (compact) {
      draw_compact_gpu(scene, view, view.snapshot->gpus[i], m, layout.gpus[i], time);
    } else {
      draw_gpu(scene, view, view.snapshot->gpus[i], m, layout.gpus[i], time);
    }
  }
  draw_cpu(scene, view, m, layout.cpu, time);
  draw_memory(scene, view, m, layout.memory);
  draw_network(scene, view, m, layout.network, time);
}

}  // namespace inktop
