// The history of each graphed value over five minutes, an hour and a day, placed by the line's own uptime.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inktop/line.h"

namespace inktop {

// How far back a graph reaches. All three are kept at the same time, so that a change shows at once.
enum class Span : uint8_t { five_minutes, hour, day };
constexpr int kSpans = 3;

// Every span is as many columns; a column is a second, 12 s or 288 s.
constexpr int kGraphColumns = 300;
constexpr int32_t column_seconds(Span span) {
  return span == Span::five_minutes ? 1 : span == Span::hour ? 12 : 288;
}
constexpr int32_t span_seconds(Span span) {
  return kGraphColumns * column_seconds(span);
}
static_assert(span_seconds(Span::day) == 86400, "the day of a graph is a day");
// The columns that are kept: those of the graph, and those that come in before it moves on.
constexpr int kKeptColumns = kGraphColumns + 10;

// What a column says of its time.
struct Sample {
  static constexpr uint32_t kUnknown = ~0u;
  uint32_t mean = kUnknown;
  uint32_t most = kUnknown;
  bool known() const { return mean != kUnknown; }
};

// One value over all spans, whatever its cells are: a Shares or a Rates, without virtual functions, for a
// machine is copied as it lies in memory.
class Series {
 public:
  // The column that holds that second; unknown where nothing was received or it has left the window.
  Sample at(uint32_t uptime_s, Span span = Span::five_minutes) const;
  // Largest known value of the window, 0 when none is known.
  uint32_t max(Span span = Span::five_minutes) const;

 protected:
  explicit Series(size_t cell_bytes) : cell_bytes_(uint32_t(cell_bytes)) {}

 private:
  uint32_t cell_bytes_;
};

// A share takes half the memory of a rate: a board keeps the histories of eight machines. No allocation.
template <typename Cell>
class SeriesOf : public Series {
 public:
  SeriesOf() : Series(sizeof(Cell)) {}
  // Sets the value of one second (server uptime). Seconds older than the window are dropped; seconds between
  // the newest and a later one become unknown; an uptime that goes back by more than the window (a reboot)
  // starts the series again.
  void put(uint32_t uptime_s, uint32_t value);
  Sample at(uint32_t uptime_s, Span span = Span::five_minutes) const;
  uint32_t max(Span span = Span::five_minutes) const;
  void clear() { filled_ = false; }

 private:
  static constexpr Cell kNone = static_cast<Cell>(~Cell{0});
  static uint32_t value_of(Cell cell) { return cell == kNone ? Sample::kUnknown : cell; }
  // What does not fit is as much as does.
  static Cell cell_of(uint32_t value) {
    if (value == Sample::kUnknown) return kNone;
    return value < kNone ? static_cast<Cell>(value) : static_cast<Cell>(kNone - 1);
  }
  struct Pair {
    Cell mean = kNone;
    Cell most = kNone;
  };
  // Columns of more than a second, and the one that is filling.
  struct Coarse {
    Pair columns[kKeptColumns];
    uint32_t newest = 0;  // uptime / seconds of a column
    uint64_t sum = 0;
    uint32_t count = 0;

    void put(uint32_t column, uint32_t value, bool first);
    Sample at(uint32_t column) const;
  };
  Coarse& coarse(Span span) { return coarse_[static_cast<int>(span) - 1]; }
  const Coarse& coarse(Span span) const { return coarse_[static_cast<int>(span) - 1]; }

  Cell seconds_[kKeptColumns];
  Coarse coarse_[kSpans - 1];
  uint32_t newest_ = 0;
  bool filled_ = false;
};

using Shares = SeriesOf<uint16_t>;  // permille
using Rates = SeriesOf<uint32_t>;   // in units of History::kRateUnit

// What of a GPU has been read since the start: a sensor that never was gets no place on the board.
enum GpuSensor : uint8_t {
  kSensorEdge = 1,
  kSensorJunction = 2,
  kSensorMemory = 4,
  kSensorPower = 8,
  kSensorFan = 16,
  kSensorClock = 32,
};

// Of one line.
uint8_t sensors_of(const Gpu& gpu);

// All series of one machine. Traffic is in units of kRateUnit bytes a second, so that 400 Gbit/s fit.
class History {
 public:
  static constexpr uint32_t kRateUnit = 100;

  void clear();
  // Adds one data line; a line without uptime adds nothing but the sensors that it names.
  void add(const Snapshot& snapshot);

  const Series& cpu_permille() const { return cpu_; }
  const Series& memory_permille() const { return memory_; }
  const Series& gpu_permille(int index) const { return gpus_[index]; }
  const Series& vram_permille(int index) const { return vram_[index]; }
  const Series& received() const { return received_; }
  const Series& sent() const { return sent_; }
  // Tokens a second that the model server generates.
  const Series& tokens() const { return tokens_; }
  // Bits of GpuSensor.
  uint8_t sensors(int gpu) const { return sensors_[gpu]; }
  // Uptime of the newest line; meaningless while empty().
  uint32_t newest() const { return newest_; }
  bool empty() const { return empty_; }

 private:
  Shares cpu_;
  Shares memory_;
  Shares gpus_[kMaxGpus];
  Shares vram_[kMaxGpus];
  Rates received_;
  Rates sent_;
  Rates tokens_;
  uint8_t sensors_[kMaxGpus] = {};
  uint32_t newest_ = 0;
  bool empty_ = true;
};

}  // namespace inktop
