#include "psram.h"

#include <Arduino.h>
#include <esp_heap_caps.h>

#include <cstring>

#include "device_log.h"

namespace inktop {

uint8_t* take_psram(size_t bytes, const char* what) {
  void* const memory = heap_caps_aligned_alloc(8, bytes, MALLOC_CAP_SPIRAM);
  while (memory == nullptr) {
    log_line(
        "PSRAM failed: %u bytes for %s are not there. Is it an ESP32-S3 with 8 MB PSRAM (N16R8), and is "
        "memory_type = qio_opi in platformio.ini?",
        unsigned(bytes), what);
    delay(5'000);
  }
  std::memset(memory, 0, bytes);
  return static_cast<uint8_t*>(memory);
}

}  // namespace inktop
