// The world around a simulated board: radio, servers, name server, panel, flash, console, watchdog.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "firmware/test/lines.h"
#include "scheduler.h"

namespace sim {

// What one server does with a connection.
struct Server {
  enum class Manner { accepts, refuses, swallows };  // swallows: the connect runs into its time limit
  Manner manner = Manner::accepts;
  bool silent = false;  // accepts, but says nothing (any more)
  bool speaks = true;   // info at once, then a line a second
  int64_t first_line_number = 0;
  std::string key;  // of the stream; empty: none
  std::string host = "t7910";
  bool checks_hello = false;  // with a key: closes on a wrong hello
};

struct Connection {
  std::string address;    // a.b.c.d:port
  bool open = true;       // as the peer sees it
  bool pretends = false;  // connected() goes on to say yes after the peer has gone
  std::deque<std::string> to_board;
  std::string from_board;
  int64_t lines_sent = 0;
  bool floods = false;  // sends more than the board reads, and no line
  int flood_reads = 0;
};

// The supply of a board with the power chip, a TPS65185 (its data sheet): asleep it keeps nothing and does
// not answer. Nothing else knows what its registers mean.
struct PowerChip {
  static constexpr uint8_t kEnable = 0x01, kVcom1 = 0x03, kVcom2 = 0x04, kPowerGood = 0x0F;
  static constexpr uint8_t kAllRails = 0xFA;

  void sleep() { *this = PowerChip(); }
  // VCOM without its minus sign: nine bits in steps of 10 mV, in two registers. 0: never written.
  int vcom_mv() const { return ((registers[kVcom2] & 1) << 8 | registers[kVcom1]) * 10; }

  bool awake = false;
  uint8_t registers[17] = {};
};

// The panel that is there, which the firmware does not define: `faults` tells when it believes in another.
constexpr int kPanelColumns = 1920;
constexpr int kPanelRows = 1080;

// How the panel answers; the next refresh takes the first of `answers`.
struct PanelSide {
  int64_t du_us = 170'000;
  int64_t gc16_us = 1'000'000;
  std::deque<unsigned> answers;
  bool power_good = true;
  bool rails_good = true;    // all of them, as the chip's register says; power_good is its one signal
  bool chip_answers = true;  // the supply's, on the I2C bus
  bool bus_glitch = false;   // a transfer of the library fails, which it takes for the end of the world
  int transfers_before_glitch = 0;
  int ends_in_refresh = 0;  // a reset's reason: no refresh ends otherwise
  bool powered = false;
  bool hangs = false;  // the next refresh never ends
  bool driving = false;
  int64_t driven_us = 0;  // when the last refresh ended
  bool starves = false;   // tasks below the library's own get no time during a refresh
  int power_ons = 0;
  int lost_refills = 0;  // of the bounce buffer, in the refresh now or last
  int shifted_rows = 0;  // by them, in the last refresh that ended
  int drives = 0;
  int all_row_drives = 0;
  int du_drives = 0;
  int gc16_drives = 0;
  PowerChip chip;
  int vcom_mv = 0;  // what the rails had when they last came up
  // What the two feeding tasks need for a row; above what the bus needs, they fall behind. 0: nothing.
  int64_t feed_row_ns = 0;
  int clock_mhz = 0;
  bool initialized = false;
  bool initialized_before_wifi = false;
  unsigned init_options = 0;
  std::string faults;  // what a real panel, or the library that drives it, would have taken amiss
  std::vector<uint8_t> last_difference;
  std::vector<bool> last_dirty;
};

class World {
 public:
  static constexpr size_t kConsoleRoom = 256;  // unless the firmware asks for more, before it opens the port

  World();
  ~World();

  // Switches the board on, or on again after it was off.
  void power_on();
  void power_off();
  // Presses RST: everything in the chip starts again, memory in RTC stays.
  void press_reset();
  // Lets time pass; a board that resets itself starts again.
  void run_for_ms(int64_t ms);
  // Lets time pass until `done` or `ms` have passed; true: done.
  bool run_until(const std::function<bool()>& done, int64_t ms);
  int64_t now_ms() const { return scheduler.now_us() / 1000; }
  int64_t uptime_us() const { return scheduler.now_us() - start_us; }

  // The radio.
  void wifi_lost(uint8_t reason);
  // Sends `line` and its newline as a broadcast datagram, if the board listens.
  void announce(const std::string& address, uint16_t port, const std::string& key = "",
                const std::string& host = "t7910");
  // What the receive buffer cannot hold until the board reads it is lost, as on the chip.
  void type(const std::string& command) {
    console_in = (console_in + command + "\n").substr(0, console_room);
  }
  bool logged(const std::string& text) const { return log.find(text) != std::string::npos; }
  std::string last_reply() const;
  // The newest connection, nullptr before the first.
  std::shared_ptr<Connection> connection() const;
  void close_connections(bool pretend_open = false);

