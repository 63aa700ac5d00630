#include "machine/history.h"

namespace inktop {
namespace {

// Lines arrive in order, so an uptime that falls by more than this is a reboot.
constexpr int64_t kRebootSlack_s = 5;

uint64_t known(int64_t value, uint32_t scale) {
  return value < 0 ? Series::kUnknown : uint64_t(value) * scale;
}

}  // namespace

void Series::clear() {
  filled_ = false;
}

void Series::put(uint32_t uptime_s, uint64_t value) {
  if (filled_ && uptime_s <= newest_) {
    if (newest_ - uptime_s < kHistorySeconds) {
      values_[uptime_s % kHistorySeconds] = value;
      return;
    }
    filled_ = false;  // from before the window: a new start
  }
  if (!filled_ || uptime_s - newest_ >= kHistorySeconds) {
    for (auto& each : values_) each = kUnknown;
  } else {
    for (uint32_t second = newest_ + 1; second < uptime_s; ++second)
      values_[second % kHistorySeconds] = kUnknown;
  }
  values_[uptime_s % kHistorySeconds] = value;
  newest_ = uptime_s;
  filled_ = true;
}

uint64_t Series::at(uint32_t uptime_s) const {
  if (!filled_ || uptime_s > newest_ || newest_ - uptime_s >= kHistorySeconds) return kUnknown;
  return values_[uptime_s % kHistorySeconds];
}

uint64_t Series::max() const {
  uint64_t largest = 0;
  if (!filled_) return largest;
  for (const auto value : values_) {
    if (value != kUnknown && value > largest) largest = value;
  }
  return largest;
}

void History::clear() {
  cpu_.clear();
  for (auto& gpu : gpus_) gpu.clear();
  received_.clear();
  sent_.clear();
  newest_ = 0;
  empty_ = true;
}

void History::add(const Snapshot& snapshot) {
  if (snapshot.uptime_s < 0) return;
  const auto uptime_s = uint32_t(snapshot.uptime_s);
  if (!empty_ && snapshot.uptime_s + kRebootSlack_s < newest_) clear();
  cpu_.put(uptime_s, known(snapshot.cpu_permille, 1));
  for (int i = 0; i < snapshot.gpu_count; ++i) {
    gpus_[snapshot.gpus[i].index].put(uptime_s, known(snapshot.gpus[i].busy_percent, 10));
  }
  if (snapshot.has_network) {
    received_.put(uptime_s, known(snapshot.network.received_bytes_s, 1));
    sent_.put(uptime_s, known(snapshot.network.sent_bytes_s, 1));
  }
  if (empty_ || uptime_s > newest_) newest_ = uptime_s;
  empty_ = false;
}

}  // namespace inktop
