// The vectors through the board's codec, and what only its C++ interface has: buffers, counters, signing.
#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "inktop/crc16.h"
#include "inktop/encoder.h"
#include "inktop/framer.h"
#include "inktop/parser.h"
#include "line_json.h"

using namespace inktop;

namespace {

// Enough to reach every branch, in a second under a sanitizer; a longer run by hand takes a larger number.
#ifndef INKTOP_FUZZ_RUNS
#define INKTOP_FUZZ_RUNS 20000
#endif
constexpr int kFuzzRuns = INKTOP_FUZZ_RUNS;

std::vector<std::string> vectors(const std::string& name) {
  const std::string here = __FILE__;
  const std::string path = here.substr(0, here.rfind('/')) + "/../vectors/" + name;
  std::ifstream file(path);
  REQUIRE_MESSAGE(file.good(), path);
  std::vector<std::string> rows;
  for (std::string row; std::getline(file, row);) rows.push_back(row);
  REQUIRE(!rows.empty());
  return rows;
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

// The string at `"key":"..."`; the vectors hold no escapes but those of quote and backslash.
bool text_at(const std::string& row, const std::string& key, std::string& text) {
  const std::string mark = "\"" + key + "\":\"";
  const size_t found = row.find(mark);
  if (found == std::string::npos) return false;
  text.clear();
  for (size_t i = found + mark.size(); row.at(i) != '"'; i++) {
    if (row[i] == '\\') i++;
    text += row.at(i);
  }
  return true;
}

std::string line_of(const std::string& row) {
  std::string text;
  if (text_at(row, "hex", text)) return from_hex(text);
  REQUIRE(text_at(row, "line", text));
  return text;
}

std::string decode(const std::string& line) {
  // Exactly as long as the line: a read beyond it is seen by a sanitizer.
  std::unique_ptr<char[]> bytes(new char[line.size()]);
  memcpy(bytes.get(), line.data(), line.size());
  Parsed parsed;
  parse(bytes.get(), line.size(), parsed);
  return line_to_json(parsed);
}

std::string line(std::string body) {
  const size_t length = body.size();
  body.resize(kMaxLineBytes + 1);
  body.resize(close_line(&body[0], length, body.size()));
  return body;
}

// All that a framer finds, one text each: "line:..." or "error:...".
std::vector<std::string> found_in(Framer& framer, const std::string& bytes) {
  std::vector<std::string> texts;
  const char* data = bytes.data();
  size_t size = bytes.size();
  Framed found;
  while (framer.next(data, size, found)) {
    texts.push_back(found.error == LineError::none ? "line:" + std::string(found.line, found.length)
                                                   : "error:" + std::string(line_error_name(found.error)));
  }
  REQUIRE(size == 0);
  return texts;
}

}  // namespace

TEST_CASE("the check value of the checksum is the one of the specification") {
  CHECK(crc16("123456789", 9) == 0x29B1);
  CHECK(crc16("", 0) == 0xFFFF);
}

TEST_CASE("a line says on the board what its vector says") {
  for (const std::string& row : vectors("lines.jsonl")) {
    const size_t expect = row.find("\"expect\":");
    REQUIRE(expect != std::string::npos);
    const std::string expected = row.substr(expect + 9, row.size() - expect - 10);
    INFO(row);
    CHECK(decode(line_of(row)) == expected);
    CHECK(decode(line_of(row) + "\n") == expected);
  }
}

TEST_CASE("what the Python encoder writes is read on the board") {
  for (const std::string& row : vectors("encode.jsonl")) {
    INFO(row);
    CHECK(decode(line_of(row)).substr(0, 15) == "{\"kind\":\"data\",");
  }
}

TEST_CASE("a fleet that the Python encoder writes is read on the board") {
  for (const std::string& row : vectors("fleet.jsonl")) {
    INFO(row);
    CHECK(decode(line_of(row)).substr(0, 16) == "{\"kind\":\"fleet\",");
  }
}

TEST_CASE("portions of bytes are framed as their vector says") {
  for (const std::string& row : vectors("framer.jsonl")) {
    INFO(row);
    Framer framer;
    std::vector<std::string> texts;
    size_t at = row.find("\"chunks\":[") + 10;
    while (row.at(at) != ']') {
      const size_t end = row.find('"', at + 1);
      for (const std::string& text : found_in(framer, from_hex(row.substr(at + 1, end - at - 1)))) {
        texts.push_back(text);
      }
      at = end + 1;
      if (row.at(at) == ',') at++;
    }
    Framed found;
    if (row.find("\"closed\":true") != std::string::npos && framer.closed(found)) {
      texts.push_back("error:" + std::string(line_error_name(found.error)));
    }

    std::vector<std::string> expected;
    at = row.find("\"expect\":[") + 10;
    while (row.at(at) != ']') {
      const size_t end = row.find('}', at);
      std::string text;
      const std::string one = row.substr(at, end - at);
      if (text_at(one, "hex", text)) expected.push_back("line:" + from_hex(text));
      if (text_at(one, "error", text)) expected.push_back("error:" + text);
      at = end + 1;
      if (row.at(at) == ',') at++;
    }
    CHECK(texts == expected);
  }
}

TEST_CASE("a framer counts what it drops by kind, over all connections") {
  Framer framer;
  Framed found;
  const std::string overlong(3000, 'x');
  for (int i = 0; i < 3; i++) {
    CHECK(found_in(framer, overlong + "\nh=").size() == 1);
    CHECK(framer.closed(found));
    CHECK(found.error == LineError::cut);
  }
  CHECK(!framer.closed(found));
  CHECK(framer.bad_lines().of(LineError::overlong) == 3);
  CHECK(framer.bad_lines().of(LineError::cut) == 3);
  CHECK(framer.bad_lines().of(LineError::none) == 0);
}

TEST_CASE("a counter of dropped lines stays full, and no error is not counted") {
  BadLines bad;
  bad.counts[static_cast<int>(LineError::value)] = UINT32_MAX;
  bad.add(LineError::value);
  bad.add(LineError::none);
  CHECK(bad.of(LineError::value) == UINT32_MAX);
  CHECK(bad.of(LineError::none) == 0);
}

TEST_CASE("a half line never runs into the next connection") {
  Framer framer;
  Framed found;
  found_in(framer, "h=half");
  framer.closed(found);
  CHECK(found_in(framer, "h=whole\n") == std::vector<std::string>{"line:h=whole"});
  found_in(framer, std::string(2000, 'x'));
  CHECK(!framer.closed(found));
  CHECK(found_in(framer, "h=whole\n") == std::vector<std::string>{"line:h=whole"});
}

TEST_CASE("a value of the line before does not stay in the next one") {
  Parsed parsed;
  const std::string full = line("h=a|u=5|k=ff|m=1/2|w=e,1,2|g0=1|e=sys:boot:00:00:00");
  parse(full.data(), full.size(), parsed);
  REQUIRE(parsed.kind == LineKind::data);
  const std::string empty = line("h=b");
  parse(empty.data(), empty.size(), parsed);
  CHECK(line_to_json(parsed) == decode(empty));
  const std::string bad = "h=b*0000";
  parse(bad.data(), bad.size(), parsed);
  CHECK(parsed.kind == LineKind::none);
  CHECK(parsed.error == LineError::checksum);
}

TEST_CASE("a hello is written as the specification has it") {
  Hello hello;
  strcpy(hello.board, "desk");
  strcpy(hello.firmware, "0.1.0");
  strcpy(hello.panel, "1920x1080");
  hello.boots = 17;
  strcpy(hello.reset, "poweron");
  char out[kMaxLineBytes + 1];
  const std::string text = "hello=1|id=desk|fw=0.1.0|panel=1920x1080|boots=17|reset=poweron";
  CHECK(hello_text(hello, out, sizeof out) == text.size());
  CHECK(out == text);
  CHECK(encode_hello(hello, out, sizeof out) == line(text).size());
  CHECK(out == line(text));
}

TEST_CASE("a keyed hello is the one of its vector") {
  for (const std::string& row : vectors("keyed.jsonl")) {
    INFO(row);
    std::string written;
    std::string text;
    std::string mac;
    REQUIRE(text_at(row, "line", written));
    REQUIRE(text_at(row, "text", text));
    REQUIRE(text_at(row, "mac", mac));
    CHECK(signed_length(written.data(), written.size()) == text.size());
    Parsed parsed;
    parse(written.data(), written.size(), parsed);
    if (parsed.kind != LineKind::hello) {
      CHECK(parsed.kind == LineKind::announce);
      CHECK(parsed.announce.mac == mac);
      continue;
    }
    CHECK(parsed.hello.mac == mac);
    char out[kMaxLineBytes + 1];
    hello_text(parsed.hello, out, sizeof out);
    CHECK(out == text);
    encode_hello(parsed.hello, out, sizeof out);
    CHECK(out == written + "\n");
  }
  CHECK(signed_length("hello=1|id=a|mac", 16) == 0);
}

TEST_CASE("a health line with more than it may say is bounded and read") {
  Health health;
  strcpy(health.board, "my desk");
  health.uptime_s = INT64_MAX;
  health.rssi_dbm = 5;
  health.refresh_error_count = 3;
  strcpy(health.refresh_errors[0].kind, "lut");
  health.refresh_errors[0].count = 1;
  strcpy(health.refresh_errors[1].kind, "NO");
  strcpy(health.refresh_errors[2].kind, "lines");
  health.refresh_errors[2].count = INT64_MAX;
  char out[kMaxLineBytes + 1];
  CHECK(encode_health(health, out, sizeof out) > 0);
  CHECK(out == line("health=1|id=my_desk|u=4294967295|rssi=-|err=lut:1,lines:4294967295|ms=-"));
}

TEST_CASE("a buffer that is too small is not written beyond its end") {
  Hello hello;
  strcpy(hello.board, "desk");
  strcpy(hello.firmware, "0.1.0");
  char all[kMaxLineBytes + 1];
  const size_t length = encode_hello(hello, all, sizeof all);
  for (size_t size = 0; size <= length + 1; size++) {
    std::unique_ptr<char[]> out(new char[size + 1]);
    out[size] = '#';
    CHECK(encode_hello(hello, out.get(), size) == (size > length ? length : 0));
    CHECK(out[size] == '#');
  }
}

TEST_CASE("texts are compared over their whole length") {
  CHECK(equal_in_constant_time("abc", "abc", 3));
  CHECK(!equal_in_constant_time("abc", "abd", 3));
  CHECK(!equal_in_constant_time("abc", "xbc", 3));
  CHECK(equal_in_constant_time("abc", "abx", 2));
}

TEST_CASE("no bytes make the parser read beyond the line or keep half of it") {
  // Each is a good line with bytes changed, most of them with a right checksum; a sanitizer watches the rest.
  const std::vector<std::string> rows = vectors("lines.jsonl");
  std::vector<std::string> bodies;
  for (const std::string& row : rows) {
    const std::string text = line_of(row);
    if (text.size() > 5) bodies.push_back(text.substr(0, text.size() - 5));
  }
  static const char kChars[] = "|=,:./-*0159afgzAZ x\x01\xff";
  uint32_t state = 7910;
  auto random = [&state](size_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  int good = 0;
  int bad = 0;
  for (int i = 0; i < kFuzzRuns; i++) {
    std::string body = bodies[random(bodies.size())];
    for (size_t change = random(4); change > 0; change--) {
      const size_t at = random(body.size() + 1);
      const char c = kChars[random(sizeof kChars - 1)];
      switch (random(4)) {
        case 0:
          body.insert(at, 1, c);
          break;
        case 1:
          body.erase(at, random(6));
          break;
        case 2:
          body.insert(at, body, at, random(60));
          break;
        default:
          if (at < body.size()) body[at] = c;
      }
    }
    if (body.size() + 6 > kMaxLineBytes) continue;
    std::string text = line(body);
    if (random(10) == 0) text[random(text.size())] ^= 1;
    const std::string json = decode(text);
    (json.compare(0, 9, "{\"error\":") == 0 ? bad : good)++;
  }
  CHECK(good > kFuzzRuns / 20);
  CHECK(bad > kFuzzRuns / 20);
}
