#include "picture/format.h"

namespace inktop {

namespace {

constexpr int64_t kMilliGib = 1000;

// `value` thousandths of a unit with as many decimals as leave about three significant digits.
ShortText three_digits(int64_t milli) {
  ShortText text;
  if (milli < 9995) return text.add_fixed((milli + 5) / 10, 2);
  if (milli < 99950) return text.add_fixed((milli + 50) / 100, 1);
  return text.add_number((milli + 500) / 1000);
}

}  // namespace

ShortText format_whole(int32_t value) {
  ShortText text;
  return value == kUnknown ? text.add(kNoValue) : text.add_number(value);
}

ShortText format_percent(int32_t permille) {
  ShortText text;
  return permille == kUnknown ? text.add(kNoValue) : text.add_number((permille + 5) / 10);
}

Quantity format_memory(int64_t milligib, int64_t scale_milligib) {
  Quantity quantity;
  const bool in_mib = scale_milligib < kMilliGib && scale_milligib != kUnknown;
  const bool in_tib = scale_milligib >= 10000 * kMilliGib;
  quantity.unit = in_tib ? "TiB" : in_mib ? "MiB" : "GiB";
  if (milligib == kUnknown) {
    quantity.number.add(kNoValue);
  } else if (in_mib) {
    quantity.number.add_number((milligib * 1024 + 500) / 1000);
  } else if (in_tib) {
    quantity.number.add_fixed((milligib / 1024 + 50) / 100, 1);
  } else if (scale_milligib >= 1000 * kMilliGib) {
    quantity.number.add_number((milligib + 500) / 1000);
  } else if (scale_milligib >= 10 * kMilliGib) {
    quantity.number.add_fixed((milligib + 50) / 100, 1);
  } else {
    quantity.number.add_fixed((milligib + 5) / 10, 2);
  }
  return quantity;
}

Quantity format_rate(int64_t bytes_s) {
  Quantity quantity;
  if (bytes_s == kUnknown) {
    quantity.number.add(kNoValue);
    quantity.unit = "B/s";
  } else if (bytes_s < 1000) {
    quantity.number.add_number(bytes_s);
    quantity.unit = "B/s";
  } else if (bytes_s < 999500) {
    quantity.number = three_digits(bytes_s);
    quantity.unit = "kB/s";
  } else if (bytes_s < 999500000) {
    quantity.number = three_digits(bytes_s / 1000);
    quantity.unit = "MB/s";
  } else {
    quantity.number = three_digits(bytes_s / 1000000);
    quantity.unit = "GB/s";
  }
  return quantity;
}

ShortText format_duration(int64_t seconds) {
  ShortText text;
  if (seconds < 0) return text.add(kNoValue);
  const int64_t minutes = seconds / 60;
  const int64_t hours = minutes / 60;
  if (hours >= 24) return text.add_number(hours / 24).add("d ").add_number(hours % 24).add('h');
  if (hours > 0) return text.add_number(hours).add("h ").add_number(minutes % 60).add('m');
  return text.add_number(minutes).add('m');
}

ShortText format_load(int32_t centi) {
  ShortText text;
  if (centi == kUnknown) return text.add(kNoValue);
  if (centi >= 10000) return text.add_number((centi + 50) / 100);
  return text.add_fixed(centi, 2);
}

ShortText format_minute(int32_t second_of_day, bool twelve_hours) {
  ShortText text;
  if (second_of_day < 0) return text.add("--:--");
  int hour = second_of_day / 3600 % 24;
  if (twelve_hours) hour = hour % 12 == 0 ? 12 : hour % 12;
  return text.add_number(hour, twelve_hours ? 1 : 2).add(':').add_number(second_of_day / 60 % 60, 2);
}

const char* half_of_day(int32_t second_of_day) {
  return second_of_day / 3600 % 24 < 12 ? "am" : "pm";
}

ShortText format_clock(int32_t second_of_day, bool with_seconds, bool twelve_hours) {
  ShortText text = format_minute(second_of_day, twelve_hours);
  if (second_of_day < 0) return with_seconds ? text.add(":--") : text;
  if (with_seconds) text.add(':').add_number(second_of_day % 60, 2);
  return twelve_hours ? text.add(' ').add(half_of_day(second_of_day)) : text;
}

int32_t degrees(int32_t celsius, bool fahrenheit) {
  if (celsius == kUnknown || !fahrenheit) return celsius;
  const int32_t fifths = celsius * 9;
  return (fifths + (fifths < 0 ? -2 : 2)) / 5 + 32;
}

const char* degrees_unit(bool fahrenheit) {
  return fahrenheit ? kFahrenheit : kCelsius;
}

uint64_t nice_ceiling(uint64_t value, uint64_t floor) {
  uint64_t nice = floor;
  uint64_t unit = 1;
  while (unit * 10 <= floor) unit *= 10;
  while (nice < value && nice < 1000000000000000ull) {
    if (nice == unit) {
      nice = 2 * unit;
    } else if (nice == 2 * unit) {
      nice = 5 * unit;
    } else {
      unit *= 10;
      nice = unit;
    }
  }
  return nice;
}

}  // namespace inktop
