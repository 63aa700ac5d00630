// From one server's connection to the link and the app.
#pragma once

#include <cstddef>
#include <cstdint>

#include "app/record_queue.h"
#include "link/line_reader.h"
#include "link/link.h"

namespace inktop {

// Tells the link what the driver of the connection reports, and the app, as records.
// One feed for each server.
class Feed {
 public:
  // `records`: to the app, which knows the server by its place.
  Feed(const LinkSettings& settings, RecordQueue& records, int place = 0)
      : link_(settings), records_(records), place_(uint8_t(place)) {}

  // For the link's actions, and for what only the link is told.
  Link& link() { return link_; }
  const Link& link() const { return link_; }
  bool is_open() const { return open_; }

  void connected(int64_t now_ms);
  void received(const char* bytes, size_t size, int64_t now_ms);
  // The driver has closed, as the link wanted. False: that was an attempt only.
  bool closed(CloseReason why, int64_t now_ms);
  // A datagram on the announcement port.
  void datagram(const char* bytes, size_t size, int64_t now_ms);
  // Tells the app of the link's status if that has changed; call after each action and each event.
  void tell_status(int64_t now_ms);
  // Of the newest data line that was believed; empty before the first.
  const char* host() const { return host_; }
  int64_t data_ms() const { return data_ms_; }

 private:
  void tell_line(int64_t now_ms);

  Link link_;
  RecordQueue& records_;
  uint8_t place_;
  LineReader reader_;
  bool open_ = false;
  LinkStatus told_;
  bool told_any_ = false;
  char host_[sizeof Snapshot::host] = "";
  int64_t data_ms_ = INT64_MIN / 2;
};

}  // namespace inktop
