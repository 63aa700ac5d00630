#include "boot_record.h"

#include <esp_attr.h>
#include <esp_system.h>

namespace inktop {
namespace {

constexpr uint32_t kSelftestAsked = 0x5E1F7E57;

// Not initialized by the start-up code: that is its use.
RTC_NOINIT_ATTR PowerRecord power_record;
RTC_NOINIT_ATTR uint32_t selftest_asked;

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

void ask_for_selftest() {
  selftest_asked = kSelftestAsked;
}

bool selftest_was_asked_for() {
  const bool asked = !cold_start() && selftest_asked == kSelftestAsked;
  selftest_asked = 0;
  return asked;
}

}  // namespace inktop
