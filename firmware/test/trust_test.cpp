#include "link/trust.h"

#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <string>

#include "device/sha256.h"
#include "inktop/parser.h"
#include "inktop/seal.h"
#include "lines.h"

namespace inktop {
namespace {

const char kKey[] = "correct horse battery staple";
const char kNonce[] = "000102030405060708090a0b0c0d0e0f";

std::string hex_of(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) {
    out += "0123456789abcdef"[uint8_t(c) >> 4];
    out += "0123456789abcdef"[c & 15];
  }
  return out;
}

std::string mac_of(const std::string& key, const std::string& text) {
  return hex_of(sim::hmac_sha256_bytes(key, text));
}

uint32_t next_random = 0;

KeySettings with_key(const char* key = kKey) {
  KeySettings settings;
  settings.set = true;
  settings.hmac_context = const_cast<char*>(key);
  settings.hmac = [](void* context, const char* text, size_t length, char hex[65]) {
    std::strcpy(hex, mac_of(static_cast<const char*>(context), std::string(text, length)).c_str());
  };
  settings.random = [] { return next_random++; };
  return settings;
}

// A board that has answered a server's nonce, and that server.
struct Stream {
  explicit Stream(const char* key = kKey) : trust(with_key(key)) {
    std::strcpy(hello.board, "desk");
    std::strcpy(hello.firmware, "0.1.0");
    trust.sign(kNonce, hello);
  }
  std::string sealed(const std::string& body, int64_t number, const char* key = kKey) const {
    const std::string text = body + "|q=" + std::to_string(number);
    const std::string mac = mac_of(key, std::string(kNonce) + "|" + hello.nonce + "|" + text);
    return closed_line(text + "|mac=" + mac.substr(0, kSealMacDigits));
  }
  bool believes(const std::string& line) { return trust.believes(line.data(), line.size()); }

  Trust trust;
  Hello hello;
};

std::string announcement(const std::string& host, const std::string& address, int64_t time_s,
                         const char* key = kKey) {
  const std::string body =
      "announce=1|h=" + host + "|i=" + address + "|port=7910|at=" + std::to_string(time_s);
  return closed_line(body + "|mac=" + mac_of(key, body));
}

bool believes(Trust& trust, const std::string& line) {
  static Parsed parsed;
  parse(line.data(), line.size(), parsed);
  REQUIRE(parsed.kind == LineKind::announce);
  return trust.believes(parsed.announce, line.data(), line.size());
}

}  // namespace

TEST_CASE("without a key everything is believed, and nothing is signed") {
  Trust trust{KeySettings()};
  const std::string line = closed_line("h=t7910");
  CHECK(trust.believes(line.data(), line.size()));
  char out[kMaxLineBytes + 1];
  CHECK(std::string(out, trust.seal(line.data(), line.size(), out, sizeof out)) == line);
  CHECK(believes(trust, closed_line("announce=1|h=t7910|i=192.0.2.17|port=7910")));
}

TEST_CASE("the board's nonce is new in each hello, and all of it is random") {
  Stream one;
  Stream other;
  CHECK(std::string(one.hello.nonce).size() == 32);
  CHECK(std::string(one.hello.nonce) != other.hello.nonce);
  for (int bit = 0; bit < 128; bit += 31) {
    Trust trust(with_key());
    Hello hello = one.hello;
    next_random = 1u << (bit % 32);
    trust.sign(kNonce, hello);
    CHECK(std::string(hello.nonce) != one.hello.nonce);
  }
}

TEST_CASE("a line that was changed, invented or sealed with another key is not believed") {
  Stream stream;
  std::string changed = stream.sealed("h=t7910|c=12.4", 1);
  changed = closed_line(changed.replace(changed.find("12.4"), 4, "99.9").substr(0, changed.size() - 6));
  CHECK_FALSE(stream.believes(changed));
  CHECK_FALSE(stream.believes(closed_line("h=t7910|c=12.4")));
  CHECK_FALSE(stream.believes(stream.sealed("h=t7910|c=12.4", 1, "another key of many characters")));
  CHECK(stream.believes(stream.sealed("h=t7910|c=12.4", 1)));
}

TEST_CASE("a line that is repeated, or comes after a later one, is not believed") {
  Stream stream;
  CHECK(stream.believes(stream.sealed("h=t7910|u=5", 5)));
  CHECK_FALSE(stream.believes(stream.sealed("h=t7910|u=5", 5)));
  CHECK_FALSE(stream.believes(stream.sealed("h=t7910|u=4", 4)));
  CHECK(stream.believes(stream.sealed("h=t7910|u=6", 6)));
}

