// What is known about this start: why the chip was reset, and whether the panel or its supply was to blame.
#pragma once

#include "panel/power_guard.h"

namespace inktop {

// The reason as the one word of the hello line: poweron, pin, software, panic, watchdog, brownout ...
const char* reset_word();
// Lies in memory that survives every reset except loss of power.
PowerGuard power_guard();
// The next start runs the self-test, once.
void ask_for_selftest();
bool selftest_was_asked_for();

}  // namespace inktop
