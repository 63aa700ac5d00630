// Counts instructions on the emulated Xtensa: the cycle counter under QEMU's -icount, and the depth of the
// stack. Prints a name and a number a line; counts.py holds them against counts.json.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

#include "app/app.h"
#include "app/direct_feed.h"
#include "inktop/encoder.h"
#include "inktop/parser.h"
#include "panel/es108fc1.h"

// Virtual destructors refer to it; nothing is ever allocated, so nothing may ever be freed.
void operator delete(void*, std::size_t) noexcept {
  __builtin_trap();
}
void operator delete(void*) noexcept {
  __builtin_trap();
}

namespace {

using inktop::FrameStore;

constexpr inktop::Size kSize = inktop::kEs108fc1.size;
constexpr uint8_t kPaint = 0xA5;
constexpr int kTimes = 4;
constexpr int kMinute = 30;  // updates: the clock changes in one of them

alignas(8) uint8_t front[FrameStore::frame_bytes(kSize)];
alignas(8) uint8_t back[FrameStore::frame_bytes(kSize)];
alignas(8) uint8_t difference[FrameStore::difference_bytes(kSize)];
bool dirty[kSize.height];
alignas(inktop::App) uint8_t app_memory[sizeof(inktop::App)];
alignas(inktop::DirectFeed) uint8_t feed_memory[inktop::kMaxServers][sizeof(inktop::DirectFeed)];
inktop::Parsed parsed;

uint32_t cycles() {
  uint32_t value;
  asm volatile("rsr.ccount %0" : "=a"(value));
  return value;
}

// The stack grows down to the beginning of RAM (link.ld).
uint8_t* stack_end() {
  return reinterpret_cast<uint8_t*>(0x60000000);
}
uint8_t* stack_pointer() {
  uint8_t* value;
  asm volatile("mov %0, a1" : "=a"(value));
  return value;
}
void paint_stack() {
  uint8_t* const end = stack_pointer() - 64;
  for (uint8_t* at = stack_end(); at < end; ++at) *at = kPaint;
}
int stack_used() {
  uint8_t* const here = stack_pointer();
  const uint8_t* at = stack_end();
  while (at < here && *at == kPaint) ++at;
  return int(here - at);
}

class NoPanel : public inktop::Panel {
 public:
  inktop::DrawErrors drive(inktop::Waveform, const inktop::Difference&) override { return inktop::kDrawOk; }
};

size_t line_at(int second, int server, char* out, size_t size) {
  const int length = std::snprintf(
      out, size - 8,
      "h=t791%d|i=192.0.2.17|t=12:%02d|u=%d|c=%d.4|n=32|k=10122202122011111220112212111212|l=2.85,2.87,2.88|"
      "m=%d.0/125.9/41.5|s=0.00/8.00|w=eno1,%d,896081|g0=%d,%d,32624,63,76,82,214,2990,2786,1258|"
      "g1=%d,2168,32624,65,78,84,209,2930,2776,1258",
      server, second / 60 % 60, 1'051'200 + second, 10 + second % 80, 22 + second % 9,
      2'329'883 + second * 7919, 50 + second % 50, 2'998 + second * 3, 40 + second % 60);
  return inktop::close_line(out, size_t(length), size);
}

// What one call of `work` costs, and how deep the stack is in it; nothing of what `prepare` does before each.
template <typename Prepare, typename Work>
void measure(const char* name, int times, Prepare prepare, Work work) {
  paint_stack();
  uint32_t spent = 0;
  for (int i = 0; i < times; ++i) {
    prepare();
    const uint32_t before = cycles();
    work(i);
    spent += cycles() - before;
  }
  std::printf("count %s %u\n", name, unsigned(spent / uint32_t(times)));
  std::printf("stack %s %d\n", name, stack_used());
}
template <typename Work>
void measure(const char* name, Work work) {
  measure(name, kTimes, [] {}, work);
}

}  // namespace

int main() {
  // How many ticks a known number of instructions takes: 2 a turn.
  const uint32_t before = cycles();
  uint32_t turns = 1'000'000;
  asm volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+a"(turns));
  std::printf("ticks %u\n", unsigned(cycles() - before));

  const inktop::AppMemory memory{front, back, difference, dirty};
  inktop::BoardFacts facts;
  std::strcpy(facts.id, "xtensa");
  auto* app = new (app_memory) inktop::App(kSize, memory, inktop::AppSettings(), facts);
  auto* feed = new (feed_memory[0]) inktop::DirectFeed(*app);
  NoPanel panel;
  inktop::LinkStatus status;
  status.phase = inktop::LinkPhase::connected;
  feed->opened(0);
  feed->status(status, 0);

  static char line[inktop::kMaxLineBytes + 1];
  int second = 1;
  const auto tell = [&] {
    const size_t length = line_at(second, 0, line, sizeof line);
    feed->received(line, length, int64_t(second) * 1000);
    ++second;
  };
  const auto refresh = [&] {
    inktop::FixedTime time(int64_t(second) * 1000);
    app->refresh(panel, time);
  };
  // Some minutes, so that graphs have their history.
  for (int i = 0; i < 120; ++i) {
    tell();
    if (i % 20 == 0) refresh();
  }
  refresh();

  const size_t length = line_at(second, 0, line, sizeof line);
  measure("parse", [&](int) { inktop::parse(line, length, parsed); });
  measure("full redraw", [&](int) { app->redraw(int64_t(second) * 1000); });
  refresh();
  // Two seconds of lines, and the update that shows them: draw, difference and all.
  measure("typical update", [&](int) {
    tell();
    tell();
    refresh();
  });
  // The same without taking the lines, with one server and with eight.
  const auto tell_both = [&] {
    tell();
    tell();
  };
  measure("drawing an update, one server", kMinute, tell_both, [&](int) { refresh(); });
  inktop::DirectFeed* others[inktop::kMaxServers] = {};
  for (int place = 1; place < inktop::kMaxServers; ++place) {
    others[place] = new (feed_memory[place]) inktop::DirectFeed(*app, place);
    others[place]->opened(int64_t(second) * 1000);
    others[place]->status(status, int64_t(second) * 1000);
  }
  const auto tell_all = [&] {
    for (int i = 0; i < 2; ++i) {
      for (int place = 1; place < inktop::kMaxServers; ++place) {
        const size_t size = line_at(second, place, line, sizeof line);
        others[place]->received(line, size, int64_t(second) * 1000);
      }
      tell();
    }
  };
  for (int i = 0; i < kMinute; ++i) {
    tell_all();
    refresh();
  }
  measure("drawing an update, eight servers in a grid", kMinute, tell_all, [&](int) { refresh(); });
  static FrameStore frames(kSize, front, back, difference, dirty);
  inktop::RowSet all;
  all.add(0, kSize.height);
  measure("comparing all rows, nothing changed", [&](int) { frames.update(all); });
  constexpr int kStride = kSize.width / 2;
  for (int row = 200; row < 300; ++row) std::memset(front + row * kStride + 100, 0, 100);
  inktop::RowSet some;
  some.add(200, 100);
  measure("difference, 100 rows of 200 changed pixels", [&](int) { frames.update(some); });
  return 0;
}
