#include "naive_driver.h"

#include <cstddef>

namespace inktop {

namespace {

constexpr uint8_t kWhite = 15;

}  // namespace

NaiveDriver::NaiveDriver(Size size, const uint8_t* front, Panel& panel, const HighLevelHabits& habits)
    : size_(size),
      front_(front),
      panel_(panel),
      habits_(habits),
      back_(static_cast<std::size_t>(size.width) * size.height, kWhite),
      difference_(back_.size(), 0xFF),
      dirty_(size.height, 0) {}

uint8_t NaiveDriver::front(int x, int y) const {
  const uint8_t pair = front_[(static_cast<std::size_t>(y) * size_.width + x) / 2];
  return (x & 1) != 0 ? pair >> 4 : pair & 15;
}

void NaiveDriver::compare(const Rect& area) {
  for (int y = 0; y < size_.height; ++y) {
    const bool inside = y >= area.y && y < area.bottom();
    if (!inside) {
      if (!habits_.stale_rows) dirty_[y] = 0;
      continue;
    }
    uint8_t* const difference = &difference_[static_cast<std::size_t>(y) * size_.width];
    const uint8_t* const back = &back_[static_cast<std::size_t>(y) * size_.width];
    dirty_[y] = 0;
    for (int x = 0; x < size_.width; ++x) {
      if (x < area.x || x >= area.right()) {
        if (!habits_.stale_columns) difference[x] = back[x] << 4 | back[x];
        continue;
      }
      difference[x] = front(x, y) << 4 | back[x];
      if (front(x, y) != back[x]) dirty_[y] = 1;
    }
  }
}

void NaiveDriver::remember(const Rect& area) {
  for (int y = 0; y < size_.height; ++y) {
    const bool inside = y >= area.y && y < area.bottom();
    // What was driven counts as shown, whole rows of it, whether their difference was a new one or not.
    if (dirty_[y] == 0 || (!inside && !habits_.stale_rows)) continue;
    for (int x = 0; x < size_.width; ++x) {
      if (!inside || habits_.stale_columns || (x >= area.x && x < area.right())) {
        back_[static_cast<std::size_t>(y) * size_.width + x] = front(x, y);
      }
    }
  }
}

DrawErrors NaiveDriver::drive(Waveform waveform, bool all_rows) {
  static_assert(sizeof(bool) == 1, "the flags are handed over as they lie");
  const auto* flags = reinterpret_cast<const bool*>(dirty_.data());
  return panel_.drive(waveform, {difference_.data(), size_, all_rows ? nullptr : flags, 0, size_.height});
}

DrawErrors NaiveDriver::start() {
  if (habits_.assumes_white) return update({0, 0, size_.width, size_.height}, Waveform::gc16);
  for (auto& pixel : difference_) pixel = kWhite << 4;
  const DrawErrors errors = drive(Waveform::gc16, true);
  for (auto& pixel : back_) pixel = kWhite;
  return errors != kDrawOk && !habits_.silent_errors ? errors : wash();
}

DrawErrors NaiveDriver::wash() {
  const Rect all{0, 0, size_.width, size_.height};
  if (!habits_.one_pass_wash && !habits_.wash_skips_rows) {
    for (std::size_t i = 0; i < back_.size(); ++i) difference_[i] = kWhite << 4 | back_[i];
    const DrawErrors errors = drive(Waveform::gc16, true);
    if (errors != kDrawOk && !habits_.silent_errors) return errors;
    for (auto& pixel : back_) pixel = kWhite;
  }
  compare(all);
  const DrawErrors errors = drive(Waveform::gc16, !habits_.wash_skips_rows);
  if (errors == kDrawOk || habits_.silent_errors) {
    for (auto& flag : dirty_) flag = 1;
    remember(all);
  }
  return errors;
}

DrawErrors NaiveDriver::update(const Rect& area, Waveform waveform) {
  compare(intersection(area, {0, 0, size_.width, size_.height}));
  bool any = false;
  for (const auto flag : dirty_) any = any || flag != 0;
  if (!any) return kDrawOk;
  const DrawErrors errors = drive(waveform, false);
  if (errors == kDrawOk || habits_.silent_errors) remember(area);
  return errors;
}

}  // namespace inktop
