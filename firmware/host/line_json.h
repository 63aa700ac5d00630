// The JSON object of a decoded line (protocol/README.md, section 13). On a PC only.
#pragma once

#include <string>

#include "inktop/parser.h"

namespace inktop {

// `{"kind":"data",...}`, or `{"error":"checksum"}` for a dropped line.
std::string line_to_json(const Parsed& parsed);

}  // namespace inktop
