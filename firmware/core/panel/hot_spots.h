// How often each region of the panel was flipped since the last wash.
#pragma once

#include <cstdint>

#include "geometry.h"

namespace inktop {

// A fixed grid over the panel; a region is about 60 x 60 pixels on the reference panel.
class HotSpots {
 public:
  static constexpr int kColumns = 32;
  static constexpr int kRows = 18;

  explicit HotSpots(Size size) : size_(size) {}

  void clear() {
    for (auto& flips : flips_) flips = 0;
  }
  // Adds `count` flipped pixels at (x, y).
  void add(int x, int y, uint32_t count) {
    flips_[y * kRows / size_.height * kColumns + x * kColumns / size_.width] += count;
  }
  // Flips per pixel, averaged over the most flipped region.
  int32_t hottest() const {
    uint32_t most = 0;
    for (const auto flips : flips_) most = flips > most ? flips : most;
    const int pixels = (size_.width / kColumns) * (size_.height / kRows);
    return pixels > 0 ? int32_t(most / uint32_t(pixels)) : 0;
  }

 private:
  Size size_;
  uint32_t flips_[kColumns * kRows] = {};
};

}  // namespace inktop
