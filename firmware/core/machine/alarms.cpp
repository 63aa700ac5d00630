#include "machine/alarms.h"

#include <cstring>

#include "machine/wall_clock.h"

namespace inktop {
namespace {

// Where the info line names no critical temperature (protocol/README.md, section 6).
constexpr int32_t kDefaultCritical_c = 100;
// The same for a card that has an edge temperature alone: cards of NVIDIA slow down at about 90.
constexpr int32_t kDefaultEdgeCritical_c = 95;
// Below critical by this much, for kEnd_s, ends a temperature alarm.
constexpr int32_t kCooler_c = 5;
// A stopped fan matters when the card is hot: zero-rpm modes stop it below about 60 °C.
constexpr int32_t kFanHot_c = 80;
constexpr int32_t kFanCool_c = 70;
constexpr int32_t kFanBegin_s = 10;
// Below the limit by this much, for kEnd_s, ends an alarm about what is full.
constexpr int32_t kFreer_permille = 50;
constexpr int32_t kMemoryBegin_s = 5;
constexpr int32_t kDiskFreer_permille = 20;
constexpr int32_t kDiskBegin_s = 20;
constexpr int32_t kThrottleBegin_s = 10;
// Longer than a link takes to speed up, and than the server takes to look at it again.
constexpr int32_t kLinkBegin_s = 25;
// An alarm from numbers ends only after a minute on the good side: it cannot come and go twice a minute.
constexpr int32_t kEnd_s = 60;
// A gap between two lines counts as this much at most.
constexpr int32_t kLongest_s = 3600;

// When it began, by the server's event; -1: no event says so.
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
  int32_t edge_c = kDefaultEdgeCritical_c;
  int32_t memory_c = kDefaultCritical_c;
};

// What is set goes before what the card says of itself.
Limits limits(const AlarmSettings& settings, const GpuInfo* info) {
  Limits found;
  if (info != nullptr) {
    if (info->junction_critical_c > 0) found.junction_c = info->junction_critical_c;
    if (info->edge_critical_c > 0) found.edge_c = info->edge_critical_c;
    if (info->memory_critical_c > 0) found.memory_c = info->memory_critical_c;
  }
  if (settings.hot_junction_c > 0) found.junction_c = settings.hot_junction_c;
  if (settings.hot_edge_c > 0) found.edge_c = settings.hot_edge_c;
  if (settings.hot_memory_c > 0) found.memory_c = settings.hot_memory_c;
  return found;
}

const GpuInfo* facts_of(const InfoLine* info, int gpu) {
  for (int i = 0; info != nullptr && i < info->gpu_count; ++i) {
    if (info->gpus[i].index == gpu) return &info->gpus[i];
  }
  return nullptr;
}

bool is(const Gpu& gpu, const char* state) {
  return std::strcmp(gpu.state, state) == 0;
}

}  // namespace

void Alarms::judge(AlarmKind kind, int gpu, Verdict verdict, Wait wait, int32_t since_s) {
  Entry& one = entry(kind, gpu);
  if (verdict == Verdict::unknown) return;
  if (verdict != (one.active ? Verdict::off : Verdict::on)) {
    one.held_s = -1;
    return;
  }
  one.held_s = one.held_s < 0 ? 0 : one.held_s + passed_s_;
  if (one.held_s < (one.active ? wait.end_s : wait.begin_s)) return;
  one.active = !one.active;
  one.held_s = -1;
  one.acknowledged = false;
  if (one.active) one.since_s = since_s;
}

Alarms::Verdict Alarms::heat(int32_t celsius, int32_t critical_c) {
  if (celsius == kUnknown) return Verdict::unknown;
  if (celsius >= critical_c) return Verdict::on;
  return celsius < critical_c - kCooler_c ? Verdict::off : Verdict::between;
}

Alarms::Verdict Alarms::fan(const Gpu& gpu) {
  const int32_t hottest_c = gpu.junction_c > gpu.edge_c ? gpu.junction_c : gpu.edge_c;
  // A fan that reports 0 rpm but is driven is a tachometer that cannot be read, not a stopped fan.
  if (gpu.fan_rpm > 0 || gpu.fan_percent > 0) return Verdict::off;
  if (gpu.fan_rpm == kUnknown || hottest_c == kUnknown) return Verdict::unknown;
  if (hottest_c >= kFanHot_c) return Verdict::on;
  return hottest_c < kFanCool_c ? Verdict::off : Verdict::between;
}

