// A year of a board on simulated time, and the ends of 31 and 32 bits of milliseconds (24.9 and 49.7 days):
// nothing is allocated, and no moment is unlike another.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "allocations.h"
#include "app/app.h"
#include "app/feed.h"
#include "app_buffers.h"
#include "inktop/crc16.h"
#include "inktop/encoder.h"

namespace inktop {
namespace {

constexpr Size kSize{480, 272};
constexpr int64_t kDayMs = 86'400'000;
#if defined(__SANITIZE_ADDRESS__)
constexpr int64_t kYearMs = 60 * kDayMs;  // ten times as slow; the days are alike
#else
constexpr int64_t kYearMs = 365 * kDayMs;
#endif
constexpr int64_t kWrap31 = int64_t(1) << 31;
constexpr int64_t kWrap32 = int64_t(1) << 32;
// One of these is where the graphs' slots and the clock's minute begin in both runs of a comparison.
constexpr int64_t kGridMs = 300'000;

// Sums up what it is driven with, and fails for the first minute of each day.
class SummingPanel : public Panel {
 public:
  DrawErrors drive(Waveform waveform, const Difference& what) override {
    ++drives;
    for (int y = what.first_row; y < what.first_row + what.row_count; ++y) {
      if (what.dirty_rows != nullptr && !what.dirty_rows[y]) continue;
      const char* row = reinterpret_cast<const char*>(what.pixels) + size_t(y) * size_t(what.size.width);
      sum = sum * 31 + crc16(row, size_t(what.size.width)) + uint32_t(waveform);
    }
    return errors;
  }
  DrawErrors errors = kDrawOk;
  uint32_t sum = 0;
  uint64_t drives = 0;
};

// A board with its link, and a server that hangs up for a minute every three hours.
struct Board {
  explicit Board(int64_t start_ms)
      : buffers(kSize),
        app(new App(kSize, buffers.memory(), AppSettings(), BoardFacts())),
        memory(32 * 1024),
        queue(reinterpret_cast<uint8_t*>(memory.data()), memory.size() * 8),
        feed(new Feed(settings(), queue)),
        start_ms(start_ms) {}

  static LinkSettings settings() {
    LinkSettings out;
    out.has_wifi = false;
    parse_server("192.0.2.17", out.servers[0]);
    std::strcpy(out.hello.board, "desk");
    std::strcpy(out.hello.firmware, "0.1.0");
    return out;
  }

