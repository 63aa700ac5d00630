// From the servers to what the picture is a function of.
#include <cstdio>
#include <cstring>

#include "app/app.h"

namespace inktop {
namespace {

// Counters on the status screen are held for this long: else they would count the refreshes that they cause.
constexpr int64_t kCounters_ms = 30'000;

}  // namespace

void App::compose(int64_t now_ms, bool quiet) {
  view_.screen = screen();
  view_.board = &shown_facts_;
  compose_machine(view_, servers_[main_place()], now_ms);
  view_.quiet = quiet ? settings_.quiet : QuietHours();
  compose_servers(now_ms);
  compose_trouble(now_ms);
  compose_board(now_ms);
}

void App::compose_machine(View& view, const Server& server, int64_t now_ms) const {
  const Machine& machine = server.machine();
  view.snapshot = machine.shown();
  view.fleet = server.fleet();
  view.info = machine.info();
  view.history = &machine.history();
  view.gpus_power_w = machine.gpus_power_w();
  view.second_of_day = machine.history_second();
  view.taste = settings_.taste;
  view.span = span_;
  const DataAge age = server.age(now_ms);
  view.freshness = age.freshness;
  view.age_s = age.shown_s;
  view.last_data_s = server.data_second();
  view.alarms = machine.alarms().list();
  view.alarm_count = machine.alarms().count();
  // The loss of the link takes the header: what is behind it has not been seen.
  view.event_count = view.freshness == Freshness::lost ? 0 : machine.events().count();
  view.event = machine.events().newest();
}

// With several servers: a view of each, and what the button acknowledges is of all that are on the screen.
void App::compose_servers(int64_t now_ms) {
  view_.server_count = 0;
  view_.servers = cells_;
  view_.large = -1;
  const int shown = showing_.shown();
  view_.forward = showing_.forward();
  if (showing_.count() <= 1) return;
  int alarms = 0;
  int events = 0;
  bool any_fresh = false;
  for (int place = 0; place < kMaxServers; ++place) {
    if (!showing_.is_present(place)) continue;
    View& cell = cells_[view_.server_count];
    const Server& server = servers_[place];
    cell = View();
    compose_machine(cell, server, now_ms);
    server.name(cell.server_name, sizeof cell.server_name);
    cell.denied = server.link().denied || server.link().unproven;
    cell.newer = server.newer();
    if (place == shown) view_.large = view_.server_count;
    ++view_.server_count;
    alarms += cell.alarm_count;
    events += cell.event_count;
    any_fresh = any_fresh || (server.has_data() && cell.freshness == Freshness::fresh);
  }
  if (shown != Showing::kGrid) return;
  view_.alarm_count = alarms;
  view_.event_count = events;
  view_.freshness = any_fresh ? Freshness::fresh : Freshness::lost;
}

void App::compose_board(int64_t now_ms) {
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
    shown_facts_.largest_block_bytes = before.largest_block_bytes;
    shown_facts_.lowest_heap_bytes = before.lowest_heap_bytes;
    shown_facts_.main_stack_bytes = before.main_stack_bytes;
    shown_facts_.network_stack_bytes = before.network_stack_bytes;
    shown_facts_.rssi_dbm = before.rssi_dbm;
  } else {
    counters_due_ms_ = now_ms + kCounters_ms;
  }
}

void App::compose_trouble(int64_t now_ms) {
  Server& server = servers_[main_place()];
  const LinkStatus& link = server.link();
  const Tried& tried = server.tried(now_ms);
  facts_.attempt = tried.attempt;
  facts_.server_unproven = link.unproven;
  std::memcpy(facts_.server, tried.server, sizeof facts_.server);
  if (view_.screen != Screen::live) return;
  // The last dashboard stays, and its header has one place for what is tried: it shows what is wrong.
  const char* trouble = nullptr;
  switch (link.phase) {
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
      if (link.denied) std::snprintf(facts_.server, sizeof facts_.server, "%.47s, it hangs up", tried.server);
      if (link.unproven)
        std::snprintf(facts_.server, sizeof facts_.server, "%.47s, not proven", tried.server);
      return;
  }
  std::snprintf(facts_.server, sizeof facts_.server, "Wi-Fi %.32s%s", facts_.ssid, trouble);
}

}  // namespace inktop
