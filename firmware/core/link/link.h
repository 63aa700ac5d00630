// The way to the server: which address to try next, back-off, greeting, silence. It does no I/O: it asks for
// actions, and is told the time and what happened.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inktop/line.h"
#include "inktop/parser.h"
#include "link/server_address.h"
#include "link/trust.h"

namespace inktop {

constexpr int kMaxServers = 8;

// Which servers a board follows at the same time, each by a link of its own.
enum class Follow : uint8_t {
  all,  // each that is configured; where none is, each that announces itself and has the key
  one,  // one: what is configured are ways to it, tried in turn
};

struct LinkSettings {
  // The one that worked before the last reset. Of no meaning where servers are configured.
  ServerAddress last;
  // Configured, in order; empty ones are skipped. They bind: with any of them no other is tried, and an
  // announcement counts only when it names one of them.
  ServerAddress servers[kMaxServers];
  // Where none is configured: announcements of this host only; empty: of any.
  char host[sizeof Announcement::host] = "";
  bool use_mdns = true;
  KeySettings key;
  bool has_wifi = true;  // false: the network is always there (virtual board)
  bool ssid_set = true;  // false: nothing to join; the screen says how to set one
  Hello hello;           // what this board says of itself; nonce and mac are filled in
  uint32_t seed = 1;     // of the jitter
};

// What went wrong with Wi-Fi, as the radio reports it.
enum class WifiState : uint8_t { down, up, no_ssid, bad_key, no_address };

enum class LinkPhase : uint8_t {
  wifi_unset,
  wifi_joining,
  wifi_no_ssid,
  wifi_bad_key,
  wifi_no_address,
  searching,  // choosing, resolving, connecting, or waiting for the next round
  greeting,   // connected, the board's hello is not out yet
  connected,  // lines flow, and may be sent
};

// Why a connection ended; also the reason in a `closed` record.
enum class CloseReason : uint8_t {
  none,
  peer_closed,
  silent,
  no_greeting,
  failed,
  wifi_lost,
  refused_hello,
  no_data,
  unproven,
};
const char* close_reason_name(CloseReason reason);

// For the screen and the log; texts are NUL-terminated.
struct LinkStatus {
  LinkPhase phase = LinkPhase::searching;
  ServerAddress server;   // tried or connected; while denied, the one that denies
  uint16_t attempt = 0;   // of joining, or of this round of addresses
  bool denied = false;    // a server ended the connection after the hello, twice in a row: key or allow list
  bool unproven = false;  // a server did not prove that it has the key, and none has since
};

bool same_status(const LinkStatus& a, const LinkStatus& b);

struct LinkAction {
  enum class Kind : uint8_t {
    none,
    join,        // begin joining Wi-Fi; report with wifi()
    resolve,     // look `server.host` up without blocking; report with resolved()
    connect,     // to `address`, giving up after `timeout_ms`; report with connected() or connect_failed()
    close,       // end the connection, or the attempt; report nothing more of it
    send,        // bytes to the server, all or nothing
    query_mdns,  // look for _inktop._tcp; report with mdns()
    remember,    // keep `server` as the last that worked
  };
  Kind kind = Kind::none;
  ServerAddress server;
  char address[46] = "";  // numeric, for connect
  int32_t timeout_ms = 0;
  const char* bytes = nullptr;  // valid until the next call
  size_t size = 0;
  CloseReason why = CloseReason::none;  // of close
};

// What a line of the server is to the app.
enum class Belief : uint8_t {
  believed,
  opening,  // not yet of a server that has the key: no fact
  refused,  // its seal is wrong
};

class Link {
 public:
  static constexpr int32_t kAttempt_ms = 2'000;   // for a connect, a look-up, an mDNS query each
  static constexpr int32_t kGreeting_ms = 4'000;  // from the connect to the first whole line
  static constexpr int32_t kSilence_ms = 12'000;  // without a byte: the link is dead
  // Bytes, but no data line: that server is of no use, and a new connection may repair it.
  static constexpr int32_t kDataless_ms = 30'000;
  static constexpr int32_t kLongestPause_ms = 4'000;
  static constexpr int32_t kJoin_ms = 20'000;          // for joining Wi-Fi
  static constexpr int32_t kAnnouncement_ms = 30'000;  // an announcement counts for this long

