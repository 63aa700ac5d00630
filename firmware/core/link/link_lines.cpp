// What the lines of a server mean for the link: greeting, hello, data, announcements.
#include <cstring>

#include "inktop/encoder.h"
#include "link/link.h"

namespace inktop {

void Link::heard(int64_t now_ms) {
  if (state_ == State::greeting || state_ == State::connected) last_byte_ms_ = now_ms;
}

void Link::line(const Parsed& line, int64_t now_ms) {
  if (state_ != State::greeting && state_ != State::connected) return;
  switch (line.kind) {
    case LineKind::info:
      newer_seen_ = false;
      greet(line.info.nonce, now_ms);
      break;
    case LineKind::other_version:
      // A newer protocol: stay, and say so on the screen. The hello tells the server which one we speak.
      if (line.other_kind != LineKind::info) break;
      newer_seen_ = true;
      greet("", now_ms);
      break;
    case LineKind::data:
      if (newer_seen_) break;
      greet("", now_ms);  // its info line was lost on the way, and the hello is due
      data(now_ms);
      break;
    default:
      break;
  }
}

void Link::data(int64_t now_ms) {
  last_data_ms_ = now_ms;
  if (data_seen_) return;
  data_seen_ = true;
  denials_ = 0;
  status_.denied = false;
  status_.server = tried_;
  status_.attempt = 0;
  round_ = 0;
  if (!same_server(settings_.last, tried_)) {
    settings_.last = tried_;
    remember_wanted_ = true;
  }
}

// Once for each connection.
void Link::greet(const char* nonce, int64_t now_ms) {
  if (hello_sent_) return;
  copy_text(nonce_, sizeof nonce_, nonce, std::strlen(nonce));
  Hello hello = settings_.hello;
  hello.mac[0] = 0;
  if (nonce[0] != 0 && settings_.keyed && settings_.hmac != nullptr) {
    char text[sizeof InfoLine::nonce + 1 + kMaxHelloBytes];
    size_t length = std::strlen(nonce);
    std::memcpy(text, nonce, length);
    text[length++] = '|';
    length += hello_text(hello, text + length, sizeof text - length);
    settings_.hmac(settings_.hmac_context, text, length, hello.mac);
  }
  hello_size_ = encode_hello(hello, hello_, sizeof hello_);
  hello_sent_ = true;
  state_ = State::connected;
  last_byte_ms_ = now_ms;
}

// Whether the settings let the board connect to a server that announced itself.
bool Link::may_use(const Announcement& announced) const {
  if (!bound_) return true;
  for (const ServerAddress& server : settings_.servers) {
    if (server.host[0] == 0) continue;
    if (std::strcmp(server.host, announced.address) == 0) return true;
    if (!is_numeric(server.host) && same_host_name(server.host, announced.host)) return true;
  }
  return false;
}

bool Link::accepts_settings(const char* bytes, size_t size) const {
  if (!settings_.keyed) return true;
  const size_t signed_size = signed_length(bytes, size);
  char text[sizeof nonce_ + kMaxLineBytes];
  size_t length = std::strlen(nonce_);
  constexpr size_t kMacField = 5 + 64;  // "|mac=" and its digits
  if (length == 0 || signed_size == 0 || signed_size + kMacField > size || settings_.hmac == nullptr)
    return false;
  std::memcpy(text, nonce_, length);
  text[length++] = '|';
  std::memcpy(text + length, bytes, signed_size);
  char expected[65] = "";
  settings_.hmac(settings_.hmac_context, text, length + signed_size, expected);
  return equal_in_constant_time(expected, bytes + signed_size + 5, 64);
}

void Link::datagram(const Parsed& line, const char* bytes, size_t size, int64_t now_ms) {
  if (line.kind != LineKind::announce) return;
  const Announcement& announced = line.announce;
  // It must be a number: a name would be looked up, which a stranger could make slow.
  if (!plausible_host(announced.address) || !is_numeric(announced.address)) return;
  if (settings_.keyed) {
    const size_t length = signed_length(bytes, size);
    if (length == 0 || announced.mac[0] == 0 || settings_.hmac == nullptr) return;
    char expected[65] = "";
    settings_.hmac(settings_.hmac_context, bytes, length, expected);
    if (!equal_in_constant_time(expected, announced.mac, 64)) return;
  }
  if (!may_use(announced)) return;
  ServerAddress server;
  copy_text(server.host, sizeof server.host, announced.address, std::strlen(announced.address));
  server.port = uint16_t(announced.port);
  const bool in_use =
      (state_ == State::connected || state_ == State::greeting) && same_server(server, tried_);
  // Of two servers that announce themselves in step, one may be of no use to this board: they take turns.
  if (hint(now_ms) && !same_server(server, announced_) && same_server(server, last_hint_)) return;
  announced_ = server;
  announced_ms_ = now_ms;
  announced_fresh_ = !in_use;
}

}  // namespace inktop
