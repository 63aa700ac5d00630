// A panel that hangs upside down: every difference is turned by 180 degrees. By 90 degrees the canvas turns
// the picture (picture/canvas.h); by 270 it is both.
#pragma once

#include <cstdint>

#include "panel/panel.h"

namespace inktop {

// Turns the difference in place, so that no second 2 MB buffer is needed: the frame store writes every dirty
// row again before each refresh. `pixels` is that buffer, `dirty` size.height flags.
class RotatedPanel : public Panel {
 public:
  RotatedPanel(Panel& panel, uint8_t* pixels, bool* dirty) : panel_(panel), pixels_(pixels), dirty_(dirty) {}

  DrawErrors drive(Waveform waveform, const Difference& difference) override;

 private:
  Panel& panel_;
  uint8_t* pixels_;
  bool* dirty_;
};

}  // namespace inktop
