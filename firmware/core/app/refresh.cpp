// From a decision to the panel and back.
#include "app/app.h"

namespace inktop {
namespace {

// As often as one server sends a line.
constexpr int64_t kLook_ms = 1'000;

}  // namespace

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

// The server's time goes on without its lines.
bool App::quiet_now(int64_t now_ms) const {
  const Server& server = servers_[main_place()];
  const int32_t told_s = server.data_second();
  return told_s >= 0 && settings_.quiet.at(int32_t((told_s + (now_ms - server.data_ms()) / 1000) % kDay_s));
}

// A hash of what is shown at once in quiet hours too: alarms, events, another screen, the loss of the link;
// and that the hours have begun, so that nobody wonders about a clock that stands still.
uint64_t App::urgent_state(int64_t now_ms, bool quiet) const {
  Key key;
  key.add_byte(quiet ? 1 : 0).add_byte(uint8_t(screen()));
  for (int place = 0; place < kMaxServers; ++place) {
    if (!showing_.is_present(place) && place > 0) continue;
    const Server& server = servers_[place];
    key.add_byte(server.age(now_ms).freshness == Freshness::lost ? 1 : 0);
    const Alarms& alarms = server.machine().alarms();
    for (int i = 0; i < alarms.count(); ++i) {
      key.add_byte(uint8_t(alarms.list()[i].kind)).add_byte(alarms.list()[i].gpu);
    }
    key.add(uint64_t(server.machine().events().count()));
  }
  return key.value();
}

// A hash of how old the data of each server is, as far as that is shown.
uint64_t App::ages(int64_t now_ms) const {
  Key key;
  for (const Server& server : servers_) {
    const DataAge age = server.age(now_ms);
    key.add_byte(uint8_t(age.freshness)).add(uint64_t{age.shown_s});
  }
  return key.value();
}

Quiet App::quiet_rule(int64_t now_ms, bool quiet) const {
  Quiet rule;
  if (!quiet) return rule;
  rule.interval_ms = settings_.quiet.interval_min * 60'000;
  rule.urgent = pressed_ || urgent_state(now_ms, quiet) != drawn_urgent_;
  return rule;
}

// When it is a refresh, the picture has been drawn.
Refresh App::decide(int64_t now_ms) {
  look_at_servers(now_ms);
  showing_.step(now_ms);
  if (ages(now_ms) != drawn_ages_ || showing_.shown() != drawn_shown_) stale_ = true;
  if (status_wanted_ && now_ms >= counters_due_ms_) stale_ = true;
  const bool quiet = quiet_now(now_ms);
  const Refresh refresh =
      policy_.decide(now_ms, stale_ || !pending_.empty(), hot_spots_.hottest(), quiet_rule(now_ms, quiet));
  if (refresh.kind == RefreshKind::nothing) return refresh;
  if (refresh.kind == RefreshKind::update && now_ms < same_until_ms_ && !pressed_) {
    return {RefreshKind::nothing, RefreshReason::too_soon};
  }
  draw(now_ms, quiet);
  if (refresh.kind != RefreshKind::update) return refresh;
  difference_ = frames_.update(pending_, &hot_spots_);
  if (difference_.row_count > 0) return refresh;
  pending_.clear();
  // Several servers send several lines a second: one look at all of them is enough.
  if (showing_.count() > 1) same_until_ms_ = now_ms + kLook_ms;
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
