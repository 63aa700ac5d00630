// Runs the whole self-test course on a real Xtensa instruction set (under QEMU) or natively, and prints each
// log line and framebuffer CRC: both runs must print the same.
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>

#include "app/app.h"
#include "panel/es108fc1.h"
#include "selftest/selftest.h"

#ifdef __xtensa__
// Virtual destructors refer to it; nothing is ever allocated, so nothing may ever be freed.
void operator delete(void*, std::size_t) noexcept {
  __builtin_trap();
}
void operator delete(void*) noexcept {
  __builtin_trap();
}
#endif

namespace {

using inktop::FrameStore;

constexpr inktop::Size kSize = inktop::kEs108fc1.size;

alignas(8) uint8_t front[FrameStore::frame_bytes(kSize)];
alignas(8) uint8_t back[FrameStore::frame_bytes(kSize)];
alignas(8) uint8_t difference[FrameStore::difference_bytes(kSize)];
bool dirty[kSize.height];
// Too large for the stack, and constructed at run time as on the board.
alignas(inktop::App) uint8_t app_memory[sizeof(inktop::App)];

// Sums up what it is given to drive: differences must be the same on both machines too.
class SummingPanel : public inktop::Panel {
 public:
  inktop::DrawErrors drive(inktop::Waveform waveform, const inktop::Difference& what) override {
    sum_ = sum_ * 31 + uint32_t(waveform);
    for (int y = 0; y < what.size.height; ++y) {
      if (what.dirty_rows != nullptr && !what.dirty_rows[y]) continue;
      const uint8_t* row = what.pixels + y * what.size.width;
      for (int x = 0; x < what.size.width; x += 16) sum_ = sum_ * 31 + row[x];
    }
    return inktop::kDrawOk;
  }
  uint32_t sum() const { return sum_; }

 private:
  uint32_t sum_ = 0;
};

class Console : public inktop::selftest::Log {
 public:
  void line(const char* text) override { std::printf("%s\n", text); }
};

}  // namespace

int main() {
  const inktop::AppMemory memory{front, back, difference, dirty};
  inktop::BoardFacts facts;
  std::strcpy(facts.id, "xtensa");
  auto* app = new (app_memory) inktop::App(kSize, memory, inktop::AppSettings(), facts);
  FrameStore store(kSize, front, back, difference, dirty);
  SummingPanel panel;
  Console console;
  static inktop::selftest::StageRunner runner(store, panel, console, *app);
  for (int64_t now_ms = 0; !runner.finished(); now_ms += 1000) {
    const bool was_holding = runner.holding();
    runner.tick(now_ms, was_holding);
    if (runner.holding() && !was_holding) {
      std::printf("%s crc %08x driven %08x\n", inktop::selftest::stage_name(runner.stage()),
                  unsigned(runner.crc()), unsigned(panel.sum()));
    }
  }
  return 0;
}
