// One server as the app knows it: the link to it and the machine that its lines tell of.
#pragma once

#include <cstdint>

#include "app/record.h"
#include "machine/machine.h"
#include "picture/view.h"

namespace inktop {

// How old the data is, in the steps in which that is shown: it does not flip pixels with every second.
struct DataAge {
  Freshness freshness = Freshness::fresh;
  uint32_t shown_s = 0;
};

inline bool operator==(const DataAge& a, const DataAge& b) {
  return a.freshness == b.freshness && a.shown_s == b.shown_s;
}

// What the link tries, as a screen says it.
struct Tried {
  char server[64] = "";  // host:port
  uint16_t attempt = 0;
};

class Server {
 public:
  // What happened on its connection, but for dropped lines: the app counts those.
  void receive(const Record& record);

  // Its place is free: nothing of it stays but the limits of the alarms.
  void forget();
  // Its host, or the address at which it is looked for.
  void name(char* out, size_t size) const;
  // Of a machine, or of a fleet.
  bool has_data() const { return machine_.has_data() || has_fleet_; }
  int64_t data_ms() const { return has_fleet_ ? fleet_ms_ : machine_.data_ms(); }
  // The server's second of the day at its newest line, -1: unknown.
  int32_t data_second() const;
  // nullptr: it tells of a machine, or of nothing yet.
  const Fleet* fleet() const { return has_fleet_ ? &fleet_ : nullptr; }

  // The limits of the alarms, for any machine that it shows.
  void set(const AlarmSettings& settings);

  Machine& machine() { return machine_; }
  const Machine& machine() const { return machine_; }
  const LinkStatus& link() const { return link_; }
  // False before the link said anything.
  bool link_known() const { return link_known_; }
  // A connection is open.
  bool open() const { return open_; }
  // It speaks a newer protocol, as far as is known while the board is on the network.
  bool newer() const;
  DataAge age(int64_t now_ms) const;
  // Each address is shown in the first minute of a search, then one every ten minutes: a search that lasts
  // all night must not flip the panel for each.
  const Tried& tried(int64_t now_ms);

 private:
  void clear();
  void data(const Snapshot& line, int64_t now_ms);
  void status(const LinkStatus& status, int64_t now_ms);

  Machine machine_;
  Fleet fleet_;
  bool has_fleet_ = false;
  int64_t fleet_ms_ = INT64_MIN / 2;
  AlarmSettings alarms_;
  // The info line of the open connection, until its next data line tells whose it is.
  InfoLine waiting_info_;
  bool info_waits_ = false;
  bool newer_ = false;       // the last to speak speaks a newer protocol
  bool newer_here_ = false;  // that was on the open connection: its data is not read
  LinkStatus link_;
  bool link_known_ = false;
  int64_t phase_ms_ = INT64_MIN / 2;  // since when the link has been in this phase
  bool open_ = false;
  int64_t closed_ms_ = INT64_MIN / 2;
  Tried tried_;
  int64_t tried_due_ms_ = INT64_MIN / 2;
};

}  // namespace inktop
