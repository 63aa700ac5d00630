#include "watchdog.h"

#include <esp_task_wdt.h>

namespace inktop {

void Watchdog::watch_this_task() {
  esp_task_wdt_add(nullptr);
}

void Watchdog::feed() {
  esp_task_wdt_reset();
}

void Watchdog::allow(uint32_t seconds) {
  if (seconds != allowed_s_) esp_task_wdt_init(seconds, true);
  allowed_s_ = seconds;
  feed();
}

}  // namespace inktop
