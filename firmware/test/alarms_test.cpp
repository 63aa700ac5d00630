// When an alarm begins and ends: by the server's time, never by what cannot be read.
#include "machine/alarms.h"

#include <doctest/doctest.h>

#include <cstring>
#include <initializer_list>

using namespace inktop;

namespace {

// One machine with one card, and the alarms of it.
struct Watch {
  Watch() {
    snapshot.uptime_s = 1000;
    snapshot.gpu_count = 1;
    cool();
  }
  void cool() {
    snapshot.gpus[0] = Gpu();
    snapshot.gpus[0].junction_c = 60;
    snapshot.gpus[0].memory_c = 60;
    snapshot.gpus[0].edge_c = 50;
    snapshot.gpus[0].fan_rpm = 900;
  }
  void state(const char* word) {
    snapshot.gpus[0] = Gpu();
    std::strcpy(snapshot.gpus[0].state, word);
  }
  void pass(int seconds, int interval_s = 1) {
    for (int i = 0; i < seconds; i += interval_s) {
      snapshot.uptime_s += interval_s;
      alarms.update(snapshot, nullptr, int32_t(snapshot.uptime_s % 86400));
    }
  }
  bool is_on(AlarmKind kind, int gpu = 0) const {
    for (int i = 0; i < alarms.count(); ++i) {
      if (alarms.list()[i].kind == kind && alarms.list()[i].gpu == gpu) return true;
    }
    return false;
  }

  Snapshot snapshot;
  Alarms alarms;
};

}  // namespace

TEST_CASE("ten seconds of a stopped fan are ten seconds at any interval of the lines") {
  for (const int interval_s : {1, 5, 10}) {
    Watch watch;
    watch.pass(20, interval_s);
    watch.snapshot.gpus[0].fan_rpm = 0;
    watch.snapshot.gpus[0].junction_c = 95;
    watch.pass(10, interval_s);
    CHECK_FALSE(watch.is_on(AlarmKind::gpu_fan_stopped));
    watch.pass(interval_s, interval_s);
    CHECK(watch.is_on(AlarmKind::gpu_fan_stopped));
    watch.cool();
    watch.pass(60, interval_s);
    CHECK(watch.is_on(AlarmKind::gpu_fan_stopped));
    watch.pass(interval_s, interval_s);
    CHECK_FALSE(watch.is_on(AlarmKind::gpu_fan_stopped));
  }
}

TEST_CASE("two lines of one second are one second") {
  Watch watch;
  watch.snapshot.gpus[0].fan_rpm = 0;
  watch.snapshot.gpus[0].junction_c = 95;
  for (int i = 0; i < 15; ++i) watch.alarms.update(watch.snapshot, nullptr, 0);
  CHECK_FALSE(watch.is_on(AlarmKind::gpu_fan_stopped));
}

TEST_CASE("without uptime, and over a reboot, a line counts as a second") {
  Watch watch;
  watch.snapshot.gpus[0].fan_rpm = 0;
  watch.snapshot.gpus[0].junction_c = 95;
  watch.pass(5);
  watch.snapshot.uptime_s = 0;
  watch.pass(3);
  CHECK_FALSE(watch.is_on(AlarmKind::gpu_fan_stopped));
  watch.snapshot.uptime_s = kUnknown;
  for (int i = 0; i < 4; ++i) watch.alarms.update(watch.snapshot, nullptr, -1);
  CHECK(watch.is_on(AlarmKind::gpu_fan_stopped));
}

TEST_CASE("a hot card whose sensors cannot be read has not cooled") {
  Watch watch;
  watch.snapshot.gpus[0].junction_c = 105;
  watch.snapshot.gpus[0].memory_c = 105;
  watch.pass(5);
  for (const char* word : {"ok", "stale", "reset"}) {
    watch.state(word);
    watch.pass(600);
    CHECK(watch.is_on(AlarmKind::gpu_junction_hot));
    CHECK(watch.is_on(AlarmKind::gpu_memory_hot));
  }
  watch.cool();
  watch.pass(61);
  CHECK(watch.alarms.count() == 0);
}

