// The picture: pure black and white, nothing outside its place, and a function of the view alone.
#include "picture/picture.h"

#include <doctest/doctest.h>

#include <string>

#include "apart.h"
#include "picture/items.h"
#include "picture/layout.h"
#include "picture/panels/frame.h"
#include "picture/panels/panels.h"
#include "picture/panels/pieces.h"
#include "views.h"

using namespace inktop;
using namespace inktop::test;

namespace {

bool pure(const std::vector<uint32_t>& pixels) {
  for (const uint32_t word : pixels) {
    // Each nibble 0 or F: its four bits are the same.
    const uint32_t low = word & 0x11111111u;
    if (word != low * 15) return false;
  }
  return true;
}

int black_within(const Canvas& canvas, const Rect& rect) {
  int count = 0;
  for (int y = rect.y; y < rect.bottom(); ++y) {
    for (int x = rect.x; x < rect.right(); ++x) count += canvas.is_black(x, y) ? 1 : 0;
  }
  return count;
}

// Where the first digit of a panel's first number stands, below its caption.
Rect first_digit(const Metrics& m, const Rect& panel) {
  const Inner in = inner_of(panel, m);
  const int y = in.y + font_height(*m.caption) + 1;
  return {in.x, y, 24, in.bottom - y};
}

// Of the first thing in a rectangle, from the top: rows with ink, without a white one between them.
int ink_height(const Canvas& canvas, const Rect& rect) {
  const auto has_ink = [&](int y) { return black_within(canvas, {rect.x, y, rect.width, 1}) > 0; };
  int y = rect.y;
  while (y < rect.bottom() && !has_ink(y)) ++y;
  const int top = y;
  while (y < rect.bottom() && has_ink(y)) ++y;
  return y - top;
}

// How often ink stands beside ink in a row.
int neighbours(const Canvas& canvas, const Rect& rect) {
  int count = 0;
  for (int y = rect.y; y < rect.bottom(); ++y) {
    for (int x = rect.x + 1; x < rect.right(); ++x) {
      if (canvas.is_black(x - 1, y) && canvas.is_black(x, y)) ++count;
    }
  }
  return count;
}

// A machine at work of which nothing is wrong, with so many GPUs: each busy 88 %, and so is the CPU.
void at_work(Scenery& scenery, Dice& dice, int gpus) {
  invent(scenery, dice, gpus);
  scenery.view.screen = Screen::live;
  scenery.view.snapshot = &scenery.snapshot;
  scenery.view.freshness = Freshness::fresh;
  scenery.view.alarm_count = 0;
  scenery.view.fleet = nullptr;
  scenery.snapshot.cpu_permille = 880;
  for (int i = 0; i < gpus; ++i) {
    Gpu& gpu = scenery.snapshot.gpus[i];
    std::strcpy(gpu.state, "ok");
    gpu.busy_percent = 88;
  }
}

Rect panel_rect(const Layout& layout, const char* name) {
  for (int i = 0; i < kPanelCount; ++i) {
    if (std::strcmp(kPanels[i].name, name) == 0) return layout.panels[i];
  }
  FAIL("there is no panel " << name);
  return {};
}

}  // namespace

TEST_CASE("a view after any others gives the same picture as drawn from scratch, byte for byte") {
  Scenery scenery;
  Dice dice(1);
  Easel easel(kPanel);
  for (int i = 0; i < 150; ++i) {
    invent(scenery, dice);
    easel.picture->draw(scenery.view, easel.canvas);
    Easel fresh(kPanel, 0x0F0F0F0Fu);
    fresh.picture->draw(scenery.view, fresh.canvas);
    REQUIRE_MESSAGE(easel.pixels == fresh.pixels, "view " << i);
  }
}

