#include "picture/grid.h"

#include "machine/wall_clock.h"
#include "picture/items.h"
#include "picture/panels/header.h"
#include "picture/panels/server_cell.h"
#include "picture/text.h"

namespace inktop {

namespace {

constexpr int kStep = 4;
constexpr int kRuleSpace = 4;  // from the header to the rule below it

int on_step(int value) {
  return value / kStep * kStep;
}

// How many servers are there, what their GPUs take together, and the time.
void draw_grid_header(Scene& scene, const View& view, const Metrics& m, const Rect& rect,
                      const ServerParts& all) {
  scene.element("header", -1, {rect.x, rect.y, rect.width, m.top - m.row_gap / 2 - rect.y});
  rule_item(scene, {rect.x, rect.bottom() + kRuleSpace, rect.width, m.line});
  LongText servers;
  servers.add_number(view.server_count).add(" servers");
  if (view.freshness == Freshness::lost) return draw_lost(scene, view, m, rect, servers.c_str());
  int gone = 0;
  const View* clock_of = nullptr;
  for (int i = 0; i < view.server_count; ++i) {
    const View& each = view.servers[i];
    const bool there = each.snapshot != nullptr && each.freshness != Freshness::lost;
    if (!there) ++gone;
    if (there && each.snapshot->time[0] != 0 && clock_of == nullptr) clock_of = &each;
  }
  const Font& big = *m.value;
  const int baseline = (rect.height + m.title->capital) / 2;
  const auto words = [&](const Font& font, int x, int width, const char* text, Align align) {
    const Run run{&font, text};
    const int above = font.ascent < baseline ? font.ascent : baseline;
    const int room = rect.height + kRuleSpace - baseline;
    const int below = room < font.descent ? room : font.descent;
    runs_item(scene, {x, rect.y + baseline - above, width, above + below}, above, &run, 1, align);
  };
  const bool twelve = view.taste.twelve_hours;
  const int32_t second = clock_of != nullptr ? seconds_of_day(clock_of->snapshot->time) : -1;
  LongText half;
  if (twelve && second >= 0) half.add(' ').add(half_of_day(second));
  const int half_width = text_width(*m.body, half.c_str());
  const int clock_width = text_width(*m.title, "00:00");
  const int clock_x = rect.right() - half_width - clock_width - 4;
  words(*m.title, clock_x, clock_width, format_minute(second, twelve).c_str(), Align::right);
  if (half_width > 0) words(*m.body, rect.right() - half_width, half_width, half.c_str(), Align::right);
  int x = rect.x + 4;
  const int count_width = text_width(big, servers.c_str());
  words(big, x, count_width, servers.c_str(), Align::left);
  x += count_width + m.pad;
  if (gone > 0) {
    LongText missing;
    missing.add_number(gone).add(" gone");
    const int width = text_width(big, missing.c_str()) + 2 * m.pad;
    if (x + width > clock_x - m.pad) return;
    inverted_item(scene, {x, rect.y, width, rect.height}, big, missing.c_str());
    x += width + m.pad;
  }
  // What all take together, where no cell says it.
  if (all.watts.empty()) return;
  LongText power;
  power.add("GPUs ").add(all.watts.c_str());
  const int right = clock_x - m.pad;
  const int width = text_width(big, "GPUs 00000 / 00000 W");
  if (x + width > right) return;
  const int middle = rect.x + (rect.width - width) / 2;
  const int left = middle < x ? x : middle + width > right ? right - width : middle;
  words(big, left, width, power.c_str(), Align::center);
}

}  // namespace

Grid arrange_grid(Size size, int servers) {
  const Metrics& m = metrics_for(size);
  Grid grid;
  const int width = size.width - 2 * m.margin;
  const int height = size.height - m.bottom - m.top;
  grid.header = {m.margin, m.inset, width, m.header};
  grid.cells = servers < kMaxCells ? servers : kMaxCells;
  const bool portrait = size.height > size.width;
  const int columns = portrait ? (grid.cells <= 4 ? 1 : 2)
                               : (grid.cells <= 2   ? grid.cells
                                  : grid.cells <= 4 ? 2
                                  : grid.cells <= 6 ? 3
                                                    : 4);
  const int rows = (grid.cells + columns - 1) / columns;
  const auto place = [&](int index) {
    const auto x_of = [&](int column) { return on_step(column * (width + m.gap) / columns); };
    const auto y_of = [&](int row) { return on_step(row * (height + m.row_gap) / rows); };
    const int column = index % columns;
    const int row = index / columns;
    return Rect{m.margin + x_of(column), m.top + y_of(row), x_of(column + 1) - m.gap - x_of(column),
                y_of(row + 1) - m.row_gap - y_of(row)};
  };
  for (int i = 0; i < grid.cells; ++i) grid.rects[i] = place(i);
  grid.together = grid.cells < rows * columns;
  if (grid.together) grid.together_rect = place(grid.cells);
  return grid;
}

void draw_grid(Scene& scene, const View& view, Size size) {
  const Metrics& m = metrics_for(size);
  const Grid grid = arrange_grid(size, view.server_count);
  const ServerParts all = together_parts(view);
  draw_grid_header(scene, view, m, grid.header, all);
  for (int i = 0; i < grid.cells; ++i) {
    const Rect& rect = grid.rects[i];
    scene.element("server", i, rect);
    const Font& font = cell_name_font(m);
    draw_server_cell(scene, view.servers[i], m, rect,
                     server_parts(view.servers[i], font, cell_name_room(m, rect.width)));
  }
  if (!grid.together) return;
  scene.element("together", -1, grid.together_rect);
  View none;
  none.taste = view.taste;
  draw_server_cell(scene, none, m, grid.together_rect, all);
}

}  // namespace inktop
