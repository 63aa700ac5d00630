// The checksum of a framebuffer, by which a board's log is compared with a PC.
#pragma once

#include <cstddef>
#include <cstdint>

namespace inktop {
namespace selftest {

// CRC-32 as zlib and Python's binascii.crc32 compute it: "123456789" gives 0xCBF43926.
uint32_t crc32(const uint8_t* bytes, size_t length);

}  // namespace selftest
}  // namespace inktop
