// Panels of GPUs that have no room for all: five and more in two rows, the rest, all together.
#include <cstring>

#include "picture/panels/frame.h"
#include "picture/panels/gpu_parts.h"
#include "picture/panels/pieces.h"
#include "picture/wrap.h"

namespace inktop {

namespace {

// Beside the big number: one in the second size and as many lesser ones as there is room for.
void beside(Scene& scene, const Metrics& m, int x, int y, int right, const Stat& second, const Stat* lesser,
            int count) {
  // Their baseline is the second's.
  const int drop = m.value->ascent - m.medium->ascent;
  int widths[3];
  const auto wide = [&](const Stat& each, const Font& font, const char* widest) {
    const int number = quantity_width(font, unit_font(m, font), widest, each.unit.c_str());
    const int caption = text_width(*m.caption, each.caption);
    return number > caption ? number : caption;
  };
  const int first = wide(second, *m.value, "100");
  int shown = 0;
  int used = first;
  for (int i = 0; i < count; ++i) {
    widths[i] = wide(lesser[i], *m.medium, "000");
    if (x + used + m.pad / 2 + widths[i] > right) break;
    used += m.pad / 2 + widths[i];
    ++shown;
  }
  if (x + first > right) return;
  const int space = shown > 0 ? (right - x - used) / shown + m.pad / 2 : 0;
  stat(scene, m, x, y, first, *m.value, second);
  int at = x + first + (space < 2 * m.pad ? space : 2 * m.pad);
  for (int i = 0; i < shown; ++i) {
    text_item(scene, text_rect(*m.caption, at, y, widths[i]), *m.caption, lesser[i].caption);
    const int below = y + stat_height(m, *m.value) - font_height(*m.value) + drop;
    quantity_item(scene, text_rect(*m.medium, at, below, widths[i]), *m.medium, unit_font(m, *m.medium),
                  lesser[i].number.c_str(), lesser[i].unit.c_str(), lesser[i].emphasis);
    at += widths[i] + (space < 2 * m.pad ? space : 2 * m.pad);
  }
}

// Caption, bar and words of the memory in one line; its height. The caption's dashes are those of the graph.
int memory_line(Scene& scene, const Metrics& m, const Inner& in, int y, const GpuParts& parts, bool dashes) {
  const int height = font_height(*m.body);
  const char* const words = parts.vram_words.c_str();
  if (y + height > in.bottom) return 0;
  // As long as it can become, when what is used comes to be as long as the total.
  const char* const total = std::strchr(words, '/');
  const int needs = text_width(*m.body, words);
  int widest = total == nullptr ? needs : 2 * text_width(*m.body, total) - text_width(*m.body, "/ GiB");
  if (widest < needs) widest = needs;
  const int words_width = widest < in.width ? widest : in.width;
  const Font& font = *m.caption;
  int x = in.x;
  const int sample = dashes ? legend_sample(m) + 8 : 0;
  const int caption = sample + text_width(font, "VRAM");
  const int bar_width = in.width - words_width - 16 - caption - 12;
  if (bar_width >= 48) {
    const int baseline = y + m.body->ascent;
    if (dashes) legend_item(scene, m, {x, baseline - font.capital, sample - 8, font.capital}, true);
    text_item(scene, text_rect(font, x + sample, baseline - font.ascent, caption - sample), font, "VRAM");
    x += caption + 12;
    bar_item(scene, {x, y + 2, bar_width, height - 4}, parts.vram_permille);
  }
  text_item(scene, text_rect(*m.body, in.x + in.width - words_width, y, words_width), *m.body, words,
            Align::right);
  return height;
}

// Name and value above a bar of the whole width; its height.
int named_bar(Scene& scene, const Metrics& m, const Inner& in, int y, const char* name, const char* value,
              int32_t permille) {
  named_value(scene, m, in.x, y, in.width, name, value);
  const int bar_y = y + font_height(*m.body) + 4;
  if (permille != kUnknown) bar_item(scene, {in.x, bar_y, in.width, bar_height(m)}, permille);
  return font_height(*m.body) + 4 + bar_height(m);
}

void draw_sums(Scene& scene, const View& view, int first, const Metrics& m, const Rect& rect) {
  const GpuSums sums = gpu_sums(view, first);
  const Inner in = inner_of(rect, m);
  Stat busy;
  busy.caption = "mean busy";
  busy.number = format_whole(sums.busy_percent);
  busy.unit.add('%');
  busy.emphasis = big_emphasis(view);
  const int width = numeral_width(m, *m.numeral);
  stat(scene, m, in.x, in.y, width, *m.numeral, busy);
  Stat hottest;
  hottest.caption = "hottest";
  hottest.number = format_whole(degrees(view, sums.hottest_c));
  hottest.unit.add(degrees_unit(view));
  beside(scene, m, in.x + width + m.pad, in.y, in.x + in.width, hottest, nullptr, 0);
  int y = in.y + block_height(m, *m.numeral) + m.row_gap / 2;
  const int line = font_height(*m.body) + 4 + bar_height(m);
  const int64_t total = sums.vram_total_mib;
  if (y + line > in.bottom) return;
  const LongText words = total > 0 ? memory_words(milligib_of_mib(sums.vram_used_mib), milligib_of_mib(total))
                                   : LongText().add(kNoValue);
  y += named_bar(scene, m, in, y, "VRAM", words.c_str(), share_permille(sums.vram_used_mib, total)) +
       m.row_gap / 2;
  if (y + line > in.bottom) return;
  LongText power;
  power.add(format_whole(sums.power_w).c_str());
  if (sums.power_cap_w != kUnknown) power.add(" / ").add_number(sums.power_cap_w);
  power.add(" W");
  named_bar(scene, m, in, y, "power", power.c_str(), share_permille(sums.power_w, sums.power_cap_w));
}

}  // namespace

void draw_compact_gpu(Scene& scene, const View& view, const Gpu& gpu, const Metrics& m, const Rect& rect) {
  const GpuParts parts = gpu_parts(view, gpu);
  scene.element("gpu", gpu.index, rect);
  gpu_panel_items(scene, m, parts, rect);
  const Inner in = inner_of(rect, m);
  int y = in.y + block_height(m, *m.numeral) + m.line;
  if (parts.advice != nullptr) {
    gpu_numeral(scene, m, parts, {in.x, in.y, in.width, 0}, *m.numeral, *m.value);
    const int height = wrapped_height(*m.caption, parts.advice, in.width);
    if (y + height <= in.bottom) wrapped_items(scene, *m.caption, parts.advice, in.x, y, in.width);
    return;
  }
  const int number_width = numeral_width(m, *m.numeral);
  gpu_numeral(scene, m, parts, {in.x, in.y, number_width, 0}, *m.numeral, *m.value);
  // The power before the memory's temperature, which stands between them where both fit.
  const Stat both[] = {parts.memory, parts.power};
  const int x = in.x + number_width + m.pad / 2;
  const int all = quantity_width(*m.value, *m.body, "100", kCelsius) + 2 * m.pad / 2 +
                  quantity_width(*m.medium, *m.caption, "000", kCelsius) +
                  quantity_width(*m.medium, *m.caption, "000", "W");
  const bool two = parts.has_memory && x + all <= in.x + in.width;
  beside(scene, m, x, in.y, in.x + in.width, parts.heat, two ? both : both + 1,
         (two ? 1 : 0) + (parts.has_power ? 1 : 0));
  const int line = font_height(*m.body) + m.row_gap / 4;
  const bool graph = in.bottom - y - line >= least_graph(m) - 2 * m.pad;
  y += memory_line(scene, m, in, y, parts, graph) + m.row_gap / 4;
  if (graph) gpu_graph(scene, view, m, {in.x, y, in.width, in.bottom - y}, gpu, false);
}

void draw_gpu_rest(Scene& scene, const View& view, int first, const Metrics& m, const Rect& rect) {
  const Snapshot& snapshot = *view.snapshot;
  LongText title;
  title.add('+').add_number(snapshot.gpu_count - first).add(" more GPUs");
  PanelAlarm alarm;
  int others = 0;
  for (int i = first; i < snapshot.gpu_count; ++i) {
    const PanelAlarm one = gpu_alarm(view, snapshot.gpus[i].index);
    if (one.words.empty()) continue;
    if (!alarm.words.empty()) {
      ++others;
      continue;
    }
    alarm.words.add("GPU").add_number(snapshot.gpus[i].index).add(' ').add(one.words.c_str());
    alarm.first.add("GPU").add_number(snapshot.gpus[i].index).add(' ').add(one.first.c_str());
    alarm.more = one.more;
    alarm.since_s = one.since_s;
    alarm.twelve_hours = one.twelve_hours;
  }
  if (others > 0) {
    // One strip for many cards: the first of them is named, the others are counted.
    alarm.more += others;
    alarm.words = alarm.first;
    alarm.words.add(" +").add_number(alarm.more);
  }
  scene.element("gpu rest", -1, rect);
  panel_items(scene, rect, m, title.c_str(), "together", alarm);
  draw_sums(scene, view, first, m, rect);
}

void draw_gpus_together(Scene& scene, const View& view, const Metrics& m, const Rect& rect) {
  LongText count;
  count.add("all ").add_number(view.snapshot->gpu_count);
  scene.element("gpus", -1, rect);
  panel_items(scene, rect, m, "GPUs together", count.c_str());
  draw_sums(scene, view, 0, m, rect);
}

}  // namespace inktop
