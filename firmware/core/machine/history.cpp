#include "machine/history.h"

#include <initializer_list>

namespace inktop {
namespace {

// Lines arrive in order, so an uptime that falls by more than this is a reboot.
constexpr int64_t kRebootSlack_s = 5;

uint32_t known(int64_t value) {
  if (value < 0) return Sample::kUnknown;
  return value < Sample::kUnknown ? static_cast<uint32_t>(value) : Sample::kUnknown - 1;
}

uint32_t rate(int64_t bytes_s) {
  return bytes_s < 0 ? Sample::kUnknown : known(bytes_s / History::kRateUnit);
}

uint32_t share(int64_t part, int64_t whole) {
  if (part < 0 || whole <= 0) return Sample::kUnknown;
  return part >= whole ? 1000 : known(part * 1000 / whole);
}

}  // namespace

uint8_t sensors_of(const Gpu& gpu) {
  uint8_t found = 0;
  if (gpu.edge_c != kUnknown) found |= kSensorEdge;
  if (gpu.junction_c != kUnknown) found |= kSensorJunction;
  if (gpu.memory_c != kUnknown) found |= kSensorMemory;
  if (gpu.power_w != kUnknown) found |= kSensorPower;
  if (gpu.fan_rpm != kUnknown) found |= kSensorFan;
  if (gpu.core_clock_mhz != kUnknown) found |= kSensorClock;
  return found;
}

template <typename Cell>
void SeriesOf<Cell>::Coarse::put(uint32_t column, uint32_t value, bool first) {
  if (first || column - newest >= kKeptColumns) {
    for (auto& each : columns) each = Pair();
  } else {
    for (uint32_t empty = newest + 1; empty < column; ++empty) columns[empty % kKeptColumns] = Pair();
  }
  Pair& pair = columns[column % kKeptColumns];
  if (first || column != newest) {
    pair = Pair();
    sum = 0;
    count = 0;
  }
  newest = column;
  if (value == Sample::kUnknown) return;
  sum += value;
  ++count;
  pair.mean = cell_of(static_cast<uint32_t>(sum / count));
  if (pair.most == kNone || value > pair.most) pair.most = cell_of(value);
}

template <typename Cell>
Sample SeriesOf<Cell>::Coarse::at(uint32_t column) const {
  if (column > newest || newest - column >= kKeptColumns) return Sample();
  const Pair& pair = columns[column % kKeptColumns];
  return {value_of(pair.mean), value_of(pair.most)};
}

template <typename Cell>
void SeriesOf<Cell>::put(uint32_t uptime_s, uint32_t value) {
  if (filled_ && uptime_s <= newest_) {
    if (newest_ - uptime_s < kKeptColumns) {
      seconds_[uptime_s % kKeptColumns] = cell_of(value);
      return;
    }
    filled_ = false;  // from before the window: a new start
  }
  if (!filled_ || uptime_s - newest_ >= kKeptColumns) {
    for (auto& each : seconds_) each = kNone;
  } else {
    for (uint32_t second = newest_ + 1; second < uptime_s; ++second) seconds_[second % kKeptColumns] = kNone;
  }
  seconds_[uptime_s % kKeptColumns] = cell_of(value);
  for (const Span span : {Span::hour, Span::day}) {
    coarse(span).put(uptime_s / static_cast<uint32_t>(column_seconds(span)), value, !filled_);
  }
  newest_ = uptime_s;
  filled_ = true;
}

template <typename Cell>
Sample SeriesOf<Cell>::at(uint32_t uptime_s, Span span) const {
  if (!filled_ || uptime_s > newest_) return Sample();
  if (span != Span::five_minutes) {
    return coarse(span).at(uptime_s / static_cast<uint32_t>(column_seconds(span)));
  }
  if (newest_ - uptime_s >= kKeptColumns) return Sample();
  const uint32_t value = value_of(seconds_[uptime_s % kKeptColumns]);
  return {value, value};
}

template <typename Cell>
uint32_t SeriesOf<Cell>::max(Span span) const {
  uint32_t largest = 0;
  if (!filled_) return largest;
  for (int i = 0; i < kKeptColumns; ++i) {
    const Cell cell = span == Span::five_minutes ? seconds_[i] : coarse(span).columns[i].most;
    if (cell != kNone && cell > largest) largest = cell;
  }
  return largest;
}

template class SeriesOf<uint16_t>;
template class SeriesOf<uint32_t>;

Sample Series::at(uint32_t uptime_s, Span span) const {
  if (cell_bytes_ == sizeof(uint16_t)) return static_cast<const Shares&>(*this).at(uptime_s, span);
  return static_cast<const Rates&>(*this).at(uptime_s, span);
}

uint32_t Series::max(Span span) const {
  if (cell_bytes_ == sizeof(uint16_t)) return static_cast<const Shares&>(*this).max(span);
  return static_cast<const Rates&>(*this).max(span);
}

void History::clear() {
  cpu_.clear();
  memory_.clear();
  for (auto& gpu : gpus_) gpu.clear();
  for (auto& vram : vram_) vram.clear();
  received_.clear();
  sent_.clear();
  tokens_.clear();
  for (auto& sensors : sensors_) sensors = 0;
  newest_ = 0;
  empty_ = true;
}

void History::add(const Snapshot& snapshot) {
  if (!empty_ && snapshot.uptime_s >= 0 && snapshot.uptime_s + kRebootSlack_s < newest_) clear();
  for (int i = 0; i < snapshot.gpu_count; ++i) {
    sensors_[snapshot.gpus[i].index] |= sensors_of(snapshot.gpus[i]);
  }
  if (snapshot.uptime_s < 0) return;
  const auto uptime_s = static_cast<uint32_t>(snapshot.uptime_s);
  cpu_.put(uptime_s, known(snapshot.cpu_permille));
  if (snapshot.has_memory) {
    memory_.put(uptime_s, share(snapshot.memory.used_milligib, snapshot.memory.total_milligib));
  }
  for (int i = 0; i < snapshot.gpu_count; ++i) {
    const Gpu& gpu = snapshot.gpus[i];
    gpus_[gpu.index].put(
        uptime_s, gpu.busy_percent == kUnknown ? Sample::kUnknown : known(int64_t{gpu.busy_percent} * 10));
    vram_[gpu.index].put(uptime_s, share(gpu.vram_used_mib, gpu.vram_total_mib));
  }
  if (snapshot.has_network) {
    received_.put(uptime_s, rate(snapshot.network.received_bytes_s));
    sent_.put(uptime_s, rate(snapshot.network.sent_bytes_s));
  }
  if (snapshot.has_model_server) tokens_.put(uptime_s, known(snapshot.model_server.generated_tokens_s));
  if (empty_ || uptime_s > newest_) newest_ = uptime_s;
  empty_ = false;
}

}  // namespace inktop
