// Decides when a shown number changes, so that last digits do not flicker.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inktop/line.h"

namespace inktop {

// One shown number. It follows at once by a step that a person would notice, after ten seconds by half of
// that, and is set right whenever the clock is redrawn anyway.
class SteadyValue {
 public:
  // `step`: the change that is shown at once. `exact`: show the value as it is. A value that cannot be read
  // is held for three seconds before it is shown as unknown. `passed_s`: since the line before.
  int64_t settle(int64_t value, int64_t step, bool exact, int passed_s = 1);
  int64_t shown() const { return shown_; }

 private:
  int64_t shown_ = kUnknown;
  uint8_t off_s_ = 0;      // for how long it has been off by half a step
  uint8_t unknown_s_ = 0;  // for how long it could not be read
};

// A shown word: another one is shown once it has held for ten seconds, and when the clock is redrawn anyway.
class SteadyWord {
 public:
  // Puts the word to be shown in place of the one that a line said.
  template <size_t kSize>
  void settle(char (&word)[kSize], bool exact, int passed_s) {
    settle(word, kSize, exact, passed_s);
  }

 private:
  void settle(char* word, size_t size, bool exact, int passed_s);

  static constexpr size_t kMost = 9;
  char shown_[kMost] = "";
  uint8_t off_s_ = 0;  // for how long the lines have said something else
};

// A mean over about `2^kShift` seconds that jumps along with a large change.
template <int kShift>
class RunningMean {
 public:
  // `jump`: a difference from the mean that is a change and no jitter.
  int64_t add(int64_t value, int64_t jump) {
    if (value == kUnknown) {
      known_ = false;
      return kUnknown;
    }
    const int64_t scaled = value * kScale;
    const int64_t difference = scaled - mean_;
    if (!known_ || (difference < 0 ? -difference : difference) >= jump * kScale) {
      mean_ = scaled;
      known_ = true;
    } else {
      mean_ += difference / (1 << kShift);
    }
    return (mean_ + kScale / 2) / kScale;
  }

 private:
  static constexpr int64_t kScale = 64;
  int64_t mean_ = 0;
  bool known_ = false;
};

class Steady {
 public:
  // Takes each data line once; returns what is to be drawn.
  const Snapshot& settle(const Snapshot& snapshot);
  const Snapshot& shown() const { return shown_; }
  // Watts of all GPUs together, kUnknown where none says; steadier than each of them.
  int32_t gpus_power_w() const { return static_cast<int32_t>(gpus_power_.shown()); }

 private:
  struct GpuValues {
    RunningMean<2> busy_mean;
    SteadyValue busy;
    SteadyValue vram;
    SteadyValue user_vram;
    SteadyValue edge;
    SteadyValue junction;
    SteadyValue memory;
    SteadyValue power;
    SteadyValue fan;
    SteadyValue core_clock;
    SteadyWord throttle;
  };

  void clear();
  void settle_gpu(Gpu& gpu, bool exact);
  void settle_user(GpuUser& user, bool exact);
  void settle_server(ModelServer& server, bool exact);

  Snapshot shown_;
  int64_t newest_s_ = kUnknown;  // uptime of the newest snapshot
  int passed_s_ = 1;             // since the snapshot before
  int64_t minute_uptime_s_ = kUnknown;
  char minute_[6] = "";
  bool begun_ = false;
  RunningMean<2> cpu_mean_;
  SteadyValue cpu_;
  RunningMean<3> level_means_[kMaxCpuLevels];
  SteadyValue levels_[kMaxCpuLevels];
  SteadyValue load_[3];
  SteadyValue memory_used_;
  SteadyValue memory_cache_;
  SteadyValue swap_used_;
  RunningMean<3> received_mean_;
  RunningMean<3> sent_mean_;
  SteadyValue cpu_c_;
  // By their place: the fullest is first.
  SteadyValue disks_[kMaxDisks];
  RunningMean<3> disk_read_mean_;
  RunningMean<3> disk_written_mean_;
  SteadyValue disk_read_;
  SteadyValue disk_written_;
  SteadyValue received_;
  SteadyValue sent_;
  GpuValues gpus_[kMaxGpus];
  SteadyValue gpus_power_;
  SteadyValue generated_;
  SteadyValue prompt_;
  SteadyValue cache_percent_;
};

}  // namespace inktop
