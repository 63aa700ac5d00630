// The grid of several servers: nothing overlaps or is cut, whatever their lines say.
#include "picture/grid.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "apart.h"
#include "picture/panels/gauge.h"
#include "picture/picture.h"
#include "views.h"

using namespace inktop;
using namespace inktop::test;

namespace {

// So many servers of any kind: with and without GPUs, gone, denied, with alarms and with events.
struct Rack {
  explicit Rack(int most) {
    for (int i = 0; i < most; ++i) scenes.push_back(std::make_unique<Scenery>());
  }
  void invent_all(Dice& dice, int count, Freshness freshness = Freshness::fresh) {
    View cells_of[kMaxCells];
    for (int i = 0; i < count; ++i) {
      Scenery& scene = *scenes[size_t(i)];
      invent(scene, dice);
      View& cell = scene.view;
      cell.screen = Screen::live;
      cell.snapshot = dice.once_in(8) && i > 0 ? nullptr : &scene.snapshot;
      text(dice, cell.server_name, "abcdgjpqyWM-.0123456789");
      if (cell.server_name[0] == 0) std::strcpy(cell.server_name, "s");
      cell.denied = dice.once_in(3);
      cell.newer = dice.once_in(12);
      std::strcpy(event.subject, "mem");
      std::strcpy(event.what, "oom");
      std::strcpy(event.time, "12:13");
      cell.event = &event;
      cell.event_count = dice.once_in(4) ? int(dice.within(1, 8)) : 0;
      cells_of[i] = cell;
    }
    for (int i = 0; i < count; ++i) cells[i] = cells_of[i];
    view = scenes[0]->view;
    view.servers = cells;
    view.server_count = count;
    view.large = -1;
    view.freshness = freshness;
  }

  std::vector<std::unique_ptr<Scenery>> scenes;
  Event event;
  View cells[kMaxCells];
  View view;
};

}  // namespace

TEST_CASE(
    "cells do not overlap, stay clear of the marks and on a grid of 4 px, for 2 to 8 servers at any size") {
  for (const Size size : kSizes) {
    for (int servers = 2; servers <= kMaxCells; ++servers) {
      const Grid grid = arrange_grid(size, servers);
      std::vector<Rect> rects(grid.rects, grid.rects + grid.cells);
      if (grid.together) rects.push_back(grid.together_rect);
      rects.push_back(grid.header);
      CHECK(grid.cells == servers);
      Rect marks[kMarks];
      place_marks(size, marks);
      for (size_t a = 0; a < rects.size(); ++a) {
        CHECK(Rect{0, 0, size.width, size.height}.contains(rects[a]));
        CHECK(!rects[a].empty());
        if (a + 1 < rects.size()) {
          CHECK(rects[a].x % 4 == 0);
          CHECK(rects[a].y % 4 == 0);
          CHECK(rects[a].width % 4 == 0);
          CHECK(rects[a].height % 4 == 0);
        }
        for (size_t b = a + 1; b < rects.size(); ++b) CHECK(!rects[a].overlaps(rects[b]));
        for (const Rect& mark : marks)
          CHECK(!rects[a].overlaps({mark.x - 16, mark.y - 16, mark.width + 32, mark.height + 32}));
      }
    }
  }
}

TEST_CASE("no item of a grid draws outside its rectangle or over another, for any servers, at any size") {
  Rack rack(kMaxCells);
  Dice dice(21);
  for (const Size size : kSizes) {
    Easel easel(size);
    for (int i = 0; i < (size.width == kPanel.width ? 70 : 30); ++i) {
      const int count = static_cast<int>(dice.within(2, kMaxCells));
      rack.invent_all(dice, count, static_cast<Freshness>(dice.once_in(4) ? 2 : 0));
      easel.picture->draw(rack.view, easel.canvas);
      REQUIRE_MESSAGE(easel.canvas.cut_count() == 0,
                      size.width << " wide, view " << i << ", servers " << count);
      CAPTURE(size.width);
      CAPTURE(i);
      require_apart(easel);
    }
  }
}

TEST_CASE("a grid after any other view is the same picture as drawn from scratch, byte for byte") {
  Rack rack(kMaxCells);
  Dice dice(22);
  Easel easel(kPanel);
  for (int i = 0; i < 40; ++i) {
    rack.invent_all(dice, static_cast<int>(dice.within(2, kMaxCells)));
    if (dice.once_in(3)) {
      const int large = static_cast<int>(dice.within(0, rack.view.server_count - 1));
      const View whole = rack.view;
      rack.view = rack.cells[large];
      rack.view.servers = rack.cells;
      rack.view.server_count = whole.server_count;
      rack.view.large = large;
      rack.view.forward = dice.once_in(2);
    }
    easel.picture->draw(rack.view, easel.canvas);
    Easel fresh(kPanel, 0x0F0F0F0Fu);
    fresh.picture->draw(rack.view, fresh.canvas);
    REQUIRE_MESSAGE(easel.pixels == fresh.pixels, "view " << i);
  }
}

