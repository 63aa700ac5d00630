#include "wifi_station.h"

#include <WiFi.h>

#include <atomic>
#include <cstdio>

#include "device_log.h"

namespace inktop {
namespace {

// DHCP answers within a second or two, or there is none.
constexpr int64_t kAddress_ms = 10'000;

enum class Radio : uint8_t { nothing, associated, up, down, no_ssid, bad_key };
// Written by the radio's event task, taken by the network task: only the newest counts.
std::atomic<Radio> radio{Radio::nothing};

Radio radio_of(uint8_t reason) {
  switch (reason) {
    case WIFI_REASON_NO_AP_FOUND:
      return Radio::no_ssid;
    case WIFI_REASON_AUTH_FAIL:
    case WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT:  // what a wrong password looks like with WPA2
    case WIFI_REASON_HANDSHAKE_TIMEOUT:
      return Radio::bad_key;
    case WIFI_REASON_ASSOC_LEAVE:  // our own doing, before each attempt to join
      return Radio::nothing;
    default:
      return Radio::down;
  }
}

void event(arduino_event_id_t id, arduino_event_info_t info) {
  if (id == ARDUINO_EVENT_WIFI_STA_CONNECTED) radio.store(Radio::associated);
  if (id == ARDUINO_EVENT_WIFI_STA_GOT_IP) radio.store(Radio::up);
  if (id == ARDUINO_EVENT_WIFI_STA_LOST_IP) radio.store(Radio::down);
  if (id == ARDUINO_EVENT_WIFI_STA_DISCONNECTED) {
    const uint8_t reason = info.wifi_sta_disconnected.reason;
    const Radio said = radio_of(reason);
    if (said == Radio::nothing) return;
    radio.store(said);
    log_line("wifi: %s (reason %u)",
             said == Radio::no_ssid   ? "SSID not found: the board sees 2.4 GHz networks only"
             : said == Radio::bad_key ? "wrong password"
                                      : "connection lost",
             unsigned(reason));
  }
}

}  // namespace

void WifiStation::begin(const char* id) {
  radio.store(Radio::nothing);
  WiFi.onEvent(event);
  WiFi.persistent(false);        // the settings are in our own place
  WiFi.setAutoReconnect(false);  // the link decides when
  WiFi.setHostname(id);
  WiFi.mode(WIFI_STA);
  WiFi.setSleep(false);  // asleep, it would miss announcements
}

void WifiStation::join(const char* ssid, const char* password) {
  WiFi.disconnect();
  radio.store(Radio::nothing);
  joined_ms_ = -1;
  told_no_address_ = false;
  log_line("wifi: joining \"%s\"", ssid);
  // No scan before: it starves the idle task for longer than the watchdog allows.
  WiFi.begin(ssid, password[0] != 0 ? password : nullptr);
}

bool WifiStation::news(int64_t now_ms, WifiState& out) {
  const Radio said = radio.exchange(Radio::nothing);
  switch (said) {
    case Radio::nothing:
      if (joined_ms_ < 0 || told_no_address_ || now_ms - joined_ms_ < kAddress_ms) return false;
      told_no_address_ = true;
      log_line("wifi: joined, but no DHCP server gives an address");
      out = WifiState::no_address;
      return true;
    case Radio::associated:
      joined_ms_ = now_ms;
      told_no_address_ = false;
      return false;
    case Radio::up: {
      joined_ms_ = -1;
      char text[46];
      address(text, sizeof text);
      log_line("wifi: up, this board is %s, %d dBm", text, rssi_dbm());
      out = WifiState::up;
      return true;
    }
    case Radio::down:
      joined_ms_ = -1;
      out = WifiState::down;
      return true;
    case Radio::no_ssid:
      out = WifiState::no_ssid;
      return true;
    case Radio::bad_key:
      out = WifiState::bad_key;
      return true;
  }
  return false;
}

bool WifiStation::is_up() const {
  return WiFi.status() == WL_CONNECTED;
}

int WifiStation::rssi_dbm() const {
  return is_up() ? WiFi.RSSI() : 0;
}

void WifiStation::address(char* out, size_t size) const {
  const IPAddress own = WiFi.localIP();
  std::snprintf(out, size, "%u.%u.%u.%u", unsigned(own[0]), unsigned(own[1]), unsigned(own[2]),
                unsigned(own[3]));
}

}  // namespace inktop
