#include "panel/refresh_policy.h"

namespace inktop {

const char* refresh_kind_name(RefreshKind kind) {
  switch (kind) {
    case RefreshKind::nothing:
      return "nothing";
    case RefreshKind::clear_and_wash:
      return "clear_and_wash";
    case RefreshKind::wash:
      return "wash";
    case RefreshKind::update:
      return "update";
  }
  return "?";
}

const char* refresh_reason_name(RefreshReason reason) {
  switch (reason) {
    case RefreshReason::first_frame:
      return "first_frame";
    case RefreshReason::after_fault:
      return "after_fault";
    case RefreshReason::button:
      return "button";
    case RefreshReason::interval_reached:
      return "interval_reached";
    case RefreshReason::hot_spot:
      return "hot_spot";
    case RefreshReason::turned:
      return "turned";
    case RefreshReason::content_changed:
      return "content_changed";
    case RefreshReason::nothing_changed:
      return "nothing_changed";
    case RefreshReason::too_soon:
      return "too_soon";
    case RefreshReason::backing_off:
      return "backing_off";
    case RefreshReason::panel_stopped:
      return "panel_stopped";
  }
  return "?";
}

RefreshPolicy::RefreshPolicy(const RefreshSettings& settings, int power_failures)
    : settings_(settings), power_failures_(power_failures) {}

Refresh RefreshPolicy::decide(int64_t now_ms, bool changed, int32_t hottest_flips, Quiet quiet) const {
  if (stopped()) return {RefreshKind::nothing, RefreshReason::panel_stopped};
  if (!known_) {
    if (now_ms < retry_at_ms_) return {RefreshKind::nothing, RefreshReason::backing_off};
    return {RefreshKind::clear_and_wash, failed_ ? RefreshReason::after_fault : RefreshReason::first_frame};
  }
  if (wash_wanted_) return {RefreshKind::wash, RefreshReason::button};
  const bool is_quiet = quiet.interval_ms > 0;
  // A wash flashes: nobody is to be woken by one that nobody asked for.
  if (!is_quiet && update_due(now_ms, settings_.update_interval_ms)) {
    if (updates_since_wash_ > 0 && updates_since_wash_ >= settings_.wash_interval)
      return {RefreshKind::wash, RefreshReason::interval_reached};
    if (settings_.hot_spot_flips > 0 && hottest_flips >= settings_.hot_spot_flips) {
      return {RefreshKind::wash, RefreshReason::hot_spot};
    }
    if (turns_since_wash_ >= settings_.wash_turns) return {RefreshKind::wash, RefreshReason::turned};
  }
  if (!changed) return {RefreshKind::nothing, RefreshReason::nothing_changed};
  const bool waits = is_quiet && !quiet.urgent && quiet.interval_ms > settings_.update_interval_ms;
  if (!update_due(now_ms, waits ? quiet.interval_ms : settings_.update_interval_ms)) {
    return {RefreshKind::nothing, RefreshReason::too_soon};
  }
  return {RefreshKind::update, RefreshReason::content_changed};
}

void RefreshPolicy::refreshed(RefreshKind kind, DrawErrors errors, int64_t started_ms, int64_t now_ms) {
  if (kind == RefreshKind::nothing) return;
  last_start_ms_ = started_ms;
  if (errors != kDrawOk) {
    known_ = false;
    failed_ = true;
    power_failures_ = errors & kDrawPower ? power_failures_ + 1 : 0;
    int64_t wait_ms = kFirstRetry_ms;
    for (int32_t i = 0; i < failures_ && wait_ms < kLongestRetry_ms; ++i) wait_ms *= 2;
    if (failures_ < INT32_MAX) ++failures_;
    retry_at_ms_ = now_ms + (wait_ms < kLongestRetry_ms ? wait_ms : kLongestRetry_ms);
    return;
  }
  known_ = true;
  failed_ = false;
  failures_ = 0;
  power_failures_ = 0;
  if (kind == RefreshKind::update) {
    ++updates_since_wash_;
  } else {
    updates_since_wash_ = 0;
    turns_since_wash_ = 0;
    wash_wanted_ = false;
  }
}

void RefreshPolicy::request_wash() {
  wash_wanted_ = true;
  retry_at_ms_ = INT64_MIN / 2;
  if (stopped()) power_failures_ = 0;
}

}  // namespace inktop
