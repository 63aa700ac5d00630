#include "picture/panels/gpu_parts.h"

#include <cstring>
#include <initializer_list>

#include "picture/panels/gpu_user.h"

namespace inktop {

namespace {

bool is(const Gpu& gpu, const char* state) {
  return std::strcmp(gpu.state, state) == 0;
}

// The board's button has done its part once the alarm is over.
constexpr char kLostUnseen[] =
    "It vanished from the bus. Seen? Press button 1, or run inktop-collector ack on the server.";
constexpr char kLostSeen[] =
    "It vanished from the bus. To take it off the board, run inktop-collector ack on the server.";
constexpr char kNoAnswer[] =
    "Its driver does not answer. On the server look at dmesg; a restart may be needed.";

void state_of(GpuParts& parts, const View& view, const Gpu& gpu) {
  const bool lost_alarm = has_alarm(view, AlarmKind::gpu_lost, gpu.index);
  const bool stale_alarm = has_alarm(view, AlarmKind::gpu_stale, gpu.index);
  parts.word_alarm = lost_alarm || stale_alarm || has_alarm(view, AlarmKind::gpu_reset, gpu.index);
  if (is(gpu, "lost") || lost_alarm) {
    parts.word = "LOST";
    parts.advice = lost_alarm ? kLostUnseen : kLostSeen;
  } else if (is(gpu, "reset")) {
    parts.word = "RESET";
  } else if (is(gpu, "stale")) {
    parts.word = "NO ANSWER";
    parts.advice = kNoAnswer;
  } else if (is(gpu, "asleep")) {
    parts.word = "asleep";
  } else if (!is(gpu, "ok") && gpu.busy_percent == kUnknown) {
    parts.word = gpu.state;
  }
}

Stat stat_of(const char* caption, int32_t value, const char* unit, Emphasis emphasis = Emphasis::none) {
  Stat stat;
  stat.caption = caption;
  stat.number = format_whole(value);
  stat.unit.add(unit);
  stat.emphasis = emphasis;
  return stat;
}

// Its lanes now and its generation at most: at rest a link may be slow.
LongText link_text(const Gpu& gpu, const GpuInfo* info) {
  LongText text;
  if (info == nullptr || gpu.link_width <= 0 || info->link_width <= 0) return text;
  text.add("PCIe ");
  if (info->link_generation > 0) text.add_number(info->link_generation).add(' ');
  text.add('x').add_number(gpu.link_width);
  if (gpu.link_width < info->link_width) text.add(" of x").add_number(info->link_width);
  return text;
}

// The clock is what is slowed down; the reason takes the place of its name.
const char* clock_caption(const Gpu& gpu) {
  const struct {
    const char* reason;
    const char* caption;
  } captions[] = {{"", "clock MHz"},
                  {"none", "clock MHz"},
                  {"heat", "MHz: heat"},
                  {"power", "MHz: power"},
                  {"current", "MHz: current"}};
  for (const auto& each : captions) {
    if (std::strcmp(gpu.throttle, each.reason) == 0) return each.caption;
  }
  return "MHz: limited";
}

Emphasis throttle_emphasis(const View& view, int gpu) {
  for (const AlarmKind kind : {AlarmKind::gpu_throttled_heat, AlarmKind::gpu_throttled_current,
                               AlarmKind::gpu_throttled_power, AlarmKind::gpu_throttled_other}) {
    if (has_alarm(view, kind, gpu)) return Emphasis::alarm;
  }
  return Emphasis::none;
}

}  // namespace

GpuParts gpu_parts(const View& view, const Gpu& gpu) {
  GpuParts parts;
  const GpuInfo* info = view.gpu_info(gpu.index);
  parts.short_title.add("GPU").add_number(gpu.index);
  parts.title.add(parts.short_title.c_str());
  if (info != nullptr && info->name[0] != 0) parts.title.add("  ").add(info->name);
  parts.place = gpu_user_text(view, gpu.index);
  parts.has_user = !parts.place.empty();
  if (info != nullptr && !parts.has_user) {
    parts.place.add(std::strncmp(info->pci, "0000:", 5) == 0 ? info->pci + 5 : info->pci);
  }
  parts.link = link_text(gpu, info);
  parts.alarm = gpu_alarm(view, gpu.index);
  state_of(parts, view, gpu);
  const Emphasis big = big_emphasis(view);
  parts.busy = stat_of("busy", gpu.busy_percent, "%", big);

  const int64_t used = milligib_of_mib(gpu.vram_used_mib);
  const int64_t total = milligib_of_mib(gpu.vram_total_mib);
  const MemoryPair pair = memory_pair(used, total, true);
  parts.vram.caption = "VRAM";
  parts.vram.number = pair.used;
  parts.vram.unit = pair.rest;
  parts.vram.emphasis = big_emphasis_of(view, AlarmKind::gpu_vram_full, gpu.index);
  parts.vram_permille = share_permille(gpu.vram_used_mib, gpu.vram_total_mib);
  parts.vram_words = memory_words(used, total);

  // An APU has one temperature: that is the one to look at.
  const uint8_t seen = view.history->sensors(gpu.index) | sensors_of(gpu);
  const bool by_edge = (seen & kSensorJunction) == 0 && (seen & kSensorEdge) != 0;
  const int32_t heat = by_edge ? gpu.edge_c : gpu.junction_c;
  const int32_t limit = info == nullptr ? 0 : by_edge ? info->edge_critical_c : info->junction_critical_c;
  parts.heat = stat_of(
      by_edge ? "edge" : "junction", degrees(view, heat), degrees_unit(view),
      big_emphasis_of(view, by_edge ? AlarmKind::gpu_edge_hot : AlarmKind::gpu_junction_hot, gpu.index));
  parts.heat_limit = degrees_of(view, limit);
  parts.heat_has_limit = limit > 0;
  if (limit > 0) parts.heat_permille = share_permille(heat, limit);

  parts.has_power = (seen & kSensorPower) != 0;
  parts.power = stat_of("power", gpu.power_w, "W");
  parts.power_of_cap = parts.power;
  if (info != nullptr && info->power_cap_w > 0) {
    parts.power_of_cap.unit = ShortText();
    parts.power_of_cap.unit.add("/ ").add_number(info->power_cap_w).add(" W");
    parts.power_has_cap = true;
    parts.power_permille = share_permille(gpu.power_w, info->power_cap_w);
  }
  parts.has_memory = (seen & kSensorMemory) != 0;
  parts.memory = stat_of("memory", degrees(view, gpu.memory_c), degrees_unit(view),
                         emphasis_of(view, AlarmKind::gpu_memory_hot, gpu.index));
  if (parts.has_memory) parts.lesser[parts.lesser_count++] = parts.memory;
  if ((seen & kSensorEdge) != 0 && !by_edge) {
    parts.lesser[parts.lesser_count++] = stat_of("edge", degrees(view, gpu.edge_c), degrees_unit(view));
  }
  if ((seen & kSensorFan) != 0) {
    parts.lesser[parts.lesser_count++] =
        stat_of("fan rpm", gpu.fan_rpm, "", emphasis_of(view, AlarmKind::gpu_fan_stopped, gpu.index));
  }
  if ((seen & kSensorClock) != 0) {
    parts.lesser[parts.lesser_count++] =
        stat_of(clock_caption(gpu), gpu.core_clock_mhz, "", throttle_emphasis(view, gpu.index));
  }
  return parts;
}

GpuSums gpu_sums(const View& view, int first) {
  GpuSums sums;
  const Snapshot& snapshot = *view.snapshot;
  int64_t busy = 0;
  int known = 0;
  int32_t caps = 0;
  bool all_caps = true;
  for (int i = first; i < snapshot.gpu_count; ++i) {
    const Gpu& gpu = snapshot.gpus[i];
    ++sums.count;
    if (gpu.busy_percent != kUnknown) {
      busy += gpu.busy_percent;
      ++known;
    }
    if (gpu.power_w != kUnknown) sums.power_w = (sums.power_w == kUnknown ? 0 : sums.power_w) + gpu.power_w;
    const GpuInfo* info = view.gpu_info(gpu.index);
    if (info != nullptr && info->power_cap_w > 0) {
      caps += info->power_cap_w;
    } else {
      all_caps = false;
    }
    const int32_t heat = gpu.junction_c != kUnknown ? gpu.junction_c : gpu.edge_c;
    if (heat > sums.hottest_c) sums.hottest_c = heat;
    if (gpu.vram_used_mib != kUnknown && gpu.vram_total_mib != kUnknown) {
      sums.vram_used_mib += gpu.vram_used_mib;
      sums.vram_total_mib += gpu.vram_total_mib;
    }
  }
  if (known > 0) sums.busy_percent = static_cast<int32_t>((busy + known / 2) / known);
  if (all_caps && caps > 0) sums.power_cap_w = caps;
  return sums;
}

void gpu_panel_items(Scene& scene, const Metrics& m, const GpuParts& parts, const Rect& rect) {
  const bool whole = !parts.has_user || !parts.alarm.words.empty() ||
                     title_fits(m, rect.width, parts.title.c_str(), parts.place.c_str());
  LongText place = parts.place;
  if (!parts.has_user && !parts.link.empty()) {
    place.add(place.empty() ? "" : "  ").add(parts.link.c_str());
    if (!title_fits(m, rect.width, parts.title.c_str(), place.c_str())) place = parts.place;
  }
  panel_items(scene, rect, m, whole ? parts.title.c_str() : parts.short_title.c_str(), place.c_str(),
              parts.alarm);
}

void gpu_numeral(Scene& scene, const Metrics& m, const GpuParts& parts, const Rect& rect, const Font& numeral,
                 const Font& word_font) {
  if (parts.word == nullptr) {
    stat(scene, m, rect.x, rect.y, rect.width, numeral, parts.busy);
    return;
  }
  // On the number's baseline, or above it.
  const Key key = Key().add("state").add(parts.word).add(&word_font).add_byte(parts.word_alarm ? 1 : 0);
  const Rect box{rect.x - 4, rect.y, rect.width + 8, stat_height(m, numeral)};
  if (!scene.item(box, key)) return;
  const int side = word_font.descent * 2 / 3;  // as tall above the letters as below them
  const int lowest = box.bottom() - word_font.descent;
  const int wanted = box.bottom() - numeral.descent;
  const int baseline = wanted < lowest ? wanted : lowest;
  const Fitted fitted = fit_text(word_font, parts.word, rect.width);
  if (parts.word_alarm) {
    scene.canvas().fill(
        {box.x, baseline - word_font.capital - side, fitted.width + 8, word_font.capital + 2 * side},
        Ink::black);
  }
  draw_fitted(scene.canvas(), word_font, parts.word, fitted, rect.x, baseline,
              parts.word_alarm ? Ink::white : Ink::black);
}

void gpu_graph(Scene& scene, const View& view, const Metrics& m, const Rect& rect, const Gpu& gpu,
               bool words) {
  const GraphTime time = graph_time(view);
  Graph graph;
  graph.series = &view.history->gpu_permille(gpu.index);
  graph.dashed = &view.history->vram_permille(gpu.index);
  LongText summary;
  if (words) {
    summary = summary_text(*graph.series, time, 10);
    graph.right = summary.c_str();
    // Without the span, which the minutes below the graph say too.
    const char* const colon = std::strchr(summary.c_str(), ':');
    if (colon != nullptr) graph.right_brief = colon + 2;
    graph.fill_name = "busy %";
    graph.dash_name = "VRAM %";
  }
  scene.element("gpu graph", gpu.index, rect);
  graph_items(scene, m, rect, graph, time);
}

}  // namespace inktop
