// The machines and states whose pictures are kept: inktop_pictures SAMPLES lists them, with a NAME
// writes one as PBM.
//
// SAMPLES is the folder of recorded lines; they pass through the parser, the history and the steadying stage
// as on a board.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../lines.h"
#include "inktop/parser.h"
#include "machine/steady.h"
#include "panel/es108fc1.h"
#include "picture/items.h"
#include "picture/picture.h"

namespace inktop {
namespace {

// A board that has seen some lines.
struct Stage {
  Size size = kEs108fc1.size;
  Snapshot snapshot;
  InfoLine info;
  History history;
  Steady steady;
  BoardFacts board;
  std::vector<Alarm> alarms;
  View view;
  std::vector<std::unique_ptr<Stage>> servers;  // with several of them: each one's own stage
  std::vector<View> cells;

  Fleet fleet;

  void fleet_line(const char* line) {
    const auto parsed = std::make_unique<Parsed>();
    const std::string closed = closed_line(line);
    parse(closed.data(), closed.size() - 1, *parsed);
    if (parsed->kind != LineKind::fleet) std::fprintf(stderr, "no fleet: %s\n", line);
    fleet = parsed->fleet;
    view.fleet = &fleet;
  }
  Stage& server(const char* name, const std::string& path, int seconds, int gpus = kMaxGpus) {
    servers.push_back(std::make_unique<Stage>());
    Stage& one = *servers.back();
    if (seconds > 0) {
      one.play(path, seconds, gpus);
      std::strcpy(one.snapshot.host, name);
      one.snapshot.uptime_s += int64_t(servers.size()) * 93'000;
      // All clocks are the same.
      std::strcpy(one.snapshot.time, "12:18");
      one.view.second_of_day = 12 * 3600 + 18 * 60 + 21;
      one.view.last_data_s = 12 * 3600 + 18 * 60;
    }
    std::strcpy(one.view.server_name, name);
    return one;
  }
  // All that the view points to is in its place.
  void finish() {
    view.history = &history;
    view.board = &board;
    view.alarms = alarms.data();
    view.alarm_count = static_cast<int>(alarms.size());
    if (servers.empty()) return;
    for (const auto& one : servers) {
      one->finish();
      one->view.taste = view.taste;
      cells.push_back(one->view);
    }
    if (view.large >= 0) {
      const View large = cells[size_t(view.large)];
      const int which = view.large;
      const bool forward = view.forward;
      view = large;
      view.large = which;
      view.forward = forward;
    } else {
      view.snapshot = cells[0].snapshot;
    }
    view.screen = Screen::live;
    view.servers = cells.data();
    view.server_count = static_cast<int>(cells.size());
  }

