// The commands of the serial console: bytes go in, replies come out.
//
//     set NAME VALUE   get NAME   list   reset NAME|all   hold NAME   release NAME   buttons   restart
//     selftest   help
//
// Every line of a reply begins with "# ", so that it can be told from the log on the same wire; the last line
// is "# ok" (perhaps with a remark) or "# error: " and the next step.
#pragma once

#include <cstddef>
#include <cstdint>

#include "console/settings_layers.h"

namespace inktop {

// What the console asks of the board around it.
class ConsoleHost {
 public:
  virtual ~ConsoleHost() = default;
  // One line of a reply, without its newline.
  virtual void reply(const char* line) = 0;
  // A setting has changed and is stored; only those that act at once are told.
  virtual void changed(Setting setting) = 0;
  // The present raw reading of the buttons' pin, -1 when it cannot be read.
  virtual int button_reading() = 0;
  virtual void restart() = 0;
  // Restarts into the self-test; false: not built in.
  virtual bool start_selftest() = 0;
};

class Console {
 public:
  Console(SettingsLayers& settings, ConsoleHost& host);

  // Bytes as they come; a command ends at a newline or carriage return. Other bytes below 0x20 are dropped.
  void input(const char* bytes, size_t size);

 private:
  void command();
  void set(char* arguments);
  void get(const char* name);
  void reset(const char* name);
  void hold(const char* name, bool held);
  void show(Setting setting);
  void answer(const char* text);
  void unknown_setting();
  void tell_host(Setting setting);
  void not_stored();

  SettingsLayers& settings_;
  ConsoleHost& host_;
  char line_[kMaxSettingText + 24];
  size_t length_ = 0;
  bool too_long_ = false;
};

}  // namespace inktop
