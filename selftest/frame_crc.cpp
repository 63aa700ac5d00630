#include "frame_crc.h"

namespace inktop {
namespace selftest {

namespace {

// Four bits at a time: 64 bytes of table instead of a kilobyte; it runs once a stage.
// memory.
struct Table {
  uint32_t words[16];
  constexpr Table() : words{} {
    for (uint32_t i = 0; i < 16; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 4; ++bit) value = (value & 1u) != 0 ? value >> 1 ^ 0xEDB88320u : value >> 1;
      words[i] = value;
    }
  }
};
constexpr Table kTable;

}  // namespace

uint32_t crc32(const uint8_t* bytes, size_t length) {
  uint32_t crc = 0xFFFFFFFFu;
  for (size_t i = 0; i < length; ++i) {
    crc ^= bytes[i];
    crc = crc >> 4 ^ kTable.words[crc & 15u];
    crc = crc >> 4 ^ kTable.words[crc & 15u];
  }
  return ~crc;
}

}  // namespace selftest
}  // namespace inktop
