#include "console/quiet_text.h"

#include <cstdio>
#include <cstring>

namespace inktop {
namespace {

// In a line an empty text could not be told from a missing one.
constexpr char kNoQuiet[] = "none";

// One or two digits up to `end`, which is passed; false when they are none, or outside [least, most].
bool read_part(const char*& text, char end, int least, int most, uint8_t& out) {
  int value = 0;
  int digits = 0;
  for (; *text >= '0' && *text <= '9' && digits < 3; ++text, ++digits) value = value * 10 + (*text - '0');
  if (digits == 0 || digits > 2 || *text != end || value < least || value > most) return false;
  if (end != 0) ++text;
  out = uint8_t(value);
  return true;
}

}  // namespace

bool read_quiet(const char* text, QuietHours& out) {
  QuietHours quiet;
  const bool has_hours = *text != 0 && std::strcmp(text, kNoQuiet) != 0;
  if (has_hours && !(read_part(text, '-', 0, 23, quiet.from_h) && read_part(text, '/', 0, 23, quiet.to_h) &&
                     read_part(text, 0, 1, 60, quiet.interval_min))) {
    return false;
  }
  out = quiet;
  return true;
}

void write_quiet(const QuietHours& quiet, char* out, size_t size) {
  if (quiet.interval_min == 0) {
    std::snprintf(out, size, "%s", kNoQuiet);
    return;
  }
  std::snprintf(out, size, "%u-%u/%u", unsigned(quiet.from_h), unsigned(quiet.to_h),
                unsigned(quiet.interval_min));
}

}  // namespace inktop