TEST_CASE("a small change after any view gives the same picture as drawn from scratch, byte for byte") {
  Scenery scenery;
  Dice dice(2);
  for (int i = 0; i < 12; ++i) {
    invent(scenery, dice);
    scenery.view.screen = Screen::live;
    scenery.view.snapshot = &scenery.snapshot;
    if (scenery.snapshot.uptime_s == kUnknown) scenery.snapshot.uptime_s = 4000;
    Easel easel(kPanel);
    easel.picture->draw(scenery.view, easel.canvas);
    for (int second = 0; second < 25; ++second) {
      ++scenery.snapshot.uptime_s;
      if (scenery.view.second_of_day >= 0)
        scenery.view.second_of_day = (scenery.view.second_of_day + 1) % 86400;
      scenery.snapshot.cpu_permille = static_cast<int32_t>(dice.within(0, 1000));
      if (scenery.snapshot.cpu_level_count > 0) {
        scenery.snapshot.cpu_levels[dice.within(0, scenery.snapshot.cpu_level_count - 1)] =
            static_cast<int8_t>(dice.within(0, 15));
      }
      if (scenery.snapshot.gpu_count > 0) {
        Gpu& gpu = scenery.snapshot.gpus[dice.within(0, scenery.snapshot.gpu_count - 1)];
        gpu.busy_percent = dice.maybe(dice.within(0, 100));
        gpu.power_w = static_cast<int32_t>(dice.within(0, 400));
      }
      if (dice.once_in(3)) {
        // One thing at a time, so that nothing else gives a forgotten part of a key away.
        switch (dice.within(0, 4)) {
          case 0:
            scenery.view.alarm_count = 1;
            scenery.alarms[0].kind = static_cast<AlarmKind>(dice.within(0, kAlarmKinds - 1));
            break;
          case 1:
            scenery.alarms[0].since_s = static_cast<int32_t>(dice.within(-1, 86399));
            break;
          case 2:
            scenery.view.freshness = static_cast<Freshness>(dice.within(0, 2));
            break;
          case 3:
            scenery.view.age_s = static_cast<uint32_t>(dice.within(3, 99));
            break;
          default:
            scenery.snapshot.memory.used_milligib = dice.maybe(dice.within(0, 1000000));
            break;
        }
      }
      scenery.history.add(scenery.snapshot);
      const std::vector<uint32_t> before = easel.pixels;
      const RowSet rows = easel.picture->draw(scenery.view, easel.canvas);
      Easel fresh(kPanel);
      fresh.picture->draw(scenery.view, fresh.canvas);
      REQUIRE_MESSAGE(easel.pixels == fresh.pixels, "view " << i << " second " << second);
      // Rows that changed are among the rows that it names.
      const size_t words = kPanel.width / 8;
      for (int y = 0; y < kPanel.height; ++y) {
        if (rows.contains(y)) continue;
        REQUIRE(std::equal(before.begin() + y * words, before.begin() + (y + 1) * words,
                           easel.pixels.begin() + y * words));
      }
    }
  }
}

TEST_CASE("the same view again redraws no row") {
  Scenery scenery;
  Dice dice(3);
  for (int i = 0; i < 40; ++i) {
    invent(scenery, dice);
    Easel easel(kPanel);
    CHECK(!easel.picture->draw(scenery.view, easel.canvas).empty());
    CHECK(easel.picture->draw(scenery.view, easel.canvas).empty());
  }
}

TEST_CASE("invalidate makes the next draw a whole one") {
  Scenery scenery;
  Dice dice(4);
  invent(scenery, dice);
  Easel easel(kPanel);
  easel.picture->draw(scenery.view, easel.canvas);
  const std::vector<uint32_t> wanted = easel.pixels;
  for (auto& word : easel.pixels) word = 0;
  easel.picture->invalidate();
  const RowSet rows = easel.picture->draw(scenery.view, easel.canvas);
  CHECK(easel.pixels == wanted);
  for (int y = 0; y < kPanel.height; ++y) REQUIRE(rows.contains(y));
}

TEST_CASE("every framebuffer byte is made of 0x0 and 0xF nibbles") {
  Scenery scenery;
  Dice dice(5);
  Easel easel(kPanel);
  for (int i = 0; i < 60; ++i) {
    invent(scenery, dice);
    easel.picture->draw(scenery.view, easel.canvas);
    REQUIRE(pure(easel.pixels));
  }
}

TEST_CASE("no item draws outside its rectangle for any snapshot, at any size (A1, C5)") {
  Scenery scenery;
  Dice dice(6);
  for (const Size size : kSizes) {
    Easel easel(size);
    for (int i = 0; i < (size.width == kPanel.width ? 400 : 120); ++i) {
      invent(scenery, dice);
      easel.picture->draw(scenery.view, easel.canvas);
      // The clip cuts whatever would reach outside; nothing may have been cut.
      REQUIRE_MESSAGE(easel.canvas.cut_count() == 0, size.width << " wide, view " << i);
    }
  }
}

