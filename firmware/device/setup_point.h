// The board's own access point with the form by which it is set up, while it knows no network.
#pragma once

#include <WiFi.h>

#include <cstdint>

#include "console/settings.h"
#include "setup/http_request.h"
#include "setup/setup_form.h"

namespace inktop {

class SetupPoint {
 public:
  static constexpr char kPage[] = "http://192.168.4.1/";  // Arduino's own address as an access point

  // `note`: a sentence above the form. What the form says is kept in `store`.
  SetupPoint(const Settings& settings, const char* note, SettingsStore& store)
      : form_(settings, note, store) {}

  // Brings the radio up; a restart closes it again. `id` is the network's name. It admits those who know the
  // password, and closes by itself after half an hour. False: the radio refused.
  bool open(const char* id);
  // Of the network: chosen at each start, shown on the panel only.
  const char* password() const { return password_; }
  enum class State : uint8_t {
    open,
    filled_in,  // the form was right, what it says is kept, and the browser knows
    over,       // it was open long enough
  };
  // From the main loop.
  State poll(int64_t now_ms);

 private:
  // For a browser to begin, and to end: some open connections in advance, and say nothing on them.
  static constexpr int64_t kFirstByte_ms = 1'000;
  static constexpr int64_t kRequest_ms = 5'000;
  static constexpr int64_t kFarewell_ms = 2'000;  // for the last page to get there
  // No one in the network can prolong this.
  static constexpr int64_t kOpen_ms = 30 * 60'000;

  void talk(int64_t now_ms);
  void answer();

  WiFiServer server_{80};
  WiFiClient client_;
  bool is_talking_ = false;
  bool has_begun_ = false;
  int64_t since_ms_ = 0;
  int64_t opened_ms_ = -1;
  int64_t saved_ms_ = -1;
  bool saved_ = false;
  HttpRequest request_;
  SetupForm form_;
  char password_[11] = "";
  char response_[SetupForm::kMaxResponse];
};

}  // namespace inktop
