// A body as a whole line, with its checksum and newline, for tests that play the server.
#pragma once

#include <cstdio>
#include <string>

#include "inktop/crc16.h"

namespace inktop {

inline std::string closed_line(const std::string& body) {
  char crc[8];
  std::snprintf(crc, sizeof crc, "*%04X", unsigned(crc16(body.data(), body.size())));
  return body + crc + "\n";
}

}  // namespace inktop
