#include "panel/frame_store.h"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

namespace inktop {
namespace {

constexpr Size kSize{64, 24};

// The definition, pixel by pixel.
int pixel(const uint8_t* frame, int x, int y) {
  const uint8_t byte = frame[y * kSize.width / 2 + x / 2];
  return x % 2 == 0 ? byte & 0xF : byte >> 4;
}

struct Store {
  alignas(4) uint8_t front[FrameStore::frame_bytes(kSize)];
  alignas(4) uint8_t back[FrameStore::frame_bytes(kSize)];
  alignas(4) uint8_t difference[FrameStore::difference_bytes(kSize)];
  bool dirty[kSize.height];
  FrameStore frames{kSize, front, back, difference, dirty};

  void scribble(uint32_t seed, int first_row, int rows) {
    for (int i = first_row * kSize.width / 2; i < (first_row + rows) * kSize.width / 2; ++i) {
      seed = seed * 1664525u + 1013904223u;
      front[i] = uint8_t((seed >> 24 & 1 ? 0xF : 0) | (seed >> 25 & 1 ? 0xF0 : 0));
    }
  }
  RowSet all() const {
    RowSet rows;
    rows.add(0, kSize.height);
    return rows;
  }
};

TEST_CASE(
    "a difference is (to << 4) | from for every pixel of a dirty row, as the per-pixel definition says") {
  Store store;
  for (uint32_t seed = 1; seed < 40; ++seed) {
    store.scribble(seed, int(seed % 20), 4);
    const Difference difference = store.frames.update(store.all());
    for (int y = 0; y < kSize.height; ++y) {
      bool differs = false;
      for (int x = 0; x < kSize.width; ++x) differs |= pixel(store.front, x, y) != pixel(store.back, x, y);
      REQUIRE(difference.dirty_rows[y] == differs);
      for (int x = 0; differs && x < kSize.width; ++x) {
        REQUIRE(difference.pixels[y * kSize.width + x] ==
                (pixel(store.front, x, y) << 4 | pixel(store.back, x, y)));
      }
    }
    store.frames.driven();
    REQUIRE(std::memcmp(store.front, store.back, sizeof store.front) == 0);
  }
}

TEST_CASE(
    "rows outside an update are explicitly not dirty, also when an earlier update left them so (B1, E3)") {
  Store store;
  store.scribble(7, 0, kSize.height);
  store.frames.update(store.all());
  store.frames.driven();
  store.scribble(9, 0, kSize.height);
  RowSet band;
  band.add(4, 2);
  const Difference difference = store.frames.update(band);
  CHECK(difference.first_row == 4);
  CHECK(difference.row_count == 2);
  for (int y = 0; y < kSize.height; ++y) CHECK(difference.dirty_rows[y] == (y == 4 || y == 5));
}

TEST_CASE("the back buffer stays as it was until the panel has driven (E5)") {
  Store store;
  store.scribble(3, 0, kSize.height);
  const std::vector<uint8_t> before(store.back, store.back + sizeof store.back);
  store.frames.update(store.all());
  CHECK(std::memcmp(store.back, before.data(), before.size()) == 0);
  store.frames.driven();
  CHECK(std::memcmp(store.back, store.front, sizeof store.front) == 0);
}

TEST_CASE("a wash drives every pixel of every row, first to white, then to the picture (E1, E8)") {
  Store store;
  store.scribble(5, 0, kSize.height);
  store.frames.update(store.all());
  store.frames.driven();
  const Difference white = store.frames.wash_to_white();
  CHECK(white.dirty_rows == nullptr);
  CHECK(white.row_count == kSize.height);
  for (int y = 0; y < kSize.height; ++y) {
    for (int x = 0; x < kSize.width; ++x) {
      REQUIRE(white.pixels[y * kSize.width + x] == (0xF0 | pixel(store.back, x, y)));
    }
  }
  store.frames.driven();
  const Difference picture = store.frames.wash_to_picture();
  for (int y = 0; y < kSize.height; ++y) {
    for (int x = 0; x < kSize.width; ++x) {
      REQUIRE(picture.pixels[y * kSize.width + x] == (pixel(store.front, x, y) << 4 | 0xF));
    }
  }
  store.frames.driven();
  CHECK(store.frames.update(store.all()).row_count == 0);
}

TEST_CASE("a clear is black to white everywhere, whatever is believed to be shown (E2)") {
  Store store;
  store.scribble(5, 0, kSize.height);
  const Difference difference = store.frames.clear();
  CHECK(difference.dirty_rows == nullptr);
  for (uint32_t i = 0; i < FrameStore::difference_bytes(kSize); ++i) REQUIRE(difference.pixels[i] == 0xF0);
}

TEST_CASE("nothing changed is no row at all") {
  Store store;
  CHECK(store.frames.update(store.all()).row_count == 0);
}

}  // namespace
}  // namespace inktop
