// What the settings change in the firmware's parts, and what a server holds of them.
#include <cstdio>

#include "app/app_settings.h"
#include "device_log.h"
#include "firmware.h"
#include "inktop/encoder.h"
#include "power_board.h"

namespace inktop {

AppSettings Firmware::app_settings() const {
  AppSettings out;
  inktop::take_settings(out, settings_);
  out.configured = configured_places(link_settings(settings_), settings_.follow);
  out.power_failures = guard_.failures();
  return out;
}

void Firmware::take_settings(const SettingsLine& line, int server) {
  const uint32_t changed_bits = layers_.take(line, server);
  for (int i = 0; i < kSettingCount; ++i) {
    const Setting setting = Setting(i);
    if ((changed_bits & 1u << i) == 0) continue;
    char text[kMaxSettingText];
    setting_text(settings_, setting, text, sizeof text);
    log_line("settings: %s=%s, from the server", setting_name(setting), text);
    if (setting_needs_restart(setting)) {
      restart_due_ = true;
    } else {
      changed(setting);
    }
  }
  answer_settings(server);
}

void Firmware::answer_settings(int server) {
  SettingsLine answer;
  std::snprintf(answer.board, sizeof answer.board, "%s", settings_.id);
  layers_.report(answer);
  char line[kMaxLineBytes + 1];
  send(line, encode_settings(answer, line, sizeof line), server);
}

void Firmware::changed(Setting setting) {
  app_->set_settings(app_settings());
  if (setting == Setting::buttons) buttons_->set_levels(settings_.button_levels);
  if (setting == Setting::vcom) {
    epdiy_.set_vcom(settings_.vcom_mv);
    if (kHasVcomSetting) app_->facts().vcom_mv = settings_.vcom_mv;
  }
}

}  // namespace inktop
