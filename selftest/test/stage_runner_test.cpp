// The course of the self-test on a panel that does exactly what it is told, and on one that fails.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/app.h"
#include "selftest/frame_crc.h"
#include "selftest/selftest.h"
#include "selftest/test_card.h"

using namespace inktop;
using namespace inktop::selftest;

namespace {

constexpr Size kSize{1920, 1080};

struct Drive {
  Waveform waveform;
  bool all_rows;
  int first_row;
  int last_row;
};

// Takes over what it is driven, believes every `from`, and fails when it is told to.
class ObedientPanel : public Panel {
 public:
  ObedientPanel() : pixels(kSize.width * kSize.height, 7) {}

  DrawErrors drive(Waveform waveform, const Difference& difference) override {
    Drive done{waveform, difference.dirty_rows == nullptr, kSize.height, -1};
    if (++count == fail_at) return kDrawLineQueue;
    for (int y = 0; y < kSize.height; ++y) {
      if (difference.dirty_rows != nullptr && !difference.dirty_rows[y]) continue;
      if (y < done.first_row) done.first_row = y;
      done.last_row = y;
      for (int x = 0; x < kSize.width; ++x) {
        const uint8_t change = difference.pixels[y * kSize.width + x];
        if (change >> 4 != (change & 15)) pixels[y * kSize.width + x] = change >> 4;
      }
    }
    drives.push_back(done);
    return kDrawOk;
  }

  std::vector<uint8_t> pixels;
  std::vector<Drive> drives;
  int count = 0;
  int fail_at = 0;
};

class Lines : public Log {
 public:
  void line(const char* text) override { all.push_back(text); }
  bool has(const std::string& text) const {
    for (const auto& each : all) {
      if (each.find(text) != std::string::npos) return true;
    }
    return false;
  }
  std::vector<std::string> all;
};

struct Bench {
  Bench() {
    const AppMemory memory{reinterpret_cast<uint8_t*>(front.data()), reinterpret_cast<uint8_t*>(back.data()),
                           reinterpret_cast<uint8_t*>(difference.data()),
                           reinterpret_cast<bool*>(dirty.data())};
    app = std::make_unique<App>(kSize, memory, AppSettings{}, BoardFacts{});
    store = std::make_unique<FrameStore>(kSize, memory.front, memory.back, memory.difference, memory.dirty);
    runner = std::make_unique<StageRunner>(*store, panel, log, *app);
  }

  // Ticks until the stage is held; counts the ticks.
  int run() {
    int ticks = 0;
    do {
      runner->tick(now, false);
      now += 20;
      REQUIRE(++ticks < 1000);
    } while (!runner->holding());
    return ticks;
  }
  void press() { runner->tick(now += 20, true); }
  void run_to(Stage stage) {
    run();
    while (runner->stage() != stage) {
      press();
      run();
    }
  }
  int wrong_pixels() const {
    int count = 0;
    for (int i = 0; i < kSize.width * kSize.height; ++i) {
      const uint8_t pair = store->front()[i / 2];
      count += panel.pixels[i] != ((i & 1) != 0 ? pair >> 4 : pair & 15);
    }
    return count;
  }

  std::vector<uint32_t> front = std::vector<uint32_t>(kSize.width * kSize.height / 8);
  std::vector<uint32_t> back = front;
  std::vector<uint32_t> difference = std::vector<uint32_t>(kSize.width * kSize.height / 4);
  std::vector<uint32_t> dirty = std::vector<uint32_t>(kSize.height / 4);
  ObedientPanel panel;
  Lines log;
  int64_t now = 5000;
  std::unique_ptr<App> app;
  std::unique_ptr<FrameStore> store;
  std::unique_ptr<StageRunner> runner;
};

}  // namespace

TEST_CASE("ST1 clears and washes: three times GC16, all rows, whatever the panel showed before") {
  Bench bench;
  bench.run_to(Stage::st1);
  REQUIRE(bench.panel.drives.size() == 3);
  for (const Drive& drive : bench.panel.drives) {
    CHECK(drive.waveform == Waveform::gc16);
    CHECK(drive.all_rows);
  }
  CHECK(bench.wrong_pixels() == 0);
}

TEST_CASE("ST2 differs from ST1 by the waveform: one DU over all rows") {
  Bench bench;
  bench.run_to(Stage::st1);
  bench.panel.drives.clear();
  bench.run_to(Stage::st2);
  REQUIRE(bench.panel.drives.size() == 1);
  CHECK(bench.panel.drives[0].waveform == Waveform::du);
  CHECK(bench.panel.drives[0].first_row == 0);
  CHECK(bench.panel.drives[0].last_row == kSize.height - 1);
  CHECK(bench.wrong_pixels() == 0);
}

TEST_CASE("ST3 differs from ST2 by the rows: one DU over one band") {
  Bench bench;
  bench.run_to(Stage::st2);
  bench.panel.drives.clear();
  bench.run_to(Stage::st3);
  REQUIRE(bench.panel.drives.size() == 1);
  CHECK(bench.panel.drives[0].waveform == Waveform::du);
  CHECK(bench.panel.drives[0].first_row == title_band(kSize).y);
  CHECK(bench.panel.drives[0].last_row == title_band(kSize).bottom() - 1);
  CHECK(bench.wrong_pixels() == 0);
}