TEST_CASE("the pieces of the picture lie within the display and never overlap") {
  Scenery scenery;
  Dice dice(7);
  for (const Size size : kSizes) {
    Easel easel(size);
    for (int i = 0; i < 60; ++i) {
      invent(scenery, dice);
      easel.picture->draw(scenery.view, easel.canvas);
      CAPTURE(size.width);
      CAPTURE(i);
      require_apart(easel);
    }
  }
}

TEST_CASE(
    "marks for photographs stand on every screen, the top-left one hollow, with 16 px of white around each") {
  Scenery scenery;
  Dice dice(8);
  for (const Size size : kSizes) {
    Easel easel(size);
    Rect marks[kMarks];
    place_marks(size, marks);
    for (int i = 0; i < 60; ++i) {
      invent(scenery, dice);
      if (i <= static_cast<int>(Screen::panel_fault)) scenery.view.screen = static_cast<Screen>(i);
      easel.picture->draw(scenery.view, easel.canvas);
      for (int mark = 0; mark < kMarks; ++mark) {
        const Rect& rect = marks[mark];
        const Rect around = intersection({rect.x - 16, rect.y - 16, rect.width + 32, rect.height + 32},
                                         easel.canvas.bounds());
        CHECK(around.width == rect.width + 32);
        const int inside = black_within(easel.canvas, rect);
        const int hollow = rect.width * rect.height / 4;
        REQUIRE(inside == (mark == 0 ? rect.width * rect.height - hollow : rect.width * rect.height));
        REQUIRE_MESSAGE(black_within(easel.canvas, around) == inside, size.width << " wide, mark " << mark);
      }
    }
  }
}

TEST_CASE("each screen says something of its own") {
  Scenery scenery;
  Dice dice(9);
  invent(scenery, dice, 2);
  scenery.view.snapshot = &scenery.snapshot;
  std::vector<std::vector<uint32_t>> seen;
  for (int screen = 0; screen <= static_cast<int>(Screen::panel_fault); ++screen) {
    scenery.view.screen = static_cast<Screen>(screen);
    Easel easel(kPanel);
    easel.picture->draw(scenery.view, easel.canvas);
    for (const auto& other : seen) CHECK(other != easel.pixels);
    seen.push_back(easel.pixels);
  }
}

TEST_CASE("old data and a lost link change the picture, and the age shows") {
  Scenery scenery;
  Dice dice(10);
  invent(scenery, dice, 1);
  scenery.view.screen = Screen::live;
  scenery.view.snapshot = &scenery.snapshot;
  std::strcpy(scenery.snapshot.host, "t7910");
  scenery.snapshot.address[0] = 0;
  scenery.view.freshness = Freshness::fresh;
  scenery.view.age_s = 1;
  Easel fresh(kPanel);
  fresh.picture->draw(scenery.view, fresh.canvas);
  scenery.view.freshness = Freshness::old;
  scenery.view.age_s = 5;
  Easel old(kPanel);
  old.picture->draw(scenery.view, old.canvas);
  scenery.view.age_s = 10;
  Easel older(kPanel);
  older.picture->draw(scenery.view, older.canvas);
  scenery.view.freshness = Freshness::lost;
  Easel lost(kPanel);
  lost.picture->draw(scenery.view, lost.canvas);
  CHECK(fresh.pixels != old.pixels);
  CHECK(old.pixels != older.pixels);
  const Rect header = arrange(kPanel, 1, kPanelCount).header;
  // Unmistakable: half of the header is black.
  CHECK(black_within(lost.canvas, header) > header.width * header.height / 2);
  CHECK(black_within(old.canvas, header) < header.width * header.height / 4);
}

