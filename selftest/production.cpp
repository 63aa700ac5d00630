#include <cstdio>
#include <cstring>

#include "app/app.h"
#include "generated_lines.h"
#include "selftest.h"

namespace inktop {
namespace selftest {

namespace {

// Lines that wait for the board when it begins, as after a refresh of minutes: the first picture must have
// complete graphs.
constexpr int kBacklog = 240;
// Then the board lives: two lines and one refresh at a time.
constexpr int kUpdates = 8;
constexpr int kSecondsAnUpdate = 2;

}  // namespace

// Time here is the made-up server's, not the board's, so that the picture is the same on every run.
bool StageRunner::production_step(int step) {
  if (step > kUpdates) return false;
  char line[kMaxLineBytes + 1];
  int first = 0;
  int end = kBacklog;
  if (step == 0) {
    // The picture of ST4 is not the app's: it begins on a white framebuffer, like after a start.
    std::memset(store_.front(), 0xFF, FrameStore::frame_bytes(store_.size()));
    feed_.opened(0);
    feed_.received(line, generated_info(line, sizeof line), 0);
  } else {
    first = kBacklog + (step - 1) * kSecondsAnUpdate;
    end = first + kSecondsAnUpdate;
  }
  for (int second = first; second < end; ++second) {
    feed_.received(line, generated_line(second, line, sizeof line), int64_t{second} * 1000);
  }
  FixedTime time(int64_t{end} * 1000);
  const Refreshed done = app_.refresh(panel_, time);
  if (done.refresh.kind == RefreshKind::nothing) return true;
  note(refresh_kind_name(done.refresh.kind), refresh_reason_name(done.refresh.why), done.errors);
  refreshes_ += done.refresh.kind == RefreshKind::clear_and_wash ? 2 : 1;
  return true;
}

}  // namespace selftest
}  // namespace inktop
