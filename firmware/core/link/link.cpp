#include "link/link.h"

#include <cstring>

namespace inktop {
namespace {

// Between two rounds through all addresses: doubling, at most kLongestPause_ms, half of it random.
constexpr int32_t kFirstPause_ms = 500;
constexpr int32_t kJoinPause_ms = 4'000;
// A server may end one connection for many reasons; twice in a row right after the hello is a refusal.
constexpr int kDenialsToSay = 2;

}  // namespace

const char* close_reason_name(CloseReason reason) {
  switch (reason) {
    case CloseReason::none:
      return "none";
    case CloseReason::peer_closed:
      return "peer_closed";
    case CloseReason::silent:
      return "silent";
    case CloseReason::no_greeting:
      return "no_greeting";
    case CloseReason::failed:
      return "failed";
    case CloseReason::wifi_lost:
      return "wifi_lost";
    case CloseReason::refused_hello:
      return "refused_hello";
    case CloseReason::no_data:
      return "no_data";
    case CloseReason::unproven:
      return "unproven";
  }
  return "?";
}

bool same_status(const LinkStatus& a, const LinkStatus& b) {
  return a.phase == b.phase && same_server(a.server, b.server) && a.attempt == b.attempt &&
         a.denied == b.denied && a.unproven == b.unproven;
}

Link::Link(const LinkSettings& settings)
    : settings_(settings),
      trust_(settings.key),
      state_(settings.has_wifi ? State::wifi_idle : State::choosing),
      random_(settings.seed | 1u) {
  for (const ServerAddress& server : settings.servers) bound_ = bound_ || server.host[0] != 0;
  if (settings.has_wifi) status_.phase = settings.ssid_set ? LinkPhase::wifi_joining : LinkPhase::wifi_unset;
}

uint32_t Link::random() {
  // xorshift32: jitter needs no more.
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  return random_;
}

void Link::enter(State state, int64_t now_ms, int32_t limit_ms) {
  state_ = state;
  deadline_ms_ = now_ms + limit_ms;
}

bool Link::candidate(int place, int64_t now_ms, ServerAddress& out) const {
  if (place == 0) {
    if (bound_) return false;
    out = settings_.last;
  } else if (place < kAnnounced) {
    out = settings_.servers[place - 1];
  } else if (place == kAnnounced) {
    if (now_ms - announced_ms_ > kAnnouncement_ms) return false;
    out = announced_;
  } else {
    out = found_by_mdns_;
  }
  return out.host[0] != 0;
}

// Whether a server has announced itself and has not been tried since.
bool Link::hint(int64_t now_ms) const {
  return announced_fresh_ && now_ms - announced_ms_ <= kAnnouncement_ms;
}

LinkAction Link::begin(const ServerAddress& server, int64_t now_ms) {
  LinkAction action;
  tried_ = server;
  if (!status_.denied && !status_.unproven) status_.server = server;
  if (announced_fresh_ && same_server(server, announced_)) announced_fresh_ = false;
  action.server = server;
  action.timeout_ms = kAttempt_ms;
  if (!address_known_ && !is_numeric(server.host)) {
    action.kind = LinkAction::Kind::resolve;
    enter(State::resolving, now_ms, kAttempt_ms);
    return action;
  }
  if (!address_known_) copy_text(address_, sizeof address_, server.host, std::strlen(server.host));
  address_known_ = false;
  action.kind = LinkAction::Kind::connect;
  std::memcpy(action.address, address_, sizeof action.address);
  // The driver gives up by itself; the margin is for a report that comes late.
  enter(State::connecting, now_ms, kAttempt_ms + 500);
  return action;
}

LinkAction Link::follow_hint(int64_t now_ms) {
  status_.phase = LinkPhase::searching;
  hint_taken_ = true;
  last_hint_ = announced_;
  return begin(announced_, now_ms);
}

LinkAction Link::choose(int64_t now_ms) {
  status_.phase = LinkPhase::searching;
  // A name that has just been looked up: try its address.
  if (address_known_) return begin(tried_, now_ms);
  // A server that has announced itself is the best hint, at any place of the round; but the round begins with
  // the address that worked, and goes on between two hints, however many come.
  if (hint(now_ms) && place_ > 0 && !hint_taken_) {
    return follow_hint(now_ms);
  }
  hint_taken_ = false;
  while (place_ < kPlaces) {
    const int place = place_++;
    status_.attempt = uint16_t(place + 1);
    if (place == kMdns && settings_.use_mdns && !bound_ && found_by_mdns_.host[0] == 0) {
      LinkAction action;
      action.kind = LinkAction::Kind::query_mdns;
      action.timeout_ms = kAttempt_ms;
      enter(State::querying, now_ms, kAttempt_ms + 500);
      return action;
    }
    ServerAddress server;
    if (candidate(place, now_ms, server)) {
      if (place == kMdns) found_by_mdns_ = ServerAddress();  // asked again in the next round
      return begin(server, now_ms);
    }
  }
  place_ = 0;
  int32_t pause_ms = kFirstPause_ms;
  for (int i = 0; i < round_ && pause_ms < kLongestPause_ms; ++i) pause_ms *= 2;
  if (pause_ms > kLongestPause_ms) pause_ms = kLongestPause_ms;
  if (round_ < 16) ++round_;
  pause_ms = pause_ms / 2 + int32_t(random() % uint32_t(pause_ms / 2 + 1));
  enter(State::pause, now_ms, pause_ms);
  return LinkAction();
}

LinkAction Link::next(int64_t now_ms) {
  LinkAction action;
  if (close_wanted_) {
    close_wanted_ = false;
    action.kind = LinkAction::Kind::close;
    action.why = close_why_;
    return action;
  }
  if (hello_size_ > 0) {
    action.kind = LinkAction::Kind::send;
    action.bytes = hello_;
    action.size = hello_size_;
    hello_size_ = 0;
    // Only now other lines may follow.
    if (state_ == State::connected) status_.phase = LinkPhase::connected;
    return action;
  }
  if (remember_wanted_) {
    remember_wanted_ = false;
    action.kind = LinkAction::Kind::remember;
    action.server = settings_.last;
    return action;
  }
  switch (state_) {
    case State::wifi_idle:
      if (!settings_.ssid_set) return action;
      action.kind = LinkAction::Kind::join;
      if (status_.phase == LinkPhase::wifi_unset) status_.phase = LinkPhase::wifi_joining;
      if (status_.attempt < UINT16_MAX) ++status_.attempt;
      enter(State::joining, now_ms, kJoin_ms);
      return action;
    case State::joining:
      if (overdue(now_ms)) {
        // Neither joined nor told why: most often there is no DHCP answer.
        status_.phase = LinkPhase::wifi_no_address;
        enter(State::join_pause, now_ms, kJoinPause_ms);
      }
      return action;
    case State::join_pause:
      if (overdue(now_ms)) {
        state_ = State::wifi_idle;
        return next(now_ms);
      }
      return action;
    case State::pause:
      if (!overdue(now_ms) && !hint(now_ms)) return action;
      state_ = State::choosing;
      // An announcement ends the pause and is tried first; then comes a whole round.
      return hint(now_ms) ? follow_hint(now_ms) : choose(now_ms);
    case State::choosing:
      return choose(now_ms);
    case State::resolving:
    case State::connecting:
    case State::querying:
      if (!overdue(now_ms)) return action;
      if (state_ == State::connecting) {
        close_why_ = CloseReason::failed;
        action.kind = LinkAction::Kind::close;
        action.why = close_why_;
      }
      if (state_ == State::querying) {
        attempt_over(now_ms);
      } else {
        attempt_failed(now_ms);
      }
      return action.kind == LinkAction::Kind::none ? next(now_ms) : action;
    case State::greeting:
      if (overdue(now_ms)) {
        drop(CloseReason::no_greeting, now_ms);
        return next(now_ms);
      }
      return action;
    case State::connected:
      if (now_ms - last_byte_ms_ >= kSilence_ms) {
        drop(CloseReason::silent, now_ms);
        return next(now_ms);
      }
      if (now_ms - last_data_ms_ >= kDataless_ms && (!newer_seen_ || hint(now_ms))) {
        drop(CloseReason::no_data, now_ms);
        return next(now_ms);
      }
      return action;
  }
  return action;
}

void Link::attempt_over(int64_t now_ms) {
  address_known_ = false;
  enter(State::choosing, now_ms, 0);
}

void Link::attempt_failed(int64_t now_ms) {
  forgive();
  attempt_over(now_ms);
}

// The server that hung up does something else now: no refusal is shown any more.
void Link::forgive() {
  if (denials_ == 0 || !same_server(tried_, denier_)) return;
  denials_ = 0;
  status_.denied = false;
  status_.server = tried_;
}

void Link::drop(CloseReason why, int64_t now_ms) {
  if (state_ != State::greeting && state_ != State::connected) return;
  const bool hung_up = why == CloseReason::peer_closed || why == CloseReason::failed;
  if (hung_up && !data_seen_ && !newer_seen_) {
    why = CloseReason::refused_hello;
    if (!status_.denied) {
      ++denials_;
      denier_ = tried_;
      status_.denied = denials_ >= kDenialsToSay;
    }
  } else if (why != CloseReason::wifi_lost) {
    forgive();
  }
  if (why == CloseReason::unproven && !status_.denied) {
    status_.unproven = true;
    status_.server = tried_;
  }
  status_.phase = LinkPhase::searching;
  // A server that worked a moment ago begins the next round; after one that never sent a
  // line the round goes on.
  if (data_seen_) {
    place_ = 0;
    round_ = 0;
  }
  close_wanted_ = true;
  close_why_ = why;
  hello_size_ = 0;
  attempt_over(now_ms);
}

void Link::wifi(WifiState state, int64_t now_ms) {
  const bool on_network =
      state_ != State::wifi_idle && state_ != State::joining && state_ != State::join_pause;
  if (state == WifiState::up) {
    if (on_network) return;
    status_.attempt = 0;
    status_.phase = LinkPhase::searching;
    place_ = 0;
    round_ = 0;
    enter(State::choosing, now_ms, 0);
    return;
  }
  if (on_network) {
    // Whichever state the radio names, the network is gone, and joining it again shows what is wrong.
    if (state_ == State::connecting) {
      close_wanted_ = true;
      close_why_ = CloseReason::wifi_lost;
    }
    drop(CloseReason::wifi_lost, now_ms);
    address_known_ = false;
    status_.phase = LinkPhase::wifi_joining;
    status_.attempt = 0;
    state_ = State::wifi_idle;
    return;
  }
  switch (state) {
    case WifiState::up:
      return;
    case WifiState::down:
      // Not let in, for a reason that a person can do nothing about.
      if (state_ != State::joining) return;
      status_.phase = LinkPhase::wifi_joining;
      break;
    case WifiState::no_ssid:
      status_.phase = LinkPhase::wifi_no_ssid;
      break;
    case WifiState::bad_key:
      status_.phase = LinkPhase::wifi_bad_key;
      break;
    case WifiState::no_address:
      status_.phase = LinkPhase::wifi_no_address;
      break;
  }
  enter(State::join_pause, now_ms, kJoinPause_ms);
}

void Link::resolved(bool ok, const char* address, int64_t now_ms) {
  if (state_ != State::resolving) return;
  if (!ok) {
    attempt_failed(now_ms);
    return;
  }
  attempt_over(now_ms);
  copy_text(address_, sizeof address_, address, std::strlen(address));
  address_known_ = true;
}

void Link::connected(int64_t now_ms) {
  if (state_ != State::connecting) return;
  hello_sent_ = false;
  data_seen_ = false;
  newer_seen_ = false;
  last_byte_ms_ = now_ms;
  last_data_ms_ = now_ms;
  status_.phase = LinkPhase::greeting;
  enter(State::greeting, now_ms, kGreeting_ms);
}

void Link::connect_failed(int64_t now_ms) {
  if (state_ == State::connecting) attempt_failed(now_ms);
}

void Link::closed_by_peer(int64_t now_ms) {
  if (state_ == State::connecting) {
    attempt_failed(now_ms);
    return;
  }
  drop(CloseReason::peer_closed, now_ms);
}

void Link::send_failed(int64_t now_ms) {
  drop(CloseReason::failed, now_ms);
}

void Link::mdns(bool found, const ServerAddress& server, int64_t now_ms) {
  if (state_ != State::querying) return;
  if (found && server.host[0] != 0) {
    found_by_mdns_ = server;
    place_ = kMdns;  // the same place again, now with an address
  }
  attempt_over(now_ms);
}

}  // namespace inktop