TEST_CASE("a long host name leaves the power of the GPUs its place in the header, upright and on its side") {
  Scenery scenery;
  Dice dice(23);
  for (const Size size : {kPanel, Size{1080, 1920}}) {
    for (const int gpus : {2, 3, 4, 8}) {
      at_work(scenery, dice, gpus);
      Snapshot& snapshot = scenery.snapshot;
      std::strcpy(snapshot.host, "rack3-node07.compute.example.org");
      std::strcpy(snapshot.address, "2001:db8:40:7::107");
      std::strcpy(snapshot.time, "12:18:00");
      snapshot.has_load = true;
      for (int32_t& load : snapshot.load_centi) load = 4987;
      snapshot.uptime_s = 8380800;
      for (int i = 0; i < gpus; ++i) snapshot.gpus[i].power_w = 200;
      scenery.view.info = &scenery.info;
      for (int i = 0; i < gpus; ++i) scenery.info.gpus[i].power_cap_w = 300;
      Easel less(size);
      less.picture->draw(scenery.view, less.canvas);
      snapshot.gpus[0].power_w = 290;
      Easel more(size);
      more.picture->draw(scenery.view, more.canvas);
      const Rect header = arrange(size, gpus, kPanelCount).header;
      bool differs = false;
      for (int y = header.y; y < header.bottom(); ++y) {
        for (int x = header.x; x < header.right(); ++x) {
          differs = differs || less.canvas.is_black(x, y) != more.canvas.is_black(x, y);
        }
      }
      CAPTURE(size.width);
      CAPTURE(gpus);
      CHECK(differs);
    }
  }
}

TEST_CASE("no number of the CPU is larger than a GPU's wherever there are GPUs") {
  Scenery scenery;
  Dice dice(21);
  for (const Size size : {kPanel, Size{1080, 1920}, Size{1280, 720}, Size{800, 480}}) {
    const Metrics& m = metrics_for(size);
    for (int gpus = 1; gpus <= 8; ++gpus) {
      at_work(scenery, dice, gpus);
      Easel easel(size);
      easel.picture->draw(scenery.view, easel.canvas);
      const Layout layout = arrange(size, gpus, kPanelCount);
      const int of_gpu = ink_height(easel.canvas, first_digit(m, layout.gpus[0]));
      const int of_cpu = ink_height(easel.canvas, first_digit(m, panel_rect(layout, "cpu")));
      CAPTURE(size.width);
      CAPTURE(gpus);
      CHECK(of_cpu > 20);
      CHECK(of_cpu <= of_gpu);
    }
  }
}

TEST_CASE("from the loss of the link on the pixels of the big numerals are in half ink") {
  Scenery scenery;
  Dice dice(22);
  for (const int gpus : {0, 1, 2, 3, 4, 8}) {
    at_work(scenery, dice, gpus);
    const Layout layout = arrange(kPanel, gpus, kPanelCount);
    const Metrics& m = metrics_for(kPanel);
    Rect numbers[kMaxGpuPanels + 1];
    int count = 0;
    for (int i = 0; i < layout.gpu_panels; ++i) numbers[count++] = first_digit(m, layout.gpus[i]);
    numbers[count++] = first_digit(m, panel_rect(layout, "cpu"));
    Easel fresh(kPanel);
    fresh.picture->draw(scenery.view, fresh.canvas);
    scenery.view.freshness = Freshness::lost;
    Easel lost(kPanel);
    lost.picture->draw(scenery.view, lost.canvas);
    for (int i = 0; i < count; ++i) {
      CAPTURE(gpus);
      CAPTURE(i);
      // The digit alone: what stands below it is in full ink as before.
      numbers[i].height = ink_height(fresh.canvas, numbers[i]) + 2;
      const int inked = black_within(fresh.canvas, numbers[i]);
      CHECK(neighbours(fresh.canvas, numbers[i]) > inked / 2);
      CHECK(neighbours(lost.canvas, numbers[i]) == 0);
      CHECK(black_within(lost.canvas, numbers[i]) > inked * 2 / 5);
      CHECK(black_within(lost.canvas, numbers[i]) < inked * 3 / 5);
    }
  }
}

TEST_CASE("an alarm inverts the title of its own panel and of no other") {
  Scenery scenery;
  Dice dice(11);
  invent(scenery, dice, 2);
  scenery.view.screen = Screen::live;
  scenery.view.snapshot = &scenery.snapshot;
  scenery.view.freshness = Freshness::fresh;
  const Layout layout = arrange(kPanel, 2, kPanelCount);
  const Metrics& m = metrics_for(kPanel);
  for (int kind = 0; kind < kAlarmKinds; ++kind) {
    scenery.alarms[0] = {static_cast<AlarmKind>(kind), static_cast<uint8_t>(scenery.snapshot.gpus[1].index),
                         10875};
    scenery.view.alarm_count = 1;
    Easel easel(kPanel);
    easel.picture->draw(scenery.view, easel.canvas);
    const auto inverted = [&](const Rect& panel) {
      const Rect strip{panel.x, panel.y, panel.width, m.strip};
      return black_within(easel.canvas, strip) > strip.width * strip.height / 2;
    };
    const bool memory = !is_gpu_alarm(static_cast<AlarmKind>(kind));
    CHECK(!inverted(layout.gpus[0]));
    CHECK(inverted(layout.gpus[1]) == !memory);
    CHECK(inverted(panel_rect(layout, "mem")) == memory);
    CHECK(!inverted(panel_rect(layout, "cpu")));
  }
}

