// Invented views for the tests of the picture: from a seed, with every extreme that a line can carry.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "panel/es108fc1.h"
#include "picture/canvas.h"
#include "picture/format.h"
#include "picture/picture.h"
#include "picture/view.h"

namespace inktop {
namespace test {

// A small generator of our own: the same views on every machine and library.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 1) {}
  uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  // low ... high, both included.
  int64_t within(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }
  bool once_in(int n) { return within(1, n) == 1; }
  // Small, large, or any size between: the digits are spread evenly, not the values.
  int64_t spread(int64_t most) {
    int64_t value = static_cast<int64_t>(next() >> 1);
    const int shift = static_cast<int>(within(0, 62));
    value >>= shift;
    return value > most ? (once_in(2) ? most : value % (most + 1)) : value;
  }
  int32_t maybe(int64_t value) { return once_in(6) ? kUnknown : static_cast<int32_t>(value); }

 private:
  uint64_t state_;
};

template <size_t kSize>
void text(Dice& dice, char (&out)[kSize], const char* alphabet) {
  const int kinds = static_cast<int>(std::strlen(alphabet));
  const int length =
      dice.once_in(3) ? static_cast<int>(kSize) - 1 : static_cast<int>(dice.within(0, kSize - 1));
  for (int i = 0; i < length; ++i) out[i] = alphabet[dice.within(0, kinds - 1)];
  out[length] = 0;
}

// Everything that a view points to.
struct Scenery {
  Snapshot snapshot;
  InfoLine info;
  History history;
  BoardFacts board;
  Alarm alarms[kMaxAlarms];
  View view;
};

inline void fill_history(Scenery& scenery, Dice& dice, int seconds, int64_t uptime) {
  Snapshot sample = scenery.snapshot;
  scenery.history.clear();
  for (int i = seconds - 1; i >= 0; --i) {
    if (uptime - i < 0 || dice.once_in(15)) continue;
    sample.uptime_s = uptime - i;
    sample.cpu_permille = dice.maybe(dice.within(0, 1000));
    for (int g = 0; g < sample.gpu_count; ++g) sample.gpus[g].busy_percent = dice.maybe(dice.within(0, 100));
    sample.network.received_bytes_s = dice.once_in(9) ? kUnknown : dice.spread(100000000000000);
    sample.network.sent_bytes_s = dice.once_in(9) ? kUnknown : dice.spread(50000000000);
    scenery.history.add(sample);
  }
}

inline void invent_snapshot(Snapshot& snapshot, Dice& dice, int gpus) {
  snapshot = Snapshot();
  text(dice, snapshot.host, "abcWM-.0123456789_");
  if (snapshot.host[0] == 0) std::strcpy(snapshot.host, "h");
  if (!dice.once_in(5)) text(dice, snapshot.address, "0123456789abcdef::");
  if (!dice.once_in(5)) {
    std::strcpy(snapshot.time, format_clock(static_cast<int32_t>(dice.within(0, 86399)), false).c_str());
  }
  snapshot.uptime_s = dice.once_in(8) ? kUnknown : dice.spread(4294967295);
  snapshot.cpu_permille = dice.maybe(dice.within(0, 1000));
  snapshot.cpus = dice.maybe(dice.within(1, dice.once_in(3) ? 65535 : 256));
  if (!dice.once_in(6)) {
    const int64_t most = snapshot.cpus == kUnknown ? 256 : snapshot.cpus > 256 ? 256 : snapshot.cpus;
    snapshot.cpu_level_count = static_cast<int32_t>(most);
    for (int i = 0; i < most; ++i) snapshot.cpu_levels[i] = static_cast<int8_t>(dice.within(-1, 15));
  }
  snapshot.has_load = !dice.once_in(6);
  for (auto& load : snapshot.load_centi) load = dice.maybe(dice.spread(9999999));
  snapshot.has_memory = !dice.once_in(6);
  if (snapshot.has_memory) {
    const int64_t total = dice.spread(1048576000);
    snapshot.memory.total_milligib = dice.maybe(total);
    snapshot.memory.used_milligib = dice.maybe(dice.within(0, total));
    snapshot.memory.cache_milligib = dice.maybe(dice.within(0, total));
  }
  snapshot.has_swap = !dice.once_in(3);
  if (snapshot.has_swap) {
    snapshot.swap.total_milligib = dice.maybe(dice.spread(1048576000));
    snapshot.swap.used_milligib = dice.maybe(dice.spread(1048576000));
  }
  snapshot.has_network = !dice.once_in(6);
  if (snapshot.has_network) {
    text(dice, snapshot.network.name, "abcdefgW0123.-");
    snapshot.network.received_bytes_s = dice.once_in(6) ? kUnknown : dice.spread(100000000000000);
    snapshot.network.sent_bytes_s = dice.once_in(6) ? kUnknown : dice.spread(100000000000000);
  }
  int index = 0;
  snapshot.gpu_count = 0;
  constexpr const char* kStates[] = {"ok", "ok", "ok", "asleep", "reset", "stale", "lost", "puzzled"};
  while (snapshot.gpu_count < gpus && index < kMaxGpus) {
    if (gpus - snapshot.gpu_count < kMaxGpus - index && dice.once_in(6)) {
      ++index;
      continue;
    }
    Gpu& gpu = snapshot.gpus[snapshot.gpu_count++];
    gpu = Gpu();
    gpu.index = index++;
    gpu.busy_percent = dice.maybe(dice.within(0, 100));
    gpu.vram_used_mib = dice.maybe(dice.spread(16777216));
    gpu.vram_total_mib = dice.maybe(dice.spread(16777216));
    gpu.edge_c = dice.maybe(dice.within(-99, 999));
    gpu.junction_c = dice.maybe(dice.within(-99, 999));
    gpu.memory_c = dice.maybe(dice.within(-99, 999));
    gpu.power_w = dice.maybe(dice.spread(9999));
    gpu.fan_rpm = dice.maybe(dice.spread(99999));
    gpu.core_clock_mhz = dice.maybe(dice.spread(99999));
    std::strcpy(gpu.state, kStates[dice.within(0, 7)]);
  }
  // After all else, so that it changes nothing of it.
  for (int i = 0; i < snapshot.gpu_count; ++i) {
    if (dice.once_in(2)) continue;
    GpuUser& user = snapshot.gpu_users[snapshot.gpu_user_count++];
    user = GpuUser();
    user.index = snapshot.gpus[i].index;
    text(dice, user.name, "abcdefgW0123.- ");
    if (user.name[0] == 0) std::strcpy(user.name, "u");
    user.vram_mib = dice.maybe(dice.spread(16777216));
    user.others = dice.maybe(dice.spread(9999));
  }
  snapshot.has_model_server = dice.once_in(3);
  if (snapshot.has_model_server) {
    ModelServer& server = snapshot.model_server;
    server = ModelServer();
    text(dice, server.name, "abcdefgW0123.- ");
    server.running = dice.maybe(dice.spread(99999));
    server.waiting = dice.maybe(dice.spread(99999));
    server.generated_tokens_s = dice.maybe(dice.spread(9999999));
    server.prompt_tokens_s = dice.maybe(dice.spread(9999999));
    server.cache_percent = dice.maybe(dice.within(0, 100));
  }
}

// A view of any kind. `gpus` -1: any number.
inline void invent(Scenery& scenery, Dice& dice, int gpus = -1) {
  const bool any = gpus < 0;
  if (any) gpus = static_cast<int>(dice.once_in(2) ? dice.within(0, 4) : dice.within(0, kMaxGpus));
  invent_snapshot(scenery.snapshot, dice, gpus);
  // Who asks for so many GPUs knows where each panel is.
  if (!any) scenery.snapshot.has_model_server = false;
  const int64_t uptime = scenery.snapshot.uptime_s == kUnknown ? 5000 : scenery.snapshot.uptime_s;
  fill_history(scenery, dice, static_cast<int>(dice.once_in(4) ? dice.within(0, 30) : 300), uptime);
  InfoLine& info = scenery.info;
  info = InfoLine();
  text(dice, info.cpu_model, "2x EPYCabc 0123-W");
  info.gpu_count = scenery.snapshot.gpu_count;
  for (int i = 0; i < info.gpu_count; ++i) {
    GpuInfo& gpu = info.gpus[i];
    gpu = GpuInfo();
    gpu.index = scenery.snapshot.gpus[i].index;
    text(dice, gpu.name, "RTXMW 0123456789~");
    if (!dice.once_in(4)) std::strcpy(gpu.pci, dice.once_in(2) ? "0000:83:00.0" : "a000:c1:1f.7");
    gpu.power_cap_w = dice.maybe(dice.spread(9999));
  }
  BoardFacts& board = scenery.board;
  board = BoardFacts();
  text(dice, board.id, "desk-W.01");
  text(dice, board.firmware, "0123456789.");
  text(dice, board.reset_reason, "abcdefgh-");
  text(dice, board.ssid, "My Wi-Fi~W");
  text(dice, board.address, "0123456789abcdef:.");
  text(dice, board.server, "0123456789abcdef:.");
  board.setup_password[0] = board.setup_page[0] = 0;
  if (dice.once_in(2)) text(dice, board.setup_password, "abcdefgh23456789");
  if (dice.once_in(2)) text(dice, board.setup_page, "htp:/.12345");
  board.setup_closed = dice.once_in(2);
  board.boots = static_cast<uint32_t>(dice.spread(4294967295));
  board.rssi_dbm = static_cast<int16_t>(dice.within(-127, 0));
  board.uptime_s = static_cast<uint32_t>(dice.spread(4294967295));
  board.heap_bytes = board.psram_bytes = static_cast<uint32_t>(dice.spread(4294967295));
  board.largest_block_bytes = static_cast<int32_t>(dice.spread(2147483647));
  board.lowest_heap_bytes = board.main_stack_bytes = board.network_stack_bytes = board.largest_block_bytes;
  board.panel_mhz = static_cast<uint8_t>(dice.within(0, 255));
  board.updates = board.washes = board.refresh_errors = board.bad_lines = board.boots;
  board.attempt = static_cast<uint16_t>(dice.spread(65535));
  board.vcom_mv = static_cast<uint16_t>(dice.spread(5000));
  board.wash_interval = static_cast<uint16_t>(dice.spread(65535));
  board.update_interval_ms = static_cast<uint16_t>(dice.spread(65535));
  board.update_percent = static_cast<uint8_t>(dice.within(0, 100));
  View& view = scenery.view;
  view = View();
  view.screen = dice.once_in(4) ? static_cast<Screen>(dice.within(0, static_cast<int>(Screen::panel_fault)))
                                : Screen::live;
  view.snapshot = dice.once_in(30) ? nullptr : &scenery.snapshot;
  view.info = dice.once_in(4) ? nullptr : &scenery.info;
  view.history = &scenery.history;
  view.board = dice.once_in(30) ? nullptr : &scenery.board;
  view.second_of_day = dice.once_in(5) ? -1 : static_cast<int32_t>(dice.within(0, 86399));
  view.freshness = static_cast<Freshness>(dice.once_in(3) ? dice.within(0, 2) : 0);
  view.age_s = static_cast<uint32_t>(dice.spread(4000000000));
  view.last_data_s = dice.once_in(3) ? -1 : static_cast<int32_t>(dice.within(0, 86399));
  view.alarms = scenery.alarms;
  if (dice.once_in(3)) {
    view.alarm_count = static_cast<int>(dice.within(0, 12));
    for (int i = 0; i < view.alarm_count; ++i) {
      scenery.alarms[i].kind = static_cast<AlarmKind>(dice.within(0, kAlarmKinds - 1));
      scenery.alarms[i].gpu = static_cast<uint8_t>(dice.within(0, kMaxGpus - 1));
      scenery.alarms[i].since_s = static_cast<int32_t>(dice.within(-1, 86399));
    }
  }
}

// A framebuffer with its canvas and picture.
struct Easel {
  explicit Easel(Size of_size, uint32_t paint = 0)
      : size(of_size),
        pixels(static_cast<size_t>(of_size.width) * of_size.height / 8, paint),
        canvas(reinterpret_cast<uint8_t*>(pixels.data()), of_size),
        picture(new Picture(of_size)) {}

  Size size;
  std::vector<uint32_t> pixels;
  Canvas canvas;
  std::unique_ptr<Picture> picture;
};

constexpr Size kPanel = kEs108fc1.size;
constexpr Size kSizes[] = {kPanel, {1280, 720}, {800, 480}, {1600, 1200}, {2560, 1440}, {1080, 1920}};

}  // namespace test
}  // namespace inktop
