// Which server a board shows, and when it goes on to the next.
#include "app/showing.h"

#include <doctest/doctest.h>

#include <vector>

namespace inktop {
namespace {

constexpr int64_t kSecond = 1'000;

Showing showing_of(Show show, int servers) {
  Showing showing;
  ShowSettings settings;
  settings.show = show;
  settings.turn_s = 30;
  showing.set(settings);
  for (int server = 0; server < servers; ++server) showing.present(server, true);
  return showing;
}

std::vector<int> presses(Showing& showing, int count) {
  std::vector<int> shown;
  for (int i = 0; i < count; ++i) {
    showing.next(0);
    shown.push_back(showing.shown());
  }
  return shown;
}

TEST_CASE("Showing: with one server it is that one, whatever the setting and the button say") {
  for (const Show show : {Show::grid, Show::one, Show::turn}) {
    Showing showing = showing_of(show, 0);
    CHECK(showing.shown() == 0);
    showing.present(3, true);
    CHECK(showing.shown() == 3);
    showing.next(0);
    showing.step(1'000'000);
    CHECK(showing.shown() == 3);
    showing.unseen(3, 2, 0);
    CHECK_FALSE(showing.forward());
  }
}

TEST_CASE("Showing: the button goes through the grid and each server, and comes back") {
  const int grid = Showing::kGrid;
  Showing all = showing_of(Show::grid, 3);
  CHECK(all.shown() == grid);
  CHECK(presses(all, 5) == std::vector<int>{0, 1, 2, grid, 0});
  Showing one = showing_of(Show::one, 3);
  CHECK(one.shown() == 0);
  CHECK(presses(one, 5) == std::vector<int>{1, 2, grid, 0, 1});
  Showing turn = showing_of(Show::turn, 3);
  CHECK(turn.shown() == 0);
  CHECK(presses(turn, 6) == std::vector<int>{grid, 0, 1, 2, 0, grid});
}

TEST_CASE("Showing: servers take turns, each for its whole time") {
  Showing showing = showing_of(Show::turn, 3);
  std::vector<int> shown;
  for (int64_t now = 0; now < 120 * kSecond; now += 250) {
    showing.step(now);
    if (now % (30 * kSecond) == 15 * kSecond) shown.push_back(showing.shown());
  }
  const std::vector<int> wanted{shown[0], (shown[0] + 1) % 3, (shown[0] + 2) % 3, shown[0]};
  CHECK(shown == wanted);
  // Whom the button has chosen stays.
  showing.next(120 * kSecond);
  showing.next(120 * kSecond);
  const int chosen = showing.shown();
  showing.step(900 * kSecond);
  CHECK(showing.shown() == chosen);
}

TEST_CASE("Showing: a server with an alarm comes forward, the newest first, until it is seen or over") {
  Showing showing = showing_of(Show::one, 4);
  showing.unseen(2, 1, 10 * kSecond);
  CHECK(showing.shown() == 2);
  CHECK(showing.forward());
  showing.unseen(1, 1, 20 * kSecond);
  CHECK(showing.shown() == 1);
  showing.unseen(2, 1, 30 * kSecond);  // it goes on: no news
  CHECK(showing.shown() == 1);
  showing.unseen(2, 2, 40 * kSecond);  // another one of its GPUs
  CHECK(showing.shown() == 2);
  showing.unseen(2, 0, 50 * kSecond);
  CHECK(showing.shown() == 1);
  showing.unseen(1, 0, 60 * kSecond);
  CHECK(showing.shown() == 0);
  CHECK_FALSE(showing.forward());
}

TEST_CASE("Showing: who presses the button has seen the alarm, and a new one comes forward again") {
  Showing showing = showing_of(Show::one, 3);
  showing.unseen(2, 1, kSecond);
  showing.next(2 * kSecond);
  CHECK(showing.shown() == 1);
  showing.unseen(2, 1, 3 * kSecond);
  CHECK(showing.shown() == 1);
  showing.unseen(2, 2, 4 * kSecond);
  CHECK(showing.shown() == 2);
}

TEST_CASE("Showing: turns wait while an alarm is forward; a grid shows it anyway") {
  Showing showing = showing_of(Show::turn, 3);
  showing.step(0);
  showing.step(31 * kSecond);
  const int before = showing.shown();
  const int loud = (before + 2) % 3;
  showing.unseen(loud, 1, 32 * kSecond);
  for (int64_t now = 32 * kSecond; now < 300 * kSecond; now += kSecond) showing.step(now);
  CHECK(showing.shown() == loud);
  showing.unseen(loud, 0, 300 * kSecond);
  showing.step(301 * kSecond);
  CHECK(showing.shown() == before);  // its whole time begins again
  showing.step(332 * kSecond);
  CHECK(showing.shown() != before);
  Showing grid = showing_of(Show::grid, 3);
  grid.unseen(1, 1, 0);
  CHECK(grid.shown() == Showing::kGrid);
}

TEST_CASE("Showing: a server that is forgotten leaves its turn and its alarm") {
  Showing showing = showing_of(Show::one, 3);
  showing.unseen(2, 1, kSecond);
  showing.present(2, false);
  CHECK(showing.shown() == 0);
  showing.present(2, true);
  CHECK(showing.shown() == 0);
  showing.next(0);
  showing.next(0);
  CHECK(showing.shown() == 2);
  showing.present(2, false);
  CHECK(showing.shown() == 0);
}

}  // namespace
}  // namespace inktop