  void play(const std::string& path, int seconds, int gpus = kMaxGpus) {
    std::ifstream file(path);
    std::string line;
    const auto parsed = std::make_unique<Parsed>();
    Snapshot newest;
    int64_t clock_s = -1;
    int64_t clock_uptime_s = 0;
    while (seconds > 0 && std::getline(file, line)) {
      if (line.empty()) {
        --seconds;
        continue;
      }
      parse(line.data(), line.size(), *parsed);
      if (parsed->kind == LineKind::info) {
        info = parsed->info;
        if (info.gpu_count > gpus) info.gpu_count = gpus;
        int hours = 0;
        int minutes = 0;
        int of_minute = 0;
        std::sscanf(info.clock.time, "%d:%d:%d", &hours, &minutes, &of_minute);
        clock_s = hours * 3600 + minutes * 60 + of_minute;
        clock_uptime_s = info.clock.uptime_s;
        view.info = &info;
      } else if (parsed->kind == LineKind::data) {
        newest = parsed->snapshot;
        if (newest.gpu_count > gpus) newest.gpu_count = gpus;
        history.add(newest);
        snapshot = steady.settle(newest);
        --seconds;
      }
    }
    view.snapshot = &snapshot;
    if (clock_s >= 0) {
      view.second_of_day = static_cast<int32_t>((clock_s + newest.uptime_s - clock_uptime_s + 86400) % 86400);
    }
    view.last_data_s = view.second_of_day;
  }
  void alarm(AlarmKind kind, int gpu, int32_t since_s) {
    alarms.push_back({kind, static_cast<uint8_t>(gpu), since_s});
  }
};

std::string samples;

std::string sample(const char* name) {
  return samples + "/" + name + ".lines";
}

void know_board(Stage& stage) {
  BoardFacts& board = stage.board;
  std::strcpy(board.id, "desk");
  std::strcpy(board.firmware, "0.1.0");
  std::strcpy(board.reset_reason, "poweron");
  std::strcpy(board.ssid, "workshop");
  std::strcpy(board.address, "192.0.2.80");
  std::strcpy(board.server, "192.0.2.17:7910");
  board.boots = 17;
  board.rssi_dbm = -61;
  board.uptime_s = 364000;
  board.heap_bytes = 181200;
  board.psram_bytes = 3900112;
  board.lowest_heap_bytes = 98304;
  board.largest_block_bytes = 65524;
  board.main_stack_bytes = 9216;
  board.network_stack_bytes = 3072;
  board.panel_mhz = 8;
  board.updates = 43012;
  board.washes = 24;
  board.bad_lines = 2;
  board.attempt = 3;
  board.wash_interval = 1800;
  board.update_interval_ms = 2000;
  board.vcom_mv = 2310;
  board.update_percent = 40;
}

void before_wifi(Stage& stage) {
  stage.board.address[0] = 0;
  stage.board.rssi_dbm = 0;
}

void show(Stage& stage, Screen screen) {
  stage.view.screen = screen;
}

// A rack: machines of one kind and of others, with names of any length.
void eight_servers(Stage& stage) {
  stage.server("t7910", sample("inference"), 300);
  stage.server("nas", sample("small"), 300);
  stage.server("rack3-node07.compute.example.org", sample("eight-gpus"), 380);
  stage.server("workstation", sample("amd-and-nvidia"), 200);
  stage.server("build-and-test-runner", sample("idle"), 300);
  stage.server("h200-1", sample("h200"), 300);
  stage.server("h200-2", sample("h200"), 120);
  stage.server("quiet-box", sample("idle"), 90);
}

// One of the largest machines that a line can tell of.
void giant(Stage& stage) {
  stage.play(sample("eight-gpus"), 400);
  Snapshot& snapshot = stage.snapshot;
  std::strcpy(snapshot.host, "a-host-name-of-sixty-three-characters-is-as-long-as-they-can-be");
  std::strcpy(snapshot.address, "2001:0db8:1234:5678:9abc:def0:1234:5678");
  snapshot.cpus = 1024;
  snapshot.cpu_level_count = 256;
  for (int i = 0; i < 256; ++i) snapshot.cpu_levels[i] = static_cast<int8_t>(i * i % 16);
  for (auto& load : snapshot.load_centi) load = 91277;
  snapshot.memory = {3300000, 4096000, 410000};
  snapshot.has_swap = true;
  snapshot.swap = {12000, 256000};
  snapshot.network.received_bytes_s = 50000000000;
  snapshot.network.sent_bytes_s = 49100000000;
  for (int i = 8; i < kMaxGpus; ++i) {
    snapshot.gpus[i] = snapshot.gpus[i - 8];
    snapshot.gpus[i].index = i;
  }
  snapshot.gpu_count = kMaxGpus;
  std::strcpy(snapshot.gpus[11].state, "lost");
  stage.alarm(AlarmKind::gpu_lost, 11, 9 * 3600 + 27 * 60 + 40);
}

void tiny(Stage& stage) {
  stage.play(sample("small"), 700);
  Snapshot& snapshot = stage.snapshot;
  std::strcpy(snapshot.host, "pi");
  snapshot.cpus = snapshot.cpu_level_count = 1;
  snapshot.cpu_levels[0] = 3;
  snapshot.memory = {142, 500, 210};
  snapshot.has_swap = false;
  snapshot.network.received_bytes_s = 312;
  snapshot.network.sent_bytes_s = 0;
  snapshot.uptime_s = 754;
}

void nothing(Stage& stage) {
  std::strcpy(stage.snapshot.host, "bare");
  stage.view.snapshot = &stage.snapshot;
}

void unknown(Stage& stage) {
  stage.play(sample("inference"), 40);
  Snapshot& snapshot = stage.snapshot;
  snapshot.cpu_permille = kUnknown;
  for (int i = 0; i < snapshot.cpu_level_count; ++i) snapshot.cpu_levels[i] = -1;
  for (auto& load : snapshot.load_centi) load = kUnknown;
  snapshot.memory = Memory();
  snapshot.swap = Swap();
  snapshot.network.received_bytes_s = snapshot.network.sent_bytes_s = kUnknown;
  for (int i = 0; i < 2; ++i) {
    snapshot.gpus[i] = Gpu();
    snapshot.gpus[i].index = i;
  }
  stage.history.clear();
}

void alarms(Stage& stage) {
  stage.play(sample("inference"), 600);
  stage.snapshot.memory.used_milligib = 120900;
  stage.snapshot.gpus[0].junction_c = 111;
  stage.snapshot.gpus[0].fan_rpm = 0;
  std::strcpy(stage.snapshot.gpus[1].state, "reset");
  stage.alarm(AlarmKind::gpu_fan_stopped, 0, 12 * 3600 + 17 * 60 + 2);
  stage.alarm(AlarmKind::gpu_junction_hot, 0, 12 * 3600 + 18 * 60 + 41);
  stage.alarm(AlarmKind::gpu_reset, 1, 12 * 3600 + 19 * 60 + 30);
  stage.alarm(AlarmKind::memory_full, 0, 12 * 3600 + 16 * 60);
}

// One card too hot to keep its clock; the other one on four of its lanes, and at its power cap as it is meant
// to be.
void throttled(Stage& stage) {
  stage.play(sample("inference"), 514);
  Gpu(&gpus)[kMaxGpus] = stage.snapshot.gpus;
  gpus[0].busy_percent = 100;
  gpus[0].junction_c = 108;
  gpus[0].core_clock_mhz = 1740;
  std::strcpy(gpus[0].throttle, "heat");
  gpus[1].link_width = 4;
  std::strcpy(gpus[1].throttle, "power");
  gpus[1].power_w = 299;
  stage.alarm(AlarmKind::gpu_throttled_heat, 0, 12 * 3600 + 17 * 60 + 2);
  stage.alarm(AlarmKind::gpu_link_narrow, 1, 12 * 3600 + 18 * 60 + 41);
  stage.alarms.back().now = 4;
  stage.alarms.back().most = 16;
}

void add_disks(Stage& stage) {
  Snapshot& snapshot = stage.snapshot;
  snapshot.cpu_c = 62;
  snapshot.disk_count = 2;
  snapshot.disks[0] = {421888, 953674, "/home"};
  snapshot.disks[1] = {18432, 51200, "/"};
  snapshot.has_disk_traffic = true;
  snapshot.disk_traffic = {12'500'000, 310'000};
}

// A kill for want of memory, and a card that is back.
void events(Stage& stage) {
  stage.play(sample("inference"), 514);
  Snapshot& snapshot = stage.snapshot;
  snapshot.event_count = 2;
  snapshot.events[0] = {"gpu1", "back", "12:11:40"};
  snapshot.events[1] = {"mem", "oom", "12:13:05"};
  stage.view.event = &snapshot.events[1];
  stage.view.event_count = 2;
}

// An APU: one temperature, no fan, no power cap.
void apu(Stage& stage) {
  stage.play(sample("inference"), 514, 1);
  Gpu& gpu = stage.snapshot.gpus[0];
  gpu.busy_percent = 21;
  gpu.vram_used_mib = 1434;
  gpu.vram_total_mib = 13926;
  gpu.power_w = 20;
  gpu.junction_c = gpu.memory_c = gpu.fan_rpm = kUnknown;
  gpu.edge_c = 52;
  gpu.core_clock_mhz = 810;
  GpuInfo& info = stage.info.gpus[0];
  std::strcpy(info.name, "Radeon 890M");
  std::strcpy(info.pci, "0000:c5:00.0");
  info.power_cap_w = info.edge_critical_c = info.junction_critical_c = info.memory_critical_c = kUnknown;
  info.link_generation = info.link_width = gpu.link_generation = gpu.link_width = kUnknown;
  stage.history.clear();
  Snapshot line = stage.snapshot;
  for (int second = 0; second < 400; ++second) {
    line.uptime_s = stage.snapshot.uptime_s - 399 + second;
    line.gpus[0].busy_percent = 15 + second * 7 % 12;
    stage.history.add(line);
  }
}

// A day of which the cards worked from eight to eighteen.
void day(Stage& stage) {
  stage.play(sample("inference"), 514);
  Snapshot line = stage.snapshot;
  const int32_t begun = stage.view.second_of_day;
  stage.history.clear();
  for (int back = 86399; back >= 0; --back) {
    const int32_t second = (begun + 86400 - back) % 86400;
    const bool working = second >= 8 * 3600 && second < 18 * 3600;
    line.uptime_s = stage.snapshot.uptime_s - back;
    line.cpu_permille = working ? 200 + second % 3600 / 12 : 20 + second % 600 / 20;
    line.network.received_bytes_s = working ? second % 1800 * 20'000 : 4'000;
    line.network.sent_bytes_s = working ? second % 900 * 4'000 : 2'000;
    line.memory.used_milligib = working ? 18'300 + second % 7200 * 4 : 9'000;
    for (int i = 0; i < 2; ++i) {
      line.gpus[i].busy_percent = working ? second * (7 + i) % 97 * (second % 1200) / 1200 : 0;
      line.gpus[i].vram_used_mib = working ? 30207 : 800;
    }
    stage.history.add(line);
  }
  stage.view.span = Span::day;
}

void eight_alarms(Stage& stage) {
  stage.play(sample("eight-gpus"), 530);
  const int32_t begun = 9 * 3600 + 31 * 60;
  for (int i = 0; i < 8; ++i) {
    if (i == 2 || i == 5) continue;
    stage.snapshot.gpus[i].junction_c = 112;
    stage.alarm(AlarmKind::gpu_junction_hot, i, begun + i);
    stage.alarm(AlarmKind::gpu_memory_hot, i, begun + 60);
  }
  stage.snapshot.gpus[2] = stage.snapshot.gpus[5] = Gpu();
  stage.snapshot.gpus[2].index = 2;
  stage.snapshot.gpus[5].index = 5;
  std::strcpy(stage.snapshot.gpus[2].state, "lost");
  std::strcpy(stage.snapshot.gpus[5].state, "stale");
  stage.alarm(AlarmKind::gpu_lost, 2, begun);
  stage.alarm(AlarmKind::gpu_stale, 5, begun + 70);
}

struct Setup {
  const char* name;
  std::function<void(Stage&)> set;
};

const Setup kSetups[] = {
    {"two-gpus-loaded", [](Stage& s) { s.play(sample("inference"), 514); }},
    {"two-gpus-idle", [](Stage& s) { s.play(sample("idle"), 433); }},
    {"two-gpus-1280x720",
     [](Stage& s) {
       s.size = {1280, 720};
       s.play(sample("inference"), 514);
     }},
    {"two-gpus-800x480",
     [](Stage& s) {
       s.size = {800, 480};
       s.play(sample("inference"), 514);
     }},
    {"no-gpu", [](Stage& s) { s.play(sample("small"), 700); }},
    {"one-gpu", [](Stage& s) { s.play(sample("inference"), 777, 1); }},
    {"three-gpus", [](Stage& s) { s.play(sample("eight-gpus"), 333, 3); }},
    {"four-gpus", [](Stage& s) { s.play(sample("eight-gpus"), 444, 4); }},
    {"five-gpus", [](Stage& s) { s.play(sample("eight-gpus"), 410, 5); }},
    {"seven-gpus", [](Stage& s) { s.play(sample("eight-gpus"), 470, 7); }},
    {"six-gpus", [](Stage& s) { s.play(sample("eight-gpus"), 555, 6); }},
    {"eight-gpus", [](Stage& s) { s.play(sample("eight-gpus"), 530); }},
    {"eight-gpus-alarms", eight_alarms},
    {"apu", apu},
    {"h200", [](Stage& s) { s.play(sample("h200"), 1); }},
    {"amd-and-nvidia", [](Stage& s) { s.play(sample("amd-and-nvidia"), 1); }},
    {"model-server",
     [](Stage& s) {
       s.play(sample("inference"), 514);
       ModelServer& server = s.snapshot.model_server;
       s.snapshot.has_model_server = true;
       server = {"llama.cpp", 2, 1, 84, 1200, 37};
       s.history.clear();
       Snapshot line = s.snapshot;
       for (int second = 0; second < 400; ++second) {
         line.uptime_s = s.snapshot.uptime_s - 399 + second;
         line.model_server.generated_tokens_s = second % 130 < 90 ? 78 + second * 7 % 12 : 0;
         s.history.add(line);
       }
     }},
    {"an-hour",
     [](Stage& s) {
       s.play(sample("trouble"), 2750);
       s.view.span = Span::hour;
     }},
    {"a-day", day},
    {"twelve-hours-fahrenheit",
     [](Stage& s) {
       alarms(s);
       s.snapshot.memory.used_milligib = 18'300;
       s.alarms.pop_back();
       s.snapshot.cpu_c = 62;
       s.view.taste = {true, true, HeaderMiddle::memory};
     }},
    {"portrait",
     [](Stage& s) {
       s.size = {1080, 1920};
       s.play(sample("inference"), 514);
       add_disks(s);
     }},
    {"portrait-seven-gpus",
     [](Stage& s) {
       s.size = {1080, 1920};
       s.play(sample("eight-gpus"), 470, 7);
     }},
    {"portrait-no-gpu",
     [](Stage& s) {
       s.size = {1080, 1920};
       s.play(sample("small"), 700);
     }},
    {"events", events},
    {"gpu-back",
     [](Stage& s) {
       events(s);
       s.view.event = &s.snapshot.events[0];
       s.view.event_count = 1;
     }},
    {"rebooted-long-name",
     [](Stage& s) {
       s.play(sample("eight-gpus"), 530);
       s.snapshot.events[0] = {"sys", "boot", "03:37:09"};
       s.view.event = &s.snapshot.events[0];
       s.view.event_count = 1;
     }},
    {"disk-full",
     [](Stage& s) {
       s.play(sample("inference"), 514);
       add_disks(s);
       s.snapshot.disks[0].used_mib = 925'000;
       s.alarm(AlarmKind::disk_full, 0, 12 * 3600 + 9 * 60);
     }},
    {"no-gpu-disks",
     [](Stage& s) {
       s.play(sample("small"), 700);
       add_disks(s);
     }},
    {"one-gpu-disks",
     [](Stage& s) {
       s.play(sample("inference"), 777, 1);
       add_disks(s);
     }},
    {"sixteen-gpus-1024-cpus-4-tib", giant},
    {"one-cpu-512-mib", tiny},
    {"everything-missing", nothing},
    {"everything-unknown", unknown},
    {"quiet-hours",
     [](Stage& s) {
       s.play(sample("idle"), 500);
       s.view.quiet = {22, 7, 15};
     }},
    {"portrait-quiet-hours",
     [](Stage& s) {
       s.size = {1080, 1920};
       s.play(sample("idle"), 500);
       s.view.quiet = {22, 7, 15};
       s.view.taste.twelve_hours = true;
     }},
    {"first-minute", [](Stage& s) { s.play(sample("inference"), 47); }},
    {"gpu-lost",
     [](Stage& s) {
       s.play(sample("trouble"), 800);
       s.alarm(AlarmKind::gpu_lost, 1, 3 * 3600 + 60 + 1);
     }},
    {"gpu-asleep",
     [](Stage& s) {
       s.play(sample("idle"), 500);
       s.snapshot.gpus[1] = Gpu();
       s.snapshot.gpus[1].index = 1;
       std::strcpy(s.snapshot.gpus[1].state, "asleep");
     }},
    {"alarms", alarms},
    {"throttled", throttled},
    {"edge-hot",
     [](Stage& s) {
       s.play(sample("h200"), 1);
       s.snapshot.gpus[0].edge_c = 91;
       s.alarm(AlarmKind::gpu_edge_hot, 0, 12 * 3600 + 9 * 60);
       s.alarm(AlarmKind::gpu_link_slow, 0, 12 * 3600 + 10 * 60);
       s.alarms.back().now = 3;
       s.alarms.back().most = 5;
     }},
    {"after-a-stall", [](Stage& s) { s.play(sample("trouble"), 2200); }},
    {"data-old",
     [](Stage& s) {
       s.play(sample("inference"), 700);
       s.view.freshness = Freshness::old;
       s.view.age_s = 5;
     }},
    {"link-lost",
     [](Stage& s) {
       s.play(sample("inference"), 700);
       s.view.freshness = Freshness::lost;
       s.view.age_s = 60;
     }},
    {"boot",
     [](Stage& s) {
       before_wifi(s);
       show(s, Screen::boot);
     }},
    {"wifi-unset",
     [](Stage& s) {
       before_wifi(s);
       s.board.ssid[0] = 0;
       show(s, Screen::wifi_unset);
     }},
    {"wifi-setup",
     [](Stage& s) {
       before_wifi(s);
       s.board.ssid[0] = 0;
       std::strcpy(s.board.id, "inktop-a1b2");
       std::strcpy(s.board.setup_password, "kx7m4pw9tq");
       std::strcpy(s.board.setup_page, "http://192.168.4.1/");
       show(s, Screen::wifi_unset);
     }},
    {"wifi-setup-closed",
     [](Stage& s) {
       before_wifi(s);
       s.board.ssid[0] = 0;
       s.board.setup_closed = true;
       show(s, Screen::wifi_unset);
     }},
    {"wifi-joining",
     [](Stage& s) {
       before_wifi(s);
       show(s, Screen::wifi_joining);
     }},
    {"wifi-no-ssid",
     [](Stage& s) {
       before_wifi(s);
       show(s, Screen::wifi_no_ssid);
     }},
    {"wifi-bad-key",
     [](Stage& s) {
       before_wifi(s);
       show(s, Screen::wifi_bad_key);
     }},
    {"wifi-no-address",
     [](Stage& s) {
       before_wifi(s);
       show(s, Screen::wifi_no_address);
     }},
    {"searching", [](Stage& s) { show(s, Screen::searching); }},
    {"waiting", [](Stage& s) { show(s, Screen::waiting); }},
    {"two-servers",
     [](Stage& s) {
       s.server("t7910", sample("inference"), 300);
       s.server("nas.home.example", sample("small"), 300);
     }},
    {"two-servers-eight-gpus",
     [](Stage& s) {
       s.server("rack3-node07.compute.example.org", sample("eight-gpus"), 380);
       s.server("rack3-node08.compute.example.org", sample("amd-and-nvidia"), 300);
     }},
    {"three-servers",
     [](Stage& s) {
       s.server("t7910", sample("inference"), 300);
       s.server("nas", sample("small"), 300);
       s.server("rack3-node07.compute.example.org", sample("eight-gpus"), 380);
     }},
    {"four-servers",
     [](Stage& s) {
       s.server("t7910", sample("inference"), 300);
       s.server("nas", sample("small"), 300);
       s.server("rack3-node07.compute.example.org", sample("eight-gpus"), 380);
       s.server("workstation", sample("amd-and-nvidia"), 200);
     }},
    {"four-servers-one-gone",
     [](Stage& s) {
       s.server("t7910", sample("inference"), 300);
       Stage& gone = s.server("nas", sample("small"), 300);
       gone.view.freshness = Freshness::lost;
       gone.view.last_data_s = 12 * 3600 + 3 * 60;
       Stage& rack = s.server("rack3-node07.compute.example.org", sample("eight-gpus"), 380);
       rack.alarm(AlarmKind::gpu_junction_hot, 3, 12 * 3600 + 11 * 60);
       rack.alarm(AlarmKind::gpu_lost, 5, 12 * 3600 + 14 * 60);
       s.server("192.0.2.44", "", 0);
     }},
    {"six-servers",
     [](Stage& s) {
       s.server("t7910", sample("inference"), 300);
       s.server("nas", sample("small"), 300);
       s.server("rack3-node07", sample("eight-gpus"), 380);
       s.server("workstation", sample("amd-and-nvidia"), 200);
       s.server("idle", sample("idle"), 300);
       s.server("h200", sample("h200"), 300);
     }},
    {"eight-servers", [](Stage& s) { eight_servers(s); }},
    {"eight-servers-alarms",
     [](Stage& s) {
       eight_servers(s);
       s.servers[1]->view.freshness = Freshness::lost;
       s.servers[1]->view.last_data_s = 11 * 3600 + 58 * 60;
       s.servers[2]->alarm(AlarmKind::gpu_junction_hot, 3, 12 * 3600 + 11 * 60);
       s.servers[4]->alarm(AlarmKind::memory_full, 0, 12 * 3600 + 1 * 60);
       s.servers[7]->view.snapshot = nullptr;
       s.servers[7]->view.denied = true;
     }},
    {"one-of-four",
     [](Stage& s) {
       s.server("t7910", sample("inference"), 300);
       s.server("nas", sample("small"), 300).view.freshness = Freshness::lost;
       s.server("rack3", sample("eight-gpus"), 380);
       s.server("workstation", sample("amd-and-nvidia"), 200);
       s.view.large = 0;
     }},
    {"alarm-forward",
     [](Stage& s) {
       s.server("nas", sample("small"), 300);
       Stage& loud = s.server("t7910", sample("inference"), 300);
       loud.alarm(AlarmKind::gpu_junction_hot, 1, 12 * 3600 + 16 * 60);
       s.server("rack3", sample("eight-gpus"), 380);
       s.view.large = 1;
       s.view.forward = true;
     }},
    {"portrait-four-servers",
     [](Stage& s) {
       s.size = {1080, 1920};
       s.server("t7910", sample("inference"), 300);
       s.server("nas", sample("small"), 300);
       s.server("rack3-node07", sample("eight-gpus"), 380);
       s.server("workstation", sample("amd-and-nvidia"), 200);
     }},
    {"four-servers-800x480",
     [](Stage& s) {
       s.size = {800, 480};
       s.server("t7910", sample("inference"), 300);
       s.server("nas", sample("small"), 300);
       s.server("rack3-node07", sample("eight-gpus"), 380);
       s.server("workstation", sample("amd-and-nvidia"), 200);
     }},
    {"fleet",
     [](Stage& s) {
       s.fleet_line(
           "fleet=1|h=rack7|i=192.0.2.70|t=12:14|u=1051200|up=498/500|gpu=3981/4000|busy=71|p=1204000/1680000"
           "|v=201326592/"
           "262144000|n=23|x=node017:down:340,node301.compute.example.org:down:86400,node003:lost:-"
           ":gpu5,node009:hot:104:gpu2,node077:vram:99:gpu0,node118:mem:97,node404:disk:96:/"
           "home,node250:cpu:100");
     }},
    {"fleet-well",
     [](Stage& s) {
       s.fleet_line(
           "fleet=1|h=lab|i=192.0.2.70|t=12:14|u=51200|up=6/6|gpu=11/11|busy=38|p=1820/3400|v=311000/"
           "720896|n=0");
     }},
    {"fleet-source-down",
     [](Stage& s) {
       s.fleet_line("fleet=1|h=rack7|i=192.0.2.70|t=12:14|u=1051200|src=down|up=-/500|gpu=-/4000");
     }},
    {"fleet-gone",
     [](Stage& s) {
       s.fleet_line(
           "fleet=1|h=lab|i=192.0.2.70|t=12:14|u=51200|up=5/6|gpu=11/11|busy=38|p=1820/3400"
           "|v=311000/720896|n=1|x=nas:down:-");
       s.view.freshness = Freshness::lost;
       s.view.last_data_s = 12 * 3600 + 14 * 60;
     }},
    {"fleet-in-a-grid",
     [](Stage& s) {
       s.server("t7910", sample("inference"), 300);
       s.server("nas", sample("small"), 300);
       s.server("rack7", "", 0)
           .fleet_line(
               "fleet=1|h=rack7|t=12:18|u=1051200|up=498/500|gpu=3981/4000|busy=71|p=1204000/1680000"
               "|v=201326592/262144000|n=23|x=node017:down:340");
       s.server("workstation", sample("amd-and-nvidia"), 200);
     }},
    {"denied", [](Stage& s) { show(s, Screen::denied); }},
    {"newer-protocol", [](Stage& s) { show(s, Screen::newer_protocol); }},
    {"status", [](Stage& s) { show(s, Screen::status); }},
    {"updating", [](Stage& s) { show(s, Screen::updating); }},
    {"panel-fault", [](Stage& s) { show(s, Screen::panel_fault); }},
};

// Binary PBM: one bit a pixel, 1 is black, rows padded to whole bytes.
void write(const Canvas& canvas) {
  const Size size = canvas.size();
  std::printf("P4\n%d %d\n", size.width, size.height);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; x += 8) {
      int byte = 0;
      for (int bit = 0; bit < 8; ++bit) byte = byte << 1 | (canvas.is_black(x + bit, y) ? 1 : 0);
      std::putchar(byte);
    }
  }
}

// A QR code alone, four pixels a module.
int write_code(const char* text) {
  constexpr int kModule = 4;
  QrCode code;
  if (!code.encode(text)) return 1;
  const int side = (code.side() + 2 * QrCode::kQuiet) * kModule;
  const Size size{(side + 7) / 8 * 8, side};
  std::vector<uint32_t> pixels(static_cast<size_t>(size.width) * size.height / 8, 0xFFFFFFFFu);
  Canvas canvas(reinterpret_cast<uint8_t*>(pixels.data()), size);
  Scene scene;
  do {
    scene.begin(canvas);
    code_item(scene, {0, 0, side, side}, code, kModule);
  } while (!scene.end());
  write(canvas);
  return 0;
}

int run(int argc, char** argv) {
  if (argc == 2) {
    for (const Setup& setup : kSetups) std::printf("%s\n", setup.name);
    return 0;
  }
  if (argc == 3 && std::strcmp(argv[1], "--code") == 0) return write_code(argv[2]);
  const bool on_its_side = argc == 4 && std::strcmp(argv[3], "--on-its-side") == 0;
  for (const Setup& setup : kSetups) {
    if ((argc != 3 && !on_its_side) || std::strcmp(setup.name, argv[2]) != 0) continue;
    samples = argv[1];
    const auto stage = std::make_unique<Stage>();
    know_board(*stage);
    stage->view.screen = Screen::live;
    setup.set(*stage);
    stage->finish();
    std::vector<uint32_t> pixels(static_cast<size_t>(stage->size.width) * stage->size.height / 8,
                                 0xFFFFFFFFu);
    Canvas canvas(reinterpret_cast<uint8_t*>(pixels.data()), stage->size, on_its_side);
    const auto picture = std::make_unique<Picture>(stage->size);
    picture->draw(stage->view, canvas);
    // On its side: the frame as the panel has it.
    write(Canvas(reinterpret_cast<uint8_t*>(pixels.data()), on_its_side ? turned(stage->size) : stage->size));
    return 0;
  }
  std::fprintf(
      stderr,
      "usage: inktop_pictures SAMPLES [NAME [--on-its-side]] | --code TEXT; without a name it lists them\n");
  return 2;
}

}  // namespace
}  // namespace inktop

int main(int argc, char** argv) {
  return inktop::run(argc, argv);
}
