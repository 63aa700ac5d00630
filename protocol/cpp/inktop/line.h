// What a line says (line_structs.h, made from the table of the line), and why one is dropped.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inktop/line_structs.h"

namespace inktop {

// Why a line was dropped: section 11 of the specification, in the order of its checks.
enum class LineError : uint8_t {
  none,
  overlong,
  cut,
  charset,
  checksum,
  syntax,
  value,
  missing,
  seal,
};
constexpr int kLineErrors = 9;

// The word of the specification for a kind ("checksum"); "none" for none.
const char* line_error_name(LineError error);

// Dropped lines by kind.
struct BadLines {
  uint32_t counts[kLineErrors] = {};

  // Counts one; LineError::none is not counted, a full counter stays full.
  void add(LineError error) {
    uint32_t& count = counts[static_cast<int>(error)];
    if (error != LineError::none && count != UINT32_MAX) count++;
  }
  uint32_t of(LineError error) const { return counts[static_cast<int>(error)]; }
};

}  // namespace inktop
