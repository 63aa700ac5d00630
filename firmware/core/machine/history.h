// The last five minutes of each graphed value, one sample a second, placed by the line's own uptime.
#pragma once

#include <cstdint>

#include "inktop/line.h"

namespace inktop {

constexpr int kHistorySeconds = 300;

// One value over the window, in the unit in which it is drawn: permille for busy, bytes/s for traffic.
class Series {
 public:
  static constexpr uint64_t kUnknown = ~0ull;

  // Sets the value of one second (server uptime). Seconds older than the window are dropped; seconds between
  // the newest and a later one become unknown; an uptime that goes back by more than the window (a reboot)
  // starts the series again.
  void put(uint32_t uptime_s, uint64_t value);
  // The value of that second; kUnknown when nothing was received or it has left the window.
  uint64_t at(uint32_t uptime_s) const;
  // Largest known value of the window, 0 when none is known.
  uint64_t max() const;
  void clear();

 private:
  uint64_t values_[kHistorySeconds];
  uint32_t newest_ = 0;
  bool filled_ = false;
};

// All series of one machine.
class History {
 public:
  void clear();
  // Adds one data line; a line without uptime adds nothing.
  void add(const Snapshot& snapshot);

  const Series& cpu_permille() const { return cpu_; }
  const Series& gpu_permille(int index) const { return gpus_[index]; }
  const Series& received() const { return received_; }
  const Series& sent() const { return sent_; }
  // Uptime of the newest line; meaningless while empty().
  uint32_t newest() const { return newest_; }
  bool empty() const { return empty_; }

 private:
  Series cpu_;
  Series gpus_[kMaxGpus];
  Series received_;
  Series sent_;
  uint32_t newest_ = 0;
  bool empty_ = true;
};

}  // namespace inktop