  void act(int64_t now_ms, bool server_is_up) {
    for (;;) {
      const LinkAction action = feed->link().next(now_ms);
      feed->tell_status(now_ms);
      if (action.kind == LinkAction::Kind::none) return;
      if (action.kind == LinkAction::Kind::close) feed->closed(action.why, now_ms);
      if (action.kind == LinkAction::Kind::connect) {
        ++connects;
        if (server_is_up) {
          feed->connected(now_ms);
          receive("info=1|v=0.1.0|cpu=2x E5-2683 v4", now_ms);
        } else {
          feed->link().connect_failed(now_ms);
        }
      }
    }
  }
  void receive(const char* body, int64_t now_ms) {
    char line[kMaxLineBytes + 1];
    std::strcpy(line, body);
    feed->received(line, close_line(line, std::strlen(line), sizeof line), now_ms);
  }
  // One moment of the year; `since_ms` since the start.
  void live(int64_t since_ms, bool with_line) {
    const int64_t now_ms = start_ms + since_ms;
    const bool server_is_up = since_ms % (3 * 3'600'000) >= 60'000;
    panel.errors = since_ms % kDayMs < 60'000 && since_ms > 0 ? kDrawLineQueue : kDrawOk;
    if (feed->is_open() && !server_is_up) feed->link().closed_by_peer(now_ms);
    act(now_ms, server_is_up);
    if (with_line && feed->is_open()) {
      const auto second = int(since_ms / 1000 % 86'400);
      char body[200];
      std::snprintf(body, sizeof body,
                    "h=t7910|t=%02d:%02d|u=%u|c=%d.0|m=6.9/125.9|w=eno1,%d,%d|g0=%d,1,2,3,4,5,6,7,8",
                    second / 3600, second / 60 % 60, unsigned(since_ms / 1000), second / 7 % 100,
                    second * 100, second, second / 11 % 100);
      receive(body, now_ms);
    }
    if (since_ms % 86'400'000 == 7'200'000) app->button(Button::span, now_ms);
    Record record;
    while (queue.peek(record)) {
      app->receive(record);
      queue.pop();
    }
    FixedTime time(now_ms);
    const Refreshed done = app->refresh(panel, time);
    refreshes += done.refresh.kind != RefreshKind::nothing;
    size_t length = app->outbox(now_ms, out, sizeof out);
    if (length > 0) {
      ++health_lines;
      // What the board says of its own uptime is not to be compared.
      if (char* uptime = std::strstr(out, "|u=")) *uptime = 0;
    }
  }

  AppBuffers buffers;
  std::unique_ptr<App> app;
  std::vector<uint64_t> memory;
  RecordQueue queue;
  std::unique_ptr<Feed> feed;
  SummingPanel panel;
  const int64_t start_ms;
  char out[kMaxLineBytes + 1] = "";
  int connects = 0;
  int refreshes = 0;
  int health_lines = 0;
};

// The frame that the board shows, and all that it drove.
uint32_t picture(const Board& board) {
  return crc16(reinterpret_cast<const char*>(board.app->frames().front()), FrameStore::frame_bytes(kSize));
}

void check_alike(int64_t wrap_ms) {
  const int64_t start = (wrap_ms / kGridMs - 1) * kGridMs;
  Board plain(0);
  Board wrapping(start);
  bool passed = false;
  for (int64_t since = 0; since < 1'500'000; since += 500) {
    plain.live(since, since % 1000 == 0);
    wrapping.live(since, since % 1000 == 0);
    REQUIRE_MESSAGE(plain.panel.sum == wrapping.panel.sum, since);
    REQUIRE_MESSAGE(plain.connects == wrapping.connects, since);
    REQUIRE_MESSAGE(plain.health_lines == wrapping.health_lines, since);
    passed = start + since > wrap_ms + 600'000;
  }
  CHECK(passed);
  CHECK(picture(plain) == picture(wrapping));
  CHECK(plain.refreshes > 100);
}

}  // namespace

TEST_CASE("a board behaves the same when its milliseconds pass 31 bits (24.9 days)") {
  check_alike(kWrap31);
}

TEST_CASE("a board behaves the same when its milliseconds pass 32 bits (49.7 days)") {
  check_alike(kWrap32);
}

TEST_CASE(
    "over a simulated year the core allocates nothing, keeps its link, and refreshes as on its first day "
    "(C4)") {
  Board board(0);
  board.live(0, true);
  const long before = allocations();
  int of_day = 0;
  int fewest = INT32_MAX;
  int most = 0;
  for (int64_t since = 1000, day = 0; since < kYearMs;) {
    const int64_t wrap_in = kWrap31 - 1 - since % kWrap31;
    // A line a second around each end of 31 bits, and for a minute of every day; the rest in steps of ten
    // minutes.
    const bool closely = wrap_in < 30'000 || wrap_in > kWrap31 - 30'000 || since % kDayMs < 60'000;
    board.live(since, true);
    since += closely ? 1000 : 1'800'000 - since % 1'800'000;
    if (since / kDayMs == day) continue;
    // The first day has the first frame, the last may be cut.
    if (day > 0) {
      fewest = std::min(fewest, board.refreshes - of_day);
      most = std::max(most, board.refreshes - of_day);
    }
    day = since / kDayMs;
    of_day = board.refreshes;
  }
  CHECK(allocations() == before);
  CHECK(fewest > 40);
  CHECK(most < fewest + fewest / 10);
  CHECK(board.connects > kYearMs / kDayMs * 7);
  CHECK(board.queue.dropped() == 0);
  CHECK(board.feed->link().status().phase == LinkPhase::connected);
}

}  // namespace inktop
