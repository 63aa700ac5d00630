// From a decision to the panel and back.
#include "app/app.h"

namespace inktop {

Refresh App::tick(int64_t now_ms) {
  const Age age = age_of_data(now_ms);
  if (age.freshness != drawn_age_.freshness || age.shown_s != drawn_age_.shown_s) stale_ = true;
  if (status_wanted_ && now_ms >= counters_due_ms_) stale_ = true;
  Refresh refresh = policy_.decide(now_ms, stale_ || !pending_.empty(), hot_spots_.hottest());
  if (refresh.kind == RefreshKind::nothing) return refresh;
  draw(now_ms);
  cost_ = {size_.height, 0};
  if (refresh.kind == RefreshKind::update) {
    difference_ = frames_.update(pending_, &hot_spots_);
    if (difference_.row_count == 0) {
      pending_.clear();
      return {RefreshKind::nothing, RefreshReason::nothing_changed};
    }
    cost_ = {frames_.dirty_rows(), frames_.flips()};
  }
  return refresh;
}

DrawErrors App::carry_out(const Refresh& refresh, Panel& panel) {
  const auto drive = [&](Waveform waveform, const Difference& difference) {
    const DrawErrors errors = panel.drive(waveform, difference);
    if (errors == kDrawOk) frames_.driven();
    return errors;
  };
  DrawErrors errors = kDrawOk;
  switch (refresh.kind) {
    case RefreshKind::nothing:
      return kDrawOk;
    case RefreshKind::update:
      return drive(Waveform::du, difference_);
    case RefreshKind::clear_and_wash:
      errors = drive(Waveform::gc16, frames_.clear());
      if (errors != kDrawOk) return errors;
      break;
    case RefreshKind::wash:
      // What has changed goes first, as an update: black by 5 pulses and white by a wash's 15 would leave a
      // charge each time, a wash of what is shown leaves none.
      difference_ = frames_.update(pending_);
      if (difference_.row_count > 0) errors = drive(Waveform::du, difference_);
      if (errors != kDrawOk) return errors;
      break;
  }
  errors = drive(Waveform::gc16, frames_.wash_to_white());
  if (errors != kDrawOk) return errors;
  return drive(Waveform::gc16, frames_.wash_to_picture());
}

void App::refreshed(const Refresh& refresh, DrawErrors errors, int64_t started_ms, int64_t now_ms) {
  if (refresh.kind == RefreshKind::nothing) return;
  policy_.refreshed(refresh.kind, errors, started_ms, now_ms);
  refresh_ms_ = now_ms - started_ms;
  if (errors != kDrawOk) {
    for (int kind = 0; kind < kDrawErrorKinds; ++kind) {
      if (errors & draw_error_bit(kind)) ++errors_[kind];
    }
    return;
  }
  pending_.clear();
  if (refresh.kind == RefreshKind::update) {
    ++updates_;
  } else {
    ++washes_;
    hot_spots_.clear();
  }
}

}  // namespace inktop
