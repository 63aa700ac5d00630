// The classes of characters that lines and settings are made of; the same in every locale.
#pragma once

namespace inktop {

constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
// Lower-case hexadecimal.
constexpr bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}
// What a host name or a board id consists of.
constexpr bool is_name(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '.' || c == '_' || c == '-';
}

}  // namespace inktop