  Scheduler scheduler;
  int64_t start_us = 0;
  int starts = 0;

  // The network.
  std::string ssid = "home";
  std::string password = "correct horse";
  bool access_point = true;
  bool dhcp = true;
  bool associated = false;
  bool has_address = false;
  int joins = 0;
  // The board's own access point.
  std::string own_network;  // its name; empty: closed
  std::string own_password;
  bool serves_pages = false;
  bool radio_refuses = false;  // to open it
  bool socket_error = false;   // the last call on a socket that failed found its peer gone
  std::vector<std::shared_ptr<Connection>> callers;  // browsers that the board has not yet accepted
  // A browser in the board's network; the answer is in its `from_board`.
  // Sockets of the network stack: what each is connected to, by its number.
  struct Socket {
    std::string address;
    int64_t begun_us = -1;  // of the connect; -1: none
    std::shared_ptr<Connection> connection;
  };
  std::map<int, Socket> sockets;
  int next_socket = 10;
  std::shared_ptr<Connection> browse(const std::string& request);
  std::map<std::string, Server> servers;  // by "a.b.c.d:port"
  std::map<std::string, std::string> names;
  int64_t name_server_us = 20'000;
  std::string mdns_service;  // "a.b.c.d:port", empty: nobody answers
  int mdns_queries = 0;
  std::vector<std::shared_ptr<Connection>> connections;
  std::deque<std::string> datagrams;
  bool floods = false;  // somebody sends datagrams faster than the board reads them
  int flood_datagrams = 0;
  bool listens = false;
  bool hears_datagrams = true;
  bool radio_sleeps = true;            // until it is told not to: then it misses broadcasts
  bool radio_rejoins = true;           // by itself, besides what the firmware decides
  bool radio_begun = false;            // and not ended since
  int join_failures = 0;               // the next joins end with reason 2
  std::function<void()> radio_rejoin;  // Arduino's own, once a start, after the first failure of any kind
  bool radio_rejoined = false;
  void radio_failed(uint8_t reason);

  PanelSide panel;
  std::map<std::string, std::string> flash;  // "namespace/key"
  bool flash_works = true;
  // One operation on flash: it masks the interrupt that refills the panel's rows, on both cores. Waits for
  // the holder of the system's lock on flash operations. From a task, or from an event.
  void flash_operation(const std::string& what, int64_t us = kFlashWrite_us);
  static constexpr int64_t kFlashWrite_us = 250;  // a small value; an erase takes some 40 ms
  std::string flash_lock_holder;                  // the task; empty: nobody
  int flash_lock_depth = 0;
  int flash_operations_now = 0;
  std::map<std::string, int64_t> flash_waited_us;  // task -> how long it waited for that lock
  std::string log;
  std::string console_in;
  size_t console_room = kConsoleRoom;
  bool console_open = false;
  int button_reading = 4095;
  bool adc_busy = false;
  int pin_level[64] = {};
  bool pin_drives[64] = {};       // is an output
  int64_t pin_since_us[64] = {};  // at this level
  bool usb_pads = true;           // the chip's own USB holds GPIO19

  int reset_reason = 1;  // ESP_RST_POWERON
  uint32_t watchdog_s = 5;
  std::map<std::string, int64_t> watched_us;  // task -> last sign of life
  bool ended_by_watchdog = false;

  // Updates over the air.
  std::string ota_password;
  bool ota_begun = false;
  bool ota_waits = false;  // someone sends an update: the next handle() takes it
  bool ota_fails = false;
  std::function<void()> ota_start;
  std::function<void()> ota_end;
  std::function<void(unsigned, unsigned)> ota_progress;
  std::function<void(int)> ota_error;
  std::vector<std::function<void(int, uint8_t)>> wifi_events;  // event id, reason

  std::map<std::string, uint32_t> stack_bytes;  // task -> what it was given
  size_t lowest_heap_bytes = 98'304;
  size_t largest_block_bytes = 65'524;
  size_t psram_bytes = 0;
  size_t psram_blocks = 0;
  int64_t allocations_after_start = 0;
  std::vector<void*> psram;

  // For fakes in a task.
  void reset_from_inside(int reason);
  std::string line_of(int64_t number, const std::string& host = "t7910") const;

 private:
  void start_chip(int reason);
  void stop_chip();
  void second();
  void lose_refills(const std::string& what, int64_t us);
  void serve(Connection& connection);
  int wanted_reset_ = 0;
};

// The one that the fakes speak to.
World& world();

using inktop::closed_line;
std::string hmac_hex(const std::string& key, const std::string& text);

}  // namespace sim
