#include "machine/history.h"

#include <doctest/doctest.h>

namespace inktop {
namespace {

Snapshot line(uint32_t uptime_s, int permille) {
  Snapshot snapshot;
  snapshot.uptime_s = uptime_s;
  snapshot.cpu_permille = permille;
  return snapshot;
}

TEST_CASE("history is placed by the line's own uptime and seconds without a line are unknown") {
  History history;
  history.add(line(1000, 100));
  history.add(line(1003, 130));
  CHECK(history.cpu_permille().at(1000) == 100);
  CHECK(history.cpu_permille().at(1001) == Series::kUnknown);
  CHECK(history.cpu_permille().at(1003) == 130);
  CHECK(history.newest() == 1003);
}

TEST_CASE("five minutes are kept and no second more") {
  History history;
  for (uint32_t u = 0; u < 1000; ++u) history.add(line(u, int(u)));
  CHECK(history.cpu_permille().at(999) == 999);
  CHECK(history.cpu_permille().at(700) == 700);
  CHECK(history.cpu_permille().at(699) == Series::kUnknown);
  CHECK(history.cpu_permille().max() == 999);
}

TEST_CASE("a jump over the whole window forgets what was before") {
  History history;
  history.add(line(10, 5));
  history.add(line(10 + kHistorySeconds, 6));
  CHECK(history.cpu_permille().at(10) == Series::kUnknown);
  CHECK(history.cpu_permille().max() == 6);
}

TEST_CASE("a server that has restarted starts a new history, also soon after its start") {
  History history;
  for (uint32_t u = 100; u < 200; ++u) history.add(line(u, 500));
  history.add(line(20, 7));
  CHECK(history.newest() == 20);
  CHECK(history.cpu_permille().at(20) == 7);
  CHECK(history.cpu_permille().at(150) == Series::kUnknown);
  CHECK(history.cpu_permille().max() == 7);
}

TEST_CASE("unknown values and lines without uptime leave no number behind") {
  History history;
  history.add(line(5, kUnknown));
  CHECK(history.cpu_permille().at(5) == Series::kUnknown);
  Snapshot without;
  without.cpu_permille = 3;
  history.add(without);
  CHECK(history.newest() == 5);
}

TEST_CASE("the largest uptime that a line can say is a second like any other") {
  History history;
  for (uint32_t back = 20; back > 0; --back) history.add(line(UINT32_MAX - back + 1, 100));
  CHECK(history.newest() == UINT32_MAX);
  CHECK(history.cpu_permille().at(UINT32_MAX - 19) == 100);
  history.add(line(0, 200));
  CHECK(history.newest() == 0);
}

}  // namespace
}  // namespace inktop
