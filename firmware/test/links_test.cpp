// Several servers, each with a link of its own: who gets a place, and what belongs to whom.
#include "app/links.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lines.h"

namespace inktop {
namespace {

// Servers by "address:port", each with the host name of its lines; a connect to any other address fails.
struct Net {
  explicit Net(const std::string& configured, Follow follow = Follow::all, bool keyed = false)
      : memory(262'144 / 8), queue(reinterpret_cast<uint8_t*>(memory.data()), 262'144) {
    LinkSettings settings;
    int count = 0;
    for (size_t start = 0; start < configured.size();) {
      size_t end = configured.find(' ', start);
      if (end == std::string::npos) end = configured.size();
      REQUIRE(parse_server(configured.substr(start, end - start).c_str(), settings.servers[count++]));
      start = end + 1;
    }
    settings.has_wifi = false;
    settings.key.set = keyed;
    settings.key.random = [] { return 7u; };
    settings.key.hmac = [](void*, const char*, size_t, char hex[65]) {
      for (int i = 0; i < 64; ++i) hex[i] = 'a';
      hex[64] = 0;
    };
    links = std::make_unique<Links>(settings, follow, queue);
  }

  void announce(const std::string& host, const std::string& address, const std::string& rest = "") {
    const std::string line = closed_line("announce=1|h=" + host + "|i=" + address + "|port=7910" + rest);
    links->datagram(line.data(), line.size(), now);
  }

  void step() {
    for (int place = 0; place < Links::kPlaces; ++place) {
      if (links->feed(place) == nullptr) continue;
      for (LinkAction action = links->next(place, now); action.kind != LinkAction::Kind::none;
           action = links->next(place, now)) {
        Feed& feed = *links->feed(place);
        if (action.kind == LinkAction::Kind::connect) {
          const std::string to = action.address + (":" + std::to_string(action.server.port));
          tried[place].push_back(to);
          if (hosts.count(to) == 0) {
            feed.link().connect_failed(now);
            continue;
          }
          at[place] = to;
          feed.connected(now);
          receive(place, "info=1|v=0.1.0");
        } else if (action.kind == LinkAction::Kind::close) {
          feed.closed(action.why, now);
          at.erase(place);
        } else if (action.kind == LinkAction::Kind::query_mdns) {
          ++mdns_queries;
          feed.link().mdns(false, ServerAddress(), now);
        } else if (action.kind == LinkAction::Kind::remember) {
          remembered.push_back(action.server.host);
        }
      }
    }
    links->step(now);
  }
  void receive(int place, const std::string& body) {
    const std::string line = closed_line(body);
    links->feed(place)->received(line.data(), line.size(), now);
  }
  // Steps of 200 ms, a line a second from each server that is up.
  void run(int64_t ms) {
    for (const int64_t end = now + ms; now < end; now += 200) {
      if (now % 1000 == 0) {
        const std::map<int, std::string> connected = at;
        for (const auto& [place, to] : connected) {
          if (hosts.count(to) == 0) {
            links->feed(place)->link().closed_by_peer(now);
          } else {
            receive(place, "h=" + hosts[to] + "|u=" + std::to_string(now / 1000));
          }
        }
      }
      step();
      drain();
    }
  }
  // The host of each place, "-" where nobody has it, "" before its first line.
  std::vector<std::string> places() {
    std::vector<std::string> out;
    for (int place = 0; place < Links::kPlaces; ++place) {
      out.push_back(links->feed(place) == nullptr ? "-" : links->feed(place)->host());
    }
    while (out.size() > 1 && out.back() == "-") out.pop_back();
    return out;
  }
  void drain() {
    for (Record record; queue.peek(record); queue.pop()) {
      if (record.kind == Record::Kind::data) ++data_lines[record.server];
      if (record.kind == Record::Kind::forgotten) forgotten.push_back(record.server);
    }
  }
  // How many lines came from each place since the last call.
  std::map<int, int> take_data() {
    drain();
    std::map<int, int> lines;
    lines.swap(data_lines);
    return lines;
  }

