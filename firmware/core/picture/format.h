// Numbers as people read them: short text with a unit, from the integers of a snapshot.
#pragma once

#include <cstdint>

#include "inktop/line.h"

namespace inktop {

// A short text that is built piece by piece; what does not fit is left off. Always ended by a NUL.
template <int kSize>
class TextBuffer {
 public:
  const char* c_str() const { return data_; }
  int length() const { return length_; }
  bool empty() const { return length_ == 0; }

  TextBuffer& add(char character) {
    if (length_ < kSize - 1) data_[length_++] = character;
    data_[length_] = 0;
    return *this;
  }
  TextBuffer& add(const char* text) {
    while (*text != 0) add(*text++);
    return *this;
  }
  // Decimal, with leading zeros up to `digits`.
  TextBuffer& add_number(int64_t value, int digits = 1) {
    char reversed[24];
    int count = 0;
    uint64_t rest = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    do {
      reversed[count++] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    while (count < digits && count < 20) reversed[count++] = '0';
    if (value < 0) add('-');
    while (count > 0) add(reversed[--count]);
    return *this;
  }
  // `value` in units of 10^-decimals, written with that many decimals.
  TextBuffer& add_fixed(int64_t value, int decimals) {
    int64_t unit = 1;
    for (int i = 0; i < decimals; ++i) unit *= 10;
    if (value < 0) {
      add('-');
      value = -value;
    }
    add_number(value / unit);
    if (decimals > 0) add('.').add_number(value % unit, decimals);
    return *this;
  }

 private:
  char data_[kSize] = {};
  int length_ = 0;
};

using ShortText = TextBuffer<24>;
using LongText = TextBuffer<128>;

// For a value that cannot be read: never 0.
constexpr char kNoValue[] = "--";
constexpr char kCelsius[] =
    "\xB0"
    "C";
constexpr char kFahrenheit[] =
    "\xB0"
    "F";

// A number and its unit, apart: they are set in different sizes.
struct Quantity {
  ShortText number;
  const char* unit = "";
};

// A whole number, "--" where unknown.
ShortText format_whole(int32_t value);
// Permille as whole percent, rounded half up; unknown: "--".
ShortText format_percent(int32_t permille);
// Memory in thousandths of a GiB, in the unit that fits `scale_milligib` (so that used and total share it):
// MiB below 1 GiB, TiB from 10,000 GiB up.
Quantity format_memory(int64_t milligib, int64_t scale_milligib);
// Bytes a second in B, kB, MB or GB (powers of 1000), with three significant digits from 1 kB/s up.
Quantity format_rate(int64_t bytes_s);
// "3d 4h", "4h 12m", "12m".
ShortText format_duration(int64_t seconds);
// Hundredths with two decimals below 100, none above.
ShortText format_load(int32_t centi);
// Second of the day as "HH:MM" or "HH:MM:SS", or of twelve hours as "9:31 pm"; "--:--" where negative.
ShortText format_clock(int32_t second_of_day, bool with_seconds, bool twelve_hours = false);
// The same to the minute, without am and pm.
ShortText format_minute(int32_t second_of_day, bool twelve_hours);
const char* half_of_day(int32_t second_of_day);
// In the degrees of a person's taste; unknown stays unknown.
int32_t degrees(int32_t celsius, bool fahrenheit);
const char* degrees_unit(bool fahrenheit);

// The next of 1, 2, 5 x 10^n that is at least `value` and at least `floor` (which is one of them).
uint64_t nice_ceiling(uint64_t value, uint64_t floor);

}  // namespace inktop
