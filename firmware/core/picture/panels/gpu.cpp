#include "picture/panels/gpu.h"

#include <cstring>

#include "picture/panels/frame.h"
#include "picture/panels/gpu_user.h"
#include "picture/panels/pieces.h"

namespace inktop {

namespace {

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

// What is in place of the big number when the card is not simply working.
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
  // In the number's own rectangle, so that the picture does not move; on its baseline, or above it.
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
  LongText place;  // who uses it; else its PCI address without the domain 0000
  PanelAlarm alarm;
  LongText memory;
  LongText power;
  int32_t memory_permille;
  int32_t power_permille;
};

GpuTexts gpu_texts(const View& view, const Gpu& gpu) {
  GpuTexts texts;
  const GpuInfo* info = view.gpu_info(gpu.index);
  texts.title.add("GPU").add_number(gpu.index);
  if (info != nullptr && info->name[0] != 0) texts.title.add("  ").add(info->name);
  texts.place = gpu_user_text(view, gpu.index);
  if (info != nullptr && texts.place.empty()) {
    texts.place.add(std::strncmp(info->pci, "0000:", 5) == 0 ? info->pci + 5 : info->pci);
  }
  texts.alarm = gpu_alarm(view, gpu.index);
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

// What draw_gpu() needs, with a graph that is worth its place.
int full_gpu_height(const Metrics& m, int width) {
  constexpr int kLeastGraph = 88;
  const int bars = 2 * labelled_bar_height(m) + m.row_gap;
  const int stats = stat_height(m, *m.value);
  const int upper =
      is_wide(m, width - 2 * m.pad) ? wide_upper(m) : 2 * stats + 8 + m.row_gap / 2 + bars + m.row_gap;
  return m.strip + m.pad * 2 / 3 + upper + stats + m.row_gap / 2 + kLeastGraph + m.pad * 2 / 3;
}

void draw_gpu(Scene& scene, const View& view, const Gpu& gpu, const Metrics& m, const Rect& rect) {
  const GpuTexts texts = gpu_texts(view, gpu);
  scene.element("gpu", gpu.index, rect);
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
                       graph_time(view), kFullPermille, "busy %", "gpu graph", gpu.index);
  }
}

// For the two rows of five to eight GPUs.
void draw_compact_gpu(Scene& scene, const View& view, const Gpu& gpu, const Metrics& m, const Rect& rect) {
  const GpuTexts texts = gpu_texts(view, gpu);
  scene.element("gpu", gpu.index, rect);
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
                       graph_time(view), kFullPermille, "busy %", "gpu graph", gpu.index);
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
      const PanelAlarm one = gpu_alarm(view, gpu.index);
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
  scene.element("gpu rest", -1, rect);
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

}  // namespace

void draw_gpus(Scene& scene, const View& view, const Metrics& m, const Layout& layout) {
  // Where the full kind does not fit, panels are drawn as in the two rows of many GPUs.
  const bool compact =
      layout.gpu_panels > 0 && layout.gpus[0].height < full_gpu_height(m, layout.gpus[0].width);
  for (int i = 0; i < layout.gpu_panels; ++i) {
    if (layout.gpu_rest && i == layout.gpu_panels - 1) {
      draw_gpu_rest(scene, view, i, m, layout.gpus[i]);
    } else if (compact) {
      draw_compact_gpu(scene, view, view.snapshot->gpus[i], m, layout.gpus[i]);
    } else {
      draw_gpu(scene, view, view.snapshot->gpus[i], m, layout.gpus[i]);
    }
  }
}

}  // namespace inktop