  std::vector<uint64_t> memory;
  RecordQueue queue;
  std::unique_ptr<Links> links;
  std::map<std::string, std::string> hosts;
  std::map<int, std::string> at;
  std::map<int, std::vector<std::string>> tried;
  std::vector<std::string> remembered;
  std::vector<int> forgotten;
  std::map<int, int> data_lines;
  int mdns_queries = 0;
  int64_t now = 0;
};

using Places = std::vector<std::string>;

TEST_CASE(
    "Links: each server that is configured has a place from the start, and its lines say whose they are") {
  Net net("192.0.2.1 192.0.2.2 192.0.2.3");
  net.hosts = {{"192.0.2.1:7910", "a"}, {"192.0.2.2:7910", "b"}, {"192.0.2.3:7910", "c"}};
  CHECK(net.places() == Places{"", "", ""});
  net.run(10'000);
  CHECK(net.places() == Places{"a", "b", "c"});
  const auto lines = net.take_data();
  for (int place = 0; place < 3; ++place) CHECK(lines.at(place) >= 8);
}

TEST_CASE("Links: a server that is gone costs the others nothing, and comes back") {
  Net net("192.0.2.1 192.0.2.2");
  net.hosts = {{"192.0.2.1:7910", "a"}, {"192.0.2.2:7910", "b"}};
  net.run(5'000);
  net.hosts.erase("192.0.2.1:7910");
  net.take_data();
  net.run(60'000);
  const auto lines = net.take_data();
  CHECK(lines.count(0) == 0);
  CHECK(lines.at(1) >= 59);
  net.hosts["192.0.2.1:7910"] = "a";
  net.run(10'000);
  CHECK(net.take_data().at(0) >= 1);
}

TEST_CASE("Links: each configured server binds: its link goes nowhere else, and a stranger is not heard") {
  Net net("192.0.2.1 192.0.2.2");
  net.hosts = {{"192.0.2.9:7910", "stranger"}};
  for (int i = 0; i < 30; ++i) {
    net.announce("stranger", "192.0.2.9");
    net.run(1'000);
  }
  CHECK(net.places() == Places{"", ""});
  for (const auto& [place, addresses] : net.tried) {
    for (const std::string& address : addresses)
      CHECK(address == (place == 0 ? "192.0.2.1:7910" : "192.0.2.2:7910"));
  }
  CHECK(net.mdns_queries == 0);
}

TEST_CASE("Links: with `follow` one, what is configured are ways to one server, as ever") {
  Net net("192.0.2.1 192.0.2.2", Follow::one);
  net.hosts = {{"192.0.2.2:7910", "a"}};
  net.run(10'000);
  CHECK(net.places() == Places{"a"});
  net.announce("b", "192.0.2.9");
  net.run(5'000);
  CHECK(net.places() == Places{"a"});
  Net found("", Follow::one);
  found.hosts = {{"192.0.2.1:7910", "a"}, {"192.0.2.2:7910", "b"}};
  found.announce("a", "192.0.2.1");
  found.run(5'000);
  found.announce("b", "192.0.2.2");
  found.run(5'000);
  CHECK(found.places() == Places{"a"});
}

TEST_CASE("Links: without configured servers, each that announces itself gets a place, up to eight") {
  Net net("");
  for (int i = 1; i <= 10; ++i) {
    net.hosts["192.0.2." + std::to_string(i) + ":7910"] = "host" + std::to_string(i);
  }
  for (int round = 0; round < 4; ++round) {
    for (int i = 1; i <= 10; ++i) {
      net.announce("host" + std::to_string(i), "192.0.2." + std::to_string(i));
      net.run(400);
    }
  }
  net.run(5'000);
  Places places = net.places();
  REQUIRE(places.size() == 8);
  CHECK(places[0] == "host1");
  std::sort(places.begin(), places.end());
  CHECK(std::unique(places.begin(), places.end()) == places.end());
  CHECK(places[0] != "");
  // One is remembered over a restart: the first place's.
  CHECK(net.remembered == Places{"192.0.2.1"});
}

TEST_CASE("Links: a server that moves is found again in its own place") {
  Net net("");
  net.hosts = {{"192.0.2.1:7910", "a"}, {"192.0.2.2:7910", "b"}};
  net.announce("a", "192.0.2.1");
  net.run(3'000);
  net.announce("b", "192.0.2.2");
  net.run(3'000);
  REQUIRE(net.places() == Places{"a", "b"});
  net.hosts.erase("192.0.2.2:7910");
  net.hosts["192.0.2.7:7910"] = "b";
  net.run(3'000);
  net.announce("B.home.example", "192.0.2.7");
  net.run(3'000);
  CHECK(net.at[1] == "192.0.2.7:7910");
  CHECK(net.places() == Places{"a", "b"});
  CHECK(net.at[0] == "192.0.2.1:7910");
}

TEST_CASE("Links: mDNS is asked only while no server has announced itself") {
  Net net("");
  net.run(10'000);
  CHECK(net.mdns_queries > 0);
  net.hosts = {{"192.0.2.1:7910", "a"}, {"192.0.2.2:7910", "b"}};
  net.announce("a", "192.0.2.1");
  net.run(3'000);
  net.announce("b", "192.0.2.2");
  net.run(3'000);
  net.hosts.erase("192.0.2.1:7910");
  net.run(5'000);
  const int before = net.mdns_queries;
  net.run(60'000);
  CHECK(net.mdns_queries == before);
}

TEST_CASE("Links: with a key, an announcement that nobody has signed gets no place") {
  Net net("", Follow::all, true);
  net.announce("a", "192.0.2.1");
  net.run(1'000);
  net.announce("b", "192.0.2.2");
  net.announce("c", "192.0.2.3", "|at=100|mac=" + std::string(64, 'b'));
  net.run(1'000);
  CHECK(net.places() == Places{""});
  CHECK(net.tried.empty());
}

TEST_CASE("Links: who has been gone for a day is forgotten; who is gone makes room for a new one sooner") {
  Net net("");
  for (int i = 1; i <= 9; ++i)
    net.hosts["192.0.2." + std::to_string(i) + ":7910"] = "host" + std::to_string(i);
  for (int i = 1; i <= 8; ++i) {
    net.announce("host" + std::to_string(i), "192.0.2." + std::to_string(i));
    net.run(2'000);
  }
  REQUIRE(net.places().size() == 8);
  net.hosts.erase("192.0.2.4:7910");
  net.run(60'000);
  net.announce("host9", "192.0.2.9");
  net.run(2'000);
  CHECK(net.places()[3] == "host4");  // it may only be restarting
  net.run(Links::kGivesWay_ms);
  net.announce("host9", "192.0.2.9");
  net.run(3'000);
  CHECK(net.places()[3] == "host9");
  net.take_data();
  CHECK(net.forgotten == std::vector<int>{3});
  net.hosts.erase("192.0.2.5:7910");
  net.run(10'000);
  net.now += Links::kKept_ms;
  net.run(1'000);
  CHECK(net.places()[4] == "-");
}

TEST_CASE("Links: Wi-Fi is joined by one link only, and each one follows it") {
  std::vector<uint64_t> memory(65'536 / 8);
  RecordQueue queue(reinterpret_cast<uint8_t*>(memory.data()), 65'536);
  LinkSettings settings;
  REQUIRE(parse_server("192.0.2.1", settings.servers[0]));
  REQUIRE(parse_server("192.0.2.2", settings.servers[3]));
  const auto links = std::make_unique<Links>(settings, Follow::all, queue);
  int joins[2] = {};
  int connects[2] = {};
  for (int64_t now = 0; now < 60'000; now += 200) {
    if (now == 30'000) links->wifi(WifiState::up, now);
    for (int place = 0; place < 2; ++place) {
      for (LinkAction action = links->next(place, now); action.kind != LinkAction::Kind::none;
           action = links->next(place, now)) {
        if (action.kind == LinkAction::Kind::join) ++joins[place];
        if (action.kind == LinkAction::Kind::connect) {
          CHECK(now >= 30'000);
          ++connects[place];
          links->feed(place)->link().connect_failed(now);
        }
      }
    }
    links->step(now);
  }
  CHECK(joins[0] > 0);
  CHECK(joins[1] == 0);
  CHECK(connects[0] > 0);
  CHECK(connects[1] > 0);
}

}  // namespace
}  // namespace inktop