TEST_CASE("what changes of one server changes its own cell, and at most the header and the sums") {
  Rack rack(4);
  Dice dice(23);
  rack.invent_all(dice, 4);
  for (int i = 0; i < 4; ++i) {
    rack.cells[i].snapshot = &rack.scenes[size_t(i)]->snapshot;
    rack.cells[i].newer = false;
    rack.cells[i].alarm_count = rack.cells[i].event_count = 0;
    rack.cells[i].freshness = Freshness::fresh;
  }
  Snapshot& changed = rack.scenes[1]->snapshot;
  changed.cpu_permille = 120;
  Easel before(kPanel);
  before.picture->draw(rack.view, before.canvas);
  changed.cpu_permille = 970;
  Easel after(kPanel);
  after.picture->draw(rack.view, after.canvas);
  CHECK(before.pixels != after.pixels);
  const Grid grid = arrange_grid(kPanel, 4);
  const auto differ = [&](const Rect& rect) {
    for (int y = rect.y; y < rect.bottom(); ++y) {
      for (int x = rect.x; x < rect.right(); ++x) {
        if (before.canvas.is_black(x, y) != after.canvas.is_black(x, y)) return true;
      }
    }
    return false;
  };
  for (int i = 0; i < 4; ++i) CHECK(differ(grid.rects[i]) == (i == 1));
  // Gone: half ink, and its title is black.
  rack.cells[1].freshness = Freshness::lost;
  Easel gone(kPanel);
  gone.picture->draw(rack.view, gone.canvas);
  const Rect& cell = grid.rects[1];
  int black = 0;
  for (int x = cell.x; x < cell.right(); ++x) black += gone.canvas.is_black(x, cell.y + 4) ? 1 : 0;
  CHECK(black > cell.width * 9 / 10);
}

TEST_CASE("no item of a fleet draws outside its rectangle or over another, for any fleet, at any size") {
  Dice dice(24);
  Scenery scenery;
  for (const Size size : kSizes) {
    Easel easel(size);
    for (int i = 0; i < 80; ++i) {
      invent(scenery, dice);
      Fleet fleet;
      text(dice, fleet.host, "abcdgjpqyWM-.0123456789");
      if (!dice.once_in(4)) text(dice, fleet.address, "0123456789abcdef:.");
      if (!dice.once_in(4)) std::strcpy(fleet.time, "12:14");
      if (dice.once_in(4)) text(dice, fleet.source, "abgwxyz");
      fleet.uptime_s = dice.maybe(dice.spread(4294967295));
      fleet.has_machines = fleet.has_gpus = fleet.has_power = fleet.has_vram = !dice.once_in(5);
      fleet.machines.up = dice.maybe(dice.spread(9999999));
      fleet.machines.total = dice.maybe(dice.spread(9999999));
      fleet.gpus = fleet.machines;
      fleet.busy_percent = dice.maybe(dice.within(0, 100));
      fleet.power.drawn_w = dice.maybe(dice.spread(1000000000));
      fleet.power.limit_w = dice.maybe(dice.spread(1000000000));
      fleet.vram.used_mib = dice.spread(1000000000000);
      fleet.vram.total_mib = dice.spread(1000000000000);
      fleet.wrong = dice.maybe(dice.spread(9999999));
      fleet.worst_count = static_cast<int32_t>(dice.within(0, 8));
      constexpr const char* kWords[] = {"down", "lost", "hot", "vram", "mem", "disk", "cpu", "puzzling"};
      for (Worst& worst : fleet.worst) {
        text(dice, worst.host, "abcdgjpqyWM-.0123456789");
        std::strcpy(worst.what, kWords[dice.within(0, 7)]);
        worst.value = dice.once_in(5) ? static_cast<int64_t>(kUnknown) : dice.spread(4294967295);
        if (dice.once_in(2)) std::strcpy(worst.part, dice.once_in(2) ? "gpu15" : "/home/of-a-name");
      }
      View& view = scenery.view;
      view.screen = Screen::live;
      view.snapshot = nullptr;
      view.fleet = &fleet;
      easel.picture->draw(view, easel.canvas);
      REQUIRE_MESSAGE(easel.canvas.cut_count() == 0, size.width << " wide, view " << i);
      CHECK(easel.picture->scene().item_count() > 20);
      CAPTURE(size.width);
      CAPTURE(i);
      require_apart(easel);
    }
  }
}

TEST_CASE("no bar without a maximum: it stands beside the number or in the caption, else the bar goes too") {
  const Metrics& m = metrics_for(kPanel);
  Gauge gauge;
  gauge.stat.caption = "memory";
  gauge.stat.number.add("410");
  gauge.stat.unit.add("/ 1008 GiB");
  gauge.permille = 407;
  gauge.has_bar = true;
  const int whole = widest(m, *m.numeral, gauge.stat);
  const int named = text_width(*m.caption, "memory of 1008 GiB");
  REQUIRE(named < whole);
  const int bar_y = gauge_height(m, *m.numeral) + m.line;
  // Items, and the ink of the caption.
  const auto drawn = [&](int width, int& ink) {
    Easel easel(kPanel);
    const auto scene = std::make_unique<Scene>();
    easel.canvas.set_clip(easel.canvas.bounds());
    easel.canvas.fill(easel.canvas.bounds(), Ink::white);
    do {
      scene->begin(easel.canvas);
      barred_gauge(*scene, m, 100, 100, width, *m.numeral, gauge, bar_y);
    } while (!scene->end());
    ink = 0;
    for (int y = 100; y < 100 + font_height(*m.caption); ++y) {
      for (int x = 100; x < 100 + width; ++x) ink += easel.canvas.is_black(x, y) ? 1 : 0;
    }
    return scene->item_count();
  };
  int plain = 0;
  int in_caption = 0;
  int without = 0;
  CHECK(drawn(whole, plain) == 3);
  CHECK(drawn(whole - 1, in_caption) == 3);
  CHECK(drawn(named - 1, without) == 2);
  CHECK(in_caption > 2 * plain);
  CHECK(without == plain);
}
