// The radio: joins one network, without a scan (D5), and reports how that went.
#pragma once

#include <cstdint>

#include "link/link.h"

namespace inktop {

class WifiStation {
 public:
  // `id` becomes the host name that the router shows.
  void begin(const char* id);
  void join(const char* ssid, const char* password);
  // True: `out` is new since the last call.
  bool news(int64_t now_ms, WifiState& out);
  bool is_up() const;
  int rssi_dbm() const;
  // The board's own address as text.
  void address(char* out, size_t size) const;

 private:
  int64_t joined_ms_ = -1;  // associated, but without an address since then
  bool told_no_address_ = false;
};

}  // namespace inktop
