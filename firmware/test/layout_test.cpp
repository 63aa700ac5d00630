// The layout: nothing overlaps, everything lies on the grid and within the display.
#include "picture/layout.h"

#include <doctest/doctest.h>

#include <vector>

#include "picture/panels/panels.h"
#include "views.h"

using namespace inktop;
using namespace inktop::test;

namespace {

std::vector<Rect> panels_of(const Layout& layout) {
  std::vector<Rect> rects;
  for (int i = 0; i < layout.gpu_panels; ++i) rects.push_back(layout.gpus[i]);
  for (int i = 0; i < layout.panel_count; ++i) rects.push_back(layout.panels[i]);
  return rects;
}

}  // namespace

TEST_CASE(
    "panels do not overlap, stay clear of the marks and on a grid of 4 px, for 0 to 16 GPUs at any size") {
  for (const Size size : kSizes) {
    for (int gpus = 0; gpus <= kMaxGpus; ++gpus) {
      // A panel more than there is today has its place too.
      for (int panels = kPanelCount; panels <= kPanelCount + 1; ++panels) {
        const Layout layout = arrange(size, gpus, panels);
        std::vector<Rect> rects = panels_of(layout);
        rects.push_back(layout.header);
        Rect marks[kMarks];
        place_marks(size, marks);
        for (size_t a = 0; a < rects.size(); ++a) {
          const Rect& rect = rects[a];
          CHECK(Rect{0, 0, size.width, size.height}.contains(rect));
          CHECK(rect.width > 0);
          CHECK(rect.height > 0);
          if (a + 1 < rects.size()) {
            CHECK(rect.x % 4 == 0);
            CHECK(rect.y % 4 == 0);
            CHECK(rect.width % 4 == 0);
            CHECK(rect.height % 4 == 0);
          }
          for (size_t b = a + 1; b < rects.size(); ++b) CHECK(!rect.overlaps(rects[b]));
          for (const Rect& mark : marks) {
            CHECK(!rect.overlaps({mark.x - 16, mark.y - 16, mark.width + 32, mark.height + 32}));
          }
        }
      }
    }
  }
}

TEST_CASE(
    "outer edges line up: the first column on the left margin, the last on the right, rows top and bottom") {
  for (const Size size : kSizes) {
    const Metrics& m = metrics_for(size);
    for (int gpus = 0; gpus <= kMaxGpus; ++gpus) {
      // A panel more than there is today has its place too.
      for (int panels = kPanelCount; panels <= kPanelCount + 1; ++panels) {
        const Layout layout = arrange(size, gpus, panels);
        int left = size.width;
        int right = 0;
        int bottom = 0;
        for (const Rect& rect : panels_of(layout)) {
          left = rect.x < left ? rect.x : left;
          right = rect.right() > right ? rect.right() : right;
          bottom = rect.bottom() > bottom ? rect.bottom() : bottom;
        }
        CHECK(left == m.margin);
        CHECK(right >= size.width - m.margin - 8);
        CHECK(right <= size.width - m.margin);
        CHECK(bottom == size.height - m.bottom);
        // In portrait, without GPUs, they are under each other.
        if (size.width > size.height || gpus > 0)
          CHECK(layout.panels[panels - 1].bottom() == layout.panels[panels - 2].bottom());
      }
    }
  }
}

TEST_CASE("more than eight GPUs: seven panels and one for the rest") {
  CHECK(!arrange(kPanel, 8, kPanelCount).gpu_rest);
  CHECK(arrange(kPanel, 8, kPanelCount).gpu_panels == 8);
  CHECK(arrange(kPanel, 9, kPanelCount).gpu_rest);
  CHECK(arrange(kPanel, 16, kPanelCount).gpu_panels == 8);
}

TEST_CASE("on the panel of the first build all columns are equally wide") {
  for (int gpus = 1; gpus <= 8; ++gpus) {
    const Layout layout = arrange(kPanel, gpus, kPanelCount);
    for (int i = 1; i < layout.gpu_panels; ++i) {
      CHECK(layout.gpus[i].width == layout.gpus[0].width);
      CHECK(layout.gpus[i].height == layout.gpus[0].height);
    }
  }
}
