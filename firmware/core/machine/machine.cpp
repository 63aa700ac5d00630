#include "machine/machine.h"

#include <cstring>

namespace inktop {
namespace {

uint32_t bit_of(const Gpu& gpu) {
  return 1u << gpu.index;
}

void insert_gpu(Snapshot& snapshot, const Gpu& gpu) {
  if (snapshot.gpu_count >= kMaxGpus) return;
  int place = snapshot.gpu_count++;
  for (; place > 0 && snapshot.gpus[place - 1].index > gpu.index; --place)
    snapshot.gpus[place] = snapshot.gpus[place - 1];
  snapshot.gpus[place] = gpu;
}

}  // namespace

void Machine::take(const InfoLine& info) {
  info_ = info;
  has_info_ = true;
  if (info.has_clock) clock_.observe(info.clock);
}

void Machine::take(const Snapshot& line, int64_t now_ms) {
  const uint32_t vanished = has_data_ ? vanished_gpus(line) : 0;
  newest_ = line;
  for (int index = 0; index < kMaxGpus; ++index) {
    if ((vanished & 1u << index) == 0) continue;
    Gpu lost;
    lost.index = index;
    std::strcpy(lost.state, "lost");
    insert_gpu(newest_, lost);
  }
  kept_gpus_ = vanished;
  has_data_ = true;
  data_ms_ = now_ms;
  history_.add(newest_);
  clock_.observe(newest_);
  alarms_.update(newest_, info(), clock_.at(newest_.uptime_s));
  events_.update(newest_);
  steady_.settle(newest_);
}

// Bits of the cards that have left the line: they keep their place as lost. One that the collector had called
// `lost` before was forgotten on purpose.
uint32_t Machine::vanished_gpus(const Snapshot& line) const {
  uint32_t present = 0;
  for (int i = 0; i < line.gpu_count; ++i) present |= bit_of(line.gpus[i]);
  uint32_t vanished = 0;
  for (int i = 0; i < newest_.gpu_count; ++i) {
    const Gpu& gpu = newest_.gpus[i];
    const bool forgotten = std::strcmp(gpu.state, "lost") == 0 && (kept_gpus_ & bit_of(gpu)) == 0;
    if (!forgotten) vanished |= bit_of(gpu);
  }
  return vanished & ~present;
}

bool Machine::acknowledge(bool header) {
  kept_gpus_ = 0;
  const bool events = events_.acknowledge(header);
  return alarms_.acknowledge() || events;
}

}  // namespace inktop
