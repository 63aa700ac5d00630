// The front, back and difference buffers and the dirty rows: what is drawn, what the panel shows,
// and what must be driven.
#pragma once

#include <cstdint>

#include "geometry.h"
#include "panel/hot_spots.h"
#include "panel/panel.h"

namespace inktop {

// Memory is handed in (PSRAM on the board), in the sizes that the functions below give.
// Works on 32-bit words.
class FrameStore {
 public:
  static constexpr uint32_t frame_bytes(Size size) { return uint32_t(size.width) * size.height / 2; }
  static constexpr uint32_t difference_bytes(Size size) { return uint32_t(size.width) * size.height; }

  // `front`, `back`: frame_bytes each; `difference`: difference_bytes; `dirty`: size.height
  // flags. All 4-byte aligned.
  FrameStore(Size size, uint8_t* front, uint8_t* back, uint8_t* difference, bool* dirty);

  uint8_t* front() { return front_; }
  const uint8_t* front() const { return front_; }
  // What the panel shows, as far as it has answered "ok".
  const uint8_t* back() const { return back_; }
  Size size() const { return size_; }

  // The difference back → front, compared only in `rows`; every other row is explicitly not dirty. row_count
  // 0: nothing changed. Flipped pixels are added to `hot_spots` where one is given.
  Difference update(const RowSet& rows, HotSpots* hot_spots = nullptr);
  // Pixels that the last update() flips, rows that it drives.
  int32_t flips() const { return flips_; }
  int32_t dirty_rows() const { return dirty_rows_; }
  // From black to white everywhere, all rows: for a panel in an unknown state.
  Difference clear();
  // The two passes of a wash: what is shown → white, white → front; all rows.
  Difference wash_to_white();
  Difference wash_to_picture();
  // The panel answered that it drove what the last call above returned: only now the back buffer follows.
  void driven();

 private:
  // What the back buffer will be once the panel has driven the last difference.
  enum class Pending : uint8_t { nothing, white, picture, update };
  Difference all_rows(Pending pending);

  Size size_;
  uint8_t* front_;
  uint8_t* back_;
  uint8_t* difference_;
  bool* dirty_;
  Pending pending_ = Pending::nothing;
  int32_t flips_ = 0;
  int32_t dirty_rows_ = 0;
};

}  // namespace inktop
