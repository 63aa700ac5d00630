// When a shown number changes: not for jitter, at once for news, and right once a minute.
#include "machine/steady.h"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <string>

#include "picture/format.h"
#include "views.h"

using namespace inktop;
using namespace inktop::test;

namespace {

Snapshot idle_machine() {
  Snapshot snapshot;
  std::strcpy(snapshot.host, "nas");
  std::strcpy(snapshot.time, "02:00");
  snapshot.uptime_s = 7200;
  snapshot.cpu_permille = 10;
  snapshot.cpus = snapshot.cpu_level_count = 4;
  snapshot.has_load = true;
  for (auto& load : snapshot.load_centi) load = 5;
  snapshot.has_memory = true;
  snapshot.memory = {1900, 7600, 2500};
  snapshot.has_network = true;
  snapshot.network.received_bytes_s = 1500;
  snapshot.network.sent_bytes_s = 900;
  snapshot.gpu_count = 1;
  snapshot.gpus[0] = Gpu();
  snapshot.gpus[0].busy_percent = 50;
  snapshot.gpus[0].junction_c = 60;
  snapshot.gpus[0].power_w = 200;
  return snapshot;
}

void pass_second(Snapshot& snapshot) {
  ++snapshot.uptime_s;
  std::strcpy(snapshot.time, format_clock(static_cast<int32_t>(snapshot.uptime_s), false).c_str());
}

bool same_numbers(const Snapshot& a, const Snapshot& b) {
  return a.cpu_permille == b.cpu_permille &&
         std::memcmp(a.cpu_levels, b.cpu_levels, sizeof a.cpu_levels) == 0 &&
         std::memcmp(a.load_centi, b.load_centi, sizeof a.load_centi) == 0 &&
         a.memory.used_milligib == b.memory.used_milligib &&
         a.memory.cache_milligib == b.memory.cache_milligib &&
         a.network.received_bytes_s == b.network.received_bytes_s &&
         a.network.sent_bytes_s == b.network.sent_bytes_s &&
         a.gpus[0].busy_percent == b.gpus[0].busy_percent && a.gpus[0].junction_c == b.gpus[0].junction_c &&
         a.gpus[0].power_w == b.gpus[0].power_w && a.uptime_s == b.uptime_s;
}

}  // namespace

TEST_CASE("the jitter of an idle machine changes nothing within the minute") {
  const auto steady = std::make_unique<Steady>();
  Dice dice(41);
  Snapshot snapshot = idle_machine();
  Snapshot shown = steady->settle(snapshot);
  for (int second = 1; second < 600; ++second) {
    pass_second(snapshot);
    snapshot.cpu_permille = static_cast<int32_t>(dice.within(2, 18));
    snapshot.cpu_levels[dice.within(0, 3)] = static_cast<int8_t>(dice.within(0, 1));
    for (auto& load : snapshot.load_centi) load = static_cast<int32_t>(dice.within(2, 9));
    snapshot.memory.used_milligib = static_cast<int32_t>(dice.within(1893, 1907));
    snapshot.network.received_bytes_s = dice.within(200, 5000);
    snapshot.gpus[0].busy_percent = static_cast<int32_t>(dice.within(49, 51));
    snapshot.gpus[0].junction_c = static_cast<int32_t>(dice.within(59, 61));
    snapshot.gpus[0].power_w = static_cast<int32_t>(dice.within(197, 203));
    const Snapshot now = steady->settle(snapshot);
    if (snapshot.uptime_s % 60 != 0) REQUIRE_MESSAGE(same_numbers(now, shown), "second " << second);
    shown = now;
  }
}

TEST_CASE("a change that a person would notice is shown at once") {
  const auto steady = std::make_unique<Steady>();
  Snapshot snapshot = idle_machine();
  steady->settle(snapshot);
  pass_second(snapshot);
  snapshot.cpu_permille = 870;
  snapshot.gpus[0].busy_percent = 99;
  snapshot.gpus[0].junction_c = 70;
  snapshot.network.received_bytes_s = 11800000;
  snapshot.load_centi[0] = 400;
  const Snapshot& shown = steady->settle(snapshot);
  CHECK(shown.cpu_permille == 870);
  CHECK(shown.gpus[0].busy_percent == 99);
  CHECK(shown.gpus[0].junction_c == 70);
  CHECK(shown.network.received_bytes_s == 11800000);
  CHECK(shown.load_centi[0] == 400);
}

