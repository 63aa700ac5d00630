// What a board with several servers spends on drawing, beside a board with one: both are sent the same
// recording, each server from another minute of it and at its own moment of the second.
#include "servers.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "account.h"
#include "app/app.h"
#include "app/direct_feed.h"
#include "lines.h"
#include "timed_panel.h"

namespace {

using namespace inktop;
using namespace inktop::bench;

// A server's line arrives in its own eighth of the second, and the board looks as often.
constexpr int kTick_ms = 1000 / kMaxServers;
constexpr int kApart_s = 80;

class NoPanel : public Panel {
 public:
  DrawErrors drive(Waveform, const Difference&) override { return kDrawOk; }
};

// The data lines of a recording, without the host they begin with and without their checksum.
std::vector<std::string> bodies(std::ifstream& file) {
  std::vector<std::string> found;
  for (std::string line; std::getline(file, line);) {
    const size_t host_end = line.find('|');
    const size_t end = line.rfind('*');
    if (line.compare(0, 2, "h=") != 0 || host_end > end || end == std::string::npos) continue;
    found.push_back(line.substr(host_end, end - host_end));
  }
  return found;
}

}  // namespace

int bench_servers(const char* path, const ServersBench& bench) {
  std::ifstream file(path);
  const std::vector<std::string> lines = bodies(file);
  if (lines.size() < size_t(kApart_s * kMaxServers) || bench.servers < 1 || bench.servers > kMaxServers) {
    std::fprintf(stderr, "1 to %d servers and a recording of %d s: generate.py inference --seconds 3600\n",
                 kMaxServers, kApart_s * kMaxServers);
    return 1;
  }
  Buffers buffers;
  const AppMemory memory{buffers.front_bytes(), buffers.back_bytes(), buffers.difference_bytes(),
                         buffers.dirty};
  AppSettings settings;
  settings.configured = bench.servers;
  settings.show.show = bench.large ? Show::one : Show::grid;
  const std::unique_ptr<App> app(new App(kPanel, memory, settings, BoardFacts()));
  LinkStatus status;
  status.phase = LinkPhase::connected;
  std::vector<DirectFeed> feeds;
  for (int place = 0; place < bench.servers; ++place) {
    feeds.emplace_back(*app, place);
    feeds.back().status(status, 0);
    feeds.back().opened(0);
  }

  NoPanel none;
  TimedPanel panel(none);
  int64_t rows = 0;
  for (int64_t now_ms = 0; now_ms < int64_t(bench.seconds) * 1000; now_ms += kTick_ms) {
    const int place = int(now_ms / kTick_ms % kMaxServers);
    if (place < bench.servers) {
      const size_t second = size_t(now_ms / 1000 + place * kApart_s);
      const std::string line = closed_line("h=server" + std::to_string(place) + lines[second % lines.size()]);
      feeds[size_t(place)].received(line.data(), line.size(), now_ms);
    }
    if (!bench.draws || now_ms < panel.now_ms()) continue;
    panel.set_now(now_ms);
    rows += app->refresh(panel, panel).rows;
  }
  std::printf("%d servers, %d s, %lld rows driven\n", app->servers(), bench.seconds, (long long)rows);
  return 0;
}
