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

// What a board with several servers shows.
enum class Show : uint8_t {
  grid,  // all of them
  one,   // the first, large
  turn,  // each in turn, large
};

struct ShowSettings {
  Show show = Show::grid;
  uint16_t turn_s = 30;  // how long each is shown
};

struct Taste {
  bool twelve_hours = false;  // 9:31 pm
  bool fahrenheit = false;
  HeaderMiddle middle = HeaderMiddle::power;
};

}  // namespace inktop
