// What the habits of a display library's high-level layer do to the panel, and that inktop survives each.
#include "defects.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "app/app.h"
#include "app/direct_feed.h"
#include "panel_model.h"
#include "selftest/generated_lines.h"

using namespace inktop;

namespace {

constexpr Size kSize{1920, 1080};

// A made-up server's minutes on a panel model, driven by the naive driver or (`ours`) by inktop.
struct Bench {
  explicit Bench(Defect defect, bool ours = false)
      : front(kSize.width * kSize.height / 8),
        back(front),
        difference(kSize.width * kSize.height / 4),
        dirty(kSize.height / 4),
        panel(kSize),
        app(kSize,
            {reinterpret_cast<uint8_t*>(front.data()), reinterpret_cast<uint8_t*>(back.data()),
             reinterpret_cast<uint8_t*>(difference.data()), reinterpret_cast<bool*>(dirty.data())},
            AppSettings{}, BoardFacts{}),
        feed(app) {
    if (!ours) naive = std::make_unique<DefectivePanel>(app, panel, defect);
    feed.opened(0);
    feed.received(line, selftest::generated_info(line, sizeof line), 0);
  }

  // Lets `seconds` pass, with a line each; returns how many refreshes there were.
  int live(int seconds) {
    int refreshes = 0;
    for (int end = second + seconds; second < end; ++second) {
      feed.received(line, selftest::generated_line(second, line, sizeof line), second * int64_t{1000});
      for (int quarter = 0; quarter < 4; ++quarter) {
        const int64_t now = second * int64_t{1000} + quarter * 250;
        FixedTime time(now);
        const Refresh refresh = app.refresh(naive ? static_cast<Panel&>(*naive) : panel, time).refresh;
        if (refresh.kind == RefreshKind::nothing) continue;
        ++refreshes;
        last = refresh;
      }
    }
    return refreshes;
  }

  void wash() {
    app.button(Button::wash, second * int64_t{1000});
    do {
      REQUIRE(live(1) >= 0);
    } while (last.kind != RefreshKind::wash);
  }

  bool should_be_black(int x, int y) const {
    const uint8_t pair = app.frames().front()[(y * kSize.width + x) / 2];
    return ((x & 1) != 0 ? pair >> 4 : pair & 15) == 0;
  }

  // Pixels that a person would take for the wrong colour; ask only for what the panel was told to show.
  int wrong() const {
    int count = 0;
    for (int y = 0; y < kSize.height; ++y) {
      for (int x = 0; x < kSize.width; ++x) count += panel.is_black(x, y) != should_be_black(x, y);
    }
    return count;
  }

  // Pixels that are neither black nor white.
  int greys() const {
    int count = 0;
    for (int y = 0; y < kSize.height; ++y) {
      for (int x = 0; x < kSize.width; ++x) count += panel.level(x, y) != 0 && panel.level(x, y) != 15;
    }
    return count;
  }

  int ghosts(bool black) const {
    int count = 0;
    for (int y = 0; y < kSize.height; ++y) {
      for (int x = 0; x < kSize.width; ++x) {
        count += panel.ghost(x, y) > 0 && should_be_black(x, y) == black;
      }
    }
    return count;
  }

  std::vector<uint32_t> front;
  std::vector<uint32_t> back;
  std::vector<uint32_t> difference;
  std::vector<uint32_t> dirty;
  PanelModel panel;
  App app;
  DirectFeed feed;
  std::unique_ptr<DefectivePanel> naive;
  int second = 0;
  Refresh last;
  char line[kMaxLineBytes + 1];
};

}  // namespace

TEST_CASE("a naive driver without any of the habits shows the picture: what follows is their doing") {
  Bench bench(Defect::none);
  CHECK(bench.live(60) > 10);
  CHECK(bench.wrong() == 0);
  CHECK(bench.greys() == 0);
  bench.wash();
  CHECK(bench.ghosts(true) == 0);
  CHECK(bench.ghosts(false) == 0);
}

