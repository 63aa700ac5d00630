// A fuzzer's bytes as choices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../test/lines.h"

namespace inktop::fuzz {

// Ends the run with the reason: libFuzzer keeps the input, the replay fails.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

// Each call takes from the front; where nothing is left, every choice is 0.
class Choices {
 public:
  Choices(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  bool any() const { return size_ > 0; }
  uint8_t byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  uint32_t below(uint32_t limit) { return byte() % limit; }
  uint32_t word() {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | byte();
    return value;
  }
  // Up to and without the next zero byte.
  std::string text() {
    std::string out;
    while (size_ > 0) {
      const uint8_t next = byte();
      if (next == 0) break;
      out += char(next);
    }
    return out;
  }
  std::string rest() {
    std::string out(reinterpret_cast<const char*>(data_), size_);
    size_ = 0;
    return out;
  }
  // A line whose checksum is right: else no fuzzer comes past it.
  std::string line() { return closed_line(text()); }

  // When a board is asked: at its start, and around the ends of 31 and 32 bits of milliseconds.
  int64_t start_ms() {
    constexpr int64_t kStarts[] = {0, (int64_t(1) << 31) - 3'000, (int64_t(1) << 32) - 3'000,
                                   int64_t(10) * 365 * 86'400'000};
    return kStarts[below(4)];
  }
  // Mostly short, at most some weeks.
  int64_t step_ms() {
    const uint32_t chosen = byte();
    return chosen < 250 ? int64_t(chosen) * 50 : int64_t(chosen - 249) * 300'000'000;
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

}  // namespace inktop::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
