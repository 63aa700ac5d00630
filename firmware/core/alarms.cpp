#include "alarms.h"

#include <cstring>

#include "wall_clock.h"

namespace inktop {
namespace {

// Where the info line names no critical temperature (protocol/README.md, section 6).
constexpr int32_t kDefaultCritical_c = 100;
// Below critical by this much, for kEnd_s, ends a temperature alarm.
constexpr int32_t kCooler_c = 5;
// A fan that stands still matters when the card is hot: zero-rpm modes stop it below about 60 °C.
constexpr int32_t kFanHot_c = 80;
constexpr int32_t kFanCool_c = 70;
constexpr int32_t kFanBegin_s = 10;
constexpr int32_t kMemoryFull_permille = 950;
constexpr int32_t kMemoryFree_permille = 900;
constexpr int32_t kMemoryBegin_s = 5;
// An alarm from numbers ends only after a minute on the good side: it cannot come and go twice a minute.
constexpr int32_t kEnd_s = 60;

// When the server says it began; -1 when no standing event tells.
int32_t event_time(const Snapshot& snapshot, int gpu, const char* what) {
  for (int i = 0; i < snapshot.event_count; ++i) {
    const Event& event = snapshot.events[i];
    if (std::strncmp(event.subject, "gpu", 3) != 0 || std::strcmp(event.what, what) != 0) continue;
    int index = 0;
    const char* digit = event.subject + 3;
    if (*digit == 0) continue;
    for (; *digit >= '0' && *digit <= '9'; ++digit) index = index * 10 + (*digit - '0');
    if (*digit == 0 && index == gpu) return seconds_of_day(event.time);
  }
  return -1;
}

struct Limits {
  int32_t junction_c = kDefaultCritical_c;
  int32_t memory_c = kDefaultCritical_c;
};

Limits limits(const InfoLine* info, int gpu) {
  Limits found;
  for (int i = 0; info != nullptr && i < info->gpu_count; ++i) {
    if (info->gpus[i].index != gpu) continue;
    if (info->gpus[i].junction_critical_c > 0) found.junction_c = info->gpus[i].junction_critical_c;
    if (info->gpus[i].memory_critical_c > 0) found.memory_c = info->gpus[i].memory_critical_c;
  }
  return found;
}

bool is(const Gpu& gpu, const char* state) {
  return std::strcmp(gpu.state, state) == 0;
}

}  // namespace

// One line a second: lines are counted as seconds.
void Alarms::judge(AlarmKind kind, int gpu, bool on, bool off, int begin_after_s, int end_after_s,
                   int32_t since_s) {
  Entry& one = entry(kind, gpu);
  if (one.active ? !off : !on) {
    one.pending_s = 0;
    return;
  }
  const int wait_s = one.active ? end_after_s : begin_after_s;
  if (one.pending_s < wait_s) {
    ++one.pending_s;
    return;
  }
  one.active = !one.active;
  one.pending_s = 0;
  one.acknowledged = false;
  if (one.active) one.since_s = since_s;
}

void Alarms::update(const Snapshot& snapshot, const InfoLine* info, int32_t second_of_day) {
  bool present[kMaxGpus] = {};
  for (int i = 0; i < snapshot.gpu_count; ++i) {
    const Gpu& gpu = snapshot.gpus[i];
    present[gpu.index] = true;
    const struct {
      AlarmKind kind;
      const char* state;
    } states[] = {
        {AlarmKind::gpu_lost, "lost"}, {AlarmKind::gpu_reset, "reset"}, {AlarmKind::gpu_stale, "stale"}};
    for (const auto& each : states) {
      const bool on = is(gpu, each.state);
      const int32_t told = event_time(snapshot, gpu.index, each.state);
      judge(each.kind, gpu.index, on, !on, 0, 0, told >= 0 ? told : second_of_day);
      Entry& one = entry(each.kind, gpu.index);
      if (one.active && told >= 0)
        one.since_s = told;  // the server knows better, also after this board's restart
    }
    const Limits critical = limits(info, gpu.index);
    judge(AlarmKind::gpu_junction_hot, gpu.index, gpu.junction_c >= critical.junction_c,
          gpu.junction_c < critical.junction_c - kCooler_c, 0, kEnd_s, second_of_day);
    judge(AlarmKind::gpu_memory_hot, gpu.index, gpu.memory_c >= critical.memory_c,
          gpu.memory_c < critical.memory_c - kCooler_c, 0, kEnd_s, second_of_day);
    const int32_t hottest_c = gpu.junction_c > gpu.edge_c ? gpu.junction_c : gpu.edge_c;
    // A fan that reports 0 rpm but is driven is a tachometer that cannot be read, not a fan that stands.
    const bool driven = gpu.fan_percent > 0;
    judge(AlarmKind::gpu_fan_stopped, gpu.index, gpu.fan_rpm == 0 && !driven && hottest_c >= kFanHot_c,
          gpu.fan_rpm != 0 || hottest_c < kFanCool_c, kFanBegin_s, kEnd_s, second_of_day);
  }
  // A place without a card (its loss was acknowledged on the server) has nothing to alarm about.
  for (int gpu = 0; gpu < kMaxGpus; ++gpu) {
    if (present[gpu]) continue;
    for (int kind = 0; kind < kKinds; ++kind) {
      if (AlarmKind(kind) != AlarmKind::memory_full) entries_[gpu * kKinds + kind] = Entry();
    }
  }
  int32_t used_permille = 0;
  if (snapshot.has_memory && snapshot.memory.used_milligib >= 0 && snapshot.memory.total_milligib > 0) {
    used_permille = int32_t(int64_t(snapshot.memory.used_milligib) * 1000 / snapshot.memory.total_milligib);
  }
  judge(AlarmKind::memory_full, 0, used_permille >= kMemoryFull_permille,
        used_permille < kMemoryFree_permille, kMemoryBegin_s, kEnd_s, second_of_day);

  count_ = 0;
  for (int gpu = 0; gpu < kMaxGpus; ++gpu) {
    for (int kind = 0; kind < kKinds; ++kind) {
      const Entry& one = entries_[gpu * kKinds + kind];
      if (!one.active || one.acknowledged || count_ == kMaxAlarms) continue;
      list_[count_].kind = AlarmKind(kind);
      list_[count_].gpu = uint8_t(gpu);
      list_[count_].since_s = one.since_s;
      ++count_;
    }
  }
}

bool Alarms::acknowledge() {
  bool any = false;
  for (auto& one : entries_) {
    if (!one.active || one.acknowledged) continue;
    one.acknowledged = true;
    any = true;
  }
  count_ = 0;
  return any;
}

void Alarms::clear() {
  for (auto& one : entries_) one = Entry();
  count_ = 0;
}

}  // namespace inktop
