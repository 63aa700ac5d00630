// The network task: runs the core's feed on core 0 and does what its link asks for; decides nothing.
#pragma once

#include <WiFi.h>
#include <WiFiUdp.h>
#include <freertos/FreeRTOS.h>
#include <freertos/task.h>

#include <cstdint>

#include "app/feed.h"
#include "app/record_queue.h"
#include "console/settings.h"
#include "nvs_store.h"
#include "resolver.h"
#include "wifi_station.h"

namespace inktop {

class NetworkTask {
 public:
  static constexpr uint32_t kStackBytes = 8 * 1024;
  static constexpr size_t kReadBytes = 1460;  // what one TCP segment brings

  // `inward`: to the app; `outward`: lines for the server.
  NetworkTask(const Settings& settings, const LinkSettings& link, NvsStore& store, RecordQueue& inward,
              RecordQueue& outward)
      : settings_(settings), store_(store), feed_(link, inward), outward_(outward) {}

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
  void act(const LinkAction& action);
  void connect(const LinkAction& action);
  void query_mdns();
  void receive();
  void send_waiting();

  const Settings& settings_;
  NvsStore& store_;
  Feed feed_;
  RecordQueue& outward_;
  WifiStation station_;
  TaskHandle_t task_ = nullptr;
  Resolver resolver_;
  WiFiClient client_;
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
