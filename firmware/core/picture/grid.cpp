#include "picture/grid.h"

#include "machine/wall_clock.h"
#include "picture/items.h"
#include "picture/panels/plain_header.h"
#include "picture/panels/server_cell.h"
#include "picture/text.h"

namespace inktop {

namespace {

constexpr int kStep = 4;

int on_step(int value) {
  return value / kStep * kStep;
}

// How many servers are there, what their GPUs take together, and the time.
PlainHeader header_of(const View& view, const ServerParts& all) {
  PlainHeader header;
  header.who.add_number(view.server_count).add(" servers");
  int gone = 0;
  for (int i = 0; i < view.server_count; ++i) {
    const View& each = view.servers[i];
    if (!each.is_there()) {
      ++gone;
      continue;
    }
    const char* const time = each.fleet != nullptr ? each.fleet->time : each.snapshot->time;
    if (header.second < 0) header.second = seconds_of_day(time);
  }
  if (gone > 0) header.urgent.add_number(gone).add(" GONE");
  if (all.watts.empty()) return header;
  header.middle.add("GPUs ").add(all.watts.c_str());
  header.widest = "GPUs 00000 / 00000 W";
  return header;
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
  draw_plain_header(scene, view, m, grid.header, header_of(view, all));
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
