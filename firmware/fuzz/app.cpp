// The whole board: lines, buttons, settings, ticks, and a panel that fails. What is driven must start from
// what the panel shows; no state may be one that never ends.
#include "app/app.h"

#include <cstring>
#include <memory>
#include <vector>

#include "app/direct_feed.h"
#include "app_buffers.h"
#include "choices.h"
#include "console/settings.h"

using namespace inktop;
using fuzz::require;

namespace {

constexpr Size kSmall{480, 272};
constexpr Size kLarge{1920, 1080};

// The panel itself is not what is looked at: unwatched it is ten times as fast.
#if defined(__clang__)
#define UNWATCHED __attribute__((no_sanitize("address", "undefined", "coverage")))
#else
#define UNWATCHED
#endif

// Shows what it is driven to, and fails when it is told to.
class TestPanel : public Panel {
 public:
  explicit TestPanel(Size size) : size_(size), shown_(size_t(size.width) * size.height) {}

  DrawErrors drive(Waveform waveform, const Difference& what) override {
    ++drives;
    require(what.size.width == size_.width && what.size.height == size_.height, "the panel's own size");
    require(what.first_row >= 0 && what.first_row + what.row_count <= size_.height, "rows of the panel");
    for (int y = 0; y < size_.height; ++y) {
      if (what.dirty_rows != nullptr && !what.dirty_rows[y]) continue;
      require(y >= what.first_row && y < what.first_row + what.row_count, "dirty rows are within the band");
      if (errors == kDrawOk) drive_row(waveform, what, y);
    }
    if (errors != kDrawOk) known_ = false;  // half a refresh
    if (errors == kDrawOk && waveform == Waveform::gc16) known_ = true;
    return errors;
  }
  // Whether it shows what was drawn.
  UNWATCHED bool shows(const uint8_t* frame) const {
    const uint8_t* const shown = shown_.data();
    const size_t pixels = shown_.size();
    uint8_t wrong = 0;
    for (size_t i = 0; i < pixels; i += 2) {
      wrong |= uint8_t(shown[i] ^ (frame[i / 2] & 15)) | uint8_t(shown[i + 1] ^ (frame[i / 2] >> 4));
    }
    return wrong == 0;
  }

  DrawErrors errors = kDrawOk;  // of the next drives
  int drives = 0;

 private:
  UNWATCHED void drive_row(Waveform waveform, const Difference& what, int y) {
    const size_t at = size_t(y) * size_t(size_.width);
    const uint8_t* const row = what.pixels + at;
    uint8_t* const shown = shown_.data() + at;
    uint8_t grey = 0;
    uint8_t wrong = 0;
    const int width = size_.width;
    for (int x = 0; x < width; ++x) {
      const uint8_t from = row[x] & 15;
      const uint8_t to = row[x] >> 4;
      grey |= uint8_t((from + 1) & 14) | uint8_t((to + 1) & 14);
      wrong |= from ^ shown[x];
      shown[x] = to;
    }
    require(grey == 0, "black and white only");
    if (known_) require(wrong == 0, "a pixel is driven from what it shows");
    if (!known_) require(waveform == Waveform::gc16, "a panel in an unknown state is cleared first");
  }

  Size size_;
  std::vector<uint8_t> shown_;
  bool known_ = false;
};

class Clock : public TimeSource {
 public:
  int64_t now_ms() override {
    now += 1;  // a refresh takes time
    return now;
  }
  int64_t now = 0;
};

struct Board {
  Board(Size size, int64_t start_ms)
      : buffers(size),
        panel(size),
        app(new App(size, buffers.memory(), AppSettings(), BoardFacts())),
        feed(*app) {
    clock.now = start_ms;
  }
  Refreshed tick(int64_t step_ms) {
    clock.now += step_ms;
    const Refreshed done = app->refresh(panel, clock);
    char out[kMaxLineBytes + 1];
    const size_t length = app->outbox(clock.now, out, sizeof out);
    require(length <= kMaxLineBytes, "a line for the server is no longer than a line");
    if (length > 0) require(out[length - 1] == '\n', "a line for the server has its newline");
    return done;
  }
  void receive(const std::string& bytes) { feed.received(bytes.data(), bytes.size(), clock.now); }

