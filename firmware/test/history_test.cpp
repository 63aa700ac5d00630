#include "machine/history.h"

#include <doctest/doctest.h>

#include <memory>

#include <initializer_list>

namespace inktop {
namespace {

Snapshot line(uint32_t uptime_s, int permille) {
  Snapshot snapshot;
  snapshot.uptime_s = uptime_s;
  snapshot.cpu_permille = permille;
  return snapshot;
}

TEST_CASE("history is placed by the line's own uptime and seconds without a line are unknown") {
  History history;
  history.add(line(1000, 100));
  history.add(line(1003, 130));
  CHECK(history.cpu_permille().at(1000).mean == 100);
  CHECK(history.cpu_permille().at(1001).mean == Sample::kUnknown);
  CHECK(history.cpu_permille().at(1003).mean == 130);
  CHECK(history.newest() == 1003);
}

TEST_CASE("five minutes are kept, with what comes in before a graph moves on, and no second more") {
  History history;
  for (uint32_t u = 0; u < 1000; ++u) history.add(line(u, int(u)));
  CHECK(history.cpu_permille().at(999).mean == 999);
  CHECK(history.cpu_permille().at(1000 - kKeptColumns).mean == 1000 - kKeptColumns);
  CHECK(!history.cpu_permille().at(999 - kKeptColumns).known());
  CHECK(history.cpu_permille().max() == 999);
}

TEST_CASE("an hour and a day are kept as the mean and the most of each column, at the same time") {
  History history;
  // A saw tooth of twelve seconds: every column of an hour has mean 55 and most 110.
  for (uint32_t u = 1200; u < 1200 + 86400; ++u) history.add(line(u, int(u % 12) * 10));
  const Series& cpu = history.cpu_permille();
  const uint32_t newest = history.newest();
  for (const Span span : {Span::hour, Span::day}) {
    const auto column = static_cast<uint32_t>(column_seconds(span));
    for (uint32_t back = 1; back < kGraphColumns; ++back) {
      const Sample sample = cpu.at(newest - back * column, span);
      REQUIRE(sample.known());
      CHECK(sample.mean == 55);
      CHECK(sample.most == 110);
    }
    CHECK(cpu.max(span) == 110);
  }
  CHECK(!cpu.at(newest - 2 * 3600, Span::hour).known());
  CHECK(cpu.at(newest - 23 * 3600, Span::day).known());
}

TEST_CASE("a column with a gap in it is the mean of what came, and one without any is unknown") {
  History history;
  history.add(line(1200, 100));
  history.add(line(1203, 300));
  history.add(line(1240, 7));
  const Series& cpu = history.cpu_permille();
  CHECK(cpu.at(1200, Span::hour).mean == 200);
  CHECK(cpu.at(1211, Span::hour).most == 300);
  CHECK(!cpu.at(1212, Span::hour).known());
  CHECK(cpu.at(1240, Span::hour).mean == 7);
  history.add(line(1241, kUnknown));
  CHECK(cpu.at(1241, Span::hour).mean == 7);
}

TEST_CASE("memory, video memory and traffic have a history of their own") {
  History history;
  Snapshot snapshot = line(50, 1);
  snapshot.has_memory = true;
  snapshot.memory = {32000, 128000, 0};
  snapshot.has_network = true;
  snapshot.network.received_bytes_s = 50'000'000'000;
  snapshot.network.sent_bytes_s = kUnknown;
  snapshot.gpu_count = 1;
  snapshot.gpus[0].index = 3;
  snapshot.gpus[0].vram_used_mib = 512;
  snapshot.gpus[0].vram_total_mib = 1024;
  snapshot.gpus[0].edge_c = 40;
  history.add(snapshot);
  CHECK(history.memory_permille().at(50).mean == 250);
  CHECK(history.vram_permille(3).at(50).mean == 500);
  CHECK(!history.gpu_permille(3).at(50).known());
  CHECK(uint64_t{history.received().at(50).mean} * History::kRateUnit == 50'000'000'000ull);
  CHECK(!history.sent().at(50).known());
  CHECK(history.sensors(3) == kSensorEdge);
  snapshot.gpus[0].edge_c = kUnknown;
  snapshot.gpus[0].fan_rpm = 0;
  history.add(snapshot);
  CHECK(history.sensors(3) == (kSensorEdge | kSensorFan));
}

TEST_CASE("a jump over the whole window forgets what was before") {
  History history;
  history.add(line(10, 5));
  history.add(line(10 + kKeptColumns, 6));
  CHECK(!history.cpu_permille().at(10).known());
  CHECK(history.cpu_permille().max() == 6);
  history.add(line(10 + 2 * 86400, 7));
  CHECK(!history.cpu_permille().at(10, Span::day).known());
  CHECK(history.cpu_permille().max(Span::day) == 7);
}

TEST_CASE("a server that has restarted starts a new history, also soon after its start") {
  History history;
  for (uint32_t u = 100; u < 200; ++u) history.add(line(u, 500));
  history.add(line(20, 7));
  CHECK(history.newest() == 20);
  CHECK(history.cpu_permille().at(20).mean == 7);
  CHECK(history.cpu_permille().at(150).mean == Sample::kUnknown);
  CHECK(history.cpu_permille().max() == 7);
}

TEST_CASE("unknown values and lines without uptime leave no number behind") {
  History history;
  history.add(line(5, kUnknown));
  CHECK(history.cpu_permille().at(5).mean == Sample::kUnknown);
  Snapshot without;
  without.cpu_permille = 3;
  history.add(without);
  CHECK(history.newest() == 5);
}

TEST_CASE("the largest uptime that a line can say is a second like any other") {
  History history;
  for (uint32_t back = 20; back > 0; --back) history.add(line(UINT32_MAX - back + 1, 100));
  CHECK(history.newest() == UINT32_MAX);
  CHECK(history.cpu_permille().at(UINT32_MAX - 19).mean == 100);
  history.add(line(0, 200));
  CHECK(history.newest() == 0);
}

}  // namespace
}  // namespace inktop

TEST_CASE("the model server's tokens are kept, and are unknown while it does not say") {
  const auto history = std::make_unique<inktop::History>();
  inktop::Snapshot snapshot;
  snapshot.uptime_s = 100;
  history->add(snapshot);
  CHECK_FALSE(history->tokens().at(100).known());
  snapshot.has_model_server = true;
  snapshot.model_server.generated_tokens_s = 84;
  snapshot.uptime_s = 101;
  history->add(snapshot);
  snapshot.model_server.generated_tokens_s = inktop::kUnknown;
  snapshot.uptime_s = 102;
  history->add(snapshot);
  snapshot.model_server.generated_tokens_s = 0;
  snapshot.uptime_s = 103;
  history->add(snapshot);
  CHECK(history->tokens().at(101).mean == 84);
  CHECK_FALSE(history->tokens().at(102).known());
  CHECK(history->tokens().at(103).mean == 0);
  CHECK(history->tokens().max() == 84);
  history->clear();
  CHECK_FALSE(history->tokens().at(103).known());
}