TEST_CASE("a small change is shown when the clock changes") {
  const auto steady = std::make_unique<Steady>();
  Snapshot snapshot = idle_machine();
  steady->settle(snapshot);
  snapshot.gpus[0].junction_c = 61;
  for (int second = 1; second < 60; ++second) {
    pass_second(snapshot);
    CHECK(steady->settle(snapshot).gpus[0].junction_c == 60);
  }
  pass_second(snapshot);
  CHECK(steady->settle(snapshot).gpus[0].junction_c == 61);
}

TEST_CASE("a middling change is shown after ten seconds") {
  SteadyValue value;
  CHECK(value.settle(60, 4, false) == 60);
  for (int second = 0; second < 9; ++second) CHECK(value.settle(62, 4, false) == 60);
  CHECK(value.settle(62, 4, false) == 62);
}

TEST_CASE("a value that cannot be read for a moment is held, and then unknown") {
  SteadyValue value;
  value.settle(60, 4, false);
  for (int second = 0; second < 3; ++second) CHECK(value.settle(kUnknown, 4, false) == 60);
  CHECK(value.settle(kUnknown, 4, false) == kUnknown);
  CHECK(value.settle(61, 4, false) == 61);
}

TEST_CASE("a card in trouble shows no value of before") {
  const auto steady = std::make_unique<Steady>();
  Snapshot snapshot = idle_machine();
  steady->settle(snapshot);
  pass_second(snapshot);
  snapshot.gpus[0] = Gpu();
  std::strcpy(snapshot.gpus[0].state, "lost");
  const Snapshot& shown = steady->settle(snapshot);
  CHECK(shown.gpus[0].busy_percent == kUnknown);
  CHECK(shown.gpus[0].junction_c == kUnknown);
}

TEST_CASE("a CPU that wakes for a second does not show, one that works does") {
  const auto steady = std::make_unique<Steady>();
  Snapshot snapshot = idle_machine();
  steady->settle(snapshot);
  pass_second(snapshot);
  snapshot.cpu_levels[2] = 8;
  CHECK(steady->settle(snapshot).cpu_levels[2] == 0);
  snapshot.cpu_levels[2] = 15;
  for (int second = 0; second < 12; ++second) {
    pass_second(snapshot);
    steady->settle(snapshot);
  }
  CHECK(steady->settle(snapshot).cpu_levels[2] >= 11);
}

TEST_CASE("after a gap or a reboot nothing of before is kept up") {
  for (const int64_t uptime : {int64_t{5}, int64_t{7300}}) {
    const auto steady = std::make_unique<Steady>();
    Snapshot snapshot = idle_machine();
    steady->settle(snapshot);
    snapshot.uptime_s = uptime;
    snapshot.gpus[0].junction_c = 61;
    snapshot.memory.used_milligib = 1901;
    const Snapshot& shown = steady->settle(snapshot);
    CHECK(shown.gpus[0].junction_c == 61);
    CHECK(shown.memory.used_milligib == 1901);
    CHECK(shown.uptime_s == uptime);
  }
}

TEST_CASE("any snapshot can be settled after any other, and what is known stays known") {
  const auto steady = std::make_unique<Steady>();
  Dice dice(42);
  Snapshot snapshot;
  for (int i = 0; i < 2000; ++i) {
    invent_snapshot(snapshot, dice, static_cast<int>(dice.within(0, kMaxGpus)));
    const Snapshot& shown = steady->settle(snapshot);
    CHECK(shown.gpu_count == snapshot.gpu_count);
    CHECK(shown.cpu_level_count == snapshot.cpu_level_count);
    if (snapshot.cpu_permille != kUnknown) {
      CHECK(shown.cpu_permille >= 0);
      CHECK(shown.cpu_permille <= 1000);
    }
    for (int cell = 0; cell < shown.cpu_level_count; ++cell) {
      CHECK(shown.cpu_levels[cell] >= -1);
      CHECK(shown.cpu_levels[cell] <= 15);
    }
  }
}

TEST_CASE("a server that does not say its uptime is no reason to follow every jitter") {
  const auto steady = std::make_unique<Steady>();
  Snapshot snapshot = idle_machine();
  snapshot.uptime_s = kUnknown;
  steady->settle(snapshot);
  for (int second = 0; second < 30; ++second) {
    snapshot.gpus[0].junction_c = 60 + second % 2;
    CHECK(steady->settle(snapshot).gpus[0].junction_c == 60);
  }
  std::strcpy(snapshot.time, "02:01");
  snapshot.gpus[0].junction_c = 61;
  CHECK(steady->settle(snapshot).gpus[0].junction_c == 61);
}

