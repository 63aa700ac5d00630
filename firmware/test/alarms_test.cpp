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

namespace {

// A card on a link of generation 4 and 16 lanes at most.
struct LinkWatch : Watch {
  LinkWatch() {
    info.gpu_count = 1;
    info.gpus[0].link_generation = 4;
    info.gpus[0].link_width = 16;
    link(90, 4, 16);
  }
  void link(int busy_percent, int generation, int width) {
    snapshot.gpus[0].busy_percent = busy_percent;
    snapshot.gpus[0].link_generation = generation;
    snapshot.gpus[0].link_width = width;
  }
  void pass(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      ++snapshot.uptime_s;
      alarms.update(snapshot, &info, int32_t(snapshot.uptime_s % 86400));
    }
  }
  const Alarm* find(AlarmKind kind) const {
    for (int i = 0; i < alarms.count(); ++i) {
      if (alarms.list()[i].kind == kind) return &alarms.list()[i];
    }
    return nullptr;
  }

  InfoLine info;
};

}  // namespace

TEST_CASE("a link with fewer lanes than it can have is an alarm under load, after half a minute") {
  LinkWatch watch;
  watch.pass(100);
  CHECK(watch.alarms.count() == 0);
  watch.link(90, 4, 4);
  watch.pass(25);
  CHECK(watch.alarms.count() == 0);
  watch.pass(1);
  const Alarm* alarm = watch.find(AlarmKind::gpu_link_narrow);
  REQUIRE(alarm != nullptr);
  CHECK(alarm->now == 4);
  CHECK(alarm->most == 16);
  CHECK(watch.find(AlarmKind::gpu_link_slow) == nullptr);
  // Rest says nothing of a link.
  watch.link(0, 1, 4);
  watch.pass(3600);
  CHECK(watch.find(AlarmKind::gpu_link_narrow) != nullptr);
  watch.link(0, 1, 16);
  watch.pass(60);
  CHECK(watch.find(AlarmKind::gpu_link_narrow) != nullptr);
  watch.pass(1);
  CHECK(watch.alarms.count() == 0);
}

TEST_CASE("a link that is slow at rest is no alarm, one that is slow under load is") {
  LinkWatch watch;
  watch.link(0, 1, 16);
  watch.pass(3600);
  watch.link(29, 1, 16);
  watch.pass(3600);
  CHECK(watch.alarms.count() == 0);
  watch.link(30, 3, 16);
  watch.pass(30);
  const Alarm* alarm = watch.find(AlarmKind::gpu_link_slow);
  REQUIRE(alarm != nullptr);
  CHECK(alarm->now == 3);
  CHECK(alarm->most == 4);
  // The worst is what is said, until it is over.
  watch.link(90, 2, 16);
  watch.pass(1);
  CHECK(watch.find(AlarmKind::gpu_link_slow)->now == 2);
  watch.link(90, 4, 16);
  watch.pass(30);
  CHECK(watch.find(AlarmKind::gpu_link_slow)->now == 2);
}

TEST_CASE("a link of which nothing is known begins no alarm and ends none") {
  LinkWatch watch;
  watch.link(90, kUnknown, kUnknown);
  watch.pass(600);
  CHECK(watch.alarms.count() == 0);
  watch.link(90, 4, 8);
  watch.pass(30);
  REQUIRE(watch.find(AlarmKind::gpu_link_narrow) != nullptr);
  watch.link(90, kUnknown, kUnknown);
  watch.pass(600);
  CHECK(watch.find(AlarmKind::gpu_link_narrow) != nullptr);
  watch.info.gpus[0].link_width = kUnknown;
  watch.link(90, 4, 16);
  watch.pass(600);
  CHECK(watch.find(AlarmKind::gpu_link_narrow) != nullptr);
  // A card that sleeps has kept its slot.
  watch.info.gpus[0].link_width = 16;
  watch.state("asleep");
  watch.pass(600);
  CHECK(watch.find(AlarmKind::gpu_link_narrow) != nullptr);
  watch.state("lost");
  watch.pass(61);
  CHECK(watch.find(AlarmKind::gpu_link_narrow) == nullptr);
}

TEST_CASE("a card that does not tell its load is loaded at half of its power cap") {
  LinkWatch watch;
  watch.info.gpus[0].power_cap_w = 200;
  watch.link(kUnknown, 4, 8);
  watch.snapshot.gpus[0].power_w = 99;
  watch.pass(600);
  CHECK(watch.alarms.count() == 0);
  watch.snapshot.gpus[0].power_w = 100;
  watch.pass(30);
  CHECK(watch.find(AlarmKind::gpu_link_narrow) != nullptr);
}