// One reason at a time: the gravest, as the server says it.
void Alarms::judge_throttle(const Gpu& gpu, bool off, int32_t second_of_day) {
  const char* const words[] = {"heat", "current", "power"};
  const AlarmKind kinds[] = {AlarmKind::gpu_throttled_heat, AlarmKind::gpu_throttled_current,
                             AlarmKind::gpu_throttled_power, AlarmKind::gpu_throttled_other};
  const bool known = gpu.throttle[0] != 0;
  int reason = std::strcmp(gpu.throttle, "none") == 0 || !known ? -1 : 3;
  for (int i = 0; i < 3; ++i) {
    if (std::strcmp(gpu.throttle, words[i]) == 0) reason = i;
  }
  for (int i = 0; i < 4; ++i) {
    const bool wanted = settings_.throttle == ThrottleAlarm::any ||
                        (settings_.throttle == ThrottleAlarm::heat && kinds[i] == kinds[0]);
    const Verdict verdict = off || !wanted ? Verdict::off
                            : !known       ? Verdict::unknown
                            : reason == i  ? Verdict::on
                                           : Verdict::off;
    judge(kinds[i], gpu.index, verdict, {kThrottleBegin_s, kEnd_s}, second_of_day);
  }
}

// A link below what it can be counts under load alone, and does not end by rest.
void Alarms::judge_link(const Gpu& gpu, const GpuInfo* info, bool off, int32_t second_of_day) {
  const int32_t limit_percent = settings_.link_busy_percent;
  // Where nobody knows the load, half of the power cap is one.
  const bool by_power = gpu.busy_percent == kUnknown && gpu.power_w != kUnknown && info != nullptr &&
                        info->power_cap_w > 0 && 2 * gpu.power_w >= info->power_cap_w;
  const bool loaded = by_power || (gpu.busy_percent != kUnknown && gpu.busy_percent >= limit_percent);
  const struct {
    AlarmKind kind;
    int32_t now;
    int32_t most;
  } sides[] = {
      {AlarmKind::gpu_link_narrow, gpu.link_width, info == nullptr ? kUnknown : info->link_width},
      {AlarmKind::gpu_link_slow, gpu.link_generation, info == nullptr ? kUnknown : info->link_generation}};
  for (const auto& side : sides) {
    Verdict verdict = Verdict::unknown;
    const bool known = side.now > 0 && side.most > 0;
    if (off || limit_percent == 0) {
      verdict = Verdict::off;
    } else if (known && side.now < side.most) {
      verdict = loaded ? Verdict::on : Verdict::between;
      Entry& one = entry(side.kind, gpu.index);
      if (loaded && (one.most != side.most || one.now == 0 || side.now < one.now || !one.active)) {
        one.now = uint8_t(side.now);
        one.most = uint8_t(side.most);
      }
    } else if (known) {
      verdict = Verdict::off;
    }
    judge(side.kind, gpu.index, verdict, {kLinkBegin_s, kEnd_s}, second_of_day);
  }
}

Alarms::Verdict Alarms::full(int64_t used, int64_t total, int32_t limit_percent) {
  if (limit_percent == 0) return Verdict::off;
  if (used < 0 || total <= 0) return Verdict::unknown;
  const int64_t used_permille = used * 1000 / total;
  if (used_permille >= limit_percent * 10) return Verdict::on;
  return used_permille < limit_percent * 10 - kFreer_permille ? Verdict::off : Verdict::between;
}

Alarms::Verdict Alarms::memory(const Snapshot& snapshot) const {
  if (!snapshot.has_memory) return Verdict::off;
  return full(snapshot.memory.used_milligib, snapshot.memory.total_milligib, settings_.full_memory_percent);
}

// The fullest file system.
Alarms::Verdict Alarms::disks(const Snapshot& snapshot) const {
  const int32_t full_permille = settings_.full_disk_percent * 10;
  if (full_permille == 0) return Verdict::off;
  int64_t fullest_permille = -1;
  for (int i = 0; i < snapshot.disk_count; ++i) {
    const Disk& disk = snapshot.disks[i];
    if (disk.total_mib <= 0) continue;
    const int64_t permille = disk.used_mib * 1000 / disk.total_mib;
    if (permille > fullest_permille) fullest_permille = permille;
  }
  // Without any the server may be waiting for a disk: nothing begins, nothing ends.
  if (fullest_permille < 0) return Verdict::unknown;
  if (fullest_permille >= full_permille) return Verdict::on;
  return fullest_permille < full_permille - kDiskFreer_permille ? Verdict::off : Verdict::between;
}

