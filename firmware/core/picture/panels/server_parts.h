// What a grid says of one server, whatever the size of its cell; and of all of them together.
#pragma once

#include "picture/panels/gauge.h"

namespace inktop {

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

// The whole name where it has the room in that font, else the host without its domain.
LongText fitted_host(const char* name, const Font& font, int width);
// The name is fitted into `width`.
ServerParts server_parts(const View& view, const Font& font, int width);
ServerParts together_parts(const View& view);

}  // namespace inktop
