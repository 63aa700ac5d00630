#include "sha256.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "world.h"

namespace sim {
namespace {

uint32_t rotated(uint32_t x, int by) {
  return x >> by | x << (32 - by);
}

// The first 32 bits of the fractional part of the square or cube root of the first primes (FIPS 180-4).
std::vector<uint32_t> root_constants(int count, long double power) {
  std::vector<uint32_t> out;
  for (int candidate = 2; int(out.size()) < count; ++candidate) {
    bool prime = true;
    for (int i = 2; i * i <= candidate; ++i) prime = prime && candidate % i != 0;
    if (!prime) continue;
    const long double root = std::pow(static_cast<long double>(candidate), power);
    out.push_back(uint32_t((root - std::floor(root)) * 4294967296.0L));
  }
  return out;
}

}  // namespace

std::string sha256_bytes(const std::string& text) {
  static const std::vector<uint32_t> k = root_constants(64, 1.0L / 3);
  std::vector<uint32_t> h = root_constants(8, 0.5L);
  std::string padded = text + '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) padded += char(uint64_t(text.size()) * 8 >> shift & 255);
  for (size_t block = 0; block < padded.size(); block += 64) {
    uint32_t w[64];
    for (size_t i = 0; i < 16; ++i) {
      w[i] = 0;
      for (size_t j = 0; j < 4; ++j) w[i] = w[i] << 8 | static_cast<unsigned char>(padded[block + i * 4 + j]);
    }
    for (size_t i = 16; i < 64; ++i) {
      const uint32_t a = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3;
      const uint32_t b = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    std::vector<uint32_t> v = h;
    for (size_t i = 0; i < 64; ++i) {
      const uint32_t s1 = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25);
      const uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
      const uint32_t s0 = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22);
      const uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      v = {t1 + t2, v[0], v[1], v[2], v[3] + t1, v[4], v[5], v[6]};
    }
    for (size_t i = 0; i < 8; ++i) h[i] += v[i];
  }
  std::string out;
  for (const uint32_t word : h) {
    for (int shift = 24; shift >= 0; shift -= 8) out += char(word >> shift & 255);
  }
  return out;
}

std::string hmac_sha256_bytes(const std::string& key, const std::string& text) {
  std::string padded = key.size() > 64 ? sha256_bytes(key) : key;
  padded.resize(64, '\0');
  std::string inner;
  std::string outer;
  for (const char c : padded) {
    inner += char(c ^ 0x36);
    outer += char(c ^ 0x5C);
  }
  return sha256_bytes(outer + sha256_bytes(inner + text));
}

std::string hmac_hex(const std::string& key, const std::string& text) {
  std::string out;
  for (const char c : hmac_sha256_bytes(key, text)) {
    out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    out += "0123456789abcdef"[c & 15];
  }
  return out;
}

}  // namespace sim
