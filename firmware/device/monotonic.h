// Time since the start: 64 bits of milliseconds, which never wrap.
#pragma once

#include <esp_timer.h>

#include <cstdint>

namespace inktop {

inline int64_t now_ms() {
  return esp_timer_get_time() / 1000;
}

}  // namespace inktop
