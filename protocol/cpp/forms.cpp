// The forms of the grammar: see the header.
#include "inktop/forms.h"

#include "inktop/ascii.h"

namespace inktop {
namespace {

template <typename Allowed>
bool all_of(const char* text, size_t size, Allowed allowed) {
  for (size_t i = 0; i < size; i++) {
    if (!allowed(text[i])) return false;
  }
  return true;
}

bool is_two_digits(const char* at, char high_tens, char high_ones_there) {
  return is_digit(at[0]) && is_digit(at[1]) &&
         (at[0] < high_tens || (at[0] == high_tens && at[1] <= high_ones_there));
}

// HH:MM or HH:MM:SS, as long as its member.
bool is_time(const char* text, size_t size) {
  if (!is_two_digits(text, '2', '3')) return false;
  for (size_t at = 2; at < size; at += 3) {
    if (text[at] != ':' || !is_two_digits(text + at + 1, '5', '9')) return false;
  }
  return true;
}

// A domain of 4 digits, or of 5 to 8 without a leading zero.
bool is_pci(const char* text, size_t size) {
  static constexpr char kForm[] = "hhhh:hh:hh.h";
  constexpr size_t kLength = sizeof(kForm) - 1;
  if (size < kLength || (size > kLength && text[0] == '0')) return false;
  const size_t more = size - kLength;
  for (size_t i = 0; i < more; i++) {
    if (!is_hex(text[i])) return false;
  }
  for (size_t i = 0; i < kLength; i++) {
    if (kForm[i] == 'h' ? !is_hex(text[more + i]) : text[more + i] != kForm[i]) return false;
  }
  return true;
}

// WxH, each of 1 to 5 digits.
bool is_size(const char* text, size_t size) {
  size_t at = 0;
  for (int part = 0; part < 2; part++) {
    const size_t begin = at;
    while (at < size && is_digit(text[at])) at++;
    if (at - begin < 1 || at - begin > 5) return false;
    if (part == 0 && (at == size || text[at++] != 'x')) return false;
  }
  return at == size;
}

}  // namespace

bool has_form(Form form, const char* text, size_t size, size_t longest) {
  if (size < 1 || size > longest) return false;
  switch (form) {
    case Form::number:
      return false;
    case Form::printable:
      return all_of(text, size, [](char c) { return c >= ' ' && c <= '~'; });
    case Form::name:
      return all_of(text, size, is_name);
    case Form::letters:
      return all_of(text, size, is_lower);
    case Form::letters_digits:
      return all_of(text, size, [](char c) { return is_lower(c) || is_digit(c); });
    case Form::minute:
    case Form::second:
      return size == longest && is_time(text, size);
    case Form::pci:
      return is_pci(text, size);
    case Form::size:
      return is_size(text, size);
    case Form::hex:
      return size == longest && all_of(text, size, is_hex);
  }
  return false;
}

}  // namespace inktop
