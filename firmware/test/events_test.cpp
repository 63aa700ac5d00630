#include "machine/events.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <initializer_list>
#include <string>

namespace inktop {
namespace {

Event event(const char* subject, const char* what, const char* time) {
  Event out;
  std::snprintf(out.subject, sizeof out.subject, "%s", subject);
  std::snprintf(out.what, sizeof out.what, "%s", what);
  std::snprintf(out.time, sizeof out.time, "%s", time);
  return out;
}

const Event kOom = event("mem", "oom", "12:13:05");
const Event kBoot = event("sys", "boot", "03:37:00");
const Event kLost = event("gpu1", "lost", "03:01:15");

void take(Events& events, std::initializer_list<Event> listed) {
  Snapshot line;
  for (const Event& one : listed) line.events[line.event_count++] = one;
  events.update(line);
}

}  // namespace

TEST_CASE("an event that no panel tells is for the header, the newest first") {
  Events events;
  take(events, {kBoot, kLost, kOom});
  CHECK(events.count() == 2);
  REQUIRE(events.newest() != nullptr);
  CHECK(std::string(events.newest()->what) == "oom");
}

TEST_CASE("what a later collector tells is for the header too, also of a GPU") {
  Events events;
  take(events, {event("gpu0", "back", "12:00:00"), event("raid", "degraded", "12:01:00"),
                event("gpux", "lost", "12:02:00")});
  CHECK(events.count() == 3);
}

TEST_CASE(
    "an acknowledged event is not shown again while the lines list it, and a later one of its kind is") {
  Events events;
  take(events, {kOom});
  CHECK(events.acknowledge(true));
  CHECK(events.count() == 0);
  CHECK(events.newest() == nullptr);
  CHECK_FALSE(events.acknowledge(true));
  take(events, {kOom});
  CHECK(events.count() == 0);
  take(events, {kOom, event("mem", "oom", "12:40:00")});
  CHECK(events.count() == 1);
}

TEST_CASE("the server is told of what was seen, in header and panels, and of nothing else") {
  Events events;
  take(events, {kLost, kOom});
  events.acknowledge(true);
  REQUIRE(events.untold_count() == 2);
  CHECK(std::string(events.untold()[0].subject) == "gpu1");
  CHECK(std::string(events.untold()[1].subject) == "mem");
  events.told();
  CHECK(events.untold_count() == 0);
  events.acknowledge(true);
  CHECK(events.untold_count() == 0);
}

TEST_CASE("what the header did not show has not been seen") {
  Events events;
  take(events, {kLost, kOom});
  CHECK_FALSE(events.acknowledge(false));
  CHECK(events.count() == 1);
  REQUIRE(events.untold_count() == 1);
  CHECK(std::string(events.untold()[0].what) == "lost");
}

TEST_CASE("acknowledgements that nobody hears of do not outgrow their place") {
  Events events;
  for (int hour = 0; hour < 24; ++hour) {
    char time[9];
    std::snprintf(time, sizeof time, "%02d:00:00", hour);
    take(events, {event("mem", "oom", time)});
    events.acknowledge(true);
    CHECK(events.count() == 0);
    CHECK(events.untold_count() <= kMaxEvents);
  }
}

}  // namespace inktop
