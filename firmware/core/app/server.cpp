#include "app/server.h"

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
constexpr int64_t kTriedAtOnce_ms = 60'000;
constexpr int64_t kTriedLater_ms = 600'000;

uint32_t shown_age(int64_t age_ms) {
  constexpr uint32_t kSteps_s[] = {3,   5,   8,    12,   20,   30,    60,    120,
                                   300, 600, 1800, 3600, 7200, 21600, 43200, 86400};
  uint32_t shown = 0;
  for (const uint32_t step : kSteps_s) {
    if (age_ms >= int64_t(step) * 1000) shown = step;
  }
  return shown;
}

// The screen makes no difference between the two.
LinkPhase seen_as(LinkPhase phase) {
  return phase == LinkPhase::greeting ? LinkPhase::searching : phase;
}

bool on_network(LinkPhase phase) {
  return phase == LinkPhase::searching || phase == LinkPhase::greeting || phase == LinkPhase::connected;
}

}  // namespace

void Server::receive(const Record& record) {
  switch (record.kind) {
    case Record::Kind::opened:
      open_ = true;
      newer_here_ = false;
      info_waits_ = false;
      break;
    case Record::Kind::data:
      if (!newer_here_) data(*record.data, record.time_ms);
      break;
    case Record::Kind::fleet:
      if (newer_here_) break;
      if (machine_.has_data()) clear();
      fleet_ = *record.fleet;
      has_fleet_ = true;
      fleet_ms_ = record.time_ms;
      break;
    case Record::Kind::info:
      waiting_info_ = *record.info;
      info_waits_ = true;
      newer_ = newer_here_ = false;
      break;
    case Record::Kind::newer:
      newer_ = newer_here_ = true;
      break;
    case Record::Kind::closed:
      open_ = false;
      closed_ms_ = record.time_ms;
      break;
    case Record::Kind::status:
      if (record.status != nullptr) status(*record.status, record.time_ms);
      break;
    case Record::Kind::settings:
    case Record::Kind::dropped:
    case Record::Kind::text:
    case Record::Kind::forgotten:
      break;
  }
}

// In place: a second one would not fit on the stack of the board's main task.
void Server::clear() {
  new (&machine_) Machine();
  machine_.set(alarms_);
  has_fleet_ = false;
}

void Server::forget() {
  clear();
  info_waits_ = newer_ = newer_here_ = false;
  open_ = false;
  link_known_ = false;
  link_ = LinkStatus();
}

void Server::name(char* out, size_t size) const {
  std::snprintf(out, size, "%s",
                has_fleet_            ? fleet_.host
                : machine_.has_data() ? machine_.host()
                                      : link_.server.host);
}

void Server::set(const AlarmSettings& settings) {
  alarms_ = settings;
  machine_.set(settings);
}

void Server::data(const Snapshot& line, int64_t now_ms) {
  newer_ = false;
  if (has_fleet_ || (machine_.has_data() && std::strcmp(machine_.host(), line.host) != 0)) clear();
  if (info_waits_) machine_.take(waiting_info_);
  info_waits_ = false;
  machine_.take(line, now_ms);
}

void Server::status(const LinkStatus& status, int64_t now_ms) {
  const bool same = link_known_ && seen_as(status.phase) == seen_as(link_.phase) &&
                    status.denied == link_.denied && status.unproven == link_.unproven;
  if (!same) {
    phase_ms_ = now_ms;
    tried_due_ms_ = now_ms;
  }
  link_ = status;
  link_known_ = true;
}

int32_t Server::data_second() const {
  if (has_fleet_) return seconds_of_day(fleet_.time);
  return machine_.has_data() ? machine_.data_second() : -1;
}

bool Server::newer() const {
  return newer_ && on_network(link_.phase);
}

DataAge Server::age(int64_t now_ms) const {
  DataAge age;
  if (!has_data()) return age;
  const int64_t age_ms = now_ms - data_ms();
  if (age_ms < kOld_ms) return age;
  age.shown_s = shown_age(age_ms);
  const bool link_down = !open_ && now_ms - closed_ms_ >= kReconnect_ms;
  age.freshness = age_ms >= kLost_ms || link_down ? Freshness::lost : Freshness::old;
  return age;
}

const Tried& Server::tried(int64_t now_ms) {
  // On the dashboard it is a word in the header of a lost link, large and black: never at once.
  const bool at_once = !has_data() && now_ms - phase_ms_ < kTriedAtOnce_ms;
  if (!at_once && now_ms < tried_due_ms_) return tried_;
  tried_due_ms_ = now_ms + kTriedLater_ms;
  tried_.attempt = link_.attempt;
  tried_.server[0] = 0;
  const char* const host = link_.server.host;
  if (host[0] == 0) return tried_;
  const bool is_v6 = std::strchr(host, ':') != nullptr;
  std::snprintf(tried_.server, sizeof tried_.server, is_v6 ? "[%.54s]:%u" : "%.56s:%u", host,
                unsigned(link_.server.port));
  return tried_;
}

}  // namespace inktop
