// A number under its caption with a bar below it, whose place is as wide as the number can become.
#pragma once

#include "picture/panels/pieces.h"

namespace inktop {

struct Gauge {
  Stat stat;
  int32_t permille = kUnknown;
  bool has_bar = false;
};

// Without the limit or the total: "GiB", "W".
Stat brief_of(const Stat& stat);
// The number at its widest: what is used may come to be as long as the total.
int widest(const Metrics& m, const Font& font, const Stat& stat);
// As much as there is room for.
Stat fitted_stat(const Metrics& m, const Font& font, const Stat& stat, int width);
// Of caption and number; the bar comes below.
int gauge_height(const Metrics& m, const Font& font);
void gauge_stat(Scene& scene, const Metrics& m, int x, int y, int width, const Font& font, const Stat& stat);
// Number and, in `bar_y` px below `y`, its bar: a maximum that has no room beside the number is said in the
// caption ("memory of 1008 GiB"). No bar without a maximum; none at all where `bar_y` is 0.
void barred_gauge(Scene& scene, const Metrics& m, int x, int y, int width, const Font& font,
                  const Gauge& gauge, int bar_y);
void gauge_bar(Scene& scene, const Metrics& m, int x, int y, int width, const Gauge& gauge);

}  // namespace inktop
