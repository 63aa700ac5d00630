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
  Link& link = feed_.link();
  WifiState state;
  if (station_.news(now_ms(), state)) link.wifi(state, now_ms());
  listen();
  const Resolver::State looked_up = resolver_.take();
  if (looked_up == Resolver::State::found) link.resolved(true, resolver_.address(), now_ms());
  if (looked_up == Resolver::State::failed) link.resolved(false, "", now_ms());
  if (feed_.is_open()) receive();
  if (!feed_.is_open() || now_ms() >= patient_until_ms_) {
    for (LinkAction action = link.next(now_ms()); action.kind != LinkAction::Kind::none;
         action = link.next(now_ms())) {
      act(action);
    }
  }
  if (remember_wanted_ && store_.remember_later(to_remember_)) remember_wanted_ = false;
  send_waiting();
  feed_.tell_status(now_ms());
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
    if (size > 0) feed_.datagram(buffer_, size_t(size), now_ms());
  }
}

void NetworkTask::act(const LinkAction& action) {
  switch (action.kind) {
    case LinkAction::Kind::none:
      return;
    case LinkAction::Kind::join:
      feed_.tell_status(now_ms());
      station_.join(settings_.ssid, settings_.password);
      return;
    case LinkAction::Kind::resolve:
      feed_.tell_status(now_ms());
      resolver_.start(action.server.host);
      return;
    case LinkAction::Kind::connect:
      feed_.tell_status(now_ms());
      connect(action);
      return;
    case LinkAction::Kind::close:
      client_.stop();
      if (feed_.closed(action.why, now_ms())) log_line("link: closed, %s", close_reason_name(action.why));
      return;
    case LinkAction::Kind::send:
      if (client_.write(reinterpret_cast<const uint8_t*>(action.bytes), action.size) != action.size) {
        feed_.link().send_failed(now_ms());
      }
      return;
    case LinkAction::Kind::query_mdns:
      query_mdns();
      return;
    case LinkAction::Kind::remember:
      to_remember_ = action.server;
      remember_wanted_ = true;
      return;
  }
}

void NetworkTask::connect(const LinkAction& action) {
  IPAddress address;
  if (!address.fromString(action.address)) {
    log_line("link: %s is no IPv4 address, and this board's network has no other", action.address);
    feed_.link().connect_failed(now_ms());
    return;
  }
  // By number: a name would be looked up again, blocking.
  if (client_.connect(address, action.server.port, action.timeout_ms) == 0) {
    log_line("link: %s:%u does not answer", action.address, unsigned(action.server.port));
    feed_.link().connect_failed(now_ms());
    return;
  }
  log_line("link: connected to %s:%u", action.address, unsigned(action.server.port));
  feed_.connected(now_ms());
}

void NetworkTask::query_mdns() {
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
  feed_.link().mdns(found, server, now_ms());
}

void NetworkTask::receive() {
  for (int i = 0; i < kReads; ++i) {
    const int size = client_.read(reinterpret_cast<uint8_t*>(buffer_), sizeof buffer_);
    if (size <= 0) {
      // 0 also after the peer has closed, and connected() may go on to say yes: then the silence decides.
      if (size < 0 || !client_.connected()) feed_.link().closed_by_peer(now_ms());
      return;
    }
    feed_.received(buffer_, size_t(size), now_ms());
  }
}

void NetworkTask::send_waiting() {
  Record line;
  while (outward_.peek(line)) {
    const bool ready = feed_.is_open() && feed_.link().status().phase == LinkPhase::connected;
    const size_t size = ready ? feed_.link().seal(line.text, line.size, buffer_, sizeof buffer_) : 0;
    if (size > 0 && client_.write(reinterpret_cast<const uint8_t*>(buffer_), size) != size) {
      feed_.link().send_failed(now_ms());
    }
    outward_.pop();  // a line that found no connection is too old for the next one
  }
}

}  // namespace inktop
