#include <cstdio>

#include "frame_crc.h"
#include "panel/draw_errors.h"
#include "picture/canvas.h"
#include "selftest.h"
#include "test_card.h"

namespace inktop {
namespace selftest {

namespace {

struct StageText {
  const char* name;
  const char* summary;
};

constexpr StageText kTexts[kStageCount] = {
    {"ST1", "clear + wash, GC16, all rows"},
    {"ST2", "the same card inverted: DU, all rows"},
    {"ST3", "one band turned back: DU, these rows only"},
    {"ST4", "bands of 64 rows, DU, one after the other"},
    {"ST5", "generated lines, the production path"},
};

RowSet rows_of(const Rect& rect) {
  RowSet rows;
  rows.add(rect.y, rect.height);
  return rows;
}

}  // namespace

const char* stage_name(Stage stage) {
  return kTexts[static_cast<int>(stage)].name;
}
const char* stage_summary(Stage stage) {
  return kTexts[static_cast<int>(stage)].summary;
}

StageRunner::StageRunner(FrameStore& store, Panel& panel, Log& log, App& app)
    : store_(store), panel_(panel), log_(log), app_(app), feed_(app) {}

void StageRunner::tick(int64_t now_ms, bool pressed) {
  if (!begun_) begin(Stage::st1);
  if (holding_) {
    if (finished_ || (!pressed && now_ms - held_since_ms_ < kHoldMs)) return;
    if (stage_ == Stage::st5) {
      finished_ = true;
      log_.line("selftest end: restart the board to run it again");
      return;
    }
    begin(static_cast<Stage>(static_cast<int>(stage_) + 1));
    return;
  }
  if (!step()) hold(now_ms);
}

void StageRunner::begin(Stage stage) {
  begun_ = true;
  holding_ = false;
  stage_ = stage;
  next_step_ = 0;
  errors_ = kDrawOk;
  refreshes_ = 0;
  char text[96];
  std::snprintf(text, sizeof text, "selftest %s begin: %s", stage_name(stage), stage_summary(stage));
  log_.line(text);
}

bool StageRunner::step() {
  const Size size = store_.size();
  // After an error nobody knows what the panel shows, and a difference to the unknown would be a second
  // fault: bring the panel back to the picture of the stage before. ST1 and ST5 begin with a clear anyway.
  if (!known_ && stage_ != Stage::st1 && stage_ != Stage::st5 && next_step_ == 0) {
    log_.line("selftest recovery after an error: clear + wash");
    if (!clear_and_wash()) return false;
    refreshes_ = 0;
    return true;
  }
  const int step = next_step_++;
  Canvas canvas(store_.front(), size);
  const char* const name = stage_name(stage_);
  const char* const summary = stage_summary(stage_);
  switch (stage_) {
    case Stage::st1:
      if (step > 0) return false;
      draw_card(canvas, name, summary);
      clear_and_wash();
      return true;
    case Stage::st2:
      if (step > 0) return false;
      draw_card(canvas, name, summary);
      invert_rows(store_.front(), size, 0, size.height);
      draw_marks(canvas);
      update(rows_of(canvas.bounds()), "all rows");
      return true;
    case Stage::st3:
      if (step > 0) return false;
      canvas.set_clip(title_band(size));
      draw_card(canvas, name, summary);
      update(rows_of(title_band(size)), "one band");
      return true;
    case Stage::st4: {
      if (step >= tile_rows(size) || errors_ != kDrawOk) return false;
      draw_tile_row(canvas, step, name, summary);
      char what[24];
      std::snprintf(what, sizeof what, "band %d of %d", step + 1, tile_rows(size));
      update(rows_of({0, step * kTile, size.width, kTile}), what);
      return true;
    }
    case Stage::st5:
      return production_step(step);
  }
  return false;
}

void StageRunner::hold(int64_t now_ms) {
  holding_ = true;
  held_since_ms_ = now_ms;
  crc_ = crc32(store_.front(), FrameStore::frame_bytes(store_.size()));
  char errors[48];
  draw_error_words(errors_, errors, sizeof errors);
  char text[96];
  std::snprintf(text, sizeof text, "selftest %s held crc=%08X refreshes=%d errors=%s", stage_name(stage_),
                static_cast<unsigned>(crc_), refreshes_, errors);
  log_.line(text);
}

void StageRunner::note(const char* how, const char* what, DrawErrors errors) {
  char words[48];
  draw_error_words(errors, words, sizeof words);
  char text[160];
  std::snprintf(text, sizeof text, "selftest %s %s, %s: %s", stage_name(stage_), how, what, words);
  log_.line(text);
  if (errors != kDrawOk) {
    std::snprintf(text, sizeof text, "selftest %s: %s", stage_name(stage_), draw_error_advice(errors));
    log_.line(text);
  }
  errors_ |= errors;
  known_ = errors == kDrawOk;
}

bool StageRunner::drive(Waveform waveform, const Difference& difference, const char* what) {
  const DrawErrors errors = panel_.drive(waveform, difference);
  note(waveform == Waveform::du ? "DU" : "GC16", what, errors);
  if (known_) store_.driven();
  return known_;
}

bool StageRunner::clear_and_wash() {
  refreshes_ += 2;
  return drive(Waveform::gc16, store_.clear(), "clear, black to white") &&
         drive(Waveform::gc16, store_.wash_to_white(), "wash, to white") &&
         drive(Waveform::gc16, store_.wash_to_picture(), "wash, to the picture");
}

bool StageRunner::update(const RowSet& rows, const char* what) {
  ++refreshes_;
  return drive(Waveform::du, store_.update(rows), what);
}

}  // namespace selftest
}  // namespace inktop
