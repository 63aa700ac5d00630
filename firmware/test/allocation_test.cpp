// No allocation after construction, over a simulated day (C4).
#include "allocations.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "app/app.h"
#include "app/direct_feed.h"
#include "inktop/encoder.h"

namespace {

long counted_allocations = 0;

void* counted(std::size_t size) {
  ++counted_allocations;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace inktop {

long allocations() {
  return counted_allocations;
}

namespace {

constexpr Size kSize{480, 272};

class Nothing : public Panel {
 public:
  DrawErrors drive(Waveform, const Difference&) override { return kDrawOk; }
};

TEST_CASE("the core allocates nothing after its construction, over a simulated day (C4)") {
  std::vector<uint32_t> front(FrameStore::frame_bytes(kSize) / 4);
  std::vector<uint32_t> back(front.size());
  std::vector<uint32_t> difference(FrameStore::difference_bytes(kSize) / 4);
  std::unique_ptr<bool[]> dirty(new bool[kSize.height]);
  const AppMemory memory{reinterpret_cast<uint8_t*>(front.data()), reinterpret_cast<uint8_t*>(back.data()),
                         reinterpret_cast<uint8_t*>(difference.data()), dirty.get()};
  std::unique_ptr<App> app(new App(kSize, memory, AppSettings(), BoardFacts()));
  const std::unique_ptr<DirectFeed> feed(new DirectFeed(*app));
  Nothing panel;
  LinkStatus status;
  status.phase = LinkPhase::connected;

  const long before = allocations();
  int refreshes = 0;
  for (int second = 0; second < 86'400; ++second) {
    const int64_t now = int64_t(second) * 1000;
    if (second % 3600 == 0) {
      feed->opened(now);
      feed->status(status, now);
    }
    char line[kMaxLineBytes + 1];
    const int length =
        std::snprintf(line, sizeof line - 8, "h=t7910|t=%02d:%02d|u=%d|c=%d.0|g0=%d,1,2,3,4,5,6,7,8",
                      second / 3600, second / 60 % 60, second, second / 7 % 100, second / 11 % 100);
    feed->received(line, close_line(line, size_t(length), sizeof line), now);
    FixedTime time(now);
    refreshes += app->refresh(panel, time).refresh.kind != RefreshKind::nothing;
    char out[kMaxLineBytes + 1];
    app->outbox(now, out, sizeof out);
  }
  const long after = allocations();
  const std::unique_ptr<int> proof(new int(1));
  const long proven = allocations();
  CHECK(after == before);
  CHECK(proven == after + 1);  // the counter counts
  CHECK(refreshes > 5'000);
}

}  // namespace
}  // namespace inktop
