#include "app/feed.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "lines.h"

namespace inktop {
namespace {

using Kind = Record::Kind;

// A feed that is connected to its only server, and what it tells the app.
struct Wire {
  explicit Wire(const LinkSettings& settings = wired())
      : memory(65'536 / 8), queue(reinterpret_cast<uint8_t*>(memory.data()), 65'536), feed(settings, queue) {
    connect();
    take();
  }
  // A key whose HMAC is the length of what it signs and its last character.
  static LinkSettings keyed() {
    LinkSettings settings = wired();
    settings.key.set = true;
    settings.key.random = [] { return 0x76543210u; };
    settings.key.hmac = [](void*, const char* text, size_t length, char hex[65]) {
      std::snprintf(hex, 65, "%08x%056x", unsigned(length * 1000) + unsigned(text[length - 1]), 0u);
    };
    return settings;
  }
  static LinkSettings wired() {
    LinkSettings settings;
    REQUIRE(parse_server("192.0.2.2", settings.servers[0]));
    settings.use_mdns = false;
    settings.has_wifi = false;
    return settings;
  }
  void connect() {
    while (feed.link().next(now).kind != LinkAction::Kind::connect) now += 50;
    feed.connected(now);
  }
  void receive(const std::string& bytes) { feed.received(bytes.data(), bytes.size(), now); }
  // As a driver does: until the link wants nothing more.
  void act() {
    for (LinkAction action = feed.link().next(now); action.kind != LinkAction::Kind::none;
         action = feed.link().next(now)) {
      asked.push_back(action.kind);
      if (action.kind == LinkAction::Kind::close) feed.closed(action.why, now);
      if (action.kind == LinkAction::Kind::connect) return;
    }
  }
  // What waits for the app, as text, each with its time.
  std::vector<std::string> take() {
    std::vector<std::string> out;
    for (Record record; queue.peek(record); queue.pop()) {
      std::string text;
      if (record.kind == Kind::opened) text = "opened";
      if (record.kind == Kind::data) text = "data " + std::string(record.data->host);
      if (record.kind == Kind::info) text = "info " + std::string(record.info->cpu_model);
      if (record.kind == Kind::settings) {
        text = "settings";
        for (int i = 0; i < record.settings->value_count; ++i) {
          text += std::string(" ") + record.settings->values[i].name + "=" + record.settings->values[i].value;
        }
      }
      if (record.kind == Kind::newer) text = "newer";
      if (record.kind == Kind::dropped) text = "dropped " + std::string(line_error_name(record.error));
      if (record.kind == Kind::closed) text = "closed " + std::string(close_reason_name(record.why));
      if (record.kind == Kind::status) text = record.status->phase == LinkPhase::connected ? "up" : "status";
      out.push_back(text + " @" + std::to_string(record.time_ms));
    }
    return out;
  }

