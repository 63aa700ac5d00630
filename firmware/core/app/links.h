// All servers that the board follows at the same time: a feed each, and whose an announcement is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "app/feed.h"
#include "app/record_queue.h"
#include "link/link.h"

namespace inktop {

// How many places the settings fill from the start on; 0: one, whose server the board finds by itself.
int configured_places(const LinkSettings& settings, Follow follow);

// Drives as one Link is driven, place by place. The first place is always in use: it joins Wi-Fi and asks by
// mDNS. The network task's alone; large, since each feed parses its own lines.
class Links {
 public:
  static constexpr int kPlaces = kMaxServers;
  // A server that the board found by itself keeps its place for so long after its last data line; where a new
  // one needs a place, the one that is gone for longest gives way a little later than a restart takes.
  static constexpr int64_t kKept_ms = 24 * 3600'000;
  static constexpr int64_t kGivesWay_ms = 600'000;

  Links(const LinkSettings& settings, Follow follow, RecordQueue& records);

  // nullptr: nobody has that place. After each call that takes a time, another one may have gone or come.
  Feed* feed(int place) { return feeds_[place] ? &*feeds_[place] : nullptr; }

  // As Link::next(), for each place; what only one link may do is asked for by one.
  LinkAction next(int place, int64_t now_ms);
  void wifi(WifiState state, int64_t now_ms);
  // A datagram on the announcement port: it is told to the link of that server, which may be a new one.
  void datagram(const char* bytes, size_t size, int64_t now_ms);
  // Call after each step: tells the app what has changed, and forgets who is gone for good.
  void step(int64_t now_ms);

 private:
  LinkSettings settings_of(int place) const;
  void begin(int place, const char* host, int64_t now_ms);
  void forget(int place, int64_t now_ms);
  int place_of(const char* host) const;
  int free_place(int64_t now_ms);
  bool others(int place) const;
  int64_t gone_since(int place) const;

  LinkSettings settings_;
  int configured_;
  bool grows_;  // each that announces itself gets a place
  bool wifi_up_ = false;
  RecordQueue& records_;
  Trust trust_;
  std::optional<Feed> feeds_[kPlaces];
  // Whose the place is, where the board finds its servers by itself; empty: nobody's yet.
  char hosts_[kPlaces][sizeof Announcement::host] = {};
  int64_t since_ms_[kPlaces] = {};
  bool close_first_[kPlaces] = {};  // what its driver has of the server before
  Parsed parsed_;
};

}  // namespace inktop
