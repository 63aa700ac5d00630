#include "link.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "inktop/encoder.h"

namespace inktop {
namespace {

std::string closed_line(const std::string& body) {
  char out[kMaxLineBytes + 1];
  std::memcpy(out, body.data(), body.size());
  return std::string(out, close_line(out, body.size(), sizeof out));
}

ServerAddress server(const char* text) {
  ServerAddress out;
  REQUIRE(parse_server(text, out));
  return out;
}

// Servers that behave or do not, a name server, a radio: on simulated time, in steps of 50 ms.
struct Network {
  enum class Server { lines, refuses, dead, silent, closes_after_hello };

  explicit Network(const LinkSettings& settings) : link(settings) {}

  std::map<std::string, Server> servers;     // by numeric address; missing: dead (no answer)
  std::map<std::string, std::string> names;  // name → address
  int64_t name_server_ms = 20;
  std::string mdns_answer;
  Link link;

  int64_t now = 0;
  std::string connected_to;
  std::string connecting_to;
  int64_t answer_at = 0;
  int64_t next_line = 0;
  bool greeted = false;
  std::vector<std::string> log;  // what the link asked for
  std::vector<std::string> hellos;
  int64_t last_data = -1;
  std::string resolving;
  int64_t resolve_at = 0;
  bool querying = false;
  bool wifi_joins = true;

  void act() {
    for (;;) {
      const LinkAction action = link.next(now);
      switch (action.kind) {
        case LinkAction::Kind::none:
          return;
        case LinkAction::Kind::join:
          log.push_back("join");
          if (wifi_joins) link.wifi(WifiState::up, now);
          break;
        case LinkAction::Kind::resolve:
          log.push_back(std::string("resolve ") + action.server.host);
          resolving = action.server.host;
          resolve_at = now + name_server_ms;
          break;
        case LinkAction::Kind::connect:
          log.push_back(std::string("connect ") + action.address);
          CHECK(action.timeout_ms <= 2000);
          connecting_to = action.address;
          answer_at = now + 20;
          if (servers.count(connecting_to) == 0 || servers[connecting_to] == Server::dead)
            answer_at = now + action.timeout_ms;
          break;
        case LinkAction::Kind::close:
          log.push_back(std::string("close ") + close_reason_name(action.why));
          connected_to.clear();
          connecting_to.clear();
          break;
        case LinkAction::Kind::send:
          hellos.emplace_back(action.bytes, action.size);
          break;
        case LinkAction::Kind::query_mdns:
          log.push_back("mdns");
          querying = true;
          resolve_at = now + 500;
          break;
        case LinkAction::Kind::remember:
          log.push_back(std::string("remember ") + action.server.host);
          break;
      }
    }
  }

  void feed(const std::string& text) { link.received(text.data(), text.size(), now); }

