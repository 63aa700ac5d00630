// The app with several servers: what is shown, acknowledged and answered, and whose it is.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "app/app.h"
#include "app/direct_feed.h"
#include "app_buffers.h"
#include "lines.h"
#include "panel_model.h"
#include "timed_panel.h"

namespace inktop {
namespace {

constexpr Size kSize{960, 540};

struct Shelf {
  explicit Shelf(int servers, Show show = Show::grid, int configured = 0) : buffers(kSize) {
    AppSettings settings;
    settings.show.show = show;
    settings.show.turn_s = 30;
    settings.configured = configured;
    BoardFacts facts;
    std::strcpy(facts.id, "wall");
    app = std::make_unique<App>(kSize, buffers.memory(), settings, facts);
    for (int place = 0; place < servers; ++place) {
      feeds.push_back(std::make_unique<DirectFeed>(*app, place));
      names.push_back(std::string(1, char('a' + place)));
      up.push_back(true);
      rest.emplace_back("|c=10.0|m=1.0/8.0");
      offset_s.push_back(1000 * (place + 1));
    }
  }

  void open(int place) {
    LinkStatus status;
    status.phase = LinkPhase::connected;
    std::snprintf(status.server.host, sizeof status.server.host, "192.0.2.%d", place + 1);
    feeds[size_t(place)]->status(status, now);
    feeds[size_t(place)]->opened(now);
  }
  void line(int place) {
    const std::string text = closed_line(
        "h=" + names[size_t(place)] + "|t=12:00|u=" + std::to_string(now / 1000 + offset_s[size_t(place)]) +
        rest[size_t(place)]);
    feeds[size_t(place)]->received(text.data(), text.size(), now);
  }
  void run(int seconds) {
    for (int i = 0; i < seconds * 4; ++i, now += 250) {
      if (i % 4 == 0) {
        for (size_t place = 0; place < feeds.size(); ++place) {
          if (up[place]) line(int(place));
        }
      }
      if (now < panel.now_ms()) continue;
      panel.set_now(now);
      const Refreshed done = app->refresh(panel, panel);
      if (done.refresh.kind != RefreshKind::nothing) refreshes.push_back(done.refresh);
    }
  }
  int count(RefreshReason why) const {
    int found = 0;
    for (const Refresh& each : refreshes) found += each.why == why ? 1 : 0;
    return found;
  }
  std::string outbox(int& place) {
    char line[kMaxLineBytes + 1];
    return std::string(line, app->outbox(now, line, sizeof line, place));
  }

