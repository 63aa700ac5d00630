#include "default_settings.h"

#include <Arduino.h>

#include <cstdio>

#include "device_log.h"
#include "power_board.h"
#include "secret_defaults.h"

namespace inktop {

Settings default_settings() {
  Settings settings;
  // Several boards in one house have different names from the start.
  std::snprintf(settings.id, sizeof settings.id, "inktop-%04x", unsigned(ESP.getEfuseMac() >> 32 & 0xFFFF));
  settings.keep_power = kKeepPower;
  struct Given {
    Setting setting;
    const char* text;
  };
  constexpr Given kGiven[] = {
      {Setting::ssid, INKTOP_WIFI_SSID},
      {Setting::password, INKTOP_WIFI_PASSWORD},
      {Setting::servers, INKTOP_SERVERS},
      {Setting::key, INKTOP_STREAM_KEY},
  };
  for (const Given& given : kGiven) {
    if (set_setting(settings, given.setting, given.text)) continue;
    log_line("secrets.h: %s must be %s; ignored. Correct it: inktop secrets init --force, or set",
             setting_name(given.setting), setting_range(given.setting));
  }
  return settings;
}

// Whoever hears an update can try passwords against it at home.
static_assert(sizeof INKTOP_OTA_PASSWORD == 1 || sizeof INKTOP_OTA_PASSWORD > 8,
              "a password for updates has at least 8 characters: inktop secrets init --force");

const char* ota_password() {
  return INKTOP_OTA_PASSWORD;
}

}  // namespace inktop
