#include "over_the_air.h"

#include <ArduinoOTA.h>

#include <cstdint>

#include "device_log.h"

namespace inktop {

void OverTheAir::poll(bool wifi_up) {
  if (!enabled() || !wifi_up) return;
  if (!begun_) begin();
  ArduinoOTA.handle();
}

void OverTheAir::begin() {
  begun_ = true;
  ArduinoOTA.setHostname(id_);
  ArduinoOTA.setPassword(password_);
  ArduinoOTA.setMdnsEnabled(false);  // mDNS is the network task's
  ArduinoOTA.onStart([this] {
    log_line("update: begins");
    progress_(0);
  });
  ArduinoOTA.onProgress([this](unsigned int done, unsigned int total) {
    if (total > 0) progress_(int(uint64_t(done) * 100 / total));
  });
  ArduinoOTA.onEnd([this] { done_(); });
  ArduinoOTA.onError([this](ota_error_t error) {
    log_line("update: failed (%d); the firmware before goes on", int(error));
    progress_(-1);
  });
  ArduinoOTA.begin();
  log_line("update: listening");
}

}  // namespace inktop