TEST_CASE("a card that is asleep or gone is not hot and needs no fan") {
  for (const char* word : {"asleep", "lost"}) {
    Watch watch;
    watch.snapshot.gpus[0].junction_c = 105;
    watch.snapshot.gpus[0].fan_rpm = 0;
    watch.pass(20);
    REQUIRE(watch.is_on(AlarmKind::gpu_junction_hot));
    REQUIRE(watch.is_on(AlarmKind::gpu_fan_stopped));
    watch.state(word);
    watch.pass(61);
    CHECK_FALSE(watch.is_on(AlarmKind::gpu_junction_hot));
    CHECK_FALSE(watch.is_on(AlarmKind::gpu_fan_stopped));
  }
}

TEST_CASE("a fan alarm ends when the fan is driven or turns, not when its speed cannot be read") {
  Watch watch;
  watch.snapshot.gpus[0].fan_rpm = 0;
  watch.snapshot.gpus[0].junction_c = 95;
  watch.pass(20);
  REQUIRE(watch.is_on(AlarmKind::gpu_fan_stopped));
  watch.snapshot.gpus[0].fan_rpm = kUnknown;
  watch.pass(200);
  CHECK(watch.is_on(AlarmKind::gpu_fan_stopped));
  watch.snapshot.gpus[0].fan_rpm = 0;
  watch.snapshot.gpus[0].fan_percent = 44;
  watch.pass(61);
  CHECK_FALSE(watch.is_on(AlarmKind::gpu_fan_stopped));
}

TEST_CASE("memory that cannot be read has not become free") {
  Watch watch;
  watch.snapshot.has_memory = true;
  watch.snapshot.memory.used_milligib = 97;
  watch.snapshot.memory.total_milligib = 100;
  watch.pass(10);
  REQUIRE(watch.is_on(AlarmKind::memory_full));
  watch.snapshot.memory.used_milligib = kUnknown;
  watch.pass(300);
  CHECK(watch.is_on(AlarmKind::memory_full));
  watch.snapshot.memory.used_milligib = 50;
  watch.pass(61);
  CHECK_FALSE(watch.is_on(AlarmKind::memory_full));
}

TEST_CASE("a value that is unknown every other second neither begins an alarm sooner nor keeps it for ever") {
  Watch watch;
  watch.snapshot.gpus[0].junction_c = 105;
  watch.pass(2);
  REQUIRE(watch.is_on(AlarmKind::gpu_junction_hot));
  int seconds = 0;
  for (; watch.is_on(AlarmKind::gpu_junction_hot) && seconds < 300; ++seconds) {
    watch.snapshot.gpus[0].junction_c = seconds % 2 == 0 ? 60 : kUnknown;
    watch.pass(1);
  }
  CHECK(seconds >= 60);
  CHECK(seconds <= 130);
}

TEST_CASE("sixteen cards in every trouble at once leave no alarm out, the memory's neither") {
  Watch watch;
  watch.snapshot.has_memory = true;
  watch.snapshot.memory.used_milligib = 97;
  watch.snapshot.memory.total_milligib = 100;
  watch.snapshot.gpu_count = kMaxGpus;
  for (int i = 0; i < kMaxGpus; ++i) {
    Gpu& gpu = watch.snapshot.gpus[i];
    gpu = Gpu();
    gpu.index = i;
    gpu.junction_c = gpu.memory_c = 120;
    gpu.fan_rpm = 0;
    std::strcpy(gpu.state, "reset");
  }
  watch.pass(20);
  CHECK(watch.alarms.count() == 4 * kMaxGpus + 1);
  CHECK(watch.alarms.count() <= kMaxAlarms);
  for (int i = 0; i < kMaxGpus; ++i) CHECK(watch.is_on(AlarmKind::gpu_reset, i));
  CHECK(watch.is_on(AlarmKind::memory_full));
}

