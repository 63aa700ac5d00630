#include "app/app.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/direct_feed.h"
#include "inktop/encoder.h"
#include "lines.h"
#include "panel_model.h"

namespace inktop {
namespace {

constexpr Size kSize{960, 540};

// Answers what it is told to, and believes every difference: the picture that a faultless panel would show.
class Paper : public Panel {
 public:
  Paper() : shown(size_t(kSize.width) * kSize.height, 0x7) {}

  DrawErrors drive(Waveform waveform, const Difference& difference) override {
    ++drives;
    if (waveform == Waveform::gc16) {
      ++gc16;
      CHECK(difference.dirty_rows == nullptr);  // B3, E1: GC16 is all rows or nothing
    }
    if (answer != kDrawOk) return answer;
    for (int y = 0; y < kSize.height; ++y) {
      if (difference.dirty_rows != nullptr && !difference.dirty_rows[y]) continue;
      for (int x = 0; x < kSize.width; ++x) {
        shown[size_t(y) * kSize.width + x] = difference.pixels[y * kSize.width + x] >> 4;
      }
    }
    return kDrawOk;
  }

  std::vector<uint8_t> shown;
  DrawErrors answer = kDrawOk;
  int drives = 0;
  int gc16 = 0;
};

struct Desk {
  explicit Desk(AppSettings settings = AppSettings()) {
    front.resize(FrameStore::frame_bytes(kSize) / 4);
    back.resize(front.size());
    difference.resize(FrameStore::difference_bytes(kSize) / 4);
    dirty.reset(new bool[kSize.height]);
    AppMemory memory;
    memory.front = reinterpret_cast<uint8_t*>(front.data());
    memory.back = reinterpret_cast<uint8_t*>(back.data());
    memory.difference = reinterpret_cast<uint8_t*>(difference.data());
    memory.dirty = dirty.get();
    BoardFacts facts;
    std::strcpy(facts.id, "desk");
    std::strcpy(facts.firmware, "0.1.0");
    app.reset(new App(kSize, memory, settings, facts));
    feed.reset(new DirectFeed(*app));
  }

  void open() {
    feed->opened(now);
    phase(LinkPhase::connected);
  }
  void close() {
    feed->closed(CloseReason::silent, now);
    phase(LinkPhase::searching);
  }
  void phase(LinkPhase phase) {
    status.phase = phase;
    feed->status(status, now);
  }
  void bytes(const std::string& text) { feed->received(text.data(), text.size(), now); }
  void line(const std::string& body) { bytes(closed_line(body)); }
  // One data line at the present second.
  void data(const std::string& rest) {
    const int second = int(now / 1000) + 43200;
    char head[64];
    std::snprintf(head, sizeof head, "h=t7910|t=%02d:%02d|u=%d", second / 3600 % 24, second / 60 % 60,
                  second);
    line(head + rest);
  }
  Refresh tick() {
    FixedTime time(now);
    const Refresh refresh = app->refresh(paper, time).refresh;
    if (refresh.kind != RefreshKind::nothing) reasons.push_back(refresh.why);
    return refresh;
  }
  // Ticks every 250 ms; a line with `rest` a second where it is not null.
  void run(int seconds, const char* rest = nullptr) {
    for (int i = 0; i < seconds * 4; ++i) {
      if (i % 4 == 0 && rest != nullptr) data(rest);
      tick();
      now += 250;
    }
  }
  // What the panel shows is the framebuffer, and that is what a fresh board would draw.
  void check_picture() {
    const uint8_t* drawn = app->frames().front();
    for (int i = 0; i < kSize.width * kSize.height; ++i) {
      const int nibble = i % 2 == 0 ? drawn[i / 2] & 0xF : drawn[i / 2] >> 4;
      if (nibble != paper.shown[size_t(i)]) {
        FAIL("panel and framebuffer differ at pixel " << i);
      }
    }
    const std::vector<uint8_t> before(drawn, drawn + FrameStore::frame_bytes(kSize));
    app->redraw(now);
    CHECK(std::memcmp(before.data(), app->frames().front(), before.size()) == 0);
  }

