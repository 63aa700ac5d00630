// The way to a server: its bytes, the sockets' events, the radio, announcements and time, each as hostile as
// it can be. Then the world becomes an honest one: the board must find its server and stay with it.
#include <cstring>
#include <memory>
#include <vector>

#include "app/feed.h"
#include "choices.h"

using namespace inktop;
using fuzz::require;

namespace {

using Kind = LinkAction::Kind;
constexpr int kMostActions = 64;  // that one moment may ask for
constexpr int64_t kPatience_ms = 180'000;
constexpr const char* kServer = "192.0.2.17";

// Not secure: the fuzzer is to get past it.
void weak_hmac(void*, const char* text, size_t length, char hex[65]) {
  uint8_t sum = 0;
  for (size_t i = 0; i < length; ++i) sum = uint8_t(sum + text[i]);
  for (int i = 0; i < 64; ++i) hex[i] = "0123456789abcdef"[(sum + i) & 15];
  hex[64] = 0;
}
uint32_t weak_random() {
  return 7;
}

LinkSettings settings_of(fuzz::Choices& choices) {
  LinkSettings settings;
  const uint8_t flags = choices.byte();
  settings.has_wifi = flags & 1;
  settings.use_mdns = flags & 2;
  if (flags & 4) parse_server("t7910", settings.last);
  if (flags & 8) parse_server("192.0.2.17:7910", settings.servers[0]);
  if (flags & 16) parse_server("nas.lan", settings.servers[3]);
  if (flags & 32) settings.key = {true, weak_hmac, nullptr, weak_random};
  settings.seed = choices.byte();
  std::strcpy(settings.hello.board, "desk");
  std::strcpy(settings.hello.firmware, "0.1.0");
  return settings;
}

// A driver of sockets that keeps to what link.h asks of one: it reports what was asked for, and nothing of
// what was closed.
class Driver {
 public:
  Driver(const LinkSettings& settings, int64_t now_ms)
      : now(now_ms),
        memory_(2048),
        records_(reinterpret_cast<uint8_t*>(memory_.data()), 8 * memory_.size()),
        feed(settings, records_) {}

  void act() {
    for (int i = 0;; ++i) {
      require(i < kMostActions, "the link comes to rest");
      const LinkAction action = feed.link().next(now);
      feed.tell_status(now);
      if (action.kind == Kind::none) break;
      take(action);
    }
    drain();
  }
  void drain() {
    Record record;
    while (records_.peek(record)) {
      if (record.kind == Record::Kind::data) ++data;
      records_.pop();
    }
  }
  void take(const LinkAction& action) {
    switch (action.kind) {
      case Kind::connect:
        require(std::memchr(action.address, 0, sizeof action.address) != nullptr, "an address ends");
        require(action.address[0] != 0, "an address is there");
        ++attempts;
        [[fallthrough]];
      case Kind::join:
      case Kind::resolve:
      case Kind::query_mdns:
        require(!feed.is_open(), "one connection at a time");
        asked = action.kind;
        break;
      case Kind::close:
        asked = Kind::none;
        feed.closed(action.why, now);
        break;
      case Kind::send:
        require(feed.is_open(), "bytes go to a connection only");
        require(action.size > 0 && action.size <= kMaxHelloBytes, "a hello is no longer than a server takes");
        require(action.bytes[action.size - 1] == '\n', "a line has its newline");
        break;
      default:
        break;
    }
  }
  void lost(bool by_peer) {
    if (!feed.is_open()) return;
    if (by_peer) {
      feed.link().closed_by_peer(now);
    } else {
      feed.link().send_failed(now);
    }
  }
  void connect_ended(bool ok) {
    if (asked != Kind::connect) return;
    asked = Kind::none;
    if (ok) {
      feed.connected(now);
    } else {
      feed.link().connect_failed(now);
    }
  }
  void resolved(bool ok, const char* address) {
    if (asked != Kind::resolve) return;
    asked = Kind::none;
    feed.link().resolved(ok, address, now);
  }
  void mdns(bool found, const char* server) {
    if (asked != Kind::query_mdns) return;
    asked = Kind::none;
    ServerAddress address;
    feed.link().mdns(found && parse_server(server, address), address, now);
  }
  void received(const std::string& bytes) {
    if (feed.is_open()) feed.received(bytes.data(), bytes.size(), now);
  }

  int64_t now;
  Kind asked = Kind::none;
  uint64_t data = 0;
  int attempts = 0;

 private:
  std::vector<uint64_t> memory_;
  RecordQueue records_;

 public:
  Feed feed;
};

void hostile_step(Driver& driver, fuzz::Choices& choices) {
  switch (choices.below(13)) {
    case 12:
      driver.asked = Kind::none;  // the answer is lost
      break;
    case 0:
      driver.now += choices.step_ms();
      break;
    case 1:
      driver.connect_ended(true);
      break;
    case 2:
      driver.connect_ended(false);
      break;
    case 3:
      driver.received(choices.text());
      break;
    case 4:
      driver.received(choices.line());
      break;
    case 5:
      driver.lost(true);
      break;
    case 6:
      driver.lost(false);
      break;
    case 7:
      driver.resolved(choices.below(2) == 0, ("1" + choices.text().substr(0, 44)).c_str());
      break;
    case 8:
      driver.mdns(choices.below(2) == 0, choices.text().c_str());
      break;
    case 9:
      driver.feed.link().wifi(WifiState(choices.below(5)), driver.now);
      break;
    case 10: {
      const std::string bytes = choices.line();
      driver.feed.datagram(bytes.data(), bytes.size(), driver.now);
      break;
    }
    default: {
      char out[kMaxLineBytes + 1];
      const std::string line = choices.line();
      require(driver.feed.link().seal(line.data(), line.size(), out, sizeof out) <= kMaxLineBytes,
              "a sealed line has room");
      break;
    }
  }
}

// What an honest world answers to what is asked for.
void honest_step(Driver& driver) {
  const Kind asked = driver.asked;
  if (asked == Kind::join) {
    driver.asked = Kind::none;
    driver.feed.link().wifi(WifiState::up, driver.now);
  }
  driver.resolved(true, kServer);
  driver.mdns(true, kServer);
  if (asked == Kind::connect) {
    driver.connect_ended(true);
    driver.received(closed_line("info=1|v=0.1.0"));
  }
  if (driver.now % 1000 == 0) driver.received(closed_line("h=t7910|c=12.4"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Choices choices(data, size);
  const LinkSettings settings = settings_of(choices);
  Driver driver(settings, choices.start_ms());
  driver.act();
  for (int i = 0; i < 300 && choices.any(); ++i) {
    hostile_step(driver, choices);
    driver.act();
  }

  const bool has_server = settings.servers[0].host[0] != 0 || settings.servers[3].host[0] != 0 ||
                          settings.last.host[0] != 0 || settings.use_mdns;
  if (!has_server) return 0;
  driver.now = (driver.now / 1000 + 1) * 1000;
  const int64_t start = driver.now;
  const int before = driver.attempts;
  while (driver.now - start < kPatience_ms) {
    driver.now += 200;
    honest_step(driver);
    driver.act();
  }
  if (settings.key.set) {
    // This server has no key: it must be tried again and again, and not be believed.
    require(driver.attempts > before + 3, "the board goes on looking for its server");
    return 0;
  }
  require(driver.feed.link().status().phase == LinkPhase::connected, "an honest server is found and kept");
  const uint64_t seen = driver.data;
  for (int i = 0; i < 50; ++i) {
    driver.now += 200;
    honest_step(driver);
    driver.act();
  }
  require(driver.data > seen + 8, "its lines reach the app");
  return 0;
}
