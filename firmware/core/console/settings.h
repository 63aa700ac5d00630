// The settings that a person changes without a rebuild: their names, ranges, defaults and text forms. They
// come as text (serial console, flash storage, secrets header) and are checked here only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "geometry.h"
#include "link/link.h"
#include "machine/alarms.h"
#include "machine/history.h"
#include "panel/quiet_hours.h"
#include "panel/refresh_policy.h"
#include "picture/taste.h"

namespace inktop {

constexpr int kButtonCount = 3;
// Longest text of a setting with its NUL: four servers of 63 characters with port and comma.
constexpr size_t kMaxSettingText = 4 * 72;

struct Settings {
  char ssid[33] = "";      // 1 to 32 bytes; empty: no Wi-Fi is set
  char password[65] = "";  // 8 to 63 characters, or 64 hexadecimal digits; empty: an open network
  ServerAddress servers[kMaxServers];
  char key[65] = "";        // of the stream, 16 to 64 characters; empty: not keyed
  char id[32] = "inktop";   // of this board, [A-Za-z0-9._-]
  uint16_t vcom_mv = 1600;  // absolute value; epdiy's own default, the panel's label tells the right one
  uint16_t wash_interval = 1800;  // updates
  uint16_t update_interval_ms = 2000;
  uint16_t hot_spot_flips = 300;  // per pixel; 0: never
  Turn turn = Turn::none;         // of the panel
  bool use_mdns = true;
  uint8_t panel_mhz = 8;  // what the panel's bus gets; lower when lines run late
  Taste taste;
  Span span = Span::five_minutes;  // of the graphs; button 3 shows another one
  QuietHours quiet;
  bool keep_power = false;  // the panel's supply stays on between refreshes
  // Raw readings (0 to 4095) of the three buttons on their ADC pin. Unknown for this board: thirds of the
  // range until someone reads the log and sets them.
  uint16_t button_levels[kButtonCount] = {0, 1365, 2730};
  AlarmSettings alarms;
};

enum class Setting : uint8_t {
  ssid,
  password,
  servers,
  key,
  id,
  vcom,
  wash,
  update,
  hot_spot,
  rotate,
  mdns,
  speed,
  power,
  buttons,
  hot_junction,
  hot_edge,
  hot_memory,
  full_memory,
  full_disk,
  full_vram,
  throttle,
  link,
  span,
  clock,
  degrees,
  middle,
  quiet,
};
constexpr int kSettingCount = 27;

// What a person types, and the key under which it is stored (at most 15 characters).
const char* setting_name(Setting setting);
// What it may be, with its unit: "1000 to 4000 mV".
const char* setting_range(Setting setting);
// Its value is not shown again.
bool setting_is_secret(Setting setting);
// It acts from the next start on; the others act at once.
bool setting_needs_restart(Setting setting);
// A server may set it (console/settings_layers.h): nothing that could cut the board off or harm its panel.
// Its text fits into an Assignment and holds no comma.
bool setting_from_server(Setting setting);
bool find_setting(const char* name, Setting& out);

// False: refused, `settings` is unchanged.
bool set_setting(Settings& settings, Setting setting, const char* text);
// Writes the text form and a NUL; kMaxSettingText bytes always suffice.
void setting_text(const Settings& settings, Setting setting, char* out, size_t size);

// Where settings stay over a restart: NVS on the board.
class SettingsStore {
 public:
  virtual ~SettingsStore() = default;
  // False: not stored.
  virtual bool load(const char* name, char* out, size_t size) = 0;
  virtual bool save(const char* name, const char* text) = 0;
  virtual void erase(const char* name) = 0;
};

// What the parts of the core want to know.
RefreshSettings refresh_settings(const Settings& settings);
// All but `last`, `hello`, `hmac` and `seed`.
LinkSettings link_settings(const Settings& settings);

}  // namespace inktop
