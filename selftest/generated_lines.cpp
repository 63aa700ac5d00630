#include "generated_lines.h"

#include <cstdint>
#include <cstdio>

#include "inktop/encoder.h"

namespace inktop {
namespace selftest {

namespace {

constexpr uint32_t kUptimeAtZero = 1051200;  // s: 12 days and 4 hours
constexpr int kStart = 12 * 3600 + 10 * 60;  // 12:10:00

// Rises from `low` to `high` and falls back within `period` seconds.
int triangle(int second, int period, int low, int high) {
  const int phase = second % period;
  const int half = period / 2;
  const int up = phase < half ? phase : period - phase;
  return low + (high - low) * up / half;
}

// -spread ... spread, a fixed function of what it is asked for (a multiplicative hash).
int jitter(int second, int channel, int spread) {
  uint32_t x = static_cast<uint32_t>(second) * 2654435761u ^ static_cast<uint32_t>(channel) * 2246822519u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return static_cast<int>(x % static_cast<uint32_t>(2 * spread + 1)) - spread;
}

int within(int value, int low, int high) {
  return value < low ? low : value > high ? high : value;
}

}  // namespace

size_t generated_info(char* out, size_t size) {
  const int length =
      std::snprintf(out, size,
                    "info=1|v=selftest|clock=%02d:%02d:%02d,%u|cpu=selftest 32 CPUs|"
                    "g0=R9700,0000:03:00.0,300,100,110,108|g1=R9700,0000:83:00.0,300,100,110,108",
                    kStart / 3600, kStart / 60 % 60, kStart % 60, static_cast<unsigned>(kUptimeAtZero));
  if (length < 0 || static_cast<size_t>(length) >= size) return 0;
  return close_line(out, static_cast<size_t>(length), size);
}

size_t generated_line(int second, char* out, size_t size) {
  const int clock = kStart + second;
  char cpus[33];
  int sum = 0;
  for (int cpu = 0; cpu < 32; ++cpu) {
    const int level = within(triangle(second + 9 * cpu, 120, -6, 12) + jitter(second / 4, cpu, 2), 0, 15);
    sum += level;
    cpus[cpu] = "0123456789abcdef"[level];
  }
  cpus[32] = 0;
  const int cpu_permille = sum * 1000 / (32 * 15);
  const int busy0 = within(triangle(second, 150, 30, 130) + jitter(second, 40, 4), 0, 100);
  const int busy1 = within(triangle(second + 40, 90, -40, 70) + jitter(second, 41, 3), 0, 100);
  const int down = within(triangle(second, 70, 200, 12000) + jitter(second, 42, 150), 0, 20000);
  const int up = within(triangle(second, 110, -300, 900) + jitter(second, 43, 40), 0, 20000);
  const int used = 6900 + triangle(second, 240, 0, 2500);  // thousandths of a GiB
  const int length = std::snprintf(
      out, size,
      "h=selftest|i=192.0.2.1|t=%02d:%02d|u=%u|c=%d.%d|n=32|k=%s|l=1.24,0.98,0.75|m=%d.%d/125.9/41.2|s=0.0/"
      "8.0|"
      "w=eno1,%d000,%d000|g0=%d,30207,32624,67,%d,92,%d,2990,2786|g1=%d,13005,32624,52,%d,70,%d,1800,2410",
      clock / 3600, clock / 60 % 60, static_cast<unsigned>(kUptimeAtZero) + static_cast<unsigned>(second),
      cpu_permille / 10, cpu_permille % 10, cpus, used / 1000, used / 100 % 10, down, up, busy0,
      60 + busy0 / 5, 60 + 2 * busy0, busy1, 50 + busy1 / 5, 40 + 2 * busy1);
  if (length < 0 || static_cast<size_t>(length) >= size) return 0;
  return close_line(out, static_cast<size_t>(length), size);
}

}  // namespace selftest
}  // namespace inktop
