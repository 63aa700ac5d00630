#include "link/trust.h"

#include <cstring>
#include <initializer_list>

#include "inktop/encoder.h"
#include "inktop/seal.h"

namespace inktop {

void Trust::sign(const char* nonce, Hello& hello) {
  for (size_t i = 0; i < kNonceDigits; i += 8) {
    const uint32_t word = key_.random();
    for (size_t j = 0; j < 8; ++j) hello.nonce[i + j] = "0123456789abcdef"[word >> (4 * j) & 15];
  }
  hello.nonce[kNonceDigits] = 0;
  hello.mac[0] = 0;
  std::memcpy(text_, nonce, kNonceDigits);
  text_[kNonceDigits] = '|';
  char* const signed_text = text_ + kNonceDigits + 1;
  const size_t length = hello_text(hello, signed_text, sizeof text_ - kNonceDigits - 1);
  key_.hmac(key_.hmac_context, text_, kNonceDigits + 1 + length, hello.mac);
  std::memcpy(server_nonce_, nonce, kNonceDigits);
  std::memcpy(board_nonce_, hello.nonce, kNonceDigits);
  received_ = 0;
  sent_ = 0;
}

// Each writer's own nonce comes first, so that no line can be sent back to who wrote it.
void Trust::mac_of(Writer writer, size_t length, char hex[65]) {
  const bool board = writer == Writer::board;
  std::memcpy(text_, board ? board_nonce_ : server_nonce_, kNonceDigits);
  text_[kNonceDigits] = '|';
  std::memcpy(text_ + kNonceDigits + 1, board ? server_nonce_ : board_nonce_, kNonceDigits);
  text_[kPrefix - 1] = '|';
  key_.hmac(key_.hmac_context, text_, kPrefix + length, hex);
}

bool Trust::believes(const char* line, size_t length) {
  if (!key_.set) return true;
  Seal seal;
  if (!find_seal(line, length, seal) || seal.signed_length > kMaxLineBytes) return false;
  if (seal.number <= received_) return false;
  std::memcpy(text_ + kPrefix, line, seal.signed_length);
  char mac[65] = "";
  mac_of(Writer::server, seal.signed_length, mac);
  if (!equal_in_constant_time(mac, seal.mac, kSealMacDigits)) return false;
  received_ = seal.number;
  return true;
}

size_t Trust::seal(const char* line, size_t length, char* out, size_t size) {
  if (!key_.set) {
    if (length > size) return 0;
    std::memcpy(out, line, length);
    return length;
  }
  const size_t signed_length = begin_seal(line, length, ++sent_, text_ + kPrefix, sizeof text_ - kPrefix);
  if (signed_length == 0 || signed_length > size) return 0;
  char mac[65] = "";
  mac_of(Writer::board, signed_length, mac);
  std::memcpy(out, text_ + kPrefix, signed_length);
  return end_seal(out, signed_length, mac, size);
}

bool Trust::believes(const Announcement& announced, const char* bytes, size_t size) {
  if (!key_.set) return true;
  const size_t length = signed_length(bytes, size);
  if (length == 0 || announced.mac[0] == 0 || announced.time_s == kUnknown) return false;
  char expected[65] = "";
  key_.hmac(key_.hmac_context, bytes, length, expected);
  return equal_in_constant_time(expected, announced.mac, 64) && is_later(announced);
}

bool Trust::is_later(const Announcement& announced) {
  // FNV-1a: only holders of the key can choose what is hashed.
  uint32_t whom = 2166136261u;
  for (const char* text : {announced.host, announced.address}) {
    for (const char* c = text; *c != 0; ++c) whom = (whom ^ uint8_t(*c)) * 16777619u;
    whom = (whom ^ '|') * 16777619u;
  }
  for (Heard& heard : heard_) {
    if (heard.time_s < 0 || heard.whom != whom) continue;
    if (announced.time_s <= heard.time_s) return false;
    heard.time_s = announced.time_s;
    return true;
  }
  heard_[next_heard_] = {whom, announced.time_s};
  next_heard_ = (next_heard_ + 1) % kRemembered;
  return true;
}

}  // namespace inktop