  void step() {
    now += 50;
    if (!connecting_to.empty() && now >= answer_at) {
      const std::string address = connecting_to;
      connecting_to.clear();
      const auto found = servers.find(address);
      if (found == servers.end() || found->second == Server::dead || found->second == Server::refuses) {
        link.connect_failed(now);
      } else {
        connected_to = address;
        greeted = false;
        next_line = now + 1000;
        link.connected(now);
        if (found->second != Server::silent) feed(closed_line("info=1|v=0.1.0"));
      }
    }
    if (!resolving.empty() && now >= resolve_at) {
      const std::string name = resolving;
      resolving.clear();
      if (names.count(name)) {
        link.resolved(true, names[name].c_str(), now);
      } else {
        link.resolved(false, "", now);
      }
    }
    if (querying && now >= resolve_at) {
      querying = false;
      if (mdns_answer.empty()) {
        link.mdns(false, ServerAddress(), now);
      } else {
        link.mdns(true, server(mdns_answer.c_str()), now);
      }
    }
    act();
    if (!connected_to.empty()) {
      const Server kind = servers.count(connected_to) ? servers[connected_to] : Server::dead;
      if (kind == Server::closes_after_hello && !hellos.empty()) {
        connected_to.clear();
        link.closed_by_peer(now);
      } else if (kind == Server::lines && now >= next_line) {
        next_line += 1000;
        last_data = now;
        feed(closed_line("h=t7910|u=1"));
      }
    }
    act();
  }
  void run(int64_t ms) {
    for (const int64_t end = now + ms; now < end;) step();
  }
  int count(const std::string& asked) const { return int(std::count(log.begin(), log.end(), asked)); }
  bool live() const {
    return link.status().phase == LinkPhase::connected && last_data >= 0 && now - last_data < 2000;
  }
  void announce(const char* address) {
    const std::string text = closed_line(std::string("announce=1|h=t7910|i=") + address + "|port=7910");
    link.datagram(text.data(), text.size(), now);
  }
};

LinkSettings wired() {
  LinkSettings settings;
  settings.has_wifi = false;
  std::strcpy(settings.hello.board, "desk");
  std::strcpy(settings.hello.firmware, "0.1.0");
  return settings;
}

TEST_CASE("addresses are tried in order: the last that worked, the configured, the announced, mDNS") {
  LinkSettings settings = wired();
  settings.last = server("192.0.2.1");
  settings.servers[0] = server("192.0.2.2");
  settings.servers[1] = server("name.example");
  Network network(settings);
  network.names["name.example"] = "192.0.2.3";
  network.mdns_answer = "192.0.2.5";
  network.servers["192.0.2.5"] = Network::Server::lines;
  for (const char* dead : {"192.0.2.1", "192.0.2.2", "192.0.2.3"})
    network.servers[dead] = Network::Server::refuses;
  network.run(5000);
  const std::vector<std::string> expected = {
      "connect 192.0.2.1", "connect 192.0.2.2", "resolve name.example", "connect 192.0.2.3", "mdns",
      "connect 192.0.2.5", "remember 192.0.2.5"};
  CHECK(network.log == expected);
  CHECK(network.live());
}

TEST_CASE("an attempt takes at most 2 s and a pause at most 4 s, for as long as it lasts") {
  LinkSettings settings = wired();
  settings.servers[0] = server("192.0.2.2");
  Network network(settings);
  network.run(60'000);
  size_t before = 0;
  for (int i = 0; i < 20; ++i) {
    network.run(7'500);  // 2 s for the attempt, 0.5 s for mDNS, 4 s pause, and a step of each
    CHECK(network.log.size() > before);
    before = network.log.size();
  }
}

TEST_CASE("pauses are jittered: two boards do not knock in step") {
  LinkSettings settings = wired();
  settings.servers[0] = server("192.0.2.2");
  settings.use_mdns = false;
  std::vector<int64_t> times[2];
  for (int board = 0; board < 2; ++board) {
    settings.seed = uint32_t(77 + board * 1000);
    Network network(settings);
    size_t seen = 0;
    while (network.now < 60'000) {
      network.step();
      if (network.log.size() != seen) times[board].push_back(network.now);
      seen = network.log.size();
    }
  }
  CHECK(times[0] != times[1]);
}

TEST_CASE("12 s without a byte ends the connection, and the board reconnects (C6)") {
  LinkSettings settings = wired();
  settings.servers[0] = server("192.0.2.2");
  Network network(settings);
  network.servers["192.0.2.2"] = Network::Server::lines;
  network.run(5'000);
  REQUIRE(network.live());
  network.servers["192.0.2.2"] = Network::Server::silent;
  const int64_t silent_since = network.last_data;
  while (network.count("close silent") == 0 && network.now < 60'000) network.step();
  CHECK(network.now - silent_since >= 12'000);
  CHECK(network.now - silent_since <= 12'100);
  network.servers["192.0.2.2"] = Network::Server::lines;
  network.run(7'000);
  CHECK(network.live());
}

TEST_CASE("a server that accepts but never speaks is left after 4 s") {
  LinkSettings settings = wired();
  settings.servers[0] = server("192.0.2.2");
  settings.servers[1] = server("192.0.2.3");
  Network network(settings);
  network.servers["192.0.2.2"] = Network::Server::silent;
  network.servers["192.0.2.3"] = Network::Server::lines;
  network.run(6'500);
  CHECK(network.live());
}

TEST_CASE(
    "the board is back within 15 s after the first announcement from a new address, whatever the old one "
    "does") {
  for (const auto old : {Network::Server::silent, Network::Server::refuses, Network::Server::dead}) {
    for (const int64_t name_server_ms : {int64_t(20), int64_t(60'000)}) {
      LinkSettings settings = wired();
      settings.servers[0] = server("192.0.2.2");
      settings.servers[1] = server("slow.example");
      settings.servers[2] = server("other.example");
      Network network(settings);
      network.names["slow.example"] = "192.0.2.2";
      network.name_server_ms = name_server_ms;
      network.servers["192.0.2.2"] = Network::Server::lines;
      network.run(20'000);
      REQUIRE(network.live());

      network.servers["192.0.2.2"] = old;
      network.servers["192.0.2.9"] = Network::Server::lines;
      while (network.count("close silent") + network.count("close peer_closed") == 0) {
        // A server that is gone without a word: silence ends the link. One that refuses has reset the
        // connection.
        if (old == Network::Server::refuses) {
          network.connected_to.clear();
          network.link.closed_by_peer(network.now);
          network.act();
          continue;
        }
        network.step();
        REQUIRE(network.now < 60'000);
      }
      const int64_t death = network.now;
      network.last_data = -1;
      int64_t next_announcement = death + 4'950;  // the worst moment of a 5 s rhythm
      while (network.last_data < 0 && network.now < death + 60'000) {
        network.step();
        if (network.now >= next_announcement) {
          network.announce("192.0.2.9");
          next_announcement += 5'000;
        }
      }
      CHECK(network.last_data - death <= 15'000);
    }
  }
}

TEST_CASE("a hello answers the info line, and with a key it carries the mac of nonce and hello") {
  LinkSettings settings = wired();
  settings.servers[0] = server("192.0.2.2");
  settings.keyed = true;
  static std::string signed_text;
  settings.hmac = [](void*, const char* text, size_t length, char hex[65]) {
    signed_text.assign(text, length);
    std::memset(hex, 'a', 64);
    hex[64] = 0;
  };
  Link link(settings);
  REQUIRE(link.next(0).kind == LinkAction::Kind::connect);
  link.connected(10);
  const std::string info = closed_line("info=1|nonce=000102030405060708090a0b0c0d0e0f");
  link.received(info.data(), info.size(), 20);
  const LinkAction action = link.next(20);
  REQUIRE(action.kind == LinkAction::Kind::send);
  const std::string hello(action.bytes, action.size);
  CHECK(signed_text == "000102030405060708090a0b0c0d0e0f|hello=1|id=desk|fw=0.1.0");
  CHECK(hello.find("|mac=" + std::string(64, 'a') + "*") != std::string::npos);
  CHECK(hello.size() <= kMaxHelloBytes);
}

TEST_CASE("a server that ends the connection right after the hello, twice, is said to deny") {
  LinkSettings settings = wired();
  settings.servers[0] = server("192.0.2.2");
  settings.use_mdns = false;
  Network network(settings);
  network.servers["192.0.2.2"] = Network::Server::closes_after_hello;
  network.run(100);
  CHECK(network.count("close refused_hello") == 1);
  CHECK_FALSE(network.link.status().denied);
  network.run(10'000);
  CHECK(network.link.status().denied);
  network.servers["192.0.2.2"] = Network::Server::lines;
  network.run(10'000);
  CHECK(network.live());
  CHECK_FALSE(network.link.status().denied);
}

TEST_CASE("each way in which Wi-Fi fails is told, and joining goes on") {
  LinkSettings settings = wired();
  settings.has_wifi = true;
  settings.servers[0] = server("192.0.2.2");
  const struct {
    WifiState state;
    LinkPhase phase;
  } ways[] = {{WifiState::no_ssid, LinkPhase::wifi_no_ssid},
              {WifiState::bad_key, LinkPhase::wifi_bad_key},
              {WifiState::no_address, LinkPhase::wifi_no_address}};
  for (const auto& way : ways) {
    Network network(settings);
    network.wifi_joins = false;
    network.step();
    CHECK(network.link.status().phase == LinkPhase::wifi_joining);
    network.link.wifi(way.state, network.now);
    network.run(3'000);
    CHECK(network.link.status().phase == way.phase);
    network.wifi_joins = true;
    network.servers["192.0.2.2"] = Network::Server::lines;
    network.run(10'000);
    CHECK(network.live());
  }
}

TEST_CASE("joining that never ends says that no address came") {
  LinkSettings settings = wired();
  settings.has_wifi = true;
  Network network(settings);
  network.wifi_joins = false;
  network.run(21'000);
  CHECK(network.link.status().phase == LinkPhase::wifi_no_address);
}

TEST_CASE("losing Wi-Fi in the middle closes the connection and joins again") {
  LinkSettings settings = wired();
  settings.has_wifi = true;
  settings.servers[0] = server("192.0.2.2");
  Network network(settings);
  network.servers["192.0.2.2"] = Network::Server::lines;
  network.run(3'000);
  REQUIRE(network.live());
  network.link.wifi(WifiState::down, network.now);
  network.run(3'000);
  CHECK(network.live());
  CHECK(network.count("close wifi_lost") == 1);
  CHECK(network.count("join") == 2);
}

TEST_CASE("without an SSID nothing is joined") {
  LinkSettings settings = wired();
  settings.has_wifi = true;
  settings.ssid_set = false;
  Network network(settings);
  network.run(10'000);
  CHECK(network.log.empty());
  CHECK(network.link.status().phase == LinkPhase::wifi_unset);
}

TEST_CASE("a keyed board ignores an announcement without the right mac") {
  LinkSettings settings = wired();
  settings.use_mdns = false;
  settings.keyed = true;
  settings.hmac = [](void*, const char*, size_t, char hex[65]) {
    std::memset(hex, 'b', 64);
    hex[64] = 0;
  };
  Network network(settings);
  network.announce("192.0.2.9");
  network.run(3'000);
  CHECK(network.log.empty());
  const std::string text =
      closed_line("announce=1|h=t7910|i=192.0.2.9|port=7910|mac=" + std::string(64, 'b'));
  network.link.datagram(text.data(), text.size(), network.now);
  network.run(3'000);
  CHECK(network.count("connect 192.0.2.9") >= 1);
}

TEST_CASE("servers are written as name, address, or either with a port; anything else is refused") {
  ServerAddress out;
  CHECK(parse_server("t7910", out));
  CHECK(out.port == 7910);
  CHECK(parse_server("t7910.example:80", out));
  CHECK(out.port == 80);
  CHECK(parse_server("[2001:db8::1]:81", out));
  CHECK(std::string(out.host) == "2001:db8::1");
  CHECK(out.port == 81);
  CHECK(parse_server("2001:db8::1", out));
  CHECK(out.port == 7910);
  for (const char* bad : {"", ":80", "a:", "a:0", "a:65536", "a b", "[::1", "[::1]x", "a:8x"})
    CHECK_FALSE(parse_server(bad, out));
}

}  // namespace
}  // namespace inktop
