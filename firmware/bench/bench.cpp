// The command line of the benches that count instructions: inktop_bench NAME fast|naive [COUNT].
//
// inktop_bench economy FILE counts the pixels that recorded lines flip instead; inktop_bench servers FILE
// grid|large draw|lines SERVERS SECONDS plays a board with so many servers. COUNT 0 does everything but the
// work itself: the difference of two counts is the work alone.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "drawing.h"
#include "economy.h"
#include "servers.h"

namespace {

struct Bench {
  const char* name;
  uint32_t (*fast)(int count);
  uint32_t (*naive)(int count);
};

constexpr Bench kBenches[] = {
    {"fill", bench_fill_fast, bench_fill_naive},
    {"full-redraw", bench_redraw_fast, bench_redraw_naive},
    {"turned", bench_turned_fast, bench_turned_naive},
    {"tall", bench_tall, bench_tall},
    {"difference", bench_difference_fast, bench_difference_naive},
    {"seal", bench_parse, bench_seal},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "economy") == 0) return bench_economy(argv[2]);
  if (argc == 7 && std::strcmp(argv[1], "servers") == 0) {
    ServersBench bench;
    bench.large = std::strcmp(argv[3], "large") == 0;
    bench.draws = std::strcmp(argv[4], "draw") == 0;
    bench.servers = std::atoi(argv[5]);
    bench.seconds = std::atoi(argv[6]);
    return bench_servers(argv[2], bench);
  }
  const int count = argc > 3 ? std::atoi(argv[3]) : 1;
  for (const Bench& bench : kBenches) {
    if (argc < 3 || std::strcmp(argv[1], bench.name) != 0) continue;
    if (std::strcmp(argv[2], "fast") == 0 || std::strcmp(argv[2], "naive") == 0) {
      const uint32_t sum = argv[2][0] == 'f' ? bench.fast(count) : bench.naive(count);
      std::printf("%08x\n", static_cast<unsigned>(sum));
      return 0;
    }
  }
  std::fprintf(stderr, "usage: inktop_bench NAME fast|naive [COUNT], or economy FILE; names:");
  for (const Bench& bench : kBenches) std::fprintf(stderr, " %s", bench.name);
  std::fprintf(stderr, "\n");
  return 2;
}
