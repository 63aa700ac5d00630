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
  return size.width >= 1600 && size.height >= 900 ? kLarge : kSmall;
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
