// What a board with several servers shows: all in a grid, one large, or one after the other.
#pragma once

#include <cstdint>

#include "link/link.h"
#include "picture/taste.h"

namespace inktop {

// One large gives way to a server with an alarm that nobody has seen, the newest first, until it is
// acknowledged, it is over, or a person goes on by the button. A grid shows every alarm anyway.
class Showing {
 public:
  static constexpr int kGrid = -1;

  void set(const ShowSettings& settings);
  // A server is there from now on, or no more.
  void present(int server, bool is);
  // How many alarms and events of it nobody has seen.
  void unseen(int server, int count, int64_t now_ms);
  // A person goes on: what the setting says, the grid, and each server, round and round.
  void next(int64_t now_ms);
  // Lets a turn pass when it is due.
  void step(int64_t now_ms);

  // The server that is large, or kGrid. With one server it is that one, and the first one with none.
  int shown() const;
  // It is there for its alarm, and another one would be without it.
  bool forward() const { return shown() != chosen(); }
  int count() const;
  bool is_present(int server) const { return (present_ >> server & 1u) != 0; }

 private:
  // What a person has chosen by the button; servers are 0 to kMaxServers - 1.
  static constexpr int kBySetting = -2;

  int chosen() const;
  int after(int server) const;
  int loudest() const;

  ShowSettings settings_;
  uint32_t present_ = 0;  // a bit for each server
  int choice_ = kBySetting;
  int turn_ = 0;  // the server whose turn it is
  int64_t turned_ms_ = INT64_MIN / 2;
  int unseen_[kMaxServers] = {};
  int64_t alarm_ms_[kMaxServers] = {};  // since when, 0: it does not come forward
};

}  // namespace inktop
