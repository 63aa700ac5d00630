// The network task: runs the core's links on core 0 and does what they ask for; decides nothing.
#pragma once

#include <WiFiUdp.h>
#include <freertos/FreeRTOS.h>
#include <freertos/task.h>

#include <cstdint>

#include "app/links.h"
#include "app/record_queue.h"
#include "console/settings.h"
#include "nvs_store.h"
#include "resolver.h"
#include "server_socket.h"
#include "wifi_station.h"

namespace inktop {

class NetworkTask {
 public:
  static constexpr uint32_t kStackBytes = 8 * 1024;
  static constexpr size_t kReadBytes = 1460;  // what one TCP segment brings

  // `links`: in PSRAM; `outward`: lines for the servers.
  NetworkTask(const Settings& settings, Links& links, NvsStore& store, RecordQueue& outward);

  // Brings the radio up, from the calling task: what it writes to flash at its first start is written before
  // the first refresh.
  void start();
  // For the status screen and the health line; any task may ask.
  const WifiStation& station() const { return station_; }
  // Bytes of its stack that were never used; any task may ask.
  uint32_t stack_left() const { return uint32_t(uxTaskGetStackHighWaterMark(task_)); }

 private:
  static void run(void* self);
  void step();
  void listen();
  void serve(int place);
  void act(int place, const LinkAction& action);
  void connect(int place, const LinkAction& action);
  void query_mdns(int place);
  void receive(int place);
  void send_waiting();

  // One server's way through the network stack.
  struct Wire {
    ServerSocket socket;
    Resolver resolver;
    char address[46] = "";  // of the newest connect, for the log
    uint16_t port = 0;
  };

  const Settings& settings_;
  NvsStore& store_;
  Links& links_;
  RecordQueue& outward_;
  WifiStation station_;
  TaskHandle_t task_ = nullptr;
  Wire wires_[Links::kPlaces];
  WiFiUDP announcements_;
  bool listening_ = false;
  bool mdns_ready_ = false;
  int64_t stepped_ms_ = 0;
  int64_t patient_until_ms_ = 0;
  ServerAddress to_remember_;
  bool remember_wanted_ = false;
  char buffer_[kReadBytes];
};

}  // namespace inktop
