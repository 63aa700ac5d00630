// Which value of each setting is in force: the one that a server holds for this board, the board's own, or
// the default of the build. What was set is kept over a restart.
#pragma once

#include <cstdint>

#include "console/settings.h"
#include "inktop/line.h"

namespace inktop {

enum class SettingOrigin : uint8_t {
  standard,  // not set
  own,       // set on this board
  held,      // set on this board, and kept against a server's value
  server,
};

class SettingsLayers {
 public:
  // `store` outlives it.
  explicit SettingsLayers(SettingsStore& store) : store_(store) {}

  // Puts what is stored over `defaults`; returns how many stored values were refused.
  int load(const Settings& defaults);

  const Settings& in_force() const { return in_force_; }
  SettingOrigin origin(Setting setting) const;

  enum class Kept : uint8_t { ok, refused, not_stored };
  // This board's own value.
  Kept set_own(Setting setting, const char* text);
  // Forgets it, its mark, and what a server held: until the server's next settings line the default acts.
  void reset(Setting setting);
  // Marks it: the board's own value wins over a server's. `refused`: no server may set this one.
  Kept hold(Setting setting, bool held);

  // What a server holds for this board, all of it: what it no longer names goes back to the board's own
  // value. Returns a bit (1 << Setting) for each setting whose value in force has changed.
  uint32_t take(const SettingsLine& line);
  // With several servers those of the first place count that has ever sent any: two may not agree.
  uint32_t take(const SettingsLine& line, int place);
  // What is in force and where it comes from, as a server is told; the board's id is left to the caller.
  void report(SettingsLine& out) const;

 private:
  bool store_as(char layer, Setting setting, const char* text);
  void put_in_force(Setting setting);
  void refuse(const char* name, const char* why);

  SettingsStore& store_;
  Settings defaults_;
  Settings own_;
  Settings server_;
  Settings in_force_;
  // A bit for each setting.
  uint32_t has_own_ = 0;
  uint32_t has_server_ = 0;
  uint32_t held_ = 0;
  Refusal refused_[kMaxRefusals];  // of the newest settings line
  int refused_count_ = 0;
  int taken_from_ = kMaxServers;
};

}  // namespace inktop
