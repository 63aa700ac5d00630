#include "picture/layout.h"

namespace inktop {

namespace {

constexpr int kGrid = 4;

constexpr int on_grid(int value) {
  return value / kGrid * kGrid;
}

constexpr Metrics kLarge = {
    &kCaption17, &kBody25, &kValue28, &kValue42, &kTitle64, &kNumeral84, &kNumeral128, 24, 16, 12,
    56,          16,       12,        56,        92,        24,          32,           28, 14, 3};

constexpr Metrics kSmall = {&kCaption13, &kBody18, &kBody18, &kValue28, &kValue42, &kValue42, &kTitle64,
                            16,          16,       8,        48,        16,        8,         32,
                            56,          16,       24,       16,        10,        2};

// Share of the height that the upper panels take, in percent.
constexpr int kUpperPercent = 59;

// px; a memory panel narrower than this would cut its numbers.
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

Layout arrange(Size size, int gpus) {
  const Metrics& m = metrics_for(size);
  Layout layout;
  const int width = size.width - 2 * m.margin;
  layout.header = {m.margin, m.inset, width, m.header};

  const int top = m.top;
  const int bottom = size.height - m.bottom;
  const int upper = on_grid((bottom - top) * kUpperPercent / 100);
  const int lower_y = top + upper + m.row_gap;
  const int lower = bottom - lower_y;

  if (gpus > kMaxGpuPanels) {
    layout.gpu_rest = true;
    layout.gpu_panels = kMaxGpuPanels;
  } else {
    layout.gpu_panels = gpus;
  }
  const int panels = layout.gpu_panels;
  const int rows = panels > 4 ? 2 : 1;
  layout.columns = panels <= 2 ? 2 : rows == 1 ? panels : (panels + 1) / 2;
  const int pitch = (width + m.gap) / layout.columns;
  const auto x_of = [&](int column) { return m.margin + on_grid(column * (width + m.gap) / layout.columns); };
  const auto span = [&](int first, int count, int y, int height) {
    return Rect{x_of(first), y, x_of(first + count) - m.gap - x_of(first), height};
  };

  const int tall = rows == 1 ? upper : on_grid((upper - m.row_gap) / 2);
  for (int i = 0; i < panels; ++i) {
    const int row = i / layout.columns;
    layout.gpus[i] = span(i % layout.columns, 1, top + row * (tall + m.row_gap), tall);
  }
  switch (panels) {
    case 0:
      layout.cpu = span(0, 2, top, upper);
      layout.memory = span(0, 1, lower_y, lower);
      layout.network = span(1, 1, lower_y, lower);
      break;
    case 1:
      layout.cpu = span(1, 1, top, upper);
      layout.memory = span(0, 1, lower_y, lower);
      layout.network = span(1, 1, lower_y, lower);
      break;
    case 2: {
      const int half = on_grid(pitch / 2);
      if (half < kNarrowest) {
        // Half a column is too narrow for numbers: three equal ones.
        const int third = on_grid((width + m.gap) / 3);
        layout.cpu = {m.margin, lower_y, third - m.gap, lower};
        layout.memory = {m.margin + third, lower_y, third - m.gap, lower};
        layout.network = {m.margin + 2 * third, lower_y, x_of(2) - m.gap - m.margin - 2 * third, lower};
        break;
      }
      layout.cpu = span(0, 1, lower_y, lower);
      layout.memory = {x_of(1), lower_y, half - m.gap, lower};
      layout.network = {x_of(1) + half, lower_y, x_of(2) - m.gap - x_of(1) - half, lower};
      break;
    }
    default: {
      const int wide = layout.columns == 4 ? 2 : 1;
      layout.cpu = span(0, wide, lower_y, lower);
      layout.memory = span(wide, 1, lower_y, lower);
      layout.network = span(wide + 1, 1, lower_y, lower);
      break;
    }
  }
  return layout;
}

}  // namespace inktop
