// The line above the panels: host, address, facts, load and clock; or since when there is no data.
#pragma once

#include "picture/format.h"
#include "picture/items.h"
#include "picture/layout.h"
#include "picture/scene.h"
#include "picture/view.h"

namespace inktop {

constexpr int kRuleSpace = 4;  // from the header to the rule below it

// The rule and the words above it, all on one baseline.
class HeaderLine {
 public:
  // Draws the rule.
  HeaderLine(Scene& scene, const Metrics& m, const Rect& rect);
  // Words in `width` pixels from `x` on, cut where they do not fit.
  void words(const Font& font, int x, int width, const char* text, Align align);
  // The clock at the right end, "--:--" without a `second`; returns where the room to its left ends.
  int clock(int32_t second, bool twelve_hours);
  int baseline() const { return baseline_; }  // below the top of the header

 private:
  Scene& scene_;
  const Metrics& m_;
  Rect rect_;
  int baseline_;
};

// "OOM KILL at 12:13  +1": the newest, and how many others.
LongText event_words(const View& view);
// "quiet: every 15 min until 07:00": why the clock stays as it is, and until when; fewer words in a line of
// `width` pixels that has no room for all.
LongText quiet_words(const View& view, const Metrics& m, int width);
// The whole line black: since when nothing has come from `who`, and what is tried.
void draw_lost(Scene& scene, const View& view, const Metrics& m, const Rect& rect, const char* who);
void draw_header(Scene& scene, const View& view, const Metrics& m, const Rect& rect);

}  // namespace inktop
