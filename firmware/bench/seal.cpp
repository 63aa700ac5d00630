// The bench of a sealed line: what checking its seal costs, beside what parsing it costs. SHA-256 is the
// tests' plain one: the board has it in hardware.
#include <cstring>
#include <string>

#include "device/sha256.h"
#include "drawing.h"
#include "inktop/parser.h"
#include "lines.h"
#include "link/trust.h"

namespace {

using namespace inktop;

// A busy line of the reference machine.
const char kBody[] =
    "h=t7910|i=192.0.2.17|t=12:14|u=1051200|c=12.4|n=32|k=120f3c0012a0f00912345678deadbeef|l=0.52,0.40,0.31|"
    "m=6.9/125.9/88.1|s=0.0/8.0|w=eno1,11800000,420000|g0=95,30207,32624,67,81,92,209,2990,2786,1258,61|"
    "g1=95,30207,32624,67,81,92,209,2990,2786,1258,61|q=86400|mac=00000000000000000000000000000000";

void hmac(void*, const char* text, size_t length, char hex[65]) {
  const std::string mac = sim::hmac_sha256_bytes("correct horse battery staple", std::string(text, length));
  for (size_t i = 0; i < mac.size(); ++i) {
    hex[2 * i] = "0123456789abcdef"[uint8_t(mac[i]) >> 4];
    hex[2 * i + 1] = "0123456789abcdef"[mac[i] & 15];
  }
  hex[64] = 0;
}

}  // namespace

uint32_t bench_seal(int count) {
  KeySettings key;
  key.set = true;
  key.hmac = hmac;
  key.random = [] { return 5u; };
  Trust trust(key);
  Hello hello;
  trust.sign("000102030405060708090a0b0c0d0e0f", hello);
  const std::string line = closed_line(kBody);
  uint32_t believed = 0;
  for (int i = 0; i < count; ++i) believed += trust.believes(line.data(), line.size()) ? 1 : 0;
  return believed;  // none: that costs the same as a right one
}

uint32_t bench_parse(int count) {
  static Parsed parsed;
  const std::string line = closed_line(kBody);
  uint32_t good = 0;
  for (int i = 0; i < count; ++i) {
    parse(line.data(), line.size(), parsed);
    good += parsed.kind == LineKind::data ? 0 : 1;
  }
  return good;
}
