#include "console/settings_layers.h"

#include <cstdio>
#include <cstring>

namespace inktop {
namespace {

static_assert(kSettingCount <= 32, "a bit for each setting");
// In flash a server's value and a mark are kept beside the board's own value, which has the bare name.
constexpr char kServerLayer = 's';
constexpr char kHeldLayer = 'h';

constexpr Setting at(int index) {
  return static_cast<Setting>(index);
}
constexpr uint32_t bit(Setting setting) {
  return 1u << static_cast<int>(setting);
}

char origin_letter(SettingOrigin origin) {
  switch (origin) {
    case SettingOrigin::standard:
      return 'd';
    case SettingOrigin::own:
      return 'o';
    case SettingOrigin::held:
      return 'h';
    case SettingOrigin::server:
      return 's';
  }
  return 'd';
}

// The key of a layer's value in the store.
void key_of(char layer, Setting setting, char (&out)[16]) {
  std::snprintf(out, sizeof out, "%c.%s", layer, setting_name(setting));
}

bool same_text(const Settings& a, const Settings& b, Setting setting) {
  char one[kMaxSettingText];
  char other[kMaxSettingText];
  setting_text(a, setting, one, sizeof one);
  setting_text(b, setting, other, sizeof other);
  return std::strcmp(one, other) == 0;
}

}  // namespace

int SettingsLayers::load(const Settings& defaults) {
  defaults_ = own_ = server_ = in_force_ = defaults;
  has_own_ = has_server_ = held_ = 0;
  int refused = 0;
  for (int i = 0; i < kSettingCount; ++i) {
    char text[kMaxSettingText];
    if (store_.load(setting_name(at(i)), text, sizeof text)) {
      if (set_setting(own_, at(i), text)) {
        has_own_ |= bit(at(i));
      } else {
        ++refused;
      }
    }
    if (!setting_from_server(at(i))) continue;
    char key[16];
    key_of(kHeldLayer, at(i), key);
    if (store_.load(key, text, sizeof text)) held_ |= bit(at(i));
    key_of(kServerLayer, at(i), key);
    if (store_.load(key, text, sizeof text) && set_setting(server_, at(i), text)) has_server_ |= bit(at(i));
  }
  in_force_ = own_;
  for (int i = 0; i < kSettingCount; ++i) put_in_force(at(i));
  return refused;
}

SettingOrigin SettingsLayers::origin(Setting setting) const {
  if (held_ & bit(setting)) return SettingOrigin::held;
  if (has_server_ & bit(setting)) return SettingOrigin::server;
  return has_own_ & bit(setting) ? SettingOrigin::own : SettingOrigin::standard;
}

// One by one: the network task reads other members of what is in force meanwhile.
void SettingsLayers::put_in_force(Setting setting) {
  const Settings& from = origin(setting) == SettingOrigin::server ? server_ : own_;
  if (same_text(from, in_force_, setting)) return;
  char text[kMaxSettingText];
  setting_text(from, setting, text, sizeof text);
  set_setting(in_force_, setting, text);
}

bool SettingsLayers::store_as(char layer, Setting setting, const char* text) {
  char key[16];
  key_of(layer, setting, key);
  if (text != nullptr) return store_.save(key, text);
  store_.erase(key);
  return true;
}

SettingsLayers::Kept SettingsLayers::set_own(Setting setting, const char* text) {
  if (!set_setting(own_, setting, text)) return Kept::refused;
  has_own_ |= bit(setting);
  put_in_force(setting);
  char stored[kMaxSettingText];
  setting_text(own_, setting, stored, sizeof stored);
  return store_.save(setting_name(setting), stored) ? Kept::ok : Kept::not_stored;
}

void SettingsLayers::reset(Setting setting) {
  char text[kMaxSettingText];
  setting_text(defaults_, setting, text, sizeof text);
  set_setting(own_, setting, text);
  store_.erase(setting_name(setting));
  if (held_ & bit(setting)) store_as(kHeldLayer, setting, nullptr);
  if (has_server_ & bit(setting)) store_as(kServerLayer, setting, nullptr);
  has_own_ &= ~bit(setting);
  has_server_ &= ~bit(setting);
  held_ &= ~bit(setting);
  put_in_force(setting);
}

SettingsLayers::Kept SettingsLayers::hold(Setting setting, bool held) {
  if (!setting_from_server(setting)) return Kept::refused;
  held_ = held ? held_ | bit(setting) : held_ & ~bit(setting);
  put_in_force(setting);
  return store_as(kHeldLayer, setting, held ? "1" : nullptr) ? Kept::ok : Kept::not_stored;
}

void SettingsLayers::refuse(const char* name, const char* why) {
  if (refused_count_ == kMaxRefusals) return;
  Refusal& refusal = refused_[refused_count_++];
  std::snprintf(refusal.name, sizeof refusal.name, "%s", name);
  std::snprintf(refusal.why, sizeof refusal.why, "%s", why);
}

uint32_t SettingsLayers::take(const SettingsLine& line) {
  const Settings before = server_;
  uint32_t named = 0;
  refused_count_ = 0;
  for (int i = 0; i < line.value_count; ++i) {
    const Assignment& given = line.values[i];
    Setting setting;
    if (!find_setting(given.name, setting)) {
      refuse(given.name, "unknown");
    } else if (!setting_from_server(setting)) {
      refuse(given.name, "cable");
    } else if (!set_setting(server_, setting, given.value)) {
      refuse(given.name, "value");
    } else {
      named |= bit(setting);
    }
  }
  uint32_t changed = 0;
  for (int i = 0; i < kSettingCount; ++i) {
    const Setting setting = at(i);
    if (!setting_from_server(setting)) continue;
    const bool had = has_server_ & bit(setting);
    const bool has = named & bit(setting);
    // The line is repeated: flash is written only when something has changed.
    if (had && !has) store_as(kServerLayer, setting, nullptr);
    if (has && !(had && same_text(before, server_, setting))) {
      char text[kMaxSettingText];
      setting_text(server_, setting, text, sizeof text);
      store_as(kServerLayer, setting, text);
    }
    has_server_ = has ? has_server_ | bit(setting) : has_server_ & ~bit(setting);
    const Settings& wanted = origin(setting) == SettingOrigin::server ? server_ : own_;
    if (!same_text(wanted, in_force_, setting)) changed |= bit(setting);
    put_in_force(setting);
  }
  return changed;
}

uint32_t SettingsLayers::take(const SettingsLine& line, int place) {
  if (place > taken_from_) return 0;
  taken_from_ = place;
  return take(line);
}

void SettingsLayers::report(SettingsLine& out) const {
  out.value_count = 0;
  for (int i = 0; i < kSettingCount && out.value_count < kMaxSettings; ++i) {
    if (!setting_from_server(at(i))) continue;
    Assignment& item = out.values[out.value_count];
    std::snprintf(item.name, sizeof item.name, "%s", setting_name(at(i)));
    char text[kMaxSettingText];
    setting_text(in_force_, at(i), text, sizeof text);
    std::snprintf(item.value, sizeof item.value, "%.*s", int(sizeof item.value) - 1, text);
    out.origins[out.value_count++] = origin_letter(origin(at(i)));
  }
  out.origins[out.value_count] = 0;
  out.refusal_count = refused_count_;
  for (int i = 0; i < refused_count_; ++i) out.refusals[i] = refused_[i];
}

}  // namespace inktop
