#include "panel/power_guard.h"

#include <doctest/doctest.h>

#include "panel/refresh_policy.h"

namespace inktop {
namespace {

constexpr PowerGuard::Busy kSupply = PowerGuard::Busy::supply;
constexpr PowerGuard::Busy kRefresh = PowerGuard::Busy::refresh;

// The start after one that ended like this.
PowerGuard next(PowerRecord& record, Ended ended) {
  return PowerGuard(record, false, ended);
}

TEST_CASE("Power guard: memory that holds anything after power was off counts as no failure") {
  PowerRecord record{0xDEADBEEF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF};
  CHECK(next(record, Ended::silent).failures() == 0);
  record = {0xDEADBEEF, 1, 7, 1};
  CHECK(PowerGuard(record, true, Ended::other).failures() == 0);
}

TEST_CASE(
    "Power guard: resets while the supply is switched are counted in a row, and what worked ends the row") {
  PowerRecord record{};
  PowerGuard(record, true, Ended::other).begins(kSupply);
  for (int reset = 1; reset <= RefreshPolicy::kPowerFailuresToStop; ++reset) {
    PowerGuard guard = next(record, Ended::silent);
    CHECK(guard.failures() == reset);
    CHECK(guard.last() == PanelFailure::supply);
    guard.begins(kSupply);
  }
  PowerGuard guard = next(record, Ended::silent);
  guard.begins(kSupply);
  guard.over();
  guard.begins(kRefresh);
  guard.over();
  CHECK(guard.failures() == RefreshPolicy::kPowerFailuresToStop + 1);
  guard.worked();
  CHECK(guard.failures() == 0);
  CHECK(next(record, Ended::silent).failures() == 0);
}

TEST_CASE(
    "Power guard: a board that comes up and fails at the same later step each time is counted in a row") {
  PowerRecord record{};
  PowerGuard(record, true, Ended::other).begins(kSupply);
  for (int reset = 1; reset <= RefreshPolicy::kPowerFailuresToStop; ++reset) {
    PowerGuard guard = next(record, Ended::aborted);
    CHECK(guard.failures() == reset);
    guard.begins(kSupply);
    guard.over();
    guard.begins(kRefresh);
    guard.over();
    guard.begins(kSupply);  // off again, which the library does not survive
  }
}

TEST_CASE("Power guard: each way to fail has its own name, and each name its own message") {
  struct Case {
    PowerGuard::Busy busy;
    Ended ended;
    PanelFailure failure;
  };
  const Case cases[] = {
      {kSupply, Ended::silent, PanelFailure::supply},      {kSupply, Ended::aborted, PanelFailure::bus},
      {kRefresh, Ended::aborted, PanelFailure::bus},       {kRefresh, Ended::silent, PanelFailure::refresh},
      {kRefresh, Ended::brownout, PanelFailure::brownout}, {kSupply, Ended::brownout, PanelFailure::brownout},
  };
  for (const Case& each : cases) {
    PowerRecord record{};
    PowerGuard(record, true, Ended::other).begins(each.busy);
    const PowerGuard guard = next(record, each.ended);
    CHECK(guard.failures() == 1);
    CHECK(guard.last() == each.failure);
    CHECK(panel_failure_words(guard.last())[0] != 0);
    // It is kept while the board starts again for another reason.
    CHECK(next(record, Ended::other).last() == each.failure);
  }
}

TEST_CASE("Power guard: a reset for another reason keeps the count, and adds nothing") {
  PowerRecord record{};
  PowerGuard(record, true, Ended::other).begins(kSupply);
  CHECK(next(record, Ended::silent).failures() == 1);
  CHECK(next(record, Ended::silent).failures() == 1);
  next(record, Ended::silent).begins(kRefresh);
  CHECK(next(record, Ended::other).failures() == 1);  // RST pressed in a refresh
}

TEST_CASE("Power guard: a person who wants another try, and a start after power was off, begin again") {
  PowerRecord record{};
  PowerGuard(record, true, Ended::other).begins(kSupply);
  PowerGuard guard = next(record, Ended::silent);
  CHECK(guard.failures() == 1);
  guard.forget();
  CHECK(next(record, Ended::silent).failures() == 0);
  next(record, Ended::silent).begins(kSupply);
  CHECK(PowerGuard(record, true, Ended::other).failures() == 0);
}

}  // namespace
}  // namespace inktop