TEST_CASE("the number that an alarm is about stands white on black") {
  Scenery scenery;
  Dice dice(14);
  for (const int gpus : {2, 4, 8}) {
    invent(scenery, dice, gpus);
    scenery.view.screen = Screen::live;
    scenery.view.snapshot = &scenery.snapshot;
    scenery.view.freshness = Freshness::fresh;
    Gpu& gpu = scenery.snapshot.gpus[0];
    gpu.junction_c = 111;
    gpu.memory_c = 109;
    gpu.fan_rpm = 0;
    std::strcpy(gpu.state, "ok");
    scenery.snapshot.has_memory = true;
    scenery.snapshot.memory = {120900, 125900, 1000};
    const Layout layout = arrange(kPanel, gpus, kPanelCount);
    const int strip = metrics_for(kPanel).strip;
    const auto below_title = [&](const Easel& easel, const Rect& panel) {
      return black_within(easel.canvas, {panel.x, panel.y + strip, panel.width, panel.height - strip});
    };
    scenery.view.alarm_count = 0;
    Easel calm(kPanel);
    calm.picture->draw(scenery.view, calm.canvas);
    scenery.view.alarm_count = 1;
    for (const AlarmKind kind : {AlarmKind::gpu_junction_hot, AlarmKind::gpu_memory_hot,
                                 AlarmKind::gpu_fan_stopped, AlarmKind::memory_full}) {
      // A panel of eight has no room for the fan and the memory's temperature: the title tells.
      if (gpus == 8 && (kind == AlarmKind::gpu_fan_stopped || kind == AlarmKind::gpu_memory_hot)) continue;
      scenery.alarms[0] = {kind, static_cast<uint8_t>(gpu.index), 10875};
      Easel easel(kPanel);
      easel.picture->draw(scenery.view, easel.canvas);
      const bool memory = kind == AlarmKind::memory_full;
      const bool gpu_changed = below_title(easel, layout.gpus[0]) > below_title(calm, layout.gpus[0]) + 200;
      const bool memory_changed =
          below_title(easel, panel_rect(layout, "mem")) > below_title(calm, panel_rect(layout, "mem")) + 200;
      CHECK_MESSAGE(gpu_changed == !memory, gpus << " GPUs, alarm " << static_cast<int>(kind));
      CHECK(memory_changed == memory);
      CHECK(below_title(easel, layout.gpus[1]) == below_title(calm, layout.gpus[1]));
    }
  }
}

TEST_CASE("a bar is full when all is used, empty when nothing is, and neither one short of that") {
  const Rect rect{40, 40, 400, 32};
  const auto black = [&](int32_t permille) {
    const auto scene = std::make_unique<Scene>();
    std::vector<uint32_t> pixels(480 * 112 / 8, 0xFFFFFFFFu);
    Canvas canvas(reinterpret_cast<uint8_t*>(pixels.data()), {480, 112});
    scene->begin(canvas);
    do {
      bar_item(*scene, rect, permille);
    } while (!scene->end());
    return black_within(canvas, rect);
  };
  const int one = black(6) - black(0);
  CHECK(one > 100);
  CHECK(black(1000) - black(999) == one);
  CHECK(black(5) == black(0));
}

