// The text form of the quiet hours: "22-7/15".
#pragma once

#include <cstddef>

#include "panel/quiet_hours.h"

namespace inktop {

constexpr char kQuietRange[] =
    "FROM-TO/MINUTES, two hours of 0 to 23 and 1 to 60 minutes between updates, as 22-7/15; or none";

// False: it is none, `out` is unchanged.
bool read_quiet(const char* text, QuietHours& out);
// "none" where there are none, which an empty text is read as, too.
void write_quiet(const QuietHours& quiet, char* out, size_t size);

}  // namespace inktop
