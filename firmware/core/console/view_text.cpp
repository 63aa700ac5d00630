#include "console/view_text.h"

#include <cstdio>
#include <cstring>

namespace inktop {
namespace {

constexpr int kLeast_s = 10;
constexpr int kMost_s = 3600;

}  // namespace

bool read_view(const char* text, ShowSettings& out) {
  ShowSettings found;
  const bool turns = std::strncmp(text, "turn", 4) == 0;
  if (std::strcmp(text, "grid") == 0) {
    found.show = Show::grid;
  } else if (std::strcmp(text, "one") == 0) {
    found.show = Show::one;
  } else if (turns && (text[4] == 0 || text[4] == '/')) {
    found.show = Show::turn;
    if (text[4] == '/') {
      int seconds = 0;
      const char* digit = text + 5;
      for (; *digit >= '0' && *digit <= '9' && seconds <= kMost_s; ++digit)
        seconds = seconds * 10 + (*digit - '0');
      if (*digit != 0 || seconds < kLeast_s || seconds > kMost_s) return false;
      found.turn_s = static_cast<uint16_t>(seconds);
    }
  } else {
    return false;
  }
  out = found;
  return true;
}

void write_view(const ShowSettings& show, char* out, size_t size) {
  if (show.show == Show::turn) {
    std::snprintf(out, size, "turn/%u", unsigned(show.turn_s));
    return;
  }
  std::snprintf(out, size, "%s", show.show == Show::one ? "one" : "grid");
}

}  // namespace inktop
