// The log: lines on UART0, each beginning with "inktop: ". They never reach the parser (C3).
#pragma once

namespace inktop {

void begin_log();
// As printf, without newline; at most 200 bytes.
void log_line(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace inktop
