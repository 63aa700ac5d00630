// What a grid says of one server, whatever the size of its cell; and of all of them together.
#pragma once

#include "picture/panels/pieces.h"

namespace inktop {

// A number with the bar below it.
struct Gauge {
  Stat stat;
  int32_t permille = kUnknown;
  bool has_bar = false;
};

struct ServerParts {
  LongText name;
  const char* words = nullptr;  // in place of all numbers: it has sent none yet, and why
  // The busiest GPU, the hottest junction, VRAM; CPU, memory, power. Without GPUs the CPU is the first.
  static constexpr int kGauges = 6;
  Gauge gauges[kGauges];
  int gauge_count = 0;
  LongText fact;    // what it is and for how long it is up
  LongText watts;   // the power, where it has no gauge of its own
  LongText urgent;  // in black: what is wrong
};

// `width`: of the name, in that font; the whole name, else the host without its domain.
ServerParts server_parts(const View& view, const Font& font, int width);
ServerParts together_parts(const View& view);

}  // namespace inktop
