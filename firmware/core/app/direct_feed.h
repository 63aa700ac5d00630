// Bytes straight to the app, without a link and a queue: for programs that play the server themselves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "link/line_reader.h"
#include "link/link.h"

namespace inktop {

class App;

class DirectFeed {
 public:
  explicit DirectFeed(App& app, int place = 0) : app_(app), place_(uint8_t(place)) {}

  void opened(int64_t now_ms);
  void received(const char* bytes, size_t size, int64_t now_ms);
  void closed(CloseReason why, int64_t now_ms);
  void status(const LinkStatus& status, int64_t now_ms);

 private:
  void tell_line(int64_t now_ms);

  App& app_;
  uint8_t place_;
  LineReader reader_;
};

}  // namespace inktop
