// A panel with the time that a real one takes, for programs whose time is simulated.
#pragma once

#include <cstdint>

#include "app/app.h"
#include "panel_model.h"

namespace inktop {

// Hands each drive on and lets its time pass.
class TimedPanel : public Panel, public TimeSource {
 public:
  // A scan of all rows, at the reference board's pixel clock.
  static constexpr int kScan_ms = 33;

  explicit TimedPanel(Panel& panel) : panel_(panel) {}

  void set_now(int64_t now_ms) { now_ms_ = now_ms; }
  int64_t now_ms() override { return now_ms_; }

  DrawErrors drive(Waveform waveform, const Difference& difference) override {
    const int phases = waveform == Waveform::du ? PanelModel::kDuPhases : PanelModel::kGc16Phases;
    now_ms_ += phases * kScan_ms;
    return panel_.drive(waveform, difference);
  }

 private:
  Panel& panel_;
  int64_t now_ms_ = 0;
};

}  // namespace inktop
