#include "picture/panels/gpu.h"

#include <climits>

#include "picture/panels/frame.h"
#include "picture/panels/gpu_parts.h"
#include "picture/panels/pieces.h"
#include "picture/wrap.h"

namespace inktop {

namespace {

// A number in the second size with a bar on the biggest one's baseline.
void barred(Scene& scene, const Metrics& m, int x, int y, int width, const Font& block, const Stat& number,
            int32_t permille, bool bar) {
  stat(scene, m, x, y, width, *m.numeral, number);
  if (!bar) return;
  const int below = stat_height(m, *m.numeral) + m.line;
  const int bar_y = block_bar_y(m, block) > below ? block_bar_y(m, block) : below;
  bar_item(scene, {x, y + bar_y, width, bar_height(m)}, permille);
}

// The rows of a panel in which the numbers are under each other.
struct Stack {
  const Font* numeral;  // of the busy number
  bool limit;           // the temperature has room for its limit
  int vram_y;
  int stats_y;
  int graph_y;
};

// The power and all other sensors.
int stack_stats(const GpuParts& parts, Stat (&stats)[5]) {
  int count = 0;
  if (parts.has_power) stats[count++] = parts.power;
  for (int i = 0; i < parts.lesser_count; ++i) stats[count++] = parts.lesser[i];
  return count;
}

Stack stack_of(const Metrics& m, int width, int stat_count) {
  Stack stack;
  const int heat = quantity_width(*m.numeral, *m.body, "100", kCelsius);
  const int limited = quantity_width(*m.numeral, *m.body, "100", kWidestLimit);
  stack.numeral = numeral_width(m, *m.big_numeral) + heat + m.pad / 2 <= width ? m.big_numeral : m.numeral;
  stack.limit = numeral_width(m, *stack.numeral) + limited + m.pad / 2 <= width;
  stack.vram_y = block_height(m, *stack.numeral) + m.line;
  const int space = m.row_gap / 2;
  stack.stats_y = stack.vram_y + block_height(m, *m.numeral) + bar_height(m) + space;
  stack.graph_y = stack.stats_y + stat_rows_height(m, width, stat_count) + (stat_count > 0 ? space : 0);
  return stack;
}

void draw_advice(Scene& scene, const Metrics& m, const GpuParts& parts, const Inner& in, bool wide) {
  const Font& word = *m.title;
  const int word_width = text_width(word, parts.word) < in.width ? text_width(word, parts.word) : in.width;
  gpu_numeral(scene, m, parts, {in.x, in.y, word_width, 0}, *m.big_numeral, word);
  const int x = wide ? in.x + word_width + 2 * m.pad : in.x;
  // Beside the word: as high as its letters are.
  const int letters = in.y + stat_height(m, *m.big_numeral) - m.big_numeral->descent - word.capital;
  const int y = wide ? letters - (m.body->ascent - m.body->capital)
                     : in.y + block_height(m, *m.big_numeral) + m.row_gap;
  wrapped_items(scene, *m.body, parts.advice, x, y, in.x + in.width - x);
}

void draw_wide(Scene& scene, const View& view, const Gpu& gpu, const GpuParts& parts, const Metrics& m,
               const Inner& in) {
  const Columns columns = three_columns(m, in.x, in.width);
  if (parts.advice != nullptr) {
    draw_advice(scene, m, parts, in, true);
  } else {
    const int busy_width = columns.second_x - in.x - m.pad / 2;
    gpu_numeral(scene, m, parts, {in.x, in.y, busy_width, 0}, *m.big_numeral, *m.title);
    barred(scene, m, columns.second_x, in.y, columns.third_x - columns.second_x - m.pad, *m.big_numeral,
           parts.vram, parts.vram_permille, true);
    Stat heat = parts.heat;
    heat.unit = parts.heat_limit;
    barred(scene, m, columns.third_x, in.y, columns.third_width, *m.big_numeral, heat, parts.heat_permille,
           parts.heat_has_limit);
    const int y = in.y + block_height(m, *m.big_numeral) + m.gap;
    if (parts.has_power && !parts.power_has_cap) {
      stat(scene, m, in.x, y, busy_width, *m.medium, parts.power);
    } else if (parts.has_power) {
      // Name and number share a line: the bar below them is as wide as both.
      const Font& number = *m.medium;
      const int baseline = m.caption->ascent;
      const int width = busy_width - m.pad / 2;
      const int name_width = text_width(*m.caption, "power");
      text_item(scene, text_rect(*m.caption, in.x, y, name_width), *m.caption, "power");
      ShortText cap;
      cap.add(' ').add(parts.power_of_cap.unit.c_str());
      const Run runs[] = {{&number, parts.power_of_cap.number.c_str()}, {m.body, cap.c_str()}};
      const int x = in.x + name_width + 16;
      const int above = number.ascent - baseline;
      runs_item(scene, {x, y - above, in.x + width - x, font_height(number)}, number.ascent, runs, 2,
                Align::right);
      const int bar_y = y + stat_height(m, number) - number.descent - bar_height(m);
      bar_item(scene, {in.x, bar_y, width, bar_height(m)}, parts.power_permille);
    }
    const int xs[] = {columns.second_x, columns.second_x + (columns.third_x - columns.second_x) / 2,
                      columns.third_x, columns.third_x + columns.third_width / 2};
    for (int i = 0; i < parts.lesser_count; ++i) {
      const int right = i == 3 ? in.x + in.width : xs[i + 1] - m.pad / 2;
      stat(scene, m, xs[i], y, right - xs[i], *m.medium, parts.lesser[i]);
    }
  }
  const int y = in.y + tall_graph_y(m);
  if (in.bottom - y >= least_graph(m)) {
    gpu_graph(scene, view, m, {in.x, y, in.width, in.bottom - y}, gpu, true);
  }
}

// In a narrow but tall panel: the three big numbers under each other, each with its limit and bar, and the
// lesser ones in a column beside them.
struct Tower {
  bool fit = false;
  int left;   // width of the big numbers
  int pitch;  // of the lesser ones
  int heat_y;
  int vram_y;
  int graph_y;
};

Tower tower_of(const Metrics& m, const Inner& in, int stat_count) {
  Tower tower;
  const int column = text_width(*m.caption, "clock MHz");
  const int vram = quantity_width(*m.numeral, *m.body, "00.0", "/ 00.0 GiB");
  tower.left = in.width - column - m.pad / 4;
  const int barred = block_height(m, *m.numeral) + bar_height(m);
  tower.vram_y = block_height(m, *m.big_numeral);
  tower.heat_y = tower.vram_y + barred + m.row_gap / 2;
  const int end = tower.heat_y + barred;
  const int space = m.row_gap / 2;
  tower.graph_y = end + space;
  const int each = stat_height(m, *m.medium);
  tower.pitch = stat_count > 1 ? (end - each) / (stat_count - 1) : 0;
  const int most = 2 * each;
  if (tower.pitch > most) tower.pitch = most;
  tower.fit = vram <= tower.left - 4 && numeral_width(m, *m.big_numeral) <= tower.left &&
              (stat_count <= 1 || tower.pitch >= each) && in.bottom - in.y - tower.graph_y >= least_graph(m);
  return tower;
}

void draw_tower(Scene& scene, const GpuParts& parts, const Metrics& m, const Inner& in, const Tower& tower,
                const Stat* stats, int count) {
  gpu_numeral(scene, m, parts, {in.x, in.y, tower.left - m.pad / 4, 0}, *m.big_numeral, *m.value);
  const int heat_width = quantity_width(*m.numeral, *m.body, "100", kWidestLimit);
  const int below = block_height(m, *m.numeral);
  const int vram_y = in.y + tower.vram_y;
  stat(scene, m, in.x, vram_y, tower.left - 4, *m.numeral, parts.vram);
  const int bar_width = tower.left - m.pad / 4;
  bar_item(scene, {in.x, vram_y + below, bar_width, bar_height(m)}, parts.vram_permille);
  Stat heat = parts.heat;
  heat.unit = parts.heat_limit;
  const int heat_y = in.y + tower.heat_y;
  stat(scene, m, in.x, heat_y, heat_width, *m.numeral, heat);
  if (parts.heat_has_limit) {
    bar_item(scene, {in.x, heat_y + below, heat_width, bar_height(m)}, parts.heat_permille);
  }
  const int right = in.x + in.width;
  const int column = right - in.x - tower.left;
  for (int i = 0; i < count; ++i) {
    // The clock's name may be a longer one: beside the temperature there is room for it.
    const int needs = text_width(*m.caption, stats[i].caption);
    const int room = right - in.x - heat_width - m.pad / 2;
    const bool wide = i * tower.pitch >= tower.heat_y && needs > column - m.pad / 4 && needs <= room;
    const int width = wide ? needs : column - m.pad / 4;
    stat(scene, m, right - width, in.y + i * tower.pitch, width, *m.medium, stats[i]);
  }
}

void draw_stacked(Scene& scene, const View& view, const Gpu& gpu, const GpuParts& parts, const Metrics& m,
                  const Inner& in) {
  Stat stats[5];
  const int count = stack_stats(parts, stats);
  const Stack stack = stack_of(m, in.width, count);
  const Tower tower = tower_of(m, in, 5);
  if (stack.numeral != m.big_numeral && tower.fit && parts.advice == nullptr) {
    draw_tower(scene, parts, m, in, tower, stats, count);
    gpu_graph(scene, view, m, {in.x, in.y + tower.graph_y, in.width, in.bottom - in.y - tower.graph_y}, gpu,
              true);
    return;
  }
  if (parts.advice != nullptr) {
    draw_advice(scene, m, parts, in, false);
  } else {
    const int busy_width = numeral_width(m, *stack.numeral);
    gpu_numeral(scene, m, parts, {in.x, in.y, busy_width, 0}, *stack.numeral, *m.value);
    const int least = quantity_width(*m.numeral, *m.body, "100", stack.limit ? kWidestLimit : kCelsius);
    const int x = in.x + in.width - least;
    Stat heat = parts.heat;
    if (stack.limit) heat.unit = parts.heat_limit;
    const bool taller = stack.numeral == m.big_numeral;
    barred(scene, m, x, in.y, least, *stack.numeral, heat, parts.heat_permille,
           taller && parts.heat_has_limit);
    const int y = in.y + stack.vram_y;
    stat(scene, m, in.x, y, in.width, *m.numeral, parts.vram);
    bar_item(scene, {in.x, y + block_height(m, *m.numeral), in.width, bar_height(m)}, parts.vram_permille);
    stat_rows(scene, m, in.x, in.y + stack.stats_y, in.width, stats, count);
  }
  const int y = in.y + stack.graph_y;
  if (in.bottom - y >= least_graph(m)) {
    gpu_graph(scene, view, m, {in.x, y, in.width, in.bottom - y}, gpu, true);
  }
}

// What draw_gpu() needs, with a graph that is worth its place; INT_MAX where it is too narrow for it.
int full_gpu_height(const Metrics& m, int width) {
  const int inner = width - 2 * m.pad;
  const int least = numeral_width(m, *m.numeral) + quantity_width(*m.numeral, *m.body, "100", kCelsius);
  if (inner < least + m.pad / 2) return INT_MAX;
  const int upper = three_columns(m, 0, inner).fit ? tall_graph_y(m) : stack_of(m, inner, 5).graph_y;
  return m.strip + m.pad / 2 + upper + least_graph(m) + m.pad * 2 / 3;
}

void draw_gpu(Scene& scene, const View& view, const Gpu& gpu, const Metrics& m, const Rect& rect) {
  const GpuParts parts = gpu_parts(view, gpu);
  scene.element("gpu", gpu.index, rect);
  gpu_panel_items(scene, m, parts, rect);
  const Inner in = inner_of(rect, m);
  if (three_columns(m, in.x, in.width).fit) {
    draw_wide(scene, view, gpu, parts, m, in);
  } else {
    draw_stacked(scene, view, gpu, parts, m, in);
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
  if (layout.together) draw_gpus_together(scene, view, m, layout.together_rect);
}

}  // namespace inktop
