// What is kept in flash: settings, the boot counter and the server that last worked. Only the main task
// writes, between two refreshes.
#pragma once

#include <Preferences.h>

#include <atomic>
#include <cstdint>

#include "console/settings.h"
#include "setup/first_join.h"

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
  // Whether a network was ever joined. It is forgotten when a person takes the network's name back.
  FirstJoin first_join();
  bool keep_first_join(FirstJoin value);
  ServerAddress last_server();
  // From any one task. False: the one before is not written yet; ask again.
  bool remember_later(const ServerAddress& server);
  // From the main task, while the panel is at rest.
  void write_waiting();

 private:
  Preferences settings_;
  Preferences state_;
  ServerAddress waiting_;
  std::atomic<bool> is_waiting_{false};
};

}  // namespace inktop
