#include "device_log.h"

#include <Arduino.h>

#include <cstdarg>
#include <cstdio>

#include "pins.h"

namespace inktop {

namespace {

// The console is not read while the panel refreshes: the longest command waits here, whole.
constexpr size_t kReceiveBytes = 1024;

}  // namespace

void begin_log() {
  Serial.setRxBufferSize(kReceiveBytes);  // before begin(), or it does nothing
  // RX before TX: the order of HardwareSerial::begin. Exchanged, the board still runs, but never says a word.
  Serial.begin(115200, SERIAL_8N1, pins::kSerialReceive, pins::kSerialTransmit);
}

void log_line(const char* format, ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  Serial.print("inktop: ");
  Serial.println(text);
}

}  // namespace inktop
