// Everything that the picture is a function of.
#pragma once

#include <cstdint>

#include "inktop/line.h"
#include "machine/alarms.h"
#include "machine/history.h"
#include "panel/quiet_hours.h"
#include "picture/taste.h"

namespace inktop {

// What the whole screen shows. Every screen goes through the same framebuffer and refresh policy.
enum class Screen : uint8_t {
  boot,             // version, board id, what it is about to do
  wifi_unset,       // no SSID is configured: how to set one
  wifi_joining,     // SSID and the attempt
  wifi_no_ssid,     // "SSID not found: the board sees 2.4 GHz networks only"
  wifi_bad_key,     // wrong password
  wifi_no_address,  // joined, but no DHCP answer
  searching,        // looking for the server: which address is tried now
  waiting,          // connected, no data line yet
  denied,           // the server ended the connection after the hello, or did not prove the key
  live,             // the dashboard (also while data is old or the link is lost: see Freshness)
  newer_protocol,   // the server speaks a newer protocol: update the firmware
  status,           // button: address, RSSI, versions, health, settings
  updating,         // over the air, in a few steps only
  panel_fault,      // the supply failed three times: never drawn on that panel, but the host shows it
};

// How old the newest data line is.
enum class Freshness : uint8_t {
  fresh,  // under 3 s
  old,    // from 3 s: the age is shown, quietly
  lost,   // from 12 s, or the link is down: unmistakable, with the time of the last data
};

// Facts of the board itself, for the boot, link and status screens. Texts are NUL-terminated ASCII.
struct BoardFacts {
  char id[32] = "";
  char firmware[16] = "";
  char reset_reason[16] = "";
  uint32_t boots = 0;
  char ssid[33] = "";
  char setup_password[16] = "";  // of the board's own access point, named as its id; empty: it is closed
  char setup_page[32] = "";      // address of the form there
  bool setup_closed = false;     // it was open long enough, and opens at the next start
  char address[46] = "";         // the board's own
  // What is being tried or connected: host:port; on the dashboard also the Wi-Fi that is in the way.
  char server[64] = "";
  int16_t rssi_dbm = 0;  // 0 unknown
  uint32_t uptime_s = 0;
  uint32_t heap_bytes = 0;
  uint32_t psram_bytes = 0;
  // Of internal RAM; -1 unknown (a virtual board).
  int32_t largest_block_bytes = -1;
  int32_t lowest_heap_bytes = -1;
  int32_t main_stack_bytes = -1;     // never used since the start
  int32_t network_stack_bytes = -1;  // the same
  uint32_t updates = 0;
  uint32_t washes = 0;
  uint32_t refresh_errors = 0;
  uint32_t bad_lines = 0;
  bool server_unproven = false;  // it did not show that it has the key
  uint16_t attempt = 0;          // of joining Wi-Fi, or of connecting
  uint16_t vcom_mv = 0;          // absolute value; 0: set by potentiometer
  uint8_t panel_mhz = 0;         // clock of its bus in force; 0: it was not started
  uint16_t wash_interval = 0;    // updates
  uint16_t update_interval_ms = 0;
  uint8_t update_percent = 0;  // over-the-air progress, in steps
};

struct View {
  Screen screen = Screen::boot;
  const Snapshot* snapshot = nullptr;  // newest data line; nullptr before the first
  const Fleet* fleet = nullptr;        // what a fleet server says instead
  const InfoLine* info = nullptr;      // newest info line; nullptr before the first
  const History* history = nullptr;    // never nullptr once the app runs
  // The minutes under the graphs: server's second of the day at `history->newest()`; -1 while unknown.
  // A column of a graph is second-of-day modulo the span, so that minutes stand still.
  int32_t second_of_day = -1;
  int32_t gpus_power_w = kUnknown;  // of all together, steadied; else the sum of what is shown
  Span span = Span::five_minutes;   // of the graphs
  Taste taste;
  QuietHours quiet;  // in which the board is now; without an interval: in none
  Freshness freshness = Freshness::fresh;
  uint32_t age_s = 0;        // of the newest data line, already in the steps in which it is shown
  int32_t last_data_s = -1;  // second of the day of the newest data line
  const Alarm* alarms = nullptr;
  int alarm_count = 0;
  const Event* event = nullptr;  // the newest of those that nobody has seen and no panel tells
  int event_count = 0;           // of them
  const BoardFacts* board = nullptr;

  // With several servers: a view of each, in the order of the settings. All in a grid, or one of them large;
  // then all the members above are of that one.
  const View* servers = nullptr;
  int server_count = 0;  // 0: there is one only
  int large = -1;        // which one; -1: all in a grid
  bool forward = false;  // that one has come forward for its alarm
  // Of one of them.
  char server_name[64] = "";  // its host, or where it is looked for
  bool denied = false;        // it ends each connection, or does not prove that it has the key
  bool newer = false;         // it speaks a newer protocol

  // Its data is not lost: what it says is what is.
  bool is_there() const { return (snapshot != nullptr || fleet != nullptr) && freshness != Freshness::lost; }
  // The facts of the GPU with that index; nullptr while unknown.
  const GpuInfo* gpu_info(int index) const {
    if (info == nullptr) return nullptr;
    for (int i = 0; i < info->gpu_count; ++i) {
      if (info->gpus[i].index == index) return &info->gpus[i];
    }
    return nullptr;
  }
};

}  // namespace inktop
