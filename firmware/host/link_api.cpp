// The C ABI of the link.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>

#include "app/feed.h"
#include "copy.h"
#include "host_app.h"
#include "inktop_host.h"

using namespace inktop;

namespace {

const char* const kPhaseNames[] = {"wifi_unset",      "wifi_joining", "wifi_no_ssid", "wifi_bad_key",
                                   "wifi_no_address", "searching",    "greeting",     "connected"};

Feed& feed_of(void* link) {
  return *static_cast<Feed*>(link);
}
Link& link_of(void* link) {
  return feed_of(link).link();
}

}  // namespace

void* inktop_link_new(const InktopLinkConfig* config, void* app) {
  LinkSettings settings;
  int count = 0;
  const std::string servers = config->servers;
  for (size_t start = 0; start < servers.size();) {
    const size_t end = std::min(servers.find(' ', start), servers.size());
    if (end > start) {
      if (count == kMaxServers) return nullptr;
      if (!parse_server(servers.substr(start, end - start).c_str(), settings.servers[count++]))
        return nullptr;
    }
    start = end + 1;
  }
  settings.use_mdns = false;
  settings.has_wifi = false;
  settings.key.set = config->hmac != nullptr;
  // The same signature; C has no arrays as parameters.
  settings.key.hmac = reinterpret_cast<HmacFunction>(config->hmac);
  settings.key.random = [] { return uint32_t(std::random_device()()); };
  copy(settings.hello.board, config->id);
  copy(settings.hello.firmware, config->firmware);
  copy(settings.hello.panel, config->panel);
  settings.hello.boots = 1;
  copy(settings.hello.reset, "power-on");
  settings.seed = config->seed;
  if (config->place < 0 || config->place >= kMaxServers) return nullptr;
  return new Feed(settings, static_cast<HostApp*>(app)->inward, config->place);
}

void inktop_link_free(void* link) {
  delete static_cast<Feed*>(link);
}

void inktop_link_next(void* link, int64_t now_ms, InktopLinkAction* action) {
  const LinkAction wanted = link_of(link).next(now_ms);
  feed_of(link).tell_status(now_ms);
  action->kind = int32_t(wanted.kind);
  action->why = int32_t(wanted.why);
  action->port = wanted.server.port;
  action->timeout_ms = wanted.timeout_ms;
  copy(action->host, wanted.server.host);
  copy(action->address, wanted.address);
  action->size = 0;
  if (wanted.bytes != nullptr && wanted.size <= sizeof action->bytes) {
    std::memcpy(action->bytes, wanted.bytes, wanted.size);
    action->size = int32_t(wanted.size);
  }
}

const char* inktop_link_action_name(int32_t kind) {
  switch (LinkAction::Kind(kind)) {
    case LinkAction::Kind::none:
      return "none";
    case LinkAction::Kind::join:
      return "join";
    case LinkAction::Kind::resolve:
      return "resolve";
    case LinkAction::Kind::connect:
      return "connect";
    case LinkAction::Kind::close:
      return "close";
    case LinkAction::Kind::send:
      return "send";
    case LinkAction::Kind::query_mdns:
      return "query_mdns";
    case LinkAction::Kind::remember:
      return "remember";
  }
  return nullptr;
}

int32_t inktop_parse_server(const char* text, char* host, int32_t host_size, int32_t* port) {
  ServerAddress server;
  if (!parse_server(text, server)) return 0;
  std::snprintf(host, size_t(host_size), "%s", server.host);
  *port = server.port;
  return 1;
}

void inktop_link_resolved(void* link, int32_t ok, const char* address, int64_t now_ms) {
  link_of(link).resolved(ok != 0, address, now_ms);
}
void inktop_link_connected(void* link, int64_t now_ms) {
  feed_of(link).connected(now_ms);
}
void inktop_link_connect_failed(void* link, int64_t now_ms) {
  link_of(link).connect_failed(now_ms);
}
void inktop_link_received(void* link, const char* bytes, int32_t size, int64_t now_ms) {
  feed_of(link).received(bytes, size_t(size), now_ms);
}
void inktop_link_closed(void* link, int32_t why, int64_t now_ms) {
  feed_of(link).closed(CloseReason(why), now_ms);
}
void inktop_link_closed_by_peer(void* link, int64_t now_ms) {
  link_of(link).closed_by_peer(now_ms);
}
void inktop_link_send_failed(void* link, int64_t now_ms) {
  link_of(link).send_failed(now_ms);
}
int32_t inktop_link_seal(void* link, const char* line, int32_t size, char* out, int32_t out_size) {
  return int32_t(link_of(link).seal(line, size_t(size), out, size_t(out_size)));
}
const char* inktop_link_phase(void* link) {
  return kPhaseNames[int(link_of(link).status().phase)];
}
int32_t inktop_link_denied(void* link) {
  return link_of(link).status().denied ? 1 : 0;
}
int32_t inktop_link_unproven(void* link) {
  return link_of(link).status().unproven ? 1 : 0;
}