TEST_CASE("the alarm of a link is a setting") {
  LinkWatch watch;
  AlarmSettings settings;
  settings.link_busy_percent = 0;
  watch.alarms.set(settings);
  watch.link(100, 1, 1);
  watch.pass(600);
  CHECK(watch.alarms.count() == 0);
  settings.link_busy_percent = 100;
  watch.alarms.set(settings);
  watch.link(99, 1, 1);
  watch.pass(600);
  CHECK(watch.alarms.count() == 0);
  watch.link(100, 1, 1);
  watch.pass(30);
  CHECK(watch.alarms.count() == 2);
}

TEST_CASE("a card slowed down by heat is an alarm, by its power cap only where somebody wants it") {
  Watch watch;
  Gpu& gpu = watch.snapshot.gpus[0];
  for (const char* reason : {"power", "current", "other", "none", ""}) {
    std::strcpy(gpu.throttle, reason);
    watch.pass(600);
    CHECK(watch.alarms.count() == 0);
  }
  std::strcpy(gpu.throttle, "heat");
  watch.pass(10);
  CHECK(watch.alarms.count() == 0);
  watch.pass(1);
  CHECK(watch.is_on(AlarmKind::gpu_throttled_heat));
  // A reason that cannot be read is not over.
  gpu.throttle[0] = 0;
  watch.pass(600);
  CHECK(watch.is_on(AlarmKind::gpu_throttled_heat));
  std::strcpy(gpu.throttle, "power");
  watch.pass(60);
  CHECK(watch.is_on(AlarmKind::gpu_throttled_heat));
  watch.pass(1);
  CHECK(watch.alarms.count() == 0);

  AlarmSettings settings;
  settings.throttle = ThrottleAlarm::any;
  watch.alarms.set(settings);
  watch.pass(11);
  CHECK(watch.is_on(AlarmKind::gpu_throttled_power));
  CHECK(watch.alarms.count() == 1);
  std::strcpy(gpu.throttle, "current");
  watch.pass(61);
  CHECK(watch.is_on(AlarmKind::gpu_throttled_current));
  CHECK(watch.alarms.count() == 1);
  std::strcpy(gpu.throttle, "moonlight");
  watch.pass(61);
  CHECK(watch.is_on(AlarmKind::gpu_throttled_other));
  settings.throttle = ThrottleAlarm::never;
  watch.alarms.set(settings);
  std::strcpy(gpu.throttle, "heat");
  watch.pass(600);
  CHECK(watch.alarms.count() == 0);
}

TEST_CASE("a reason that comes and goes within ten seconds is no alarm") {
  Watch watch;
  for (int i = 0; i < 60; ++i) {
    std::strcpy(watch.snapshot.gpus[0].throttle, i % 2 == 0 ? "heat" : "none");
    watch.pass(5);
    CHECK(watch.alarms.count() == 0);
  }
}

TEST_CASE("a card with an edge temperature alone is hot at its own limit, else at 95 degrees") {
  LinkWatch watch;
  Gpu& gpu = watch.snapshot.gpus[0];
  gpu.junction_c = gpu.memory_c = kUnknown;
  const auto hot_at = [&](int celsius) {
    gpu.edge_c = 20;
    watch.pass(61);
    gpu.edge_c = celsius - 1;
    watch.pass(61);
    const bool below = watch.is_on(AlarmKind::gpu_edge_hot);
    gpu.edge_c = celsius;
    watch.pass(1);
    return !below && watch.is_on(AlarmKind::gpu_edge_hot);
  };
  CHECK(hot_at(95));
  watch.info.gpus[0].edge_critical_c = 89;  // an H200's
  CHECK(hot_at(89));
  AlarmSettings settings;
  settings.hot_edge_c = 70;
  watch.alarms.set(settings);
  CHECK(hot_at(70));
  // It ends five degrees below, after a minute.
  gpu.edge_c = 65;
  watch.pass(300);
  CHECK(watch.is_on(AlarmKind::gpu_edge_hot));
  gpu.edge_c = 64;
  watch.pass(61);
  CHECK(watch.alarms.count() == 0);
}

TEST_CASE("a card that has a junction is not judged by its edge, not even while the junction is unknown") {
  Watch watch;
  watch.snapshot.gpus[0].edge_c = 120;
  watch.pass(5);
  watch.snapshot.gpus[0].junction_c = kUnknown;
  watch.pass(600);
  CHECK_FALSE(watch.is_on(AlarmKind::gpu_edge_hot));
}