  std::vector<uint32_t> front, back, difference;
  std::unique_ptr<bool[]> dirty;
  std::unique_ptr<App> app;
  std::unique_ptr<DirectFeed> feed;
  Paper paper;
  LinkStatus status;
  int64_t now = 1000;
  std::vector<RefreshReason> reasons;
};

const char* const kBusy =
    "|c=12.4|n=4|k=120f|m=6.9/125.9|w=eno1,11800000,420000|g0=95,30207,32624,67,81,92,209,2990,2786";

bool alarmed(const App& app, AlarmKind kind, int gpu) {
  for (int i = 0; i < app.view().alarm_count; ++i) {
    if (app.view().alarms[i].kind == kind && app.view().alarms[i].gpu == gpu) return true;
  }
  return false;
}

TEST_CASE(
    "the boot screen uses the same framebuffer and policy as all others, and leaves nothing behind (B4)") {
  Desk desk;
  desk.tick();
  CHECK(desk.reasons.front() == RefreshReason::first_frame);
  CHECK(desk.app->view().screen == Screen::boot);
  desk.check_picture();
  desk.phase(LinkPhase::searching);
  desk.run(4);
  CHECK(desk.app->view().screen == Screen::searching);
  desk.check_picture();
  desk.open();
  desk.run(4);
  CHECK(desk.app->view().screen == Screen::waiting);
  desk.run(4, kBusy);
  CHECK(desk.app->view().screen == Screen::live);
  desk.check_picture();
}

TEST_CASE(
    "a frame is a pure function of the state: after any history it equals one drawn from scratch (B2)") {
  Desk desk;
  desk.open();
  desk.run(20, kBusy);
  desk.check_picture();
  desk.run(20, "|c=99.0|n=8|k=ffffffff|m=120.0/125.9");
  desk.check_picture();
  desk.close();
  desk.run(20);
  desk.check_picture();
  desk.app->button(Button::status, desk.now);
  desk.run(4);
  desk.check_picture();
  desk.app->button(Button::status, desk.now);
  desk.open();
  desk.run(10, kBusy);
  desk.check_picture();
}

TEST_CASE("each Wi-Fi failure has its own screen (A5)") {
  const struct {
    LinkPhase phase;
    Screen screen;
  } all[] = {{LinkPhase::wifi_unset, Screen::wifi_unset},
             {LinkPhase::wifi_joining, Screen::wifi_joining},
             {LinkPhase::wifi_no_ssid, Screen::wifi_no_ssid},
             {LinkPhase::wifi_bad_key, Screen::wifi_bad_key},
             {LinkPhase::wifi_no_address, Screen::wifi_no_address}};
  for (const auto& each : all) {
    Desk desk;
    desk.phase(each.phase);
    desk.tick();
    CHECK(desk.app->view().screen == each.screen);
  }
}

TEST_CASE("after the first frame every refresh is DU until the interval is reached (C1)") {
  AppSettings settings;
  settings.refresh.wash_interval = 50;
  settings.refresh.hot_spot_flips = 0;
  Desk desk(settings);
  desk.open();
  std::string rest;
  for (int second = 0; second < 130; ++second) {
    desk.run(1, second / 2 % 2 == 0 ? "|c=10.0" : "|c=90.0");
  }
  std::map<RefreshReason, int> seen;
  for (const auto why : desk.reasons) ++seen[why];
  CHECK(seen[RefreshReason::first_frame] == 1);
  CHECK(seen[RefreshReason::interval_reached] == 1);
  CHECK(seen[RefreshReason::content_changed] >= 55);
  CHECK(desk.paper.gc16 == 3 + 2);  // clear and two passes, then two passes
}

TEST_CASE("a failed refresh of any kind is repaired by clear and wash (E5)") {
  for (const DrawErrors error :
       {DrawErrors(kDrawLookup), DrawErrors(kDrawCrop), DrawErrors(kDrawMode), DrawErrors(kDrawPhases),
        DrawErrors(kDrawLineQueue), DrawErrors(kDrawPower), DrawErrors(kDrawOther)}) {
    Desk desk;
    desk.open();
    desk.run(6, kBusy);
    desk.paper.answer = error;
    desk.run(4, "|c=50.0|m=1.0/125.9");
    desk.paper.answer = kDrawOk;
    desk.run(10, "|c=50.0|m=1.0/125.9");
    CHECK(std::count(desk.reasons.begin(), desk.reasons.end(), RefreshReason::after_fault) == 1);
    desk.check_picture();
  }
}

TEST_CASE("data grows old quietly from 3 s, unmistakably from 12 s, and the last dashboard stays") {
  Desk desk;
  desk.open();
  desk.line("info=1|clock=12:00:01,43201");
  desk.run(5, kBusy);
  CHECK(desk.app->view().freshness == Freshness::fresh);
  desk.run(6);
  CHECK(desk.app->view().freshness == Freshness::old);
  CHECK(desk.app->view().age_s == 5);
  desk.run(8);
  CHECK(desk.app->view().freshness == Freshness::lost);
  CHECK(desk.app->view().screen == Screen::live);
  CHECK(desk.app->view().last_data_s == 43200 + 5);
  desk.run(4, kBusy);
  CHECK(desk.app->view().freshness == Freshness::fresh);
  desk.check_picture();
}

TEST_CASE("a link that is lost is marked after 3 s, one that comes back at once is not") {
  Desk desk;
  desk.open();
  desk.run(5, kBusy);
  desk.close();
  desk.run(2);
  CHECK(desk.app->view().freshness == Freshness::fresh);
  desk.run(4);
  CHECK(desk.app->view().freshness == Freshness::lost);
}

TEST_CASE("a dead link costs a handful of updates, not one every 2 s") {
  Desk desk;
  desk.open();
  desk.run(10, kBusy);
  desk.close();
  desk.run(30);
  const size_t before = desk.reasons.size();
  desk.run(3600);
  CHECK(desk.reasons.size() - before <= 8);
}

TEST_CASE(
    "a half line never runs into the next connection, and bad lines are dropped and counted by kind (C8)") {
  Desk desk;
  desk.open();
  desk.bytes("h=t7910|c=1");
  desk.close();
  desk.open();
  desk.data("|c=50.0");
  desk.tick();
  CHECK(desk.app->view().snapshot != nullptr);
  CHECK(desk.app->bad_lines().of(LineError::cut) == 1);
  desk.bytes("h=t7910|c=99.9*0000\n");
  desk.bytes(std::string(3000, 'x') + "\n");
  desk.data("|c=51.0");
  CHECK(desk.app->bad_lines().of(LineError::checksum) == 1);
  CHECK(desk.app->bad_lines().of(LineError::overlong) == 1);
  desk.now += 10'000;
  desk.tick();
  REQUIRE(desk.app->view().history->cpu_permille().at(desk.app->view().history->newest()).mean == 510);
}

TEST_CASE("only the connection's bytes feed the parser: there is no other way in (C3)") {
  Desk desk;
  desk.open();
  Record record;
  record.kind = Record::Kind::status;
  const std::string text = closed_line("h=log");
  record.text = text.data();
  record.size = text.size();
  desk.app->receive(record);
  record.kind = Record::Kind::text;
  desk.app->receive(record);
  desk.tick();
  CHECK(desk.app->view().snapshot == nullptr);
}

TEST_CASE("a refresh of two minutes loses no second of history") {
  Desk desk;
  desk.open();
  desk.run(4, kBusy);
  // The main task blocks in the panel; records wait in the queue with the time at which they came.
  for (int i = 0; i < 120; ++i) {
    desk.data("|c=33.3");
    desk.now += 1000;
  }
  desk.tick();
  const History& history = *desk.app->view().history;
  const Series& cpu = history.cpu_permille();
  for (uint32_t back = 0; back < 120; ++back) REQUIRE(cpu.at(history.newest() - back).mean == 333);
}

TEST_CASE(
    "a GPU that vanishes from the line keeps its place as lost, with the time, until the server drops it") {
  Desk desk;
  desk.open();
  desk.run(4, "|g0=5,1,2,3,4,5,6,7,8|g1=5,1,2,3,4,5,6,7,8");
  desk.run(4, "|g0=5,1,2,3,4,5,6,7,8");
  REQUIRE(desk.app->view().snapshot->gpu_count == 2);
  CHECK(std::string(desk.app->view().snapshot->gpus[1].state) == "lost");
  CHECK(alarmed(*desk.app, AlarmKind::gpu_lost, 1));
  desk.run(4, "|g0=5,1,2,3,4,5,6,7,8|g1=-,-,-,-,-,-,-,-,-,-,-,lost|e=gpu1:lost:03:01:15");
  CHECK(alarmed(*desk.app, AlarmKind::gpu_lost, 1));
  CHECK(desk.app->view().alarms[0].since_s == (3 * 60 + 1) * 60 + 15);
  desk.run(4, "|g0=5,1,2,3,4,5,6,7,8");  // acknowledged on the server
  CHECK(desk.app->view().snapshot->gpu_count == 1);
  CHECK(desk.app->view().alarm_count == 0);
}

TEST_CASE("a GPU that only this board remembers is forgotten when someone acknowledges it") {
  Desk desk;
  desk.open();
  desk.run(4, "|g0=5,1,2,3,4,5,6,7,8|g1=5,1,2,3,4,5,6,7,8");
  desk.run(4, "|g0=5,1,2,3,4,5,6,7,8");
  CHECK(desk.app->view().alarm_count == 1);
  desk.app->button(Button::wash, desk.now);
  desk.run(4, "|g0=5,1,2,3,4,5,6,7,8");
  CHECK(desk.app->view().snapshot->gpu_count == 1);
  CHECK(desk.app->view().alarm_count == 0);
}

TEST_CASE("a button acknowledges the alarms that are on, and only then washes") {
  Desk desk;
  desk.open();
  desk.run(4, "|g0=-,-,-,-,-,-,-,-,-,-,-,lost");
  CHECK(desk.app->view().alarm_count == 1);
  desk.app->button(Button::wash, desk.now);
  desk.run(4, "|g0=-,-,-,-,-,-,-,-,-,-,-,lost");
  CHECK(desk.app->view().alarm_count == 0);
  CHECK(std::string(desk.app->view().snapshot->gpus[0].state) == "lost");
  CHECK(std::count(desk.reasons.begin(), desk.reasons.end(), RefreshReason::button) == 0);
  desk.app->button(Button::wash, desk.now);
  desk.run(2, "|g0=-,-,-,-,-,-,-,-,-,-,-,lost");
  CHECK(std::count(desk.reasons.begin(), desk.reasons.end(), RefreshReason::button) == 1);
}

TEST_CASE("a temperature around its limit alarms once, not twice a minute") {
  Desk desk;
  desk.open();
  desk.line("info=1|g0=R9700,0000:03:00.0,300,100,110,108");
  int begins = 0;
  bool before = false;
  for (int i = 0; i < 600; ++i) {
    desk.run(1, i % 2 == 0 ? "|g0=95,1,2,67,110,92,209,2990,2786" : "|g0=95,1,2,67,104,92,209,2990,2786");
    const bool now = alarmed(*desk.app, AlarmKind::gpu_junction_hot, 0);
    if (now && !before) ++begins;
    before = now;
  }
  CHECK(begins == 1);
  desk.run(70, "|g0=95,1,2,67,90,92,209,2990,2786");
  CHECK_FALSE(alarmed(*desk.app, AlarmKind::gpu_junction_hot, 0));
}

TEST_CASE("a fan at 0 rpm alarms on a hot GPU only, and not when its speed cannot be read") {
  Desk desk;
  desk.open();
  desk.run(20, "|g0=5,1,2,40,45,50,20,0,100");
  CHECK(desk.app->view().alarm_count == 0);
  desk.run(20, "|g0=99,1,2,80,95,90,200,-,2000");
  CHECK(desk.app->view().alarm_count == 0);
  desk.run(20, "|g0=99,1,2,80,95,90,200,0,2000,-,44");
  CHECK(desk.app->view().alarm_count == 0);
  desk.run(20, "|g0=99,1,2,80,95,90,200,0,2000");
  CHECK(alarmed(*desk.app, AlarmKind::gpu_fan_stopped, 0));
}

TEST_CASE("memory nearly full alarms, and ends below 90 % after a minute") {
  Desk desk;
  desk.open();
  desk.run(10, "|m=96.0/100.0");
  CHECK(alarmed(*desk.app, AlarmKind::memory_full, 0));
  desk.run(100, "|m=92.0/100.0");
  CHECK(alarmed(*desk.app, AlarmKind::memory_full, 0));
  desk.run(30, "|m=80.0/100.0");
  CHECK(alarmed(*desk.app, AlarmKind::memory_full, 0));
  desk.run(60, "|m=80.0/100.0");
  CHECK_FALSE(alarmed(*desk.app, AlarmKind::memory_full, 0));
}

TEST_CASE("the limits of alarms are the settings', for whatever server the board shows") {
  AppSettings settings;
  settings.alarms.full_memory_percent = 0;
  Desk desk(settings);
  desk.open();
  desk.run(10, "|m=99.0/100.0");
  CHECK(desk.app->view().alarm_count == 0);
  settings.alarms.full_memory_percent = 60;
  desk.app->set_settings(settings);
  desk.run(10, "|m=70.0/100.0");
  CHECK(alarmed(*desk.app, AlarmKind::memory_full, 0));
  desk.run(70, "|m=50.0/100.0");
  CHECK(desk.app->view().alarm_count == 0);
  // Another server begins with a memory of its own, but under the same limits.
  for (int i = 0; i < 10; ++i) {
    desk.now += 1000;
    desk.line("h=another|u=" + std::to_string(5000 + i) + "|m=70.0/100.0");
    desk.tick();
  }
  CHECK(alarmed(*desk.app, AlarmKind::memory_full, 0));
}

TEST_CASE("a newer protocol is said on the screen, and the old one ends that") {
  Desk desk;
  desk.open();
  desk.line("info=2|x=1");
  desk.run(4, kBusy);
  CHECK(desk.app->view().screen == Screen::newer_protocol);
  desk.close();
  desk.open();
  desk.line("info=1");
  desk.run(4, kBusy);
  CHECK(desk.app->view().screen == Screen::live);
}

TEST_CASE("health goes out every 30 s while the link is up, and says what was dropped") {
  Desk desk;
  char out[kMaxLineBytes + 1];
  CHECK(desk.app->outbox(desk.now, out, sizeof out) == 0);
  desk.open();
  desk.run(4, kBusy);
  desk.bytes("garbage\n");
  REQUIRE(desk.app->outbox(desk.now, out, sizeof out) > 0);
  CHECK(std::strstr(out, "health=1|id=desk|") == out);
  CHECK(std::strstr(out, "|bad=checksum:1") != nullptr);
  CHECK(desk.app->outbox(desk.now + 29'000, out, sizeof out) == 0);
  CHECK(desk.app->outbox(desk.now + 30'000, out, sizeof out) > 0);
}

TEST_CASE("button 1 takes an event out of the header and tells the server, once it is connected") {
  Desk desk;
  char out[kMaxLineBytes + 1];
  desk.open();
  constexpr char kOom[] = "|g0=5,1,2,3,4,5,6,7,8,-,-,lost|e=gpu0:lost:11:50:00,mem:oom:12:13:05";
  desk.run(4, kOom);
  CHECK(desk.app->outbox(desk.now, out, sizeof out) > 0);  // health
  CHECK(desk.app->view().event_count == 1);
  CHECK(desk.app->outbox(desk.now, out, sizeof out) == 0);
  const uint32_t washes = desk.app->view().board->washes;
  desk.app->button(Button::wash, desk.now);
  desk.close();
  CHECK(desk.app->outbox(desk.now, out, sizeof out) == 0);
  desk.open();
  REQUIRE(desk.app->outbox(desk.now, out, sizeof out) > 0);
  CHECK(std::string(out) == closed_line("ack=1|id=desk|e=gpu0:lost:11:50:00,mem:oom:12:13:05"));
  CHECK(desk.app->outbox(desk.now, out, sizeof out) == 0);
  desk.run(4, kOom);
  CHECK(desk.app->view().event_count == 0);
  CHECK(desk.app->view().alarm_count == 0);
  CHECK(desk.app->view().board->washes == washes);
  desk.check_picture();
}

TEST_CASE("behind the loss of the link no event is acknowledged: the button washes") {
  Desk desk;
  desk.open();
  desk.run(4, "|e=mem:oom:12:13:05");
  desk.close();
  desk.run(20);
  REQUIRE(desk.app->view().freshness == Freshness::lost);
  const size_t before = desk.reasons.size();
  desk.app->button(Button::wash, desk.now);
  desk.run(4);
  REQUIRE(desk.reasons.size() > before);
  CHECK(desk.reasons.back() == RefreshReason::button);
  desk.open();
  desk.run(4, "|e=mem:oom:12:13:05");
  CHECK(desk.app->view().event_count == 1);
}

TEST_CASE(
    "button 3 shows the hour at once, then the day, then five minutes again; what is drawn was kept all "
    "along") {
  Desk desk;
  desk.open();
  desk.run(30, kBusy);
  CHECK(desk.app->view().span == Span::five_minutes);
  for (const Span span : {Span::hour, Span::day, Span::five_minutes}) {
    desk.app->button(Button::span, desk.now);
    desk.run(4, kBusy);
    CHECK(desk.app->view().span == span);
    desk.check_picture();
  }
  const History& history = *desk.app->view().history;
  CHECK(history.cpu_permille().at(history.newest(), Span::hour).known());
  CHECK(history.cpu_permille().at(history.newest(), Span::day).known());
}

TEST_CASE("in quiet hours the board updates every quarter of an hour, and shows an alarm at once") {
  AppSettings settings;
  settings.quiet = {12, 13, 15};  // the desk's clock says twelve
  Desk desk(settings);
  desk.open();
  desk.run(4, "|g0=5,1,2,3,60,5,6,7,8");
  const size_t first = desk.reasons.size();
  for (int i = 0; i < 14; ++i)
    desk.run(60, i % 2 == 0 ? "|c=90|g0=95,1,2,3,60,5,6,7,8" : "|c=1|g0=5,1,2,3,60,5,6,7,8");
  CHECK(desk.reasons.size() == first);
  desk.run(3, "|g0=95,1,2,3,112,5,6,7,8");
  CHECK(alarmed(*desk.app, AlarmKind::gpu_junction_hot, 0));
  CHECK(desk.reasons.size() == first + 1);
  desk.app->button(Button::status, desk.now);
  desk.run(3, "|g0=95,1,2,3,112,5,6,7,8");
  CHECK(desk.reasons.size() == first + 2);
  desk.run(16 * 60, "|g0=95,1,2,3,112,5,6,7,8");
  CHECK(desk.reasons.size() >= first + 3);
}

TEST_CASE(
    "quiet hours are shown as soon as they begin, so that nobody wonders about a clock that stands still") {
  AppSettings settings;
  settings.quiet = {13, 14, 15};
  Desk desk(settings);
  desk.open();
  desk.run(4, "|c=1");
  CHECK(desk.app->view().quiet.interval_min == 0);
  desk.now = 3590 * 1000;  // ten seconds before one o'clock
  desk.run(9, "|c=1");
  CHECK(desk.app->view().quiet.interval_min == 0);
  desk.run(4, "|c=1");
  CHECK(desk.app->view().quiet.interval_min == 15);
  CHECK(desk.app->view().quiet.to_h == 14);
  desk.check_picture();
  const size_t begun = desk.reasons.size();
  desk.run(14 * 60, "|c=1");
  CHECK(desk.reasons.size() == begun);
}

TEST_CASE("three failed power-ons in a row stop the driving, not the link") {
  Desk desk;
  desk.paper.answer = kDrawPower;
  desk.open();
  desk.run(60, kBusy);
  const int drives = desk.paper.drives;
  CHECK(drives == 3);
  desk.run(600, kBusy);
  CHECK(desk.paper.drives == drives);
  char out[kMaxLineBytes + 1];
  REQUIRE(desk.app->outbox(desk.now, out, sizeof out) > 0);
  CHECK(std::strstr(out, "err=power:3") != nullptr);
  desk.paper.answer = kDrawOk;
  desk.app->button(Button::wash, desk.now);
  desk.run(4, kBusy);
  CHECK(desk.app->view().screen == Screen::live);
  desk.check_picture();
}

TEST_CASE("the status screen does not keep refreshing itself with the count of its own refreshes") {
  Desk desk;
  desk.open();
  desk.run(4, kBusy);
  desk.app->button(Button::status, desk.now);
  desk.run(4, kBusy);
  CHECK(desk.app->view().screen == Screen::status);
  const size_t before = desk.reasons.size();
  desk.run(120, kBusy);
  CHECK(desk.reasons.size() - before <= 5);
}

TEST_CASE("over-the-air progress is shown in a few steps only") {
  Desk desk;
  desk.tick();
  const size_t before = desk.reasons.size();
  for (int percent = 0; percent <= 100; ++percent) {
    desk.app->set_update_progress(percent);
    desk.run(3);
  }
  CHECK(desk.app->view().screen == Screen::updating);
  CHECK(desk.reasons.size() - before <= 6);
  desk.app->set_update_progress(-1);
  desk.run(3);
  CHECK(desk.app->view().screen == Screen::boot);
}

TEST_CASE("another server on the same board begins its own history") {
  Desk desk;
  desk.open();
  desk.run(10, "|c=50.0");
  desk.line("h=other|u=500|c=10.0");
  desk.tick();
  CHECK(desk.app->view().history->cpu_permille().max() == 100);
}

const char* const kLostCard = "|g0=-,-,-,-,-,-,-,-,-,-,-,lost";

TEST_CASE("a button on a panel that was stopped tries the panel, and acknowledges nothing that nobody saw") {
  Desk desk;
  desk.open();
  desk.run(6, kBusy);
  desk.paper.answer = kDrawPower;
  desk.run(60, kLostCard);
  REQUIRE(desk.app->policy().stopped());
  desk.paper.answer = kDrawOk;
  desk.app->button(Button::wash, desk.now);
  desk.run(4, kLostCard);
  CHECK_FALSE(desk.app->policy().stopped());
  CHECK(alarmed(*desk.app, AlarmKind::gpu_lost, 0));
  desk.check_picture();
}

TEST_CASE("a button behind another screen washes, and acknowledges nothing that nobody saw") {
  Desk desk;
  desk.open();
  desk.run(6, kLostCard);
  desk.app->button(Button::status, desk.now);
  desk.run(4, kLostCard);
  desk.app->button(Button::wash, desk.now);
  desk.run(4, kLostCard);
  CHECK(desk.reasons.back() == RefreshReason::button);
  desk.app->button(Button::status, desk.now);
  desk.run(4, kLostCard);
  CHECK(alarmed(*desk.app, AlarmKind::gpu_lost, 0));
  desk.app->button(Button::wash, desk.now);
  desk.run(4, kLostCard);
  CHECK(desk.app->view().alarm_count == 0);
}

TEST_CASE("an acknowledged alarm does not come back with the link, nor with the server's next start") {
  Desk desk;
  desk.open();
  desk.run(6, kLostCard);
  desk.app->button(Button::wash, desk.now);
  desk.close();
  desk.run(20);
  desk.open();
  desk.run(6, kLostCard);
  CHECK(desk.app->view().alarm_count == 0);
  for (int i = 0; i < 6; ++i) {
    desk.line(std::string("h=t7910|t=07:00|u=") + std::to_string(i) + kLostCard);
    desk.run(1);
  }
  CHECK(desk.app->view().alarm_count == 0);
}

TEST_CASE("a newer protocol stays on the screen while the board connects again and again") {
  Desk desk;
  desk.open();
  desk.line("info=2|x=1");
  desk.run(4);
  for (int i = 0; i < 10; ++i) {
    desk.close();
    desk.run(3);
    CHECK(desk.app->view().screen == Screen::newer_protocol);
    desk.open();
    desk.line("info=2|x=1");
    desk.run(3, kBusy);
    CHECK(desk.app->view().screen == Screen::newer_protocol);
  }
  desk.close();
  desk.phase(LinkPhase::wifi_bad_key);
  desk.run(3);
  CHECK(desk.app->view().screen == Screen::wifi_bad_key);
  // A server of this protocol, whose info line was lost on the way.
  desk.open();
  desk.run(3, kBusy);
  CHECK(desk.app->view().screen == Screen::live);
}

TEST_CASE("facts of one server are never shown with the data of another") {
  Desk desk;
  desk.open();
  desk.line("info=1|clock=12:00:01,43201|cpu=First CPU");
  desk.run(5, kBusy);
  const int32_t before = desk.app->view().second_of_day;
  desk.close();
  desk.run(5);
  desk.open();
  // The other one's facts come first: the board on the screen is still the first one's.
  desk.line("info=1|clock=03:00:00,500|cpu=Second CPU");
  desk.run(3);
  REQUIRE(desk.app->view().info != nullptr);
  CHECK(std::string(desk.app->view().info->cpu_model) == "First CPU");
  CHECK(desk.app->view().second_of_day == before);
  desk.line("h=other|t=03:00|u=501|c=10.0");
  desk.run(3);
  CHECK(std::string(desk.app->view().info->cpu_model) == "Second CPU");
  CHECK(desk.app->view().second_of_day == 3 * 3600 + 1);
  // And where its info line was lost on the way, there are none.
  desk.close();
  desk.open();
  desk.bytes("info=1|cpu=Third CPU*0000\n");
  desk.line("h=third|t=05:30|u=90|c=10.0");
  desk.run(3);
  CHECK(desk.app->view().info == nullptr);
  CHECK(desk.app->view().second_of_day == (5 * 60 + 30) * 60);
}

TEST_CASE("lines that come late are as old as they are: the records' own times count") {
  Desk desk;
  desk.open();
  desk.run(4, kBusy);
  const int64_t came = desk.now;
  desk.data(kBusy);
  // The main task was busy for 40 s; the link has died meanwhile.
  Record closed;
  closed.kind = Record::Kind::closed;
  closed.time_ms = came + 12'000;
  desk.now = came + 40'000;
  desk.app->receive(closed);
  desk.tick();
  CHECK(desk.app->view().freshness == Freshness::lost);
  CHECK(desk.app->view().age_s == 30);
}

TEST_CASE("a server that sends only info lines, or only bad ones, has no data: the age says so") {
  for (const char* only : {"info=1|v=0.1.0", "h=t7910|c=120.0"}) {
    Desk desk;
    desk.open();
    for (int i = 0; i < 20; ++i) {
      desk.line(only);
      desk.run(1);
    }
    CHECK(desk.app->view().screen == Screen::waiting);
    desk.run(5, kBusy);
    for (int i = 0; i < 20; ++i) {
      desk.line(only);
      desk.run(1);
    }
    CHECK(desk.app->view().screen == Screen::live);
    CHECK(desk.app->view().freshness == Freshness::lost);
  }
}

TEST_CASE("a search that lasts all night costs a handful of updates an hour, on every screen") {
  for (const bool had_data : {false, true}) {
    for (const auto phase : {LinkPhase::searching, LinkPhase::wifi_no_ssid}) {
      Desk desk;
      if (had_data) {
        desk.open();
        desk.run(6, kBusy);
        desk.close();
      }
      desk.phase(phase);
      desk.run(90);
      const size_t before = desk.reasons.size();
      for (int i = 0; i < 3600 / 4; ++i) {
        std::snprintf(desk.status.server.host, sizeof desk.status.server.host, "192.0.2.%d", i % 5);
        desk.status.attempt = uint16_t(i);
        desk.phase(phase == LinkPhase::searching && i % 2 != 0 ? LinkPhase::greeting : phase);
        desk.run(4);
      }
      CHECK(desk.reasons.size() - before <= 12);
    }
  }
}

TEST_CASE("a link that dies costs a handful of updates, however many addresses are tried") {
  Desk desk;
  desk.open();
  desk.run(6, kBusy);
  const size_t before = desk.reasons.size();
  desk.close();
  for (int i = 0; i < 30; ++i) {
    std::snprintf(desk.status.server.host, sizeof desk.status.server.host, "192.0.2.%d", i % 5);
    desk.phase(LinkPhase::searching);
    desk.run(2);
  }
  CHECK(desk.app->view().freshness == Freshness::lost);
  CHECK(desk.reasons.size() - before <= 4);
}

TEST_CASE("what is tried is shown as it comes for the first minute") {
  Desk desk;
  desk.phase(LinkPhase::searching);
  for (int i = 0; i < 5; ++i) {
    std::snprintf(desk.status.server.host, sizeof desk.status.server.host, "192.0.2.%d", i);
    desk.phase(LinkPhase::searching);
    desk.run(4);
    CHECK(std::string(desk.app->view().board->server) == "192.0.2." + std::to_string(i) + ":7910");
  }
  std::strcpy(desk.status.server.host, "2001:db8::1");
  desk.phase(LinkPhase::searching);
  desk.run(4);
  CHECK(std::string(desk.app->view().board->server) == "[2001:db8::1]:7910");
}

TEST_CASE("a board that has lost its link says what is in the way: Wi-Fi, or a server that hangs up") {
  Desk desk;
  std::strcpy(desk.app->facts().ssid, "home");
  desk.open();
  desk.run(6, kBusy);
  desk.close();
  const struct {
    LinkPhase phase;
    const char* words;
  } ways[] = {{LinkPhase::wifi_joining, "Wi-Fi home"},
              {LinkPhase::wifi_no_ssid, "Wi-Fi home: not found"},
              {LinkPhase::wifi_bad_key, "Wi-Fi home: wrong password"},
              {LinkPhase::wifi_no_address, "Wi-Fi home: no address"},
              {LinkPhase::searching, "192.0.2.17:7910"}};
  std::strcpy(desk.status.server.host, "192.0.2.17");
  desk.run(8);
  for (const auto& way : ways) {
    desk.phase(way.phase);
    desk.run(4);
    CHECK(desk.app->view().freshness == Freshness::lost);
    CHECK(std::string(desk.app->view().board->server) == way.words);
  }
  desk.status.denied = true;
  desk.phase(LinkPhase::searching);
  desk.run(4);
  CHECK(std::string(desk.app->view().board->server) == "192.0.2.17:7910, it hangs up");
  desk.status.denied = false;
  desk.status.unproven = true;
  desk.phase(LinkPhase::searching);
  desk.run(4);
  CHECK(std::string(desk.app->view().board->server) == "192.0.2.17:7910, not proven");
  desk.check_picture();
}

TEST_CASE("a server that does not prove the key is named on the screen") {
  Desk desk;
  std::strcpy(desk.status.server.host, "192.0.2.2");
  desk.status.unproven = true;
  desk.phase(LinkPhase::searching);
  desk.run(4);
  CHECK(desk.app->view().screen == Screen::denied);
  CHECK(desk.app->view().board->server_unproven);
  CHECK(std::string(desk.app->view().board->server) == "192.0.2.2:7910");
  desk.check_picture();
}

TEST_CASE("who hangs up is named at once, also after a long search for others") {
  Desk desk;
  std::strcpy(desk.status.server.host, "192.0.2.3");
  desk.phase(LinkPhase::searching);
  desk.run(90);
  std::strcpy(desk.status.server.host, "192.0.2.2");
  desk.status.denied = true;
  desk.phase(LinkPhase::searching);
  desk.run(4);
  CHECK(desk.app->view().screen == Screen::denied);
  CHECK(std::string(desk.app->view().board->server) == "192.0.2.2:7910");
}

TEST_CASE("one that accepts a connection and says nothing is not a server that has answered") {
  Desk desk;
  desk.phase(LinkPhase::greeting);
  desk.run(4);
  CHECK(desk.app->view().screen == Screen::searching);
}

// Fails at one call of drive() only.
class FailsOnce : public Paper {
 public:
  explicit FailsOnce(int at) : at_(at) {}
  DrawErrors drive(Waveform waveform, const Difference& difference) override {
    answer = drives == at_ ? DrawErrors(kDrawLineQueue) : DrawErrors(kDrawOk);
    return Paper::drive(waveform, difference);
  }

 private:
  int at_;
};

TEST_CASE("a fault in any pass of any refresh leaves the panel as the framebuffer in the end (E5)") {
  for (int at = 0; at < 12; ++at) {
    AppSettings settings;
    settings.refresh.wash_interval = 2;
    Desk desk(settings);
    FailsOnce panel(at);
    desk.open();
    for (int i = 0; i < 4 * 60; ++i) {
      if (i % 4 == 0) desk.data(i < 4 * 50 && i % 8 == 0 ? "|c=90.0|m=1.0/125.9" : "|c=10.0|m=9.0/125.9");
      FixedTime time(desk.now);
      desk.app->refresh(panel, time);
      desk.now += 250;
    }
    REQUIRE(panel.drives > 12);
    desk.paper.shown = panel.shown;
    desk.check_picture();
  }
}

TEST_CASE("a wash after every update is a wash after every update, and none while nothing changes") {
  AppSettings settings;
  settings.refresh.wash_interval = 1;
  Desk desk(settings);
  desk.open();
  desk.run(10, "|c=10.0");
  for (int i = 0; i < 10; ++i) desk.run(4, i % 2 == 0 ? "|c=90.0" : "|c=10.0");
  int updates = 0;
  for (size_t i = 1; i < desk.reasons.size(); ++i) {
    const bool wash = desk.reasons[i] == RefreshReason::interval_reached;
    updates += wash ? 0 : 1;
    CHECK((wash || desk.reasons[i] == RefreshReason::content_changed));
    CHECK(wash == (desk.reasons[i - 1] == RefreshReason::content_changed));
  }
  CHECK(updates >= 10);
  desk.close();
  desk.run(100);
  const size_t before = desk.reasons.size();
  desk.run(18);
  CHECK(desk.reasons.size() == before);
}

TEST_CASE("no pixel is left a charge by updates and washes, also where the picture changed with the wash") {
  AppSettings settings;
  settings.refresh.wash_interval = 3;
  Desk desk(settings);
  PanelModel panel(kSize);
  const auto run = [&](int seconds) {
    for (int i = 0; i < seconds * 4; ++i) {
      if (i % 4 == 0) desk.data(i / 4 % 3 == 0 ? "|c=90.0|m=1.0/125.9" : "|c=10.0|m=99.0/125.9");
      FixedTime time(desk.now);
      const Refresh refresh = desk.app->refresh(panel, time).refresh;
      if (refresh.kind != RefreshKind::nothing) desk.reasons.push_back(refresh.why);
      desk.now += 250;
    }
  };
  desk.open();
  run(3);
  std::vector<int> before;
  for (int y = 0; y < kSize.height; ++y) {
    for (int x = 0; x < kSize.width; ++x) before.push_back(panel.charge(x, y));
  }
  run(300);
  CHECK(std::count(desk.reasons.begin(), desk.reasons.end(), RefreshReason::interval_reached) > 20);
  int most = 0;
  for (int y = 0; y < kSize.height; ++y) {
    for (int x = 0; x < kSize.width; ++x)
      most = std::max(most, std::abs(panel.charge(x, y) - before[size_t(y) * kSize.width + size_t(x)]));
  }
  CHECK(most <= PanelModel::kDuPhases);
}

// Records in any order, machines of any shape, jumps of every clock, faults: the picture is a function of the
// state, and the panel shows it.
TEST_CASE("after any odd order of events the picture equals one from scratch, and the panel shows it") {
  const char* const states[] = {"ok", "asleep", "reset", "stale", "lost", "turbo"};
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    uint32_t state = seed * 2654435761u | 1u;
    const auto dice = [&state](uint32_t sides) {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      return state % sides;
    };
    AppSettings settings;
    settings.refresh.wash_interval = seed == 1 ? 1 : 20;
    settings.refresh.hot_spot_flips = seed == 2 ? 1 : 300;
    Desk desk(settings);
    desk.now = seed == 3 ? (int64_t(1) << 31) - 100'000 : seed == 4 ? int64_t(1) << 45 : 0;
    int64_t uptime = 100'000;
    for (int i = 0; i < 700; ++i) {
      desk.paper.answer = dice(25) == 0 ? DrawErrors(1u << dice(6)) : DrawErrors(kDrawOk);
      switch (dice(12)) {
        case 0:
          desk.open();
          break;
        case 1:
          desk.close();
          break;
        case 2:
          desk.status.denied = dice(2) == 0;
          std::snprintf(desk.status.server.host, sizeof desk.status.server.host, "192.0.2.%u", dice(9));
          desk.phase(static_cast<LinkPhase>(dice(8)));
          break;
        case 3:
          desk.app->button(dice(2) == 0 ? Button::wash : Button::status, desk.now);
          break;
        case 4:
          desk.line(dice(3) == 0 ? "info=2"
                                 : "info=1|clock=11:22:33,5000|g0=Card,0000:03:00.0,300,100,110,108");
          break;
        case 5:
          desk.bytes("h=t7910|c=1");
          break;
        case 6:
          desk.app->set_update_progress(dice(3) == 0 ? int(dice(101)) : -1);
          break;
        case 7:
          uptime = dice(2) == 0 ? dice(200) : uptime + dice(5000);
          break;
        case 8:
          desk.now += dice(100'000);
          break;
        default: {
          std::string body = dice(30) == 0 ? "h=other" : "h=t7910";
          char text[96];
          std::snprintf(text, sizeof text, "|t=%02u:%02u|u=%lld|c=%u.%u", dice(24), dice(60),
                        static_cast<long long>(uptime), dice(100), dice(10));
          body += text;
          if (dice(2) == 0) body += "|m=99.0/100.0|w=eno1,100,-";
          const uint32_t gpus = dice(4) == 0 ? dice(17) : 2;
          for (uint32_t gpu = 0; gpu < gpus; ++gpu) {
            std::snprintf(text, sizeof text, "|g%u=%u,-,-,-,%u,-,-,0,-,-,-,%s", gpu, dice(101), 50 + dice(70),
                          states[dice(6)]);
            body += text;
          }
          desk.line(body);
          ++uptime;
          break;
        }
      }
      for (uint32_t ticks = dice(6); ticks > 0; --ticks) {
        desk.tick();
        desk.now += 500;
      }
    }
    desk.paper.answer = kDrawOk;
    desk.app->set_update_progress(-1);
    desk.now += 600'000;
    desk.tick();  // a retry, if one is due
    for (int i = 0; i < 10; ++i) {
      desk.now += 3'000;
      desk.tick();
    }
    if (!desk.app->policy().stopped()) desk.check_picture();
  }
}

}  // namespace
}  // namespace inktop
