#include "setup_point.h"

#include <esp_system.h>

#include "device_log.h"

namespace inktop {
namespace {

// None that looks like another, none that a joining code would have to escape.
constexpr char kLetters[] = "abcdefghjkmnpqrstuvwxyz23456789";

}  // namespace

bool SetupPoint::open(const char* id) {
  WiFi.persistent(false);
  WiFi.mode(WIFI_AP);
  // With the radio on these numbers are random.
  for (size_t i = 0; i + 1 < sizeof password_; ++i)
    password_[i] = kLetters[esp_random() % (sizeof kLetters - 1)];
  const bool is_open = WiFi.softAP(id, password_);
  server_.begin();
  log_line("setup: %s \"%s\", password %s, page %s", is_open ? "open network" : "cannot open network", id,
           password_, kPage);
  return is_open;
}

SetupPoint::State SetupPoint::poll(int64_t now_ms) {
  if (opened_ms_ < 0) opened_ms_ = now_ms;
  if (!saved_) {
    if (now_ms - opened_ms_ >= kOpen_ms) return State::over;
    talk(now_ms);
    return State::open;
  }
  if (saved_ms_ < 0) saved_ms_ = now_ms;
  return now_ms - saved_ms_ >= kFarewell_ms ? State::filled_in : State::open;
}

void SetupPoint::talk(int64_t now_ms) {
  if (!is_talking_) {
    client_ = server_.available();
    // connected() goes by the last error of any socket once bytes are waiting: not the way to ask here.
    if (client_.fd() < 0) return;
    is_talking_ = true;
    has_begun_ = false;
    since_ms_ = now_ms;
    request_.clear();
  }
  uint8_t bytes[256];
  int size = 0;
  while (request_.state() == HttpRequest::State::reading && (size = client_.read(bytes, sizeof bytes)) > 0) {
    has_begun_ = true;
    request_.feed(reinterpret_cast<const char*>(bytes), size_t(size));
  }
  if (request_.state() != HttpRequest::State::reading) {
    answer();
  } else if (size >= 0 && client_.connected() &&
             now_ms - since_ms_ < (has_begun_ ? kRequest_ms : kFirstByte_ms)) {
    return;
  }
  client_.stop();
  is_talking_ = false;
}

void SetupPoint::answer() {
  const size_t size = form_.answer(request_, response_, sizeof response_, saved_);
  client_.write(reinterpret_cast<const uint8_t*>(response_), size);
}

}  // namespace inktop
