#include "boot_record.h"

#include <esp_attr.h>
#include <esp_system.h>

#include <initializer_list>

namespace inktop {
namespace {

constexpr uint32_t kWished = 0x5E1F7E00;

// Not initialized by the start-up code: that is its use.
RTC_NOINIT_ATTR PowerRecord power_record;
RTC_NOINIT_ATTR uint32_t wished;

bool cold_start() {
  return esp_reset_reason() == ESP_RST_POWERON;
}

Ended ended() {
  switch (esp_reset_reason()) {
    case ESP_RST_PANIC:
      return Ended::aborted;
    case ESP_RST_INT_WDT:
    case ESP_RST_TASK_WDT:
    case ESP_RST_WDT:
      return Ended::silent;
    case ESP_RST_BROWNOUT:
      return Ended::brownout;
    default:
      return Ended::other;
  }
}

}  // namespace

const char* reset_word() {
  switch (esp_reset_reason()) {
    case ESP_RST_POWERON:
      return "poweron";
    case ESP_RST_EXT:
      return "pin";
    case ESP_RST_SW:
      return "software";
    case ESP_RST_PANIC:
      return "panic";
    case ESP_RST_INT_WDT:
    case ESP_RST_TASK_WDT:
    case ESP_RST_WDT:
      return "watchdog";
    case ESP_RST_BROWNOUT:
      return "brownout";
    default:
      return "other";
  }
}

PowerGuard power_guard() {
  return PowerGuard(power_record, cold_start(), ended());
}

void wish(Wish what) {
  wished = kWished | uint32_t(what);
}

Wish take_wish() {
  const uint32_t was = wished;
  wished = 0;
  // After RST or power on, a person expects a normal start.
  if (esp_reset_reason() != ESP_RST_SW) return Wish::nothing;
  for (const Wish what : {Wish::selftest, Wish::closed_setup}) {
    if (was == (kWished | uint32_t(what))) return what;
  }
  return Wish::nothing;
}

}  // namespace inktop