  explicit Link(const LinkSettings& settings);

  // Call again until it answers `none`; then at least every 200 ms and after each event.
  LinkAction next(int64_t now_ms);

  void wifi(WifiState state, int64_t now_ms);
  void resolved(bool ok, const char* address, int64_t now_ms);
  void connected(int64_t now_ms);
  void connect_failed(int64_t now_ms);
  // Bytes came from the server.
  void heard(int64_t now_ms);
  // One of its lines: what it says, and its bytes, which may be sealed.
  Belief line(const Parsed& line, const char* bytes, size_t size, int64_t now_ms);
  // A line for the server as it goes out, sealed where a key is set; its length, or 0 when it does not fit.
  size_t seal(const char* line, size_t length, char* out, size_t size) {
    return trust_.seal(line, length, out, size);
  }
  void closed_by_peer(int64_t now_ms);
  void send_failed(int64_t now_ms);
  // A datagram on the announcement port: what it says, and its bytes, which may be signed.
  void datagram(const Parsed& line, const char* bytes, size_t size, int64_t now_ms);
  void mdns(bool found, const ServerAddress& server, int64_t now_ms);
  // From now on announcements of that host only: another is followed by another link.
  void keep_to(const char* host);

  const LinkStatus& status() const { return status_; }

 private:
  enum class State : uint8_t {
    wifi_idle,
    joining,
    join_pause,
    choosing,
    resolving,
    connecting,
    querying,
    greeting,
    connected,
    pause,
  };
  static constexpr int kAnnounced = 1 + kMaxServers;  // place in a round: last, configured …, announced, mDNS
  static constexpr int kMdns = kAnnounced + 1;
  static constexpr int kPlaces = kMdns + 1;

  bool may_use(const Announcement& announced) const;
  bool candidate(int place, int64_t now_ms, ServerAddress& out) const;
  LinkAction choose(int64_t now_ms);
  LinkAction follow_hint(int64_t now_ms);
  LinkAction begin(const ServerAddress& server, int64_t now_ms);
  bool hint(int64_t now_ms) const;
  void attempt_over(int64_t now_ms);
  void attempt_failed(int64_t now_ms);
  void forgive();
  void drop(CloseReason why, int64_t now_ms);
  void greet(const char* nonce, int64_t now_ms);
  Belief judge(const Parsed& line, const char* bytes, size_t size, int64_t now_ms);
  void data(int64_t now_ms);
  void enter(State state, int64_t now_ms, int32_t limit_ms);
  bool overdue(int64_t now_ms) const { return now_ms >= deadline_ms_; }
  uint32_t random();

  LinkSettings settings_;
  Trust trust_;
  bool bound_ = false;  // servers are configured
  LinkStatus status_;
  State state_;
  int64_t deadline_ms_ = 0;
  int place_ = 0;
  int round_ = 0;
  ServerAddress tried_;
  char address_[46] = "";
  bool address_known_ = false;
  ServerAddress announced_;
  int64_t announced_ms_ = INT64_MIN / 2;
  bool announced_fresh_ = false;  // not tried since it arrived
  bool hint_taken_ = false;  // the last attempt followed an announcement: the next one goes on with the round
  ServerAddress last_hint_;  // the announced server that was tried last
  ServerAddress found_by_mdns_;
  bool close_wanted_ = false;
  CloseReason close_why_ = CloseReason::none;
  bool hello_sent_ = false;
  bool data_seen_ = false;
  // This server speaks a newer protocol: no data line can be expected of it. It keeps the board only while
  // no other announces himself.
  bool newer_seen_ = false;
  int denials_ = 0;
  ServerAddress denier_;  // of the last denial
  bool remember_wanted_ = false;
  size_t hello_size_ = 0;
  char hello_[kMaxLineBytes + 1];
  uint32_t random_;
  int64_t last_byte_ms_ = 0;
  int64_t last_data_ms_ = 0;  // of the newest data line, or of the connect
};

}  // namespace inktop