TEST_CASE("a full disk is an alarm after 20 s, and over a minute after it is below 93 %") {
  Watch watch;
  watch.snapshot.disk_count = 2;
  watch.snapshot.disks[0] = {949, 1000, "/home"};
  watch.snapshot.disks[1] = {10, 1000, "/"};
  watch.pass(100);
  CHECK_FALSE(watch.is_on(AlarmKind::disk_full));
  watch.snapshot.disks[0].used_mib = 950;
  watch.pass(20);
  CHECK_FALSE(watch.is_on(AlarmKind::disk_full));
  watch.pass(1);
  CHECK(watch.is_on(AlarmKind::disk_full));
  watch.snapshot.disks[0].used_mib = 931;
  watch.pass(200);
  CHECK(watch.is_on(AlarmKind::disk_full));
  watch.snapshot.disk_count = 0;  // nobody answers: that is no room
  watch.pass(200);
  CHECK(watch.is_on(AlarmKind::disk_full));
  watch.snapshot.disk_count = 2;
  watch.snapshot.disks[0].used_mib = 929;
  watch.pass(60);
  CHECK(watch.is_on(AlarmKind::disk_full));
  watch.pass(1);
  CHECK_FALSE(watch.is_on(AlarmKind::disk_full));
}

TEST_CASE("what was acknowledged comes back when it begins again, and not before") {
  Watch watch;
  watch.state("reset");
  watch.pass(3);
  CHECK(watch.alarms.acknowledge());
  CHECK_FALSE(watch.alarms.acknowledge());
  watch.pass(100);
  CHECK(watch.alarms.count() == 0);
  watch.cool();
  watch.pass(3);
  watch.state("reset");
  watch.pass(3);
  CHECK(watch.is_on(AlarmKind::gpu_reset));
}

TEST_CASE("a state of a later protocol is no alarm") {
  Watch watch;
  watch.snapshot.gpus[0].junction_c = 60;
  std::strcpy(watch.snapshot.gpus[0].state, "throttle");
  watch.pass(100);
  CHECK(watch.alarms.count() == 0);
}

TEST_CASE("a reset is on, with its time, while the server says so: a reset loop is seen between resets") {
  Watch watch;
  watch.state("reset");
  watch.snapshot.event_count = 1;
  std::strcpy(watch.snapshot.events[0].subject, "gpu0");
  std::strcpy(watch.snapshot.events[0].what, "reset");
  std::strcpy(watch.snapshot.events[0].time, "14:20:02");
  watch.pass(3);
  watch.cool();
  watch.pass(300);
  REQUIRE(watch.is_on(AlarmKind::gpu_reset));
  CHECK(watch.alarms.list()[0].since_s == (14 * 60 + 20) * 60 + 2);
  watch.snapshot.event_count = 0;
  watch.pass(2);
  CHECK_FALSE(watch.is_on(AlarmKind::gpu_reset));
}

TEST_CASE("a limit that was set goes before the card's own, and ends with the same hysteresis") {
  InfoLine info;
  info.gpu_count = 1;
  info.gpus[0].junction_critical_c = 110;
  info.gpus[0].memory_critical_c = 105;
  Watch watch;
  const auto pass = [&](int seconds) {
    for (int i = 0; i < seconds; ++i) {
      ++watch.snapshot.uptime_s;
      watch.alarms.update(watch.snapshot, &info, int32_t(watch.snapshot.uptime_s));
    }
  };
  watch.snapshot.gpus[0].junction_c = 95;
  watch.snapshot.gpus[0].memory_c = 92;
  pass(5);
  CHECK(watch.alarms.count() == 0);
  watch.alarms.set({90, 92, 95, 95, 0});
  pass(1);
  CHECK(watch.is_on(AlarmKind::gpu_junction_hot));
  CHECK(watch.is_on(AlarmKind::gpu_memory_hot));
  watch.snapshot.gpus[0].junction_c = 85;  // 5 below 90 is not below that
  pass(120);
  CHECK(watch.is_on(AlarmKind::gpu_junction_hot));
  watch.snapshot.gpus[0].junction_c = 84;
  pass(61);
  CHECK_FALSE(watch.is_on(AlarmKind::gpu_junction_hot));
  watch.alarms.set({});  // back to the card's own
  watch.snapshot.gpus[0].junction_c = 109;
  pass(5);
  CHECK_FALSE(watch.is_on(AlarmKind::gpu_junction_hot));
  watch.snapshot.gpus[0].junction_c = 110;
  pass(1);
  CHECK(watch.is_on(AlarmKind::gpu_junction_hot));
}

