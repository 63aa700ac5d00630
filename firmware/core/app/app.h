// The board as a whole: records and time go in, pictures go to the panel, health lines come out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "app/record.h"
#include "app/server.h"
#include "app/showing.h"
#include "panel/draw_errors.h"
#include "panel/frame_store.h"
#include "panel/hot_spots.h"
#include "panel/quiet_hours.h"
#include "panel/refresh_policy.h"
#include "picture/canvas.h"
#include "picture/picture.h"
#include "picture/view.h"

namespace inktop {

enum class Button : uint8_t {
  wash,    // short press: acknowledge what is on the screen, alarms and events, else wash now
  status,  // status screen on and off
  span,    // the graphs over five minutes, an hour, a day
  next,    // with several servers: all of them, then each by itself
};

struct AppSettings {
  RefreshSettings refresh;
  AlarmSettings alarms;
  QuietHours quiet;
  Taste taste;
  Span span = Span::five_minutes;
  ShowSettings show;
  // The first places are those of servers that are configured: they are shown before they have answered.
  int configured = 0;
  int32_t health_interval_ms = 30'000;
  int power_failures = 0;  // before this start
};

// Buffers, 4-byte aligned: PSRAM on the board.
struct AppMemory {
  uint8_t* front = nullptr;       // FrameStore::frame_bytes
  uint8_t* back = nullptr;        // FrameStore::frame_bytes
  uint8_t* difference = nullptr;  // FrameStore::difference_bytes
  bool* dirty = nullptr;          // a flag a row
};

// The board's time: milliseconds that never go back. A refresh takes seconds.
class TimeSource {
 public:
  virtual ~TimeSource() = default;
  virtual int64_t now_ms() = 0;
};

// For a panel that takes no time.
class FixedTime : public TimeSource {
 public:
  explicit FixedTime(int64_t now_ms) : now_ms_(now_ms) {}
  int64_t now_ms() override { return now_ms_; }

 private:
  int64_t now_ms_;
};

// One refresh: what was decided, what it cost, what the panel answered and how long it took.
struct Refreshed {
  Refresh refresh;
  int32_t rows = 0;   // driven
  int32_t flips = 0;  // pixels that an update changed
  DrawErrors errors = kDrawOk;
  int64_t started_ms = 0;
  int64_t ended_ms = 0;
};

class App {
 public:
  // `size` is the panel's. On its side: the panel hangs turned by 90 degrees clockwise, and the picture is as
  // wide as the panel is high.
  App(Size size, const AppMemory& memory, const AppSettings& settings, const BoardFacts& facts,
      bool on_its_side = false);

  void receive(const Record& record);
  void button(Button which, int64_t now_ms);
  // Decides whether the panel is to be refreshed now; if so, draws and drives it. Blocks as the panel does.
  // Call at least every 250 ms.
  Refreshed refresh(Panel& panel, TimeSource& time);
  // Writes a line for a server, whose place is told, with its newline: what has been acknowledged, or a
  // health line when one is due; returns its length, else 0. kMaxLineBytes + 1 bytes suffice. With several
  // servers each has its own: call again until there is none.
  size_t outbox(int64_t now_ms, char* out, size_t size, int& place);
  size_t outbox(int64_t now_ms, char* out, size_t size) {
    int place = 0;
    return outbox(now_ms, out, size, place);
  }

  // Facts that only the driver knows (memory, RSSI, address …), for the status screen and the health line.
  BoardFacts& facts() { return facts_; }
  void set_settings(const AppSettings& settings);
  // Over-the-air progress 0–100 (shown in steps), −1: none.
  void set_update_progress(int percent);
  void set_receive_high_water(uint32_t bytes) { receive_high_water_ = bytes; }

  const FrameStore& frames() const { return frames_; }
  const RefreshPolicy& policy() const { return policy_; }
  const Picture& picture() const { return picture_; }
  const View& view() const { return view_; }
  // How many servers are shown, and which of them is large: its place, or Showing::kGrid.
  int servers() const { return showing_.count(); }
  int shown() const { return showing_.shown(); }
  bool shows(int place) const { return showing_.is_present(place); }
  const BadLines& bad_lines() const { return bad_lines_; }
  // The last refresh, or the one that is being driven.
  const Refreshed& last_refresh() const { return last_; }
  // Draws the present state from scratch into the framebuffer (tests, `inktop render --frame`).
  void redraw(int64_t now_ms);

 private:
  void compose(int64_t now_ms, bool quiet);
  void compose_machine(View& view, const Server& server, int64_t now_ms) const;
  void compose_servers(int64_t now_ms);
  void compose_board(int64_t now_ms);
  void compose_trouble(int64_t now_ms);
  void look_at_servers(int64_t now_ms);
  bool is_twin(int place, int64_t now_ms) const;
  int main_place() const;
  bool acknowledge();
  void draw(int64_t now_ms, bool quiet);
  Refresh decide(int64_t now_ms);
  size_t ack_line(Machine& machine, char* out, size_t size);
  size_t health_line(int64_t now_ms, char* out, size_t size) const;
  DrawErrors drive(Panel& panel);
  void account();
  Screen screen() const;
  bool quiet_now(int64_t now_ms) const;
  Quiet quiet_rule(int64_t now_ms, bool quiet) const;
  uint64_t urgent_state(int64_t now_ms, bool quiet) const;
  uint64_t ages(int64_t now_ms) const;

  Size size_;
  AppSettings settings_;
  BoardFacts facts_;
  BoardFacts shown_facts_;  // the same, its counters held for a while
  FrameStore frames_;
  Canvas canvas_;
  Picture picture_;
  RefreshPolicy policy_;
  HotSpots hot_spots_;
  BadLines bad_lines_;
  Server servers_[kMaxServers];
  Showing showing_;
  View view_;
  View cells_[kMaxServers];  // of the servers that are shown
  Span span_;
  bool status_wanted_ = false;
  bool pressed_ = false;  // a button, since the last draw
  int update_percent_ = -1;
  bool stale_ = true;  // something that may be shown has changed since the last draw
  uint64_t drawn_ages_ = 0;
  uint64_t drawn_urgent_ = 0;
  int drawn_shown_ = 0;
  int64_t same_until_ms_ = INT64_MIN / 2;  // what nobody waits for is not looked at again before that
  int64_t counters_due_ms_ = INT64_MIN / 2;
  RowSet pending_;  // rows drawn but not yet driven
  Difference difference_;
  Refreshed last_;
  int64_t next_health_ms_[kMaxServers];
  uint32_t updates_ = 0;
  uint32_t washes_ = 0;
  uint32_t errors_[kDrawErrorKinds] = {};
  uint32_t receive_high_water_ = 0;
};

}  // namespace inktop
