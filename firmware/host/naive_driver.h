// A driver as one would write it on a display library's high-level layer: it shows why inktop has its own.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry.h"
#include "panel/panel.h"

namespace inktop {

// How the high-level layer of epdiy 2.0.0 behaves, measured on a PC. Each flag is one of its habits; with all
// of them off the driver below works.
struct HighLevelHabits {
  bool wash_skips_rows = false;  // E1: a full-screen GC16 drives only rows that changed
  bool assumes_white = false;    // E2: at start the panel is believed to be white
  bool stale_rows = false;       // E3: dirty rows are never cleared, and count as shown once they were driven
  bool stale_columns = false;    // E4: beside a narrow area the old difference is driven again
  bool silent_errors = false;    // E5: the back buffer takes the new picture even after an error
  bool one_pass_wash = false;    // E8: a wash is one pass over the picture, which drives no black pixel
};

class NaiveDriver {
 public:
  // `front` is the framebuffer (4 bits a pixel) that the caller draws into; both outlive the driver.
  NaiveDriver(Size size, const uint8_t* front, Panel& panel, const HighLevelHabits& habits);

  // Brings the panel from any picture to this one.
  DrawErrors start();
  // Cleans the whole panel and shows the picture.
  DrawErrors wash();
  // Shows what changed within `area`.
  DrawErrors update(const Rect& area, Waveform waveform = Waveform::du);

 private:
  uint8_t front(int x, int y) const;
  // The difference of the area, and which rows are dirty.
  void compare(const Rect& area);
  // The back buffer follows.
  void remember(const Rect& area);
  DrawErrors drive(Waveform waveform, bool all_rows);

  Size size_;
  const uint8_t* front_;
  Panel& panel_;
  HighLevelHabits habits_;
  std::vector<uint8_t> back_;        // one byte a pixel, 0 … 15: what the panel is believed to show
  std::vector<uint8_t> difference_;  // (to << 4) | from
  std::vector<uint8_t> dirty_;       // one flag a row
};

}  // namespace inktop
