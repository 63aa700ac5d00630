#include "selftest_api.h"

#include <string>

#include "app/app.h"
#include "app_buffers.h"
#include "panel_model.h"
#include "selftest/selftest.h"

using namespace inktop;
using selftest::Stage;

namespace {

// Every stage takes far fewer: the bound keeps a mistake from hanging a caller.
constexpr int kMostTicks = 10'000;
constexpr int kTickMs = 20;

class TextLog : public selftest::Log {
 public:
  void line(const char* line) override { text.append(line).append("\n"); }
  std::string text;
};

struct Bench {
  explicit Bench(Size size)
      : buffers(size),
        memory(buffers.memory()),
        panel(size),
        app(size, memory, AppSettings{}, BoardFacts{}),
        store(size, memory.front, memory.back, memory.difference, memory.dirty),
        runner(store, panel, log, app) {}

  AppBuffers buffers;
  AppMemory memory;
  PanelModel panel;
  App app;
  FrameStore store;
  TextLog log;
  selftest::StageRunner runner;
  int64_t now_ms = 0;
};

Bench& bench(void* selftest) {
  return *static_cast<Bench*>(selftest);
}

bool is_stage(int32_t stage) {
  return stage >= 1 && stage <= selftest::kStageCount;
}

}  // namespace

void* inktop_selftest_new(int32_t width, int32_t height) {
  if (width < 640 || width > 8192 || width % 8 != 0) return nullptr;
  if (height < 400 || height > RowSet::kMaxRows) return nullptr;
  return new Bench({width, height});
}

void inktop_selftest_free(void* selftest) {
  delete static_cast<Bench*>(selftest);
}

int32_t inktop_selftest_run(void* selftest, int32_t stage) {
  if (!is_stage(stage)) return -1;
  Bench& b = bench(selftest);
  const auto wanted = static_cast<Stage>(stage - 1);
  for (int tick = 0; tick < kMostTicks && !b.runner.finished(); ++tick) {
    if (b.runner.holding() && b.runner.stage() == wanted) return b.runner.errors();
    b.runner.tick(b.now_ms += kTickMs, b.runner.holding());
  }
  return -1;
}

void inktop_selftest_fail(void* selftest, int32_t drives, int32_t errors, int32_t phase) {
  bench(selftest).panel.fail(drives, static_cast<DrawErrors>(errors), phase);
}

uint32_t inktop_selftest_crc(void* selftest) {
  return bench(selftest).runner.crc();
}

void inktop_selftest_frame_bits(void* selftest, uint8_t* out) {
  Bench& b = bench(selftest);
  const Canvas canvas(b.memory.front, b.store.size());
  const Size size = b.store.size();
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; x += 8) {
      uint8_t byte = 0;
      for (int bit = 0; bit < 8; ++bit) byte = byte << 1 | (canvas.is_black(x + bit, y) ? 0 : 1);
      *out++ = byte;
    }
  }
}

void inktop_selftest_panel_bits(void* selftest, uint8_t* out) {
  bench(selftest).panel.black_white(out);
}

const char* inktop_selftest_log(void* selftest) {
  return bench(selftest).log.text.c_str();
}

const char* inktop_selftest_summary(int32_t stage) {
  return is_stage(stage) ? selftest::stage_summary(static_cast<Stage>(stage - 1)) : nullptr;
}
