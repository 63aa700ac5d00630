// A model of the panel for a PC: each pixel moves by the pulses that it really gets, from where it really is.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry.h"
#include "panel/panel.h"

namespace inktop {

// The waveforms as this panel's driver plays them: GC16 drives white → white as 15 dark and 15 light pulses,
// black → black not at all; DU is 5 pulses and nothing where from == to. How much ghosting a flip leaves is a
// plausible guess for the eye, not a measurement.
class PanelModel : public Panel {
 public:
  static constexpr int kDuPhases = 5;
  static constexpr int kGc16Phases = 30;

  // The panel begins in an unknown state: an old picture, greys and ghosts, the same for the same seed.
  explicit PanelModel(Size size, uint32_t seed = 1);

  DrawErrors drive(Waveform waveform, const Difference& difference) override;

  // After `drives` more calls, one ends with `errors`: the feed stops in its phase `phase`, at `row`; what
  // comes after that gets no pulse.
  void fail(int drives, DrawErrors errors, int phase, int row = 0);

  Size size() const { return size_; }
  // What the panel looks like, 0 ink … 255 paper a pixel, with ghosting; width x height bytes.
  void levels(uint8_t* out) const;
  // The nearest of black and white, one bit a pixel (1 white), the left pixel in the highest bit, rows filled
  // up to whole bytes: as PNG and PBM have it.
  void black_white(uint8_t* out) const;
  bool is_black(int x, int y) const { return level_[index(x, y)] < kFull / 2; }
  // 0 black … 15 white, as near as the pixel is.
  int level(int x, int y) const { return (level_[index(x, y)] * 15 + kFull / 2) / kFull; }
  // 0 none … kMostGhost.
  int ghost(int x, int y) const { return ghost_[index(x, y)]; }
  // Dark minus light pulses since the start. On the S3 all pulses are equally long. Updates, and washes of
  // the picture that is shown, are balanced; a pixel that changed with the wash itself would go one way by
  // 5 pulses and back by 15, so what has changed goes before the wash, as an update.
  int charge(int x, int y) const { return charge_[index(x, y)]; }
  // How often DU drove the pixel since it was last cleaned by a GC16 pass over all rows.
  int flips(int x, int y) const { return flips_[index(x, y)]; }

  struct Counters {
    uint64_t updates = 0;      // DU drives
    uint64_t full_passes = 0;  // GC16 drives of all rows: two a wash
    uint64_t failures = 0;
    uint64_t rows = 0;     // driven by updates
    uint64_t flipped = 0;  // pixels driven by updates
  };
  const Counters& counters() const { return counters_; }
  // Of all pixels since the last pass over all rows.
  int most_flips() const;
  // The mean over all pixels, in thousandths.
  int64_t mean_flips_milli() const {
    return flips_since_pass_ * 1000 / (int64_t(size_.width) * size_.height);
  }

  // What updates are charged to: a pixel belongs to the last rectangle that contains it. Clears the counts.
  void set_elements(const std::vector<Rect>& elements);
  // Pixels flipped by updates in that element since set_elements(); kOutside: in none of them.
  static constexpr int kOutside = 255;
  uint64_t element_flips(int element) const { return element_flips_[element]; }

 private:
  static constexpr int kFull = 60;  // the way from black to white: 15 pulses of GC16, 5 of DU
  static constexpr int kMostGhost = 48;

  struct Pulses {
    int dark = 0;
    int light = 0;
  };
  static Pulses gc16_pulses(int to, int from, int phases);

  int index(int x, int y) const { return y * size_.width + x; }
  void drive_row(Waveform waveform, const uint8_t* pixels, int row, int phases);

  Size size_;
  std::vector<uint8_t> level_;  // 0 black … kFull white
  std::vector<uint8_t> ghost_;
  std::vector<int16_t> charge_;
  std::vector<uint16_t> flips_;
  std::vector<uint8_t> owner_;
  std::vector<uint64_t> element_flips_;
  Counters counters_;
  int64_t flips_since_pass_ = 0;
  int fail_after_ = -1;
  DrawErrors fail_errors_ = kDrawOk;
  int fail_phase_ = 0;
  int fail_row_ = 0;
};

}  // namespace inktop
