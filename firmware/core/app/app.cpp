#include "app/app.h"

#include <cstdio>
#include <cstring>
#include <new>
#include <type_traits>

namespace inktop {
namespace {

static_assert(std::is_trivially_destructible<Machine>::value, "a new one takes the place of the old");

constexpr int64_t kOld_ms = 3'000;
constexpr int64_t kLost_ms = 12'000;
// A link that comes back at once is not worth marking the whole screen.
constexpr int64_t kReconnect_ms = 3'000;
// Counters on the status screen stand still for this long: they would otherwise count the refreshes that they
// cause.
constexpr int64_t kCounters_ms = 30'000;
constexpr int kProgressStep_percent = 20;
// What the link tries is shown as it comes for the first minute, and then every ten minutes: a search that
// lasts all night must not flip the panel with every address.
constexpr int64_t kTriedAtOnce_ms = 60'000;
constexpr int64_t kTriedLater_ms = 600'000;

// The age is shown in these steps, so that it does not flip pixels with every second.
uint32_t shown_age(int64_t age_ms) {
  constexpr uint32_t kSteps_s[] = {3,   5,   8,    12,   20,   30,    60,    120,
                                   300, 600, 1800, 3600, 7200, 21600, 43200, 86400};
  uint32_t shown = 0;
  for (const uint32_t step : kSteps_s) {
    if (age_ms >= int64_t(step) * 1000) shown = step;
  }
  return shown;
}

// A phase as the screen tells them apart.
LinkPhase seen_as(LinkPhase phase) {
  return phase == LinkPhase::greeting ? LinkPhase::searching : phase;
}

bool on_network(LinkPhase phase) {
  return phase == LinkPhase::searching || phase == LinkPhase::greeting || phase == LinkPhase::connected;
}

}  // namespace

App::App(Size size, const AppMemory& memory, const AppSettings& settings, const BoardFacts& facts)
    : size_(size),
      settings_(settings),
      facts_(facts),
      frames_(size, memory.front, memory.back, memory.difference, memory.dirty),
      canvas_(memory.front, size),
      picture_(size),
      policy_(settings.refresh, settings.power_failures),
      hot_spots_(size) {
  view_.history = &machine_.history();
  view_.board = &shown_facts_;
}

void App::set_settings(const AppSettings& settings) {
  settings_ = settings;
  policy_.set(settings.refresh);
  stale_ = true;
}

void App::set_update_progress(int percent) {
  const int step = percent < 0 ? -1 : percent / kProgressStep_percent * kProgressStep_percent;
  if (step == update_percent_) return;
  update_percent_ = step;
  stale_ = true;
}

void App::receive(const Record& record) {
  if (record.kind != Record::Kind::dropped) stale_ = true;  // of a dropped line nothing is shown at once
  switch (record.kind) {
    case Record::Kind::opened:
      open_ = true;
      newer_here_ = false;
      info_waits_ = false;
      break;
    case Record::Kind::data:
      if (newer_here_) break;
      newer_ = false;
      data(*record.data, record.time_ms);
      break;
    case Record::Kind::info:
      waiting_info_ = *record.info;
      info_waits_ = true;
      newer_ = newer_here_ = false;
      break;
    case Record::Kind::newer:
      newer_ = newer_here_ = true;
      break;
    case Record::Kind::dropped:
      bad_lines_.add(record.error);
      break;
    case Record::Kind::closed:
      open_ = false;
      closed_ms_ = record.time_ms;
      break;
    case Record::Kind::status:
      if (record.status == nullptr) break;
      if (!link_known_ || seen_as(record.status->phase) != seen_as(link_.phase) ||
          record.status->denied != link_.denied) {
        phase_ms_ = record.time_ms;
        tried_due_ms_ = record.time_ms;
      }
      link_ = *record.status;
      link_known_ = true;
      break;
    case Record::Kind::text:
      break;
  }
}

void App::data(const Snapshot& line, int64_t now_ms) {
  const bool another = machine_.has_data() && std::strcmp(machine_.host(), line.host) != 0;
  // In place: a second one would not fit on the stack of the board's main task.
  if (another) new (&machine_) Machine();
  if (info_waits_) machine_.take(waiting_info_);
  info_waits_ = false;
  machine_.take(line, now_ms);
}

void App::button(Button which, int64_t now_ms) {
  stale_ = true;
  if (which == Button::status) {
    status_wanted_ = !status_wanted_;
    counters_due_ms_ = now_ms;
    return;
  }
  // Only what the panel shows can have been seen: behind another screen, or when nobody knows what is on the
  // panel, the button washes.
  if (view_.screen == Screen::live && view_.alarm_count > 0 && policy_.panel_known()) {
    if (machine_.acknowledge()) return;
  }
  policy_.request_wash();
}

Screen App::screen() const {
  if (update_percent_ >= 0) return Screen::updating;
  if (policy_.stopped()) return Screen::panel_fault;
  if (status_wanted_) return Screen::status;
  if (newer_ && on_network(link_.phase)) return Screen::newer_protocol;
  if (machine_.has_data()) return Screen::live;
  if (!link_known_) return Screen::boot;
  switch (link_.phase) {
    case LinkPhase::wifi_unset:
      return Screen::wifi_unset;
    case LinkPhase::wifi_joining:
      return Screen::wifi_joining;
    case LinkPhase::wifi_no_ssid:
      return Screen::wifi_no_ssid;
    case LinkPhase::wifi_bad_key:
      return Screen::wifi_bad_key;
    case LinkPhase::wifi_no_address:
      return Screen::wifi_no_address;
    case LinkPhase::searching:
    case LinkPhase::greeting:  // whatever listens there has not said that it is a server
      return link_.denied ? Screen::denied : Screen::searching;
    case LinkPhase::connected:
      return link_.denied ? Screen::denied : Screen::waiting;
  }
  return Screen::boot;
}

void App::compose(int64_t now_ms) {
  view_.screen = screen();
  view_.snapshot = machine_.shown();
  view_.info = machine_.info();
  view_.second_of_day = machine_.history_second();
  const Age age = age_of_data(now_ms);
  view_.freshness = age.freshness;
  view_.age_s = age.shown_s;
  view_.last_data_s = machine_.data_second();
  view_.alarms = machine_.alarms().list();
  view_.alarm_count = machine_.alarms().count();

  compose_server(now_ms);
  facts_.uptime_s = uint32_t(now_ms / 1000);
  facts_.updates = updates_;
  facts_.washes = washes_;
  facts_.refresh_errors = 0;
  for (const auto count : errors_) facts_.refresh_errors += count;
  facts_.bad_lines = 0;
  for (const auto count : bad_lines_.counts) facts_.bad_lines += count;
  facts_.wash_interval = uint16_t(settings_.refresh.wash_interval);
  facts_.update_interval_ms = uint16_t(settings_.refresh.update_interval_ms);
  facts_.update_percent = uint8_t(update_percent_ < 0 ? 0 : update_percent_);

  const BoardFacts before = shown_facts_;
  shown_facts_ = facts_;
  if (now_ms < counters_due_ms_) {
    shown_facts_.uptime_s = before.uptime_s;
    shown_facts_.updates = before.updates;
    shown_facts_.washes = before.washes;
    shown_facts_.refresh_errors = before.refresh_errors;
    shown_facts_.bad_lines = before.bad_lines;
    shown_facts_.heap_bytes = before.heap_bytes;
    shown_facts_.psram_bytes = before.psram_bytes;
    shown_facts_.rssi_dbm = before.rssi_dbm;
  } else {
    counters_due_ms_ = now_ms + kCounters_ms;
  }
}

void App::compose_server(int64_t now_ms) {
  // On the dashboard it is a word in the header of a lost link, which is large, black and not to flip at all.
  const bool at_once = !machine_.has_data() && now_ms - phase_ms_ < kTriedAtOnce_ms;
  if (at_once || now_ms >= tried_due_ms_) {
    tried_due_ms_ = now_ms + kTriedLater_ms;
    shown_attempt_ = link_.attempt;
    const char* const host = link_.server.host;
    const bool is_v6 = std::strchr(host, ':') != nullptr;
    shown_server_[0] = 0;
    if (host[0] != 0) {
      std::snprintf(shown_server_, sizeof shown_server_, is_v6 ? "[%.54s]:%u" : "%.56s:%u", host,
                    unsigned(link_.server.port));
    }
  }
  facts_.attempt = shown_attempt_;
  std::memcpy(facts_.server, shown_server_, sizeof facts_.server);
  if (view_.screen != Screen::live) return;
  // The last board stays, and its header has one place for what is tried: there stands what is in the way.
  const char* trouble = nullptr;
  switch (link_.phase) {
    case LinkPhase::wifi_unset:
    case LinkPhase::wifi_joining:
      trouble = "";
      break;
    case LinkPhase::wifi_no_ssid:
      trouble = ": not found";
      break;
    case LinkPhase::wifi_bad_key:
      trouble = ": wrong password";
      break;
    case LinkPhase::wifi_no_address:
      trouble = ": no address";
      break;
    case LinkPhase::searching:
    case LinkPhase::greeting:
    case LinkPhase::connected:
      if (link_.denied)
        std::snprintf(facts_.server, sizeof facts_.server, "%.47s, it hangs up", shown_server_);
      return;
  }
  std::snprintf(facts_.server, sizeof facts_.server, "Wi-Fi %.32s%s", facts_.ssid, trouble);
}

App::Age App::age_of_data(int64_t now_ms) const {
  Age age;
  if (!machine_.has_data()) return age;
  const int64_t age_ms = now_ms - machine_.data_ms();
  if (age_ms < kOld_ms) return age;
  age.shown_s = shown_age(age_ms);
  const bool link_down = !open_ && now_ms - closed_ms_ >= kReconnect_ms;
  age.freshness = age_ms >= kLost_ms || link_down ? Freshness::lost : Freshness::old;
  return age;
}

void App::draw(int64_t now_ms) {
  compose(now_ms);
  pending_.add(picture_.draw(view_, canvas_));
  drawn_age_ = age_of_data(now_ms);
  stale_ = false;
}

void App::redraw(int64_t now_ms) {
  picture_.invalidate();
  draw(now_ms);
}

}  // namespace inktop
