#include "network_task.h"

#include <ESPmDNS.h>

#include <cstdio>

#include "device_log.h"
#include "monotonic.h"
#include "watchdog.h"

namespace inktop {
namespace {

constexpr uint32_t kStep_ms = 20;
// The main task runs on core 1, as Arduino has it.
constexpr BaseType_t kCore = 0;
constexpr UBaseType_t kPriority = 3;
// A step this late was starved; the network stack then gets this long to deliver.
constexpr int64_t kStarved_ms = 2'000;
constexpr int64_t kPatience_ms = 2'000;
// What a step takes in, each at most kReadBytes; the rest waits in the network stack, or is lost there.
// Without an end a flood would keep the task from its watchdog.
constexpr int kDatagrams = 8;
constexpr int kReads = 16;

}  // namespace

NetworkTask::NetworkTask(const Settings& settings, Links& links, NvsStore& store, RecordQueue& outward)
    : settings_(settings), store_(store), links_(links), outward_(outward) {
  static_assert(Links::kPlaces <= Resolver::kPlaces, "a resolver for each server");
  for (int place = 0; place < Links::kPlaces; ++place) wires_[place].resolver.take_place(place);
}

void NetworkTask::start() {
  station_.begin(settings_.id);
  xTaskCreatePinnedToCore(run, "inktop-network", kStackBytes, this, kPriority, &task_, kCore);
}

void NetworkTask::run(void* self) {
  NetworkTask& task = *static_cast<NetworkTask*>(self);
  Watchdog::watch_this_task();
  for (;;) {
    task.step();
    Watchdog::feed();
    vTaskDelay(pdMS_TO_TICKS(kStep_ms));
  }
}

void NetworkTask::step() {
  const int64_t started_ms = now_ms();
  // A refresh leaves this task and the network stack next to no time. Deliver what has come meanwhile before
  // the link judges the silence.
  if (started_ms - stepped_ms_ >= kStarved_ms) patient_until_ms_ = started_ms + kPatience_ms;
  stepped_ms_ = started_ms;
  WifiState state;
  if (station_.news(now_ms(), state)) links_.wifi(state, now_ms());
  listen();
  for (int place = 0; place < Links::kPlaces; ++place) {
    if (links_.feed(place) != nullptr) serve(place);
  }
  if (remember_wanted_ && store_.remember_later(to_remember_)) remember_wanted_ = false;
  send_waiting();
  links_.step(now_ms());
}

void NetworkTask::serve(int place) {
  Feed& feed = *links_.feed(place);
  Link& link = feed.link();
  Wire& wire = wires_[place];
  const Resolver::State looked_up = wire.resolver.take();
  if (looked_up == Resolver::State::found) link.resolved(true, wire.resolver.address(), now_ms());
  if (looked_up == Resolver::State::failed) link.resolved(false, "", now_ms());
  switch (wire.socket.poll(now_ms())) {
    case ServerSocket::Connect::none:
      break;
    case ServerSocket::Connect::made:
      log_line("link: connected to %s:%u", wire.address, unsigned(wire.port));
      feed.connected(now_ms());
      break;
    case ServerSocket::Connect::failed:
      log_line("link: %s:%u does not answer", wire.address, unsigned(wire.port));
      link.connect_failed(now_ms());
      break;
  }
  if (feed.is_open()) receive(place);
  if (feed.is_open() && now_ms() < patient_until_ms_) return;
  for (LinkAction action = links_.next(place, now_ms()); action.kind != LinkAction::Kind::none;
       action = links_.next(place, now_ms())) {
    act(place, action);
  }
}

void NetworkTask::listen() {
  if (!station_.is_up()) {
    if (listening_) announcements_.stop();
    listening_ = false;
    return;
  }
  if (!listening_) listening_ = announcements_.begin(kDefaultPort) != 0;
  for (int i = 0; i < kDatagrams && listening_ && announcements_.parsePacket() > 0; ++i) {
    const int size = announcements_.read(buffer_, sizeof buffer_);
    if (size > 0) links_.datagram(buffer_, size_t(size), now_ms());
  }
}

void NetworkTask::act(int place, const LinkAction& action) {
  Feed& feed = *links_.feed(place);
  Wire& wire = wires_[place];
  switch (action.kind) {
    case LinkAction::Kind::none:
      return;
    case LinkAction::Kind::join:
      feed.tell_status(now_ms());
      station_.join(settings_.ssid, settings_.password);
      return;
    case LinkAction::Kind::resolve:
      feed.tell_status(now_ms());
      wire.resolver.start(action.server.host);
      return;
    case LinkAction::Kind::connect:
      feed.tell_status(now_ms());
      connect(place, action);
      return;
    case LinkAction::Kind::close:
      wire.socket.close();
      if (!feed.closed(action.why, now_ms())) return;
      if (place == 0) {
        log_line("link: closed, %s", close_reason_name(action.why));
      } else {
        log_line("link: closed, %s, %s:%u", close_reason_name(action.why), wire.address, unsigned(wire.port));
      }
      return;
    case LinkAction::Kind::send:
      if (!wire.socket.write(action.bytes, action.size)) feed.link().send_failed(now_ms());
      return;
    case LinkAction::Kind::query_mdns:
      query_mdns(place);
      return;
    case LinkAction::Kind::remember:
      to_remember_ = action.server;
      remember_wanted_ = true;
      return;
  }
}

void NetworkTask::connect(int place, const LinkAction& action) {
  Wire& wire = wires_[place];
  std::snprintf(wire.address, sizeof wire.address, "%s", action.address);
  wire.port = action.server.port;
  if (wire.socket.connect(action.address, action.server.port, action.timeout_ms, now_ms())) return;
  log_line("link: %s:%u cannot be reached", action.address, unsigned(action.server.port));
  links_.feed(place)->link().connect_failed(now_ms());
}

void NetworkTask::query_mdns(int place) {
  if (!mdns_ready_) mdns_ready_ = MDNS.begin(settings_.id);
  char service[] = "inktop";
  char protocol[] = "tcp";
  ServerAddress server;
  // Blocks for up to 3 s; only asked while there is no connection.
  const bool found = mdns_ready_ && MDNS.queryService(service, protocol) > 0;
  if (found) {
    const IPAddress address = MDNS.IP(0);
    std::snprintf(server.host, sizeof server.host, "%u.%u.%u.%u", unsigned(address[0]), unsigned(address[1]),
                  unsigned(address[2]), unsigned(address[3]));
    server.port = MDNS.port(0);
  }
  links_.feed(place)->link().mdns(found, server, now_ms());
}

void NetworkTask::receive(int place) {
  Feed& feed = *links_.feed(place);
  for (int i = 0; i < kReads && feed.is_open(); ++i) {
    const int size = wires_[place].socket.read(buffer_, sizeof buffer_);
    // A peer that has gone may never say so: then the silence decides.
    if (size < 0) feed.link().closed_by_peer(now_ms());
    if (size <= 0) return;
    feed.received(buffer_, size_t(size), now_ms());
  }
}

void NetworkTask::send_waiting() {
  Record line;
  while (outward_.peek(line)) {
    Feed* const feed = links_.feed(line.server);
    const bool ready =
        feed != nullptr && feed->is_open() && feed->link().status().phase == LinkPhase::connected;
    const size_t size = ready ? feed->link().seal(line.text, line.size, buffer_, sizeof buffer_) : 0;
    if (size > 0 && !wires_[line.server].socket.write(buffer_, size)) feed->link().send_failed(now_ms());
    outward_.pop();  // a line that found no connection is too old for the next one
  }
}

}  // namespace inktop
