// Whom a board with a key believes: signs its hello and its lines, checks the server's and announcements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inktop/line.h"

namespace inktop {

// Computes HMAC-SHA256 as 64 lower-case hexadecimal digits and a NUL: mbedTLS on the board, Python's on a PC.
using HmacFunction = void (*)(void* context, const char* text, size_t length, char hex[65]);
// 32 bits that nobody can guess: the chip's own on the board, the system's on a PC.
using RandomFunction = uint32_t (*)();

struct KeySettings {
  bool set = false;  // else nothing is signed, and everybody is believed
  HmacFunction hmac = nullptr;
  void* hmac_context = nullptr;
  RandomFunction random = nullptr;
};

// One connection after the other. Without a key it believes all and signs nothing.
class Trust {
 public:
  explicit Trust(const KeySettings& key) : key_(key) {}

  bool keyed() const { return key_.set; }

  // For a new connection, in answer to the server's nonce: fills in the board's own and the mac.
  void sign(const char* nonce, Hello& hello);
  // Whether the server of this connection has written this line, later than all that were believed before.
  bool believes(const char* line, size_t length);
  // The line as it goes to the server; its length, or 0 when it does not fit.
  size_t seal(const char* line, size_t length, char* out, size_t size);
  // Whether a server with the key has sent this announcement, later than all others of that name and address.
  bool believes(const Announcement& announced, const char* bytes, size_t size);

 private:
  // Names and addresses whose newest announcement is remembered.
  static constexpr int kRemembered = 8;
  static constexpr size_t kNonceDigits = sizeof InfoLine::nonce - 1;
  static constexpr size_t kPrefix = 2 * (kNonceDigits + 1);
  enum class Writer : uint8_t { board, server };

  struct Heard {
    uint32_t whom = 0;
    int64_t time_s = -1;
  };

  // The mac of the `length` bytes behind the prefix of text_.
  void mac_of(Writer writer, size_t length, char hex[65]);
  bool is_later(const Announcement& announced);

  KeySettings key_;
  char server_nonce_[kNonceDigits + 1] = {};
  char board_nonce_[kNonceDigits + 1] = {};
  // Both nonces with their bars, and behind them what is signed.
  char text_[kPrefix + kMaxLineBytes + 1] = {};
  uint32_t received_ = 0;  // number of the newest line that was believed
  uint32_t sent_ = 0;
  Heard heard_[kRemembered];
  int next_heard_ = 0;
};

}  // namespace inktop
