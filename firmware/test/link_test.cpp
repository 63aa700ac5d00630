#include "link/link.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "inktop/encoder.h"
#include "lines.h"
#include "link/line_reader.h"

namespace inktop {
namespace {

ServerAddress server(const char* text) {
  ServerAddress out;
  REQUIRE(parse_server(text, out));
  return out;
}

void deliver(Link& link, LineReader& reader, const std::string& text, int64_t now) {
  const char* bytes = text.data();
  size_t size = text.size();
  link.heard(now);
  while (reader.next(bytes, size)) link.line(reader.line(), reader.text(), reader.size(), now);
}

void deliver_datagram(Link& link, const std::string& text, int64_t now) {
  LineReader reader;
  reader.datagram(text.data(), text.size());
  link.datagram(reader.line(), text.data(), text.size(), now);
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
  LineReader reader;

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
          reader.closed();
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

  void feed(const std::string& text) { deliver(link, reader, text, now); }

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
    deliver_datagram(link, text, now);
  }
};

LinkSettings wired() {
  LinkSettings settings;
  settings.has_wifi = false;
  std::strcpy(settings.hello.board, "desk");
  std::strcpy(settings.hello.firmware, "0.1.0");
  return settings;
}

TEST_CASE("without configured servers: the last that worked, then mDNS") {
  LinkSettings settings = wired();
  settings.last = server("192.0.2.1");
  Network network(settings);
  network.mdns_answer = "192.0.2.5";
  network.servers["192.0.2.1"] = Network::Server::refuses;
  network.servers["192.0.2.5"] = Network::Server::lines;
  network.run(5000);
  const std::vector<std::string> expected = {"connect 192.0.2.1", "mdns", "connect 192.0.2.5",
                                             "remember 192.0.2.5"};
  CHECK(network.log == expected);
  CHECK(network.live());
}

TEST_CASE(
    "configured servers are tried in their order, and neither the last that worked nor mDNS before or "
    "after") {
  LinkSettings settings = wired();
  settings.last = server("192.0.2.1");
  settings.servers[0] = server("192.0.2.2");
  settings.servers[1] = server("name.example");
  Network network(settings);
  network.names["name.example"] = "192.0.2.3";
  network.mdns_answer = "192.0.2.5";
  for (const char* other : {"192.0.2.1", "192.0.2.5"}) network.servers[other] = Network::Server::lines;
  for (const char* dead : {"192.0.2.2", "192.0.2.3"}) network.servers[dead] = Network::Server::refuses;
  network.run(60'000);
  CHECK(network.count("connect 192.0.2.2") > 3);
  CHECK(network.count("connect 192.0.2.3") > 3);
  CHECK(network.count("connect 192.0.2.1") == 0);
  CHECK(network.count("mdns") == 0);
  network.servers["192.0.2.3"] = Network::Server::lines;
  network.run(10'000);
  CHECK(network.live());
  CHECK(network.connected_to == "192.0.2.3");
}

TEST_CASE("the last that worked ranks as it is configured, not above") {
  LinkSettings settings = wired();
  settings.servers[0] = server("192.0.2.2");
  settings.servers[1] = server("192.0.2.3");
  settings.last = settings.servers[1];
  Network network(settings);
  for (const char* good : {"192.0.2.2", "192.0.2.3"}) network.servers[good] = Network::Server::lines;
  network.run(3'000);
  CHECK(network.log.front() == "connect 192.0.2.2");
  CHECK(network.connected_to == "192.0.2.2");
}

TEST_CASE("a board with configured servers never leaves for another that announces itself") {
  LinkSettings settings = wired();
  settings.servers[0] = server("192.0.2.2");
  settings.servers[1] = server("name.example");
  Network network(settings);
  network.servers["192.0.2.2"] = Network::Server::lines;
  network.servers["192.0.2.66"] = Network::Server::lines;
  network.run(10'000);
  REQUIRE(network.live());
  network.servers["192.0.2.2"] = Network::Server::refuses;  // it restarts
  network.connected_to.clear();
  network.link.closed_by_peer(network.now);
  for (int i = 0; i < 40; ++i) {
    network.announce("192.0.2.66");
    network.run(500);
  }
  CHECK(network.count("connect 192.0.2.66") == 0);
  network.servers["192.0.2.2"] = Network::Server::lines;
  network.run(10'000);
  CHECK(network.live());
  CHECK(network.connected_to == "192.0.2.2");
}

TEST_CASE("an announcement that names a configured host leads to its new address") {
  for (const char* name : {"t7910", "T7910", "t7910.local"}) {
    LinkSettings settings = wired();
    settings.servers[0] = server(name);
    Network network(settings);
    network.names[name] = "192.0.2.2";  // where it was: the name server does not know better
    network.servers["192.0.2.9"] = Network::Server::lines;
    network.run(3'000);
    network.announce("192.0.2.9");
    network.run(5'000);
    CHECK(network.connected_to == "192.0.2.9");
  }
  CHECK_FALSE(same_host_name("t7910", "t79100"));
  CHECK_FALSE(same_host_name("t7910", "t791"));
  CHECK_FALSE(same_host_name("t7910.lan", "t7910.wan"));
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
    "the board is back within 15 s of the first announcement from a new address, whatever the old one does") {
  for (const auto old : {Network::Server::silent, Network::Server::refuses, Network::Server::dead}) {
    for (const bool by_name : {false, true}) {
      LinkSettings settings = wired();
      if (by_name) {
        settings.servers[0] = server("t7910");  // which the announcement names
        settings.servers[1] = server("other.example");
      } else {
        settings.last = server("192.0.2.2");
      }
      Network network(settings);
      network.names["t7910"] = "192.0.2.2";
      network.servers["192.0.2.2"] = Network::Server::lines;
      network.run(20'000);
      REQUIRE(network.live());

      network.servers["192.0.2.2"] = old;
      network.servers["192.0.2.9"] = Network::Server::lines;
      while (network.count("close silent") + network.count("close peer_closed") == 0) {
        // A server that is gone without a word is silent; one that refuses has reset the connection.
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
      CHECK(network.last_data >= death);
      CHECK(network.last_data - death <= 15'000);
    }
  }
}

TEST_CASE("a hello answers the info line, and with a key it carries the mac of nonce and hello") {
  LinkSettings settings = wired();
  settings.servers[0] = server("192.0.2.2");
  settings.key.set = true;
  settings.key.random = [] { return 0x76543210u; };
  static std::string signed_text;
  settings.key.hmac = [](void*, const char* text, size_t length, char hex[65]) {
    signed_text.assign(text, length);
    std::memset(hex, 'a', 64);
    hex[64] = 0;
  };
  Link link(settings);
  REQUIRE(link.next(0).kind == LinkAction::Kind::connect);
  link.connected(10);
  const std::string info = closed_line("info=1|nonce=000102030405060708090a0b0c0d0e0f");
  LineReader reader;
  deliver(link, reader, info, 20);
  const LinkAction action = link.next(20);
  REQUIRE(action.kind == LinkAction::Kind::send);
  const std::string hello(action.bytes, action.size);
  CHECK(signed_text ==
        "000102030405060708090a0b0c0d0e0f|hello=1|id=desk|fw=0.1.0|nonce=01234567012345670123456701234567");
  CHECK(hello.find("|mac=" + std::string(64, 'a') + "*") != std::string::npos);
  CHECK(hello.size() <= kMaxHelloBytes);
}

// A mac that stands for the right one: the tests of Trust have real ones.
LinkSettings keyed(LinkSettings settings) {
  settings.key.set = true;
  settings.key.random = [] { return 0x76543210u; };
  settings.key.hmac = [](void*, const char*, size_t, char hex[65]) {
    std::memset(hex, 'b', 64);
    hex[64] = 0;
  };
  settings.use_mdns = false;
  return settings;
}

std::string sealed(const std::string& body, int number) {
  return closed_line(body + "|q=" + std::to_string(number) + "|mac=" + std::string(32, 'b'));
}

TEST_CASE("a keyed board takes a server's lines from the first one that is sealed") {
  LinkSettings settings = keyed(wired());
  settings.servers[0] = server("192.0.2.2");
  Network network(settings);
  network.servers["192.0.2.2"] = Network::Server::silent;
  network.run(100);
  network.feed(closed_line("info=1|nonce=000102030405060708090a0b0c0d0e0f"));
  network.run(100);
  REQUIRE(network.hellos.size() == 1);
  CHECK(network.hellos[0].find("|nonce=" + std::string("01234567012345670123456701234567") + "|mac=") !=
        std::string::npos);
  network.feed(sealed("info=1|v=0.1.0", 1));
  network.feed(sealed("h=t7910", 2));
  network.run(100);
  CHECK(network.count("remember 192.0.2.2") == 1);
  CHECK_FALSE(network.link.status().unproven);
  CHECK(network.link.status().phase == LinkPhase::connected);
}

TEST_CASE("a keyed board remembers no server without the key, says so, and goes on to the next") {
  for (const char* first :
       {"info=1|v=0.1.0", "info=2|v=9", "h=t7910|c=1.0", "info=1|nonce=000102030405060708090a0b0c0d0e0f"}) {
    INFO(first);
    LinkSettings settings = keyed(wired());
    settings.servers[0] = server("192.0.2.2");
    settings.servers[1] = server("192.0.2.3");
    Network network(settings);
    network.servers["192.0.2.2"] = Network::Server::silent;
    network.servers["192.0.2.3"] = Network::Server::silent;
    network.run(100);
    REQUIRE(network.connected_to == "192.0.2.2");
    network.feed(closed_line(first));
    network.run(50);
    // Nothing is said to who has asked for no proof.
    const bool asked = std::strstr(first, "nonce=") != nullptr;
    CHECK(network.hellos.empty() == !asked);
    if (asked) {
      network.feed(closed_line("h=t7910|c=1.0"));
      network.run(50);
    }
    CHECK(network.count("close unproven") == 1);
    CHECK(network.link.status().unproven);
    CHECK(std::string(network.link.status().server.host) == "192.0.2.2");
    network.run(100);
    CHECK(network.connected_to == "192.0.2.3");
    CHECK(network.link.status().unproven);
    CHECK(network.count("remember 192.0.2.2") == 0);
    network.feed(closed_line("info=1|nonce=000102030405060708090a0b0c0d0e0f"));
    network.run(50);
    network.feed(sealed("h=t7910", 1));
    network.run(50);
    CHECK_FALSE(network.link.status().unproven);
    CHECK(network.count("remember 192.0.2.2") == 0);
    CHECK(network.count("remember 192.0.2.3") == 1);
  }
}

TEST_CASE("a keyed board that is shown a wrong seal in the middle of a stream leaves at once") {
  LinkSettings settings = keyed(wired());
  settings.servers[0] = server("192.0.2.2");
  Network network(settings);
  network.servers["192.0.2.2"] = Network::Server::silent;
  network.run(100);
  network.feed(closed_line("info=1|nonce=000102030405060708090a0b0c0d0e0f"));
  network.run(50);
  network.feed(sealed("h=t7910", 7));
  network.feed("h=t7910|c=*0000\n");  // damaged on a bad cable: dropped, no more
  network.run(50);
  CHECK(network.count("close unproven") == 0);
  network.feed(sealed("h=t7910", 7));
  network.run(50);
  CHECK(network.count("close unproven") == 1);
}

TEST_CASE("a keyed board that an old announcement has misled leaves that server") {
  Network network(keyed(wired()));
  network.servers["192.0.2.66"] = Network::Server::lines;
  const std::string body = "announce=1|h=t7910|i=192.0.2.66|port=7910|at=5";
  deliver_datagram(network.link, closed_line(body + "|mac=" + std::string(64, 'b')), network.now);
  network.run(3'000);
  CHECK(network.count("connect 192.0.2.66") >= 1);
  CHECK(network.count("close unproven") >= 1);
  CHECK(network.count("remember 192.0.2.66") == 0);
}

TEST_CASE("a keyed board leaves a server that mDNS has named when it does not prove the key") {
  LinkSettings settings = keyed(wired());
  settings.use_mdns = true;
  Network network(settings);
  network.mdns_answer = "192.0.2.66";
  network.servers["192.0.2.66"] = Network::Server::lines;
  network.run(5'000);
  CHECK(network.count("connect 192.0.2.66") >= 1);
  CHECK(network.count("close unproven") >= 1);
  CHECK(network.count("remember 192.0.2.66") == 0);
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
  settings.key.set = true;
  settings.key.hmac = [](void*, const char*, size_t, char hex[65]) {
    std::memset(hex, 'b', 64);
    hex[64] = 0;
  };
  Network network(settings);
  network.announce("192.0.2.9");
  network.run(3'000);
  CHECK(network.log.empty());
  const std::string text =
      closed_line("announce=1|h=t7910|i=192.0.2.9|port=7910|at=5|mac=" + std::string(64, 'b'));
  deliver_datagram(network.link, text, network.now);
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

// A link without Wi-Fi and mDNS that is connected to its only server; nothing has been received yet.
struct Connected {
  Connected() : link(settings()) {
    REQUIRE(link.next(0).kind == LinkAction::Kind::connect);
    link.connected(0);
  }
  static LinkSettings settings() {
    LinkSettings settings = wired();
    settings.servers[0] = server("192.0.2.2");
    settings.use_mdns = false;
    return settings;
  }
  void line(const std::string& body) {
    const std::string text = closed_line(body);
    deliver(link, reader, text, now);
  }
  // The next action that is not `none`, of `kind` at once or not at all.
  LinkAction expect(LinkAction::Kind kind) {
    const LinkAction action = link.next(now);
    CHECK(int(action.kind) == int(kind));
    return action;
  }

  Link link;
  LineReader reader;
  int64_t now = 0;
};

TEST_CASE("a server that sends info lines and never data is left after 30 s, and the next one is tried") {
  LinkSettings settings = wired();
  settings.servers[0] = server("192.0.2.2");
  settings.servers[1] = server("192.0.2.3");
  Network network(settings);
  network.servers["192.0.2.2"] = Network::Server::silent;
  network.servers["192.0.2.3"] = Network::Server::lines;
  for (int i = 0; i < 40 * 20 && !network.live(); ++i) {
    network.step();
    if (network.connected_to == "192.0.2.2" && i % 20 == 0) network.feed(closed_line("info=1|v=0.1.0"));
  }
  CHECK(network.count("close no_data") == 1);
  CHECK(network.live());
  CHECK(network.now <= 33'000);
}

TEST_CASE("a live server whose lines all go bad gets a new connection, though its bytes flow") {
  Connected board;
  board.line("info=1");
  board.line("h=t7910");
  while (board.link.next(board.now).kind != LinkAction::Kind::none) {
  }
  int64_t closed_at = -1;
  for (board.now = 1000; board.now <= 60'000 && closed_at < 0; board.now += 1000) {
    const std::string bad = "h=t7910|c=1.0*0000\n";
    deliver(board.link, board.reader, bad, board.now);
    const LinkAction action = board.link.next(board.now);
    if (action.kind == LinkAction::Kind::close) {
      CHECK(std::string(close_reason_name(action.why)) == "no_data");
      closed_at = board.now;
    }
  }
  CHECK(closed_at == 30'000);
}

TEST_CASE(
    "the board says hello before it says that it is connected, also when data came with the info line") {
  Connected board;
  const std::string both = closed_line("info=1") + closed_line("h=t7910");
  deliver(board.link, board.reader, both, board.now);
  CHECK(board.link.status().phase == LinkPhase::greeting);
  board.expect(LinkAction::Kind::send);
  CHECK(board.link.status().phase == LinkPhase::connected);
}

TEST_CASE("a server whose info line was lost on the way gets its hello with the first data line") {
  Connected board;
  const std::string lost = "info=1|v=0.1.0*0000\n";
  deliver(board.link, board.reader, lost, board.now);
  board.line("h=t7910");
  board.expect(LinkAction::Kind::send);
}

TEST_CASE(
    "a server of a newer protocol gets a hello, is stayed with, and does not count as one that denies") {
  Connected board;
  board.line("info=2|x=1");
  const LinkAction hello = board.expect(LinkAction::Kind::send);
  CHECK(std::string(hello.bytes, hello.size).find("hello=1|id=desk") == 0);
  for (board.now = 1000; board.now < 300'000; board.now += 1000) {
    board.line("h=t7910");
    board.expect(LinkAction::Kind::none);
  }
  for (int i = 0; i < 3; ++i) {
    board.link.closed_by_peer(board.now);
    board.expect(LinkAction::Kind::close);
    CHECK_FALSE(board.link.status().denied);
    for (LinkAction action; action.kind != LinkAction::Kind::connect; board.now += 100)
      action = board.link.next(board.now);
    board.link.connected(board.now);
    board.line("info=2");
    board.expect(LinkAction::Kind::send);
  }
}

TEST_CASE("a server of a newer protocol does not keep the board while another announces itself") {
  LinkSettings settings = wired();
  settings.last = server("192.0.2.2");
  settings.use_mdns = false;
  Network network(settings);
  network.servers["192.0.2.2"] = Network::Server::silent;
  network.servers["192.0.2.9"] = Network::Server::lines;
  network.run(200);
  REQUIRE(network.connected_to == "192.0.2.2");
  network.feed(closed_line("info=2"));
  for (int i = 0; i < 12 && !network.live(); ++i) {  // a byte every 5 s, so that it is never silent
    if (!network.connected_to.empty()) network.feed("x");
    network.announce("192.0.2.9");
    network.run(5'000);
  }
  CHECK(network.live());
  CHECK(network.connected_to == "192.0.2.9");
}

TEST_CASE("a server of a newer protocol that announces itself keeps the board") {
  LinkSettings settings = wired();
  settings.last = server("192.0.2.2");
  settings.use_mdns = false;
  Network network(settings);
  network.servers["192.0.2.2"] = Network::Server::silent;
  network.run(200);
  network.feed(closed_line("info=2"));
  for (int i = 0; i < 24; ++i) {
    network.feed("x");
    network.announce("192.0.2.2");
    network.run(5'000);
  }
  CHECK(network.connected_to == "192.0.2.2");
  CHECK(network.count("close no_data") == 0);
}

TEST_CASE("only the info line tells the version of a server") {
  Connected board;
  board.line("health=2|x=1");
  CHECK(board.link.status().phase == LinkPhase::greeting);
  board.now = Link::kGreeting_ms;
  CHECK(std::string(close_reason_name(board.expect(LinkAction::Kind::close).why)) == "no_greeting");
}

TEST_CASE("a server that refuses the board is named for as long as it does, while others are tried") {
  LinkSettings settings = wired();
  settings.servers[0] = server("192.0.2.2");
  settings.servers[1] = server("192.0.2.3");
  settings.use_mdns = false;
  Network network(settings);
  network.servers["192.0.2.2"] = Network::Server::closes_after_hello;
  network.run(20'000);
  REQUIRE(network.link.status().denied);
  for (int i = 0; i < 400; ++i) {
    network.step();
    REQUIRE(std::string(network.link.status().server.host) == "192.0.2.2");
  }
  CHECK(network.count("connect 192.0.2.3") >= 2);
  // It has been switched off: that is another trouble.
  network.servers["192.0.2.2"] = Network::Server::dead;
  network.run(12'000);
  CHECK_FALSE(network.link.status().denied);
}

TEST_CASE("the last server that worked is kept also when it ends the connection right after its first line") {
  Connected board;
  board.line("info=1");
  board.line("h=t7910");
  board.link.closed_by_peer(board.now);
  board.expect(LinkAction::Kind::close);
  const LinkAction action = board.expect(LinkAction::Kind::remember);
  CHECK(std::string(action.server.host) == "192.0.2.2");
}

TEST_CASE("an access point that does not let the board in is asked again after 4 s, not after 20") {
  LinkSettings settings = wired();
  settings.has_wifi = true;
  Network network(settings);
  network.wifi_joins = false;
  network.step();
  network.link.wifi(WifiState::down, network.now);
  CHECK(network.link.status().phase == LinkPhase::wifi_joining);
  network.run(4'100);
  CHECK(network.count("join") == 2);
}

TEST_CASE("a network that is gone, by any name, closes the connection and is joined again") {
  for (const auto how : {WifiState::down, WifiState::no_ssid, WifiState::bad_key, WifiState::no_address}) {
    LinkSettings settings = wired();
    settings.has_wifi = true;
    settings.servers[0] = server("192.0.2.2");
    Network network(settings);
    network.servers["192.0.2.2"] = Network::Server::lines;
    network.run(3'000);
    REQUIRE(network.live());
    network.wifi_joins = false;
    network.link.wifi(how, network.now);
    network.act();
    CHECK(network.link.status().phase == LinkPhase::wifi_joining);
    CHECK(network.count("close wifi_lost") == 1);
    CHECK(network.count("join") == 2);
  }
}

TEST_CASE("announcements from servers that do not answer never keep the board from its own") {
  LinkSettings settings = wired();
  settings.last = server("192.0.2.2");
  settings.use_mdns = false;
  Network network(settings);
  network.servers["192.0.2.2"] = Network::Server::refuses;
  network.run(10'000);
  network.servers["192.0.2.2"] = Network::Server::lines;
  const int64_t since = network.now;
  for (int i = 0; !network.live() && network.now < since + 60'000; ++i) {
    network.announce(i % 2 == 0 ? "192.0.2.8" : "192.0.2.9");
    network.step();
  }
  CHECK(network.now - since <= 10'000);
}

TEST_CASE("of two servers that announce themselves in step, the one that hangs up does not hide the other") {
  for (const bool good_first : {true, false}) {
    LinkSettings settings = wired();
    settings.last = server("192.0.2.2");
    settings.use_mdns = false;
    Network network(settings);
    network.servers["192.0.2.8"] = Network::Server::lines;
    network.servers["192.0.2.9"] = Network::Server::closes_after_hello;
    while (!network.live() && network.now < 60'000) {
      network.announce(good_first ? "192.0.2.8" : "192.0.2.9");
      network.announce(good_first ? "192.0.2.9" : "192.0.2.8");
      network.run(5'000);
    }
    CHECK(network.live());
    CHECK(network.now <= 20'000);
  }
}

TEST_CASE("an announcement that is half a minute old is no hint any more") {
  LinkSettings settings = wired();
  settings.last = server("192.0.2.2");
  Network network(settings);
  network.mdns_answer = "192.0.2.3";
  network.servers["192.0.2.2"] = Network::Server::lines;
  network.run(3'000);
  network.announce("192.0.2.9");
  network.run(40'000);
  REQUIRE(network.live());
  network.log.clear();
  network.servers.clear();
  network.servers["192.0.2.3"] = Network::Server::lines;
  network.connected_to.clear();
  network.link.closed_by_peer(network.now);
  network.run(5'000);
  CHECK(network.live());
  CHECK(network.count("connect 192.0.2.9") == 0);
}

TEST_CASE("an announcement names an address: anything that would have to be looked up is ignored") {
  LinkSettings settings = wired();
  settings.use_mdns = false;
  Network network(settings);
  for (const char* bad : {"slow.example", "a b", "192.0.2.9/24"}) network.announce(bad);
  network.run(5'000);
  CHECK(network.log.empty());
}

TEST_CASE("a server that mDNS names and that is dead, or no server at all, costs one query a round") {
  for (const char* named : {"192.0.2.5", ""}) {
    LinkSettings settings = wired();
    Network network(settings);
    network.mdns_answer = named;
    for (int i = 0; i < 60 * 20; ++i) {
      network.step();
      // A responder that answers without an address.
      if (*named == 0 && network.querying) {
        network.querying = false;
        network.link.mdns(true, ServerAddress(), network.now);
      }
    }
    CHECK(network.count("mdns") >= 8);
    CHECK(network.count("mdns") <= 40);
  }
}

TEST_CASE("an answer for a name that was given up is not taken for the next one's") {
  LinkSettings settings = wired();
  settings.servers[0] = server("slow.example");
  settings.servers[1] = server("192.0.2.3");
  settings.use_mdns = false;
  Network network(settings);
  network.names["slow.example"] = "192.0.2.66";
  network.name_server_ms = 2'500;
  network.servers["192.0.2.66"] = Network::Server::lines;
  network.run(4'000);
  CHECK(network.count("connect 192.0.2.3") == 1);
  CHECK(network.count("connect 192.0.2.66") == 0);
}

// Everything that can happen, in any order, at any time, also reports of what was given up long ago. The
// driver's side is held to its contract: one attempt at a time, closed before the next.
TEST_CASE("after any odd order of events the board finds its server again, also beyond 2^31 ms") {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    uint32_t state = seed * 2654435761u | 1u;
    const auto dice = [&state](uint32_t sides) {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      return state % sides;
    };
    LinkSettings settings = wired();
    settings.has_wifi = seed % 2 == 0;
    settings.last = server("192.0.2.1");
    settings.servers[0] = server("192.0.2.2");
    settings.servers[1] = server("name.example");
    settings.seed = seed;
    Network network(settings);
    network.now = seed % 3 == 0 ? (int64_t(1) << 31) - 30'000 : seed % 3 == 1 ? 0 : int64_t(1) << 45;
    network.names["name.example"] = "192.0.2.3";
    network.mdns_answer = "192.0.2.5";
    for (int i = 0; i < 600; ++i) {
      for (uint32_t steps = dice(40); steps > 0; --steps) network.step();
      const auto kind = static_cast<Network::Server>(dice(5));
      char address[16];
      std::snprintf(address, sizeof address, "192.0.2.%u", 1 + dice(9));
      switch (dice(14)) {
        case 0:
        case 1:
          network.servers[address] = kind;
          break;
        case 2:
          network.announce(address);
          break;
        case 3:
          network.link.resolved(dice(2) == 0, address, network.now);
          break;
        case 4:
          // No driver reports this twice for one attempt, but a late one may come after the close.
          if (network.connecting_to.empty()) network.link.connected(network.now);
          break;
        case 5:
          if (network.connecting_to.empty()) network.link.connect_failed(network.now);
          break;
        case 6:
          network.connected_to.clear();
          network.link.closed_by_peer(network.now);
          break;
        case 7:
          network.link.send_failed(network.now);
          break;
        case 8:
          network.link.mdns(dice(2) == 0, server(address), network.now);
          break;
        case 9:
          if (settings.has_wifi) network.link.wifi(static_cast<WifiState>(dice(5)), network.now);
          break;
        case 10:
          network.feed(closed_line("info=2"));
          break;
        case 11:
          network.feed("garbage");
          break;
        case 12:
          network.feed(closed_line("h=t7910"));
          break;
        default:
          network.now += dice(4) * 10'000;
          break;
      }
      network.act();
    }
    // The world comes to rest: one server works.
    network.servers.clear();
    network.servers["192.0.2.2"] = Network::Server::lines;
    if (settings.has_wifi) network.link.wifi(WifiState::down, network.now);
    network.connected_to.clear();
    network.link.closed_by_peer(network.now);
    network.run(45'000);
    CHECK_MESSAGE(network.live(), "seed " << seed);
    CHECK_FALSE(network.link.status().denied);
  }
}

}  // namespace
}  // namespace inktop
