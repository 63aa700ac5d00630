#include "machine/steady.h"

#include <cstring>
#include <initializer_list>
#include <new>
#include <type_traits>

namespace inktop {

namespace {

static_assert(std::is_trivially_destructible<Steady>::value, "a new one takes the place of the old");

constexpr int kPatience_s = 10;
constexpr int kHold_s = 3;
// After a gap of more seconds than this, or when the uptime goes back, nothing old is kept.
constexpr int64_t kForget_s = 30;

constexpr int64_t magnitude(int64_t value) {
  return value < 0 ? -value : value;
}
constexpr int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

int64_t rounded(int64_t value, int64_t unit) {
  return value == kUnknown ? value : (value + unit / 2) / unit * unit;
}

}  // namespace

int64_t SteadyValue::settle(int64_t value, int64_t step, bool exact, int passed_s) {
  if (value == kUnknown) {
    if (shown_ != kUnknown && unknown_s_ + passed_s <= kHold_s) {
      unknown_s_ = static_cast<uint8_t>(unknown_s_ + passed_s);
      return shown_;
    }
    off_s_ = 0;
    return shown_ = kUnknown;
  }
  unknown_s_ = 0;
  const int64_t off = magnitude(value - shown_);
  if (shown_ != kUnknown && 2 * off >= step && off > 0) {
    off_s_ = static_cast<uint8_t>(off_s_ + passed_s < kPatience_s ? off_s_ + passed_s : kPatience_s);
  } else {
    off_s_ = 0;
  }
  if (shown_ == kUnknown || exact || off >= step || off_s_ >= kPatience_s) {
    shown_ = value;
    off_s_ = 0;
  }
  return shown_;
}

void SteadyWord::settle(char* word, size_t size, bool exact, int passed_s) {
  if (size > kMost || std::strcmp(word, shown_) == 0) {
    off_s_ = 0;
    return;
  }
  off_s_ = static_cast<uint8_t>(off_s_ + passed_s < kPatience_s ? off_s_ + passed_s : kPatience_s);
  if (exact || off_s_ >= kPatience_s) {
    std::memcpy(shown_, word, size);
    off_s_ = 0;
  } else {
    std::memcpy(word, shown_, size);
  }
}

// In place: a second one would not fit on the stack of the board's main task.
void Steady::clear() {
  new (this) Steady();
}

void Steady::settle_user(GpuUser& user, bool exact) {
  // In steps of a card's VRAM.
  user.vram_mib = static_cast<int32_t>(
      gpus_[user.index].user_vram.settle(user.vram_mib, larger(160, user.vram_mib / 200), exact, passed_s_));
}

// Requests are news; rates and the cache follow.
void Steady::settle_server(ModelServer& server, bool exact) {
  const auto follow = [this, exact](SteadyValue& steady, int32_t& value, int64_t step) {
    value = static_cast<int32_t>(steady.settle(value, step, exact, passed_s_));
  };
  follow(generated_, server.generated_tokens_s, larger(2, generated_.shown() / 12));
  follow(prompt_, server.prompt_tokens_s, larger(10, prompt_.shown() / 8));
  follow(cache_percent_, server.cache_percent, 2);
}

void Steady::settle_gpu(Gpu& gpu, bool exact) {
  GpuValues& values = gpus_[gpu.index];
  // What a card in trouble does not say is not held: its state is the news.
  for (const char* trouble : {"asleep", "reset", "stale", "lost"}) {
    if (std::strcmp(gpu.state, trouble) == 0) values = GpuValues();
  }
  const auto follow = [this, exact](SteadyValue& steady, int32_t& value, int64_t step) {
    value = static_cast<int32_t>(steady.settle(value, step, exact, passed_s_));
  };
  gpu.busy_percent = static_cast<int32_t>(values.busy_mean.add(gpu.busy_percent, 15));
  follow(values.busy, gpu.busy_percent, 4);
  // Shown in tenths of a GiB.
  follow(values.vram, gpu.vram_used_mib, larger(160, gpu.vram_total_mib / 200));
  follow(values.edge, gpu.edge_c, 3);
  follow(values.junction, gpu.junction_c, 3);
  follow(values.memory, gpu.memory_c, 3);
  follow(values.power, gpu.power_w, larger(6, values.power.shown() / 20));
  gpu.fan_rpm = static_cast<int32_t>(rounded(gpu.fan_rpm, 10));
  follow(values.fan, gpu.fan_rpm, larger(80, values.fan.shown() / 20));
  gpu.core_clock_mhz = static_cast<int32_t>(rounded(gpu.core_clock_mhz, 10));
  values.throttle.settle(gpu.throttle, exact, passed_s_);
  follow(values.core_clock, gpu.core_clock_mhz, larger(80, values.core_clock.shown() / 20));
}

const Snapshot& Steady::settle(const Snapshot& snapshot) {
  const int64_t passed = snapshot.uptime_s - newest_s_;
  passed_s_ = 1;
  if (snapshot.uptime_s != kUnknown) {
    if (newest_s_ != kUnknown) {
      if (passed < 0 || passed > kForget_s) {
        clear();
      } else {
        passed_s_ = static_cast<int>(passed);
      }
    }
    newest_s_ = snapshot.uptime_s;
  }
  shown_ = snapshot;
  // Once a minute the clock is redrawn: then every number is set right, which costs no update of its own.
  const bool told = snapshot.uptime_s != kUnknown && minute_uptime_s_ != kUnknown;
  const bool exact = !begun_ || std::strcmp(minute_, snapshot.time) != 0 ||
                     (told && snapshot.uptime_s - minute_uptime_s_ >= 60);
  begun_ = true;
  if (exact) {
    std::memcpy(minute_, snapshot.time, sizeof minute_);
    minute_uptime_s_ = snapshot.uptime_s;
  }
  shown_.uptime_s = minute_uptime_s_;

  if (snapshot.cpu_permille != kUnknown) {
    const int64_t percent = (cpu_mean_.add(snapshot.cpu_permille, 150) + 5) / 10;
    shown_.cpu_permille = static_cast<int32_t>(cpu_.settle(percent, 3, exact, passed_s_) * 10);
  } else {
    const int64_t percent = cpu_.settle(kUnknown, 3, exact, passed_s_);
    shown_.cpu_permille = percent == kUnknown ? kUnknown : static_cast<int32_t>(percent * 10);
  }
  for (int i = 0; i < snapshot.cpu_level_count; ++i) {
    const int64_t level =
        snapshot.cpu_levels[i] < 0 ? static_cast<int64_t>(kUnknown) : snapshot.cpu_levels[i];
    // Without a jump: a cell shows what a CPU has been doing, not a task that ran for a second.
    const int64_t shown = levels_[i].settle(level_means_[i].add(level, 16), 3, exact, passed_s_);
    shown_.cpu_levels[i] = static_cast<int8_t>(shown == kUnknown ? -1 : shown);
  }
  if (snapshot.has_load) {
    // All three are in one line of text: when one moves, all are set right.
    bool moved = exact;
    for (int i = 0; i < 3; ++i) {
      const int64_t shown = load_[i].shown();
      const int64_t value = snapshot.load_centi[i];
      if ((value == kUnknown) != (shown == kUnknown) || magnitude(value - shown) >= larger(15, shown / 8))
        moved = true;
    }
    for (int i = 0; i < 3; ++i) {
      // A step out of reach: only `moved` decides.
      shown_.load_centi[i] =
          static_cast<int32_t>(load_[i].settle(snapshot.load_centi[i], INT32_MAX, moved, passed_s_));
    }
  }
  if (snapshot.has_memory) {
    Memory& memory = shown_.memory;
    const int64_t total = memory.total_milligib;
    memory.used_milligib = static_cast<int32_t>(
        memory_used_.settle(memory.used_milligib, larger(2, total / 250), exact, passed_s_));
    memory.cache_milligib = static_cast<int32_t>(
        memory_cache_.settle(memory.cache_milligib, larger(2, total / 100), exact, passed_s_));
  }
  if (snapshot.has_swap) {
    const int64_t total = snapshot.swap.total_milligib;
    shown_.swap.used_milligib = static_cast<int32_t>(
        swap_used_.settle(snapshot.swap.used_milligib, larger(2, total / 100), exact, passed_s_));
  }
  // Changes below this are of no interest, bytes/s.
  constexpr int64_t kNoise = 8000;
  const auto follow = [this, exact](RunningMean<3>& mean, SteadyValue& steady, int64_t value) {
    const int64_t jump = larger(4 * kNoise, 2 * steady.shown());
    return steady.settle(mean.add(value, jump), larger(kNoise, steady.shown() / 5), exact, passed_s_);
  };
  if (snapshot.has_network) {
    shown_.network.received_bytes_s = follow(received_mean_, received_, snapshot.network.received_bytes_s);
    shown_.network.sent_bytes_s = follow(sent_mean_, sent_, snapshot.network.sent_bytes_s);
  }
  if (snapshot.has_disk_traffic) {
    const DiskTraffic& traffic = snapshot.disk_traffic;
    shown_.disk_traffic.read_bytes_s = follow(disk_read_mean_, disk_read_, traffic.read_bytes_s);
    shown_.disk_traffic.written_bytes_s = follow(disk_written_mean_, disk_written_, traffic.written_bytes_s);
  }
  shown_.cpu_c = static_cast<int32_t>(cpu_c_.settle(snapshot.cpu_c, 4, exact, passed_s_));
  for (int i = 0; i < snapshot.disk_count; ++i) {
    const int64_t step = larger(1, snapshot.disks[i].total_mib / 250);
    shown_.disks[i].used_mib = disks_[i].settle(snapshot.disks[i].used_mib, step, exact, passed_s_);
  }
  int64_t power_w = kUnknown;
  for (int i = 0; i < shown_.gpu_count; ++i) {
    const int32_t one_w = snapshot.gpus[i].power_w;
    if (one_w != kUnknown) power_w = (power_w == kUnknown ? 0 : power_w) + one_w;
    settle_gpu(shown_.gpus[i], exact);
  }
  gpus_power_.settle(power_w, larger(30, gpus_power_.shown() / 6), exact, passed_s_);
  for (int i = 0; i < shown_.gpu_user_count; ++i) settle_user(shown_.gpu_users[i], exact);
  if (shown_.has_model_server) settle_server(shown_.model_server, exact);
  return shown_;
}

}  // namespace inktop
