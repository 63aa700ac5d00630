// Memory in PSRAM: all of it is taken at start.
#pragma once

#include <cstddef>
#include <cstdint>

namespace inktop {

// `bytes` of PSRAM, 8-byte aligned, cleared. Without PSRAM nothing can run: then it logs
// that and never returns.
uint8_t* take_psram(size_t bytes, const char* what);

}  // namespace inktop
