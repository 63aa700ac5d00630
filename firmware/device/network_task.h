// Owns the network task: runs the core's Link on core 0 and does what it asks for; decides nothing.
#pragma once

#include <WiFi.h>
#include <WiFiUdp.h>
#include <freertos/FreeRTOS.h>
#include <freertos/task.h>

#include <cstdint>

#include "app/record_queue.h"
#include "console/settings.h"
#include "link/link.h"
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
      : settings_(settings), store_(store), link_(link), inward_(inward), outward_(outward) {}

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
  void tell_status();
  void push(Record::Kind kind, CloseReason why = CloseReason::none);

  const Settings& settings_;
  NvsStore& store_;
  Link link_;
  RecordQueue& inward_;
  RecordQueue& outward_;
  WifiStation station_;
  TaskHandle_t task_ = nullptr;
  Resolver resolver_;
  WiFiClient client_;
  WiFiUDP announcements_;
  bool listening_ = false;
  bool mdns_ready_ = false;
  bool open_ = false;
  int64_t stepped_ms_ = 0;
  int64_t patient_until_ms_ = 0;
  ServerAddress to_remember_;
  bool remember_wanted_ = false;
  LinkStatus told_;
  bool told_any_ = false;
  char buffer_[kReadBytes];
};

}  // namespace inktop
