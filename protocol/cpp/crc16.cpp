// The checksum of a line, a nibble at a time: 32 bytes of table, and fast enough for a line a second.
#include "inktop/crc16.h"

namespace inktop {

uint16_t crc16(const char* data, size_t length) {
  // kTable[n] is the remainder of n * x^16.
  static constexpr uint16_t kTable[16] = {0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50A5, 0x60C6, 0x70E7,
                                          0x8108, 0x9129, 0xA14A, 0xB16B, 0xC18C, 0xD1AD, 0xE1CE, 0xF1EF};
  uint32_t crc = 0xFFFF;
  for (size_t i = 0; i < length; i++) {
    const uint32_t byte = static_cast<uint8_t>(data[i]);
    crc = ((crc << 4) ^ kTable[(crc >> 12) ^ (byte >> 4)]) & 0xFFFF;
    crc = ((crc << 4) ^ kTable[(crc >> 12) ^ (byte & 15)]) & 0xFFFF;
  }
  return static_cast<uint16_t>(crc);
}

}  // namespace inktop
