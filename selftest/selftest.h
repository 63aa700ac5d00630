// The self-test: five stages, each one variable away from the one before, each held until a button is pressed
// or 60 s have passed.
//
// On the board this takes the place of the main loop in a build with -DEPD_SELFTEST:
//
//     StageRunner runner(store, panel, log, app);
//     for (;;) { runner.tick(now_ms(), button_was_pressed()); feed_the_watchdog(); wait(20 ms); }
//
// A tick does at most one refresh and then returns, so that the loop stays alive between them. Nothing here
// needs a network.
#pragma once

#include <cstdint>

#include "app/direct_feed.h"
#include "geometry.h"
#include "panel/frame_store.h"
#include "panel/panel.h"

namespace inktop {
namespace selftest {

enum class Stage : uint8_t {
  st1,  // the test card: clear + wash, GC16, all rows
  st2,  // the same card inverted: DU, all rows
  st3,  // one band of rows turned back: DU, only these rows
  st4,  // band after band of 64 rows, every tile column changing: DU, many updates
  st5,  // the production path without the network: generated lines through parser, picture and policy
};
constexpr int kStageCount = 5;
constexpr int64_t kHoldMs = 60 * 1000;
// The step of ST4 and of the card's ruler, px.
constexpr int kTile = 64;

const char* stage_name(Stage stage);     // "ST1"
const char* stage_summary(Stage stage);  // "clear + wash, GC16, all rows"

// Where the lines of the self-test go: on the board the serial log. `text` has no newline.
class Log {
 public:
  virtual ~Log() = default;
  virtual void line(const char* text) = 0;
};

// Too large for a small stack: it holds what reads the lines.
class StageRunner {
 public:
  // `app` is a freshly made one; only ST5 feeds it. `store` uses the same memory as the app's own (there is
  // not enough for two). All four outlive the runner.
  StageRunner(FrameStore& store, Panel& panel, Log& log, App& app);

  // Does the next step of the stage, or holds it; `pressed` (an edge, any button) ends the hold.
  // `now_ms` never goes back.
  void tick(int64_t now_ms, bool pressed);

  Stage stage() const { return stage_; }
  // The stage's last refresh is done and its picture is held.
  bool holding() const { return holding_; }
  // ST5 has been held and left. Restart the board to begin again: a second run then starts like the first.
  bool finished() const { return finished_; }
  // CRC-32 of the framebuffer of the stage that is held, as in the log and in selftest/expected.txt.
  uint32_t crc() const { return crc_; }
  // What the panel answered during this stage, all errors together.
  DrawErrors errors() const { return errors_; }
  // Refreshes of this stage so far (a clear and a wash are three drives, counted as two refreshes).
  int refreshes() const { return refreshes_; }

 private:
  void begin(Stage stage);
  bool step();  // false: the stage has no further step
  bool production_step(int step);
  void hold(int64_t now_ms);
  bool clear_and_wash();
  bool update(const RowSet& rows, const char* what);
  bool drive(Waveform waveform, const Difference& difference, const char* what);
  // Logs one refresh and keeps what the panel answered.
  void note(const char* how, const char* what, DrawErrors errors);

  FrameStore& store_;
  Panel& panel_;
  Log& log_;
  App& app_;
  DirectFeed feed_;
  Stage stage_ = Stage::st1;
  int next_step_ = 0;
  bool begun_ = false;
  bool holding_ = false;
  bool known_ = false;  // the panel shows what the back buffer says
  int64_t held_since_ms_ = 0;
  uint32_t crc_ = 0;
  DrawErrors errors_ = kDrawOk;
  int refreshes_ = 0;
  bool finished_ = false;
};

}  // namespace selftest
}  // namespace inktop