TEST_CASE(
    "inktop on the same panel, which begins with an old picture and has this waveform, shows the picture") {
  Bench bench(Defect::none, true);
  CHECK(bench.live(60) > 10);
  CHECK(bench.wrong() == 0);
  CHECK(bench.greys() == 0);
  bench.wash();
  CHECK(bench.ghosts(true) == 0);
  CHECK(bench.ghosts(false) == 0);
}

TEST_CASE("E1: a wash of changed rows only leaves the ghosts; inktop's wash drives every row") {
  Bench bench(Defect::wash_skips_rows);
  bench.live(60);
  bench.wash();
  CHECK(bench.ghosts(true) > 10'000);
  CHECK(bench.ghosts(false) > 1'000);
}

TEST_CASE("E2: believing in a white panel leaves an old picture; inktop clears first") {
  Bench bench(Defect::unknown_start);
  bench.live(60);
  CHECK(bench.wrong() > 50'000);
}

TEST_CASE(
    "PITFALLS B1, E3: stale dirty rows make new content count as shown, and a full update repairs nothing") {
  Bench bench(Defect::stale_rows);
  bench.live(60);
  const int wrong = bench.wrong();
  CHECK(wrong > 5'000);
  bench.naive->driver().update({0, 0, kSize.width, kSize.height});
  CHECK(bench.wrong() == wrong);
}

TEST_CASE("PITFALLS B1, E4: narrow areas drive stale columns, and a full update repairs nothing") {
  Bench bench(Defect::stale_columns);
  bench.live(60);
  const int wrong = bench.wrong();
  CHECK(wrong > 5'000);
  bench.naive->driver().update({0, 0, kSize.width, kSize.height});
  CHECK(bench.wrong() == wrong);
}

TEST_CASE("E5: an error that looks like success leaves greys that no update repairs") {
  Bench bench(Defect::silent_error);
  bench.live(60);
  CHECK(bench.panel.counters().failures > 5);
  CHECK(bench.greys() > 5'000);
  const int greys = bench.greys();
  bench.naive->driver().update({0, 0, kSize.width, kSize.height});
  CHECK(bench.greys() == greys);
}

TEST_CASE("E5: inktop answers an update that broke off with a clear and a wash") {
  Bench bench(Defect::none, true);
  bench.live(10);
  bench.panel.fail(0, kDrawLineQueue, 2);
  while (bench.panel.counters().failures == 0) bench.live(1);
  CHECK(bench.greys() > 0);
  bench.live(10);
  CHECK(bench.panel.counters().full_passes == 6);
  CHECK(bench.wrong() == 0);
  CHECK(bench.greys() == 0);
}

TEST_CASE("E8: a wash in one pass never drives black pixels; inktop's two passes drive every pixel") {
  Bench bench(Defect::black_ghosts);
  bench.live(60);
  bench.wash();
  CHECK(bench.ghosts(true) > 10'000);
  CHECK(bench.ghosts(false) == 0);
}

TEST_CASE("a draw error in the middle of the first picture leaves it grey for a naive driver") {
  Bench bench(Defect::draw_error);
  bench.live(60);
  CHECK(bench.greys() > 1'000'000);
}

TEST_CASE("a draw error in the middle of any pass of the first clear and wash does not survive in inktop") {
  for (int pass = 0; pass < 3; ++pass) {
    for (const int phase : {0, 5, 20}) {
      Bench bench(Defect::none, true);
      bench.panel.fail(pass, kDrawLineQueue, phase);
      bench.live(20);
      CHECK(bench.panel.counters().failures == 1);
      CHECK(bench.wrong() == 0);
      CHECK(bench.greys() == 0);
    }
  }
}

TEST_CASE("every defect has a name by which it is found again, and a summary") {
  for (int i = 0; i < kDefects; ++i) {
    const auto defect = static_cast<Defect>(i);
    CHECK(defect_by_name(defect_name(defect)) == defect);
    CHECK(std::strlen(defect_summary(defect)) > 20);
  }
  CHECK(defect_by_name("no such defect") == Defect::none);
}
