#include "panel/rotated_panel.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace inktop {
namespace {

// Keeps what it was asked to drive.
struct Recorder : Panel {
  DrawErrors drive(Waveform waveform, const Difference& difference) override {
    last_waveform = waveform;
    last = difference;
    pixels.assign(difference.pixels, difference.pixels + difference.size.width * difference.size.height);
    rows.clear();
    if (difference.dirty_rows != nullptr) {
      rows.assign(difference.dirty_rows, difference.dirty_rows + difference.size.height);
    }
    return answer;
  }
  DrawErrors answer = kDrawOk;
  Waveform last_waveform = Waveform::gc16;
  Difference last;
  std::vector<uint8_t> pixels;
  std::vector<bool> rows;
};

constexpr int kWidth = 24;

void check_turned(int height, const std::vector<bool>& dirty) {
  CAPTURE(height);
  std::vector<uint8_t> pixels(std::size_t(kWidth * height));
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = uint8_t(i * 7 + i / 256);
  const std::vector<uint8_t> before = pixels;
  bool flags[64] = {};
  bool turned[64] = {};
  Difference difference;
  difference.size = {kWidth, height};
  difference.pixels = pixels.data();
  int first = height;
  int last = -1;
  for (int row = 0; row < height; ++row) {
    flags[row] = dirty.empty() || dirty[std::size_t(row)];
    if (!flags[row]) continue;
    first = row < first ? row : first;
    last = row;
  }
  difference.dirty_rows = dirty.empty() ? nullptr : flags;
  difference.first_row = first;
  difference.row_count = last - first + 1;

  Recorder recorder;
  RotatedPanel panel(recorder, pixels.data(), turned);
  CHECK(panel.drive(Waveform::du, difference) == kDrawOk);
  CHECK(recorder.last_waveform == Waveform::du);
  CHECK(recorder.rows.empty() == dirty.empty());
  for (int row = 0; row < height; ++row) {
    const int from = height - 1 - row;
    if (!dirty.empty()) CHECK(recorder.rows[std::size_t(row)] == flags[from]);
    if (!flags[from]) continue;
    CHECK(row >= recorder.last.first_row);
    CHECK(row < recorder.last.first_row + recorder.last.row_count);
    for (int x = 0; x < kWidth; ++x) {
      CHECK(recorder.pixels[std::size_t(row * kWidth + x)] ==
            before[std::size_t(from * kWidth + kWidth - 1 - x)]);
    }
  }
}

}  // namespace

TEST_CASE("Rotated panel: every driven row arrives back to front, an even and an odd number of rows") {
  for (const int height : {1, 2, 7, 10}) {
    check_turned(height, {});
    for (unsigned pattern = 1; pattern < 1u << height && pattern < 128; ++pattern) {
      std::vector<bool> dirty;
      for (int row = 0; row < height; ++row) dirty.push_back((pattern >> row & 1) != 0);
      check_turned(height, dirty);
    }
  }
}

TEST_CASE("Rotated panel: what the panel answers comes back") {
  Recorder recorder;
  recorder.answer = kDrawLineQueue;
  std::vector<uint8_t> pixels(kWidth * 2);
  bool flags[2];
  RotatedPanel panel(recorder, pixels.data(), flags);
  Difference difference;
  difference.size = {kWidth, 2};
  difference.pixels = pixels.data();
  difference.row_count = 2;
  CHECK(panel.drive(Waveform::gc16, difference) == kDrawLineQueue);
  CHECK(recorder.last_waveform == Waveform::gc16);
}

}  // namespace inktop
