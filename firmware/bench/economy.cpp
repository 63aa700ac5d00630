// Counts the ink of a recording: the board as it ships beside one drawn naively, on the modelled panel.
#include "economy.h"

#include <cstdint>
#include <cstdio>
#include <fstream>

#include "account.h"
#include "app/app.h"

namespace {

using namespace inktop;
using namespace inktop::bench;

constexpr int kTick_ms = 250;
// A scan of all rows at the reference board's pixel clock, as in the virtual board.
constexpr int kScan_ms = 33;

int64_t duration_ms(RefreshKind kind) {
  if (kind == RefreshKind::update) return PanelModel::kDuPhases * kScan_ms;
  return (kind == RefreshKind::wash ? 2 : 3) * PanelModel::kGc16Phases * kScan_ms;
}

void replay_app(const std::vector<std::string>& lines, Account& account) {
  Buffers buffers;
  const AppMemory memory{buffers.front_bytes(), buffers.back_bytes(), buffers.difference_bytes(),
                         buffers.dirty};
  App app(kPanel, memory, AppSettings(), BoardFacts());
  LinkStatus status;
  status.phase = LinkPhase::connected;
  Record record;
  record.kind = Record::Kind::status;
  record.status = &status;
  app.receive(record);
  record.kind = Record::Kind::opened;
  app.receive(record);
  record.kind = Record::Kind::bytes;

  int64_t now_ms = 0;
  int64_t started_ms = 0;
  int64_t free_ms = 0;
  Refresh running;
  DrawErrors errors = kDrawOk;
  for (const std::string& line : lines) {
    record.bytes = line.data();
    record.size = line.size();
    record.time_ms = now_ms;
    app.receive(record);
    if (is_info(line)) continue;
    for (int i = 0; i < 1000 / kTick_ms; ++i, now_ms += kTick_ms) {
      if (now_ms < free_ms) continue;
      app.refreshed(running, errors, started_ms, now_ms);
      running = app.tick(now_ms);
      if (running.kind == RefreshKind::nothing) continue;
      account.charge_to(app.picture());
      account.begins(now_ms);
      errors = app.carry_out(running, account.panel());
      started_ms = now_ms;
      free_ms = now_ms + duration_ms(running.kind);
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
