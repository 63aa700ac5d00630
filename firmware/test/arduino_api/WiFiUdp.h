// UDP.
#pragma once

#include <cstddef>
#include <cstdint>

class WiFiUDP {
 public:
  uint8_t begin(uint16_t port);
  void stop();
  int parsePacket();
  int read(char* bytes, size_t size);
};
