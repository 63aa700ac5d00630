#include "panel/power_guard.h"

#include <doctest/doctest.h>

#include "panel/refresh_policy.h"

namespace inktop {

TEST_CASE("Power guard: memory that holds anything after power was off counts as no failure") {
  PowerRecord record{0xDEADBEEF, 0xFFFFFFFF, 0xFFFFFFFF};
  CHECK(PowerGuard(record, false).failures() == 0);
  record = {0xDEADBEEF, 1, 7};
  CHECK(PowerGuard(record, true).failures() == 0);
}

TEST_CASE("Power guard: resets while the library switches the supply add up until one start succeeds") {
  PowerRecord record{};
  PowerGuard(record, true).begins();
  for (int reset = 1; reset <= RefreshPolicy::kPowerFailuresToStop; ++reset) {
    PowerGuard guard(record, false);
    CHECK(guard.failures() == reset);
    guard.begins();
  }
  PowerGuard guard(record, false);
  guard.begins();
  guard.is_on();
  CHECK(guard.failures() == 0);
  CHECK(PowerGuard(record, false).failures() == 0);
}

TEST_CASE("Power guard: a reset for another reason keeps the count, and adds nothing") {
  PowerRecord record{};
  PowerGuard(record, true).begins();
  CHECK(PowerGuard(record, false).failures() == 1);
  CHECK(PowerGuard(record, false).failures() == 1);
}

TEST_CASE("Power guard: a library that returned from its start proves nothing about the supply") {
  PowerRecord record{};
  PowerGuard(record, true).begins();
  for (int reset = 1; reset <= RefreshPolicy::kPowerFailuresToStop; ++reset) {
    PowerGuard guard(record, false);
    CHECK(guard.failures() == reset);
    guard.begins();
    guard.over();
    guard.begins();
  }
  PowerGuard guard(record, false);
  guard.begins();
  guard.over();
  CHECK(PowerGuard(record, false).failures() == RefreshPolicy::kPowerFailuresToStop + 1);
  guard.forget();
  CHECK(PowerGuard(record, false).failures() == 0);
}

TEST_CASE("Power guard: a start after power was off begins at zero") {
  PowerRecord record{};
  PowerGuard(record, true).begins();
  CHECK(PowerGuard(record, false).failures() == 1);
  CHECK(PowerGuard(record, true).failures() == 0);
}

}  // namespace inktop
