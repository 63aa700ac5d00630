#include "machine/machine.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>

#include "inktop/parser.h"
#include "lines.h"

namespace inktop {
namespace {

static_assert(std::is_trivially_copyable<Machine>::value, "a machine is a value");

// A server whose lines are read into one machine, a second each.
struct Server {
  explicit Server(const char* name) : host(name) {}

  void line(const std::string& rest) {
    char head[96];
    std::snprintf(head, sizeof head, "h=%s|t=%02d:%02d|u=%d", host.c_str(), second / 3600 % 24,
                  second / 60 % 60, second);
    read(head + rest);
    machine->take(parsed->snapshot, int64_t{second} * 1000);
    ++second;
  }
  void info(const std::string& rest) {
    read("info=1" + rest);
    machine->take(parsed->info);
  }
  void read(const std::string& body) {
    const std::string text = closed_line(body);
    parse(text.data(), text.size(), *parsed);
    REQUIRE(parsed->kind != LineKind::none);
  }

  std::string host;
  int second = 36'000;
  std::unique_ptr<Machine> machine{new Machine};
  std::unique_ptr<Parsed> parsed{new Parsed};
};

const char* const kTwoCards = "|c=50.0|g0=10,1,9,40,45,50,60,900,500|g1=90,8,9,60,70,80,200,3000,2000";
const char* const kOneCard = "|c=20.0|m=6.0/8.0|g0=30,2,9,41,46,51,70,950,600";

}  // namespace

TEST_CASE("Machine: two of them side by side do not disturb each other") {
  // What each shows alone, and what it shows when their lines alternate.
  Server first_alone("first");
  Server second_alone("second");
  Server first("first");
  Server second("second");
  second.second = second_alone.second = 500;
  const auto first_step = [](Server& server, int i) {
    if (i == 3) server.info("|clock=10:00:03,36003");
    server.line(i < 20 ? kTwoCards : kOneCard);
  };
  const auto second_step = [](Server& server, int i) {
    server.line(i % 7 < 3 ? "|c=90.0|m=7.9/8.0|w=eth0,1000000,2000" : "|c=10.0|m=7.9/8.0|w=eth0,90000,400");
  };
  for (int i = 0; i < 60; ++i) first_step(first_alone, i);
  for (int i = 0; i < 60; ++i) second_step(second_alone, i);
  for (int i = 0; i < 60; ++i) {
    first_step(first, i);
    second_step(second, i);
  }
  CHECK(std::strcmp(first.machine->host(), "first") == 0);
  CHECK(std::strcmp(second.machine->host(), "second") == 0);
  CHECK(first.machine->info() != nullptr);
  CHECK(second.machine->info() == nullptr);
  const auto check_same = [](const Machine& together, const Machine& alone) {
    CHECK(together.shown()->cpu_permille == alone.shown()->cpu_permille);
    CHECK(together.shown()->gpu_count == alone.shown()->gpu_count);
    CHECK(together.shown()->network.received_bytes_s == alone.shown()->network.received_bytes_s);
    CHECK(together.history().newest() == alone.history().newest());
    for (uint32_t second = alone.history().newest() - 59; second <= alone.history().newest(); ++second) {
      REQUIRE(together.history().cpu_permille().at(second).mean ==
              alone.history().cpu_permille().at(second).mean);
      REQUIRE(together.history().received().at(second).mean == alone.history().received().at(second).mean);
    }
    CHECK(together.data_second() == alone.data_second());
    CHECK(together.data_ms() == alone.data_ms());
    REQUIRE(together.alarms().count() == alone.alarms().count());
    for (int i = 0; i < alone.alarms().count(); ++i) {
      CHECK(together.alarms().list()[i].kind == alone.alarms().list()[i].kind);
      CHECK(together.alarms().list()[i].since_s == alone.alarms().list()[i].since_s);
    }
  };
  check_same(*first.machine, *first_alone.machine);
  check_same(*second.machine, *second_alone.machine);
  // Something was there to disturb: one has lost a card, the other's memory is full.
  REQUIRE(first.machine->alarms().count() == 1);
  CHECK(first.machine->alarms().list()[0].kind == AlarmKind::gpu_lost);
  REQUIRE(second.machine->alarms().count() == 1);
  CHECK(second.machine->alarms().list()[0].kind == AlarmKind::memory_full);
  first.machine->acknowledge(true);
  CHECK(first.machine->alarms().count() == 0);
  CHECK(second.machine->alarms().count() == 1);
}

TEST_CASE("Machine: a card that leaves the line keeps its place as lost until it is acknowledged") {
  Server server("box");
  server.line(kTwoCards);
  server.line(kOneCard);
  server.line(kOneCard);
  REQUIRE(server.machine->shown()->gpu_count == 2);
  CHECK(std::strcmp(server.machine->shown()->gpus[1].state, "lost") == 0);
  CHECK(server.machine->acknowledge(true));
  server.line(kOneCard);
  CHECK(server.machine->shown()->gpu_count == 1);
  server.line(kTwoCards);
  CHECK(std::strcmp(server.machine->shown()->gpus[1].state, "ok") == 0);
}

TEST_CASE("Machine: before its first line it shows nothing and knows no time") {
  const std::unique_ptr<Machine> machine(new Machine);
  CHECK_FALSE(machine->has_data());
  CHECK(machine->shown() == nullptr);
  CHECK(machine->info() == nullptr);
  CHECK(machine->history_second() == -1);
  CHECK(machine->data_second() == -1);
}

}  // namespace inktop