  AppBuffers buffers;
  TestPanel panel;
  std::unique_ptr<App> app;
  DirectFeed feed;
  Clock clock;
  AppSettings settings;
};

void set(Board& board, const std::string& text) {
  static Settings settings;
  const size_t equals = text.find('=');
  Setting setting;
  if (equals == std::string::npos || !find_setting(text.substr(0, equals).c_str(), setting)) return;
  if (!set_setting(settings, setting, text.c_str() + equals + 1)) return;
  board.settings.refresh = refresh_settings(settings);
  board.settings.alarms = settings.alarms;
  board.settings.quiet = settings.quiet;
  board.settings.taste = settings.taste;
  board.settings.span = settings.span;
  board.app->set_settings(board.settings);
}

LinkStatus status_of(fuzz::Choices& choices) {
  LinkStatus status;
  status.phase = LinkPhase(choices.below(8));
  status.attempt = uint16_t(choices.byte() * 257);
  const uint8_t flags = choices.byte();
  status.denied = flags & 1;
  status.unproven = flags & 2;
  std::snprintf(status.server.host, sizeof status.server.host, "%s",
                flags & 4 ? choices.text().c_str() : "t7910");
  return status;
}

void step(Board& board, fuzz::Choices& choices) {
  switch (choices.below(11)) {
    case 0:
    case 1:
      board.receive(choices.line());
      break;
    case 2:
      board.receive(choices.text() + "\n");
      break;
    case 3:
      board.feed.opened(board.clock.now);
      break;
    case 4:
      board.feed.closed(CloseReason(choices.below(9)), board.clock.now);
      break;
    case 5:
      board.feed.status(status_of(choices), board.clock.now);
      break;
    case 6:
      board.app->button(Button(choices.below(3)), board.clock.now);
      break;
    case 7:
      board.panel.errors = kDrawOk;
      if (choices.below(2) == 1) board.panel.errors = draw_error_bit(int(choices.below(kDrawErrorKinds)));
      break;
    case 8:
      set(board, choices.text());
      break;
    case 9:
      board.app->set_update_progress(int(choices.below(104)) - 2);
      break;
    default: {
      BoardFacts& facts = board.app->facts();
      std::snprintf(facts.id, sizeof facts.id, "%s", choices.text().c_str());
      break;
    }
  }
  board.tick(choices.step_ms());
}

// With a panel that works, every board shows what it has drawn, and does not drive the panel for nothing.
void recover(Board& board) {
  board.panel.errors = kDrawOk;
  // Two: the first acknowledges what is on the screen.
  board.app->button(Button::wash, board.clock.now);
  board.tick(250);
  board.app->button(Button::wash, board.clock.now);
  bool refreshed = false;
  for (int i = 0; i < 40 && !refreshed; ++i) {
    refreshed = board.tick(10'000).refresh.kind != RefreshKind::nothing;
  }
  require(refreshed, "a panel that works again is driven again");
  require(board.panel.shows(board.app->frames().front()), "the panel shows what was drawn");
  // No line comes any more: what is shown settles, but for how old it is.
  for (int i = 0; i < 10; ++i) board.tick(120'000);
  const int before = board.panel.drives;
  for (int i = 0; i < 60; ++i) board.tick(1'000);
  require(board.panel.drives - before < 20, "a board that hears nothing rests");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Choices choices(data, size);
  // The panel's own size is slow: one input in sixteen.
  const Size panel = choices.below(16) == 15 ? kLarge : kSmall;
  Board board(panel, choices.start_ms());
  board.tick(0);
  for (int i = 0; i < 150 && choices.any(); ++i) step(board, choices);
  recover(board);
  return 0;
}
