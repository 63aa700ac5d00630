#include "picture/layout.h"

namespace inktop {

namespace {

constexpr int kGrid = 4;

constexpr int on_grid(int value) {
  return value / kGrid * kGrid;
}

constexpr Metrics kLarge = {&kCaption21,  &kBody25, &kValue28, &kValue34, &kValue42, &kTitle64, &kNumeral84,
                            &kNumeral128, 24,       16,        12,        56,        16,        12,
                            56,           92,       24,        32,        28,        14,        3};

constexpr Metrics kSmall = {&kCaption13, &kBody18, &kBody18, &kBody18, &kValue28, &kValue42, &kValue42,
                            &kTitle64,   16,       16,       8,        48,        16,        8,
                            32,          56,       16,       24,       16,        10,        2};

// Share of the height that the upper panels take, in percent: one row of them, two rows.
constexpr int kUpperPercent = 59;
constexpr int kTwoRowsPercent = 64;

// px; a panel narrower than this would cut its numbers.
constexpr int kNarrowest = 220;

}  // namespace

const Metrics& metrics_for(Size size) {
  const int longer = size.width > size.height ? size.width : size.height;
  const int shorter = size.width > size.height ? size.height : size.width;
  return longer >= 1600 && shorter >= 900 ? kLarge : kSmall;
}

void place_marks(Size size, Rect (&marks)[kMarks]) {
  const Metrics& m = metrics_for(size);
  const int right = size.width - m.inset - m.mark;
  const int bottom = size.height - m.inset - m.mark;
  const int middle = (size.height - m.small) / 2;
  marks[0] = {m.inset, m.inset, m.mark, m.mark};
  marks[1] = {right, m.inset, m.mark, m.mark};
  marks[2] = {m.inset, bottom, m.mark, m.mark};
  marks[3] = {right, bottom, m.mark, m.mark};
  marks[4] = {m.inset, middle, m.small, m.small};
  marks[5] = {size.width - m.inset - m.small, middle, m.small, m.small};
}

namespace {

// Parts of the height of a portrait display: a row of GPUs, of GPUs in the compact kind, the first of the
// other panels, and those that share the last row.
constexpr int kPortraitGpu = 50;
constexpr int kPortraitCompact = 34;
constexpr int kPortraitFirst = 32;
constexpr int kPortraitLast = 38;
// More stand in two columns.
constexpr int kPortraitFullWidth = 3;

// Everything under each other, so that what is side by side in landscape keeps its width: GPUs from the top,
// then the first of the other panels, and the rest in one row.
void arrange_portrait(Layout& layout, Size size, int panels) {
  const Metrics& m = metrics_for(size);
  const int width = size.width - 2 * m.margin;
  const int bottom = size.height - m.bottom;
  const int gpus = layout.gpu_panels;
  layout.columns = gpus > kPortraitFullWidth ? 2 : 1;
  const int gpu_rows = (gpus + layout.columns - 1) / layout.columns;
  const int part = gpus > 4 ? kPortraitCompact : kPortraitGpu;
  const bool shared = gpus > 0 && panels > 1;
  const int rows = gpu_rows + (gpus == 0 ? panels : shared ? 2 : 1);
  const int parts =
      gpu_rows * part + (gpus == 0 ? panels * kPortraitFirst : kPortraitFirst + (shared ? kPortraitLast : 0));
  const int room = bottom - m.top - (rows - 1) * m.row_gap;
  int y = m.top;
  const auto row = [&](int share) {
    const int height = on_grid(room * share / parts);
    const Rect rect{m.margin, y, on_grid(width), height};
    y += height + m.row_gap;
    return rect;
  };
  const auto place = [&](const Rect& rect, int column, int columns) {
    const int left = on_grid(column * (width + m.gap) / columns);
    const int right = on_grid((column + 1) * (width + m.gap) / columns) - m.gap;
    return Rect{m.margin + left, rect.y, right - left, rect.height};
  };
  for (int i = 0; i < gpu_rows; ++i) {
    const Rect rect = row(part);
    for (int column = 0; column < layout.columns; ++column) {
      const int gpu = i * layout.columns + column;
      if (gpu < gpus) {
        layout.gpus[gpu] = place(rect, column, layout.columns);
      } else {
        layout.together = true;
        layout.together_rect = place(rect, column, layout.columns);
      }
    }
  }
  if (gpus == 0) {
    for (int i = 0; i + 1 < panels; ++i) layout.panels[i] = row(kPortraitFirst);
    layout.panels[panels - 1] = {m.margin, y, on_grid(width), bottom - y};
    return;
  }
  if (shared) layout.panels[0] = row(kPortraitFirst);
  const Rect last{m.margin, y, on_grid(width), bottom - y};
  if (!shared) layout.panels[0] = last;
  for (int i = 1; i < panels; ++i) layout.panels[i] = place(last, i - 1, panels - 1);
}

}  // namespace

Layout arrange(Size size, int gpus, int panels) {
  const Metrics& m = metrics_for(size);
  Layout layout;
  const int width = size.width - 2 * m.margin;
  layout.header = {m.margin, m.inset, width, m.header};

  const int top = m.top;
  const int bottom = size.height - m.bottom;
  if (gpus > kMaxGpuPanels) {
    layout.gpu_rest = true;
    layout.gpu_panels = kMaxGpuPanels;
  } else {
    layout.gpu_panels = gpus;
  }
  const int gpu_panels = layout.gpu_panels;
  if (size.height > size.width) {
    layout.panel_count = panels;
    arrange_portrait(layout, size, panels);
    return layout;
  }
  const int rows = gpu_panels > 4 ? 2 : 1;
  layout.columns = gpu_panels <= 2 ? 2 : rows == 1 ? gpu_panels : (gpu_panels + 1) / 2;
  const int upper = on_grid((bottom - top) * (rows == 1 ? kUpperPercent : kTwoRowsPercent) / 100);
  const int lower_y = top + upper + m.row_gap;
  const int lower = bottom - lower_y;
  // `count` of `columns` equal ones, from `first` on.
  const auto span = [&](int columns, int first, int count, int y, int height) {
    const auto x_of = [&](int column) { return m.margin + on_grid(column * (width + m.gap) / columns); };
    return Rect{x_of(first), y, x_of(first + count) - m.gap - x_of(first), height};
  };

  layout.panel_count = panels;
  if (gpus == 0) {
    // Nothing above: as many equal columns as there are panels.
    layout.columns = panels;
    for (int i = 0; i < panels; ++i) layout.panels[i] = span(panels, i, 1, top, bottom - top);
    return layout;
  }
  const int tall = rows == 1 ? upper : on_grid((upper - m.row_gap) / 2);
  for (int i = 0; i < gpu_panels; ++i) {
    const int row = i / layout.columns;
    layout.gpus[i] = span(layout.columns, i % layout.columns, 1, top + row * (tall + m.row_gap), tall);
  }

  if (rows == 2 && gpu_panels % 2 != 0) {
    layout.together = true;
    layout.together_rect = span(layout.columns, layout.columns - 1, 1, top + tall + m.row_gap, tall);
  }
  int next = 0;
  // The first panel is in the upper row where the GPUs leave it a column.
  if (gpu_panels < layout.columns && rows == 1) {
    layout.panels[next++] = span(layout.columns, gpu_panels, layout.columns - gpu_panels, top, upper);
  }
  // The lower row has the columns of the upper one, halved until there are enough; the first panel takes
  // those to spare.
  const int lower_panels = panels - next;
  int columns = layout.columns;
  while (columns < lower_panels) columns *= 2;
  if (columns > layout.columns && (width + m.gap) / columns < kNarrowest) columns = lower_panels;
  int column = 0;
  for (int i = 0; i < lower_panels; ++i) {
    const int count = i == 0 ? columns - lower_panels + 1 : 1;
    layout.panels[next + i] = span(columns, column, count, lower_y, lower);
    column += count;
  }
  return layout;
}

}  // namespace inktop
