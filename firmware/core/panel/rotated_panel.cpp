#include "panel/rotated_panel.h"

#include <cstring>

namespace inktop {
namespace {

uint32_t load(const uint8_t* at) {
  uint32_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Exchanges two rows of `width` bytes (a multiple of 8), each back to front; they may be the same row.
void exchange(uint8_t* one, uint8_t* other, int width) {
  const bool same = one == other;
  const int words = same ? width / 8 : width / 4;
  for (int i = 0; i < words; ++i) {
    uint8_t* const left = one + i * 4;
    uint8_t* const right = other + width - 4 - i * 4;
    const uint32_t from_left = __builtin_bswap32(load(left));
    const uint32_t from_right = __builtin_bswap32(load(right));
    std::memcpy(right, &from_left, sizeof from_left);
    std::memcpy(left, &from_right, sizeof from_right);
  }
}

}  // namespace

DrawErrors RotatedPanel::drive(Waveform waveform, const Difference& difference) {
  const int width = difference.size.width;
  const int height = difference.size.height;
  const bool* const before = difference.dirty_rows;
  Difference turned = difference;
  for (int row = 0; row < (height + 1) / 2; ++row) {
    const int other = height - 1 - row;
    const bool row_dirty = before == nullptr || before[row];
    const bool other_dirty = before == nullptr || before[other];
    dirty_[row] = other_dirty;
    dirty_[other] = row_dirty;
    // A row that is not driven is not read either: it may hold anything.
    if (row_dirty || other_dirty) exchange(pixels_ + row * width, pixels_ + other * width, width);
  }
  turned.pixels = pixels_;
  turned.dirty_rows = before == nullptr ? nullptr : dirty_;
  turned.first_row = height - difference.first_row - difference.row_count;
  return panel_.drive(waveform, turned);
}

}  // namespace inktop