  std::vector<uint64_t> memory;
  RecordQueue queue;
  Feed feed;
  int64_t now = 1000;
  std::vector<LinkAction::Kind> asked;
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("Feed: the bytes that greet the board are the ones that tell the app, each line with its time") {
  Wire wire;
  const std::string both = closed_line("info=1|cpu=Xeon") + closed_line("h=one");
  wire.receive(both.substr(0, 20));
  wire.now = 1500;
  wire.receive(both.substr(20));
  CHECK(wire.take() == Texts{"info Xeon @1500", "data one @1500"});
  wire.act();
  // The last that worked is remembered, and the hello goes out.
  CHECK(wire.asked == std::vector<LinkAction::Kind>{LinkAction::Kind::send, LinkAction::Kind::remember});
  wire.feed.tell_status(wire.now);
  CHECK(wire.take() == Texts{"up @1500"});
}

TEST_CASE("Feed: a line that cannot be read is told by its kind, and the next one is whole (C8)") {
  Wire wire;
  wire.receive("h=one*0000\n");
  wire.receive(std::string(3000, 'x') + "\n");
  wire.receive("\x01\n" + closed_line("h=one"));
  CHECK(wire.take() ==
        Texts{"dropped checksum @1000", "dropped overlong @1000", "dropped charset @1000", "data one @1000"});
}

TEST_CASE(
    "Feed: half a line is counted as cut before its connection ends, and never runs into the next (C8)") {
  Wire wire;
  wire.receive(closed_line("info=1") + closed_line("h=one"));
  wire.receive("h=one|c=5");
  wire.take();
  wire.now = 2000;
  wire.feed.link().closed_by_peer(wire.now);
  wire.act();
  CHECK(wire.take() == Texts{"dropped cut @2000", "closed peer_closed @2000"});
  CHECK_FALSE(wire.feed.is_open());
  wire.feed.connected(wire.now);
  // The other half of that line is a bad line of its own.
  wire.receive("0.0*1234\n" + closed_line("h=one"));
  CHECK(wire.take() == Texts{"opened @2000", "dropped checksum @2000", "data one @2000"});
}

TEST_CASE("Feed: an attempt that is given up is no connection that ended") {
  Wire wire;
  wire.feed.link().send_failed(wire.now);
  wire.act();
  wire.take();
  CHECK_FALSE(wire.feed.closed(CloseReason::failed, wire.now));
  CHECK(wire.take().empty());
}

TEST_CASE("Feed: the app is told of a newer protocol, and not of lines that are none of its business") {
  Wire wire;
  wire.receive(closed_line("info=2|cpu=Xeon"));
  wire.receive(closed_line("hello=1|id=desk|fw=0.1.0") + closed_line("zz=1"));
  CHECK(wire.take() == Texts{"newer @1000"});
}

TEST_CASE("Feed: the link's status is told when it changes, and only then") {
  Wire wire;
  wire.feed.tell_status(wire.now);
  wire.feed.tell_status(wire.now);
  CHECK(wire.take() == Texts{"status @1000"});
  wire.feed.link().closed_by_peer(wire.now);
  wire.act();
  wire.take();
  wire.feed.tell_status(wire.now + 5);
  CHECK(wire.take() == Texts{"status @1005"});
}

TEST_CASE("Feed: a server that announces another port is tried there; the lines go on around it") {
  Wire wire;
  const std::string line = closed_line("h=one");
  wire.receive(line.substr(0, 4));
  const std::string announced = closed_line("announce=1|h=one|i=192.0.2.2|port=7911");
  wire.feed.datagram(announced.data(), announced.size(), wire.now);
  wire.receive(line.substr(4));
  CHECK(wire.take() == Texts{"data one @1000"});
  wire.feed.link().closed_by_peer(wire.now);
  wire.act();
  // The address that worked comes first, then the one that was announced.
  wire.feed.link().connect_failed(wire.now);
  LinkAction next;
  do {
    next = wire.feed.link().next(wire.now += 50);
  } while (next.kind != LinkAction::Kind::connect);
  CHECK(std::string(next.server.host) == "192.0.2.2");
  CHECK(next.server.port == 7911);
}

TEST_CASE("Feed: what a server holds for the board reaches the app") {
  Wire wire;
  wire.receive(closed_line("info=1") + closed_line("settings=1|set=wash:900,quiet:22:00-07:00") +
               closed_line("settings=1"));
  CHECK(wire.take() == Texts{"info  @1000", "settings wash=900 quiet=22:00-07:00 @1000", "settings @1000"});
}

TEST_CASE("Feed: a board with a key tells the app only what its server has sealed for this connection") {
  const std::string nonce = "000102030405060708090a0b0c0d0e0f";
  const auto sealed = [&nonce](const std::string& body, int number) {
    const std::string text = body + "|q=" + std::to_string(number);
    const std::string all = nonce + "|01234567012345670123456701234567|" + text;
    char hex[65];
    Wire::keyed().key.hmac(nullptr, all.data(), all.size(), hex);
    return closed_line(text + "|mac=" + std::string(hex, 32));
  };
  Wire wire(Wire::keyed());
  wire.receive(closed_line("info=1|nonce=" + nonce));
  CHECK(wire.take().empty());  // anybody could have said that
  wire.act();
  wire.take();
  wire.receive(sealed("info=1|cpu=a", 1) + sealed("settings=1|set=wash:900", 2) + sealed("h=one", 3));
  CHECK(wire.take() == Texts{"info a @" + std::to_string(wire.now),
                             "settings wash=900 @" + std::to_string(wire.now),
                             "data one @" + std::to_string(wire.now)});
  // Not sealed: it ends the connection, and what comes behind it is not told.
  wire.receive(closed_line("settings=1|set=wash:9") + sealed("h=two", 4));
  CHECK(wire.take() == Texts{"dropped seal @" + std::to_string(wire.now)});
  wire.act();
  wire.connect();
  wire.take();
  wire.receive(closed_line("info=1") + sealed("h=three", 5));  // a server without a key
  CHECK(wire.take().empty());
}

}  // namespace inktop