TEST_CASE("ST4 differs from ST3 by the number: a DU for every band of 64 rows, from top to bottom") {
  Bench bench;
  bench.run_to(Stage::st3);
  bench.panel.drives.clear();
  bench.run_to(Stage::st4);
  REQUIRE(int(bench.panel.drives.size()) == tile_rows(kSize));
  for (int row = 0; row < tile_rows(kSize); ++row) {
    const Drive& drive = bench.panel.drives[row];
    CHECK(drive.waveform == Waveform::du);
    CHECK(drive.first_row >= row * kTile);
    CHECK(drive.last_row < (row + 1) * kTile);
    CHECK(drive.last_row - drive.first_row > kTile / 2);
  }
  CHECK(bench.wrong_pixels() == 0);
}

TEST_CASE("ST5 differs from ST4 by who draws: the app, with its own clear, wash and updates") {
  Bench bench;
  bench.run_to(Stage::st4);
  bench.panel.drives.clear();
  bench.run_to(Stage::st5);
  REQUIRE(bench.panel.drives.size() > 5);
  for (size_t i = 0; i < bench.panel.drives.size(); ++i) {
    CHECK(bench.panel.drives[i].waveform == (i < 3 ? Waveform::gc16 : Waveform::du));
  }
  CHECK(bench.wrong_pixels() == 0);
  CHECK(bench.log.has("ST5 clear_and_wash, first_frame: ok"));
  CHECK(bench.log.has("ST5 update, content_changed: ok"));
}

TEST_CASE("a stage is held for 60 s, or until a button is pressed, and its checksum is logged") {
  Bench bench;
  bench.run_to(Stage::st1);
  const int64_t held = bench.now - 20;
  char crc[32];
  std::snprintf(crc, sizeof crc, "ST1 held crc=%08X", unsigned(bench.runner->crc()));
  CHECK(bench.log.has(crc));
  CHECK(bench.runner->crc() == crc32(bench.store->front(), FrameStore::frame_bytes(kSize)));
  bench.runner->tick(held + kHoldMs - 1, false);
  CHECK(bench.runner->stage() == Stage::st1);
  bench.runner->tick(held + kHoldMs, false);
  CHECK(bench.runner->stage() == Stage::st2);
  bench.now = held + kHoldMs;
  bench.run();
  bench.press();
  CHECK(bench.runner->stage() == Stage::st3);
}

TEST_CASE("a tick does one refresh at most, so that the watchdog is fed between them") {
  Bench bench;
  bench.run_to(Stage::st3);
  bench.press();
  size_t before = bench.panel.drives.size();
  while (!bench.runner->holding()) {
    bench.runner->tick(bench.now += 20, false);
    CHECK(bench.panel.drives.size() <= before + 1);
    before = bench.panel.drives.size();
  }
}

TEST_CASE("after ST5 the course is over and nothing is driven any more") {
  Bench bench;
  bench.run_to(Stage::st5);
  bench.press();
  CHECK(bench.runner->finished());
  const size_t drives = bench.panel.drives.size();
  for (int i = 0; i < 100; ++i) bench.runner->tick(bench.now += 10'000, i % 2 == 0);
  CHECK(bench.panel.drives.size() == drives);
}

TEST_CASE("two runs give the same pictures") {
  for (int stage = 0; stage < kStageCount; ++stage) {
    Bench one;
    Bench two;
    one.run_to(static_cast<Stage>(stage));
    two.now = 123'456'789;
    two.run_to(static_cast<Stage>(stage));
    CHECK(one.runner->crc() == two.runner->crc());
  }
}

TEST_CASE("a draw error is named in the log, and the next stage begins from a known panel") {
  Bench bench;
  bench.run_to(Stage::st1);
  bench.panel.fail_at = bench.panel.count + 1;
  bench.press();
  bench.run();
  CHECK(bench.runner->errors() == kDrawLineQueue);
  CHECK(bench.log.has("ST2 DU, all rows: lines"));
  CHECK(bench.log.has("errors=lines"));
  CHECK(bench.wrong_pixels() > 0);
  bench.panel.drives.clear();
  bench.press();
  bench.run();
  CHECK(bench.log.has("recovery"));
  REQUIRE(bench.panel.drives.size() == 4);
  CHECK(bench.panel.drives[2].waveform == Waveform::gc16);
  CHECK(bench.panel.drives[3].waveform == Waveform::du);
  CHECK(bench.wrong_pixels() == 0);
  CHECK(bench.runner->errors() == kDrawOk);
}

TEST_CASE("a draw error in the middle of ST4 ends the stage instead of driving on blindly") {
  Bench bench;
  bench.run_to(Stage::st3);
  bench.panel.fail_at = bench.panel.count + 3;
  const int before = bench.panel.count;
  bench.press();
  bench.run();
  CHECK(bench.panel.count == before + 3);
  CHECK(bench.log.has("ST4 DU, band 3 of 17: lines"));
}
