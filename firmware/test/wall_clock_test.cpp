#include "machine/wall_clock.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace inktop {
namespace {

Snapshot line(const char* time, int64_t uptime_s) {
  Snapshot snapshot;
  std::strcpy(snapshot.time, time);
  snapshot.uptime_s = uptime_s;
  return snapshot;
}

Clock exact(const char* time, int64_t uptime_s) {
  Clock clock;
  std::strcpy(clock.time, time);
  clock.uptime_s = uptime_s;
  return clock;
}

TEST_CASE("an info line ties uptime to the second of the day exactly") {
  WallClock clock;
  CHECK(clock.at(5) == -1);
  clock.observe(exact("12:14:07", 1000));
  CHECK(clock.at(1000) == (12 * 60 + 14) * 60 + 7);
  CHECK(clock.at(1000 + 86400) == clock.at(1000));
  CHECK(clock.at(0) == (12 * 60 + 14) * 60 + 7 - 1000);
}

TEST_CASE("corrections of up to 2 s do not move the graphs, larger ones do") {
  WallClock clock;
  clock.observe(exact("12:00:00", 1000));
  clock.observe(exact("12:01:02", 1060));
  CHECK(clock.at(1060) == 12 * 3600 + 60);
  clock.observe(exact("12:02:10", 1120));
  CHECK(clock.at(1120) == 12 * 3600 + 130);
}

TEST_CASE("without an info line the change of minute sets the second") {
  WallClock clock;
  for (int64_t u = 100; u < 130; ++u) clock.observe(line("12:14", u));
  clock.observe(line("12:15", 130));
  CHECK(clock.at(130) == (12 * 60 + 15) * 60);
}

TEST_CASE("a line that agrees within its minute moves nothing") {
  WallClock clock;
  clock.observe(exact("12:14:30", 1000));
  for (int64_t u = 1000; u < 1030; ++u) clock.observe(line("12:14", u));
  for (int64_t u = 1030; u < 1090; ++u) clock.observe(line("12:15", u));
  CHECK(clock.at(1030) == (12 * 60 + 15) * 60);
}

TEST_CASE("a clock that was set, or summer time, moves the anchor at the next line") {
  WallClock clock;
  clock.observe(exact("01:59:30", 1000));
  clock.observe(line("03:00", 1030));
  const int32_t second = clock.at(1030);
  CHECK(second / 60 == 3 * 60);
}

TEST_CASE("midnight is no jump") {
  WallClock clock;
  clock.observe(exact("23:59:50", 1000));
  for (int64_t u = 1000; u < 1010; ++u) clock.observe(line("23:59", u));
  for (int64_t u = 1010; u < 1030; ++u) clock.observe(line("00:00", u));
  CHECK(clock.at(1009) == 86399);
  CHECK(clock.at(1010) == 0);
}

TEST_CASE("what is no time of day is -1") {
  for (const char* bad : {"", "24:00", "12:60", "1:00", "12-00", "12:00:61"})
    CHECK(seconds_of_day(bad) == -1);
  CHECK(seconds_of_day("00:00") == 0);
  CHECK(seconds_of_day("23:59:59") == 86399);
}

}  // namespace
}  // namespace inktop
