// One server, as its lines tell of it.
#pragma once

#include <cstdint>

#include "inktop/line.h"
#include "machine/alarms.h"
#include "machine/events.h"
#include "machine/history.h"
#include "machine/steady.h"
#include "machine/wall_clock.h"

namespace inktop {

// One Machine for each server; any number can exist side by side. It is large (history): keep it in static
// memory, not on a stack. No I/O, no allocation.
class Machine {
 public:
  // The server's info line.
  void take(const InfoLine& info);
  // One of its data lines, which arrived at `now_ms` (the board's time).
  void take(const Snapshot& line, int64_t now_ms);
  // A person has seen the alarms that are on, and with `header` the events in the header too: they are not
  // shown again until they have ended and begun again, and the cards that only this board remembers are
  // forgotten with the next line. True when there was something to acknowledge.
  bool acknowledge(bool header);
  // An acknowledgement for the server is on its way.
  void told() { events_.told(); }

  void set(const AlarmSettings& settings) { alarms_.set(settings); }

  bool has_data() const { return has_data_; }
  // The host name of its data lines; empty before the first.
  const char* host() const { return newest_.host; }
  // When the newest data line arrived, board's time; meaningless without data.
  int64_t data_ms() const { return data_ms_; }
  // When the server started, board's time, as far as its newest line tells; INT64_MIN: it does not.
  int64_t started_ms() const {
    return newest_.uptime_s == kUnknown ? INT64_MIN / 2 : data_ms_ - newest_.uptime_s * 1000;
  }
  // What to draw: the newest data line with the cards that left it kept as lost, its numbers settled.
  // nullptr before the first.
  const Snapshot* shown() const { return has_data_ ? &steady_.shown() : nullptr; }
  // Watts of all GPUs together, steadied; kUnknown where none says, and before the first data line.
  int32_t gpus_power_w() const { return has_data_ ? steady_.gpus_power_w() : static_cast<int32_t>(kUnknown); }
  // nullptr before the first info line.
  const InfoLine* info() const { return has_info_ ? &info_ : nullptr; }
  const History& history() const { return history_; }
  const Alarms& alarms() const { return alarms_; }
  const Events& events() const { return events_; }
  // The server's second of the day at the newest column of the graphs and at the newest
  // data line; -1: unknown.
  int32_t history_second() const { return history_.empty() ? -1 : clock_.at(history_.newest()); }
  int32_t data_second() const { return newest_.uptime_s < 0 ? -1 : clock_.at(newest_.uptime_s); }

 private:
  uint32_t vanished_gpus(const Snapshot& line) const;

  bool has_data_ = false;
  bool has_info_ = false;
  int64_t data_ms_ = INT64_MIN / 2;
  uint32_t kept_gpus_ = 0;  // bits of the lost cards that are no more in the line
  Snapshot newest_;
  InfoLine info_;
  History history_;
  WallClock clock_;
  Alarms alarms_;
  Events events_;
  Steady steady_;
};

}  // namespace inktop
