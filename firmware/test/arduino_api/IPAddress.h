// An IPv4 address.
#pragma once

#include <cstdint>

class IPAddress {
 public:
  IPAddress() = default;
  IPAddress(uint8_t a, uint8_t b, uint8_t c, uint8_t d) : bytes_{a, b, c, d} {}
  bool fromString(const char* text);
  uint8_t operator[](int index) const { return bytes_[index]; }

 private:
  uint8_t bytes_[4] = {};
};
