// Counts the ink of a recording: the app as it ships beside a naive one, each on a modelled panel.
#include "economy.h"

#include <cstdint>
#include <cstdio>
#include <fstream>

#include "account.h"
#include "app/app.h"
#include "app/direct_feed.h"
#include "timed_panel.h"

namespace {

using namespace inktop;
using namespace inktop::bench;

constexpr int kTick_ms = 250;

// Books each refresh as it begins.
class BookedPanel : public TimedPanel {
 public:
  BookedPanel(const App& app, Account& account) : TimedPanel(account.panel()), app_(app), account_(account) {}

  DrawErrors drive(Waveform waveform, const Difference& difference) override {
    if (now_ms() == app_.last_refresh().started_ms) {
      account_.charge_to(app_.picture());
      account_.begins(now_ms());
    }
    return TimedPanel::drive(waveform, difference);
  }

 private:
  const App& app_;
  Account& account_;
};

void replay_app(const std::vector<std::string>& lines, Account& account) {
  Buffers buffers;
  const AppMemory memory{buffers.front_bytes(), buffers.back_bytes(), buffers.difference_bytes(),
                         buffers.dirty};
  App app(kPanel, memory, AppSettings(), BoardFacts());
  LinkStatus status;
  status.phase = LinkPhase::connected;
  DirectFeed feed(app);
  feed.status(status, 0);
  feed.opened(0);

  BookedPanel panel(app, account);
  int64_t now_ms = 0;
  for (const std::string& line : lines) {
    feed.received(line.data(), line.size(), now_ms);
    if (is_info(line)) continue;
    for (int i = 0; i < 1000 / kTick_ms; ++i, now_ms += kTick_ms) {
      if (now_ms < panel.now_ms()) continue;  // it is still being driven
      panel.set_now(now_ms);
      app.refresh(panel, panel);
    }
  }
}

}  // namespace

int bench_economy(const char* path) {
  std::ifstream file(path);
  if (!file) {
    std::fprintf(stderr, "%s cannot be read: give a file of lines, as protocol/samples/generate.py prints\n",
                 path);
    return 1;
  }
  std::vector<std::string> lines;
  int seconds = 0;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line + "\n");
    if (!is_info(lines.back())) ++seconds;
  }
  std::printf("{\"seconds\":%d,", seconds);
  Account shipped(seconds);
  replay_app(lines, shipped);
  shipped.print("shipped");
  std::printf(",");
  replay_naive(lines, seconds);
  std::printf("}\n");
  return 0;
}
