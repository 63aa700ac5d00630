// What the core asks of a display library: one call that drives the panel, and the errors it can return.
#pragma once

#include <cstdint>

#include "geometry.h"

namespace inktop {

// The two waveforms that inktop uses. epdiy's numbers for them appear in the epdiy adapter only.
enum class Waveform : uint8_t { du, gc16 };

// What went wrong while driving, as bits; none = it worked. The values are our own; the adapter translates.
enum DrawError : uint16_t {
  kDrawOk = 0,
  kDrawLookup = 1u << 0,     // the lookup table is too small for a difference draw
  kDrawCrop = 1u << 1,       // invalid crop rectangle
  kDrawMode = 1u << 2,       // the waveform has no such mode
  kDrawPhases = 1u << 3,     // no phases at this temperature
  kDrawLineQueue = 1u << 4,  // the feed fell behind: the panel took half a refresh
  kDrawPower = 1u << 5,      // the panel's supply did not come up
  kDrawOther = 1u << 15,
};
using DrawErrors = uint16_t;

// What a refresh drives.
struct Difference {
  // One byte a pixel, rows of `size.width` bytes from row 0 on: (to << 4) | from; 0x0 is black, 0xF white.
  const uint8_t* pixels = nullptr;
  Size size;
  // One flag a row; rows that are false are not driven. nullptr: every row is driven.
  const bool* dirty_rows = nullptr;
  // The rows [first_row, first_row + row_count) hold every dirty row: a full-width band.
  int first_row = 0;
  int row_count = 0;
};

// A panel drives; it decides nothing. Blocks until the refresh is over (seconds).
class Panel {
 public:
  virtual ~Panel() = default;
  virtual DrawErrors drive(Waveform waveform, const Difference& difference) = 0;
};

}  // namespace inktop
