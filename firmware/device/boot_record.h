// What is known about this start: why the chip was reset, and whether the panel or its supply was to blame.
#pragma once

#include <cstdint>

#include "panel/power_guard.h"

namespace inktop {

// The reason as the one word of the hello line: poweron, pin, software, panic, watchdog, brownout ...
const char* reset_word();
// Lies in memory that survives every reset except loss of power.
PowerGuard power_guard();
// What one start asks of the next, once.
enum class Wish : uint32_t { nothing, selftest, closed_setup };
void wish(Wish what);
// Of the start before this one; nothing when asked again.
Wish take_wish();

}  // namespace inktop
