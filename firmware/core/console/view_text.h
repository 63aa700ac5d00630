// The text form of what a board with several servers shows: "grid", "one", "turn/30".
#pragma once

#include <cstddef>

#include "picture/taste.h"

namespace inktop {

constexpr char kViewRange[] = "grid, one, or turn/SECONDS, 10 to 3600 for each server";

// False: it is none, `out` is unchanged. "turn" alone turns every 30 seconds.
bool read_view(const char* text, ShowSettings& out);
void write_view(const ShowSettings& show, char* out, size_t size);

}  // namespace inktop