TEST_CASE("lines that are lost on the way do no harm to those behind them") {
  Stream stream;
  CHECK(stream.believes(stream.sealed("info=1", 1)));
  CHECK(stream.believes(stream.sealed("h=t7910", 4'000'000'000)));
}

TEST_CASE("a line of another connection is not believed, be it to the same board") {
  Stream stream;
  Stream earlier;
  CHECK_FALSE(stream.believes(earlier.sealed("h=t7910", 1)));
  const std::string taken = earlier.sealed("h=t7910", 1);
  CHECK(earlier.believes(taken));
  earlier.trust.sign(kNonce, earlier.hello);  // it has connected again, and the server says the old nonce
  CHECK_FALSE(earlier.believes(taken));
  CHECK(earlier.believes(earlier.sealed("h=t7910", 1)));
}

TEST_CASE("a line that comes back to the board that wrote it is not believed") {
  Stream stream;
  char out[kMaxLineBytes + 1];
  const std::string health = closed_line("health=1|id=desk");
  const size_t size = stream.trust.seal(health.data(), health.size(), out, sizeof out);
  CHECK(size > health.size());
  CHECK_FALSE(stream.trust.believes(out, size));
}

TEST_CASE("a board's lines are sealed with a running number, over its own nonce first") {
  Stream stream;
  const std::string health = closed_line("health=1|id=desk");
  for (int number = 1; number <= 12; ++number) {
    char out[kMaxLineBytes + 1];
    const size_t size = stream.trust.seal(health.data(), health.size(), out, sizeof out);
    const std::string text = "health=1|id=desk|q=" + std::to_string(number);
    const std::string mac = mac_of(kKey, std::string(stream.hello.nonce) + "|" + kNonce + "|" + text);
    CHECK(std::string(out, size) == closed_line(text + "|mac=" + mac.substr(0, kSealMacDigits)));
  }
  char small[40];
  CHECK(stream.trust.seal(health.data(), health.size(), small, sizeof small) == 0);
}

TEST_CASE("each line of the vectors is believed or not as its vector says") {
  std::ifstream file("protocol/vectors/sealed.jsonl");
  int checked = 0;
  const auto value = [](const std::string& row, const std::string& name) {
    const std::string begin = "\"" + name + "\":\"";
    const size_t at = row.find(begin) + begin.size();
    return row.substr(at, row.find('"', at) - at);
  };
  for (std::string row; std::getline(file, row); ++checked) {
    INFO(row);
    const std::string line = value(row, "line");
    const bool opens = row.find("\"opens\":true") != std::string::npos;
    Seal seal;
    bool right = find_seal(line.data(), line.size(), seal);
    if (right) {
      std::string nonces = value(row, "nonce") + "|" + value(row, "board_nonce") + "|";
      if (line.rfind("health=", 0) == 0) {
        nonces = value(row, "board_nonce") + "|" + value(row, "nonce") + "|";
      }
      const std::string mac = mac_of(value(row, "key"), nonces + line.substr(0, seal.signed_length));
      right = mac.compare(0, kSealMacDigits, seal.mac, kSealMacDigits) == 0;
    }
    CHECK(right == opens);
    if (!opens) continue;
    const std::string text = value(row, "text");
    CHECK(line.substr(0, seal.signed_length) == text);
    char out[kMaxLineBytes + 1];
    const std::string plain = closed_line(text.substr(0, text.rfind("|q=")));
    const size_t length = begin_seal(plain.data(), plain.size(), seal.number, out, sizeof out);
    CHECK(std::string(out, length) == text);
    CHECK(std::string(out, end_seal(out, length, value(row, "mac").c_str(), sizeof out)) == line + "\n");
  }
  CHECK(checked >= 15);
}

TEST_CASE("an announcement without the key, without a time or signed with another key is not believed") {
  Trust trust(with_key());
  CHECK_FALSE(believes(trust, closed_line("announce=1|h=t7910|i=192.0.2.17|port=7910|at=5")));
  CHECK_FALSE(believes(trust, announcement("t7910", "192.0.2.17", 5, "another key of many characters")));
  const std::string body = "announce=1|h=t7910|i=192.0.2.17|port=7910";
  CHECK_FALSE(believes(trust, closed_line(body + "|mac=" + mac_of(kKey, body))));
  CHECK(believes(trust, announcement("t7910", "192.0.2.17", 5)));
}

TEST_CASE("an announcement as old as one that was heard, or older, is not believed") {
  Trust trust(with_key());
  CHECK(believes(trust, announcement("t7910", "192.0.2.17", 100)));
  CHECK_FALSE(believes(trust, announcement("t7910", "192.0.2.17", 100)));
  CHECK_FALSE(believes(trust, announcement("t7910", "192.0.2.17", 95)));
  // Another network of the same server, another server whose clock is behind.
  CHECK(believes(trust, announcement("t7910", "198.51.100.17", 100)));
  CHECK(believes(trust, announcement("t7920", "192.0.2.18", 7)));
  CHECK_FALSE(believes(trust, announcement("t7910", "192.0.2.17", 100)));
  CHECK(believes(trust, announcement("t7910", "192.0.2.17", 105)));
}

}  // namespace inktop
