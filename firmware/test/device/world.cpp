#include "world.h"

#include <Arduino.h>
#include <WiFi.h>
#include <epdiy.h>
#include <esp_system.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

extern "C" {
// The bounds of what RTC_NOINIT_ATTR has placed, by the linker.
extern unsigned char __start_rtc_noinit[];
extern unsigned char __stop_rtc_noinit[];
}

namespace sim {
namespace {

World* the_world = nullptr;

// The parts of a board that was just started are in place before anyone looks.
constexpr int64_t kStart_ms = 250;

}  // namespace

World& world() {
  return *the_world;
}

World::World() {
  the_world = this;
  scheduler.on_time = [this] {
    for (const auto& [task, sign_of_life] : watched_us) {
      if (scheduler.now_us() - sign_of_life <= int64_t(watchdog_s) * 1'000'000) continue;
      ended_by_watchdog = true;
      wanted_reset_ = ESP_RST_TASK_WDT;
      scheduler.stop();
      return;
    }
  };
  scheduler.at(0, [this] { second(); });
}

World::~World() {
  stop_chip();
  the_world = nullptr;
}

void World::second() {
  for (const auto& connection : connections) {
    if (connection->open) serve(*connection);
  }
  scheduler.at(scheduler.now_us() + 1'000'000, [this] { second(); });
}

std::string World::line_of(int64_t number, const std::string& host) const {
  char body[200];
  std::snprintf(body, sizeof body,
                "h=%s|i=192.0.2.17|t=12:%02d|u=%lld|c=%d.%d|n=32|l=0.52,0.40,0.31|m=%d.0/"
                "125.9|w=eno1,11800000,420000",
                host.c_str(), int(number / 60 % 60), static_cast<long long>(number), int(number * 7 % 100),
                int(number % 10), 6 + int(number % 50));
  return closed_line(body);
}

void World::serve(Connection& connection) {
  const auto found = servers.find(connection.address);
  if (found == servers.end() || found->second.silent || !found->second.speaks) return;
  const Server& server = found->second;
  const std::string nonce = "000102030405060708090a0b0c0d0e0f";
  std::string line = line_of(1'000'000 + scheduler.now_us() / 1'000'000, server.host);
  if (server.checks_hello) {
    const size_t end = connection.from_board.find('\n');
    if (end == std::string::npos) return;
    const std::string hello = connection.from_board.substr(0, end);
    const size_t mac = hello.find("|mac=");
    if (mac == std::string::npos ||
        hello.substr(mac + 5, 64) != hmac_hex(server.key, nonce + "|" + hello.substr(0, mac))) {
      connection.open = false;
      return;
    }
    const std::string board_nonce = hello.substr(hello.find("|nonce=") + 7, 32);
    const std::string text =
        line.substr(0, line.size() - 6) + "|q=" + std::to_string(connection.lines_sent + 1);
    const std::string seal = hmac_hex(server.key, nonce + "|" + board_nonce + "|" + text).substr(0, 32);
    line = closed_line(text + "|mac=" + seal);
  }
  connection.to_board.push_back(line);
  ++connection.lines_sent;
}

void World::start_chip(int reason) {
  ++starts;
  reset_reason = reason;
  start_us = scheduler.now_us();
  sockets.clear();
  watched_us.clear();
  watchdog_s = 5;
  console_in.clear();
  console_room = kConsoleRoom;
  console_open = false;
  radio_sleeps = true;
  radio_rejoins = true;
  radio_begun = false;
  radio_rejoin = nullptr;
  radio_rejoined = false;
  std::memset(pin_level, 0, sizeof pin_level);
  std::memset(pin_drives, 0, sizeof pin_drives);
  panel.powered = false;
  panel.chip.sleep();
  panel.driving = false;
  flash_lock_holder.clear();
  flash_lock_depth = 0;
  flash_operations_now = 0;
  panel.initialized = false;
  panel.initialized_before_wifi = false;
  usb_pads = true;
  if (reason == ESP_RST_POWERON)
    std::memset(__start_rtc_noinit, 0xA5, size_t(__stop_rtc_noinit - __start_rtc_noinit));
  stack_bytes = {{"main", uint32_t(getArduinoLoopTaskStackSize())}};
  scheduler.spawn("main", [] {
    setup();
    for (;;) loop();
  });
}

void World::stop_chip() {
  scheduler.end_tasks();
  close_connections();
  wifi_events.clear();
  associated = false;
  has_address = false;
  ++joins;  // answers of the radio to the attempt before are void
  listens = false;
  ota_begun = false;
  datagrams.clear();
  own_network.clear();
  own_password.clear();
  serves_pages = false;
  callers.clear();
  for (void* block : psram) std::free(block);
  psram.clear();
  psram_bytes = 0;
  psram_blocks = 0;
}

void World::power_on() {
  start_chip(ESP_RST_POWERON);
  run_for_ms(kStart_ms);
}

void World::power_off() {
  stop_chip();
}

void World::press_reset() {
  stop_chip();
  start_chip(ESP_RST_EXT);
  run_for_ms(kStart_ms);
}

void World::reset_from_inside(int reason) {
  wanted_reset_ = reason;
  scheduler.stop();
  throw TaskEnd();
}

void World::run_for_ms(int64_t ms) {
  int64_t end_us = scheduler.now_us() + ms * 1000;
  while (scheduler.now_us() < end_us) {
    scheduler.run_until(end_us);
    if (wanted_reset_ == 0) continue;
    const int reason = wanted_reset_;
    wanted_reset_ = 0;
    stop_chip();
    start_chip(reason);
    end_us = std::max(end_us, scheduler.now_us() + kStart_ms * 1000);
  }
}

bool World::run_until(const std::function<bool()>& done, int64_t ms) {
  for (const int64_t end_ms = now_ms() + ms; now_ms() < end_ms;) {
    run_for_ms(50);
    if (done()) return true;
  }
  return false;
}

void World::lose_refills(const std::string& what, int64_t us) {
  constexpr int64_t kRefill_us = 130;
  panel.lost_refills += int((us + kRefill_us - 1) / kRefill_us);
  panel.faults += "flash written during a refresh: " + what + "\n";
}

void World::flash_operation(const std::string& what, int64_t us) {
  if (!scheduler.in_task()) {
    if (flash_lock_depth > 0) {
      scheduler.at(scheduler.now_us() + 1'000, [this, what, us] { flash_operation(what, us); });
    } else if (panel.driving) {
      lose_refills(what, us);
    }
    return;
  }
  const std::string task = scheduler.task_name();
  while (flash_lock_depth > 0 && flash_lock_holder != task) {
    flash_waited_us[task] += 1'000;
    scheduler.sleep_us(1'000);
  }
  const bool driving = panel.driving;
  if (driving) lose_refills(what, us);
  ++flash_operations_now;
  scheduler.sleep_us(us);
  --flash_operations_now;
  if (!driving && panel.driving) lose_refills(what, us);
}

void World::wifi_lost(uint8_t reason) {
  associated = false;
  has_address = false;
  for (const auto& connection : connections) connection->open = false;
  radio_failed(reason);
}

void World::radio_failed(uint8_t reason) {
  // Before it reports any failure, Arduino tries once again.
  if (!radio_rejoined && radio_rejoin) {
    radio_rejoined = true;
    radio_rejoin();
  }
  for (const auto& event : wifi_events) event(ARDUINO_EVENT_WIFI_STA_DISCONNECTED, reason);
}

std::shared_ptr<Connection> World::browse(const std::string& request) {
  auto caller = std::make_shared<Connection>();
  caller->open = serves_pages && !own_network.empty();
  // As it may come: in two segments.
  for (const std::string& part :
       {request.substr(0, request.size() / 2), request.substr(request.size() / 2)}) {
    if (!part.empty()) caller->to_board.push_back(part);
  }
  if (caller->open) callers.push_back(caller);
  return caller;
}

void World::announce(const std::string& address, uint16_t port, const std::string& key,
                     const std::string& host) {
  std::string body = "announce=1|h=" + host + "|i=" + address + "|port=" + std::to_string(port);
  if (!key.empty()) body += "|at=" + std::to_string(1'764'749'640 + scheduler.now_us() / 1'000'000);
  if (!key.empty()) body += "|mac=" + hmac_hex(key, body);
  if (listens && has_address && hears_datagrams && !radio_sleeps) datagrams.push_back(closed_line(body));
}

std::string World::last_reply() const {
  const size_t at = log.rfind("# ");
  if (at == std::string::npos) return "";
  return log.substr(at, log.find('\n', at) - at);
}

std::shared_ptr<Connection> World::connection() const {
  return connections.empty() ? nullptr : connections.back();
}

void World::close_connections(bool pretend_open) {
  for (const auto& connection : connections) {
    if (connection->open) connection->pretends = pretend_open;
    connection->open = false;
  }
}

}  // namespace sim
