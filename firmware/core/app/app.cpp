#include "app/app.h"

namespace inktop {
namespace {

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
  view_.history = &servers_[0].machine().history();
  view_.board = &shown_facts_;
  showing_.set(settings.show);
  for (Server& server : servers_) server.set(settings.alarms);
  for (int64_t& due_ms : next_health_ms_) due_ms = INT64_MIN / 2;
}

void App::set_settings(const AppSettings& settings) {
  if (settings.span != settings_.span) span_ = settings.span;
  settings_ = settings;
  policy_.set(settings.refresh);
  showing_.set(settings.show);
  for (Server& server : servers_) server.set(settings.alarms);
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
  Server& server = servers_[record.server];
  const Machine& machine = server.machine();
  const bool had_data = server.has_data();
  if (record.kind == Record::Kind::forgotten) {
    server.forget();
  } else {
    server.receive(record);
  }
  const int shown = showing_.shown();
  showing_.unseen(record.server, machine.alarms().count() + machine.events().count(), record.time_ms);
  // A line of a server that is not on the screen changes nothing of it.
  const bool hidden = (record.kind == Record::Kind::data || record.kind == Record::Kind::fleet) && had_data &&
                      shown != Showing::kGrid && shown != record.server && shown == showing_.shown();
  if (!hidden) stale_ = true;
}

void App::button(Button which, int64_t now_ms) {
  stale_ = true;
  pressed_ = true;
  if (which == Button::span || (which == Button::next && showing_.count() <= 1)) {
    span_ = static_cast<Span>((int(span_) + 1) % kSpans);
    return;
  }
  if (which == Button::next) return showing_.next(now_ms);
  if (which == Button::status) {
    status_wanted_ = !status_wanted_;
    counters_due_ms_ = now_ms;
    return;
  }
  // Only what the panel shows can have been seen: behind another screen, or with an unknown picture on the
  // panel, the button washes.
  if (view_.screen == Screen::live && policy_.panel_known() &&
      (view_.alarm_count > 0 || view_.event_count > 0)) {
    if (acknowledge()) return;
  }
  policy_.request_wash();
}

Screen App::screen() const {
  if (update_percent_ >= 0) return Screen::updating;
  if (policy_.stopped()) return Screen::panel_fault;
  if (status_wanted_) return Screen::status;
  const int shown = showing_.shown();
  const Server& server = servers_[main_place()];
  if (shown != Showing::kGrid && server.newer()) return Screen::newer_protocol;
  if (server.has_data()) return Screen::live;
  if (!server.link_known()) return Screen::boot;
  const LinkStatus& link = server.link();
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

void App::draw(int64_t now_ms, bool quiet) {
  compose(now_ms, quiet);
  pending_.add(picture_.draw(view_, canvas_));
  drawn_ages_ = ages(now_ms);
  drawn_urgent_ = urgent_state(now_ms, quiet);
  if (drawn_shown_ != showing_.shown() && view_.screen == Screen::live) policy_.turned();
  drawn_shown_ = showing_.shown();
  pressed_ = false;
  stale_ = false;
}

void App::redraw(int64_t now_ms) {
  picture_.invalidate();
  draw(now_ms, quiet_now(now_ms));
}

}  // namespace inktop
