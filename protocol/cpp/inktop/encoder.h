// The encoder: what the board sends, hello, health, settings and ack, as lines; and what a key signs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inktop/line.h"

namespace inktop {

// Each writes one line with its newline and a NUL into `out` (kMaxLineBytes + 1 bytes always suffice) and
// returns its length without the NUL, or 0 when it does not fit. Text is mapped to what its place allows, a
// counter beyond 4294967295 stays there, a value outside its range becomes "-" or is left out: a line that
// was written is never refused by a decoder.
size_t encode_hello(const Hello& hello, char* out, size_t size);
size_t encode_health(const Health& health, char* out, size_t size);
size_t encode_settings(const SettingsLine& settings, char* out, size_t size);
size_t encode_ack(const Ack& ack, char* out, size_t size);

// All of the hello before "|mac=": with the nonce and "|" before it, this is what the key signs. The caller
// computes the HMAC-SHA256, puts its 64 hexadecimal digits into hello.mac and encodes. Returns as above,
// but writes no newline.
size_t hello_text(const Hello& hello, char* out, size_t size);

// How many bytes of a line precede "|mac=": what the key signed. 0 when it carries no mac.
size_t signed_length(const char* line, size_t length);

// Compares in a time that depends on `length` only.
bool equal_in_constant_time(const char* one, const char* other, size_t length);

// Appends "*", the checksum and the newline (and a NUL) to a body of `length` bytes; returns the length of
// the line, or 0 when out[size] has no room for it.
size_t close_line(char* out, size_t length, size_t size);

}  // namespace inktop
