#include "app/app.h"

#include <cstdio>
#include <cstring>

namespace inktop {
namespace {

// Counters on the status screen are held for this long: else they would count the refreshes that they cause.
constexpr int64_t kCounters_ms = 30'000;
constexpr int kProgressStep_percent = 20;

}  // namespace

App::App(Size size, const AppMemory& memory, const AppSettings& settings, const BoardFacts& facts,
         bool on_its_side)
    : size_(size),
      settings_(settings),
      facts_(facts),
      frames_(size, memory.front, memory.back, memory.difference, memory.dirty),
      canvas_(memory.front, on_its_side ? turned(size) : size, on_its_side),
      picture_(canvas_.size()),
      policy_(settings.refresh, settings.power_failures),
      hot_spots_(size),
      span_(settings.span) {
  view_.history = &server_.machine().history();
  view_.board = &shown_facts_;
  server_.set(settings.alarms);
}

void App::set_settings(const AppSettings& settings) {
  if (settings.span != settings_.span) span_ = settings.span;
  settings_ = settings;
  policy_.set(settings.refresh);
  server_.set(settings.alarms);
  stale_ = true;
}

void App::set_update_progress(int percent) {
  const int step = percent < 0 ? -1 : percent / kProgressStep_percent * kProgressStep_percent;
  if (step == update_percent_) return;
  update_percent_ = step;
  stale_ = true;
}

void App::receive(const Record& record) {
  if (record.kind == Record::Kind::dropped) {
    bad_lines_.add(record.error);
    return;  // nothing of it is shown at once
  }
  if (record.kind == Record::Kind::settings) return;  // the driver's, who keeps them
  server_.receive(record);
  stale_ = true;
}

void App::button(Button which, int64_t now_ms) {
  stale_ = true;
  pressed_ = true;
  if (which == Button::span) {
    span_ = static_cast<Span>((int(span_) + 1) % kSpans);
    return;
  }
  if (which == Button::status) {
    status_wanted_ = !status_wanted_;
    counters_due_ms_ = now_ms;
    return;
  }
  // Only what the panel shows can have been seen: behind another screen, or with an unknown picture on the
  // panel, the button washes.
  if (view_.screen == Screen::live && policy_.panel_known() &&
      (view_.alarm_count > 0 || view_.event_count > 0)) {
    if (server_.machine().acknowledge(view_.event_count > 0)) return;
  }
  policy_.request_wash();
}

Screen App::screen() const {
  if (update_percent_ >= 0) return Screen::updating;
  if (policy_.stopped()) return Screen::panel_fault;
  if (status_wanted_) return Screen::status;
  if (server_.newer()) return Screen::newer_protocol;
  if (server_.machine().has_data()) return Screen::live;
  if (!server_.link_known()) return Screen::boot;
  const LinkStatus& link = server_.link();
  switch (link.phase) {
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
    case LinkPhase::greeting:  // it has not yet said that it is a server
      return link.denied || link.unproven ? Screen::denied : Screen::searching;
    case LinkPhase::connected:
      return link.denied || link.unproven ? Screen::denied : Screen::waiting;
  }
  return Screen::boot;
}

void App::compose(int64_t now_ms) {
  const Machine& machine = server_.machine();
  view_.screen = screen();
  view_.snapshot = machine.shown();
  view_.info = machine.info();
  view_.gpus_power_w = machine.gpus_power_w();
  view_.second_of_day = machine.history_second();
  view_.taste = settings_.taste;
  view_.span = span_;
  const DataAge age = server_.age(now_ms);
  view_.freshness = age.freshness;
  view_.age_s = age.shown_s;
  view_.last_data_s = machine.data_second();
  view_.alarms = machine.alarms().list();
  view_.alarm_count = machine.alarms().count();
  // The loss of the link takes the header: what is behind it has not been seen.
  view_.event_count = view_.freshness == Freshness::lost ? 0 : machine.events().count();
  view_.event = machine.events().newest();

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
    shown_facts_.largest_block_bytes = before.largest_block_bytes;
    shown_facts_.lowest_heap_bytes = before.lowest_heap_bytes;
    shown_facts_.main_stack_bytes = before.main_stack_bytes;
    shown_facts_.network_stack_bytes = before.network_stack_bytes;
    shown_facts_.rssi_dbm = before.rssi_dbm;
  } else {
    counters_due_ms_ = now_ms + kCounters_ms;
  }
}

void App::compose_server(int64_t now_ms) {
  const LinkStatus& link = server_.link();
  const Tried& tried = server_.tried(now_ms);
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

void App::draw(int64_t now_ms) {
  compose(now_ms);
  pending_.add(picture_.draw(view_, canvas_));
  drawn_age_ = server_.age(now_ms);
  drawn_urgent_ = urgent_state(now_ms);
  pressed_ = false;
  stale_ = false;
}

void App::redraw(int64_t now_ms) {
  picture_.invalidate();
  draw(now_ms);
}

}  // namespace inktop
