// Owns the log: lines on UART0, each beginning with "inktop: ". Nothing ever reads them back into a parser.
#pragma once

namespace inktop {

void begin_log();
// As printf, without newline; at most 200 bytes.
void log_line(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace inktop