TEST_CASE("graphs move in steps of ten seconds and keep still between them") {
  Scenery scenery;
  Dice dice(12);
  invent(scenery, dice, 2);
  scenery.view.screen = Screen::live;
  scenery.view.snapshot = &scenery.snapshot;
  scenery.view.freshness = Freshness::fresh;
  scenery.view.second_of_day = 43200;
  scenery.snapshot.uptime_s = 100000;
  Easel easel(kPanel);
  scenery.history.clear();
  scenery.history.add(scenery.snapshot);
  easel.picture->draw(scenery.view, easel.canvas);
  Snapshot arriving = scenery.snapshot;  // what the numbers show stays the same
  int moved = 0;
  for (int second = 1; second <= 60; ++second) {
    arriving.uptime_s = 100000 + second;
    arriving.cpu_permille = static_cast<int32_t>(dice.within(0, 1000));
    scenery.history.add(arriving);
    scenery.view.second_of_day = 43200 + second;
    const bool redrawn = !easel.picture->draw(scenery.view, easel.canvas).empty();
    CHECK(redrawn == (second % 10 == 0));
    moved += redrawn ? 1 : 0;
  }
  CHECK(moved == 6);
}

TEST_CASE("a graph keeps its shape over midnight") {
  // The same samples a day's turn later stand in the same columns: 300 divides 86400.
  Scenery scenery;
  Dice dice(13);
  invent(scenery, dice, 0);
  scenery.view.screen = Screen::live;
  scenery.view.snapshot = &scenery.snapshot;
  scenery.view.freshness = Freshness::fresh;
  scenery.snapshot.uptime_s = 90000;
  fill_history(scenery, dice, 300, 90000);
  const Layout layout = arrange(kPanel, 0, kPanelCount);
  scenery.view.second_of_day = 20;
  Easel early(kPanel);
  early.picture->draw(scenery.view, early.canvas);
  scenery.view.second_of_day = 320;
  Easel later(kPanel);
  later.picture->draw(scenery.view, later.canvas);
  // All but the minutes' labels below the graphs is the same.
  const Rect& panel = panel_rect(layout, "cpu");
  for (int y = panel.y; y < panel.bottom() - 60; ++y) {
    for (int x = panel.x; x < panel.right(); ++x)
      REQUIRE(early.canvas.is_black(x, y) == later.canvas.is_black(x, y));
  }
}

TEST_CASE("an unknown value is shown as -- and not as 0") {
  Scenery scenery;
  Dice dice(14);
  invent(scenery, dice, 1);
  scenery.view.screen = Screen::live;
  scenery.view.snapshot = &scenery.snapshot;
  std::strcpy(scenery.snapshot.gpus[0].state, "ok");
  scenery.view.alarm_count = 0;
  int32_t* const values[] = {&scenery.snapshot.gpus[0].busy_percent, &scenery.snapshot.gpus[0].power_w,
                             &scenery.snapshot.gpus[0].fan_rpm, &scenery.snapshot.gpus[0].junction_c,
                             &scenery.snapshot.cpu_permille};
  for (int32_t* value : values) {
    *value = kUnknown;
    Easel unknown(kPanel);
    unknown.picture->draw(scenery.view, unknown.canvas);
    *value = 0;
    Easel zero(kPanel);
    zero.picture->draw(scenery.view, zero.canvas);
    CHECK(unknown.pixels != zero.pixels);
  }
}

TEST_CASE("a picture drawn on its side is the same, turned, and every row that it changed is told") {
  Dice dice(51);
  for (int i = 0; i < 12; ++i) {
    constexpr Size kTall = turned(kPanel);
    Easel upright(kTall);
    std::vector<uint32_t> pixels(upright.pixels.size(), 0xFFFFFFFFu);
    Canvas side(reinterpret_cast<uint8_t*>(pixels.data()), kTall, true);
    const auto picture = std::make_unique<Picture>(kTall);
    const auto scenery = std::make_unique<Scenery>();
    for (int step = 0; step < 3; ++step) {
      const std::vector<uint32_t> before = pixels;
      invent(*scenery, dice);
      upright.picture->draw(scenery->view, upright.canvas);
      const RowSet rows = picture->draw(scenery->view, side);
      const int words = kPanel.width / 8;
      for (int row = 0; row < kPanel.height; ++row) {
        const bool changed = !std::equal(pixels.begin() + row * words, pixels.begin() + (row + 1) * words,
                                         before.begin() + row * words);
        if (changed) REQUIRE(rows.contains(row));
      }
      bool same = true;
      for (int y = 0; y < kTall.height; ++y) {
        for (int x = 0; x < kTall.width; ++x)
          same = same && side.is_black(x, y) == upright.canvas.is_black(x, y);
      }
      REQUIRE(same);
    }
  }
}