TEST_CASE("a card in a state of a later protocol is as steady as any other") {
  const auto steady = std::make_unique<Steady>();
  Snapshot snapshot = idle_machine();
  std::strcpy(snapshot.gpus[0].state, "turbo");
  steady->settle(snapshot);
  for (int second = 0; second < 30; ++second) {
    pass_second(snapshot);
    snapshot.gpus[0].junction_c = 60 + second % 2;
    CHECK(steady->settle(snapshot).gpus[0].junction_c == 60);
  }
}

TEST_CASE("seconds are the server's: lines that come every ten seconds are waited for no longer") {
  const auto steady = std::make_unique<Steady>();
  Snapshot snapshot = idle_machine();
  steady->settle(snapshot);
  snapshot.uptime_s += 10;
  snapshot.gpus[0].junction_c = 62;
  snapshot.gpus[0].power_w = kUnknown;
  const Snapshot& shown = steady->settle(snapshot);
  CHECK(shown.gpus[0].junction_c == 62);
  CHECK(shown.gpus[0].power_w == kUnknown);
}

TEST_CASE("lines that come ten times a second are waited for as many seconds") {
  const auto steady = std::make_unique<Steady>();
  Snapshot snapshot = idle_machine();
  steady->settle(snapshot);
  snapshot.gpus[0].junction_c = 62;
  for (int line = 1; line < 90; ++line) {
    if (line % 10 == 0) ++snapshot.uptime_s;
    REQUIRE(steady->settle(snapshot).gpus[0].junction_c == 60);
  }
  snapshot.uptime_s += 2;
  CHECK(steady->settle(snapshot).gpus[0].junction_c == 62);
}

TEST_CASE("the memory of a GPU's user does not jitter, and a change of it shows") {
  const auto steady = std::make_unique<Steady>();
  Snapshot snapshot = idle_machine();
  snapshot.gpu_user_count = 1;
  std::strcpy(snapshot.gpu_users[0].name, "vllm");
  snapshot.gpu_users[0].vram_mib = 27750;
  CHECK(steady->settle(snapshot).gpu_users[0].vram_mib == 27750);
  for (int second = 0; second < 20; ++second) {
    pass_second(snapshot);
    snapshot.gpu_users[0].vram_mib = 27750 + 40 * (second % 2);
    CHECK(steady->settle(snapshot).gpu_users[0].vram_mib == 27750);
  }
  snapshot.gpu_users[0].vram_mib = 29000;
  for (int second = 0; second < 5; ++second) {
    pass_second(snapshot);
    steady->settle(snapshot);
  }
  CHECK(steady->settle(snapshot).gpu_users[0].vram_mib == 29000);
}

TEST_CASE("the rates of a model server do not jitter, and its requests show at once") {
  const auto steady = std::make_unique<Steady>();
  Snapshot snapshot = idle_machine();
  snapshot.has_model_server = true;
  std::strcpy(snapshot.model_server.name, "vLLM");
  snapshot.model_server.running = 3;
  snapshot.model_server.generated_tokens_s = 200;
  snapshot.model_server.cache_percent = 37;
  steady->settle(snapshot);
  for (int second = 0; second < 20; ++second) {
    pass_second(snapshot);
    snapshot.model_server.running = second;
    snapshot.model_server.generated_tokens_s = 200 + 10 * (second % 2);
    snapshot.model_server.cache_percent = 37 + second % 2;
    const ModelServer& shown = steady->settle(snapshot).model_server;
    CHECK(shown.running == second);
    CHECK(shown.generated_tokens_s == 200);
    CHECK(shown.cache_percent == 37);
  }
  snapshot.model_server.generated_tokens_s = 900;
  for (int second = 0; second < 5; ++second) {
    pass_second(snapshot);
    steady->settle(snapshot);
  }
  CHECK(steady->settle(snapshot).model_server.generated_tokens_s == 900);
}

TEST_CASE("why a card is slowed down is shown once it has held for ten seconds") {
  const auto steady = std::make_unique<Steady>();
  Snapshot snapshot = idle_machine();
  const auto shown_after = [&](const char* reason, int seconds) {
    std::strcpy(snapshot.gpus[0].throttle, reason);
    const char* shown = nullptr;
    for (int i = 0; i < seconds; ++i) {
      ++snapshot.uptime_s;
      shown = steady->settle(snapshot).gpus[0].throttle;
    }
    return std::string(shown);
  };
  CHECK(shown_after("none", 1) == "none");
  CHECK(shown_after("power", 9) == "none");
  CHECK(shown_after("power", 1) == "power");
  for (int i = 0; i < 5; ++i) {
    CHECK(shown_after("heat", 3) == "power");
    CHECK(shown_after("power", 1) == "power");
  }
  CHECK(shown_after("", 9) == "power");
  CHECK(shown_after("", 1) == "");
}
