// What a person likes to see, and how it is written.
#pragma once

#include <cstdint>

namespace inktop {

// What is in the middle of the header.
enum class HeaderMiddle : uint8_t {
  power,   // of all GPUs together, and for how long the server is up
  memory,  // of all GPUs together
  uptime,  // of the server
  nothing,
};

struct Taste {
  bool twelve_hours = false;  // 9:31 pm
  bool fahrenheit = false;
  HeaderMiddle middle = HeaderMiddle::power;
};

}  // namespace inktop
