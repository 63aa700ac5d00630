#include "console/console.h"

#include <cstdio>
#include <cstring>

namespace inktop {
namespace {

// Long enough for a name, a value of the longest kind and a range.
constexpr size_t kReplyBytes = kMaxSettingText + 160;

// Cuts `text` at its first space; what follows that one space is returned, verbatim: a network's name may
// begin or end with spaces.
char* split(char* text) {
  char* space = std::strchr(text, ' ');
  if (space == nullptr) return text + std::strlen(text);
  *space = 0;
  return space + 1;
}

}  // namespace

Console::Console(SettingsLayers& settings, ConsoleHost& host) : settings_(settings), host_(host) {}

void Console::answer(const char* text) {
  char line[kReplyBytes];
  std::snprintf(line, sizeof line, "# %.*s", static_cast<int>(sizeof line) - 3, text);
  host_.reply(line);
}

void Console::input(const char* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    const char c = bytes[i];
    if (c == '\n' || c == '\r') {
      line_[length_] = 0;
      if (too_long_) {
        answer("error: that line is too long; nothing was changed");
      } else if (length_ > 0) {
        command();
      }
      length_ = 0;
      too_long_ = false;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      continue;
    } else if (length_ + 1 < sizeof line_) {
      line_[length_++] = c;
    } else {
      too_long_ = true;
    }
  }
}

void Console::command() {
  char* const arguments = split(line_);
  if (std::strcmp(line_, "set") == 0) {
    set(arguments);
  } else if (std::strcmp(line_, "get") == 0) {
    get(arguments);
  } else if (std::strcmp(line_, "list") == 0) {
    for (int i = 0; i < kSettingCount; ++i) show(static_cast<Setting>(i));
    answer("ok");
  } else if (std::strcmp(line_, "reset") == 0) {
    reset(arguments);
  } else if (std::strcmp(line_, "hold") == 0) {
    hold(arguments, true);
  } else if (std::strcmp(line_, "release") == 0) {
    hold(arguments, false);
  } else if (std::strcmp(line_, "buttons") == 0) {
    char text[64];
    const int reading = host_.button_reading();
    if (reading < 0) {
      answer("error: the pin cannot be read now (Wi-Fi holds the converter); try again");
      return;
    }
    std::snprintf(text, sizeof text, "buttons reading %d", reading);
    answer(text);
    answer("ok");
  } else if (std::strcmp(line_, "restart") == 0) {
    answer("ok, restarting");
    host_.restart();
  } else if (std::strcmp(line_, "selftest") == 0) {
    if (!host_.start_selftest()) {
      answer("error: not in this build: flash v7_selftest or v7_nopmic_selftest");
      return;
    }
    answer("ok, restarting into the self-test");
    host_.restart();
  } else if (std::strcmp(line_, "help") == 0) {
    answer(
        "set NAME VALUE, get NAME, list, reset NAME, reset all, hold NAME, release NAME, buttons, restart, "
        "selftest");
    answer("ok");
  } else {
    answer("error: unknown command; try help");
  }
}

void Console::show(Setting setting) {
  char value[kMaxSettingText];
  setting_text(settings_.in_force(), setting, value, sizeof value);
  char line[kReplyBytes];
  const char* const shown = setting_is_secret(setting) ? (value[0] != 0 ? "(set)" : "(not set)") : value;
  const SettingOrigin origin = settings_.origin(setting);
  std::snprintf(line, sizeof line, "%s=%s  ; %s%s", setting_name(setting), shown, setting_range(setting),
                origin == SettingOrigin::server ? "; set by the server"
                : origin == SettingOrigin::held ? "; held against the server's"
                                                : "");
  answer(line);
}

void Console::unknown_setting() {
  answer("error: no such setting; list shows them all");
}

void Console::not_stored() {
  answer("error: it could not be stored; it acts until the next restart only. Try reset all");
}

// That the value in force may have changed.
void Console::tell_host(Setting setting) {
  if (!setting_needs_restart(setting)) host_.changed(setting);
}

void Console::set(char* arguments) {
  char* const value = split(arguments);
  Setting setting;
  if (!find_setting(arguments, setting)) return unknown_setting();
  const SettingsLayers::Kept kept = settings_.set_own(setting, value);
  char line[kReplyBytes];
  if (kept == SettingsLayers::Kept::refused) {
    std::snprintf(line, sizeof line, "error: %s must be %s; it is unchanged", setting_name(setting),
                  setting_range(setting));
    answer(line);
    return;
  }
  if (kept == SettingsLayers::Kept::not_stored) return not_stored();
  if (settings_.origin(setting) == SettingOrigin::server) {
    std::snprintf(line, sizeof line, "ok, but the server's value acts: hold %s", setting_name(setting));
    answer(line);
  } else if (setting_needs_restart(setting)) {
    answer("ok, from the next start on: restart");
  } else {
    host_.changed(setting);
    answer("ok");
  }
}

void Console::get(const char* name) {
  Setting setting;
  if (!find_setting(name, setting)) return unknown_setting();
  show(setting);
  answer("ok");
}

void Console::reset(const char* name) {
  Setting setting;
  const bool all = std::strcmp(name, "all") == 0;
  if (!all && !find_setting(name, setting)) return unknown_setting();
  for (int i = 0; i < kSettingCount; ++i) {
    const Setting each = static_cast<Setting>(i);
    if (!all && each != setting) continue;
    settings_.reset(each);
    tell_host(each);
  }
  answer("ok, from the next start on: restart");
}

void Console::hold(const char* name, bool held) {
  Setting setting;
  if (!find_setting(name, setting)) return unknown_setting();
  switch (settings_.hold(setting, held)) {
    case SettingsLayers::Kept::refused:
      return answer("error: no server sets this one: there is nothing to hold it against");
    case SettingsLayers::Kept::not_stored:
      return not_stored();
    case SettingsLayers::Kept::ok:
      break;
  }
  tell_host(setting);
  answer(setting_needs_restart(setting) ? "ok, from the next start on: restart" : "ok");
}

}  // namespace inktop
