#include "app/links.h"

#include <cstring>

namespace inktop {

int configured_places(const LinkSettings& settings, Follow follow) {
  int count = 0;
  for (const ServerAddress& server : settings.servers) count += server.host[0] != 0 ? 1 : 0;
  return count > 1 && follow == Follow::one ? 1 : count;
}

Links::Links(const LinkSettings& settings, Follow follow, RecordQueue& records)
    : settings_(settings),
      configured_(configured_places(settings, follow)),
      grows_(configured_ == 0 && follow == Follow::all),
      // Where there is no Wi-Fi to join, the network is always there.
      wifi_up_(!settings.has_wifi),
      records_(records),
      trust_(settings.key) {
  const int places = configured_ > 1 ? configured_ : 1;
  for (int place = 0; place < places; ++place) feeds_[place].emplace(settings_of(place), records, place);
}

LinkSettings Links::settings_of(int place) const {
  LinkSettings out = settings_;
  // Two that lose their servers together do not come back in step.
  out.seed = settings_.seed + uint32_t(place) * 0x9E3779B9u;
  if (configured_ > 1) {
    int left = place;
    for (ServerAddress& server : out.servers) server = ServerAddress();
    for (const ServerAddress& server : settings_.servers) {
      if (server.host[0] != 0 && left-- == 0) out.servers[0] = server;
    }
  }
  if (place > 0) {
    out.last = ServerAddress();
    out.use_mdns = false;
  }
  return out;
}

void Links::begin(int place, const char* host, int64_t now_ms) {
  feeds_[place].emplace(settings_of(place), records_, place);
  copy_text(hosts_[place], sizeof hosts_[place], host, std::strlen(host));
  since_ms_[place] = now_ms;
  close_first_[place] = true;
  Link& link = feeds_[place]->link();
  if (host[0] != 0) link.keep_to(host);
  if (wifi_up_) link.wifi(WifiState::up, now_ms);
}

void Links::forget(int place, int64_t now_ms) {
  records_.push(record_at(Record::Kind::forgotten, now_ms, uint8_t(place)));
  hosts_[place][0] = 0;
  feeds_[place].reset();
  if (place == 0) begin(0, "", now_ms);
}

bool Links::others(int place) const {
  for (int other = 0; other < kPlaces; ++other) {
    if (other != place && hosts_[other][0] != 0) return true;
  }
  return false;
}

LinkAction Links::next(int place, int64_t now_ms) {
  if (close_first_[place]) {
    close_first_[place] = false;
    LinkAction action;
    action.kind = LinkAction::Kind::close;
    return action;
  }
  for (;;) {
    Link& link = feeds_[place]->link();
    const LinkAction action = link.next(now_ms);
    const bool first = place == 0;
    if (action.kind == LinkAction::Kind::join && !first) continue;
    if (action.kind == LinkAction::Kind::remember && !first) continue;
    // A query blocks, and its answer may be a server that is followed already.
    if (action.kind == LinkAction::Kind::query_mdns && others(place)) {
      link.mdns(false, ServerAddress(), now_ms);
      continue;
    }
    return action;
  }
}

void Links::wifi(WifiState state, int64_t now_ms) {
  wifi_up_ = state == WifiState::up;
  for (auto& feed : feeds_) {
    if (feed) feed->link().wifi(state, now_ms);
  }
}

int Links::place_of(const char* host) const {
  for (int place = 0; place < kPlaces; ++place) {
    if (hosts_[place][0] != 0 && same_host_name(hosts_[place], host)) return place;
  }
  // The first one looks for anybody until it has found somebody.
  return hosts_[0][0] == 0 ? 0 : -1;
}

int64_t Links::gone_since(int place) const {
  const int64_t data_ms = feeds_[place]->data_ms();
  return data_ms > since_ms_[place] ? data_ms : since_ms_[place];
}

int Links::free_place(int64_t now_ms) {
  int longest = -1;
  for (int place = 0; place < kPlaces; ++place) {
    if (!feeds_[place]) return place;
    if (feeds_[place]->is_open()) continue;
    if (now_ms - gone_since(place) < kGivesWay_ms) continue;
    if (longest < 0 || gone_since(place) < gone_since(longest)) longest = place;
  }
  if (longest >= 0) forget(longest, now_ms);
  return longest;
}

void Links::datagram(const char* bytes, size_t size, int64_t now_ms) {
  parse(bytes, size, parsed_);
  if (parsed_.kind != LineKind::announce) return;
  if (!grows_) {
    for (auto& feed : feeds_) {
      if (feed) feed->link().datagram(parsed_, bytes, size, now_ms);
    }
    return;
  }
  int place = place_of(parsed_.announce.host);
  if (place < 0) {
    if (!trust_.believes(parsed_.announce, bytes, size)) return;
    place = free_place(now_ms);
    if (place < 0) return;
    begin(place, parsed_.announce.host, now_ms);
  }
  feeds_[place]->link().datagram(parsed_, bytes, size, now_ms);
}

void Links::step(int64_t now_ms) {
  for (int place = 0; place < kPlaces; ++place) {
    if (!feeds_[place]) continue;
    Feed& feed = *feeds_[place];
    feed.tell_status(now_ms);
    if (!grows_) continue;
    const char* const host = feed.host();
    if (host[0] != 0 && std::strcmp(hosts_[place], host) != 0) {
      copy_text(hosts_[place], sizeof hosts_[place], host, std::strlen(host));
      feed.link().keep_to(host);
    }
    const bool told = feed.data_ms() >= since_ms_[place];
    const int64_t kept_ms = told ? kKept_ms : kGivesWay_ms;
    // The first place goes on looking for whoever it has not found.
    if (feed.is_open() || (!told && place == 0)) continue;
    if (now_ms - gone_since(place) >= kept_ms) forget(place, now_ms);
  }
}

}  // namespace inktop
