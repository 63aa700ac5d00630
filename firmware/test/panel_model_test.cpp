#include "panel_model.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <vector>

#include "panel/frame_store.h"

namespace inktop {
namespace {

constexpr Size kSize{64, 40};

struct Rig {
  std::vector<uint32_t> front, back, difference;
  bool dirty[kSize.height];
  FrameStore frames;
  PanelModel panel{kSize};

  Rig()
      : front(FrameStore::frame_bytes(kSize) / 4),
        back(front.size()),
        difference(FrameStore::difference_bytes(kSize) / 4),
        frames(kSize, bytes(front), bytes(back), bytes(difference), dirty) {}
  static uint8_t* bytes(std::vector<uint32_t>& words) { return reinterpret_cast<uint8_t*>(words.data()); }

  void paint(int x, int y, bool black) {
    uint8_t& pair = frames.front()[(y * kSize.width + x) / 2];
    const int shift = x % 2 * 4;
    pair = uint8_t((pair & ~(15 << shift)) | (black ? 0 : 15) << shift);
  }
  void scribble(uint32_t seed) {
    for (int y = 0; y < kSize.height; ++y) {
      for (int x = 0; x < kSize.width; ++x) {
        seed = seed * 1664525u + 1013904223u;
        paint(x, y, (seed >> 24 & 1) != 0);
      }
    }
  }
  bool front_black(int x, int y) const {
    return (frames.front()[(y * kSize.width + x) / 2] >> (x % 2 * 4) & 15) == 0;
  }
  DrawErrors drive(Waveform waveform, const Difference& what) {
    const DrawErrors errors = panel.drive(waveform, what);
    if (errors == kDrawOk) frames.driven();
    return errors;
  }
  DrawErrors wash() {
    const DrawErrors errors = drive(Waveform::gc16, frames.wash_to_white());
    return errors != kDrawOk ? errors : drive(Waveform::gc16, frames.wash_to_picture());
  }
  DrawErrors clear() { return drive(Waveform::gc16, frames.clear()); }
  DrawErrors update() {
    RowSet rows;
    rows.add(0, kSize.height);
    return drive(Waveform::du, frames.update(rows));
  }
  int wrong() const {
    int count = 0;
    for (int y = 0; y < kSize.height; ++y) {
      for (int x = 0; x < kSize.width; ++x) count += panel.is_black(x, y) != front_black(x, y) ? 1 : 0;
    }
    return count;
  }
};

TEST_CASE("the panel begins with an old picture, and a clear brings every pixel to white") {
  Rig rig;
  int black = 0;
  int white = 0;
  for (int y = 0; y < kSize.height; ++y) {
    for (int x = 0; x < kSize.width; ++x) (rig.panel.is_black(x, y) ? black : white) += 1;
  }
  CHECK(black > 100);
  CHECK(white > 100);
  rig.clear();
  for (int y = 0; y < kSize.height; ++y) {
    for (int x = 0; x < kSize.width; ++x) {
      REQUIRE(rig.panel.level(x, y) == 15);
      REQUIRE(rig.panel.ghost(x, y) == 0);
    }
  }
}

TEST_CASE("a wash drives every pixel, cleans it, and ends with as many dark as light pulses") {
  Rig rig;
  rig.clear();
  rig.scribble(3);
  rig.wash();
  for (uint32_t seed = 4; seed < 12; ++seed) {
    rig.scribble(seed);
    rig.update();
  }
  REQUIRE(rig.panel.most_flips() > 1);
  std::vector<int> before;
  for (int y = 0; y < kSize.height; ++y) {
    for (int x = 0; x < kSize.width; ++x) before.push_back(rig.panel.charge(x, y));
  }
  int ghosts = 0;
  for (int x = 0; x < kSize.width; ++x) ghosts += rig.panel.ghost(x, 0) > 0 ? 1 : 0;
  CHECK(ghosts > kSize.width / 2);
  rig.wash();
  for (int y = 0; y < kSize.height; ++y) {
    for (int x = 0; x < kSize.width; ++x) {
      REQUIRE(rig.panel.charge(x, y) == before[size_t(y * kSize.width + x)]);
      REQUIRE(rig.panel.ghost(x, y) == 0);
      REQUIRE(rig.panel.flips(x, y) == 0);
    }
  }
  CHECK(rig.wrong() == 0);
}

TEST_CASE("charge does not run away over any number of updates, and of washes of what is shown") {
  Rig rig;
  rig.clear();
  rig.wash();
  const int before = rig.panel.charge(0, 0);
  for (uint32_t seed = 1; seed < 60; ++seed) {
    rig.scribble(seed);
    rig.update();
    if (seed % 20 == 0) rig.wash();
  }
  for (int y = 0; y < kSize.height; ++y) {
    for (int x = 0; x < kSize.width; ++x) REQUIRE(std::abs(rig.panel.charge(x, y) - before) <= 5);
  }
}

TEST_CASE(
    "a pixel that goes black by an update and white with the wash would be left ten light pulses each time") {
  Rig rig;
  rig.clear();
  rig.wash();
  const int before = rig.panel.charge(0, 0);
  for (int i = 0; i < 8; ++i) {
    rig.paint(0, 0, true);
    rig.update();
    rig.paint(0, 0, false);
    rig.wash();
  }
  CHECK(rig.panel.charge(0, 0) - before == -8 * 10);
  CHECK(rig.wrong() == 0);
}

TEST_CASE("one GC16 pass over the picture leaves every black pixel as it was (E8)") {
  Rig rig;
  rig.clear();
  rig.paint(5, 5, true);
  rig.update();
  REQUIRE(rig.panel.ghost(5, 5) > 0);
  std::vector<uint8_t> same(size_t(kSize.width) * kSize.height, 0xFF);
  same[5 * kSize.width + 5] = 0x00;
  rig.panel.drive(Waveform::gc16, {same.data(), kSize, nullptr, 0, kSize.height});
  CHECK(rig.panel.ghost(5, 5) > 0);
  CHECK(rig.panel.is_black(5, 5));
  rig.wash();
  CHECK(rig.panel.ghost(5, 5) == 0);
}

TEST_CASE("DU drives nothing where from equals to, and nothing in rows that are not dirty") {
  Rig rig;
  std::vector<uint8_t> levels_before(size_t(kSize.width) * kSize.height);
  std::vector<uint8_t> levels_after(levels_before.size());
  rig.panel.levels(levels_before.data());
  std::vector<uint8_t> same(levels_before.size(), 0xFF);
  for (size_t i = 0; i < same.size(); i += 3) same[i] = 0x00;
  rig.panel.drive(Waveform::du, {same.data(), kSize, nullptr, 0, kSize.height});
  rig.panel.levels(levels_after.data());
  CHECK(levels_after == levels_before);
  CHECK(rig.panel.counters().flipped == 0);

  const std::vector<uint8_t> to_black(same.size(), 0x0F);
  bool dirty[kSize.height] = {};
  dirty[7] = true;
  rig.panel.drive(Waveform::du, {to_black.data(), kSize, dirty, 7, 1});
  rig.panel.levels(levels_after.data());
  for (size_t i = 0; i < levels_after.size(); ++i) {
    if (i / kSize.width != 7) REQUIRE(levels_after[i] == levels_before[i]);
  }
  CHECK(rig.panel.counters().rows == uint64_t(kSize.height) + 1);
  CHECK(rig.panel.counters().flipped == uint64_t(kSize.width));
}

TEST_CASE("DU acts for black and white targets only, from any grey") {
  Rig rig;
  std::vector<uint8_t> grey(size_t(kSize.width) * kSize.height, 0x7F);
  rig.clear();
  rig.panel.drive(Waveform::du, {grey.data(), kSize, nullptr, 0, kSize.height});
  CHECK(rig.panel.level(3, 3) == 15);
  rig.panel.drive(Waveform::gc16, {grey.data(), kSize, nullptr, 0, kSize.height});
  CHECK(rig.panel.level(3, 3) == 7);
  const std::vector<uint8_t> to_black(grey.size(), 0x07);
  rig.panel.drive(Waveform::du, {to_black.data(), kSize, nullptr, 0, kSize.height});
  CHECK(rig.panel.level(3, 3) == 0);
}

TEST_CASE("a difference that is wrong about what the panel shows leaves wrong pixels") {
  Rig rig;
  rig.scribble(9);
  rig.update();  // the back buffer says white, the panel shows an old picture: nobody cleared it
  CHECK(rig.wrong() > 100);
  rig.clear();
  rig.wash();
  CHECK(rig.wrong() == 0);
}

TEST_CASE("an error in mid-refresh leaves half-driven pixels; the next clear and wash repair them") {
  for (int drives = 0; drives < 3; ++drives) {
    Rig rig;
    rig.clear();
    rig.scribble(5);
    rig.wash();
    rig.scribble(6);
    rig.panel.fail(drives == 0 ? 0 : drives - 1, kDrawLineQueue, drives == 0 ? 2 : 8);
    CHECK((drives == 0 ? rig.update() : rig.wash()) == kDrawLineQueue);
    int grey = 0;
    for (int y = 0; y < kSize.height; ++y) {
      for (int x = 0; x < kSize.width; ++x) grey += rig.panel.level(x, y) % 15 != 0 ? 1 : 0;
    }
    CHECK(grey > 100);
    CHECK(rig.panel.counters().failures == 1);
    CHECK(rig.clear() == kDrawOk);
    CHECK(rig.wash() == kDrawOk);
    CHECK(rig.wrong() == 0);
  }
}

TEST_CASE("flips are charged to the last element that contains the pixel") {
  Rig rig;
  rig.clear();
  rig.wash();
  rig.panel.set_elements({{0, 0, 20, 20}, {4, 4, 4, 4}, {60, 30, 400, 400}});
  rig.paint(0, 0, true);
  rig.paint(5, 5, true);
  rig.paint(6, 6, true);
  rig.paint(30, 30, true);
  rig.paint(63, 39, true);
  rig.update();
  CHECK(rig.panel.element_flips(0) == 1);
  CHECK(rig.panel.element_flips(1) == 2);
  CHECK(rig.panel.element_flips(2) == 1);
  CHECK(rig.panel.element_flips(PanelModel::kOutside) == 1);
  CHECK(rig.panel.most_flips() == 1);
}

TEST_CASE("the bits for a picture file agree with the panel, the left pixel first") {
  Rig rig;
  rig.clear();
  rig.scribble(11);
  rig.update();
  std::vector<uint8_t> bits(size_t(kSize.width) / 8 * kSize.height);
  rig.panel.black_white(bits.data());
  for (int y = 0; y < kSize.height; ++y) {
    for (int x = 0; x < kSize.width; ++x) {
      const bool white = (bits[size_t(y * kSize.width / 8 + x / 8)] >> (7 - x % 8) & 1) != 0;
      REQUIRE(white == !rig.front_black(x, y));
    }
  }
}

}  // namespace
}  // namespace inktop
