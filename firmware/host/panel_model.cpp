#include "panel_model.h"

#include <algorithm>

namespace inktop {
namespace {

constexpr int kGc16Step = 4;  // of kFull, a pulse
constexpr int kDuStep = 12;   // five of them do what fifteen of GC16's do, at a third of the charge
constexpr int kGhostPerFlip = 3;

}  // namespace

PanelModel::PanelModel(Size size, uint32_t seed)
    : size_(size),
      level_(size_t(size.width) * size.height),
      ghost_(level_.size()),
      charge_(level_.size(), 0),
      flips_(level_.size(), 0),
      owner_(level_.size(), kOutside),
      element_flips_(kOutside + 1, 0) {
  uint32_t random = seed * 2654435761u + 1;
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      random = random * 1664525u + 1013904223u;
      // Blocks of an old picture, some of them grey, with noise.
      const uint32_t block = uint32_t(x / 48 * 31 + y / 20 * 17 + int(seed)) * 2246822519u >> 29;
      const int base = block < 3 ? kFull : block < 5 ? 0 : kFull / 2;
      level_[index(x, y)] = uint8_t(std::clamp(base + int(random >> 28) - 8, 0, kFull));
      ghost_[index(x, y)] = uint8_t(random >> 20 & 15);
    }
  }
}

void PanelModel::fail(int drives, DrawErrors errors, int phase, int row) {
  fail_after_ = drives;
  fail_errors_ = errors;
  fail_phase_ = phase;
  fail_row_ = row;
}

PanelModel::Pulses PanelModel::gc16_pulses(int to, int from, int phases) {
  constexpr int kHalf = kGc16Phases / 2;  // dark pulses come in the first half, light ones in the second
  Pulses pulses;
  if (to == from) {
    pulses = {to, to};  // down to black and up again: black itself gets nothing
  } else if (to < from) {
    pulses.dark = from - to;
  } else {
    pulses.light = to - from;
  }
  pulses.dark = std::min(pulses.dark, phases);
  pulses.light = std::clamp(phases - kHalf, 0, pulses.light);
  return pulses;
}

void PanelModel::drive_row(Waveform waveform, const uint8_t* pixels, int row, int phases) {
  for (int x = 0; x < size_.width; ++x) {
    const int to = pixels[x] >> 4;
    const int from = pixels[x] & 15;
    const int at = index(x, row);
    int level = level_[at];
    if (waveform == Waveform::du) {
      if (to == from || (to != 0 && to != 15)) continue;
      const int pulses = std::min(phases, kDuPhases);
      level_[at] = uint8_t(std::clamp(level + (to == 0 ? -1 : 1) * pulses * kDuStep, 0, kFull));
      charge_[at] = int16_t(charge_[at] + (to == 0 ? 1 : -1) * pulses);
      ghost_[at] = uint8_t(std::min(ghost_[at] + kGhostPerFlip, kMostGhost));
      if (flips_[at] < UINT16_MAX) ++flips_[at];
      ++flips_since_pass_;
      ++counters_.flipped;
      ++element_flips_[owner_[at]];
      continue;
    }
    const Pulses pulses = gc16_pulses(to, from, phases);
    if (pulses.dark + pulses.light == 0) continue;
    level = std::max(0, level - pulses.dark * kGc16Step);
    level_[at] = uint8_t(std::min(kFull, level + pulses.light * kGc16Step));
    charge_[at] = int16_t(charge_[at] + pulses.dark - pulses.light);
    // A full stroke cleans the pixel.
    if (pulses.dark >= 15 || pulses.light >= 15) ghost_[at] = 0;
  }
}

DrawErrors PanelModel::drive(Waveform waveform, const Difference& difference) {
  const bool fails = fail_after_ == 0;
  if (fail_after_ >= 0) --fail_after_;
  const bool all_rows = difference.dirty_rows == nullptr;
  for (int row = 0; row < size_.height; ++row) {
    if (!all_rows && !difference.dirty_rows[row]) continue;
    if (waveform == Waveform::du) ++counters_.rows;
    const int phases = !fails ? kGc16Phases : row < fail_row_ ? fail_phase_ + 1 : fail_phase_;
    drive_row(waveform, difference.pixels + size_t(row) * difference.size.width, row, phases);
  }
  if (fails) {
    ++counters_.failures;
    return fail_errors_;
  }
  if (waveform == Waveform::du) {
    ++counters_.updates;
  } else if (all_rows) {
    ++counters_.full_passes;
    std::fill(flips_.begin(), flips_.end(), uint16_t(0));
    flips_since_pass_ = 0;
  }
  return kDrawOk;
}

void PanelModel::levels(uint8_t* out) const {
  for (size_t i = 0; i < level_.size(); ++i) {
    // A ghost pulls each pixel a little towards what it is not.
    const int grey = level_[i] * 255 / kFull;
    out[i] = uint8_t(grey + (grey < 128 ? ghost_[i] : -ghost_[i]));
  }
}

void PanelModel::black_white(uint8_t* out) const {
  const int stride = (size_.width + 7) / 8;
  std::fill(out, out + size_t(stride) * size_.height, uint8_t(0));
  for (int y = 0; y < size_.height; ++y) {
    for (int x = 0; x < size_.width; ++x) {
      if (!is_black(x, y)) out[y * stride + x / 8] |= uint8_t(0x80 >> (x % 8));
    }
  }
}

int PanelModel::most_flips() const {
  return *std::max_element(flips_.begin(), flips_.end());
}

void PanelModel::set_elements(const std::vector<Rect>& elements) {
  std::fill(element_flips_.begin(), element_flips_.end(), 0);
  std::fill(owner_.begin(), owner_.end(), uint8_t(kOutside));
  const Rect panel{0, 0, size_.width, size_.height};
  for (size_t i = 0; i < elements.size() && i < kOutside; ++i) {
    const Rect rect = intersection(elements[i], panel);
    for (int y = rect.y; y < rect.bottom(); ++y) {
      const auto row = owner_.begin() + index(0, y);
      std::fill(row + rect.x, row + rect.right(), uint8_t(i));
    }
  }
}

}  // namespace inktop
