// The seal that closes each line of a keyed stream: number and mac as text. The HMAC is the caller's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inktop/line.h"

namespace inktop {

struct Seal {
  size_t signed_length = 0;   // of the line: what the mac is over
  uint32_t number = 0;        // of the line in its stream
  const char* mac = nullptr;  // kSealMacDigits of them, in the line
};

// Finds the seal at the end of a line, with its newline or without. False: it has none.
bool find_seal(const char* line, size_t length, Seal& out);

// In two steps, the mac being computed between them. First the text to sign: copies `line` without its
// closing to `out` and adds the number; its length, or 0 when it does not fit.
size_t begin_seal(const char* line, size_t length, uint32_t number, char* out, size_t size);
// Then the mac, the checksum, the newline and a NUL; the length of the line, or 0 when it does not fit.
size_t end_seal(char* out, size_t length, const char* mac, size_t size);

}  // namespace inktop
