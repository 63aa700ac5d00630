// Whether a start opens an access point of the board's own, to be set up: until it has joined a network once,
// never after.
#pragma once

#include <cstdint>

namespace inktop {

// Kept in flash, as a word.
enum class FirstJoin : uint8_t {
  never_tried,
  tried,   // the form was filled in; whether that is right, the next start tells
  failed,  // it was not: the form opens again, with what was filled in
  done,    // joined once: the access point stays closed for good
};

constexpr int64_t kFirstJoin_ms = 60'000;

constexpr bool opens_access_point(FirstJoin now, bool ssid_set) {
  return now == FirstJoin::failed || (now != FirstJoin::done && !ssid_set);
}

// While the board joins; `failed` as the next one asks for a restart.
constexpr FirstJoin next_first_join(FirstJoin now, bool wifi_up, int64_t since_start_ms) {
  if (now == FirstJoin::done || wifi_up) return FirstJoin::done;
  return now == FirstJoin::tried && since_start_ms >= kFirstJoin_ms ? FirstJoin::failed : now;
}

constexpr const char* first_join_word(FirstJoin value) {
  switch (value) {
    case FirstJoin::never_tried:
      return "never";
    case FirstJoin::tried:
      return "tried";
    case FirstJoin::failed:
      return "failed";
    case FirstJoin::done:
      return "done";
  }
  return "";
}

}  // namespace inktop
