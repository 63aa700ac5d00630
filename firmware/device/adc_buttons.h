// Reads the buttons' pin.
#pragma once

namespace inktop {

void begin_button_pin();
// 0 to 4095; -1 when it failed: the converter is shared with Wi-Fi.
int read_button_pin();

}  // namespace inktop
