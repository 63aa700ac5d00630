// Decides whether to refresh the panel now, how, and why. It does no I/O: time and facts are handed in.
#pragma once

#include <cstdint>

#include "panel/panel.h"

namespace inktop {

enum class RefreshKind : uint8_t {
  nothing,
  clear_and_wash,  // GC16 black → white, then a wash: the panel's state is unknown
  wash,            // what changed as an update, then GC16 to white, GC16 to the picture, all rows
  update,          // DU, changed rows only
};

enum class RefreshReason : uint8_t {
  first_frame,       // nothing has been shown since the start
  after_fault,       // the last refresh failed: what the panel shows is unknown
  button,            // someone asked for a wash
  interval_reached,  // wash_interval updates since the last wash
  hot_spot,          // one region was flipped very often since the last wash
  turned,            // several servers' whole pictures took turns since the last wash
  content_changed,   // a shown pixel changed
  nothing_changed,
  too_soon,       // changed, but update_interval_ms has not passed: it will be in the next update
  backing_off,    // a fault, and its retry is not due yet
  panel_stopped,  // the panel's supply failed three times in a row: a button press tries again
};

const char* refresh_kind_name(RefreshKind kind);
const char* refresh_reason_name(RefreshReason reason);

struct Refresh {
  RefreshKind kind = RefreshKind::nothing;
  RefreshReason why = RefreshReason::nothing_changed;
};

struct RefreshSettings {
  // Least time between the beginnings of two updates, ms. A visible change takes 0.5–1 s on this panel.
  int32_t update_interval_ms = 2000;
  // Updates between two washes: about an hour of changes. The reference panel is fine with this; others
  // need a wash far sooner.
  int32_t wash_interval = 1800;
  // Flips per pixel, averaged over the most flipped region, that bring the wash forward; 0: never. Twice what
  // the busiest region of the loaded samples, drawn for an hour, comes to (136 in 1771 updates): no normal
  // hour is cut short, and a region that blinks with every update is washed after ten minutes.
  int32_t hot_spot_flips = 300;
  // Turns between two washes, where several servers take turns on the whole screen: a turn flips as much as a
  // page of a book, and readers wash after some pages; at the usual 30 s it is one in ten minutes.
  int32_t wash_turns = 20;
};

// Of the moment: whether quiet hours are on, and what is to be shown cannot wait.
struct Quiet {
  int32_t interval_ms = 0;  // least time between two updates; 0: no quiet hours
  bool urgent = false;
};

class RefreshPolicy {
 public:
  // Power-on failures in a row after which the panel is left alone.
  static constexpr int kPowerFailuresToStop = 3;
  static constexpr int32_t kFirstRetry_ms = 5'000;
  static constexpr int32_t kLongestRetry_ms = 300'000;

  // `power_failures`: how many starts in a row ended in an endless power-on (the device
  // keeps this over resets).
  explicit RefreshPolicy(const RefreshSettings& settings, int power_failures = 0);

  // What to do at `now_ms`, given whether a shown pixel changed and how often the hottest region was flipped.
  Refresh decide(int64_t now_ms, bool changed, int32_t hottest_flips, Quiet quiet = Quiet()) const;
  // What the panel answered to the refresh that was decided; it began at `started_ms` and ended at `now_ms`.
  void refreshed(RefreshKind kind, DrawErrors errors, int64_t started_ms, int64_t now_ms);
  // A wash as soon as possible, because a person is waiting. Starts a stopped panel again;
  // does not wait for a retry.
  void request_wash();
  // The picture has become another server's, which is an update like any other.
  void turned() { ++turns_since_wash_; }

  void set(const RefreshSettings& settings) { settings_ = settings; }
  const RefreshSettings& settings() const { return settings_; }
  bool stopped() const { return power_failures_ >= kPowerFailuresToStop; }
  // Whether the panel is known to show what the back buffer says.
  bool panel_known() const { return known_; }
  int32_t updates_since_wash() const { return updates_since_wash_; }

 private:
  bool update_due(int64_t now_ms, int32_t interval_ms) const {
    return now_ms - last_start_ms_ >= interval_ms;
  }

  RefreshSettings settings_;
  bool known_ = false;  // false: first frame, or after a fault
  bool failed_ = false;
  bool wash_wanted_ = false;
  int power_failures_;
  int32_t failures_ = 0;  // in a row
  int32_t updates_since_wash_ = 0;
  int32_t turns_since_wash_ = 0;
  int64_t last_start_ms_ = INT64_MIN / 2;
  int64_t retry_at_ms_ = INT64_MIN / 2;
};

}  // namespace inktop
