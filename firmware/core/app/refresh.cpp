// From a decision to the panel and back.
#include "app/app.h"

namespace inktop {

Refreshed App::refresh(Panel& panel, TimeSource& time) {
  const int64_t now_ms = time.now_ms();
  const Refresh refresh = decide(now_ms);
  if (refresh.kind == RefreshKind::nothing) {
    Refreshed nothing;
    nothing.refresh = refresh;
    return nothing;
  }
  const bool is_update = refresh.kind == RefreshKind::update;
  last_.refresh = refresh;
  last_.rows = is_update ? frames_.dirty_rows() : size_.height;
  last_.flips = is_update ? frames_.flips() : 0;
  last_.started_ms = now_ms;
  last_.errors = drive(panel);
  last_.ended_ms = time.now_ms();
  account();
  return last_;
}

// When it is a refresh, the picture has been drawn.
Refresh App::decide(int64_t now_ms) {
  if (!(server_.age(now_ms) == drawn_age_)) stale_ = true;
  if (status_wanted_ && now_ms >= counters_due_ms_) stale_ = true;
  const Refresh refresh = policy_.decide(now_ms, stale_ || !pending_.empty(), hot_spots_.hottest());
  if (refresh.kind == RefreshKind::nothing) return refresh;
  draw(now_ms);
  if (refresh.kind != RefreshKind::update) return refresh;
  difference_ = frames_.update(pending_, &hot_spots_);
  if (difference_.row_count > 0) return refresh;
  pending_.clear();
  return {RefreshKind::nothing, RefreshReason::nothing_changed};
}

// The only place that drives the panel.
DrawErrors App::drive(Panel& panel) {
  const auto pass = [&](Waveform waveform, const Difference& difference) {
    const DrawErrors errors = panel.drive(waveform, difference);
    if (errors == kDrawOk) frames_.driven();
    return errors;
  };
  DrawErrors errors = kDrawOk;
  switch (last_.refresh.kind) {
    case RefreshKind::nothing:
      return kDrawOk;
    case RefreshKind::update:
      return pass(Waveform::du, difference_);
    case RefreshKind::clear_and_wash:
      errors = pass(Waveform::gc16, frames_.clear());
      if (errors != kDrawOk) return errors;
      break;
    case RefreshKind::wash:
      // What has changed goes first, as an update: black by 5 pulses and white by a wash's 15 would leave a
      // charge each time, a wash of what is shown leaves none.
      difference_ = frames_.update(pending_);
      if (difference_.row_count > 0) errors = pass(Waveform::du, difference_);
      if (errors != kDrawOk) return errors;
      break;
  }
  errors = pass(Waveform::gc16, frames_.wash_to_white());
  if (errors != kDrawOk) return errors;
  return pass(Waveform::gc16, frames_.wash_to_picture());
}

void App::account() {
  policy_.refreshed(last_.refresh.kind, last_.errors, last_.started_ms, last_.ended_ms);
  if (last_.errors != kDrawOk) {
    for (int kind = 0; kind < kDrawErrorKinds; ++kind) {
      if (last_.errors & draw_error_bit(kind)) ++errors_[kind];
    }
    return;
  }
  pending_.clear();
  if (last_.refresh.kind == RefreshKind::update) {
    ++updates_;
  } else {
    ++washes_;
    hot_spots_.clear();
  }
}

}  // namespace inktop
