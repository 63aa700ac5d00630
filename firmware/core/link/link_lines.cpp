// What the lines of a server mean for the link: greeting, hello, data, announcements.
#include <cstring>

#include "inktop/encoder.h"
#include "link/link.h"

namespace inktop {

void Link::heard(int64_t now_ms) {
  if (state_ == State::greeting || state_ == State::connected) last_byte_ms_ = now_ms;
}

// A keyed board believes the lines that a server seals after the hello, and nothing else.
Belief Link::judge(const Parsed& line, const char* bytes, size_t size, int64_t now_ms) {
  if (!trust_.keyed() || line.kind == LineKind::none) return Belief::believed;
  if (state_ != State::greeting && state_ != State::connected) return Belief::opening;
  if (!hello_sent_) {
    if (line.kind == LineKind::info && line.info.nonce[0] != 0) {
      greet(line.info.nonce, now_ms);
    } else {
      drop(CloseReason::unproven, now_ms);
    }
    return Belief::opening;
  }
  if (trust_.believes(bytes, size)) return Belief::believed;
  drop(CloseReason::unproven, now_ms);
  return Belief::refused;
}

Belief Link::line(const Parsed& line, const char* bytes, size_t size, int64_t now_ms) {
  const Belief belief = judge(line, bytes, size, now_ms);
  if (belief != Belief::believed) return belief;
  if (state_ != State::greeting && state_ != State::connected) return belief;
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
    case LineKind::fleet:  // what a fleet server sends in place of data
      if (newer_seen_) break;
      greet("", now_ms);  // its info line was lost on the way, and the hello is due
      data(now_ms);
      break;
    default:
      break;
  }
  return belief;
}

void Link::data(int64_t now_ms) {
  last_data_ms_ = now_ms;
  if (data_seen_) return;
  data_seen_ = true;
  denials_ = 0;
  status_.denied = false;
  status_.unproven = false;
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
  Hello hello = settings_.hello;
  hello.nonce[0] = 0;
  hello.mac[0] = 0;
  if (trust_.keyed()) trust_.sign(nonce, hello);
  hello_size_ = encode_hello(hello, hello_, sizeof hello_);
  hello_sent_ = true;
  state_ = State::connected;
  last_byte_ms_ = now_ms;
}

// Whether the settings let the board connect to a server that announced itself.
bool Link::may_use(const Announcement& announced) const {
  if (!bound_) return settings_.host[0] == 0 || same_host_name(settings_.host, announced.host);
  for (const ServerAddress& server : settings_.servers) {
    if (server.host[0] == 0) continue;
    if (std::strcmp(server.host, announced.address) == 0) return true;
    if (!is_numeric(server.host) && same_host_name(server.host, announced.host)) return true;
  }
  return false;
}

void Link::keep_to(const char* host) {
  copy_text(settings_.host, sizeof settings_.host, host, std::strlen(host));
}

void Link::datagram(const Parsed& line, const char* bytes, size_t size, int64_t now_ms) {
  if (line.kind != LineKind::announce) return;
  const Announcement& announced = line.announce;
  // It must be a number: a name would be looked up, which a stranger could make slow.
  if (!plausible_host(announced.address) || !is_numeric(announced.address)) return;
  if (!may_use(announced) || !trust_.believes(announced, bytes, size)) return;
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
