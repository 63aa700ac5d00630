// The seal of a line: see the header. Mirrors inktop_protocol/auth.py.
#include "inktop/seal.h"

#include <cstring>

#include "inktop/ascii.h"
#include "inktop/encoder.h"

namespace inktop {
namespace {

constexpr char kNumberField[] = "|q=";
constexpr char kMacField[] = "|mac=";
constexpr size_t kNumberFieldLength = sizeof(kNumberField) - 1;
constexpr size_t kMacFieldLength = sizeof(kMacField) - 1;
constexpr size_t kClosing = 5;  // "*" and four digits
constexpr size_t kMaxDigits = 10;

}  // namespace

bool find_seal(const char* line, size_t length, Seal& out) {
  if (length > 0 && line[length - 1] == '\n') length--;
  constexpr size_t kEnd = kMacFieldLength + kSealMacDigits + kClosing;
  if (length < kEnd) return false;
  out.signed_length = length - kEnd;
  if (memcmp(line + out.signed_length, kMacField, kMacFieldLength) != 0) return false;
  out.mac = line + out.signed_length + kMacFieldLength;
  uint64_t number = 0;
  uint64_t place = 1;
  size_t at = out.signed_length;
  for (; at > 0 && is_digit(line[at - 1]); at--, place *= 10) {
    if (out.signed_length - at == kMaxDigits) return false;
    number += static_cast<uint64_t>(line[at - 1] - '0') * place;
  }
  out.number = static_cast<uint32_t>(number);
  return at < out.signed_length && number <= UINT32_MAX && at > kNumberFieldLength &&
         memcmp(line + at - kNumberFieldLength, kNumberField, kNumberFieldLength) == 0;
}

size_t begin_seal(const char* line, size_t length, uint32_t number, char* out, size_t size) {
  if (length > 0 && line[length - 1] == '\n') length--;
  if (length < kClosing) return 0;
  length -= kClosing;
  constexpr size_t kMost = kNumberFieldLength + kMaxDigits + 1;
  if (length + kMost > size) return 0;
  memcpy(out, line, length);
  char digits[kMaxDigits];
  size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  memcpy(out + length, kNumberField, kNumberFieldLength);
  length += kNumberFieldLength;
  while (count > 0) out[length++] = digits[--count];
  return length;
}

size_t end_seal(char* out, size_t length, const char* mac, size_t size) {
  if (length + kMacFieldLength + kSealMacDigits > size) return 0;
  memcpy(out + length, kMacField, kMacFieldLength);
  memcpy(out + length + kMacFieldLength, mac, kSealMacDigits);
  return close_line(out, length + kMacFieldLength + kSealMacDigits, size);
}

}  // namespace inktop
