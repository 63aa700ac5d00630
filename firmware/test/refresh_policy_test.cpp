#include "panel/refresh_policy.h"

#include <doctest/doctest.h>

#include "panel/hot_spots.h"
#include "panel/quiet_hours.h"

namespace inktop {
namespace {

constexpr int64_t kSecond = 1000;

// Decides and carries out at once; the panel answers `errors`.
Refresh step(RefreshPolicy& policy, int64_t now, bool changed, DrawErrors errors = kDrawOk,
             int32_t hottest = 0) {
  const Refresh refresh = policy.decide(now, changed, hottest);
  policy.refreshed(refresh.kind, errors, now, now);
  return refresh;
}

void check(Refresh refresh, RefreshKind kind, RefreshReason why) {
  CHECK(refresh_kind_name(refresh.kind) == refresh_kind_name(kind));
  CHECK(refresh_reason_name(refresh.why) == refresh_reason_name(why));
}

TEST_CASE("the first frame clears and washes, whatever was on the panel") {
  RefreshPolicy policy({});
  check(step(policy, 0, false), RefreshKind::clear_and_wash, RefreshReason::first_frame);
  check(step(policy, 1, false), RefreshKind::nothing, RefreshReason::nothing_changed);
}

TEST_CASE("nothing sets the first frame again: after it only updates come, for an hour (C1)") {
  RefreshPolicy policy({});
  int64_t now = 0;
  step(policy, now, true);
  for (int i = 0; i < 1800; ++i) {
    now += 2 * kSecond;
    check(step(policy, now, true), RefreshKind::update, RefreshReason::content_changed);
  }
  check(step(policy, now + 2 * kSecond, true), RefreshKind::wash, RefreshReason::interval_reached);
  check(step(policy, now + 4 * kSecond, true), RefreshKind::update, RefreshReason::content_changed);
}

TEST_CASE("changes coalesce: at most one update in 2 s, and none when nothing changed (A6)") {
  RefreshPolicy policy({});
  step(policy, 0, true);
  int updates = 0;
  for (int64_t now = 100; now <= 60 * kSecond; now += 100) {
    if (step(policy, now, true).kind == RefreshKind::update) ++updates;
  }
  CHECK(updates == 30);
  check(policy.decide(61 * kSecond, true, 0), RefreshKind::nothing, RefreshReason::too_soon);
  check(policy.decide(600 * kSecond, false, 0), RefreshKind::nothing, RefreshReason::nothing_changed);
}

TEST_CASE("any failed refresh is followed by clear and wash, and repeated ones back off") {
  RefreshPolicy policy({});
  step(policy, 0, true);
  check(step(policy, 10 * kSecond, true, kDrawLineQueue), RefreshKind::update,
        RefreshReason::content_changed);
  check(policy.decide(11 * kSecond, true, 0), RefreshKind::nothing, RefreshReason::backing_off);
  int64_t now = 15 * kSecond;
  int64_t wait = 10 * kSecond;
  for (int i = 0; i < 12; ++i) {
    check(step(policy, now, false, kDrawLineQueue), RefreshKind::clear_and_wash, RefreshReason::after_fault);
    check(policy.decide(now + wait - 1, false, 0), RefreshKind::nothing, RefreshReason::backing_off);
    now += wait;
    wait = wait * 2 < 300 * kSecond ? wait * 2 : 300 * kSecond;
  }
  check(step(policy, now, false), RefreshKind::clear_and_wash, RefreshReason::after_fault);
  check(step(policy, now + 2 * kSecond, true), RefreshKind::update, RefreshReason::content_changed);
}

TEST_CASE("three power-on failures in a row stop the driving until a button is pressed") {
  RefreshPolicy policy({});
  int64_t now = 0;
  for (int i = 0; i < 3; ++i) {
    CHECK(step(policy, now, true, kDrawPower).kind == RefreshKind::clear_and_wash);
    now += 300 * kSecond;
  }
  check(policy.decide(now, true, 0), RefreshKind::nothing, RefreshReason::panel_stopped);
  check(policy.decide(now + 86400 * kSecond, true, 0), RefreshKind::nothing, RefreshReason::panel_stopped);
  policy.request_wash();
  check(step(policy, now, true), RefreshKind::clear_and_wash, RefreshReason::after_fault);
}

TEST_CASE("power-on failures before a reset count too") {
  RefreshPolicy policy({}, 3);
  check(policy.decide(0, true, 0), RefreshKind::nothing, RefreshReason::panel_stopped);
}

TEST_CASE("another fault between two power-on failures starts their count again") {
  RefreshPolicy policy({});
  const DrawErrors answers[] = {kDrawPower, kDrawPower, kDrawLineQueue, kDrawPower, kDrawPower};
  int64_t now = 0;
  for (const auto answer : answers) {
    step(policy, now, true, answer);
    now += 300 * kSecond;
  }
  CHECK_FALSE(policy.stopped());
}

TEST_CASE("a button washes at once, also when nothing changed, and only once") {
  RefreshPolicy policy({});
  step(policy, 0, true);
  policy.request_wash();
  check(step(policy, 100, false), RefreshKind::wash, RefreshReason::button);
  check(step(policy, 200, false), RefreshKind::nothing, RefreshReason::nothing_changed);
}

TEST_CASE("a region flipped very often brings the wash forward, and the setting can switch that off") {
  RefreshSettings settings;
  settings.hot_spot_flips = 100;
  RefreshPolicy policy(settings);
  step(policy, 0, true);
  check(policy.decide(10 * kSecond, true, 99), RefreshKind::update, RefreshReason::content_changed);
  check(policy.decide(10 * kSecond, true, 100), RefreshKind::wash, RefreshReason::hot_spot);
  settings.hot_spot_flips = 0;
  policy.set(settings);
  check(policy.decide(10 * kSecond, true, 1000), RefreshKind::update, RefreshReason::content_changed);
}

TEST_CASE("a button does not wait for a retry: a person is waiting") {
  RefreshPolicy policy({});
  int64_t now = 0;
  for (int i = 0; i < 8; ++i) {
    step(policy, now, true, kDrawLineQueue);
    now += 300 * kSecond;
  }
  step(policy, now, true, kDrawLineQueue);
  check(policy.decide(now + kSecond, true, 0), RefreshKind::nothing, RefreshReason::backing_off);
  policy.request_wash();
  check(step(policy, now + kSecond, true, kDrawLineQueue), RefreshKind::clear_and_wash,
        RefreshReason::after_fault);
  // That failed, too: the waiting goes on where it was.
  check(policy.decide(now + 299 * kSecond, true, 0), RefreshKind::nothing, RefreshReason::backing_off);
  check(step(policy, now + 302 * kSecond, true), RefreshKind::clear_and_wash, RefreshReason::after_fault);
  check(policy.decide(now + 304 * kSecond, false, 0), RefreshKind::nothing, RefreshReason::nothing_changed);
}

TEST_CASE("a wash that failed is done again, and then counts as the one that was asked for") {
  RefreshPolicy policy({});
  step(policy, 0, true);
  policy.request_wash();
  check(step(policy, 100, false, kDrawLineQueue), RefreshKind::wash, RefreshReason::button);
  check(step(policy, 10 * kSecond, false), RefreshKind::clear_and_wash, RefreshReason::after_fault);
  check(step(policy, 20 * kSecond, false), RefreshKind::nothing, RefreshReason::nothing_changed);
}

TEST_CASE("time beyond 2^31 ms is time like any other") {
  RefreshPolicy policy({});
  for (int64_t now = (int64_t(1) << 31) - 10 * kSecond; now < (int64_t(1) << 31) + 10 * kSecond; now += 2000)
    CHECK(step(policy, now, true).kind != RefreshKind::nothing);
}

TEST_CASE("by default a region that blinks with every update is washed long before the interval is over") {
  RefreshPolicy policy({});
  HotSpots hot_spots({1920, 1080});
  step(policy, 0, true);
  int updates = 0;
  for (int64_t now = 2 * kSecond;; now += 2 * kSecond) {
    const Refresh refresh = step(policy, now, true, kDrawOk, hot_spots.hottest());
    if (refresh.kind == RefreshKind::wash) {
      check(refresh, RefreshKind::wash, RefreshReason::hot_spot);
      break;
    }
    ++updates;
    for (int y = 60; y < 120; ++y) {
      for (int x = 60; x < 120; ++x) hot_spots.add(x, y, 1);
    }
  }
  CHECK(updates == 300);
}

TEST_CASE("a wash that somebody asked for waits for no update interval, however long that is") {
  RefreshSettings settings;
  settings.update_interval_ms = 60'000;
  RefreshPolicy policy(settings);
  step(policy, 0, true);
  check(policy.decide(59 * kSecond, true, 0), RefreshKind::nothing, RefreshReason::too_soon);
  policy.request_wash();
  check(step(policy, 59 * kSecond, true), RefreshKind::wash, RefreshReason::button);
  check(policy.decide(118 * kSecond, true, 0), RefreshKind::nothing, RefreshReason::too_soon);
  check(policy.decide(119 * kSecond, true, 0), RefreshKind::update, RefreshReason::content_changed);
}

TEST_CASE("in quiet hours an update waits for its interval, and what is urgent does not") {
  RefreshPolicy policy({});
  int64_t now = 0;
  step(policy, now, true);
  Quiet quiet;
  quiet.interval_ms = 15 * 60 * kSecond;
  now += 60 * kSecond;
  check(policy.decide(now, true, 0, quiet), RefreshKind::nothing, RefreshReason::too_soon);
  quiet.urgent = true;
  check(policy.decide(now, true, 0, quiet), RefreshKind::update, RefreshReason::content_changed);
  quiet.urgent = false;
  check(policy.decide(15 * 60 * kSecond - 1, true, 0, quiet), RefreshKind::nothing, RefreshReason::too_soon);
  check(policy.decide(15 * 60 * kSecond, true, 0, quiet), RefreshKind::update,
        RefreshReason::content_changed);
}

TEST_CASE("in quiet hours nothing washes by itself, and a button does") {
  RefreshPolicy policy({});
  int64_t now = 0;
  for (int i = 0; i <= 1800; ++i, now += 2 * kSecond) step(policy, now, true);
  Quiet quiet;
  quiet.interval_ms = 15 * 60 * kSecond;
  now += quiet.interval_ms;
  check(policy.decide(now, true, 100'000, quiet), RefreshKind::update, RefreshReason::content_changed);
  check(policy.decide(now, true, 0), RefreshKind::wash, RefreshReason::interval_reached);
  policy.request_wash();
  check(policy.decide(now, false, 0, quiet), RefreshKind::wash, RefreshReason::button);
}

TEST_CASE("quiet hours go over midnight, and from an hour to itself all day") {
  QuietHours hours;
  CHECK_FALSE(hours.at(0));
  hours = {22, 7, 15};
  CHECK(hours.at(22 * 3600));
  CHECK(hours.at(3 * 3600));
  CHECK_FALSE(hours.at(7 * 3600));
  CHECK_FALSE(hours.at(22 * 3600 - 1));
  CHECK_FALSE(hours.at(-1));
  hours = {9, 17, 5};
  CHECK(hours.at(12 * 3600));
  CHECK_FALSE(hours.at(17 * 3600));
  hours = {5, 5, 60};
  CHECK(hours.at(4 * 3600));
}

}  // namespace
}  // namespace inktop
