// Numbers as people read them.
#include "picture/format.h"

#include <doctest/doctest.h>

#include <string>

using namespace inktop;

namespace {

std::string whole(const Quantity& quantity) {
  return std::string(quantity.number.c_str()) + " " + quantity.unit;
}

}  // namespace

TEST_CASE("what cannot be read is --, never 0") {
  CHECK(std::string(format_whole(kUnknown).c_str()) == "--");
  CHECK(std::string(format_percent(kUnknown).c_str()) == "--");
  CHECK(std::string(format_load(kUnknown).c_str()) == "--");
  CHECK(whole(format_rate(kUnknown)) == "-- B/s");
  CHECK(whole(format_memory(kUnknown, kUnknown)) == "-- GiB");
  CHECK(std::string(format_clock(-1, false).c_str()) == "--:--");
  CHECK(std::string(format_clock(-1, true).c_str()) == "--:--:--");
  CHECK(std::string(format_duration(kUnknown).c_str()) == "--");
}

TEST_CASE("memory is shown in the unit of its total, from 512 MiB to 16 TiB, GiB up to 9999") {
  CHECK(whole(format_memory(250, 500)) == "256 MiB");
  CHECK(whole(format_memory(500, 500)) == "512 MiB");
  CHECK(whole(format_memory(1890, 7600)) == "1.89 GiB");
  CHECK(whole(format_memory(6900, 125900)) == "6.9 GiB");
  CHECK(whole(format_memory(0, 125900)) == "0.0 GiB");
  CHECK(whole(format_memory(412000, 1007500)) == "412 GiB");
  CHECK(whole(format_memory(4096000, 9999000)) == "4096 GiB");
  CHECK(whole(format_memory(4096000, 16384000)) == "4.0 TiB");
  CHECK(whole(format_memory(kUnknown, 7600)) == "-- GiB");
}

TEST_CASE("rates go from bytes to 400 Gbit/s with about three digits") {
  CHECK(whole(format_rate(0)) == "0 B/s");
  CHECK(whole(format_rate(999)) == "999 B/s");
  CHECK(whole(format_rate(1000)) == "1.00 kB/s");
  CHECK(whole(format_rate(9994)) == "9.99 kB/s");
  CHECK(whole(format_rate(9995)) == "10.0 kB/s");
  CHECK(whole(format_rate(99950)) == "100 kB/s");
  CHECK(whole(format_rate(999499)) == "999 kB/s");
  CHECK(whole(format_rate(999500)) == "1.00 MB/s");
  CHECK(whole(format_rate(11800000)) == "11.8 MB/s");
  CHECK(whole(format_rate(999499999)) == "999 MB/s");
  CHECK(whole(format_rate(999500000)) == "1.00 GB/s");
  CHECK(whole(format_rate(50000000000)) == "50.0 GB/s");
  CHECK(whole(format_rate(100000000000000)) == "100000 GB/s");
}

TEST_CASE("durations, loads and clocks") {
  CHECK(std::string(format_duration(0).c_str()) == "0m");
  CHECK(std::string(format_duration(3599).c_str()) == "59m");
  CHECK(std::string(format_duration(3600 * 4 + 720).c_str()) == "4h 12m");
  CHECK(std::string(format_duration(86400 * 12 + 4 * 3600 + 59).c_str()) == "12d 4h");
  CHECK(std::string(format_load(52).c_str()) == "0.52");
  CHECK(std::string(format_load(9999).c_str()) == "99.99");
  CHECK(std::string(format_load(9999999).c_str()) == "100000");
  CHECK(std::string(format_clock(43445, true).c_str()) == "12:04:05");
  CHECK(std::string(format_clock(86399, false).c_str()) == "23:59");
  CHECK(std::string(format_clock(0, false, true).c_str()) == "12:00 am");
  CHECK(std::string(format_clock(43199, true, true).c_str()) == "11:59:59 am");
  CHECK(std::string(format_clock(43200, false, true).c_str()) == "12:00 pm");
  CHECK(std::string(format_clock(86399, false, true).c_str()) == "11:59 pm");
  CHECK(std::string(format_clock(-1, false, true).c_str()) == "--:--");
  CHECK(std::string(format_minute(34260, true).c_str()) == "9:31");
  CHECK(std::string(format_minute(34260, false).c_str()) == "09:31");
}

TEST_CASE("degrees Fahrenheit are rounded to the nearest, and unknown stays unknown") {
  CHECK(degrees(110, true) == 230);
  CHECK(degrees(61, true) == 142);
  CHECK(degrees(-40, true) == -40);
  CHECK(degrees(-1, true) == 30);
  CHECK(degrees(61, false) == 61);
  CHECK(degrees(kUnknown, true) == kUnknown);
  CHECK(std::string(format_percent(5).c_str()) == "1");
  CHECK(std::string(format_percent(4).c_str()) == "0");
  CHECK(std::string(format_percent(1000).c_str()) == "100");
  CHECK(std::string(format_whole(-12).c_str()) == "-12");
}

TEST_CASE("scales are 1, 2 or 5 times a power of ten, and never below their floor") {
  CHECK(nice_ceiling(0, 100000) == 100000);
  CHECK(nice_ceiling(100000, 100000) == 100000);
  CHECK(nice_ceiling(100001, 100000) == 200000);
  CHECK(nice_ceiling(200001, 100000) == 500000);
  CHECK(nice_ceiling(500001, 100000) == 1000000);
  CHECK(nice_ceiling(11800000, 100000) == 20000000);
  CHECK(nice_ceiling(50000000001ull, 100000) == 100000000000ull);
}

TEST_CASE("a text buffer cuts what does not fit and stays a text") {
  TextBuffer<8> text;
  text.add("1234567890");
  CHECK(std::string(text.c_str()) == "1234567");
  TextBuffer<32> number;
  number.add_number(INT64_MIN);
  CHECK(std::string(number.c_str()) == "-9223372036854775808");
}