  AppBuffers buffers;
  PanelModel model{kSize};
  TimedPanel panel{model};
  std::unique_ptr<App> app;
  std::vector<std::unique_ptr<DirectFeed>> feeds;
  std::vector<std::string> names;
  std::vector<std::string> rest;
  std::vector<bool> up;
  std::vector<int64_t> offset_s;
  std::vector<Refresh> refreshes;
  int64_t now = 1000;
};

constexpr char kHot[] = "|c=10.0|m=1.0/8.0|g0=95,30207,32624,67,112,92,209,2990,2786";
constexpr char kCool[] = "|c=10.0|m=1.0/8.0|g0=95,30207,32624,67,60,60,209,2990,2786";

TEST_CASE("One server is shown whole; a second one makes a grid; who is gone stays in it, marked") {
  Shelf shelf(3);
  shelf.up = {true, false, false};
  shelf.run(5);
  CHECK(shelf.app->view().server_count == 0);
  CHECK(shelf.app->view().screen == Screen::live);
  shelf.up = {true, true, true};
  shelf.run(5);
  CHECK(shelf.app->servers() == 3);
  CHECK(shelf.app->view().server_count == 3);
  CHECK(shelf.app->view().large == -1);
  shelf.up = {true, false, true};
  shelf.run(30);
  REQUIRE(shelf.app->view().server_count == 3);
  CHECK(shelf.app->view().servers[1].freshness == Freshness::lost);
  CHECK(shelf.app->view().servers[0].freshness == Freshness::fresh);
  CHECK(shelf.app->view().freshness == Freshness::fresh);
  CHECK(std::string(shelf.app->view().servers[1].server_name) == "b");
}

TEST_CASE("Servers that are configured are shown before they have answered, under their addresses") {
  Shelf shelf(3, Show::grid, 3);
  for (int place = 0; place < 3; ++place) shelf.open(place);
  shelf.up = {false, true, false};
  shelf.run(5);
  const View& view = shelf.app->view();
  CHECK(view.screen == Screen::live);
  REQUIRE(view.server_count == 3);
  CHECK(view.servers[0].snapshot == nullptr);
  CHECK(std::string(view.servers[0].server_name) == "192.0.2.1");
  CHECK(std::string(view.servers[1].server_name) == "b");
}

TEST_CASE("The same machine under two addresses is shown once, by the link that works") {
  Shelf shelf(2);
  shelf.names = {"a", "a"};
  shelf.offset_s = {5000, 5000};
  shelf.run(5);
  CHECK(shelf.app->servers() == 1);
  CHECK(shelf.app->shown() == 0);
  shelf.up = {false, true};
  shelf.run(20);
  CHECK(shelf.app->servers() == 1);
  CHECK(shelf.app->shown() == 1);
  // Two machines of one name, as of one image, are two.
  Shelf image(2);
  image.names = {"debian", "debian"};
  image.run(5);
  CHECK(image.app->servers() == 2);
}

TEST_CASE("An alarm comes forward by itself and says why; acknowledged, it goes back") {
  Shelf shelf(3, Show::one);
  shelf.run(5);
  CHECK(shelf.app->view().large == 0);
  shelf.rest[2] = kHot;
  shelf.run(4);
  CHECK(shelf.app->view().large == 2);
  CHECK(shelf.app->view().forward);
  CHECK(shelf.app->view().alarm_count > 0);
  shelf.app->button(Button::wash, shelf.now);
  shelf.run(4);
  CHECK(shelf.app->view().large == 0);
  CHECK_FALSE(shelf.app->view().forward);
  CHECK(shelf.count(RefreshReason::button) == 0);
}

TEST_CASE("In a grid the button acknowledges the alarms of all servers at once") {
  Shelf shelf(3);
  shelf.rest = {kHot, kCool, kHot};
  shelf.run(5);
  CHECK(shelf.app->view().alarm_count >= 2);
  shelf.app->button(Button::wash, shelf.now);
  shelf.run(4);
  CHECK(shelf.app->view().alarm_count == 0);
  CHECK(shelf.count(RefreshReason::button) == 0);
  shelf.app->button(Button::wash, shelf.now);
  shelf.run(4);
  CHECK(shelf.count(RefreshReason::button) == 1);
}

TEST_CASE("A turn is one update, and a wash comes after twenty of them") {
  Shelf shelf(2, Show::turn);
  shelf.rest = {kCool, "|c=80.0|m=7.0/8.0"};
  shelf.run(10);
  shelf.refreshes.clear();
  int shown = shelf.app->shown();
  int turns = 0;
  while (shelf.count(RefreshReason::turned) == 0 && turns < 40) {
    shelf.run(1);
    if (shelf.app->shown() == shown) continue;
    shown = shelf.app->shown();
    ++turns;
    CHECK(shelf.app->view().large == shown);
  }
  CHECK(turns >= 19);
  CHECK(turns <= 21);
  for (const Refresh& each : shelf.refreshes)
    CHECK((each.kind == RefreshKind::update || each.why == RefreshReason::turned));
}

TEST_CASE("Button 3 goes from the grid to each server; with one server it changes the span") {
  Shelf shelf(2);
  shelf.run(5);
  shelf.app->button(Button::next, shelf.now);
  shelf.run(3);
  CHECK(shelf.app->view().large == 0);
  CHECK(shelf.app->view().span == Span::five_minutes);
  shelf.app->button(Button::span, shelf.now);
  shelf.run(3);
  CHECK(shelf.app->view().span == Span::hour);
  Shelf alone(1);
  alone.run(5);
  alone.app->button(Button::next, alone.now);
  alone.run(3);
  CHECK(alone.app->view().span == Span::hour);
}

TEST_CASE("Each server gets its own health line, and what was acknowledged goes to whose event it was") {
  Shelf shelf(2);
  for (int place = 0; place < 2; ++place) shelf.open(place);
  shelf.rest[1] = "|c=10.0|e=mem:oom:12:00:05";
  shelf.run(5);
  int place = -1;
  std::vector<std::string> lines(2);
  for (std::string line = shelf.outbox(place); !line.empty(); line = shelf.outbox(place))
    lines[size_t(place)] += line;
  for (const std::string& line : lines) CHECK(line.find("health=1|id=wall") == 0);
  REQUIRE(shelf.app->view().event_count == 1);
  shelf.app->button(Button::wash, shelf.now);
  const std::string ack = shelf.outbox(place);
  CHECK(ack.find("ack=1") == 0);
  CHECK(place == 1);
  CHECK(shelf.outbox(place).empty());
}

TEST_CASE("A server that was forgotten leaves the grid, and nothing of it stays") {
  Shelf shelf(3);
  shelf.rest[1] = kHot;
  shelf.run(5);
  CHECK(shelf.app->view().server_count == 3);
  shelf.app->receive(record_at(Record::Kind::forgotten, shelf.now, 1));
  shelf.up[1] = false;
  shelf.run(3);
  CHECK(shelf.app->view().server_count == 2);
  CHECK(shelf.app->view().alarm_count == 0);
}

TEST_CASE("Eight servers that change nothing cost a look a second, not one for each line") {
  Shelf shelf(8);
  shelf.run(120);
  shelf.refreshes.clear();
  shelf.run(120);
  CHECK(shelf.refreshes.size() <= 30);
}

}  // namespace
}  // namespace inktop
