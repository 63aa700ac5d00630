#include "console/settings.h"

#include <cstdio>
#include <cstring>

#include "console/quiet_text.h"
#include "inktop/ascii.h"

namespace inktop {
namespace {

struct SettingText {
  const char* name;
  const char* range;
  bool secret;
  bool restart;
  bool from_server;
};

// In the order of Setting.
constexpr SettingText kTexts[kSettingCount] = {
    {"ssid", "1 to 32 bytes, a 2.4 GHz network; empty: none", false, true, false},
    {"password", "8 to 63 characters or 64 hexadecimal digits; empty: an open network", true, true, false},
    {"servers", "1 to 4 of host or host:port (a name or IPv4), by commas; empty: found by itself", false,
     true, false},
    {"key", "16 to 64 printable characters, the same as on the server; empty: none", true, true, false},
    {"id", "1 to 31 characters of A-Z a-z 0-9 . _ -", false, true, false},
    {"vcom", "1000 to 4000 mV, without the minus sign of the panel's label", false, false, false},
    {"wash", "1 to 20000 updates", false, false, true},
    {"update", "1000 to 60000 ms", false, false, true},
    {"hot_spot", "0 to 60000 flips per pixel; 0: never", false, false, true},
    {"rotate", "0, 90, 180 or 270 degrees clockwise", false, true, true},
    {"mdns", "0 or 1", false, true, false},
    {"speed", "1 to 10 MHz", false, true, false},
    {"power", "keep or switch", false, false, false},
    {"buttons", "three raw readings of 0 to 4095, at least 400 apart, by commas", false, false, false},
    {"hot_junction", "40 to 150 degrees C at which a GPU's junction is an alarm; 0: the card's own limit",
     false, false, true},
    {"hot_edge", "40 to 150 degrees C at which a GPU without a junction is an alarm; 0: the card's own limit",
     false, false, true},
    {"hot_memory", "40 to 150 degrees C at which a GPU's memory is an alarm; 0: the card's own limit", false,
     false, true},
    {"full_memory", "50 to 100 % of the memory in use that are an alarm; 0: never", false, false, true},
    {"full_disk", "50 to 100 % of the fullest file system that are an alarm; 0: never", false, false, true},
    {"full_vram", "50 to 100 % of a GPU's memory in use that are an alarm; 0: never", false, false, true},
    {"throttle", "heat, any or never: the reasons for which a slowed down GPU is an alarm", false, false,
     true},
    {"link", "10 to 100 % busy at which a GPU's PCIe link below its best is an alarm; 0: never", false, false,
     true},
    {"span", "5m, 60m or 24h", false, false, true},
    {"clock", "24 or 12", false, false, true},
    {"degrees", "C or F", false, false, true},
    {"middle", "power, memory, uptime or none", false, false, true},
    {"quiet", kQuietRange, false, false, true},
};

// Two buttons closer than this cannot be told apart: twice the tolerance of a reading.
constexpr int kLeastButtonDistance = 400;

constexpr int index_of(Setting setting) {
  return static_cast<int>(setting);
}

// A decimal number without sign; false when it is none or outside [least, most].
bool parse_number(const char* text, uint32_t least, uint32_t most, uint16_t& out) {
  if (*text == 0) return false;
  uint32_t value = 0;
  for (; *text != 0; ++text) {
    if (*text < '0' || *text > '9') return false;
    value = value * 10 + uint32_t(*text - '0');
    if (value > 1'000'000) return false;
  }
  if (value < least || value > most) return false;
  out = uint16_t(value);
  return true;
}

// As a number of the range, or 0 for what the setting calls off.
bool parse_or_zero(const char* text, uint32_t least, uint32_t most, uint8_t& out) {
  uint16_t number = 0;
  if (!parse_number(text, 0, most, number) || (number != 0 && number < least)) return false;
  out = uint8_t(number);
  return true;
}

bool all_of(const char* text, bool (*fits)(char)) {
  for (; *text != 0; ++text) {
    if (!fits(*text)) return false;
  }
  return true;
}

bool is_printable(char c) {
  return c >= 0x20 && c < 0x7F;
}
// A network's name may be in any language: bytes of UTF-8 too.
bool is_name_byte(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F;
}
bool is_hexadecimal(char c) {
  return is_hex(c) || (c >= 'A' && c <= 'F');
}

// Copies up to the next comma; false when it does not fit. `text` moves behind the comma or to the end.
bool next_item(const char*& text, char* out, size_t size) {
  size_t length = 0;
  while (*text != 0 && *text != ',') {
    if (length + 1 >= size) return false;
    out[length++] = *text++;
  }
  out[length] = 0;
  if (*text == ',') ++text;
  return true;
}

bool parse_servers(const char* text, ServerAddress (&out)[kMaxServers]) {
  ServerAddress found[kMaxServers];
  const size_t length = std::strlen(text);
  if (length > 0 && text[length - 1] == ',') return false;
  for (int count = 0; *text != 0; ++count) {
    char item[72];
    if (count == kMaxServers || !next_item(text, item, sizeof item) || !parse_server(item, found[count])) {
      return false;
    }
    if (std::strchr(found[count].host, ':') != nullptr) return false;  // the board's network has no IPv6
  }
  std::memcpy(out, found, sizeof found);
  return true;
}

bool parse_levels(const char* text, uint16_t (&out)[kButtonCount]) {
  uint16_t levels[kButtonCount];
  for (int i = 0; i < kButtonCount; ++i) {
    char item[8];
    if (!next_item(text, item, sizeof item) || !parse_number(item, 0, 4095, levels[i])) return false;
    for (int before = 0; before < i; ++before) {
      const int distance = int(levels[i]) - int(levels[before]);
      if (distance < kLeastButtonDistance && distance > -kLeastButtonDistance) return false;
    }
  }
  if (*text != 0) return false;
  std::memcpy(out, levels, sizeof levels);
  return true;
}

template <size_t N>
bool set_text(char (&out)[N], const char* text) {
  const size_t length = std::strlen(text);
  if (length >= N) return false;
  std::memcpy(out, text, length + 1);
  return true;
}

bool set_flag(bool& out, const char* text, const char* off, const char* on) {
  if (std::strcmp(text, off) == 0) {
    out = false;
  } else if (std::strcmp(text, on) == 0) {
    out = true;
  } else {
    return false;
  }
  return true;
}

constexpr const char* kTurnWords[] = {"0", "90", "180", "270"};
constexpr const char* kSpanWords[] = {"5m", "60m", "24h"};
constexpr const char* kThrottleWords[] = {"never", "heat", "any"};
constexpr const char* kMiddleWords[] = {"power", "memory", "uptime", "none"};

// The enumerator of that word.
template <typename Choice, size_t N>
bool set_choice(Choice& out, const char* text, const char* const (&words)[N]) {
  for (size_t i = 0; i < N; ++i) {
    if (std::strcmp(text, words[i]) != 0) continue;
    out = static_cast<Choice>(i);
    return true;
  }
  return false;
}

void write_servers(const Settings& settings, char* out, size_t size) {
  size_t used = 0;
  out[0] = 0;
  for (const ServerAddress& server : settings.servers) {
    if (server.host[0] == 0) continue;
    const bool bare = std::strchr(server.host, ':') == nullptr;
    const int more = std::snprintf(out + used, size - used, bare ? "%s%s:%u" : "%s[%s]:%u",
                                   used == 0 ? "" : ",", server.host, unsigned(server.port));
    if (more < 0 || size_t(more) >= size - used) return;
    used += size_t(more);
  }
}

}  // namespace

const char* setting_name(Setting setting) {
  return kTexts[index_of(setting)].name;
}
const char* setting_range(Setting setting) {
  return kTexts[index_of(setting)].range;
}
bool setting_is_secret(Setting setting) {
  return kTexts[index_of(setting)].secret;
}
bool setting_needs_restart(Setting setting) {
  return kTexts[index_of(setting)].restart;
}

bool setting_from_server(Setting setting) {
  return kTexts[index_of(setting)].from_server;
}

bool find_setting(const char* name, Setting& out) {
  for (int i = 0; i < kSettingCount; ++i) {
    if (std::strcmp(kTexts[i].name, name) == 0) {
      out = static_cast<Setting>(i);
      return true;
    }
  }
  return false;
}

bool set_setting(Settings& settings, Setting setting, const char* text) {
  const size_t length = std::strlen(text);
  uint16_t number = 0;
  switch (setting) {
    case Setting::ssid:
      return all_of(text, is_name_byte) && set_text(settings.ssid, text);
    case Setting::password:
      if (length == 64 ? !all_of(text, is_hexadecimal) : (length != 0 && length < 8)) return false;
      return all_of(text, is_printable) && set_text(settings.password, text);
    case Setting::servers:
      return parse_servers(text, settings.servers);
    case Setting::key:
      if (length != 0 && length < 16) return false;
      return all_of(text, is_printable) && set_text(settings.key, text);
    case Setting::id:
      return length > 0 && all_of(text, is_name) && set_text(settings.id, text);
    case Setting::vcom:
      return parse_number(text, 1000, 4000, settings.vcom_mv);
    case Setting::wash:
      return parse_number(text, 1, 20'000, settings.wash_interval);
    case Setting::update:
      return parse_number(text, 1'000, 60'000, settings.update_interval_ms);
    case Setting::hot_spot:
      return parse_number(text, 0, 60'000, settings.hot_spot_flips);
    case Setting::rotate:
      return set_choice(settings.turn, text, kTurnWords);
    case Setting::mdns:
      return set_flag(settings.use_mdns, text, "0", "1");
    case Setting::speed:
      if (!parse_number(text, 1, 10, number)) return false;
      settings.panel_mhz = uint8_t(number);
      return true;
    case Setting::power:
      return set_flag(settings.keep_power, text, "switch", "keep");
    case Setting::buttons:
      return parse_levels(text, settings.button_levels);
    case Setting::hot_junction:
      return parse_or_zero(text, 40, 150, settings.alarms.hot_junction_c);
    case Setting::hot_edge:
      return parse_or_zero(text, 40, 150, settings.alarms.hot_edge_c);
    case Setting::hot_memory:
      return parse_or_zero(text, 40, 150, settings.alarms.hot_memory_c);
    case Setting::full_memory:
      return parse_or_zero(text, 50, 100, settings.alarms.full_memory_percent);
    case Setting::full_disk:
      return parse_or_zero(text, 50, 100, settings.alarms.full_disk_percent);
    case Setting::full_vram:
      return parse_or_zero(text, 50, 100, settings.alarms.full_vram_percent);
    case Setting::throttle:
      return set_choice(settings.alarms.throttle, text, kThrottleWords);
    case Setting::link:
      return parse_or_zero(text, 10, 100, settings.alarms.link_busy_percent);
    case Setting::span:
      return set_choice(settings.span, text, kSpanWords);
    case Setting::clock:
      return set_flag(settings.taste.twelve_hours, text, "24", "12");
    case Setting::degrees:
      return set_flag(settings.taste.fahrenheit, text, "C", "F");
    case Setting::middle:
      return set_choice(settings.taste.middle, text, kMiddleWords);
    case Setting::quiet:
      return read_quiet(text, settings.quiet);
  }
  return false;
}

void setting_text(const Settings& settings, Setting setting, char* out, size_t size) {
  switch (setting) {
    case Setting::ssid:
      std::snprintf(out, size, "%s", settings.ssid);
      return;
    case Setting::password:
      std::snprintf(out, size, "%s", settings.password);
      return;
    case Setting::servers:
      write_servers(settings, out, size);
      return;
    case Setting::key:
      std::snprintf(out, size, "%s", settings.key);
      return;
    case Setting::id:
      std::snprintf(out, size, "%s", settings.id);
      return;
    case Setting::vcom:
      std::snprintf(out, size, "%u", unsigned(settings.vcom_mv));
      return;
    case Setting::wash:
      std::snprintf(out, size, "%u", unsigned(settings.wash_interval));
      return;
    case Setting::update:
      std::snprintf(out, size, "%u", unsigned(settings.update_interval_ms));
      return;
    case Setting::hot_spot:
      std::snprintf(out, size, "%u", unsigned(settings.hot_spot_flips));
      return;
    case Setting::rotate:
      std::snprintf(out, size, "%s", kTurnWords[int(settings.turn)]);
      return;
    case Setting::mdns:
      std::snprintf(out, size, "%s", settings.use_mdns ? "1" : "0");
      return;
    case Setting::speed:
      std::snprintf(out, size, "%u", unsigned(settings.panel_mhz));
      return;
    case Setting::power:
      std::snprintf(out, size, "%s", settings.keep_power ? "keep" : "switch");
      return;
    case Setting::buttons:
      std::snprintf(out, size, "%u,%u,%u", unsigned(settings.button_levels[0]),
                    unsigned(settings.button_levels[1]), unsigned(settings.button_levels[2]));
      return;
    case Setting::hot_junction:
      std::snprintf(out, size, "%u", unsigned(settings.alarms.hot_junction_c));
      return;
    case Setting::hot_edge:
      std::snprintf(out, size, "%u", unsigned(settings.alarms.hot_edge_c));
      return;
    case Setting::hot_memory:
      std::snprintf(out, size, "%u", unsigned(settings.alarms.hot_memory_c));
      return;
    case Setting::full_memory:
      std::snprintf(out, size, "%u", unsigned(settings.alarms.full_memory_percent));
      return;
    case Setting::full_disk:
      std::snprintf(out, size, "%u", unsigned(settings.alarms.full_disk_percent));
      return;
    case Setting::full_vram:
      std::snprintf(out, size, "%u", unsigned(settings.alarms.full_vram_percent));
      return;
    case Setting::throttle:
      std::snprintf(out, size, "%s", kThrottleWords[int(settings.alarms.throttle)]);
      return;
    case Setting::link:
      std::snprintf(out, size, "%u", unsigned(settings.alarms.link_busy_percent));
      return;
    case Setting::span:
      std::snprintf(out, size, "%s", kSpanWords[int(settings.span)]);
      return;
    case Setting::clock:
      std::snprintf(out, size, "%s", settings.taste.twelve_hours ? "12" : "24");
      return;
    case Setting::degrees:
      std::snprintf(out, size, "%s", settings.taste.fahrenheit ? "F" : "C");
      return;
    case Setting::middle:
      std::snprintf(out, size, "%s", kMiddleWords[int(settings.taste.middle)]);
      return;
    case Setting::quiet:
      write_quiet(settings.quiet, out, size);
      return;
  }
  out[0] = 0;
}

RefreshSettings refresh_settings(const Settings& settings) {
  RefreshSettings out;
  out.update_interval_ms = settings.update_interval_ms;
  out.wash_interval = settings.wash_interval;
  out.hot_spot_flips = settings.hot_spot_flips;
  return out;
}

LinkSettings link_settings(const Settings& settings) {
  LinkSettings out;
  for (int i = 0; i < kMaxServers; ++i) out.servers[i] = settings.servers[i];
  out.use_mdns = settings.use_mdns;
  out.key.set = settings.key[0] != 0;
  out.ssid_set = settings.ssid[0] != 0;
  return out;
}

}  // namespace inktop