void Alarms::update(const Snapshot& snapshot, const InfoLine* info, int32_t second_of_day) {
  // Time passes by the server's uptime, at any interval of its lines and however late they come; a line
  // without uptime, or after a reboot, is a second.
  const int64_t passed_s = snapshot.uptime_s - newest_s_;
  const bool told = snapshot.uptime_s != kUnknown && newest_s_ != kUnknown && passed_s >= 0;
  passed_s_ = told ? int32_t(passed_s < kLongest_s ? passed_s : kLongest_s) : 1;
  newest_s_ = snapshot.uptime_s;

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
      const int32_t since_s = event_time(snapshot, gpu.index, each.state);
      // A reset is over in seconds, and resets that repeat are a loop: the alarm stays on as long as the
      // server lists the event.
      const bool on = is(gpu, each.state) || (each.kind == AlarmKind::gpu_reset && since_s >= 0);
      judge(each.kind, gpu.index, on ? Verdict::on : Verdict::off, {},
            since_s >= 0 ? since_s : second_of_day);
      Entry& one = entry(each.kind, gpu.index);
      if (one.active && since_s >= 0)
        one.since_s = since_s;  // the server knows this even after the board's restart
    }
    // What has no power is neither hot nor in need of a fan, though its sensors cannot say so.
    const bool off = is(gpu, "lost") || is(gpu, "asleep");
    const GpuInfo* facts = facts_of(info, gpu.index);
    const Limits critical = limits(settings_, facts);
    if (gpu.junction_c != kUnknown) has_junction_[gpu.index] = true;
    const bool edge_alone = !has_junction_[gpu.index];
    judge(AlarmKind::gpu_edge_hot, gpu.index,
          off || !edge_alone ? Verdict::off : heat(gpu.edge_c, critical.edge_c), {0, kEnd_s}, second_of_day);
    judge_throttle(gpu, off, second_of_day);
    // What sleeps has kept its narrow link.
    if (!is(gpu, "asleep")) judge_link(gpu, facts, off, second_of_day);
    judge(AlarmKind::gpu_junction_hot, gpu.index,
          off ? Verdict::off : heat(gpu.junction_c, critical.junction_c), {0, kEnd_s}, second_of_day);
    judge(AlarmKind::gpu_memory_hot, gpu.index, off ? Verdict::off : heat(gpu.memory_c, critical.memory_c),
          {0, kEnd_s}, second_of_day);
    judge(AlarmKind::gpu_fan_stopped, gpu.index, off ? Verdict::off : fan(gpu), {kFanBegin_s, kEnd_s},
          second_of_day);
    judge(AlarmKind::gpu_vram_full, gpu.index,
          off ? Verdict::off : full(gpu.vram_used_mib, gpu.vram_total_mib, settings_.full_vram_percent),
          {kMemoryBegin_s, kEnd_s}, second_of_day);
  }
  // A place without a card (its loss was acknowledged on the server) raises no alarm.
  for (int gpu = 0; gpu < kMaxGpus; ++gpu) {
    if (present[gpu]) continue;
    has_junction_[gpu] = false;
    for (int kind = 0; kind < kAlarmKinds; ++kind) {
      if (is_gpu_alarm(AlarmKind(kind))) entries_[gpu * kAlarmKinds + kind] = Entry();
    }
  }
  judge(AlarmKind::memory_full, 0, memory(snapshot), {kMemoryBegin_s, kEnd_s}, second_of_day);
  judge(AlarmKind::disk_full, 0, disks(snapshot), {kDiskBegin_s, kEnd_s}, second_of_day);

  count_ = 0;
  for (int gpu = 0; gpu < kMaxGpus; ++gpu) {
    for (int kind = 0; kind < kAlarmKinds; ++kind) {
      const Entry& one = entries_[gpu * kAlarmKinds + kind];
      if (!one.active || one.acknowledged || count_ == kMaxAlarms) continue;
      list_[count_].kind = AlarmKind(kind);
      list_[count_].gpu = uint8_t(gpu);
      list_[count_].since_s = one.since_s;
      list_[count_].now = one.now;
      list_[count_].most = one.most;
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

}  // namespace inktop