TEST_CASE("full memory and full VRAM alarm at the limit that was set, and never at 0") {
  Watch watch;
  watch.snapshot.has_memory = true;
  watch.snapshot.memory = {80'000, 100'000, 0};
  watch.snapshot.gpus[0].vram_used_mib = 1000;
  watch.snapshot.gpus[0].vram_total_mib = 1000;
  watch.pass(100);
  CHECK(watch.alarms.count() == 0);
  watch.alarms.set({0, 0, 80, 95, 99});
  watch.pass(10);
  CHECK(watch.is_on(AlarmKind::memory_full));
  CHECK(watch.is_on(AlarmKind::gpu_vram_full));
  watch.snapshot.memory.used_milligib = 75'000;
  watch.snapshot.gpus[0].vram_used_mib = 939;
  watch.pass(100);
  CHECK(watch.is_on(AlarmKind::memory_full));
  CHECK_FALSE(watch.is_on(AlarmKind::gpu_vram_full));
  watch.snapshot.memory.used_milligib = 100'000;
  watch.alarms.set({0, 0, 0, 0, 0});
  watch.pass(100);
  CHECK(watch.alarms.count() == 0);
}

TEST_CASE("the time of a reset is that of its own card's event, also where the number has two digits") {
  Watch watch;
  const int indexes[] = {9, 12};
  watch.snapshot.gpu_count = 2;
  for (int i = 0; i < 2; ++i) {
    watch.snapshot.gpus[i] = Gpu();
    watch.snapshot.gpus[i].index = indexes[i];
    std::strcpy(watch.snapshot.gpus[i].state, "reset");
  }
  watch.snapshot.event_count = 3;
  watch.snapshot.events[0] = {"gpu12", "reset", "00:00:12"};
  watch.snapshot.events[1] = {"gpu9", "reset", "00:00:09"};
  watch.snapshot.events[2] = {"gpu1", "reset", "00:00:01"};
  watch.pass(3);
  REQUIRE(watch.alarms.count() == 2);
  for (int i = 0; i < 2; ++i) CHECK(watch.alarms.list()[i].since_s == watch.alarms.list()[i].gpu);
}

TEST_CASE("each card alarms at its own critical temperature, wherever it is in the info line") {
  Watch watch;
  InfoLine info;
  info.gpu_count = 2;
  for (int i = 0; i < 2; ++i) {
    info.gpus[i].index = i;
    info.gpus[i].junction_critical_c = 110 - 20 * i;
    watch.snapshot.gpus[i].index = i;
    watch.snapshot.gpus[i].junction_c = 95;
  }
  watch.snapshot.gpu_count = 2;
  for (int i = 0; i < 60; ++i) {
    ++watch.snapshot.uptime_s;
    watch.alarms.update(watch.snapshot, &info, 0);
  }
  CHECK_FALSE(watch.is_on(AlarmKind::gpu_junction_hot, 0));
  CHECK(watch.is_on(AlarmKind::gpu_junction_hot, 1));
}

TEST_CASE("a file system without a size is neither full nor free") {
  Watch watch;
  watch.snapshot.disk_count = 1;
  watch.snapshot.disks[0] = {0, 0, "/"};
  watch.pass(100);
  CHECK(watch.alarms.count() == 0);
}

TEST_CASE("the fullest file system alarms at the limit that was set, and never at 0") {
  Watch watch;
  watch.snapshot.disk_count = 1;
  watch.snapshot.disks[0] = {850, 1000, "/home"};
  watch.pass(60);
  CHECK_FALSE(watch.is_on(AlarmKind::disk_full));
  watch.alarms.set({0, 0, 95, 80, 0});
  watch.pass(30);
  CHECK(watch.is_on(AlarmKind::disk_full));
  watch.alarms.set({0, 0, 95, 0, 0});
  watch.pass(90);
  CHECK_FALSE(watch.is_on(AlarmKind::disk_full));
}
