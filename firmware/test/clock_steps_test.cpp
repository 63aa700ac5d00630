#include "panel/clock_steps.h"

#include <doctest/doctest.h>

namespace inktop {

TEST_CASE("Clock steps: 10, 8, 5, 3, 2, 1 MHz, and no further") {
  CHECK(slower_mhz(10) == 8);
  CHECK(slower_mhz(8) == 5);
  CHECK(slower_mhz(5) == 3);
  CHECK(slower_mhz(3) == 2);
  CHECK(slower_mhz(2) == 1);
  CHECK(slower_mhz(1) == 1);
}

TEST_CASE("Clock steps: three late refreshes within an hour are enough, three in a day are not") {
  ClockSteps steps;
  const int64_t hour_ms = ClockSteps::kWithin_ms;
  CHECK_FALSE(steps.refreshed(kDrawLineQueue, 0));
  CHECK_FALSE(steps.refreshed(kDrawOther, 1));
  CHECK_FALSE(steps.refreshed(kDrawLineQueue, hour_ms / 2));
  CHECK_FALSE(steps.refreshed(kDrawLineQueue, hour_ms));
  CHECK(steps.refreshed(kDrawLineQueue, hour_ms + hour_ms / 2 - 1));
  CHECK_FALSE(steps.refreshed(kDrawLineQueue, hour_ms + hour_ms / 2));
}

}  // namespace inktop
