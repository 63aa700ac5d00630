// CRC-16/CCITT-FALSE: the checksum of a line.
#pragma once

#include <cstddef>
#include <cstdint>

namespace inktop {

// Polynomial 0x1021, initial value 0xFFFF, no reflection, no final xor: "123456789" gives 0x29B1.
uint16_t crc16(const char* data, size_t length);

}  // namespace inktop
