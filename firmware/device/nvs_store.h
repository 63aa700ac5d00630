// Owns what is kept in flash: settings, the boot counter and the server that last worked.
#pragma once

#include <Preferences.h>

#include <cstdint>

#include "console/settings.h"

namespace inktop {

class NvsStore : public SettingsStore {
 public:
  // False: flash storage cannot be used; everything then lives until the next restart only.
  bool begin();

  bool load(const char* name, char* out, size_t size) override;
  bool save(const char* name, const char* text) override;
  void erase(const char* name) override;

  // Counts this start; returns how many there have been.
  uint32_t count_boot();
  ServerAddress last_server();
  void remember_server(const ServerAddress& server);

 private:
  Preferences settings_;
  Preferences state_;
};

}  // namespace inktop
